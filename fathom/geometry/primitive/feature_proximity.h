// How near are a vertex and a face, or two edges: the distance, the nearest points, a normal that holds
// on through contact, and weights that spread a push over the four points. What a contact record is made of. Metres.
// Any finite input is answered, with the precision of closest_point.h, which finds the points. Thread-safe; about 0.1
// us.
#pragma once

#include <fathom/geometry/primitive/closest_point.h>

namespace fathom {

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

} // namespace fathom
