// Tape: an expression as a list of instructions, evaluated for points, gradients and boxes, and shortened for a box.
// Internal.
// Method: register tapes with choice traces as in fidget and MPR (Keeter 2020); intervals after Moore & Yang 1996,
// rounded outward. If a Lipschitz constant is known, for the whole or for a part, its interval is intersected with the
// sphere bound f(centre) +- lipschitz * radius, widened by a proven bound on the rounding of point values.
// analytic_field.h is the public interface. Blocks of points or boxes pass through each instruction together (SIMD), so
// a batch costs a few ns per point and instruction group; a single point costs about as much as four. Immutable and
// thread-safe once built; scratch memory is per thread and is allocated only when it must grow.
#pragma once

#include <fathom/field/analytic/expression_graph.h>
#include <fathom/field/field.h>

#include <array>
#include <memory>
#include <vector>

namespace fathom {

// Coordinates are clamped to this magnitude (m). The values then stay finite and are lower bounds on the distance.
inline constexpr double farthest_coordinate = 1e15;

struct Instruction {
    static constexpr std::uint16_t constant_flag = 0x8000; // if set, the operand is a constant

    Op op = Op::constant;
    std::uint16_t out = 0;
    std::uint16_t operands[3] = {};
    std::uint16_t slope = 0; // 1 + index of its Lipschitz constant; 0 if none is known
    std::uint32_t parameters = 0;
};
static_assert(sizeof(Instruction) == 16);

struct TapeTables; // constants and parameters, shared by a tape and its shortened tapes

class Tape {
public:
    Tape() = default; // empty, cannot be evaluated; storage for shorten()
    Tape(const Graph& graph, NodeId root);

    void distances(std::span<const Vec3> points, std::span<double> out) const;
    void samples(std::span<const Vec3> points, std::span<Sample> out) const;
    void ranges(std::span<const Box> boxes, std::span<Interval> out) const;

    // Encloses the gradients over a box, kinks included, by interval arithmetic on dual numbers. False, and nothing
    // written: an operation of the tape has no bound on its slopes there. Cost: about 0.1 us an instruction.
    bool slopes(const Box& box, std::array<Interval, 3>& out) const;

    // Writes to `part` the tape without every branch that provably never wins inside `box`, and returns the range
    // there. Inside the box `part` gives the same bits; outside, its values are unspecified. `part` can be shortened
    // again for a smaller box. Its storage is reused, so no memory is allocated once it has grown. `part` must not be
    // this tape. Cost: O(instructions).
    Interval shorten(const Box& box, Tape& part) const;

    [[nodiscard]] std::size_t size() const { return code_.size(); } // instructions
    // live at once, including the 3 coordinates
    [[nodiscard]] std::size_t register_count() const { return register_count_; }

    // Upper bound on |computed - exact value| for points with coordinates up to `magnitude` (m); infinity if unknown.
    [[nodiscard]] double rounding_bound(double magnitude) const;

private:
    void allocate_registers();
    void run_ranges(std::span<const Box> boxes, std::span<Interval> out, bool trace) const;

    std::shared_ptr<const TapeTables> tables_;
    std::vector<Instruction> plain_; // operand k >= 3 is the result of instruction k - 3; below 3 it is a coordinate
    std::vector<Instruction> code_;  // the same after register allocation; this is what runs
    std::uint16_t plain_result_ = 0;
    std::uint16_t result_ = 0;
    std::size_t register_count_ = 3;
};

// ---- The loops that run a tape. tape_points.cpp, tape_samples.cpp and tape_intervals.cpp are the files that use the
// SIMD library.
// A block is stored register by register. `count` must be a multiple of tape_lanes. Results have the same bits on every
// instruction set.

inline constexpr std::size_t tape_lanes = 8; // widest vector of doubles; each constant is stored this many times
// Points that pass through one instruction together; the registers stay in the L1 cache.
inline constexpr std::size_t point_block = 64;
inline constexpr std::size_t sample_block = 16;   // a register has 4 rows: the value and three slopes
inline constexpr std::size_t interval_block = 16; // a register has 2 rows: lower and upper

struct TapeView {
    std::span<const Instruction> code;
    const double* constants; // tape_lanes copies of each
    const double* parameters;
};

// The operand of a minimum, maximum, smooth minimum or sign that provably wins over the box.
enum class Choice : std::uint8_t { both, first, second };

// Registers 0, 1, 2 hold the coordinates on entry. If `middles` is given, the values of every instruction with a known
// slope are stored there, interval_block each.
void run_points(const TapeView& tape, double* registers, std::size_t count, double* middles = nullptr);
// If `alone` is given, only that point is evaluated, and count is 1.
void run_samples(const TapeView& tape, double* registers, std::size_t count, const double* alone = nullptr);

// For each box its radius and the rounding allowance; for each known slope, the slope and the values at the box
// centres.
struct Spheres {
    const double *radii, *noise, *slopes, *middles;
};
// If `choices` is given, one entry per instruction is written for the first box.
void run_intervals(const TapeView& tape, const Spheres& spheres, double* registers, std::size_t count, Choice* choices);

} // namespace fathom
