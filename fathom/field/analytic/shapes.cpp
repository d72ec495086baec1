// Room: field. Shapes by formula, one function each.
#include <fathom/field/analytic/shapes.h>

namespace fathom::shapes {

Shape sphere(double radius) { return {"sphere", {radius}}; }
Shape box(const Vec3& s) { return {"box", {s.x(), s.y(), s.z()}}; }
Shape rounded_box(const Vec3& s, double radius) { return {"rounded_box", {s.x(), s.y(), s.z(), radius}}; }
Shape box_frame(const Vec3& s, double thickness) { return {"box_frame", {s.x(), s.y(), s.z(), thickness}}; }
Shape ellipsoid(const Vec3& r) { return {"ellipsoid", {r.x(), r.y(), r.z()}}; }
Shape torus(double radius, double tube) { return {"torus", {radius, tube}}; }
Shape capped_torus(double angle, double radius, double tube) { return {"capped_torus", {angle, radius, tube}}; }
Shape link(double length, double radius, double tube) { return {"link", {length, radius, tube}}; }
Shape cylinder(double radius, double height) { return {"cylinder", {radius, height}}; }
Shape infinite_cylinder(double radius) { return {"infinite_cylinder", {radius}}; }
Shape cone(double radius, double height) { return {"cone", {radius, height}}; }
Shape infinite_cone(double angle) { return {"infinite_cone", {angle}}; }
Shape capped_cone(double bottom, double top, double height) { return {"capped_cone", {bottom, top, height}}; }
Shape rounded_cone(double bottom, double top, double height) { return {"rounded_cone", {bottom, top, height}}; }
Shape capsule(const Vec3& a, const Vec3& b, double radius) {
    return {"capsule", {a.x(), a.y(), a.z(), b.x(), b.y(), b.z(), radius}};
}
Shape hexagonal_prism(double radius, double height) { return {"hexagonal_prism", {radius, height}}; }
Shape triangular_prism(double radius, double height) { return {"triangular_prism", {radius, height}}; }
Shape octahedron(double radius) { return {"octahedron", {radius}}; }
Shape pyramid(double size, double height) { return {"pyramid", {size, height}}; }
Shape heart() { return {"heart", {}}; }

Shape plane(const Vec3& n, double offset) { return {"plane", {n.x(), n.y(), n.z(), offset}}; }
Shape disk(double radius) { return {"disk", {radius}}; }
Shape triangle(const Vec3& a, const Vec3& b, const Vec3& c) {
    return {"triangle", {a.x(), a.y(), a.z(), b.x(), b.y(), b.z(), c.x(), c.y(), c.z()}};
}
Shape quad(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
    return {"quad", {a.x(), a.y(), a.z(), b.x(), b.y(), b.z(), c.x(), c.y(), c.z(), d.x(), d.y(), d.z()}};
}

Shape circle(double radius) { return {"circle", {radius}}; }
Shape rectangle(const Vec2& s) { return {"rectangle", {s.x(), s.y()}}; }
Shape polygon(std::span<const Vec2> corners) {
    std::vector<double> numbers;
    for (const Vec2& c : corners) numbers.insert(numbers.end(), {c.x(), c.y()});
    return {"polygon", std::move(numbers)};
}
Shape regular_polygon(int sides, double radius) { return {"regular_polygon", {static_cast<double>(sides), radius}}; }
Shape star(int points, double radius, double inner) { return {"star", {static_cast<double>(points), radius, inner}}; }
Shape translate2(const Vec2& move, const Shape& profile) { return {"translate2", {move.x(), move.y()}, {profile}}; }
Shape rotate2(double angle, const Shape& profile) { return {"rotate2", {angle}, {profile}}; }
Shape extrude(double height, const Shape& profile) { return {"extrude", {height}, {profile}}; }
Shape infinite_extrude(const Shape& profile) { return {"infinite_extrude", {}, {profile}}; }
Shape revolve(double offset, const Shape& profile) { return {"revolve", {offset}, {profile}}; }

Shape union_of(std::vector<Shape> shapes) { return {"union", {}, std::move(shapes)}; }
Shape union_of(const Shape& a, const Shape& b) { return {"union", {}, {a, b}}; }
Shape intersection(const Shape& a, const Shape& b) { return {"intersection", {}, {a, b}}; }
Shape intersection_of(std::vector<Shape> shapes) { return {"intersection", {}, std::move(shapes)}; }
Shape difference(const Shape& a, const Shape& b) { return {"difference", {}, {a, b}}; }
Shape complement(const Shape& shape) { return {"complement", {}, {shape}}; }
Shape smooth_union(const Shape& a, const Shape& b, double width) { return {"smooth_union", {width}, {a, b}}; }
Shape smooth_intersection(const Shape& a, const Shape& b, double width) { return {"smooth_intersection", {width}, {a, b}}; }
Shape smooth_difference(const Shape& a, const Shape& b, double width) { return {"smooth_difference", {width}, {a, b}}; }

Shape transform(const Pose& pose, const Shape& shape) {
    const Quat& q = pose.rotation;
    const Vec3& t = pose.translation;
    return {"transform", {q.w(), q.x(), q.y(), q.z(), t.x(), t.y(), t.z()}, {shape}};
}
Shape translate(const Vec3& m, const Shape& shape) { return {"translate", {m.x(), m.y(), m.z()}, {shape}}; }
Shape rotate(double angle, const Vec3& a, const Shape& shape) { return {"rotate", {angle, a.x(), a.y(), a.z()}, {shape}}; }
Shape scale(double factor, const Shape& shape) { return {"scale", {factor}, {shape}}; }
Shape mirror(const Vec3& n, const Shape& shape) { return {"mirror", {n.x(), n.y(), n.z()}, {shape}}; }
Shape repeat(const Vec3& s, const Shape& shape) { return {"repeat", {s.x(), s.y(), s.z()}, {shape}}; }
Shape repeat_limited(const Vec3& s, const Eigen::Vector3i& count, const Shape& shape) {
    const Vec3 n = count.cast<double>();
    return {"repeat_limited", {s.x(), s.y(), s.z(), n.x(), n.y(), n.z()}, {shape}};
}
Shape repeat_mirrored(const Vec3& s, const Shape& shape) { return {"repeat_mirrored", {s.x(), s.y(), s.z()}, {shape}}; }

Shape twist(double rate, double radius, const Shape& shape) { return {"twist", {rate, radius}, {shape}}; }
Shape bend(double rate, double radius, const Shape& shape) { return {"bend", {rate, radius}, {shape}}; }
Shape elongate(const Vec3& l, const Shape& shape) { return {"elongate", {l.x(), l.y(), l.z()}, {shape}}; }
Shape shell(double thickness, const Shape& shape) { return {"shell", {thickness}, {shape}}; }
Shape round(double radius, const Shape& shape) { return {"round", {radius}, {shape}}; }

} // namespace fathom::shapes
