// Colliding vertices, triangle contacts and proximities of deforming surfaces.
#include <fathom/detect/deformable/surface_contacts.h>

#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/base/rounding.h>
#include <fathom/detect/deformable/inside_vertices.h>
#include <fathom/geometry/mesh/normals.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace fathom::deformable {

namespace {

constexpr std::size_t test_chunk = 2048;
constexpr std::size_t describe_chunk = 256;

// Finds the pairs of triangles that cross, sorted, in scratch.crossing.
void find_crossing(const DeformingSurface& a, const DeformingSurface& b, SurfaceScratch& scratch) {
    const bool self = &a == &b;
    scratch.candidates.clear();
    scratch.crossing.clear();
    if (self)
        TriangleTree::close_pairs(a.tree(), 0, scratch.candidates);
    else
        TriangleTree::close_pairs(a.tree(), b.tree(), 0, scratch.candidates);
    parallel_append(scratch.candidates.size(), test_chunk, scratch.crossing,
                    [&](std::size_t k, std::vector<IdPair>& part) {
                        const auto& [s, t] = scratch.candidates[k];
                        if (!a.contains(s) || !b.contains(t)) return;
                        const auto p = a.corners(s), q = b.corners(t);
                        if (self ? triangles_cross(p, q) : triangles_overlap(p, q)) part.push_back({s, t});
                    });
    std::sort(scratch.crossing.begin(), scratch.crossing.end());
}

// Writes the crossing pairs as {b, a}, sorted, to scratch.swapped.
void swap_crossing(SurfaceScratch& scratch) {
    scratch.swapped.clear();
    for (const auto& [s, t] : scratch.crossing) scratch.swapped.push_back({t, s});
    std::sort(scratch.swapped.begin(), scratch.swapped.end());
}

// Appends the description of the vertices found; the closest point of one bounds the search of the next.
void describe(const InsideVertices& inside, std::span<const Index> found, bool of_b,
              std::vector<CollidingVertex>& out) {
    const std::size_t first = out.size();
    out.resize(first + found.size());
    parallel_for(found.size(), describe_chunk, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) {
            CollidingVertex* const here = &out[first + k];
            *here = inside.describe(found[k], of_b, k > begin ? &here[-1].point : nullptr);
        }
    });
}

// The vertices of one surface inside the other.
struct Side {
    const DeformingSurface& of;
    const DeformingSurface& in;
    bool of_b;
};
void add_inside(const Side& side, std::span<const IdPair> crossing, std::size_t max_contacts, SurfaceScratch& scratch,
                CollidingVertices& result) {
    if (!side.in.closed()) return;
    InsideVertices inside(side.of, side.in, scratch, scratch.mark[side.of_b]);
    std::vector<Index>& found = scratch.found;
    found.clear();
    result.inside_tests += inside.find(crossing, false, found);
    if (!found.empty()) result.status = Status::overlapping;
    const std::size_t room = max_contacts - result.vertices.size();
    result.more_contacts = result.more_contacts || found.size() > room;
    describe(inside, std::span(found).first(std::min(found.size(), room)), side.of_b, result.vertices);
}

// The entry of a corner of a crossing triangle inside the other body, or null.
const CollidingVertex* found_at(std::span<const CollidingVertex> sorted, Index vertex) {
    const auto at = std::lower_bound(sorted.begin(), sorted.end(), vertex,
                                     [](const CollidingVertex& c, Index v) { return c.vertex < v; });
    return at != sorted.end() && at->vertex == vertex ? &*at : nullptr;
}

// Finds the corners of crossing triangles inside the other body.
void find_near_corners(const Side& side, std::span<const IdPair> crossing, SurfaceScratch& scratch) {
    std::vector<CollidingVertex>& corners = scratch.corners[side.of_b];
    corners.clear();
    if (!side.in.closed() || crossing.empty()) return;
    InsideVertices inside(side.of, side.in, scratch, scratch.mark[side.of_b]);
    scratch.found.clear();
    inside.find(crossing, true, scratch.found);
    describe(inside, scratch.found, side.of_b, corners);
}

// Vertices of a inside b, and of b inside a, by number.
using InsideBoth = std::array<std::span<const CollidingVertex>, 2>;

// Sets the depth to that of the deepest corner of either triangle inside the other body, if there is one.
void take_depth_of_bodies(const DeformingSurface& a, const DeformingSurface& b, const InsideBoth& inside,
                          SurfaceContact& contact) {
    const auto use_corners = [&](const DeformingSurface& of, Index t, bool of_b) {
        for (const Index v : of.triangle(t)) {
            const CollidingVertex* const corner = found_at(inside[of_b], v);
            if (!corner || (contact.from_bodies && corner->depth <= contact.depth)) continue;
            contact.from_bodies = true;
            contact.depth = corner->depth;
            contact.separating_direction = of_b ? Vec3(-corner->separating_direction) : corner->separating_direction;
        }
    };
    use_corners(a, contact.triangle_a, false);
    use_corners(b, contact.triangle_b, true);
}

