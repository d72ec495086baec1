// Analytic fields: queries evaluated with tapes.
#include <fathom/base/error.h>
#include <fathom/field/analytic/analytic_field.h>
#include <fathom/field/analytic/analytic_kinds.h>
#include <fathom/field/analytic/primitives.h>
#include <fathom/field/analytic/tape.h>
#include <fathom/field/plane_over.h>

#include <array>

namespace fathom {

namespace {

Tape tape_of(const AnalyticExpression& shape) {
    if (shape.dimension() != 3)
        throw Error(Cause::invalid_argument, "a two-dimensional profile is not a field; extrude or revolve it");
    Graph graph;
    const NodeId root = formula(graph, shape.node(), Frame{});
    return Tape(graph, root);
}

} // namespace

AnalyticField::AnalyticField(AnalyticExpression expression)
    : expression_(std::move(expression)), tape_(std::make_shared<const Tape>(tape_of(expression_))),
      bounds_(expression_.bounds()) {}

double AnalyticField::distance(const Vec3& p) const {
    double value = 0;
    tape_->distances({&p, 1}, {&value, 1});
    return value;
}

Sample AnalyticField::sample(const Vec3& p) const {
    Sample value;
    tape_->samples({&p, 1}, {&value, 1});
    return value;
}

Interval AnalyticField::range(const Box& box) const {
    Interval value;
    tape_->ranges({&box, 1}, {&value, 1});
    return value;
}

void AnalyticField::distances(std::span<const Vec3> points, std::span<double> out) const {
    tape_->distances(points, out);
}
void AnalyticField::samples(std::span<const Vec3> points, std::span<Sample> out) const { tape_->samples(points, out); }
void AnalyticField::ranges(std::span<const Box> boxes, std::span<Interval> out) const { tape_->ranges(boxes, out); }

double AnalyticField::error_bound() const {
    return distance_kind() == DistanceKind::exact ? 0.0 : std::numeric_limits<double>::infinity();
}

bool AnalyticField::is_convex() const {
    return expression_.node().traits.convex && distance_kind() == DistanceKind::exact;
}

Box AnalyticField::domain() const { return everywhere(); }

FieldTraits AnalyticField::traits() const {
    return {.kind = FieldKind::analytic,
            .convex = is_convex(),
            .smooth = true,
            .distance_like = std::isfinite(error_bound())};
}

ValueBounds AnalyticField::value_bounds(double level) const {
    ValueBounds result = Field::value_bounds(level);
    const double size = std::max(bounds_.lower.cwiseAbs().maxCoeff(), bounds_.upper.cwiseAbs().maxCoeff());
    result.jump = 2 * tape_->rounding_bound(std::isfinite(size) ? 4 * size : 1.0);
    result.near_error += result.jump;
    result.far_error += result.jump;
    return result;
}

Box AnalyticField::level_bounds(double level) const {
    return level > 0 ? shapes::round(level, expression_).bounds() : bounds_;
}

bool AnalyticField::plane_ranges(std::span<const Box> boxes, std::span<Interval> out, std::span<PlaneOver> planes,
                                 const Vec3& /*facing*/) const {
    ranges(boxes, out);
    for (std::size_t k = 0; k < boxes.size(); ++k) {
        planes[k] = {};
        std::array<Interval, 3> slopes;
        if (out[k].lower > 0 || out[k].upper < 0 || !tape_->slopes(boxes[k], slopes)) continue;
        SlopeRange range{.jump = 2 * tape_->rounding_bound(std::max(boxes[k].lower.cwiseAbs().maxCoeff(),
                                                                    boxes[k].upper.cwiseAbs().maxCoeff()))};
        for (int axis = 0; axis < 3; ++axis) {
            const Interval& slope = slopes[static_cast<std::size_t>(axis)];
            range.middle[axis] = slope.middle();
            range.half[axis] = std::max(slope.upper - range.middle[axis], range.middle[axis] - slope.lower);
        }
        plane_of(range, distance(boxes[k].center()), boxes[k].half(), planes[k]);
    }
    return true;
}

std::optional<FieldHalfSpace> AnalyticField::half_space() const {
    const AnalyticNode& node = expression_.node();
    if (node.kind->name != "plane") return std::nullopt;
    return FieldHalfSpace{node.vector().stableNormalized(), node[3]};
}

} // namespace fathom
