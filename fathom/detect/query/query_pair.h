// Helpers that the methods of query.h share: two shapes in their poses, in a canonical order, so that swapping the
// arguments only swaps names in the result. Private to this folder.
#pragma once

#include <fathom/detect/query/query.h>

namespace fathom::query {

[[nodiscard]] constexpr bool is_half_space(ShapeKind kind) { return kind == ShapeKind::half_space; }
[[nodiscard]] constexpr bool is_point_shell(ShapeKind kind) { return kind == ShapeKind::point_shell; }
[[nodiscard]] constexpr bool any_kind(ShapeKind) { return false; } // for ordered(): no kind is preferred

struct Placed {
    const Shape* shape;
    Pose pose;

    [[nodiscard]] ShapeKind kind() const { return shape->kind(); }
    [[nodiscard]] bool solid() const { return has_field(shape->kind()); }
    // Whether a world point is inside the solid or within the margin of it.
    [[nodiscard]] bool holds(const Vec3& world, double margin = 0) const {
        return shape->field()->distance(pose.to_local(world)) <= margin;
    }
};

struct Pair {
    Placed a, b;
    bool swapped = false; // relative to the order of the caller's arguments

    [[nodiscard]] Pair flipped() const { return {b, a, !swapped}; }
    // Size of the smaller shape (m).
    [[nodiscard]] double size() const;
};

// The pair in canonical order, independent of the order of the arguments: `a` is the shape whose kind `first` prefers,
// otherwise the order follows from kind, bounds and pose.
[[nodiscard]] Pair ordered(const Pair& pair, bool (*first)(ShapeKind));

// Converts a result for (a, b) into the result for (b, a); and a note.
void flip(CollideResult& collision);
void flip(DistanceResult& distance);
void flip(SweepResult& sweep);
[[nodiscard]] std::string_view flipped(std::string_view note);

// Bounds on the deviation of a shape's surface from the true shape, and on the error of the pair's depths (m).
[[nodiscard]] double surface_error(const Shape& shape);
[[nodiscard]] double depth_error(const Pair& pair);

// The half-space in the world frame.
[[nodiscard]] Shape::HalfSpace half_space(const Placed& plane);
// The support point of a surface against a direction: the minimum of direction . x over all its points.
struct Lowest {
    double value; // m
    Vec3 point;   // where it is attained (m, world)
};
[[nodiscard]] Lowest lowest(const Placed& surface, const Vec3& direction);

// Factor of the limit on evaluations for a distance with this tolerance (m) between shapes of which the smaller has
// this size: the number of cells that remain grows where surfaces face each other almost in parallel. 0: the default
// one.
[[nodiscard]] double more_evaluations(double tolerance, double size);

// The bounds on the distance of two shapes, and their closest points. They must be known to be disjoint unless a shape
// with triangles has no interior; otherwise `by_fields` bounds solids by their fields alone. max_evaluations = 0: by
// the tolerance. One of them is bounded, the other as well or a half-space.
[[nodiscard]] DistanceResult distance_of_disjoint(const Pair& pair, const DistanceOptions& options,
                                                  bool by_fields = false, std::size_t max_evaluations = 0);

// Containment test: whether a sample of some component of one surface is inside the other shape. `point` is that sample
// (m, world).
[[nodiscard]] bool contained(const Pair& pair, Vec3& point);

// Contacts of the triangles of `a` in the solid `b` and, with both_ways, of the triangles of `b` in the solid `a`, if
// they are solids. At most max_contacts are selected by contact reduction (contact_reduction.h); they are not sorted.
// Normals point from a to b.
struct FieldContacts {
    Status status = Status::disjoint;
    std::vector<Contact> contacts{};
    bool more_contacts = false; // more contacts exist
};
[[nodiscard]] FieldContacts contacts_in_field(const Pair& pair, const CollideOptions& options, bool both_ways = false);

// Adds the contacts of the triangles of each shape in the other, if that is a solid.
void add_contacts_in_fields(const Pair& pair, const CollideOptions& options, CollideResult& result);

// Sorts contacts by depth, then position, and keeps at most `most`: the deepest, then always the farthest from those
// kept.
void sort_and_spread(CollideResult& collision, std::size_t max_contacts);

// Bound on the relative speed of two moving shapes (m per unit of time): no point of the smaller one travels farther
// relative to the other.
[[nodiscard]] double approach_speed(const Shape& a, const Motion& motion_a, const Shape& b, const Motion& motion_b);

} // namespace fathom::query
