// What two deforming surfaces, or one with itself, have in contact now, in three depths of answer:
// vertices inside the other body; triangles that cross; features that are near. What Madera et al. 2006 leave open
// after their trees. Whether triangles cross and vertices are inside is decided exactly (triangle_triangle.h,
// DeformingSurface::winding); touching counts. Answers are sorted, hold each item once, and are the same for any number
// of threads. The functions that fill a result reuse its memory. const, thread-safe. Metres, world. Cost: 70 ns for
// each pair of triangles whose boxes overlap (triangle_triangle.h); with depth and inside tests 2 to 4 us a contact
// over all
// (./bench deformable/crowd).
#pragma once

#include <fathom/detect/deformable/deforming_surface.h>
#include <fathom/detect/result/result.h>
#include <fathom/geometry/mesh/adjacency.h>
#include <fathom/geometry/primitive/triangle_contact.h>

#include <algorithm>
#include <compare>

namespace fathom {

// Pairs of a vertex and a face, or of two edges, of deforming surfaces: each once, by the rule that every
// vertex and edge belongs to the lowest triangle that has it (after Curtis, Tamstorf & Manocha 2008).

enum class FeatureKind : std::uint8_t { vertex_face, edge_edge };

struct FeaturePair {
    FeatureKind kind = FeatureKind::vertex_face;
    bool swapped = false; // vertex_face: the vertex is of b and the face of a
    std::array<Index, 4>
        vertices{}; // the vertex and the corners of the face; or the ends of the edge of a, those of b, lower first
    Index triangle = no_index; // the face; no_index for edges

