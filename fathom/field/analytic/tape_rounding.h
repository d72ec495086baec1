// How far can the computed value of a tape be from the exact one? A running error analysis, done once a
// tape. Every operation passes on the errors of its operands by its slopes and adds its own; see Higham, Accuracy and
// Stability of Numerical Algorithms, chapter 3. The bound grows with the coordinates, so it is kept for powers of 16 of
// them.
#pragma once

#include <fathom/field/analytic/tape.h>

#include <array>
#include <limits>

namespace fathom {

struct RoundingTable {
    static constexpr int least_power = -10; // of 16: about 1e-12 m
    std::array<double, 24> bounds{};        // up to 16^13, past farthest_coordinate

    // For points whose coordinates are at most `magnitude` (m).
    [[nodiscard]] double at(double magnitude) const;
};

struct TapeRounding {
    RoundingTable result;  // of the whole tape
    RoundingTable largest; // of all instructions with a slope
};

// Takes the slope from instructions whose rounding cannot be bounded.
[[nodiscard]] TapeRounding tape_rounding(std::span<Instruction> plain, std::uint16_t result,
                                         std::span<const double> constants, std::span<const double> parameters);

} // namespace fathom
