// Generalised winding number of a surface at a point: 1 inside a closed, outward surface, 0 outside, values in between
// near holes; overlapping parts add up (Jacobson et al. 2013). A point with a value above 1/2 is considered inside.
// Method: distant groups of triangles are approximated by one dipole (Barill et al. 2018), near triangles by their
// solid angle. O(log n) per point. The error is a few hundredths. Immutable, thread-safe.
#pragma once

#include <fathom/geometry/mesh/triangle_mesh.h>
#include <fathom/index/bvh.h>

namespace fathom {

class WindingNumber {
public:
    // `tree` contains the boxes of the triangles of `mesh`. Both must outlive this object.
    WindingNumber(const TriangleMesh& mesh, const Bvh& tree);

    [[nodiscard]] double operator()(const Vec3& p) const;
    [[nodiscard]] std::size_t memory_bytes() const { return dipoles_.size() * sizeof(dipoles_[0]); }

private:
    // Far-field approximation of a group of triangles.
    struct Dipole {
        Vec3 center = Vec3::Zero();   // area centroid
        Vec3 strength = Vec3::Zero(); // sum of area vectors
        double radius = 0;            // distance from the centre within which all triangles lie (m)
        double area = 0;
    };

    [[nodiscard]] Dipole of_leaf(std::size_t leaf) const;
    [[nodiscard]] double sum(std::size_t node, const Vec3& p) const;
    [[nodiscard]] double sum_of_leaf(std::size_t leaf, const Vec3& p) const;

    const TriangleMesh& mesh_;
    const Bvh& tree_;
    std::vector<std::array<Dipole, 8>> dipoles_; // per node: the dipoles of its children
};

// The signed solid angle of a triangle seen from p, divided by 4 pi (Van Oosterom & Strackee 1983); 0 if p is in its
// plane.
[[nodiscard]] double solid_angle_share(const Vec3& p, const std::array<Vec3, 3>& corners);

} // namespace fathom