SurfaceContact contact_of(const DeformingSurface& a, const DeformingSurface& b, const IdPair& pair, ContactDepth depth,
                          const InsideBoth& inside) {
    const auto p = a.corners(pair[0]), q = b.corners(pair[1]);
    SurfaceContact contact{.triangle_a = pair[0], .triangle_b = pair[1]};
    if (depth == ContactDepth::bodies) take_depth_of_bodies(a, b, inside, contact);
    if (depth == ContactDepth::none || contact.from_bodies) {
        const TriangleOverlap overlap = triangle_overlap(p, q);
        contact.kind = overlap.kind;
        contact.segment = overlap.segment;
        contact.normal_a = unit_normal(p);
        contact.normal_b = unit_normal(q);
        return contact;
    }
    const TriangleContact found = triangle_contact(p, q);
    contact.kind = found.kind;
    contact.segment = found.segment;
    contact.normal_a = found.normal_a;
    contact.normal_b = found.normal_b;
    contact.separating_direction = found.separating_direction;
    contact.depth = found.depth;
    return contact;
}

// Fills in the contacts of the pairs in scratch.crossing.
void describe_crossing(const DeformingSurface& a, const DeformingSurface& b, const SurfaceContactOptions& options,
                       ContactDepth depth, const SurfaceScratch& scratch, const InsideBoth& inside,
                       SurfaceContacts& result) {
    result.status = scratch.crossing.empty() ? Status::disjoint : Status::overlapping;
    result.candidates = scratch.candidates.size();
    result.more_contacts = scratch.crossing.size() > options.max_contacts;
    result.contacts.resize(std::min(scratch.crossing.size(), options.max_contacts));
    parallel_for(result.contacts.size(), describe_chunk, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k)
            result.contacts[k] = contact_of(a, b, scratch.crossing[k], depth, inside);
    });
}

// A surface tested against itself has no corners inside another body.
ContactDepth depth_for(const DeformingSurface& a, const DeformingSurface& b, const SurfaceContactOptions& options) {
    return &a == &b && options.depth == ContactDepth::bodies ? ContactDepth::triangles : options.depth;
}

// Boxes are compared by rounded sums, and distances are rounded too: pairs at the limit must not be lost.
double padded(double distance, const Box& bounds) {
    return distance * (1 + 1e-6) +
           relative_rounding * std::max(bounds.lower.cwiseAbs().maxCoeff(), bounds.upper.cwiseAbs().maxCoeff());
}

Segment segment_of(std::span<const Vec3> vertices, Index from, Index to) { return {vertices[from], vertices[to]}; }

FeatureProximity nearness_of(const DeformingSurface& a, const DeformingSurface& b, const FeaturePair& pair) {
    const auto& v = pair.vertices;
    if (pair.kind == FeatureKind::edge_edge)
        return edge_edge_proximity(segment_of(a.vertices(), v[0], v[1]), segment_of(b.vertices(), v[2], v[3]));
    const DeformingSurface &of = pair.swapped ? b : a, &face = pair.swapped ? a : b;
    return vertex_face_proximity(of.vertices()[v[0]], face.corners(pair.triangle));
}

bool boxes_within(const DeformingSurface& a, const DeformingSurface& b, const FeaturePair& pair, double reach) {
    const auto& v = pair.vertices;
    if (pair.kind == FeatureKind::edge_edge)
        return segment_of(a.vertices(), v[0], v[1])
            .bounds()
            .grown(reach)
            .overlaps(segment_of(b.vertices(), v[2], v[3]).bounds());
    const DeformingSurface &of = pair.swapped ? b : a, &face = pair.swapped ? a : b;
    Box box;
    for (const Vec3& corner : face.corners(pair.triangle)) box.extend(corner);
    return box.grown(reach).contains(of.vertices()[v[0]]);
}

} // namespace

void colliding_vertices(const DeformingSurface& a, const DeformingSurface& b, const CollidingVertexOptions& options,
                        SurfaceScratch& scratch, CollidingVertices& result) {
    result.vertices.clear();
    result.more_contacts = false;
    result.inside_tests = 0;
    find_crossing(a, b, scratch);
    result.status = scratch.crossing.empty() ? Status::disjoint : Status::overlapping;
    swap_crossing(scratch);
    if (&a == &b) {
        scratch.swapped.insert(scratch.swapped.end(), scratch.crossing.begin(), scratch.crossing.end());
        std::sort(scratch.swapped.begin(), scratch.swapped.end());
        add_inside({a, a, false}, scratch.swapped, options.max_contacts, scratch, result);
        return;
    }
    add_inside({a, b, false}, scratch.crossing, options.max_contacts, scratch, result);
    add_inside({b, a, true}, scratch.swapped, options.max_contacts, scratch, result);
}

