// Affine arithmetic and values of a network in double.
#include <fathom/field/neural/range_program.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace fathom {

namespace {

constexpr double few_roundings = 0x1p-49; // 16 roundings of a double

// On the interval of inputs the activation is slope * input + offset, within +-error.
struct ExactLine {
    double slope = 1, offset = 0, error = 0;
    float state = unit_is_linear;
};

// The line midway between the chord through both ends and its parallel through 0.
ExactLine exact_relu(double lower, double upper) {
    if (lower >= 0) return {};
    if (upper <= 0) return {0, 0, 0, unit_is_off};
    const double slope = upper / (upper - lower), half = -0.5 * slope * lower;
    return {slope, half, half + few_roundings * std::max(upper, -lower), unit_bends};
}

// Bound on the second derivative over an interval; of elu, as continued by its tangent at 0.
double largest_bend(Activation activation, double k, double lower, double upper) {
    switch (activation) {
    case Activation::elu:
        return k * std::exp(std::min(upper, 0.0)) * (1 + few_roundings);
    case Activation::tanh:
        return 0.7699; // 4 / (3 sqrt 3)
    case Activation::sine: {
        const double at_middle = std::abs(std::sin(k * 0.5 * (lower + upper)));
        return k * k * std::min(1.0, at_middle + 0.5 * k * (upper - lower) + few_roundings * (1 + k * std::abs(upper)));
    }
    default:
        return 0.25 * k; // softplus
    }
}

// The tangent in the middle, with the error of Taylor's formula. An elu whose slope jumps at 0 is the sum of one whose
// slope does not and of a share of a relu.
ExactLine exact_curve(Activation activation, double parameter, double lower, double upper) {
    if (activation == Activation::elu && lower >= 0) return {};
    const double middle = 0.5 * (lower + upper), half = 0.5 * (upper - lower) * (1 + few_roundings);
    ActivationValue at = exact_activation(activation, parameter, middle);
    ExactLine jump{0, 0, 0};
    if (activation == Activation::elu && upper > 0) {
        if (middle > 0) at = {parameter * middle, parameter};
        const ExactLine ramp = exact_relu(lower, upper);
        jump = {(1 - parameter) * ramp.slope, (1 - parameter) * ramp.offset, std::abs(1 - parameter) * ramp.error};
    }
    // The last term bounds the errors of the functions; a sine also has that of its argument.
    const double rounding =
        few_roundings * (1 + std::abs(at.value) + (1 + std::abs(at.slope)) * (std::abs(middle) + half) + parameter +
                         (activation == Activation::softplus ? 1 / parameter : 0.0) +
                         (activation == Activation::sine ? parameter * (std::abs(middle) + half) : 0.0));
    return {at.slope + jump.slope, at.value - at.slope * middle + jump.offset,
            0.5 * largest_bend(activation, parameter, lower, upper) * half * half + jump.error + rounding,
            unit_is_curved};
}

ExactLine exact_line_of(const RangeLayer& layer, bool last, double lower, double upper) {
    if (last || layer.activation == Activation::none) return {};
    if (layer.activation == Activation::relu) return exact_relu(lower, upper);
    return exact_curve(layer.activation, static_cast<double>(layer.parameter), lower, upper);
}

// The sum of a unit: base, x, y, z, radius, and the sum of the magnitudes of all terms.
using ExactSum = std::array<double, 6>;

ExactSum exact_sum(const RangeProgram& program, const RangeLayer& layer, const float* weight, double bias,
                   std::span<const double> columns) {
    const std::size_t units = program.units;
    ExactSum sum{bias, 0, 0, 0, 0, std::abs(bias)};
    for (const UnitSpan& span : program.inputs(layer)) {
        const double* const in = columns.data() + span.start;
        for (std::size_t i = 0; i < span.count; ++i) {
            const double w = static_cast<double>(weight[i]), size = std::abs(w);
            sum[0] += w * in[i];
            sum[1] += w * in[units + i];
            sum[2] += w * in[2 * units + i];
            sum[3] += w * in[3 * units + i];
            sum[4] += size * in[4 * units + i];
            sum[5] += size * in[5 * units + i]; // RangeColumn::size
        }
        weight += in_tiles(span.count);
    }
    return sum;
}

} // namespace

ActivationValue exact_activation(Activation activation, double k, double x) {
    switch (activation) {
    case Activation::none:
        return {x, 1};
    case Activation::relu:
        return {std::max(x, 0.0), x > 0 ? 1.0 : 0.0};
    case Activation::elu:
        return x > 0 ? ActivationValue{x, 1} : ActivationValue{k * std::expm1(x), k * std::exp(x)};
    case Activation::tanh: {
        const double y = std::tanh(x);
        return {y, (1 - y) * (1 + y)};
    }
    case Activation::sine:
        return {std::sin(k * x), k * std::cos(k * x)};
    case Activation::softplus:
        break;
    }
    const double e = std::exp(-std::abs(k * x));
    return {std::max(x, 0.0) + std::log1p(e) / k, x > 0 ? 1 / (1 + e) : e / (1 + e)};
}

