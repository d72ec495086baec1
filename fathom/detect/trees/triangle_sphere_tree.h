// A mesh as balls over balls over triangles, which do not mind turning: what every question about a mesh
// in a pose walks (mesh_contacts.h, reduce_contacts.h, mesh_pair.h, distance_lower_bound.h). Immutable, thread-safe.
// Metres, in the mesh's own frame.
#pragma once

#include <fathom/base/primitives.h>
#include <fathom/geometry/mesh/triangle_mesh.h>
#include <fathom/index/sphere_tree.h>

#include <array>
#include <vector>

namespace fathom {

// A mesh made ready to meet fields, in its own frame: balls over balls over triangles. Any triangles will do, also flat
// ones and soups. About 65 bytes a triangle. Build O(n log n). Throws Error as check(mesh) does; an empty mesh touches
// nothing.
class TriangleSphereTree {
public:
    explicit TriangleSphereTree(const TriangleMesh& mesh);

    [[nodiscard]] std::size_t size() const { return triangles_.size(); }
    [[nodiscard]] const SphereTree& tree() const { return tree_; } // of the centres of the triangles' balls
    // By node of the tree: the triangles below lie within this of its centre (m).
    [[nodiscard]] double reach(std::size_t node) const { return static_cast<double>(reach_[node]); }
    // By place in the order of the tree: the ball round a triangle, its vertices, where they are, its number in the
    // mesh.
    [[nodiscard]] Sphere ball(std::size_t place) const {
        return {tree_.points()[place], static_cast<double>(radius_[place])};
    }
    [[nodiscard]] const Triangle& vertices(std::size_t place) const { return triangles_[place]; }
    [[nodiscard]] std::array<Vec3, 3> corners(std::size_t place) const {
        const Triangle& t = triangles_[place];
        return {vertices_[t[0]], vertices_[t[1]], vertices_[t[2]]};
    }
    [[nodiscard]] Index triangle(std::size_t place) const { return tree_.order()[place]; }
    [[nodiscard]] std::size_t memory_bytes() const;

private:
    std::vector<Vec3> vertices_;
    std::vector<Triangle> triangles_; // in the order of the tree
    std::vector<float> radius_;       // in the order of the tree; rounded up
    std::vector<float> reach_;        // by node; rounded up
    SphereTree tree_;
};

// The smallest ball round a triangle; its centre is a point of the triangle, also where there is no area.
[[nodiscard]] Sphere ball_round(const std::array<Vec3, 3>& corners);
// The first of equals: 0 is from corner 0 to 1, 1 from 1 to 2, 2 from 2 to 0.
[[nodiscard]] std::size_t longest_edge(const std::array<Vec3, 3>& corners);

} // namespace fathom