    friend auto operator<=>(const FeaturePair&, const FeaturePair&) = default;
};

[[nodiscard]] inline Edge edge_at(const DeformingSurface& surface, Index t, std::size_t side) {
    const Index from = surface.triangle(t)[side], to = surface.triangle(t)[(side + 1) % 3];
    return {std::min(from, to), std::max(from, to)};
}

// test(pair) for the features that two triangles own: their vertices against the other face, their edges against each
// other. For all pairs of triangles it is called once for all pairs of features. Of one surface (&a == &b), pairs with
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

// ---- Depth 1: vertices.

struct CollidingVertex {
    bool of_b = false; // a vertex of b inside a; else of a inside b
    Index vertex = no_index;
    Index triangle = no_index;       // of the other surface, where it is nearest
    double depth = 0;                // distance to the other surface; 0 for a vertex on it (m)
    Vec3 point = Vec3::Zero();       // of the other surface, nearest to the vertex
    Vec3 barycentric = Vec3::Zero(); // of `point` in `triangle`
    Vec3 normal = Vec3::Zero();      // unit, outward, of the other surface at `point`: the way out
};

// Memory that queries work in; give the same one again to allocate less. One query at a time.
struct SurfaceScratch {
    std::vector<IdPair> candidates, crossing, turned; // of triangles; `turned` are the crossing ones seen from b
    std::vector<Edge> cut_edges;                      // of one surface, that meet the other: sorted
    std::vector<Index> seeds, touched, open, found;   // vertices
    DisjointSets sets;                                // of seeds
    std::vector<Index> mark[2];                       // by vertex of a, of b: the patch of those inside, or a sign
    std::vector<Index> partner;                       // by vertex of the surface at work
    std::vector<char> part_seen;
    std::vector<CollidingVertex> corners[2]; // of crossing triangles, inside the other body
};

struct CollidingVertices {
    Verdict verdict = Verdict::disjoint; // overlapping: triangles cross, or a vertex is inside; edges may cross without
                                         // either vertex inside
    std::vector<CollidingVertex> vertices; // of a by number, then of b
    bool more_contacts = false;            // there are more
    std::size_t inside_tests = 0;          // rays cast
};

struct CollidingVertexOptions {
    std::size_t most = 10'000'000;
};

// Vertices of each surface inside the other or on it, where the other is closed(); an open surface has no inside.
// Method: from the crossing triangles on, over edges that do not cross, so that each ring of them takes one inside
// test; a part that crosses nothing takes one for itself. With one surface as both, the answer is about the surface and
// itself; the short forms below are for that.
void colliding_vertices(const DeformingSurface& a, const DeformingSurface& b, const CollidingVertexOptions& options,
                        SurfaceScratch& scratch, CollidingVertices& result);
[[nodiscard]] CollidingVertices colliding_vertices(const DeformingSurface& a, const DeformingSurface& b,
                                                   const CollidingVertexOptions& options = {});
// Vertices that have run into their own body, which must be closed and face outward: those round which it winds once
// more than it should. The depth is to the nearest triangle without a corner in the same patch of vertices inside. The
// inside test looks at a point of a triangle a millionth of its size off the vertex: nearer layers may be mistaken.
// Parts of one mesh meet like two bodies.
[[nodiscard]] CollidingVertices colliding_vertices(const DeformingSurface& surface,
                                                   const CollidingVertexOptions& options = {});

// ---- Depth 2: triangles.

struct SurfaceContact {
    Index triangle_a = no_index;
    Index triangle_b = no_index;
    OverlapKind kind = OverlapKind::none; // what the two triangles share: a point, a segment, or area in one plane
    bool from_bodies = false;     // a corner of the two is inside a closed body: depth and way_out are that corner's
    Segment segment{};            // shared by both; start == end for a point (triangle_triangle.h)
    Vec3 normal_a = Vec3::Zero(); // unit, of the side from which corners run counter-clockwise; zero without area
    Vec3 normal_b = Vec3::Zero();
    Vec3 way_out = Vec3::Zero(); // unit: a moved along it by `depth` only touches b there
    double depth = 0; // (m) of the deepest of the six corners in the other body, where that is closed; else of the two
                      // triangles alone (triangle_contact.h)
};

struct SurfaceContacts {
    Verdict verdict = Verdict::disjoint;  // of the surfaces: overlapping when triangles cross. A body inside another is
                                          // found by depth 1
    std::vector<SurfaceContact> contacts; // by triangle_a, then triangle_b
    bool more_contacts = false;           // there are more
    std::size_t candidates = 0;           // pairs of triangles that were tested
};

enum class ContactDepth {
    none,      // where they cross alone; depth and way_out stay zero
    triangles, // of each pair of triangles
    bodies     // of the bodies where one is closed, else of the triangles
};

struct SurfaceContactOptions {
    ContactDepth depth = ContactDepth::bodies;
    std::size_t most = 10'000'000;
};

void surface_contacts(const DeformingSurface& a, const DeformingSurface& b, const SurfaceContactOptions& options,
                      SurfaceScratch& scratch, SurfaceContacts& result);
[[nodiscard]] SurfaceContacts surface_contacts(const DeformingSurface& a, const DeformingSurface& b,
                                               const SurfaceContactOptions& options = {});
// The same right after colliding_vertices() of the two with this scratch: what that found is not looked for again.
void surface_contacts(const DeformingSurface& a, const DeformingSurface& b, const SurfaceContactOptions& options,
                      const CollidingVertices& known, SurfaceScratch& scratch, SurfaceContacts& result);
// Triangles of one surface that meet beyond the corners they share: triangle_a < triangle_b; `bodies` means
// `triangles`.
[[nodiscard]] SurfaceContacts surface_contacts(const DeformingSurface& surface,
                                               const SurfaceContactOptions& options = {});

// ---- Depth 3: near features.

struct SurfaceProximity {
    FeaturePair features{};
    FeatureProximity nearness{}; // point_a is on the vertex or the first edge, whichever surface that is of; so is the
                                 // sense of the normal
};

struct SurfaceProximities {
    Verdict verdict = Verdict::disjoint; // overlapping: there are some
    std::vector<SurfaceProximity> pairs; // by features
    bool more_contacts = false;
};

struct SurfaceProximityOptions {
    double distance = 0; // pairs not farther apart than this (m)
    std::size_t most = 10'000'000;
};

// All pairs of features within the distance, also those whose nearest points lie on a border (FeatureProximity::inner
// tells). Throws Error{invalid_argument} for a distance that is negative or not finite.
void surface_proximities(const DeformingSurface& a, const DeformingSurface& b, const SurfaceProximityOptions& options,
                         SurfaceScratch& scratch, SurfaceProximities& result);
[[nodiscard]] SurfaceProximities surface_proximities(const DeformingSurface& a, const DeformingSurface& b,
                                                     const SurfaceProximityOptions& options);
// Features of one surface that share no vertex.
[[nodiscard]] SurfaceProximities surface_proximities(const DeformingSurface& surface,
                                                     const SurfaceProximityOptions& options);

} // namespace fathom
