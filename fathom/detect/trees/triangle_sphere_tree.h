// Bounding-sphere tree over the triangles of a mesh. Spheres are invariant under rotation, so queries of a mesh in any
// pose use this tree (mesh_contacts.h, contact_reduction.h, distance_lower_bound.h).
// Immutable and thread-safe. Unit: metres, in the mesh's own frame.
#pragma once

#include <fathom/base/primitives.h>
#include <fathom/geometry/mesh/triangle_mesh.h>
#include <fathom/index/sphere_tree.h>

#include <array>
#include <memory>
#include <utility>
#include <vector>

namespace fathom {

// Accepts any triangles, also degenerate ones and triangle soups. About 40 bytes a triangle in addition to the mesh;
// construction is O(n log n). Throws Error as check(mesh) does. An empty mesh touches nothing.
class TriangleSphereTree {
public:
    explicit TriangleSphereTree(std::shared_ptr<const TriangleMesh> shared);
    explicit TriangleSphereTree(TriangleMesh mesh)
        : TriangleSphereTree(std::make_shared<TriangleMesh>(std::move(mesh))) {}

    [[nodiscard]] std::size_t size() const { return radius_.size(); }
    // Tree over the centres of the triangles' bounding spheres.
    [[nodiscard]] const SphereTree& tree() const { return tree_; }
    // Bounding radius of a node: all its triangles lie within this distance of its centre (m).
    [[nodiscard]] double reach(std::size_t node) const { return static_cast<double>(reach_[node]); }
    // By position in the order of the tree: bounding sphere of a triangle, vertex indices, vertex positions, index in
    // the mesh.
    [[nodiscard]] Sphere sphere(std::size_t place) const {
        return {tree_.points()[place], static_cast<double>(radius_[place])};
    }
    [[nodiscard]] const Triangle& vertices(std::size_t place) const { return mesh_->triangles[triangle(place)]; }
    [[nodiscard]] std::array<Vec3, 3> corners(std::size_t place) const { return mesh_->corners(triangle(place)); }
    [[nodiscard]] Index triangle(std::size_t place) const { return tree_.order()[place]; }
    [[nodiscard]] std::size_t memory_bytes() const; // without the mesh

private:
    std::shared_ptr<const TriangleMesh> mesh_;
    std::vector<float> radius_; // in the order of the tree; rounded up
    std::vector<float> reach_;  // by node; rounded up
    SphereTree tree_;
};

// The smallest enclosing sphere of a triangle; its centre is a point of the triangle, also of a degenerate one.
[[nodiscard]] Sphere enclosing_sphere(const std::array<Vec3, 3>& corners);
// Index of the longest edge: 0 is from corner 0 to 1, 1 from 1 to 2, 2 from 2 to 0; the first one of equal edges.
[[nodiscard]] std::size_t longest_edge(const std::array<Vec3, 3>& corners);

} // namespace fathom
