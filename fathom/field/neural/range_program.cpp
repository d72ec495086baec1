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
        program.fixed[unit] = float_up(
            (gamma * bias + 8 * min_normal * sum + 1e-28 + (rows.errors.empty() ? 0 : rows.errors[o])) * few_units);
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

// Restriction of a network to a box: units that are off are dropped, and linear ones are folded into the units that
// follow. The sum of a kept unit becomes a sum over the encoded point and the kept units before it, with its
// derivatives by them as weights, which a backward pass through the folded units computes. The rounding error of a
// folded unit is propagated by the same derivatives.

namespace {

// Because of the tile size small reductions save nothing: folding must reduce the work to this share.
constexpr double worthwhile = 0.6;

struct FoldScratch {
    std::vector<unsigned char> kept, kept_unfolded;
    std::vector<float> slopes, errors, rows, weights, biases;
    std::vector<double> adjoints, sums, layer_errors;
    std::vector<UnitSpan> groups, spans; // of the new units: the encoded point, then layer by layer
    std::vector<std::size_t> targets, places, first_of_span;
};

FoldScratch& fold_scratch() {
    thread_local FoldScratch mine;
    return mine;
}

class Folding {
public:
    Folding(const RangeProgram& program, std::span<const float> columns, FoldScratch& fold_scratch)
        : from_(program), columns_(columns), own_(fold_scratch) {}

    // Decides whether linear units are folded or kept, whichever leaves less work; returns false if neither saves
    // enough.
    bool choose() {
        mark(own_.kept, true);
        mark(own_.kept_unfolded, false);
        double now = 0;
        for (const RangeLayer& layer : from_.layers) now += static_cast<double>(in_tiles(layer.outputs) * layer.inputs);
        const double folded = work(own_.kept, true), unfolded = work(own_.kept_unfolded, false);
        folds_ = folded <= unfolded;
        if (!folds_) own_.kept.swap(own_.kept_unfolded);
        return std::min(folded, unfolded) < worthwhile * now;
    }

    void run(RangeProgram& out) {
        prepare();
        start_program(out, from_.encoded);
        own_.places.clear();
        own_.groups.assign(1, {0, from_.encoded});
        for (std::size_t u = 0; u < from_.encoded; ++u) own_.places.push_back(u);
        for (std::size_t k = 0; k < from_.layers.size(); ++k) fold_layer(k, out);
        finish_program(out);
    }

private:
    [[nodiscard]] float value(RangeColumn c, std::size_t unit) const {
        return columns_[static_cast<std::size_t>(c) * from_.units + unit];
    }
    [[nodiscard]] bool linear(std::size_t unit) const { return value(RangeColumn::state, unit) == unit_is_linear; }

    void mark(std::vector<unsigned char>& kept, bool folded) const {
        kept.assign(from_.units, 0);
        std::fill_n(kept.begin(), from_.encoded, static_cast<unsigned char>(1));
        for (const RangeLayer& layer : from_.layers)
            for (std::size_t u = layer.start; u < layer.start + layer.outputs; ++u)
                kept[u] = value(RangeColumn::state, u) == unit_bends || (linear(u) && !folded);
        kept[from_.layers.back().start] = 1;
    }

    // Tiles times inputs: a folded layer takes all kept units before it as inputs.
    [[nodiscard]] double work(const std::vector<unsigned char>& kept, bool folded) const {
        const auto staying = [&](const UnitSpan& span) {
            const auto first = kept.begin() + static_cast<std::ptrdiff_t>(span.start);
            return static_cast<std::size_t>(std::count(first, first + static_cast<std::ptrdiff_t>(span.count), 1));
        };
        std::size_t total = 0, before = from_.encoded;
        for (const RangeLayer& layer : from_.layers) {
            std::size_t inputs = 0;
            for (const UnitSpan& span : from_.inputs(layer)) inputs += staying(span);
            const std::size_t outputs = staying({layer.start, layer.outputs});
            total += in_tiles(outputs) * (folded ? before : inputs);
            before += outputs;
        }
        return static_cast<double>(total);
    }

    // Slopes and errors of the folded units; the largest magnitude of any unit, for the rounding of the new weights.
    void prepare() {
        using C = RangeColumn;
        own_.slopes.assign(from_.units, 0.0F);
        own_.errors.assign(from_.units, 0.0F);
        for (const RangeLayer& layer : from_.layers)
            for (std::size_t u = layer.start; u < layer.start + layer.outputs; ++u)
                if (!own_.kept[u] && linear(u)) own_.slopes[u] = 1, own_.errors[u] = value(C::own, u);
        for (std::size_t u = 0; u < from_.units; ++u) {
            double size = std::abs(static_cast<double>(from_.biases[u]));
            for (const C c : {C::base, C::x, C::y, C::z, C::radius, C::others})
                size += std::abs(static_cast<double>(value(c, u)));
            largest_ = std::max(largest_, size);
        }
    }

