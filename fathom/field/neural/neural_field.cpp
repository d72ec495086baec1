// A trained network as a field.
#include <fathom/field/neural/neural_field.h>

#include <fathom/base/parallel.h>
#include <fathom/base/random.h>
#include <fathom/field/field.h>
#include <fathom/field/neural/exact_neural_field.h>
#include <fathom/field/neural/network_bounds.h>
#include <fathom/field/neural/network_range.h>
#include <fathom/field/neural/network_values.h>
#include <fathom/field/plane_over.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace fathom {

namespace {

constexpr std::size_t block = 96;
constexpr double quiet_nan = std::numeric_limits<double>::quiet_NaN();

// Calls body(first, points of the domain nearest to those of the block).
template <class Body>
void in_blocks(const Box& domain, std::span<const Vec3> points, Body body) {
    std::array<Vec3, block> nearest;
    for (std::size_t first = 0; first < points.size(); first += block) {
        const std::size_t count = std::min(block, points.size() - first);
        for (std::size_t i = 0; i < count; ++i) nearest[i] = domain.closest(points[first + i]);
        body(first, std::span<const Vec3>(nearest.data(), count));
    }
}

double answer(const Vec3& p, const Vec3& nearest, double value) {
    if (p.hasNaN()) return quiet_nan;
    return nearest == p ? value : beyond_domain(p, nearest, value);
}

Sample answer(const Vec3& p, const Vec3& nearest, const Sample& inside) {
    return p.hasNaN() ? Sample{quiet_nan, Vec3::Constant(quiet_nan)} : beyond_domain(p, nearest, inside);
}

} // namespace

NeuralField::NeuralField(Network network)
    : network_(std::move(network)), values_(std::make_shared<const NetworkValues>(network_)),
      range_(std::make_shared<const NetworkRange>(network_)), lipschitz_(std::hypot(1.0, range_->lipschitz())),
      rounding_bound_(fathom::rounding_bound(network_)), bounds_(inside_bounds(network_, *range_)),
      exact_(std::make_shared<const ExactNeuralField>(range_, network_.domain, bounds_, lipschitz_)) {
    distance_like_ = measure(*this, {.points = 2000}).distance_like;
}

std::size_t NeuralField::bytes() const { return values_->bytes(); }

double NeuralField::distance(const Vec3& p) const {
    double value = 0;
    distances({&p, 1}, {&value, 1});
    return value;
}

Sample NeuralField::sample(const Vec3& p) const {
    Sample value;
    samples({&p, 1}, {&value, 1});
    return value;
}

void NeuralField::distances(std::span<const Vec3> points, std::span<double> out) const {
    in_blocks(network_.domain, points, [&](std::size_t first, std::span<const Vec3> nearest) {
        values_->values(nearest, out.subspan(first, nearest.size()));
        for (std::size_t i = 0; i < nearest.size(); ++i)
            out[first + i] = answer(points[first + i], nearest[i], out[first + i]);
    });
}

void NeuralField::samples(std::span<const Vec3> points, std::span<Sample> out) const {
    in_blocks(network_.domain, points, [&](std::size_t first, std::span<const Vec3> nearest) {
        values_->samples(nearest, out.subspan(first, nearest.size()));
        for (std::size_t i = 0; i < nearest.size(); ++i)
            out[first + i] = answer(points[first + i], nearest[i], out[first + i]);
    });
}

Interval NeuralField::range(const Box& box) const {
    Interval value;
    ranges({&box, 1}, {&value, 1});
    return value;
}

void NeuralField::ranges(std::span<const Box> boxes, std::span<Interval> out) const { ranges(boxes, out, {}); }

