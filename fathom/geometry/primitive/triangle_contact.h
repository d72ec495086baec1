// Contact of two overlapping triangles, and proximity of features (vertex and face, edge and edge).
// The contact consists of the common segment (exact, see triangle_triangle.h), the normals of both triangles, the
// separating direction and the penetration depth: the shortest translation of `a` after which the two only touch.
// Metres. Method: the shortest separating translation of two convex bodies is along a face normal or a cross product of
// two edges (or of an edge and a face normal, for coplanar triangles); all are tried. Cost: that of triangle_overlap()
// plus about 0.3 us. Thread-safe. Not for closed bodies: their penetration depth is a property of the bodies, not of
// single triangles.
#pragma once

#include <fathom/geometry/primitive/closest_point.h>
#include <fathom/geometry/primitive/triangle_triangle.h>

namespace fathom {

// Proximity of a vertex and a face, or of two edges: the distance, the closest points, a direction that stays
// continuous through contact, and weights that distribute a force over the four points; the content of a contact
// record. Metres. Every finite input is valid, with the accuracy of closest_point.h, which computes the points.
// Thread-safe; about 0.1 us.
struct FeatureProximity {
    double distance = 0;
    Vec3 point_a = Vec3::Zero();              // on the vertex or the first edge
    Vec3 point_b = Vec3::Zero();              // on the face or the second edge
    Vec3 separating_direction = Vec3::Zero(); // unit, from b to a: moving a along it separates them
    // Weights of the four points (vertex and face corners; ends of a, ends of b): point_a - point_b is their weighted
    // sum. The weights of a sum to 1, those of b to -1. The derivative of the distance with respect to point k is
    // weight[k] * separating_direction.
    std::array<double, 4> weight{};
    // The closest points are interior to the face or to both edges, not on a boundary or an end.
    bool inner = false;
};

// If the distance is too small to have a direction in double, separating_direction is that of the normal of the face,
// or the common normal of the edges, on the side on which a lies (decided exactly). If a lies on neither side, `before`
// selects the side: for example the direction of an earlier step. It is zero only if they touch and the face has no
// area, or the edges have no common normal.
[[nodiscard]] FeatureProximity vertex_face_proximity(const Vec3& vertex, const std::array<Vec3, 3>& face,
                                                     const Vec3& before = Vec3::Zero());
[[nodiscard]] FeatureProximity edge_edge_proximity(const Segment& a, const Segment& b,
                                                   const Vec3& before = Vec3::Zero());

struct TriangleContact {
    OverlapKind kind = OverlapKind::none;
    Segment segment; // common to both; start == end for a point; undefined for none
    // Unit normals, towards the side from which corners appear counter-clockwise; zero without area.
    Vec3 normal_a = Vec3::Zero();
    Vec3 normal_b = Vec3::Zero();
    // Separating direction (unit): `a` translated along it by `depth` only touches `b`. Zero if both have no extent.
    Vec3 separating_direction = Vec3::Zero();
    double depth = 0; // penetration depth (m), the minimum over all directions; 0 for coplanar or touching triangles
};
// With kind none only the normals are set.
[[nodiscard]] TriangleContact triangle_contact(const std::array<Vec3, 3>& a, const std::array<Vec3, 3>& b);

} // namespace fathom
