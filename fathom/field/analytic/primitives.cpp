// Shapes by formula, one function each.
#include <fathom/field/analytic/primitives.h>

namespace fathom::shapes {

Formula sphere(double radius) { return {"sphere", {radius}}; }
Formula box(const Vec3& s) { return {"box", {s.x(), s.y(), s.z()}}; }
Formula rounded_box(const Vec3& s, double radius) { return {"rounded_box", {s.x(), s.y(), s.z(), radius}}; }
Formula box_frame(const Vec3& s, double thickness) { return {"box_frame", {s.x(), s.y(), s.z(), thickness}}; }
Formula ellipsoid(const Vec3& r) { return {"ellipsoid", {r.x(), r.y(), r.z()}}; }
Formula torus(double radius, double tube) { return {"torus", {radius, tube}}; }
Formula capped_torus(double angle, double radius, double tube) { return {"capped_torus", {angle, radius, tube}}; }
Formula link(double length, double radius, double tube) { return {"link", {length, radius, tube}}; }
Formula cylinder(double radius, double height) { return {"cylinder", {radius, height}}; }
Formula infinite_cylinder(double radius) { return {"infinite_cylinder", {radius}}; }
Formula cone(double radius, double height) { return {"cone", {radius, height}}; }
Formula infinite_cone(double angle) { return {"infinite_cone", {angle}}; }
Formula capped_cone(double bottom, double top, double height) { return {"capped_cone", {bottom, top, height}}; }
Formula rounded_cone(double bottom, double top, double height) { return {"rounded_cone", {bottom, top, height}}; }
Formula capsule(const Vec3& a, const Vec3& b, double radius) {
    return {"capsule", {a.x(), a.y(), a.z(), b.x(), b.y(), b.z(), radius}};
}
Formula hexagonal_prism(double radius, double height) { return {"hexagonal_prism", {radius, height}}; }
Formula triangular_prism(double radius, double height) { return {"triangular_prism", {radius, height}}; }
Formula octahedron(double radius) { return {"octahedron", {radius}}; }
Formula pyramid(double size, double height) { return {"pyramid", {size, height}}; }
Formula heart() { return {"heart", {}}; }

Formula plane(const Vec3& n, double offset) { return {"plane", {n.x(), n.y(), n.z(), offset}}; }
Formula disk(double radius) { return {"disk", {radius}}; }
Formula triangle(const Vec3& a, const Vec3& b, const Vec3& c) {
    return {"triangle", {a.x(), a.y(), a.z(), b.x(), b.y(), b.z(), c.x(), c.y(), c.z()}};
}
Formula quad(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
    return {"quad", {a.x(), a.y(), a.z(), b.x(), b.y(), b.z(), c.x(), c.y(), c.z(), d.x(), d.y(), d.z()}};
}

Formula circle(double radius) { return {"circle", {radius}}; }
Formula rectangle(const Vec2& s) { return {"rectangle", {s.x(), s.y()}}; }
Formula polygon(std::span<const Vec2> corners) {
    std::vector<double> numbers;
    for (const Vec2& c : corners) numbers.insert(numbers.end(), {c.x(), c.y()});
    return {"polygon", std::move(numbers)};
}
Formula regular_polygon(int sides, double radius) { return {"regular_polygon", {static_cast<double>(sides), radius}}; }
Formula star(int points, double radius, double inner) { return {"star", {static_cast<double>(points), radius, inner}}; }
Formula translate2(const Vec2& move, const Formula& profile) { return {"translate2", {move.x(), move.y()}, {profile}}; }
Formula rotate2(double angle, const Formula& profile) { return {"rotate2", {angle}, {profile}}; }
Formula extrude(double height, const Formula& profile) { return {"extrude", {height}, {profile}}; }
Formula infinite_extrude(const Formula& profile) { return {"infinite_extrude", {}, {profile}}; }
Formula revolve(double offset, const Formula& profile) { return {"revolve", {offset}, {profile}}; }

Formula union_of(std::vector<Formula> shapes) { return {"union", {}, std::move(shapes)}; }
Formula union_of(const Formula& a, const Formula& b) { return {"union", {}, {a, b}}; }
Formula intersection(const Formula& a, const Formula& b) { return {"intersection", {}, {a, b}}; }
Formula intersection_of(std::vector<Formula> shapes) { return {"intersection", {}, std::move(shapes)}; }
Formula difference(const Formula& a, const Formula& b) { return {"difference", {}, {a, b}}; }
Formula complement(const Formula& shape) { return {"complement", {}, {shape}}; }
Formula smooth_union(const Formula& a, const Formula& b, double width) { return {"smooth_union", {width}, {a, b}}; }
Formula smooth_intersection(const Formula& a, const Formula& b, double width) {
    return {"smooth_intersection", {width}, {a, b}};
}
Formula smooth_difference(const Formula& a, const Formula& b, double width) {
    return {"smooth_difference", {width}, {a, b}};
}

Formula transform(const Pose& pose, const Formula& shape) {
    const Quat& q = pose.rotation;
    const Vec3& t = pose.translation;
    return {"transform", {q.w(), q.x(), q.y(), q.z(), t.x(), t.y(), t.z()}, {shape}};
}
Formula translate(const Vec3& m, const Formula& shape) { return {"translate", {m.x(), m.y(), m.z()}, {shape}}; }
Formula rotate(double angle, const Vec3& a, const Formula& shape) {
    return {"rotate", {angle, a.x(), a.y(), a.z()}, {shape}};
}
Formula scale(double factor, const Formula& shape) { return {"scale", {factor}, {shape}}; }
Formula mirror(const Vec3& n, const Formula& shape) { return {"mirror", {n.x(), n.y(), n.z()}, {shape}}; }
Formula repeat(const Vec3& s, const Formula& shape) { return {"repeat", {s.x(), s.y(), s.z()}, {shape}}; }
Formula repeat_limited(const Vec3& s, const Eigen::Vector3i& count, const Formula& shape) {
    const Vec3 n = count.cast<double>();
    return {"repeat_limited", {s.x(), s.y(), s.z(), n.x(), n.y(), n.z()}, {shape}};
}
Formula repeat_mirrored(const Vec3& s, const Formula& shape) {
    return {"repeat_mirrored", {s.x(), s.y(), s.z()}, {shape}};
}

Formula twist(double rate, double radius, const Formula& shape) { return {"twist", {rate, radius}, {shape}}; }
Formula bend(double rate, double radius, const Formula& shape) { return {"bend", {rate, radius}, {shape}}; }
Formula elongate(const Vec3& l, const Formula& shape) { return {"elongate", {l.x(), l.y(), l.z()}, {shape}}; }
Formula shell(double thickness, const Formula& shape) { return {"shell", {thickness}, {shape}}; }
Formula round(double radius, const Formula& shape) { return {"round", {radius}, {shape}}; }

} // namespace fathom::shapes
