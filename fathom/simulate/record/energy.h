// Where the energy of a world of bodies is.
#pragma once

namespace fathom {

// In joules. Without damping and friction the sum is kept, but for the error of the step.
struct Energy {
    double kinetic = 0;
    double potential = 0; // of gravity, 0 at the origin
    double stored = 0;    // in the springs of contact at the end of the step

    [[nodiscard]] double total() const { return kinetic + potential + stored; }
};

} // namespace fathom
