// A formula as a short list of instructions, run for points, gradients and boxes, and cut down inside a
// box. Method: register tapes with choice traces as in fidget and MPR (Keeter 2020); intervals after Moore & Yang 1996,
// rounded outward. Where a Lipschitz constant is known, of the whole or of a part, its interval is met with the ball
// f(centre) +- lipschitz * radius, widened by a proven bound on the rounding of the points.
// Not for users: analytic_field.h is the face. Blocks of points or boxes go through each instruction together (SIMD),
// so a batch costs a few ns a point and instruction group; a single point costs about as much as four. Immutable and
// thread-safe once built; scratch memory belongs to the thread and is allocated only when it must grow.
#pragma once

#include <fathom/field/analytic/expression_graph.h>
#include <fathom/field/field.h>

#include <memory>
#include <vector>

namespace fathom {

// Coordinates past this are taken as this (m): the formula then stays finite, and its value a lower bound on the
// distance.
inline constexpr double farthest_coordinate = 1e15;

struct Instruction {
    static constexpr std::uint16_t constant_flag = 0x8000; // set: the operand is a constant

    Op op = Op::constant;
    std::uint16_t out = 0;
    std::uint16_t operands[3] = {};
    std::uint16_t slope = 0; // 1 + where its Lipschitz constant lies; 0 if none is known
    std::uint32_t parameters = 0;
};
static_assert(sizeof(Instruction) == 16);

struct TapeTables; // constants and parameters, shared by a tape and all its parts

class Tape {
public:
    Tape() = default; // answers nothing; storage for shorten()
    Tape(const Graph& graph, NodeId root);

    void distances(std::span<const Vec3> points, std::span<double> out) const;
    void samples(std::span<const Vec3> points, std::span<Sample> out) const;
    void ranges(std::span<const Box> boxes, std::span<Interval> out) const;

    // Makes `part` the tape without every branch that provably never wins inside `box`, and returns the range there.
    // Inside the box the part answers with the same bits (outside, anything). A part can be shortened again, for a
    // smaller box. Its storage is reused: no allocation once it has grown. `part` must not be this tape.
    // O(instructions).
    Interval shorten(const Box& box, Tape& part) const;

    [[nodiscard]] std::size_t size() const { return code_.size(); }              // instructions
    [[nodiscard]] std::size_t register_count() const { return register_count_; } // live at once, with the 3 coordinates
    [[nodiscard]] std::size_t choice_count() const;                              // branches that a box may decide

    // |computed - exact value of the formula| for points with coordinates up to `magnitude` (m); infinity where
    // unknown.
    [[nodiscard]] double rounding_bound(double magnitude) const;

private:
    void allocate_registers();
    void run_ranges(std::span<const Box> boxes, std::span<Interval> out, bool trace) const;

    std::shared_ptr<const TapeTables> tables_;
    std::vector<Instruction> plain_; // operand k >= 3 is the result of instruction k - 3; below, a coordinate
    std::vector<Instruction> code_;  // the same with registers: what runs
    std::uint16_t plain_result_ = 0;
    std::uint16_t result_ = 0;
    std::size_t register_count_ = 3;
};

// The loops that run a tape: tape_points.cpp, tape_samples.cpp and tape_intervals.cpp know the SIMD
// library. Blocks lie register by register. `count` must be a multiple of tape_lanes. Same bits on every instruction
// set.

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
