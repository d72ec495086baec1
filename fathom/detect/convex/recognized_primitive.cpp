// Primitives and placements of analytic expressions as convex bodies.
#include <fathom/detect/convex/recognized_primitive.h>

#include <fathom/base/rounding.h>
#include <fathom/field/analytic/analytic_kinds.h>

#include <algorithm>

namespace fathom::convex {

namespace {

std::optional<Body> primitive(const AnalyticNode& n) {
    const std::string_view kind = n.kind->name;
    if (kind == "sphere") return sphere(n[0]);
    if (kind == "box") return box(n.vector());
    if (kind == "ellipsoid") return ellipsoid(n.vector());
    if (kind == "cylinder") return frustum(n[0], n[0], n[1]);
    if (kind == "cone") return frustum(n[0], 0, n[1]);
    if (kind == "capped_cone") return frustum(n[0], n[1], n[2]);
    if (kind == "rounded_box") {
        Body body = box((n.vector() - Vec3::Constant(2 * n[3])).cwiseMax(0));
        body.radius = n[3];
        return body;
    }
    if (kind == "capsule") {
        const Vec3 a = n.vector(0), b = n.vector(3);
        Body body = capsule((b - a).norm(), n[6]);
        body.placement = {Quat::FromTwoVectors(Vec3::UnitZ(), b - a), 0.5 * (a + b)};
        body.placed = true;
        return body;
    }
    return std::nullopt;
}

Body placed(Body body, const Pose& pose) {
    body.placement = pose * body.placement;
    body.placed = true;
    return body;
}

Body scaled(Body body, double factor) {
    body.half *= factor;
    body.radius *= factor;
    body.extent = outward(factor * body.extent);
    body.placement.translation *= factor;
    return body;
}

} // namespace

std::optional<Body> recognized_primitive(const AnalyticExpression& expression) {
    const AnalyticNode& n = expression.node();
    const std::string_view kind = n.kind->name;
    if (n.children.empty()) return primitive(n);
    if (n.children.size() != 1 || n.dimension != 3) return std::nullopt;
    if (kind != "translate" && kind != "rotate" && kind != "transform" && kind != "scale" && kind != "round")
        return std::nullopt;
    std::optional<Body> child = recognized_primitive(n.children.front());
    if (!child) return std::nullopt;
    if (kind == "translate") return placed(*child, Pose::from_translation(n.vector()));
    if (kind == "rotate") return placed(*child, Pose::from_axis_angle(n[0], n.vector(1).normalized()));
    if (kind == "transform") return placed(*child, {Quat(n[0], n[1], n[2], n[3]).normalized(), n.vector(4)});
    if (kind == "scale") return scaled(*child, n[0]);
    child->radius += n[0];
    return child;
}

} // namespace fathom::convex
