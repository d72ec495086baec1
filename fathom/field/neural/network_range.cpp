// Room: field. Boxes into a network and intervals out of it; and the network cut down to what it does inside a box.
#include <fathom/field/neural/network_range.h>

#include <fathom/field/neural/activation_error.h>

#include <algorithm>
#include <cmath>

namespace fathom {

namespace {

constexpr std::size_t symbols_per_layer = 32; // a multiple of four
constexpr double worth_refining = 1.25;       // the box's own three coordinates make up the rest: nothing to gain below
constexpr double infinity = std::numeric_limits<double>::infinity();

struct Scratch {
    std::vector<float> columns;
    std::vector<double> adjoints;
    std::vector<float> symbols;
};

Scratch& scratch() {
    thread_local Scratch mine;
    return mine;
}

template <class T> std::span<T> grown(std::vector<T>& storage, std::size_t size) {
    if (storage.size() < size) storage.resize(size);
    return {storage.data(), size};
}

// An encoded coordinate over an interval: centre + slope * e, give or take error, for e in [-1,1].
struct Encoded {
    double centre = 0, slope = 0, error = 0;
};

float* column(float* columns, RangeColumn which, std::size_t units) { return columns + static_cast<std::size_t>(which) * units; }

void put(float* columns, std::size_t units, std::size_t unit, int axis, const Encoded& value) {
    using C = RangeColumn;
    constexpr C axes[] = {C::x, C::y, C::z};
    const float base = static_cast<float>(value.centre), slope = static_cast<float>(value.slope);
    const double rounding = std::abs(static_cast<double>(base) - value.centre) + std::abs(static_cast<double>(slope) - value.slope);
    const float error = float_up((value.error + rounding) * (1 + 1e-9));
    for (std::size_t c = 0; c < range_columns; ++c) columns[c * units + unit] = 0;
    column(columns, C::base, units)[unit] = base;
    column(columns, axes[axis], units)[unit] = slope;
    column(columns, C::radius, units)[unit] = error;
    column(columns, C::own, units)[unit] = error;
    const double size = std::abs(static_cast<double>(base)) + std::abs(static_cast<double>(slope)) + static_cast<double>(error);
    column(columns, C::size, units)[unit] = float_up(size);
}

// sin(f x) or cos(f x) over x = middle + half * e; the terms are explained at line_of_sine in range_kernels.cpp.
Encoded encode(double frequency, double middle, double half, bool cosine) {
    const double m = frequency * middle, h = frequency * half * (1 + 1e-12) + std::abs(m) * 1e-15 + 1e-30;
    const double kernels = activation_error + 4e-9 + (std::abs(m) + h) * 0x1p-23; // the argument may be rounded to float
    if (!(h < 3.14) || !(std::abs(m) < 0x1p25)) return {0, 0, 1 + activation_error};
    const double along = cosine ? std::cos(m) : std::sin(m), across = cosine ? -std::sin(m) : std::cos(m);
    const double s = std::sin(h) / h, drop = 0.5 * (1 - std::cos(h));
    const double bulge = h < 0.1 ? h * h * h * (0.06416 + h * h / 119) : std::sqrt(std::max(1 - s * s, 0.0)) - s * std::acos(std::min(s, 1.0)) + 1e-9;
    const double error = std::abs(along) * drop + std::abs(across) * bulge + kernels;
    if (error >= 1) return {0, 0, 1 + activation_error};
    return {along * (1 - drop), across * s * h, error + 1e-14};
}

// Monotone activations take the ends; what kernels may add is added.
Interval activated(const Interval& z, Activation activation, float parameter) {
    const auto with_error = [](const Interval& r) {
        const double size = std::max({1.0, std::abs(r.lower), std::abs(r.upper)});
        return r + Interval(-activation_error * size, activation_error * size);
    };
    const Interval p(static_cast<double>(parameter));
    const auto elu = [&](double x) { return x > 0 ? Interval(x) : p * (exp(Interval(x)) - 1.0); };
    const auto softplus = [&](double x) {
        const double phase = -std::abs(static_cast<double>(parameter) * x);
        return Interval(std::max(x, 0.0)) + widened(log(exp(widened(Interval(phase), 2)) + 1.0) / p, 2);
    };
    switch (activation) {
    case Activation::none: return z;
    case Activation::relu: return {std::max(z.lower, 0.0), std::max(z.upper, 0.0)};
    case Activation::elu: {
        Interval r(elu(z.lower).lower, elu(z.upper).upper);
        return with_error(r);
    }
    case Activation::tanh: return with_error(tanh(z));
    case Activation::sine: {
        const Interval phase = p * z;
        return with_error(std::max(std::abs(phase.lower), std::abs(phase.upper)) < 0x1p25 ? sin(phase) : Interval(-1, 1));
    }
    case Activation::softplus: return with_error({softplus(z.lower).lower, softplus(z.upper).upper});
    }
    return Interval::all();
}

bool takes_parameter(Activation a) { return a == Activation::elu || a == Activation::sine || a == Activation::softplus; }

bool bounded(const DenseLayer& layer) {
    return !takes_parameter(layer.activation) || (layer.parameter >= least_parameter && layer.parameter <= largest_parameter);
}

RangeProgram pack(const Network& network) {
    RangeProgram program;
    const std::size_t encoded = static_cast<std::size_t>(network.encoding.outputs());
    start_program(program, encoded);
    UnitSpan arriving{0, encoded};
    for (const DenseLayer& layer : network.layers) {
        const UnitSpan inputs[] = {arriving, {0, encoded}};
        const double n = layer.inputs;
        append_layer(program, {inputs, layer.skip_input ? 2U : 1U},
               {.outputs = static_cast<std::size_t>(layer.outputs),
                .weights = layer.weights,
                .biases = layer.biases,
                .errors = {},
                .roundings = 2 * (n + 2) + 2, // the kernels' and our own, see range_kernels.cpp
                .activation = layer.activation,
                .parameter = layer.parameter});
        arriving = {program.layers.back().start, program.layers.back().outputs};
    }
    finish_program(program);
    return program;
}

} // namespace

NetworkPart::NetworkPart(const Network& network) {
    check(network);
    const DenseLayer& last = network.layers.back();
    frame_ = {network.encoding, network.center, network.scale, last.activation, last.parameter,
              std::all_of(network.layers.begin(), network.layers.end(), bounded)};
    program_ = std::make_shared<const RangeProgram>(pack(network));
}

void NetworkPart::enter(const Box& box, float* columns) const {
    const std::size_t units = program_->units;
    for (std::size_t c = 0; c < range_columns; ++c) std::fill_n(columns + c * units, in_tiles(program_->encoded), 0.0F);
    for (int axis = 0; axis < 3; ++axis) {
        const Interval x = (Interval(box.lower[axis], box.upper[axis]) - frame_.center[axis]) / frame_.scale;
        const double low = static_cast<double>(float_down(x.lower)), high = static_cast<double>(float_up(x.upper));
        const bool finite = low > -1e30 && high < 1e30; // otherwise the first layer reports that it overflows
        const double middle = finite ? static_cast<double>(static_cast<float>(0.5 * low + 0.5 * high)) : 0;
        const double half = static_cast<double>(finite ? float_up(std::max(high - middle, middle - low)) : std::numeric_limits<float>::max());
        std::size_t unit = static_cast<std::size_t>(axis);
        if (frame_.encoding.point_first) {
            put(columns, units, unit, axis, {middle, half, 0});
            unit += 3;
        }
        for (int k = 0; k < frame_.encoding.frequencies; ++k, unit += 6) {
            const double frequency = std::ldexp(static_cast<double>(frame_.encoding.scale), k);
            put(columns, units, unit, axis, encode(frequency, middle, half, false));
            put(columns, units, unit + 3, axis, encode(frequency, middle, half, true));
        }
    }
}

Interval NetworkPart::leave(const RangeBall& ball) const {
    if (!(ball.reach < infinity) || !frame_.bounded) return Interval::all();
    const Interval z = Interval(ball.centre) + Interval(-ball.reach, ball.reach);
    return activated(z, frame_.last, frame_.parameter) * Interval(frame_.scale);
}

void NetworkPart::ranges(std::span<const Box> boxes, std::span<Interval> out, const RangeOptions& options) const {
    const std::size_t units = program_->units;
    const std::span<float> columns = grown(scratch().columns, range_block * range_columns * units);
    const std::span<double> adjoints = grown(scratch().adjoints, range_block * 2 * units);
    RangeBall balls[range_block];
    for (std::size_t first = 0; first < boxes.size(); first += range_block) {
        const std::size_t count = std::min(range_block, boxes.size() - first);
        for (std::size_t b = 0; b < count; ++b) enter(boxes[first + b], columns.data() + b * range_columns * units);
        run_range_program(*program_, columns, adjoints, {balls, count});
        for (std::size_t b = 0; b < count; ++b) {
            Interval& range = out[first + b];
            range = boxes[first + b].empty() ? Interval::none() : leave(balls[b]);
            const bool open = range.contains(0.0) && balls[b].reach < infinity;
            if (options.refine && open && balls[b].reach > worth_refining * balls[b].along)
                range = intersection(range, leave(refined(columns.subspan(b * range_columns * units, range_columns * units))));
        }
    }
}

RangeBall NetworkPart::refined(std::span<float> columns) const {
    const std::size_t units = program_->units;
    const std::span<float> symbols = grown(scratch().symbols, symbols_per_layer * program_->layers.size() * units);
    return refine_range(*program_, symbols_per_layer, columns, symbols, grown(scratch().adjoints, 2 * units));
}

Interval NetworkPart::shorten(const Box& box, NetworkPart& part) const {
    Interval range;
    ranges({&box, 1}, {&range, 1});
    part.frame_ = frame_;
    part.program_.reset();
    if (!part.storage_ || part.storage_.use_count() > 1) part.storage_ = std::make_shared<RangeProgram>();
    const bool smaller = !range.empty() && range != Interval::all() && fold_decided_units(*program_, scratch().columns, *part.storage_);
    part.program_ = smaller ? std::shared_ptr<const RangeProgram>(part.storage_) : program_;
    return range;
}

} // namespace fathom
