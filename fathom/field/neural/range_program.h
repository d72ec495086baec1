// What the loops that bound a network over boxes run: layers in one row of units, packed for the vector
// units. A whole network and what is left of it inside a box have the same form, so one loop serves both. Not for
// users: network_range.h is the face. Plain data, filled by network_range.cpp and run by range_kernels.cpp.
#pragma once

#include <fathom/field/neural/network.h>

#include <span>
#include <vector>

namespace fathom {

inline constexpr std::size_t range_tile =
    16; // units that go through a layer together; a layer starts at a multiple of it
inline constexpr std::size_t range_block = 24; // boxes that share one pass forward through the weights
inline constexpr std::size_t range_open = 8;   // and one back

// What is known of a unit, one row of `units` numbers each; a box has all of them side by side.
// The unit's output is base + x e0 + y e1 + z e2 + radius * anything in [-1,1], where e are the box's own coordinates
// in [-1,1]. In a refined run the units that bend most are coordinates too; `others` is the sum of the sizes along
// those, and `carried` the radius without what the unit itself added. size: no value of the unit is larger. slope: of
// the line that stands for its activation; own: what the unit itself added to the radius, and rounding: of that, what
// its sum did; lower, upper: what reaches its activation.
enum class RangeColumn : unsigned char {
    base,
    x,
    y,
    z,
    radius,
    size,
    slope,
    own,
    rounding,
    state,
    lower,
    upper,
    others,
    carried
};
inline constexpr std::size_t range_columns = 14;
inline constexpr std::size_t range_alignment = 64; // bytes
inline constexpr std::size_t range_entry = 6;      // of an encoded number: base, x, y, z, radius, size

// In RangeColumn::state: how the activation acts on all that can reach it inside the box.
inline constexpr float unit_bends = 0, unit_is_linear = 1, unit_is_off = 2;

struct UnitSpan {
    std::size_t start = 0, count = 0;
};

struct RangeLayer {
    std::size_t first_span = 0, span_count = 0; // its inputs, in RangeProgram::spans
    std::size_t inputs = 0;                     // units in them, without padding
    std::size_t start = 0, outputs = 0;         // its own units
    Activation activation = Activation::none;
    float parameter = 1;
    std::size_t by_input = 0;  // where its weights lie in RangeProgram::by_input: [tile][input][16]
    std::size_t by_output = 0; // and in RangeProgram::by_output: [output][each span, padded to tiles]
    double largest_sum = 0;    // of |weights| of one output
    double largest_norm = 0;   // the length of the weights of one output
    double largest_bias = 0;
};

struct RangeProgram {
    std::vector<RangeLayer> layers; // the last has one output; its activation is applied afterwards
    std::vector<UnitSpan> spans;
    std::size_t encoded = 0; // the first units are the encoded point
    std::size_t units = 0;   // with padding
    std::vector<float> by_input, by_output;
    // For each unit: its bias, and the rounding of its sum: a share of the length of its inputs' sizes, and what is
    // always there.
    std::vector<float> biases, share, fixed;
    std::vector<double> adjoint_slack; // how far the computed slope of the result along a unit can be off

    [[nodiscard]] std::span<const UnitSpan> inputs(const RangeLayer& layer) const {
        return {spans.data() + layer.first_span, layer.span_count};
    }
    [[nodiscard]] std::size_t padded_inputs(const RangeLayer& layer) const;
    [[nodiscard]] std::size_t
    multiplications() const; // of a value; a range takes five times as many, and a slope back one
};

[[nodiscard]] inline std::size_t in_tiles(std::size_t count) {
    return (count + range_tile - 1) / range_tile * range_tile;
}

// A layer to be packed. Inputs in the order of the spans.
struct LayerRows {
    std::size_t outputs = 0;
    std::span<const float> weights; // outputs x inputs
    std::span<const float> biases;  // outputs
    std::span<const double> errors; // of each sum, besides the rounding of this layer; empty: none
    double roundings = 0;           // of a term of a sum, in units of 2^-24
    Activation activation = Activation::none;
    float parameter = 1;
};

// In this order: start, every layer, finish. Storage is reused.
void start_program(RangeProgram& program, std::size_t encoded);
void append_layer(RangeProgram& program, std::span<const UnitSpan> inputs, const LayerRows& rows);
void finish_program(RangeProgram& program);

// `columns` as refine_range() left them for a box. Makes `out` what `program` does inside of it, without the units that
// are off and the linear ones where that is less work: see NetworkPart::shorten. False where it would not be much less
// work.
[[nodiscard]] bool fold_decided_units(const RangeProgram& program, std::span<const float> columns, RangeProgram& out);

// The steepest slope of an activation.
[[nodiscard]] double steepest(Activation activation, float parameter);

// The result before the last activation lies within centre +- reach; reach is infinite where floats could overflow.
struct RangeBall {
    double centre = 0, reach = 0;
    double along = 0;             // the part of reach that the box's own coordinates take
    double slopes[3] = {0, 0, 0}; // along each of those, over [-1,1]
};

// Affine arithmetic forward, for at most range_block boxes. `entered`: range_entry numbers for each encoded number, box
// by box. `storage`: range_storage floats, aligned; keeps what run_back() needs.
void run_affine(const RangeProgram& program, std::span<const float> entered, std::span<float> storage,
                std::span<RangeBall> out);
[[nodiscard]] inline std::size_t range_storage(const RangeProgram& program) { return range_block * 8 * program.units; }

// Tightens the balls of at most range_open of those boxes, by the slopes of the result along all units. `out`: all that
// run_affine() found. `lines`: 2 * units floats for each of `which`; `adjoints`: as many doubles.
void run_back(const RangeProgram& program, std::span<const float> storage, std::span<const std::size_t> which,
              std::span<float> lines, std::span<double> adjoints, std::span<RangeBall> out);

// Both for one box, with up to `per_layer` units of each layer as coordinates of their own: their errors may cancel.
// `columns`: range_columns * units floats, filled; `symbols`: per_layer * layers * units floats; `adjoints`: 2 * units
// doubles. Costs as much as the other two and about one value for each of those units that follows.
[[nodiscard]] RangeBall refine_range(const RangeProgram& program, std::size_t per_layer, std::span<const float> entered,
                                     std::span<float> columns, std::span<float> symbols, std::span<double> adjoints);

// From `layer` back to the encoded point: adds to the adjoints of its inputs, then of theirs, as far as `slope` is not
// 0, and to `sums` the |adjoint| * `own` of all that it meets. One row of slopes and errors for all; the adjoints of
// the layer's inputs are given, all others 0.
void run_adjoints(const RangeProgram& program, std::size_t layer, const float* slope, const float* own,
                  std::span<double> adjoints, std::span<double> sums);

} // namespace fathom