CollidingVertices colliding_vertices(const DeformingSurface& a, const DeformingSurface& b,
                                     const CollidingVertexOptions& options) {
    SurfaceScratch scratch;
    CollidingVertices result;
    colliding_vertices(a, b, options, scratch, result);
    return result;
}

CollidingVertices colliding_vertices(const DeformingSurface& surface, const CollidingVertexOptions& options) {
    return colliding_vertices(surface, surface, options);
}

void surface_contacts(const DeformingSurface& a, const DeformingSurface& b, const SurfaceContactOptions& options,
                      SurfaceScratch& scratch, SurfaceContacts& result) {
    find_crossing(a, b, scratch);
    const ContactDepth depth = depth_for(a, b, options);
    InsideBoth inside;
    if (depth == ContactDepth::bodies) {
        swap_crossing(scratch);
        find_near_corners({a, b, false}, scratch.crossing, scratch);
        find_near_corners({b, a, true}, scratch.swapped, scratch);
        inside = {scratch.corners[0], scratch.corners[1]};
    }
    describe_crossing(a, b, options, depth, scratch, inside, result);
}

void surface_contacts(const DeformingSurface& a, const DeformingSurface& b, const SurfaceContactOptions& options,
                      const CollidingVertices& known, SurfaceScratch& scratch, SurfaceContacts& result) {
    if (known.more_contacts) return surface_contacts(a, b, options, scratch, result);
    const auto begin = known.vertices.begin(), end = known.vertices.end();
    const auto of_b = std::partition_point(begin, end, [](const CollidingVertex& v) { return !v.of_b; });
    describe_crossing(a, b, options, depth_for(a, b, options), scratch, {std::span(begin, of_b), std::span(of_b, end)},
                      result);
}

SurfaceContacts surface_contacts(const DeformingSurface& a, const DeformingSurface& b,
                                 const SurfaceContactOptions& options) {
    SurfaceScratch scratch;
    SurfaceContacts result;
    surface_contacts(a, b, options, scratch, result);
    return result;
}

SurfaceContacts surface_contacts(const DeformingSurface& surface, const SurfaceContactOptions& options) {
    return surface_contacts(surface, surface, options);
}

void surface_proximities(const DeformingSurface& a, const DeformingSurface& b, const SurfaceProximityOptions& options,
                         SurfaceScratch& scratch, SurfaceProximities& result) {
    if (!(options.distance >= 0) || !std::isfinite(options.distance))
        throw Error(Cause::invalid_argument, fmt::format("distance {} is negative or not finite", options.distance),
                    {.element = "option distance"});
    result.pairs.clear();
    scratch.candidates.clear();
    const double reach = padded(options.distance, hull(a.bounds(), b.bounds()));
    if (&a == &b)
        TriangleTree::close_pairs(a.tree(), reach, scratch.candidates);
    else
        TriangleTree::close_pairs(a.tree(), b.tree(), reach, scratch.candidates);
    parallel_append(scratch.candidates.size(), test_chunk, result.pairs,
                    [&](std::size_t k, std::vector<SurfaceProximity>& part) {
                        const auto& [s, t] = scratch.candidates[k];
                        if (!a.contains(s) || !b.contains(t)) return;
                        each_feature_pair(a, b, scratch.candidates[k], [&](const FeaturePair& pair) {
                            if (!boxes_within(a, b, pair, reach)) return;
                            const FeatureProximity near = nearness_of(a, b, pair);
                            if (near.distance <= options.distance) part.push_back({pair, near});
                        });
                    });
    std::sort(result.pairs.begin(), result.pairs.end(),
              [](const SurfaceProximity& p, const SurfaceProximity& q) { return p.features < q.features; });
    result.status = result.pairs.empty() ? Status::disjoint : Status::overlapping;
    result.more_contacts = result.pairs.size() > options.max_contacts;
    if (result.more_contacts) result.pairs.resize(options.max_contacts);
}

SurfaceProximities surface_proximities(const DeformingSurface& a, const DeformingSurface& b,
                                       const SurfaceProximityOptions& options) {
    SurfaceScratch scratch;
    SurfaceProximities result;
    surface_proximities(a, b, options, scratch, result);
    return result;
}

SurfaceProximities surface_proximities(const DeformingSurface& surface, const SurfaceProximityOptions& options) {
    return surface_proximities(surface, surface, options);
}

} // namespace fathom::deformable
