// Vertices inside a surface: inside tests where triangles cross, and a flood fill from there over edges that do not
// cross.
#include <fathom/detect/deformable/inside_vertices.h>

#include <fathom/geometry/exact/predicates.h>
#include <fathom/geometry/surface_tree/triangle_exact.h>

#include <algorithm>
#include <cmath>

namespace fathom::deformable {

namespace {

constexpr double off_the_vertex =
    0x1p-20; // fraction of the sides of a triangle at which a surface is tested against itself

bool names(const Triangle& t, Index vertex) { return t[0] == vertex || t[1] == vertex || t[2] == vertex; }

} // namespace

std::size_t InsideVertices::find(std::span<const IdPair> crossing, bool near_only, std::vector<Index>& found) {
    found_ = &found;
    mark_.assign(of_.vertices().size(), unknown);
    partner_.assign(of_.vertices().size(), no_index);
    scratch_.cut_edges.clear();
    scratch_.seeds.clear();
    scratch_.touched.clear();
    mark_seeds(crossing);
    std::sort(scratch_.cut_edges.begin(), scratch_.cut_edges.end());
    scratch_.cut_edges.erase(std::unique(scratch_.cut_edges.begin(), scratch_.cut_edges.end()),
                             scratch_.cut_edges.end());
    join_seeds(crossing);
    judge_seeds();
    if (!near_only) {
        const std::size_t near = found.size();
        for (std::size_t k = 0; k < near; ++k)
            if (mark_[found[k]] >= first_patch) flood(found[k], mark_[found[k]]);
        test_parts();
    }
    std::sort(found.begin(), found.end());
    return tests_;
}

void InsideVertices::mark_seeds(std::span<const IdPair> crossing) {
    for (const auto& [own, other] : crossing) {
        for (const Index v : of_.triangle(own)) {
            if (mark_[v] != unknown) continue;
            mark_[v] = seed_bit | static_cast<Index>(scratch_.seeds.size());
            partner_[v] = other;
            scratch_.seeds.push_back(v);
        }
        cut(own, other);
    }
}

// Seeds on one side of a crossing triangle are connected. They may also be connected elsewhere; they are then tested
// twice.
void InsideVertices::join_seeds(std::span<const IdPair> crossing) {
    scratch_.sets.reset(scratch_.seeds.size());
    Index last = no_index;
    for (const auto& [own, other] : crossing) {
        if (own == last || names_a_vertex_twice(of_.triangle(own))) continue;
        last = own;
        for (std::size_t k = 0; k < 3; ++k) {
            const Edge edge = edge_at(of_, own, k);
            const Index first = mark_[edge[0]] & ~seed_bit, second = mark_[edge[1]] & ~seed_bit;
            if (scratch_.sets.find(first) == scratch_.sets.find(second)) continue; // faster than searching for the edge
            if (!std::binary_search(scratch_.cut_edges.begin(), scratch_.cut_edges.end(), edge))
                scratch_.sets.join(first, second);
        }
    }
}

// One test per set: its representative is its first seed, which precedes the others.
void InsideVertices::judge_seeds() {
    for (const Index v : scratch_.touched) mark_[v] = on_surface;
    for (Index k = 0; k < scratch_.seeds.size(); ++k) {
        const Index v = scratch_.seeds[k], first = scratch_.seeds[scratch_.sets.find(k)];
        if (mark_[v] != on_surface)
            mark_[v] = v != first ? mark_[first] : is_inside(v) ? next_patch_++ : Index{outside};
        if (mark_[v] != outside) found_->push_back(v);
    }
}

// Owned edges and vertices suffice: if one of them intersects a triangle of the other surface, all triangles that
// contain it cross that triangle.
void InsideVertices::cut(Index own, Index other) {
    const Triangle& t = of_.triangle(own);
    const Triangle& face = in_.triangle(other);
    const auto corners = in_.corners(other);
    for (std::size_t k = 0; k < 3; ++k) {
        const Vec3& p = of_.vertices()[t[k]];
        if (of_.owns_corner(own, k) && !(self() && names(face, t[k])) &&
            orient3d(corners[0], corners[1], corners[2], p) == 0 && segment_overlaps_triangle({p, p}, corners))
            scratch_.touched.push_back(t[k]);
        if (of_.owns_side(own, k) && cuts(edge_at(of_, own, k), face, corners))
            scratch_.cut_edges.push_back(edge_at(of_, own, k));
    }
}

bool InsideVertices::cuts(const Edge& edge, const Triangle& face, const std::array<Vec3, 3>& corners) const {
    const Vec3 &p = of_.vertices()[edge[0]], &q = of_.vertices()[edge[1]];
    if (!self()) return segment_overlaps_triangle({p, q}, corners);
    const bool starts = names(face, edge[0]), ends = names(face, edge[1]);
    if (starts && ends) return false;
    if (!starts && !ends) return segment_overlaps_triangle({p, q}, corners);
    // The edge intersects the face in the common corner, and elsewhere only if it lies in its plane. A superfluous cut
    // is harmless.
    return orient3d(corners[0], corners[1], corners[2], starts ? q : p) == 0;
}

bool InsideVertices::is_inside(Index vertex) {
    ++tests_;
    const Vec3& p = of_.vertices()[vertex];
    if (!self()) return in_.winding(p) != 0;
    Index beside = no_index;
    of_.visit_corners(vertex, [&](Index corner) {
        if (beside == no_index && area_vector(of_.corners(corner / 3)) != Vec3::Zero()) beside = corner / 3;
    });
    if (beside == no_index) return false;
    const auto c = of_.corners(beside);
    const Vec3 near = p + off_the_vertex * ((c[0] - p) + (c[1] - p) + (c[2] - p));
    return of_.winding_above(near, beside) > 0;
}

// All vertices connected to a vertex inside are inside: the border is marked already, because both ends of a cut edge
// are seeds.
void InsideVertices::flood(Index from, Index patch) {
    std::vector<Index>& open = scratch_.open;
    open.assign(1, from);
    while (!open.empty()) {
        const Index v = open.back();
        open.pop_back();
        of_.visit_corners(v, [&](Index corner) {
            const Triangle& t = of_.triangle(corner / 3);
            if (names_a_vertex_twice(t)) return;
            for (const Index w : t) {
                if (mark_[w] != unknown) continue;
                mark_[w] = patch;
                found_->push_back(w);
                open.push_back(w);
            }
        });
    }
}

void InsideVertices::test_parts() {
    scratch_.part_seen.assign(of_.component_samples().size(), 0);
    for (const Index v : scratch_.seeds) scratch_.part_seen[of_.part(v)] = 1;
    for (std::size_t k = 0; k < scratch_.part_seen.size(); ++k) {
        const Index speaker = of_.component_samples()[k];
        if (scratch_.part_seen[k] || !in_.bounds().contains(of_.vertices()[speaker])) continue;
        if (!is_inside(speaker)) continue;
        mark_[speaker] = next_patch_++;
        found_->push_back(speaker);
        flood(speaker, mark_[speaker]);
    }
}

CollidingVertex InsideVertices::describe(Index vertex, bool of_b, const Vec3* known) const {
    const Vec3& p = of_.vertices()[vertex];
    double radius = std::numeric_limits<double>::infinity();
    if (!self() && partner_[vertex] != no_index)
        radius = squared_distance(p, in_.corners(partner_[vertex]));
    else if (!self() && known)
        radius = (p - *known).squaredNorm() * (1 + 1e-9);
    ClosestPoint nearest;
    if (self()) {
        const Index patch = mark_[vertex];
        nearest = in_.nearest(p, radius, [&](Index t) {
            const Triangle& c = in_.triangle(t);
            if (patch < first_patch) return names(c, vertex);
            return mark_[c[0]] == patch || mark_[c[1]] == patch || mark_[c[2]] == patch;
        });
    } else {
        nearest = in_.nearest(p, radius);
    }
    CollidingVertex result{.of_b = of_b, .vertex = vertex};
    if (!nearest.found()) return result; // self-contact only: all other triangles have a corner in its patch
    result.triangle = nearest.triangle;
    result.depth = mark_[vertex] == on_surface ? 0.0 : std::sqrt(nearest.squared_distance);
    result.point = nearest.point;
    result.barycentric = nearest.barycentric;
    result.separating_direction = in_.normal_at(nearest);
    return result;
}

} // namespace fathom::deformable
