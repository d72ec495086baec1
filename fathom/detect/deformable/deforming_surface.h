// A triangle surface that deforms: its topology is built once and edited locally, its vertices move every step, and its
// tree is refitted. It is the input of surface_contacts.h and surface_pairs.h. Any triangles are
// accepted. Vertices are identified by index, so weld (weld.h) a mesh that is meant to be closed. Metres, world frame.
// Building costs O(n log n), an update O(n); both run in parallel with the same result for any number of threads.
// Queries are const and thread-safe, but not while the surface changes. Memory: about 250 bytes per triangle.
#pragma once

#include <fathom/geometry/mesh/adjacency.h>
#include <fathom/geometry/mesh/triangle_mesh.h>
#include <fathom/geometry/surface_tree/surface_tree.h>
#include <fathom/index/body_octree.h>

namespace fathom::deformable {

// ---- The tree over the triangles of a deforming surface. It hides which index structure is used. A box covers its
// triangle at the start and at the end of a step, and therefore at all times between. Queries are const and thread-safe
// and, except for close_pairs(), allocate nothing.

class TriangleTree {
public:
    // Corners of all triangles at both ends of the step; the two arrays may be the same. The tree keeps views: the
    // arrays must stay unchanged and in place until the next call.
    struct Moving {
        std::span<const Triangle> triangles;
        std::span<const Vec3> start;
        std::span<const Vec3> end;
    };
    void build(const Moving& surface);
    // The same triangles with moved corners. Rebuilds the tree where that is cheaper.
    void refit(const Moving& surface);
    // Call before vertices are appended: from then on the viewed arrays may be reallocated, until edit().
    void add_vertices(std::span<const Vec3> vertices);
    // Triangles with these numbers have changed or are new after the last one; no vertex has moved.
    void edit(std::span<const Index> changed, const Moving& surface);

    [[nodiscard]] const Box& bounds() const { return bounds_; }
    [[nodiscard]] std::size_t size() const { return tree_.primitive_ids(); }

    // As the functions of BodyOctree with the same names.
    bool visit_overlapping(const Box& box, CallableRef<bool(Index)> visitor) const {
        return tree_.visit_overlapping(box, visitor);
    }
    bool visit_nearest(const Vec3& point, double squared_radius, CallableRef<double(Index)> visitor) const {
        return tree_.visit_nearest(point, squared_radius, visitor);
    }

    // Appends every pair {triangle of a, triangle of b} whose boxes come within `reach` (m) in each coordinate
    // (closed), each once, in a reproducible order; for one tree {lower, higher}.
    static void close_pairs(const TriangleTree& a, const TriangleTree& b, double reach, std::vector<IdPair>& out);
    static void close_pairs(const TriangleTree& tree, double reach, std::vector<IdPair>& out);

private:
    BodyOctree tree_;
    Box bounds_;
};

// One change of topology. Holes are made by removing triangles, tears and refinement by removing and adding at once.
struct SurfaceEdit {
    std::span<const Index> remove{};      // existing triangles, each once
    std::span<const Vec3> new_vertices{}; // they get the next free vertex numbers; at rest at the start of the step
    std::span<const Triangle> add{};      // may refer to the new vertices
};

class DeformingSurface {
public:
    // Throws Error as check(mesh) does.
    explicit DeformingSurface(const TriangleMesh& mesh);
    DeformingSurface(DeformingSurface&&) = default; // not copyable: the tree views the vertices
    DeformingSurface& operator=(DeformingSurface&&) = default;

    // New positions of all vertices; refits the tree. Allocates nothing, unless the tree has degraded and is rebuilt.
    // Throws Error{non_finite} naming the vertex, Error{count_mismatch}; then nothing has changed.
    void update(std::span<const Vec3> vertices);
    // The same for a step in which every vertex moves uniformly along a line. Sweeps are about the whole step, all
    // other queries about its end.
    void update(std::span<const Vec3> start, std::span<const Vec3> end);
    // update() without the refit, for callers that move all surfaces first and refit those that need it. A stale
    // surface must be refitted before it is queried.
    void place(std::span<const Vec3> vertices);
    void place(std::span<const Vec3> start, std::span<const Vec3> end);
    [[nodiscard]] bool stale() const { return stale_; }
    void refit();

    // Returns the numbers of the added triangles: those of removed triangles first, lowest first, then new ones. Other
    // triangles and all vertices keep their numbers. Vertices that are no longer used by a triangle remain and are in
    // no contact. Cost: proportional to the triangles around the changed ones for the adjacency, O(n) with a small
    // factor for connected components and boxes; the tree is rebuilt only where triangles got new numbers or the tree
    // has degraded. Throws Error{index_out_of_range, non_finite, invalid_argument}; then nothing has changed.
    std::vector<Index> edit(const SurfaceEdit& change);

