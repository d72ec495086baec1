// Packing of layers for the range kernels, with the factors that bound their rounding.
#include <fathom/field/neural/range_program.h>

#include <fathom/base/interval.h>

#include <algorithm>
#include <cmath>

namespace fathom {

namespace {

constexpr double half_ulp = 0x1p-24;    // unit roundoff of float
constexpr double min_normal = 0x1p-126; // kernels may flush smaller numbers to 0
constexpr double few_units = 1.0001;    // covers the rounding of the factors and of their products in float

void pack_weights(RangeProgram& program, const RangeLayer& layer, std::span<const float> weights) {
    const std::size_t inputs = layer.inputs, row = program.padded_inputs(layer);
    program.by_input.resize(layer.by_input + in_tiles(layer.outputs) * inputs, 0.0F);
    program.by_output.resize(layer.by_output + layer.outputs * row, 0.0F);
    for (std::size_t o = 0; o < layer.outputs; ++o) {
        float* const by_input =
            program.by_input.data() + layer.by_input + o / range_tile * range_tile * inputs + o % range_tile;
        for (std::size_t i = 0; i < inputs; ++i) by_input[i * range_tile] = weights[o * inputs + i];
        float* by_output = program.by_output.data() + layer.by_output + o * row;
        const float* from = weights.data() + o * inputs;
        for (const UnitSpan& span : program.inputs(layer)) {
            std::copy_n(from, span.count, by_output);
            from += span.count, by_output += in_tiles(span.count);
        }
    }
}

// range_kernels.cpp explains these bounds.
void pack_errors(RangeProgram& program, RangeLayer& layer, const LayerRows& rows) {
    const double terms = rows.roundings * half_ulp, gamma = terms / (1 - terms) * few_units;
    for (std::size_t o = 0; o < layer.outputs; ++o) {
        double sum = 0, squares = 0;
        for (const float w : rows.weights.subspan(o * layer.inputs, layer.inputs)) {
            sum += std::abs(static_cast<double>(w));
            squares += static_cast<double>(w) * static_cast<double>(w);
        }
        const double norm = std::sqrt(squares) * few_units;
        const double bias = std::abs(static_cast<double>(rows.biases[o]));
        const std::size_t unit = layer.start + o;
        program.biases[unit] = rows.biases[o];
        program.share[unit] = float_up(gamma * norm * few_units);
        program.fixed[unit] = float_up((gamma * bias + 8 * min_normal * sum + 1e-28) * few_units);
        layer.largest_sum = std::max(layer.largest_sum, sum * few_units);
        layer.largest_norm = std::max(layer.largest_norm, norm * few_units);
        layer.largest_bias = std::max(layer.largest_bias, bias + static_cast<double>(program.fixed[unit]));
    }
}

} // namespace

std::size_t RangeProgram::padded_inputs(const RangeLayer& layer) const {
    std::size_t count = 0;
    for (const UnitSpan& span : inputs(layer)) count += in_tiles(span.count);
    return count;
}

std::size_t RangeProgram::multiplications() const {
    std::size_t count = 0;
    for (const RangeLayer& layer : layers) count += layer.outputs * layer.inputs;
    return count;
}

double max_slope(Activation activation, float parameter) {
    if (activation == Activation::elu) return std::max(1.0, static_cast<double>(parameter));
    return activation == Activation::sine ? static_cast<double>(parameter) : 1;
}

void start_program(RangeProgram& program, std::size_t encoded) {
    program.encoded = encoded;
    program.units = in_tiles(encoded);
    program.layers.clear();
    program.spans.clear();
    program.by_input.clear();
    program.by_output.clear();
    for (auto* each : {&program.biases, &program.share, &program.fixed}) each->assign(program.units, 0.0F);
}

void append_layer(RangeProgram& program, std::span<const UnitSpan> inputs, const LayerRows& rows) {
    RangeLayer layer;
    layer.first_span = program.spans.size();
    layer.span_count = inputs.size();
    program.spans.insert(program.spans.end(), inputs.begin(), inputs.end());
    for (const UnitSpan& span : inputs) layer.inputs += span.count;
    layer.start = program.units;
    layer.outputs = rows.outputs;
    layer.activation = rows.activation;
    layer.parameter = rows.parameter;
    layer.by_input = program.by_input.size();
    layer.by_output = program.by_output.size();
    program.units += in_tiles(rows.outputs);
    for (auto* each : {&program.biases, &program.share, &program.fixed}) each->resize(program.units, 0.0F);
    pack_weights(program, layer, rows.weights);
    pack_errors(program, layer, rows);
    program.layers.push_back(layer);
}

// The derivative of the result by a unit is a sum over paths of products of weights and slopes. The error of its
// computed value is at most gamma of the roundings on a path times the same sum of magnitudes.
void finish_program(RangeProgram& program) {
    std::vector<double>& size = program.adjoint_slack;
    size.assign(program.units, 0.0);
    size[program.layers.back().start] = 1;
    double roundings = 0;
    program.is_relu = std::all_of(program.layers.begin(), program.layers.end() - 1,
                                  [](const RangeLayer& layer) { return layer.activation == Activation::relu; });
    for (std::size_t k = program.layers.size(); k-- > 0;) {
        const RangeLayer& layer = program.layers[k];
        const double slope = k + 1 == program.layers.size() ? 1 : max_slope(layer.activation, layer.parameter) * 1.001;
        const float* weights = program.by_output.data() + layer.by_output;
        roundings += static_cast<double>(layer.outputs) + 4;
        for (std::size_t o = 0; o < layer.outputs; ++o)
            for (const UnitSpan& span : program.inputs(layer)) {
                const double passed_on = slope * size[layer.start + o];
                for (std::size_t i = 0; i < span.count; ++i)
                    size[span.start + i] += passed_on * std::abs(static_cast<double>(weights[i]));
                weights += in_tiles(span.count);
            }
    }
    for (double& s : size) s *= 1.1 * roundings * 0x1p-53;
}

} // namespace fathom
