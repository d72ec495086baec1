// Conversion of boxes to inputs of a network, and of its results to intervals and planes.
#include <fathom/field/neural/network_range.h>

#include <fathom/base/rounding.h>
#include <fathom/field/neural/network.h>

#include <algorithm>
#include <cmath>

namespace fathom {

namespace {

constexpr std::size_t range_symbols_per_layer = 32; // a multiple of four
// Below this ratio the box's own three coordinates dominate and nothing can be gained.
constexpr double worth_going_back = 1.05;
constexpr double worth_refining = 1.25;
constexpr double too_loose = 8; // for callers that compare ranges with numbers other than 0

struct Scratch {
    std::vector<float> entered, storage, lines, columns, symbols;
    std::vector<double> adjoints;
};

Scratch& scratch() {
    thread_local Scratch mine;
    return mine;
}

// Starts at the next cache line: vectors across two lines are slow to read.
std::span<float> aligned(std::span<float> storage) {
    void* start = storage.data();
    std::size_t bytes = storage.size_bytes();
    std::align(range_alignment, 0, start, bytes);
    return {static_cast<float*>(start), bytes / sizeof(float)};
}

template <class T>
std::span<T> grown(std::vector<T>& storage, std::size_t size) {
    if (storage.size() < size) storage.resize(size);
    return {storage.data(), size};
}

// A float that is at least x >= 0 and close to it; cheaper than float_up.
float no_less(double x) { return x > 0 ? static_cast<float>(x * (1 + 0x1p-22) + 1e-36) : 0.0F; }

void put(float* entry, int axis, const EncodedLine& value) {
    const float base = static_cast<float>(value.centre), slope = static_cast<float>(value.slope);
    const double rounding =
        std::abs(static_cast<double>(base) - value.centre) + std::abs(static_cast<double>(slope) - value.slope);
    const float radius = no_less(value.error + rounding);
    const double size =
        std::abs(static_cast<double>(base)) + std::abs(static_cast<double>(slope)) + static_cast<double>(radius);
    entry[0] = base;
    for (int k = 0; k < 3; ++k) entry[1 + k] = k == axis ? slope : 0.0F;
    entry[4] = radius;
    entry[5] = no_less(size);
}

// The argument may be rounded to float.
double encoding_error(double frequency, double middle, double half) {
    return activation_error + 4e-9 + (std::abs(frequency * middle) + frequency * half) * 0x1p-23;
}

// Monotone activations are evaluated at the ends; the error of the kernels is added.
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
    case Activation::none:
        return z;
    case Activation::relu:
        return {std::max(z.lower, 0.0), std::max(z.upper, 0.0)};
    case Activation::elu: {
        Interval r(elu(z.lower).lower, elu(z.upper).upper);
        return with_error(r);
    }
    case Activation::tanh:
        return with_error(tanh(z));
    case Activation::sine: {
        const Interval phase = p * z;
        return with_error(std::max(std::abs(phase.lower), std::abs(phase.upper)) < 0x1p25 ? sin(phase)
                                                                                          : Interval(-1, 1));
    }
    case Activation::softplus:
        return with_error({softplus(z.lower).lower, softplus(z.upper).upper});
    }
    return Interval::all();
}

bool takes_parameter(Activation a) {
    return a == Activation::elu || a == Activation::sine || a == Activation::softplus;
}

bool bounded(const DenseLayer& layer) {
    return !takes_parameter(layer.activation) || (layer.parameter >= min_parameter && layer.parameter <= max_parameter);
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
                      .roundings = 2 * (n + 2) + 2, // of the kernels and of this code, see range_kernels.cpp
                      .activation = layer.activation,
                      .parameter = layer.parameter});
        arriving = {program.layers.back().start, program.layers.back().outputs};
    }
    finish_program(program);
    return program;
}

} // namespace

NetworkRange::NetworkRange(const Network& network) {
    check(network);
    const DenseLayer& last = network.layers.back();
    frame_ = {network.encoding, network.center, network.scale,
              last.activation,  last.parameter, std::all_of(network.layers.begin(), network.layers.end(), bounded)};
    program_ = std::make_shared<const RangeProgram>(pack(network));
    domain_ = network.domain;
    max_slope_ = std::make_shared<MaxSlope>();
}

