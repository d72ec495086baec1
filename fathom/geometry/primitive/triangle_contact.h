// The contact of two triangles that overlap: where (exactly judged, see triangle_triangle.h), the
// normals of both, and the shortest way out: the direction and length of the least move of `a` after which the two only
// touch. Metres. Method: the way out of two convex bodies is along a normal of a face or a product of two edges (or of
// an edge and a face, for triangles in one plane); all are tried. Cost: that of triangle_overlap() and about 0.3 us.
// Thread-safe. Not for closed bodies: how deep a body sits in another is asked of the bodies, not of their triangles.
#pragma once

#include <fathom/geometry/primitive/closest_point.h>
#include <fathom/geometry/primitive/triangle_triangle.h>

namespace fathom {

// How near are a vertex and a face, or two edges: the distance, the nearest points, a normal that holds
// on through contact, and weights that spread a push over the four points. What a contact record is made of. Metres.
// Any finite input is answered, with the precision of closest_point.h, which finds the points. Thread-safe; about 0.1
// us.

struct FeatureProximity {
    double distance = 0;
    Vec3 point_a = Vec3::Zero(); // on the vertex or the first edge
    Vec3 point_b = Vec3::Zero(); // on the face or the second edge
    Vec3 normal = Vec3::Zero();  // unit, from b to a: moving a along it parts them
    // Of the four points (vertex and face corners; ends of a, ends of b): point_a - point_b is their weighted sum.
    // Those of a add up to 1, those of b to -1. The derivative of the distance by point k is weight[k] * normal.
    std::array<double, 4> weight{};
    bool inner = false; // the nearest points lie inside the face or inside both edges, not on a border or an end
};

// A gap too small to have a direction in double takes the normal of the face, or the common one of the edges, on the
// side on which a lies (judged exactly). Where a lies on neither side, `before` chooses it: a normal of an earlier
// step, say. The normal is zero only where they touch and the face has no area, the edges no common normal.
[[nodiscard]] FeatureProximity vertex_face_proximity(const Vec3& vertex, const std::array<Vec3, 3>& face,
                                                     const Vec3& before = Vec3::Zero());
[[nodiscard]] FeatureProximity edge_edge_proximity(const Segment& a, const Segment& b,
                                                   const Vec3& before = Vec3::Zero());

struct TriangleContact {
    OverlapKind kind = OverlapKind::none;
    Segment segment;              // shared by both; start == end for a point; meaningless for none
    Vec3 normal_a = Vec3::Zero(); // unit, of the side from which corners run counter-clockwise; zero without area
    Vec3 normal_b = Vec3::Zero();
    Vec3 way_out = Vec3::Zero(); // unit; `a` moved along it by `depth` only touches `b`. Zero where nothing has extent
    double depth = 0;            // (m) least over all directions; 0 for triangles that share a plane or only touch
};
// kind none leaves the rest as it is, but for the normals, which are always set.
[[nodiscard]] TriangleContact triangle_contact(const std::array<Vec3, 3>& a, const std::array<Vec3, 3>& b);

} // namespace fathom