    [[nodiscard]] std::span<const Vec3> vertices() const { return vertices_; }
    [[nodiscard]] std::span<const Vec3> start_vertices() const { return moving_ ? start_ : vertices_; }
    [[nodiscard]] bool moving() const { return moving_; } // the last update had a start
    [[nodiscard]] std::size_t triangle_limit() const {
        return triangles_.size();
    } // all triangle numbers are smaller than this
    [[nodiscard]] std::size_t triangle_count() const { return triangles_.size() - free_.size(); }
    [[nodiscard]] bool contains(Index triangle) const { return triangle < present_.size() && present_[triangle]; }
    [[nodiscard]] const Triangle& triangle(Index t) const { return triangles_[t]; }
    [[nodiscard]] std::array<Vec3, 3> corners(Index t) const { return corners_of(vertices_, t); }
    [[nodiscard]] std::array<Vec3, 3> start_corners(Index t) const { return corners_of(start_vertices(), t); }
    // Over the step. After edits it may include vertices that are not used by any triangle.
    [[nodiscard]] const Box& bounds() const { return tree_.bounds(); }
    [[nodiscard]] const TriangleTree& tree() const { return tree_; }
    // The current surface without removed triangles; vertices keep their numbers.
    [[nodiscard]] TriangleMesh mesh() const;

    // Whether as many sides run along each edge as against it, so that "inside" is defined. False without triangles.
    [[nodiscard]] bool closed() const { return triangle_count() > 0 && unbalanced_ == 0; }
    // One vertex of every connected component; and the component of each vertex, no_index for a vertex that is not used
    // by a triangle.
    [[nodiscard]] std::span<const Index> component_samples() const { return component_samples_; }
    [[nodiscard]] Index part(Index vertex) const { return part_[vertex]; }

    // Corners are numbered 3 triangle + k, and so are sides: side k runs from corner k to corner (k + 1) % 3. Each
    // vertex and each edge is owned by the lowest triangle that has it. Triangles that name a vertex twice own vertices
    // but no edges.
    [[nodiscard]] bool owns_corner(Index t, std::size_t k) const { return (owned_[t] >> k & 1) != 0; }
    [[nodiscard]] bool owns_side(Index t, std::size_t k) const { return (owned_[t] >> (3 + k) & 1) != 0; }
    // Calls visit(corner) for the corners at a vertex, by increasing triangle.
    template <class Visit>
    void visit_corners(Index vertex, Visit&& visit) const {
        for (Index corner = first_corner_[vertex]; corner != no_index; corner = next_corner_[corner]) visit(corner);
    }
    // The only other triangle across a side; no_index where there is none or more than one.
    [[nodiscard]] Index neighbour(Index t, std::size_t side) const;

    // The closest point of the current surface within the radius, computed in double for the triangles that the tree
    // cannot rule out; at equal distance that of the lowest triangle. Triangles for which `skip` returns true are left
    // out.
    [[nodiscard]] ClosestPoint nearest(const Vec3& point,
                                       double squared_radius = std::numeric_limits<double>::infinity()) const;
    [[nodiscard]] ClosestPoint nearest(const Vec3& point, double squared_radius, CallableRef<bool(Index)> skip) const;
    // Outward unit normal at a point found by nearest(): that of the face, the mean of both faces at an edge, the
    // angle-weighted mean at a corner. Zero where the triangles have no area.
    [[nodiscard]] Vec3 normal_at(const ClosestPoint& at) const;
    // Winding number of a closed surface around a point that is not on it: exact (see the source). Undefined for other
    // surfaces.
    [[nodiscard]] int winding(const Vec3& point) const;
    // The same just outside a triangle, at a point of it: 0 except where the surface intersects itself.
    [[nodiscard]] int winding_above(const Vec3& point, Index triangle) const;

private:
    [[nodiscard]] std::array<Vec3, 3> corners_of(std::span<const Vec3> vertices, Index t) const {
        const Triangle& v = triangles_[t];
        return {vertices[v[0]], vertices[v[1]], vertices[v[2]]};
    }
    void expect_count(std::size_t vertices) const;
    void check_edit(const SurfaceEdit& change) const;
    void take_out(Index t);
    void put_in(Index t, const Triangle& corners);
    [[nodiscard]] bool balanced(Index from, Index to) const;
    [[nodiscard]] std::size_t unbalanced_edges(const Triangle& v) const;
    [[nodiscard]] int winding_along(const Vec3& point, int axis, bool up, Index skipped) const;
    void claim_round(const Triangle& corners);
    void claim(Index t);
    void find_parts();

    std::vector<Vec3> vertices_, start_;
    bool moving_ = false, stale_ = false;
    std::vector<Triangle> triangles_; // a removed triangle holds one vertex three times
    std::vector<char> present_;
    std::vector<Index> free_;         // descending
    std::vector<Index> first_corner_; // by vertex
    std::vector<Index> next_corner_;  // by corner: the next at its vertex, by increasing triangle
    std::vector<std::uint8_t> owned_; // by triangle: bits 0 to 2 corners, 3 to 5 sides
    std::size_t unbalanced_ = 0;      // number of edges that are not balanced
    std::vector<Index> part_, component_samples_;
    TriangleTree tree_;
};

} // namespace fathom::deformable
