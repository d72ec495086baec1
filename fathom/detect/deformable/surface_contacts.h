// Current contacts of two deforming surfaces, or of one with itself, at three levels: vertices inside the other body,
// triangles that cross, features within a distance. This is the narrow phase that Madera et al. 2006 leave open after
// their trees.
// Crossing triangles and inside vertices are decided exactly (triangle_triangle.h, DeformingSurface::winding); touching
// counts. Results are sorted, contain each item once, and are the same for any number of threads. Functions that fill a
// result reuse its memory. const, thread-safe. Metres, world frame. Cost: 70 ns for each pair of triangles whose boxes
// overlap (triangle_triangle.h); with depth and inside tests 2 to 4 us per contact in total (./bench deformable/crowd).
#pragma once

#include <fathom/detect/deformable/deforming_surface.h>
#include <fathom/detect/result/result.h>
#include <fathom/geometry/mesh/adjacency.h>
#include <fathom/geometry/primitive/continuous_contact.h>
#include <fathom/geometry/primitive/triangle_contact.h>

#include <algorithm>
#include <compare>

namespace fathom::deformable {

// ---- Features: pairs of a vertex and a face, or of two edges. Each pair occurs once, because every vertex and
// edge is owned by the lowest triangle that has it (after Curtis, Tamstorf & Manocha 2008).

enum class FeatureKind : std::uint8_t { vertex_face, edge_edge };

struct FeaturePair {
    FeatureKind kind = FeatureKind::vertex_face;
    bool swapped = false; // vertex_face: the vertex belongs to b and the face to a
    // The vertex and the corners of the face; or the ends of the edge of a, then of the edge of b, lower index first.
    std::array<Index, 4> vertices{};
    Index triangle = no_index; // the face; no_index for edges

