// How often does a surface wind round a point? 1 inside a closed, outward surface, 0 outside, in
// between near holes; overlapping parts add up (Jacobson et al. 2013). A point whose number is past 1/2 is taken for
// inside. Method: far groups of triangles count as one dipole (Barill et al. 2018), near ones by their solid angle.
// O(log n) a point. The error is a few hundredths. Immutable, thread-safe.
#pragma once

#include <fathom/geometry/mesh/triangle_mesh.h>
#include <fathom/index/bvh.h>

namespace fathom {

class WindingNumber {
public:
    // `tree` is over the boxes of the triangles of `mesh`. Both must outlive this.
    WindingNumber(const TriangleMesh& mesh, const Bvh& tree);

    [[nodiscard]] double operator()(const Vec3& p) const;

private:
    // A group of triangles seen from afar.
    struct Dipole {
        Vec3 center = Vec3::Zero();   // of area
        Vec3 strength = Vec3::Zero(); // sum of area vectors
        double radius = 0;            // all triangles lie within it of the centre (m)
        double area = 0;
    };

    [[nodiscard]] Dipole of_leaf(std::size_t leaf) const;
    [[nodiscard]] double sum(std::size_t node, const Vec3& p) const;
    [[nodiscard]] double sum_of_leaf(std::size_t leaf, const Vec3& p) const;

    const TriangleMesh& mesh_;
    const Bvh& tree_;
    std::vector<std::array<Dipole, 8>> dipoles_; // of the children of every node
};

// The signed solid angle of a triangle seen from p, over 4 pi (Van Oosterom & Strackee 1983); 0 on its plane.
[[nodiscard]] double solid_angle_share(const Vec3& p, const std::array<Vec3, 3>& corners);

} // namespace fathom
