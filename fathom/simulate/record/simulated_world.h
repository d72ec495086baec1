// What every kind of world can do: step, tell its energy, and be recorded.
#pragma once

#include <fathom/base/hash.h>

#include <cstddef>
#include <vector>

namespace fathom {

// Where the energy of a world of bodies is.

// In joules. Without damping and friction the sum is kept, but for the error of the step.
struct Energy {
    double kinetic = 0;
    double potential = 0; // of gravity, 0 at the origin
    double stored = 0;    // in the springs of contact at the end of the step

    [[nodiscard]] double total() const { return kinetic + potential + stored; }
};

class Recording;
struct RecordedBody;
struct RecordedFrame;
struct RecordedStep;

class SimulatedWorld {
public:
    virtual ~SimulatedWorld() = default;

    virtual void step() = 0; // throws Error where the world has left what numbers can follow
    [[nodiscard]] virtual std::size_t steps() const = 0;
    [[nodiscard]] virtual double time() const = 0; // s
    [[nodiscard]] virtual Energy energy() const = 0;
    [[nodiscard]] virtual Fingerprint state_hash() const = 0; // of every number that the next step depends on

    // To be called after each step, and once before the first.
    void record(Recording& recording) const;
    // What a recording is made of. A frame gets as many bodies as there are, in their order, and contacts where they
    // are wanted.
    [[nodiscard]] virtual std::vector<RecordedBody> recorded_bodies() const = 0;
    [[nodiscard]] virtual RecordedStep recorded_step() const = 0;
    virtual void fill(RecordedFrame& frame, bool contacts) const = 0;

protected:
    SimulatedWorld() = default;
    SimulatedWorld(SimulatedWorld&&) = default;
    SimulatedWorld& operator=(SimulatedWorld&&) = default;
};

} // namespace fathom