    friend auto operator<=>(const FeaturePair&, const FeaturePair&) = default;
};

[[nodiscard]] inline Edge edge_at(const DeformingSurface& surface, Index t, std::size_t side) {
    const Index from = surface.triangle(t)[side], to = surface.triangle(t)[(side + 1) % 3];
    return {std::min(from, to), std::max(from, to)};
}

// Calls test(pair) for the features that two triangles own: their vertices against the other face, their edges against
// each other. Over all pairs of triangles, each pair of features is tested once. For one surface (&a == &b), pairs with
// a common vertex are left out.
template <class Test>
void each_feature_pair(const DeformingSurface& a, const DeformingSurface& b, const IdPair& triangles, Test&& test) {
    const auto [s, t] = triangles;
    const bool self = &a == &b;
    const auto vertices_on_face = [&](const DeformingSurface& of, Index own, const DeformingSurface& other, Index face,
                                      bool swapped) {
        const Triangle& f = other.triangle(face);
        for (std::size_t k = 0; k < 3; ++k) {
            const Index v = of.triangle(own)[k];
            if (!of.owns_corner(own, k) || (self && std::find(f.begin(), f.end(), v) != f.end())) continue;
            test(FeaturePair{FeatureKind::vertex_face, swapped, {v, f[0], f[1], f[2]}, face});
        }
    };
    vertices_on_face(a, s, b, t, false);
    vertices_on_face(b, t, a, s, !self);
    for (std::size_t i = 0; i < 3; ++i) {
        if (!a.owns_side(s, i)) continue;
        for (std::size_t j = 0; j < 3; ++j) {
            if (!b.owns_side(t, j)) continue;
            Edge e = edge_at(a, s, i), f = edge_at(b, t, j);
            if (self && (e[0] == f[0] || e[0] == f[1] || e[1] == f[0] || e[1] == f[1])) continue;
            if (self && f < e) std::swap(e, f);
            test(FeaturePair{FeatureKind::edge_edge, false, {e[0], e[1], f[0], f[1]}, no_index});
        }
    }
}

// ---- Level 1: vertices.

struct CollidingVertex {
    bool of_b = false; // true: a vertex of b inside a; false: a vertex of a inside b
    Index vertex = no_index;
    Index triangle = no_index;       // closest triangle of the other surface
    double depth = 0;                // distance to the other surface; 0 for a vertex on it (m)
    Vec3 point = Vec3::Zero();       // closest point of the other surface
    Vec3 barycentric = Vec3::Zero(); // of `point` in `triangle`
    Vec3 separating_direction =
        Vec3::Zero(); // outward unit normal of the other surface at `point`: moving the vertex along it separates them
};

// Working memory of the queries; pass the same object again to allocate less. One query at a time.
struct SurfaceScratch {
    // Pairs of triangles. `swapped` holds the crossing pairs as {b, a}.
    std::vector<IdPair> candidates, crossing, swapped;
    std::vector<Edge> cut_edges;                    // edges of one surface that intersect the other, sorted
    std::vector<Index> seeds, touched, open, found; // vertices
    DisjointSets sets;                              // over the seeds
    std::vector<Index> mark[2]; // by vertex of a, of b: the patch of an inside vertex, or another Mark
    std::vector<Index> partner; // by vertex of the surface being processed
    std::vector<char> part_seen;
    std::vector<CollidingVertex> corners[2]; // corners of crossing triangles that are inside the other body
};

struct CollidingVertices {
    // overlapping: triangles cross or a vertex is inside. Edges may cross without any vertex inside.
    Status status = Status::disjoint;
    std::vector<CollidingVertex> vertices; // of a by number, then of b
    bool more_contacts = false;            // more vertices exist than are listed
    std::size_t inside_tests = 0;          // rays cast
};

struct CollidingVertexOptions {
    std::size_t max_contacts = 10'000'000;
};

// Vertices of each surface that are inside the other or on it, where the other is closed(); an open surface has no
// interior. Method: a flood fill from the crossing triangles over edges that do not cross, so that each ring of such
// triangles takes one inside test; a connected component without crossings takes one test. If both surfaces are the
// same object, the result is about the surface and itself; the short forms below are for that case.
void colliding_vertices(const DeformingSurface& a, const DeformingSurface& b, const CollidingVertexOptions& options,
                        SurfaceScratch& scratch, CollidingVertices& result);
[[nodiscard]] CollidingVertices colliding_vertices(const DeformingSurface& a, const DeformingSurface& b,
                                                   const CollidingVertexOptions& options = {});
// Vertices that have entered their own body, which must be closed and oriented outward: those with a winding number
// that is one too high. The depth is measured to the nearest triangle without a corner in the same patch of inside
// vertices. The inside test uses a point of a triangle that is a millionth of its size away from the vertex: layers
// that are closer may be misjudged. Components of one mesh are treated like two bodies.
[[nodiscard]] CollidingVertices colliding_vertices(const DeformingSurface& surface,
                                                   const CollidingVertexOptions& options = {});

// ---- Level 2: triangles.

struct SurfaceContact {
    Index triangle_a = no_index;
    Index triangle_b = no_index;
    OverlapKind kind =
        OverlapKind::none;    // intersection of the two triangles: a point, a segment, or an area in one plane
    bool from_bodies = false; // a corner of the two triangles is inside a closed body; depth and separating_direction
                              // are those of that corner
    Segment segment{};        // intersection of the triangles; start == end for a point (triangle_triangle.h)
    Vec3 normal_a = Vec3::Zero(); // unit, on the side from which corners run counter-clockwise; zero without area
    Vec3 normal_b = Vec3::Zero();
    Vec3 separating_direction =
        Vec3::Zero(); // separating direction (unit): a, translated along it by `depth`, only touches b there
    // Depth (m) of the deepest of the six corners in the other body if that is closed, else of the two triangles alone
    // (triangle_contact.h).
    double depth = 0;
};

struct SurfaceContacts {
    // Status on the surfaces: overlapping when triangles cross. A body wholly inside another is found at level 1.
    Status status = Status::disjoint;
    std::vector<SurfaceContact> contacts; // by triangle_a, then triangle_b
    bool more_contacts = false;           // more contacts exist than are listed
    std::size_t candidates = 0;           // pairs of triangles tested
};

enum class ContactDepth {
    none,      // intersections only; depth and separating_direction stay zero
    triangles, // of each pair of triangles
    bodies     // of the bodies where one is closed, else of the triangles
};

struct SurfaceContactOptions {
    ContactDepth depth = ContactDepth::bodies;
    std::size_t max_contacts = 10'000'000;
};

void surface_contacts(const DeformingSurface& a, const DeformingSurface& b, const SurfaceContactOptions& options,
                      SurfaceScratch& scratch, SurfaceContacts& result);
[[nodiscard]] SurfaceContacts surface_contacts(const DeformingSurface& a, const DeformingSurface& b,
                                               const SurfaceContactOptions& options = {});
// The same directly after colliding_vertices() of the two with this scratch, whose results are reused.
void surface_contacts(const DeformingSurface& a, const DeformingSurface& b, const SurfaceContactOptions& options,
                      const CollidingVertices& known, SurfaceScratch& scratch, SurfaceContacts& result);
// Triangles of one surface that intersect beyond their shared corners: triangle_a < triangle_b; `bodies` means
// `triangles`.
[[nodiscard]] SurfaceContacts surface_contacts(const DeformingSurface& surface,
                                               const SurfaceContactOptions& options = {});

// ---- Level 3: features within a distance.

struct SurfaceProximity {
    FeaturePair features{};
    // point_a is on the vertex or on the first edge, whichever surface that belongs to; separating_direction
    // follows the same rule.
    FeatureProximity nearness{};
};

struct SurfaceProximities {
    Status status = Status::disjoint;    // overlapping: at least one pair was found
    std::vector<SurfaceProximity> pairs; // by features
    bool more_contacts = false;
};

struct SurfaceProximityOptions {
    double distance = 0; // largest distance of the reported pairs (m)
    std::size_t max_contacts = 10'000'000;
};

// All pairs of features within the distance, including those whose closest points are on a border (see
// FeatureProximity::inner). Throws Error{invalid_argument} for a distance that is negative or not finite.
void surface_proximities(const DeformingSurface& a, const DeformingSurface& b, const SurfaceProximityOptions& options,
                         SurfaceScratch& scratch, SurfaceProximities& result);
[[nodiscard]] SurfaceProximities surface_proximities(const DeformingSurface& a, const DeformingSurface& b,
                                                     const SurfaceProximityOptions& options);
// Pairs of features of one surface that do not share a vertex.
[[nodiscard]] SurfaceProximities surface_proximities(const DeformingSurface& surface,
                                                     const SurfaceProximityOptions& options);

// ---- Time and place of the first contact of two deforming surfaces, or of one with itself, over a step. Every vertex
// moves uniformly along a line (DeformingSurface::update(start, end)); a surface that was updated without a start is
// stationary. All pairs of a vertex and a face and all pairs of edges are tested (continuous_contact.h), so that
// nothing passes through anything, thin sheets included.
// Conservative: no contact is missed and none occurs before the reported time; near misses within the tolerance may be
// reported as hits. Contacts are those of the surfaces: a body that is inside another during the whole step, and
// features that share a vertex, are not tested. Cost: 0.1 to 2 us for each pair of features whose paths have
// overlapping boxes. Parallel; the same result for any number of threads.

enum class ImpactGoal {
    first, // only the earliest contact: tests of later pairs end early
    all    // every pair of features that comes into contact within the step
};

struct SurfaceSweepOptions {
    ImpactGoal goal = ImpactGoal::all;
    ContinuousContactOptions
        contact{}; // separation, tolerance, number of refinements; only contacts up to its `latest` count
    std::size_t max_impacts = 10'000'000; // listed impacts; the earliest are kept
};

struct SurfaceImpact {
    FeaturePair features{};
    TimeOfImpact impact{};
};

struct SurfaceSweep {
    // disjoint: proven to stay apart. overlapping: a hit. undecided: all hits are pairs whose refinements ran out.
    Status status = Status::disjoint;
    double time = 1;                    // fraction of the step before which nothing touches; `latest` without a hit
    std::vector<SurfaceImpact> impacts; // by time, then features; goal first: the earliest one
    bool more_contacts = false;         // more impacts exist than `max_impacts`
    std::size_t tested = 0;             // pairs of features whose paths have overlapping boxes
};

// Throws Error{invalid_argument} for a separation that is not finite.
void surface_sweep(const DeformingSurface& a, const DeformingSurface& b, const SurfaceSweepOptions& options,
                   SurfaceScratch& scratch, SurfaceSweep& result);
[[nodiscard]] SurfaceSweep surface_sweep(const DeformingSurface& a, const DeformingSurface& b,
                                         const SurfaceSweepOptions& options = {});
[[nodiscard]] SurfaceSweep surface_sweep(const DeformingSurface& surface, const SurfaceSweepOptions& options = {});

} // namespace fathom::deformable
