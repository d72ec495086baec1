// Tetrahedral bodies that overlap, as pushes over their points: by the points, or the segments, that are
// inside. Method: Marchal, Aubert & Chaillou 2004. Point in object (5.1): a vertex against the four corners of the
// tetrahedron that holds it. Segment in object (5.2): one push for each chain of an edge, against the corners of the
// tetrahedron where it acts; it stands for the energy k/2 integral(depth^2) over the share of the boundary that is the
// edge's, so the force knows depth and size of the contact, and edges that cross where no point is inside are parted.
// Chains answer once: no redundant forces. A push and its opposite act in one place: momentum and angular momentum of
// the pair are kept, whatever depth and direction say. Both bodies push with what they have in the other. Where depth
// or direction cannot be told the push has depth 0. Cost: about 1 us a look at the boundary: one for a point, two for
// an edge wholly inside, four for one partly so. Thread-safe; parallel inside, the same bytes for any number of
// threads.
#pragma once

#include <fathom/detect/tet/tet_collision.h>
#include <fathom/field/tet/node_depths.h>
#include <fathom/response/weighted_contact.h>

namespace fathom {

// How the boundary is shared out (m^2): over its vertices (0 for those inside), or over its edges in the order of
// TetTopology::boundary_edges(). Each sums to the whole, so what pushes by area does not depend on the mesh. O(n log
// n).
struct BoundaryAreas {
    std::vector<double> of_vertex, of_edge;
};
[[nodiscard]] BoundaryAreas boundary_areas(const TetBody& body);

// The body whose points or edges are inside the other.
struct PushIntruder {
    TetBody body;
    std::span<const Index> points; // of each vertex: its number among the points that are pushed
    const BoundaryAreas& areas;    // in the shape at rest, usually
};

// The body that they are in.
struct PushHolder {
    TetBody body;
    std::span<const Index> points;
    // Computed by `method` in this shape, by `exact` with its tree fitted. For nodes_in_contact() at least; pushes that
    // are measured to the nearest point by `exact` read no nodes.
    const NodeDepths& depths;
    DepthMethod method = DepthMethod::exact;
};

enum class PushDepth {
    measured, // at the point itself. By `exact` to the whole boundary; by a march, to the boundary round the features
              // that the corners of its tetrahedron have found: so it never leads across another layer of the same body
    interpolated // linear between the depths of the corners (the paper); measured where all four are on the boundary
};

enum class PushDirection {
    nearest, // to the nearest point of the boundary, as measured: true however deep
    gradient // against the gradient of the interpolated depth, constant in a tetrahedron (the paper); else nearest
             // where it is 0
};

struct TetPushOptions {
    PushDepth depth = PushDepth::measured;
    PushDirection direction = PushDirection::nearest;
};

struct TetPush {
    WeightedContact contact;      // intruder against holder; area as PushIntruder::areas and the share inside say
    Vec3 position = Vec3::Zero(); // where it acts (m)
    // By how much contact.depth falls while the intruder moves out along the normal by one: 1 for points. Below 1 where
    // less of an edge stays inside on the way out.
    double rate = 1;
};

// One for each point, in their order. Where intruder and holder are one body, `method` must be a march: the nearest
// boundary is the point itself.
[[nodiscard]] std::vector<TetPush> point_pushes(const PushIntruder& a, const PushHolder& b,
                                                std::span<const PointInTet> points, const TetPushOptions& options = {});

// One for each chain of boundary edges of a in b, in their order.
[[nodiscard]] std::vector<TetPush> segment_pushes(const PushIntruder& a, const PushHolder& b,
                                                  const SegmentsInTets& found, const TetPushOptions& options = {});

} // namespace fathom