// The terms are explained at line_of_sine in activation_lines-inl.h.
EncodedLine encoded_line(double frequency, double middle, double half, bool cosine, double error_of_kernels) {
    const double m = frequency * middle, h = frequency * half * (1 + 1e-12) + std::abs(m) * 1e-15 + 1e-30;
    if (!(h < 3.14) || !(std::abs(m) < 0x1p25)) return {0, 0, 1 + activation_error};
    const double along = cosine ? std::cos(m) : std::sin(m), across = cosine ? -std::sin(m) : std::cos(m);
    const double s = std::sin(h) / h, drop = 0.5 * (1 - std::cos(h));
    const double bulge = h < 0.1 ? h * h * h * (0.06416 + h * h / 119)
                                 : std::sqrt(std::max(1 - s * s, 0.0)) - s * std::acos(std::min(s, 1.0)) + 1e-9;
    const double error = std::abs(along) * drop + std::abs(across) * bulge + error_of_kernels;
    if (error >= 1) return {0, 0, 1 + activation_error};
    return {along * (1 - drop), across * s * h, error + 1e-14};
}

// A sum of n terms has n + 1 roundings here and in exact_value(), relative to the sum of the terms' magnitudes.
void exact_units(const RangeProgram& program, std::span<const double> entered, std::span<double> columns) {
    using C = RangeColumn;
    const auto at = [&](C column, std::size_t u) -> double& {
        return columns[static_cast<std::size_t>(column) * program.units + u];
    };
    std::fill(columns.begin(), columns.end(), 0.0);
    for (std::size_t u = 0; u < program.encoded; ++u)
        for (std::size_t k = 0; k < range_entry; ++k)
            columns[k * program.units + u] = entered[u * range_entry + k]; // base to size
    for (const RangeLayer& layer : program.layers) {
        const bool last = &layer == &program.layers.back();
        const float* weights = program.by_output.data() + layer.by_output;
        for (std::size_t u = layer.start; u < layer.start + layer.outputs; ++u) {
            const ExactSum sum = exact_sum(program, layer, weights, static_cast<double>(program.biases[u]), columns);
            weights += program.padded_inputs(layer);
            const double rounding = (4 * static_cast<double>(layer.inputs) + 16) * 0x1p-53 * sum[5] + 1e-290,
                         radius = sum[4] * (1 + 1e-12) + rounding,
                         half = (std::abs(sum[1]) + std::abs(sum[2]) + std::abs(sum[3]) + radius) * (1 + 1e-14),
                         size = std::abs(sum[0]) + half, slack = few_roundings * size;
            const ExactLine line = exact_line_of(layer, last, sum[0] - half - slack, sum[0] + half + slack);
            const double largest = std::abs(line.slope) * size + std::abs(line.offset) + line.error,
                         error = line.error + few_roundings * largest;
            at(C::base, u) = line.slope * sum[0] + line.offset;
            at(C::x, u) = line.slope * sum[1], at(C::y, u) = line.slope * sum[2], at(C::z, u) = line.slope * sum[3];
            at(C::radius, u) = std::abs(line.slope) * radius + error;
            at(C::size, u) = largest * (1 + few_roundings);
            at(C::slope, u) = line.slope, at(C::others, u) = line.offset;
            at(C::own, u) = error, at(C::rounding, u) = rounding;
            at(C::state, u) = static_cast<double>(line.state);
            at(C::lower, u) = sum[0] - half - slack, at(C::upper, u) = sum[0] + half + slack;
        }
    }
}

double exact_value(const RangeProgram& program, std::span<const double> encoded, std::span<double> values,
                   std::span<double> adjoints) {
    std::copy(encoded.begin(), encoded.end(), values.begin());
    const auto activation = [&](const RangeLayer& layer) {
        return &layer == &program.layers.back() ? Activation::none : layer.activation;
    };
    std::fill(adjoints.begin(), adjoints.end(), 0.0);
    for (const RangeLayer& layer : program.layers) {
        const float* weight = program.by_output.data() + layer.by_output;
        for (std::size_t u = layer.start; u < layer.start + layer.outputs; ++u) {
            double sum = static_cast<double>(program.biases[u]);
            for (const UnitSpan& span : program.inputs(layer)) {
                for (std::size_t i = 0; i < span.count; ++i)
                    sum += static_cast<double>(weight[i]) * values[span.start + i];
                weight += in_tiles(span.count);
            }
            const ActivationValue out = exact_activation(activation(layer), static_cast<double>(layer.parameter), sum);
            values[u] = out.value;
            if (!adjoints.empty()) adjoints[u] = out.slope; // until the derivative is known
        }
    }
    const std::size_t result = program.layers.back().start;
    if (adjoints.empty()) return values[result];
    // Backward: slopes are replaced by derivatives, layer by layer; `values` is free once the result is known.
    const double found = values[result];
    std::fill(values.begin(), values.end(), 0.0);
    values[result] = 1;
    for (std::size_t k = program.layers.size(); k-- > 0;) {
        const RangeLayer& layer = program.layers[k];
        const float* weight = program.by_output.data() + layer.by_output;
        for (std::size_t u = layer.start; u < layer.start + layer.outputs; ++u) {
            const double passed_on = values[u] * adjoints[u];
            for (const UnitSpan& span : program.inputs(layer)) {
                for (std::size_t i = 0; i < span.count; ++i)
                    values[span.start + i] += passed_on * static_cast<double>(weight[i]);
                weight += in_tiles(span.count);
            }
        }
    }
    std::copy(values.begin(), values.end(), adjoints.begin());
    return found;
}

} // namespace fathom