void NeuralField::ranges(std::span<const Box> boxes, std::span<Interval> out, const RangeOptions& options,
                         std::span<PlaneOver> planes) const {
    const Box& domain = network_.domain;
    std::array<Box, block> sound;
    for (std::size_t first = 0; first < boxes.size(); first += block) {
        const std::size_t count = std::min(block, boxes.size() - first);
        const auto unsound = [](const Box& box) { return box.lower.hasNaN() || box.upper.hasNaN() || box.empty(); };
        for (std::size_t i = 0; i < count; ++i)
            sound[i] = unsound(boxes[first + i]) ? Box{domain.lower, domain.lower} : boxes[first + i];
        range_->ranges({sound.data(), count}, out.subspan(first, count), options,
                       planes.empty() ? planes : planes.subspan(first, count));
        for (std::size_t i = 0; i < count; ++i) {
            const Box& box = boxes[first + i];
            Interval& result = out[first + i];
            if (box.lower.hasNaN() || box.upper.hasNaN())
                result = Interval::all();
            else if (box.empty())
                result = Interval::none();
            else if (!domain.contains(box))
                result = beyond_domain(box, domain, result);
            if (!planes.empty() && unsound(box)) planes[first + i] = {};
        }
    }
}

double NeuralField::error_bound() const { return std::numeric_limits<double>::infinity(); }

// ---- Descriptions

FieldTraits NeuralField::traits() const {
    return {
        .kind = FieldKind::neural, .distance_like = distance_like_, .single_precision = true, .range_is_tighter = true};
}

ValueBounds NeuralField::value_bounds(double level) const {
    ValueBounds bounds = Field::value_bounds(level);
    bounds.jump = 2 * rounding_bound_;
    return bounds;
}

bool NeuralField::plane_ranges(std::span<const Box> boxes, std::span<Interval> out, std::span<PlaneOver> planes,
                               const Vec3& facing) const {
    ranges(boxes, out, {.effort = RangeEffort::backward, .facing = facing}, planes);
    return true;
}

FieldOctree NeuralField::octree() const {
    FieldOctree octree = Field::octree();
    octree.levels = 6;
    octree.max_nodes = 1'000'000;
    return octree;
}

void NeuralField::octree_ranges(std::span<const Box> boxes, std::span<Interval> out) const {
    // With ReLU units, refined ranges prove so many large cells empty that their cost pays off; with smooth
    // activations, smaller cells cost less.
    const auto bends = [](const DenseLayer& layer) {
        return layer.activation != Activation::relu && layer.activation != Activation::none;
    };
    const bool is_curved = std::any_of(network_.layers.begin(), network_.layers.end() - 1, bends);
    ranges(boxes, out, {.effort = is_curved ? RangeEffort::backward : RangeEffort::refined});
}

NetworkReport measure(const NeuralField& field, const NetworkReportOptions& options) {
    const std::size_t count = std::max<std::size_t>(options.points, 1);
    Random random(options.seed);
    std::vector<Vec3> points(count);
    for (Vec3& p : points) p = random.in_box(field.domain());
    std::vector<Sample> samples(count);
    parallel_for(count, 960, [&](std::size_t begin, std::size_t end) {
        field.samples(std::span(points).subspan(begin, end - begin), std::span(samples).subspan(begin, end - begin));
    });
    NetworkReport report;
    std::vector<double> lengths(count);
    std::size_t like = 0;
    for (std::size_t i = 0; i < count; ++i) {
        lengths[i] = samples[i].gradient.norm();
        like += lengths[i] >= 0.5 && lengths[i] <= 2 ? 1U : 0U;
        report.values = hull(report.values, samples[i].distance);
    }
    const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(count / 2);
    std::nth_element(lengths.begin(), middle, lengths.end());
    report.gradient_median = *middle;
    report.gradient_largest = *std::max_element(lengths.begin(), lengths.end());
    report.distance_like = 10 * like >= 9 * count;
    return report;
}

double depth_estimate(const Sample& sample) {
    if (sample.distance == 0) return 0;
    return std::abs(sample.distance) / sample.gradient.norm();
}

} // namespace fathom
