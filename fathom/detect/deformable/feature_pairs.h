// Pairs of a vertex and a face, or of two edges, of deforming surfaces: each once, by the rule that every
// vertex and edge belongs to the lowest triangle that has it (after Curtis, Tamstorf & Manocha 2008).
#pragma once

#include <fathom/detect/deformable/deforming_surface.h>

#include <algorithm>
#include <compare>

namespace fathom {

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

} // namespace fathom
