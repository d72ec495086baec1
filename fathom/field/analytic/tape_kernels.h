// The loops that run a tape: tape_points.cpp, tape_samples.cpp and tape_intervals.cpp know the SIMD
// library. Blocks lie register by register. `count` must be a multiple of tape_lanes. Same bits on every instruction
// set.
#pragma once

#include <fathom/field/analytic/tape.h>

namespace fathom {

inline constexpr std::size_t tape_lanes = 8; // the widest vector of doubles; a constant is stored that often
inline constexpr std::size_t point_block =
    64; // points through one instruction at a time: registers stay in the L1 cache
inline constexpr std::size_t sample_block = 16;   // a register is 4 rows: value and three slopes
inline constexpr std::size_t interval_block = 16; // a register is 2 rows: lower and upper

struct TapeView {
    std::span<const Instruction> code;
    const double* constants; // tape_lanes copies each
    const double* parameters;
};

// Which operand of a minimum, maximum, smooth minimum or sign provably wins over the box.
enum class Choice : std::uint8_t { both, first, second };

// Registers 0, 1, 2 hold the coordinates on entry.
// With `middles`, the values of every instruction with a known slope are kept there, interval_block each.
void run_points(const TapeView& tape, double* registers, std::size_t count, double* middles = nullptr);
// With `alone`, that one point instead, and count is 1.
void run_samples(const TapeView& tape, double* registers, std::size_t count, const double* alone = nullptr);

// For each box its radius and what rounding may add; for each known slope, that slope and the values at the centres.
struct Balls {
    const double *radii, *noise, *slopes, *middles;
};
// With `choices`, one entry an instruction is written for the first box.
void run_intervals(const TapeView& tape, const Balls& balls, double* registers, std::size_t count, Choice* choices);

} // namespace fathom