    void fold_layer(std::size_t k, RangeProgram& out) {
        const RangeLayer& layer = from_.layers[k];
        paths_ *= std::max(1.0, layer.largest_sum);
        roundings_ += static_cast<double>(layer.outputs + layer.inputs) + 8;
        own_.targets.clear();
        for (std::size_t u = layer.start; u < layer.start + layer.outputs; ++u)
            if (own_.kept[u]) own_.targets.push_back(u);
        if (own_.targets.empty()) return;
        own_.rows.clear(), own_.biases.clear(), own_.layer_errors.clear();
        for (std::size_t first = 0; first < own_.targets.size(); first += range_open)
            add_rows(k, std::span(own_.targets).subspan(first, std::min(range_open, own_.targets.size() - first)));
        drop_unused_groups();
        append_layer(out, own_.spans,
                     {.outputs = own_.targets.size(),
                      .weights = own_.weights,
                      .biases = own_.biases,
                      .errors = own_.layer_errors,
                      .roundings = static_cast<double>(own_.places.size()) +
                                   6, // of our own sums, and of the weights when rounded to float
                      .activation = layer.activation,
                      .parameter = layer.parameter});
        own_.groups.push_back({out.layers.back().start, own_.targets.size()});
        own_.places.insert(own_.places.end(), own_.targets.begin(), own_.targets.end());
    }

    // Copies the columns of `rows` for all groups that any row uses.
    void drop_unused_groups() {
        const std::size_t row = own_.places.size(), outputs = own_.targets.size();
        std::size_t first = 0;
        own_.spans.clear(), own_.first_of_span.clear();
        for (const UnitSpan& group : own_.groups) {
            bool any = false;
            for (std::size_t o = 0; o < outputs && !any; ++o)
                any = std::any_of(&own_.rows[o * row + first], &own_.rows[o * row + first] + group.count,
                                  [](float w) { return w != 0; });
            if (any) own_.spans.push_back(group), own_.first_of_span.push_back(first);
            first += group.count;
        }
        own_.weights.clear();
        for (std::size_t o = 0; o < outputs; ++o)
            for (std::size_t s = 0; s < own_.spans.size(); ++s) {
                const float* const from = own_.rows.data() + o * row + own_.first_of_span[s];
                own_.weights.insert(own_.weights.end(), from, from + own_.spans[s].count);
            }
    }

    void add_rows(std::size_t k, std::span<const std::size_t> targets) {
        const RangeLayer& layer = from_.layers[k];
        own_.adjoints.assign(targets.size() * 2 * from_.units, 0.0);
        own_.sums.assign(targets.size(), 0.0);
        for (std::size_t t = 0; t < targets.size(); ++t)
            start_row(layer, targets[t], own_.adjoints.data() + t * 2 * from_.units);
        if (folds_) run_adjoints(from_, k, own_.slopes.data(), own_.errors.data(), own_.adjoints, own_.sums);
        for (std::size_t t = 0; t < targets.size(); ++t)
            add_row(targets[t], own_.adjoints.data() + t * 2 * from_.units, own_.sums[t]);
    }

    void start_row(const RangeLayer& layer, std::size_t unit, double* slopes) const {
        const float* weights =
            from_.by_output.data() + layer.by_output + (unit - layer.start) * from_.padded_inputs(layer);
        for (const UnitSpan& span : from_.inputs(layer)) {
            for (std::size_t i = 0; i < span.count; ++i) slopes[span.start + i] += static_cast<double>(weights[i]);
            weights += in_tiles(span.count);
        }
    }

    // The error of the computed derivatives is at most gamma times the sum of magnitudes along all paths, which the
    // product of the largest sums of the layers bounds; the same holds for the new bias and the errors left behind.
    void add_row(std::size_t unit, const double* slopes, double left_behind) {
        double bias = static_cast<double>(from_.biases[unit]);
        for (std::size_t u = 0; u < from_.units; ++u)
            if (own_.slopes[u] != 0) bias += slopes[u] * static_cast<double>(from_.biases[u]);
        for (const std::size_t place : own_.places) own_.rows.push_back(static_cast<float>(slopes[place]));
        own_.biases.push_back(static_cast<float>(bias));
        const double inexact =
            folds_ ? paths_ * largest_ * roundings_ * static_cast<double>(from_.layers.size() + 2) * 0x1p-52 : 0;
        const double rounded = std::abs(static_cast<double>(own_.biases.back()) - bias);
        const double own = static_cast<double>(value(RangeColumn::rounding, unit));
        own_.layer_errors.push_back((left_behind + own + rounded + inexact) * (1 + 1e-6));
    }

    const RangeProgram& from_;
    std::span<const float> columns_;
    FoldScratch& own_;
    bool folds_ = true;
    double largest_ = 0, paths_ = 1, roundings_ = 0;
};

} // namespace

bool fold_decided_units(const RangeProgram& program, std::span<const float> columns, RangeProgram& out) {
    Folding folding(program, columns, fold_scratch());
    if (!folding.choose()) return false;
    folding.run(out);
    return true;
}

} // namespace fathom
