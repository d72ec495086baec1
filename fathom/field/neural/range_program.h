// Packed form of a network for the loops that bound it over boxes: the units of all layers in one row, padded for
// vector instructions. A whole network and its restriction to a box have the same form, so one loop serves both.
// Internal: users call network_range.h. Plain data, filled by network_range.cpp and run by range_kernels.cpp.
#pragma once

#include <fathom/field/neural/network.h>

#include <span>
#include <vector>

namespace fathom {

// Units that are processed together in a layer; a layer starts at a multiple of it.
inline constexpr std::size_t range_tile = 16;
inline constexpr std::size_t range_block = 24; // boxes that share one forward pass through the weights
inline constexpr std::size_t range_open = 8;   // boxes that share one backward pass

// Quantities stored for each unit, one row of `units` numbers per quantity; the rows of a box are contiguous.
// The unit's output is base + x e0 + y e1 + z e2 + radius * r for some r in [-1,1], where e are the box's own
// coordinates in [-1,1]. In a refined run the most nonlinear units are coordinates too; `others` is the sum of the
// magnitudes along those, and `carried` the radius without the unit's own contribution. size: upper bound on the unit's
// magnitude. slope: slope of the line that replaces its activation. own: the unit's own contribution to the radius;
// rounding: the part of it that comes from its sum. lower, upper: interval of the activation's input.
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
inline constexpr std::size_t range_entry = 6;      // numbers per encoded input: base, x, y, z, radius, size

// Values of RangeColumn::state: how the activation acts on all inputs that can reach it inside the box.
// A curved unit is known by a line, slope * input + others, within +-own; in double only (exact_units()).
inline constexpr float unit_bends = 0, unit_is_linear = 1, unit_is_off = 2, unit_is_curved = 3;

struct UnitSpan {
    std::size_t start = 0, count = 0;
};

struct RangeLayer {
    std::size_t first_span = 0, span_count = 0; // its inputs, in RangeProgram::spans
    std::size_t inputs = 0;                     // input units, without padding
    std::size_t start = 0, outputs = 0;         // its own units
    Activation activation = Activation::none;
    float parameter = 1;
    std::size_t by_input = 0;  // offset of its weights in RangeProgram::by_input: [tile][input][16]
    std::size_t by_output = 0; // offset in RangeProgram::by_output: [output][each span, padded to tiles]
    double largest_sum = 0;    // largest sum of |weights| of one output
    double largest_norm = 0;   // largest Euclidean norm of the weights of one output
    double largest_bias = 0;
};

struct RangeProgram {
    std::vector<RangeLayer> layers; // the last has one output; its activation is applied afterwards
    std::vector<UnitSpan> spans;
    std::size_t encoded = 0; // number of encoded inputs, which are the first units
    std::size_t units = 0;   // including padding
    bool is_relu = true;     // the activations of all hidden layers are relu
    std::vector<float> by_input, by_output;
    // For each unit: its bias, and the rounding error of its sum, which is `share` of the norm of its inputs' sizes
    // plus `fixed`.
    std::vector<float> biases, share, fixed;
    std::vector<double> adjoint_slack; // error bound of the computed derivative of the result by each unit