// A side of the box in the network's units, centre and half length. Kernels compute (p - centre) / scale in double,
// rounded to float: each operation is monotone, so the ends bound their result; the exact number differs by less than
// the slack.
NetworkRange::Side NetworkRange::in_frame(const Box& box, int axis) const {
    const double center = frame_.center[axis], lower = box.lower[axis], upper = box.upper[axis];
    const double low = (lower - center) / frame_.scale, high = (upper - center) / frame_.scale;
    if (!(low > -1e30 && high < 1e30))
        return {0, static_cast<double>(std::numeric_limits<float>::max())}; // the first layer reports it
    const double slack = (std::max(std::abs(lower), std::abs(upper)) + std::abs(center)) / frame_.scale * 0x1p-51;
    const double least = std::min(static_cast<double>(static_cast<float>(low)), low - slack);
    const double most = std::max(static_cast<double>(static_cast<float>(high)), high + slack);
    const double middle = static_cast<double>(static_cast<float>(0.5 * least + 0.5 * most));
    return {middle, static_cast<double>(no_less(std::max(most - middle, middle - least)))};
}

void NetworkRange::enter(const Box& box, float* entered) const {
    for (int axis = 0; axis < 3; ++axis) {
        const auto [middle, half] = in_frame(box, axis);
        float* entry = entered + static_cast<std::size_t>(axis) * range_entry;
        if (frame_.encoding.point_first) {
            put(entry, axis, {middle, half, 0});
            entry += 3 * range_entry;
        }
        for (int k = 0; k < frame_.encoding.frequencies; ++k, entry += 6 * range_entry) {
            const double frequency = std::ldexp(static_cast<double>(frame_.encoding.scale), k);
            const double error = encoding_error(frequency, middle, half);
            put(entry, axis, encoded_line(frequency, middle, half, false, error));
            put(entry + 3 * range_entry, axis, encoded_line(frequency, middle, half, true, error));
        }
    }
}

Interval NetworkRange::leave(const RangeSphere& sphere) const {
    if (!(sphere.reach < infinity) || !frame_.bounded) return Interval::all();
    const Interval z = Interval(sphere.centre) + Interval(-sphere.reach, sphere.reach);
    return activated(z, frame_.last, frame_.parameter) * Interval(frame_.scale);
}

// The result is at least centre + slopes . e - rest, for e = (p - middle) / half of the box; activations that preserve
// the sign preserve the inside. At p beyond the domain the field is its value at the nearest point c of the domain,
// plus |p - c|, where that value is negative: along axes on which the whole box is beyond, |p - c| is at least its part
// along the way to the box's centre; along axes on which a part of it is, c is replaced by p.
PlaneOver NetworkRange::plane_of(const RangeSphere& sphere, const Box& box, const std::array<Side, 3>& sides) const {
    const bool keeps_sign =
        frame_.last == Activation::none || frame_.last == Activation::tanh || frame_.last == Activation::elu;
    if (!(sphere.reach < infinity) || !frame_.bounded || !keeps_sign) return {};
    const Box inside = in_domain(box);
    const Vec3 center = inside.center(), away = box.center() - center;
    Vec3 slope, along = Vec3::Zero(), over = Vec3::Zero();
    double at_center = sphere.centre; // value of the line at the centre of the box in the domain
    for (int axis = 0; axis < 3; ++axis) {
        const auto [middle, half] = sides[static_cast<std::size_t>(axis)];
        slope[axis] = half > 0 ? sphere.slopes[axis] / (half * frame_.scale) : 0;
        at_center += slope[axis] * (center[axis] - frame_.center[axis] - middle * frame_.scale);
        if (inside.lower[axis] == inside.upper[axis] && box.lower[axis] < box.upper[axis])
            along[axis] = away[axis];
        else
            over[axis] = std::max({0.0, inside.lower[axis] - box.lower[axis], box.upper[axis] - inside.upper[axis]});
    }
    double lost = 0; // of the value, where c is replaced
    for (int axis = 0; axis < 3; ++axis)
        if (over[axis] > 0) lost = std::hypot(lost, slope[axis]);
    const double gain = 1 / (frame_.scale * max_slope(frame_.last, frame_.parameter)); // before the last activation
    if (along.isZero()) lost = std::max(0.0, lost - gain);
    if (!along.isZero()) along = gain * along.normalized();
    for (int axis = 0; axis < 3; ++axis)
        if (along[axis] != 0) slope[axis] = along[axis];
    const double steepness = slope.norm(),
                 rounding = relative_rounding *
                            (std::abs(sphere.centre) + sphere.reach + lost * over.norm() + slope.norm() * away.norm());
    if (!(steepness > 0) || !std::isfinite(steepness)) return {};
    const Vec3 normal = slope / steepness;
    return {normal, (sphere.reach - sphere.along - at_center + lost * over.norm() + rounding) / steepness -
                        normal.dot(away) + relative_rounding * away.norm()};
}

