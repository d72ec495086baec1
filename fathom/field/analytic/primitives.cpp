// Builder functions of analytic shapes.
#include <fathom/field/analytic/primitives.h>

namespace fathom::shapes {

AnalyticExpression sphere(double radius) { return {"sphere", {radius}}; }
AnalyticExpression box(const Vec3& s) { return {"box", {s.x(), s.y(), s.z()}}; }
AnalyticExpression rounded_box(const Vec3& s, double radius) { return {"rounded_box", {s.x(), s.y(), s.z(), radius}}; }
AnalyticExpression box_frame(const Vec3& s, double thickness) {
    return {"box_frame", {s.x(), s.y(), s.z(), thickness}};
}
AnalyticExpression ellipsoid(const Vec3& r) { return {"ellipsoid", {r.x(), r.y(), r.z()}}; }
AnalyticExpression torus(double radius, double tube) { return {"torus", {radius, tube}}; }
AnalyticExpression capped_torus(double angle, double radius, double tube) {
    return {"capped_torus", {angle, radius, tube}};
}
AnalyticExpression link(double length, double radius, double tube) { return {"link", {length, radius, tube}}; }
AnalyticExpression cylinder(double radius, double height) { return {"cylinder", {radius, height}}; }
AnalyticExpression infinite_cylinder(double radius) { return {"infinite_cylinder", {radius}}; }
AnalyticExpression cone(double radius, double height) { return {"cone", {radius, height}}; }
AnalyticExpression infinite_cone(double angle) { return {"infinite_cone", {angle}}; }
AnalyticExpression capped_cone(double bottom, double top, double height) {
    return {"capped_cone", {bottom, top, height}};
}
AnalyticExpression rounded_cone(double bottom, double top, double height) {
    return {"rounded_cone", {bottom, top, height}};
}
AnalyticExpression capsule(const Vec3& a, const Vec3& b, double radius) {
    return {"capsule", {a.x(), a.y(), a.z(), b.x(), b.y(), b.z(), radius}};
}
AnalyticExpression hexagonal_prism(double radius, double height) { return {"hexagonal_prism", {radius, height}}; }
AnalyticExpression triangular_prism(double radius, double height) { return {"triangular_prism", {radius, height}}; }
AnalyticExpression octahedron(double radius) { return {"octahedron", {radius}}; }
AnalyticExpression pyramid(double size, double height) { return {"pyramid", {size, height}}; }
AnalyticExpression heart() { return {"heart", {}}; }

AnalyticExpression plane(const Vec3& n, double offset) { return {"plane", {n.x(), n.y(), n.z(), offset}}; }
AnalyticExpression disk(double radius) { return {"disk", {radius}}; }
AnalyticExpression triangle(const Vec3& a, const Vec3& b, const Vec3& c) {
    return {"triangle", {a.x(), a.y(), a.z(), b.x(), b.y(), b.z(), c.x(), c.y(), c.z()}};
}
AnalyticExpression quad(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
    return {"quad", {a.x(), a.y(), a.z(), b.x(), b.y(), b.z(), c.x(), c.y(), c.z(), d.x(), d.y(), d.z()}};
}

AnalyticExpression circle(double radius) { return {"circle", {radius}}; }
AnalyticExpression rectangle(const Vec2& s) { return {"rectangle", {s.x(), s.y()}}; }
AnalyticExpression polygon(std::span<const Vec2> corners) {
    std::vector<double> numbers;
    for (const Vec2& c : corners) numbers.insert(numbers.end(), {c.x(), c.y()});
    return {"polygon", std::move(numbers)};
}
AnalyticExpression regular_polygon(int sides, double radius) {
    return {"regular_polygon", {static_cast<double>(sides), radius}};
}
AnalyticExpression star(int points, double radius, double inner) {
    return {"star", {static_cast<double>(points), radius, inner}};
}
AnalyticExpression translate2(const Vec2& move, const AnalyticExpression& profile) {
    return {"translate2", {move.x(), move.y()}, {profile}};
}
AnalyticExpression rotate2(double angle, const AnalyticExpression& profile) { return {"rotate2", {angle}, {profile}}; }
AnalyticExpression extrude(double height, const AnalyticExpression& profile) {
    return {"extrude", {height}, {profile}};
}
AnalyticExpression infinite_extrude(const AnalyticExpression& profile) { return {"infinite_extrude", {}, {profile}}; }
AnalyticExpression revolve(double offset, const AnalyticExpression& profile) {
    return {"revolve", {offset}, {profile}};
}

AnalyticExpression union_of(std::vector<AnalyticExpression> shapes) { return {"union", {}, std::move(shapes)}; }
AnalyticExpression union_of(const AnalyticExpression& a, const AnalyticExpression& b) { return {"union", {}, {a, b}}; }
AnalyticExpression intersection(const AnalyticExpression& a, const AnalyticExpression& b) {
    return {"intersection", {}, {a, b}};
}
AnalyticExpression difference(const AnalyticExpression& a, const AnalyticExpression& b) {
    return {"difference", {}, {a, b}};
}
AnalyticExpression complement(const AnalyticExpression& shape) { return {"complement", {}, {shape}}; }
AnalyticExpression smooth_union(const AnalyticExpression& a, const AnalyticExpression& b, double width) {
    return {"smooth_union", {width}, {a, b}};
}
AnalyticExpression smooth_intersection(const AnalyticExpression& a, const AnalyticExpression& b, double width) {
    return {"smooth_intersection", {width}, {a, b}};
}
AnalyticExpression smooth_difference(const AnalyticExpression& a, const AnalyticExpression& b, double width) {
    return {"smooth_difference", {width}, {a, b}};
}

AnalyticExpression transform(const Pose& pose, const AnalyticExpression& shape) {
    const Quat& q = pose.rotation;
    const Vec3& t = pose.translation;
    return {"transform", {q.w(), q.x(), q.y(), q.z(), t.x(), t.y(), t.z()}, {shape}};
}
AnalyticExpression translate(const Vec3& m, const AnalyticExpression& shape) {
    return {"translate", {m.x(), m.y(), m.z()}, {shape}};
}
AnalyticExpression rotate(double angle, const Vec3& a, const AnalyticExpression& shape) {
    return {"rotate", {angle, a.x(), a.y(), a.z()}, {shape}};
}
AnalyticExpression scale(double factor, const AnalyticExpression& shape) { return {"scale", {factor}, {shape}}; }
AnalyticExpression mirror(const Vec3& n, const AnalyticExpression& shape) {
    return {"mirror", {n.x(), n.y(), n.z()}, {shape}};
}
AnalyticExpression repeat(const Vec3& s, const AnalyticExpression& shape) {
    return {"repeat", {s.x(), s.y(), s.z()}, {shape}};
}
AnalyticExpression repeat_limited(const Vec3& s, const Eigen::Vector3i& count, const AnalyticExpression& shape) {
    const Vec3 n = count.cast<double>();
    return {"repeat_limited", {s.x(), s.y(), s.z(), n.x(), n.y(), n.z()}, {shape}};
}
AnalyticExpression repeat_mirrored(const Vec3& s, const AnalyticExpression& shape) {
    return {"repeat_mirrored", {s.x(), s.y(), s.z()}, {shape}};
}

AnalyticExpression twist(double rate, double radius, const AnalyticExpression& shape) {
    return {"twist", {rate, radius}, {shape}};
}
AnalyticExpression bend(double rate, double radius, const AnalyticExpression& shape) {
    return {"bend", {rate, radius}, {shape}};
}
AnalyticExpression elongate(const Vec3& l, const AnalyticExpression& shape) {
    return {"elongate", {l.x(), l.y(), l.z()}, {shape}};
}
AnalyticExpression shell(double thickness, const AnalyticExpression& shape) { return {"shell", {thickness}, {shape}}; }
AnalyticExpression round(double radius, const AnalyticExpression& shape) { return {"round", {radius}, {shape}}; }

} // namespace fathom::shapes
