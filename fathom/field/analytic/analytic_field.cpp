// Analytic fields: queries evaluated with tapes.
#include <fathom/base/error.h>
#include <fathom/field/analytic/analytic_field.h>
#include <fathom/field/analytic/analytic_kinds.h>
#include <fathom/field/analytic/tape.h>

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

} // namespace fathom