PlaneOver NetworkRange::plane_of(const RangeSphere& sphere, const Box& box) const {
    const Box inside = in_domain(box);
    return plane_of(sphere, box, {in_frame(inside, 0), in_frame(inside, 1), in_frame(inside, 2)});
}

Box NetworkRange::in_domain(const Box& box) const { return {domain_.closest(box.lower), domain_.closest(box.upper)}; }

void NetworkRange::ranges(std::span<const Box> boxes, std::span<Interval> out, const RangeOptions& options,
                          std::span<PlaneOver> planes) const {
    for (std::size_t first = 0; first < boxes.size(); first += range_block) {
        const std::size_t count = std::min(range_block, boxes.size() - first);
        ranges_of_block(boxes.subspan(first, count), out.subspan(first, count), options,
                        planes.empty() ? planes : planes.subspan(first, count));
    }
}

void NetworkRange::ranges_of_block(std::span<const Box> boxes, std::span<Interval> out, const RangeOptions& options,
                                   std::span<PlaneOver> planes) const {
    const std::size_t numbers = range_entry * program_->encoded;
    const std::span<float> entered = grown(scratch().entered, range_block * numbers);
    const std::span<float> storage =
        aligned(grown(scratch().storage, range_storage(*program_) + range_alignment / sizeof(float)));
    RangeSphere all[range_block];
    const std::span<RangeSphere> spheres(all, boxes.size());
    for (std::size_t b = 0; b < boxes.size(); ++b) enter(in_domain(boxes[b]), entered.data() + b * numbers);
    run_affine(*program_, entered, storage, spheres);
    std::size_t which[range_block], open = 0;
    for (std::size_t b = 0; b < boxes.size(); ++b) {
        out[b] = boxes[b].empty() ? Interval::none() : leave(spheres[b]);
        const double share = options.every_box ? 1 : out[b].contains(0.0) ? worth_going_back : too_loose;
        if (!out[b].empty() && spheres[b].reach < infinity && spheres[b].reach > share * spheres[b].along)
            which[open++] = b;
    }
    const auto set_planes = [&] {
        for (std::size_t b = 0; b < planes.size(); ++b)
            planes[b] = boxes[b].empty() ? PlaneOver{} : plane_of(spheres[b], boxes[b]);
    };
    if (options.effort == RangeEffort::affine) return set_planes();
    for (std::size_t k = 0; k < open; k += range_open) {
        const std::size_t now = std::min(range_open, open - k);
        run_back(*program_, storage, {which + k, now}, grown(scratch().lines, range_open * 2 * program_->units),
                 grown(scratch().adjoints, range_open * 2 * program_->units), spheres);
    }
    set_planes();
    const bool faces = !planes.empty() && !options.facing.isZero() && program_->is_relu;
    for (std::size_t k = 0; k < open; ++k) {
        const std::size_t b = which[k];
        out[b] = leave(spheres[b]);
        if (faces && out[b].contains(0.0))
            face(boxes[b], entered.subspan(b * numbers, numbers), options.facing, out[b], planes[b]);
        if (options.effort == RangeEffort::backward || !(spheres[b].reach > worth_refining * spheres[b].along))
            continue;
        if (!options.every_box && !out[b].contains(0.0)) continue;
        const std::span<float> columns = grown(scratch().columns, range_columns * program_->units);
        out[b] = intersection(out[b],
                              leave(refined(entered.subspan(b * numbers, numbers), range_symbols_per_layer, columns)));
    }
}

// The plane of a linear lower bound that suits the direction.
void NetworkRange::face(const Box& box, std::span<const float> entered, const Vec3& direction, Interval& range,
                        PlaneOver& plane) const {
    const std::span<float> columns = grown(scratch().columns, range_columns * program_->units);
    if (!(refined(entered, 0, columns).reach < infinity)) return;
    Vec3 halves;
    const Box inside = in_domain(box);
    for (int axis = 0; axis < 3; ++axis) halves[axis] = in_frame(inside, axis).half;
    if (!(halves.minCoeff() > 0)) return;
    const RangeSphere line =
        facing_line(*program_, entered, columns, halves, direction, grown(scratch().adjoints, 2 * program_->units));
    range.lower = std::max(range.lower, leave(line).lower);
    if (const PlaneOver found = plane_of(line, box); found.normal.dot(direction) > 0.5) plane = found;
}

RangeSphere NetworkRange::refined(std::span<const float> entered, std::size_t symbols, std::span<float> columns) const {
    const std::size_t units = program_->units;
    return refine_range(*program_, symbols, entered, columns,
                        grown(scratch().symbols, symbols * program_->layers.size() * units),
                        grown(scratch().adjoints, 2 * units));
}

} // namespace fathom
