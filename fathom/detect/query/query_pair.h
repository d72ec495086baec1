// What the methods of query.h share: two shapes in their poses, in an order of their own so that swapping
// them changes names alone. Private to the query_*.cpp files.
#pragma once

#include <fathom/detect/query/query.h>

namespace fathom::query {

[[nodiscard]] constexpr bool is_plane(ShapeKind kind) { return kind == ShapeKind::half_space; }
[[nodiscard]] constexpr bool is_point_shell(ShapeKind kind) { return kind == ShapeKind::point_shell; }
[[nodiscard]] constexpr bool any_kind(ShapeKind) { return false; } // for ordered(): no kind comes first

struct Placed {
    const Shape* shape;
    Pose pose;

    [[nodiscard]] ShapeKind kind() const { return shape->kind(); }
    [[nodiscard]] bool solid() const { return has_field(shape->kind()); }
    // Whether a world point is in the solid, or this near.
    [[nodiscard]] bool holds(const Vec3& world, double margin = 0) const {
        return shape->field()->distance(pose.to_local(world)) <= margin;
    }
};

struct Pair {
    Placed a, b;
    bool swapped = false; // of what the caller named

    [[nodiscard]] Pair flipped() const { return {b, a, !swapped}; }
    // The smaller of the two (m).
    [[nodiscard]] double size() const;
};

// `a` is the one that `first` prefers, or else by their own numbers: the same whichever way round they come.
[[nodiscard]] Pair ordered(const Pair& pair, bool (*first)(ShapeKind));

// Turns an answer about (a, b) into one about (b, a).
void flip(CollideResult& collision);
void flip(DistanceResult& distance);
void flip(SweepResult& sweep);

// How far the surface of a shape may be from what it stands for (m); and the depths that it tells.
[[nodiscard]] double surface_error(const Shape& shape);
[[nodiscard]] double depth_error(const Pair& pair);

// The half-space of a plane in the world.
[[nodiscard]] Shape::HalfSpace half_space(const Placed& plane);
// How far a plane's normal . x falls over a surface: its least value over all points, and where.
struct Lowest {
    double value;
    Vec3 point; // m, world
};
[[nodiscard]] Lowest lowest(const Placed& surface, const Vec3& direction);

// A part of one surface is inside of the other shape without meeting its surface: some point of that part (m, world).
[[nodiscard]] bool contained(const Pair& pair, Vec3& point);

// Contacts of the triangles of `a` in the solid `b`, and with both_ways of those of `b` in the solid `a`, where they
// are solids: as many as are wanted, the deepest and then those farthest from the ones before (reduce_contacts.h), in
// no order. Normals from a to b.
struct FieldContacts {
    Verdict verdict = Verdict::disjoint;
    std::vector<Contact> contacts{};
    bool more_contacts = false; // there are more
};
[[nodiscard]] FieldContacts contacts_in_field(const Pair& pair, const CollideOptions& options, bool both_ways = false);

// Deepest first, then by place; at most so many: the deepest, then each farthest from those before.
void sort_and_spread(CollideResult& collision, std::size_t most);

// The largest of the two bodies' travel in a unit of time, of points within the shape's reach (m): how fast they can
// approach.
[[nodiscard]] double approach_speed(const Shape& a, const Motion& motion_a, const Shape& b, const Motion& motion_b);

} // namespace fathom::query
