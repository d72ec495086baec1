// Contacts of overlapping tetrahedral bodies as forces on their nodes, from the vertices or the edges of one body
// inside the other. Method: Marchal, Aubert & Chaillou 2004. Point in object (5.1): a vertex against the four corners
// of the tetrahedron that contains it. Segment in object (5.2): one push for each chain of an edge, against the corners
// of the tetrahedron where it acts. It represents the energy k/2 integral(depth^2) over the boundary area of the edge,
// so the force depends on depth and size of the contact, and crossing edges are separated even if no vertex is inside.
// Each chain gives one push, so there are no redundant forces. A push and its reaction act at the same point, so
// momentum and angular momentum of the pair are conserved, whatever depth and direction are. The caller evaluates both
// directions: each body as the intruder of the other. If depth or direction cannot be determined, the push has depth 0.
// Cost: about 1 us per closest-point query on the boundary: one for a vertex, two for an edge that is completely
// inside, four for an edge that is partly inside. Thread-safe; parallel inside, the same bytes for any number of
// threads.
#pragma once

#include <fathom/detect/tet/tet_collision.h>
#include <fathom/field/tet/node_depths.h>
#include <fathom/response/weighted_contact.h>

namespace fathom {

// Distribution of the boundary area (m^2) over the vertices (0 for interior ones), and over the edges in the order of
// TetTopology::boundary_edges(). Each sums to the total area, so forces by area do not depend on the mesh. O(n log n).
struct BoundaryAreas {
    std::vector<double> of_vertex, of_edge;
};
[[nodiscard]] BoundaryAreas boundary_areas(const tet::TetBody& body);

// The body whose vertices or edges are inside the other.
struct PushIntruder {
    tet::TetBody body;
    std::span<const Index> points; // index of each vertex among the points of WeightedContact
    const BoundaryAreas& areas;    // usually those of the rest shape
};

// The body that contains them.
struct PushHolder {
    tet::TetBody body;
    std::span<const Index> points; // index of each vertex among the points of WeightedContact
    // Depths in the present shape, computed by `method`, for nodes_in_contact() at least; for `exact` with a refitted
    // tree. With PushDepth::measured, PushDirection::nearest and `exact`, node depths are not used.
    const NodeDepths& depths;
    DepthMethod method = DepthMethod::exact;
};

enum class PushDepth {
    // Distance of the point itself to the boundary. With `exact`: to the whole boundary. With a marching method: to the
    // faces around the closest features of the corners of its tetrahedron, so that the direction never crosses another
    // layer of the same body.
    measured,
    // Linear interpolation of the depths of the corners (the paper); measured if all four are on the boundary.
    interpolated
};

enum class PushDirection {
    nearest, // towards the closest point of the boundary, as measured; correct at any depth
    // Against the gradient of the interpolated depth, constant in a tetrahedron (the paper); `nearest` if it is 0.
    gradient
};

struct TetPushOptions {
    PushDepth depth = PushDepth::measured;
    PushDirection direction = PushDirection::nearest;
};

struct TetPush {
    WeightedContact contact;      // intruder against holder; its area is the part of PushIntruder::areas that is inside
    Vec3 position = Vec3::Zero(); // point of application (m)
    // Decrease of contact.depth per unit of displacement of the intruder along the push direction. 1 for vertices;
    // below 1 for an edge if less of it remains inside as it moves out.
    double rate = 1;
};

// One push for each point, in order. If intruder and holder are the same body, `method` must be a marching method,
// since the closest point of the boundary is the vertex itself.
[[nodiscard]] std::vector<TetPush> point_pushes(const PushIntruder& a, const PushHolder& b,
                                                std::span<const tet::PointInTet> points,
                                                const TetPushOptions& options = {});

// One push for each chain of boundary edges of a in b, in order.
[[nodiscard]] std::vector<TetPush> segment_pushes(const PushIntruder& a, const PushHolder& b,
                                                  const tet::SegmentsInTets& found, const TetPushOptions& options = {});

} // namespace fathom
