// Helpers for the tests of editable meshes: volumes, angles, clipped tetrahedra, and a copy that is updated from the
// reports of edits.
#pragma once

#include <fathom/base/random.h>
#include <fathom/geometry/edit/tet_edit.h>
#include <fathom/geometry/exact/predicates.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace fathom::testing {

[[nodiscard]] inline double volume_of(const EditableTetMesh& mesh) {
    long double sum = 0;
    for (Index t = 0; t < mesh.tet_slots(); ++t)
        if (mesh.has_tet(t)) sum += signed_volume(mesh.corners(t));
    return static_cast<double>(sum);
}

[[nodiscard]] inline std::size_t not_positive(const EditableTetMesh& mesh) {
    std::size_t count = 0;
    for (Index t = 0; t < mesh.tet_slots(); ++t) {
        if (!mesh.has_tet(t)) continue;
        const auto [a, b, c, d] = mesh.corners(t);
        count += orient3d(a, b, c, d) <= 0;
    }
    return count;
}

// 1 for a regular tetrahedron, 0 for a flat one: volume over the cube of the mean square length of the edges.
[[nodiscard]] inline double quality(const std::array<Vec3, 4>& c) {
    double squares = 0;
    for (std::size_t i = 0; i < 4; ++i)
        for (std::size_t j = i + 1; j < 4; ++j) squares += (c[j] - c[i]).squaredNorm();
    return 6 * std::sqrt(2.0) * signed_volume(c) / std::pow(squares / 6, 1.5);
}

// The smallest angle between two faces (degrees).
[[nodiscard]] inline double smallest_dihedral(const std::array<Vec3, 4>& c) {
    std::array<Vec3, 4> normals;
    for (std::size_t k = 0; k < 4; ++k) {
        const auto& f = tetrahedron_faces[k];
        normals[k] = area_vector({c[static_cast<std::size_t>(f[0])], c[static_cast<std::size_t>(f[1])],
                                  c[static_cast<std::size_t>(f[2])]})
                         .normalized();
    }
    double smallest = 180;
    for (std::size_t i = 0; i < 4; ++i)
        for (std::size_t j = i + 1; j < 4; ++j)
            smallest = std::min(smallest, std::acos(std::clamp(-normals[i].dot(normals[j]), -1.0, 1.0)) * 180 /
                                              3.14159265358979323846);
    return smallest;
}

struct Worst {
    double quality = 1, dihedral = 180, volume = 1e300;
};

[[nodiscard]] inline Worst worst_of(const EditableTetMesh& mesh) {
    Worst worst;
    for (Index t = 0; t < mesh.tet_slots(); ++t) {
        if (!mesh.has_tet(t)) continue;
        worst.quality = std::min(worst.quality, quality(mesh.corners(t)));
        worst.dihedral = std::min(worst.dihedral, smallest_dihedral(mesh.corners(t)));
        worst.volume = std::min(worst.volume, signed_volume(mesh.corners(t)));
    }
    return worst;
}

// The volume of the part of a tetrahedron with height above 0, heights linear: by the products of shares of its edges.
[[nodiscard]] inline double volume_above(const std::array<Vec3, 4>& c, std::array<double, 4> h) {
    const double whole = signed_volume(c);
    std::sort(h.begin(), h.end());
    const auto above = static_cast<std::size_t>(std::count_if(h.begin(), h.end(), [](double x) { return x > 0; }));
    const auto corner = [&](std::size_t k, std::size_t i) { return h[k] / (h[k] - h[i]); };
    if (above == 0) return 0;
    if (above == 4) return whole;
    if (above == 1) return whole * corner(3, 0) * corner(3, 1) * corner(3, 2);
    if (above == 3) return whole * (1 - corner(0, 1) * corner(0, 2) * corner(0, 3));
    // Two above: three tetrahedra fill the wedge.
    const double a = corner(3, 0), b = corner(3, 1), d = corner(2, 0), e = corner(2, 1);
    return whole * (a * b + d * (1 - a) * b + d * e * (1 - b));
}

[[nodiscard]] inline std::vector<double> part_volumes(const EditableTetMesh& mesh) {
    const TetParts parts = mesh.parts();
    std::vector<double> volumes(parts.count, 0);
    for (Index t = 0; t < mesh.tet_slots(); ++t)
        if (mesh.has_tet(t)) volumes[parts.of_tet[t]] += signed_volume(mesh.corners(t));
    return volumes;
}

// A copy of a mesh that is updated from the reports of edits only: boundary, tetrahedra and origins of vertices.
class Follower {
public:
    explicit Follower(const EditableTetMesh& mesh)
        : boundary_(mesh.boundary().begin(), mesh.boundary().end()),
          positions_(mesh.positions().begin(), mesh.positions().end()) {
        for (Index t = 0; t < mesh.tet_slots(); ++t)
            if (mesh.has_tet(t)) tets_[t] = mesh.tet(t);
    }

    void follow(const EditableTetMesh& mesh, const TetEdit& edit) {
        positions_.resize(mesh.vertex_slots(), Vec3::Zero());
        for (const TetEdit::NewVertex& v : edit.new_vertices)
            positions_[v.vertex] = (1 - v.share) * positions_[v.a] + v.share * positions_[v.b];
        for (const Index f : edit.removed_boundary) EXPECT_EQ(boundary_.erase(f), 1u);
        for (const Index f : edit.new_boundary) EXPECT_TRUE(boundary_.insert(f).second);
        for (const TetEdit::NewTet& n : edit.new_tets) {
            EXPECT_TRUE(tets_.contains(n.parent));
            EXPECT_FALSE(tets_.contains(n.tet));
            tets_[n.tet] = mesh.tet(n.tet);
        }
        for (const Index t : edit.changed_tets) tets_.at(t) = mesh.tet(t);
        for (const Index t : edit.removed_tets) EXPECT_EQ(tets_.erase(t), 1u);
    }

    void expect_same(const EditableTetMesh& mesh) const {
        EXPECT_EQ(boundary_, std::set<Index>(mesh.boundary().begin(), mesh.boundary().end()));
        EXPECT_EQ(tets_.size(), mesh.tet_count());
        for (const auto& [t, corners] : tets_) {
            ASSERT_TRUE(mesh.has_tet(t));
            EXPECT_EQ(corners, mesh.tet(t));
            for (const Index v : corners) EXPECT_EQ(positions_[v], mesh.positions()[v]);
        }
    }

private:
    std::set<Index> boundary_;
    std::map<Index, Tetrahedron> tets_;
    std::vector<Vec3> positions_;
};

} // namespace fathom::testing