    [[nodiscard]] std::span<const UnitSpan> inputs(const RangeLayer& layer) const {
        return {spans.data() + layer.first_span, layer.span_count};
    }
    [[nodiscard]] std::size_t padded_inputs(const RangeLayer& layer) const;
    // Multiplications of one value; a range takes five times as many, a backward pass the same number.
    [[nodiscard]] std::size_t multiplications() const;
};

[[nodiscard]] inline std::size_t in_tiles(std::size_t count) {
    return (count + range_tile - 1) / range_tile * range_tile;
}

// A layer to be packed. Inputs are in the order of the spans.
struct LayerRows {
    std::size_t outputs = 0;
    std::span<const float> weights; // outputs x inputs
    std::span<const float> biases;  // outputs
    double roundings = 0;           // roundings of one term of a sum, in units of 2^-24
    Activation activation = Activation::none;
    float parameter = 1;
};

// Call in this order: start, every layer, finish. Storage is reused.
void start_program(RangeProgram& program, std::size_t encoded);
void append_layer(RangeProgram& program, std::span<const UnitSpan> inputs, const LayerRows& rows);
void finish_program(RangeProgram& program);

// Largest slope of an activation.
[[nodiscard]] double max_slope(Activation activation, float parameter);

// The result before the last activation lies within centre +- reach; reach is infinite where floats could overflow.
struct RangeSphere {
    double centre = 0, reach = 0;
    double along = 0;             // part of reach that is due to the box's own coordinates
    double slopes[3] = {0, 0, 0}; // derivatives along those coordinates, over [-1,1]
};

// Affine arithmetic forward, for at most range_block boxes. `entered`: range_entry numbers for each encoded number, box
// by box. `storage`: range_storage floats, aligned; it keeps the input of run_back().
void run_affine(const RangeProgram& program, std::span<const float> entered, std::span<float> storage,
                std::span<RangeSphere> out);
[[nodiscard]] inline std::size_t range_storage(const RangeProgram& program) { return range_block * 8 * program.units; }

// Tightens the intervals of at most range_open of those boxes with the derivatives of the result by all units. `out`:
// all results of run_affine(). `lines`: 2 * units floats for each of `which`; `adjoints`: as many doubles.
void run_back(const RangeProgram& program, std::span<const float> storage, std::span<const std::size_t> which,
              std::span<float> lines, std::span<double> adjoints, std::span<RangeSphere> out);

// Both passes for one box, with up to `per_layer` units of each layer as separate coordinates, so that their errors may
// cancel. `columns`: range_columns * units floats, filled by the call; `symbols`: per_layer * layers * units floats;
// `adjoints`: 2 * units doubles. Costs as much as the other two passes, plus about one value for each such unit.
[[nodiscard]] RangeSphere refine_range(const RangeProgram& program, std::size_t per_layer,
                                       std::span<const float> entered, std::span<float> columns,
                                       std::span<float> symbols, std::span<double> adjoints);

// A linear lower bound of the result over a box, for a program with is_relu: centre - (reach - along) + slopes . e.
// Each unit that bends has a free slope in its lower bound, slope * input <= max(input, 0); these are chosen so that
// the gradient of the bound points along `direction` as far as possible (alpha-CROWN, Xu et al. 2021, with the
// objective of a support function). At a corner of the surface whose normals include the direction, the bound is exact.
// `columns`: of refine_range() for the box; `halves`: half sides of the box, in any unit; `adjoints`: 2 * units
// numbers.
[[nodiscard]] RangeSphere facing_line(const RangeProgram& program, std::span<const float> entered,
                                      std::span<const float> columns, const Vec3& halves, const Vec3& direction,
                                      std::span<double> adjoints);

// ---- In double, for boxes in which the rounding of float would dominate. The bounds contain the exact network and the
// values of exact_value(), but not those of the float kernels. Lines of curved activations are tangents, whose error is
// quadratic in the box. Cost: about twenty times that of the float kernels.

// An encoded coordinate over an interval: centre + slope * e, within +-error, for e in [-1,1].
struct EncodedLine {
    double centre = 0, slope = 0, error = 0;
};
// sin(f x) or cos(f x) over x = middle + half * e. `error`: of the values that kernels compute.
[[nodiscard]] EncodedLine encoded_line(double frequency, double middle, double half, bool cosine, double error);

// Fills `columns`, range_columns * units doubles: base, x, y, z, radius, size, slope, own, rounding, state, lower,
// upper and others. Numbers that overflow are infinite or NaN.
void exact_units(const RangeProgram& program, std::span<const double> entered, std::span<double> columns);
// As facing_line(), for any activations. Without a direction, or if units are not ReLU, the line is as it comes.
[[nodiscard]] RangeSphere exact_line(const RangeProgram& program, std::span<const double> entered,
                                     std::span<const double> columns, const Vec3& halves, const Vec3& direction,
                                     std::span<double> adjoints);
// The result before the last activation, for these encoded numbers. `values`: units doubles. If `adjoints` is not
// empty (units doubles), its first become the derivatives of the result by the encoded numbers.
[[nodiscard]] double exact_value(const RangeProgram& program, std::span<const double> encoded, std::span<double> values,
                                 std::span<double> adjoints);
// Value and derivative of an activation.
struct ActivationValue {
    double value = 0, slope = 0;
};
[[nodiscard]] ActivationValue exact_activation(Activation activation, double k, double x); // k: the parameter

} // namespace fathom
