// A triangle surface that deforms: topology made once and edited locally, vertices that move every step,
// and a tree that follows them. What surface_contacts.h, surface_sweep.h and deforming_scene.h work on. Any triangles
// will do; vertices are told apart by index, so weld first (weld.h) what is meant to be closed. Metres, world. Build
// O(n log n), update O(n), both in parallel and the same for any number of threads. Queries are const and thread-safe,
// but not while the surface changes. About 250 bytes a triangle.
#pragma once

#include <fathom/geometry/mesh/adjacency.h>
#include <fathom/geometry/mesh/triangle_mesh.h>
#include <fathom/geometry/surface_tree/surface_tree.h>
#include <fathom/index/body_octree.h>

namespace fathom {

// The one place where deforming surfaces meet their tree: candidates in, and whatever tree answers is
// known here alone. Boxes cover each triangle at the start and at the end of a step, and so all the way between.
// Queries are const, thread-safe and, but for close_pairs(), allocate nothing.

class TriangleTree {
public:
    // Corners of all triangles at both ends of the step; the two may be one array. They are viewed: they stay where and
    // as they are until the next call.
    struct Moving {
        std::span<const Triangle> triangles;
        std::span<const Vec3> start;
        std::span<const Vec3> end;
    };
    void build(const Moving& surface);
    // The same triangles with corners that moved. Builds anew where that pays.
    void refit(const Moving& surface);
    // Before vertices come after the last: from then on those viewed may go elsewhere, until edit().
    void add_vertices(std::span<const Vec3> vertices);
    // Triangles with these numbers are others now, or new ones after the last; no vertex has moved.
    void edit(std::span<const Index> changed, const Moving& surface);

    [[nodiscard]] const Box& bounds() const { return bounds_; }
    [[nodiscard]] std::size_t size() const { return tree_.primitive_ids(); }

    // As BodyOctree's visits of the same names.
    bool visit_overlapping(const Box& box, CallableRef<bool(Index)> visitor) const {
        return tree_.visit_overlapping(box, visitor);
    }
    bool visit_nearest(const Vec3& point, double squared_radius, CallableRef<double(Index)> visitor) const {
        return tree_.visit_nearest(point, squared_radius, visitor);
    }

    // Appends every pair {triangle of a, triangle of b} whose boxes come within `reach` in each coordinate (closed),
    // each once, in a repeatable order; of one tree {lower, higher}.
    static void close_pairs(const TriangleTree& a, const TriangleTree& b, double reach, std::vector<IdPair>& out);
    static void close_pairs(const TriangleTree& tree, double reach, std::vector<IdPair>& out);

private:
    BodyOctree tree_;
    Box bounds_;
};

// One change of topology. Holes are made by removing, tears and finer triangles by removing and adding at once.
struct SurfaceEdit {
    std::span<const Index> remove{};      // triangles that are there, each once
    std::span<const Vec3> new_vertices{}; // get the next free vertex numbers; at rest at the start of the step
    std::span<const Triangle> add{};      // may name the new vertices
};

class DeformingSurface {
public:
    // Throws Error as check(mesh) does.
    explicit DeformingSurface(const TriangleMesh& mesh);
    DeformingSurface(DeformingSurface&&) = default; // no copies: the tree views the vertices
    DeformingSurface& operator=(DeformingSurface&&) = default;

    // New positions of all vertices: one call refits everything. Nothing is allocated, unless the tree has decayed and
    // is built anew. Throws Error{non_finite} naming the vertex, Error{count_mismatch}; then nothing has changed.
    void update(std::span<const Vec3> vertices);
    // The same over a step in which every vertex moves evenly along a line: sweeps ask about the step, all else about
    // its end.
    void update(std::span<const Vec3> start, std::span<const Vec3> end);

    // Returns the numbers of the added triangles: those of removed ones first, lowest first, then new ones. Other
    // triangles and all vertices keep theirs; vertices that no triangle uses any more stay and are in no contact. Cost:
    // that of the triangles round the changed ones for adjacency, O(n) with a small factor for connected parts and
    // boxes; a new tree only where triangles got new numbers or the tree has decayed. Throws Error{index_out_of_range,
    // non_finite, invalid_argument}; then nothing has changed.
    std::vector<Index> edit(const SurfaceEdit& change);

    [[nodiscard]] std::span<const Vec3> vertices() const { return vertices_; }
    [[nodiscard]] std::span<const Vec3> start_vertices() const { return moving_ ? start_ : vertices_; }
    [[nodiscard]] bool moving() const { return moving_; }                          // the last update had a start
    [[nodiscard]] std::size_t triangle_limit() const { return triangles_.size(); } // all triangle numbers are smaller
    [[nodiscard]] std::size_t triangle_count() const { return triangles_.size() - free_.size(); }
    [[nodiscard]] bool contains(Index triangle) const { return triangle < present_.size() && present_[triangle]; }
    [[nodiscard]] const Triangle& triangle(Index t) const { return triangles_[t]; }
    [[nodiscard]] std::array<Vec3, 3> corners(Index t) const { return corners_of(vertices_, t); }
    [[nodiscard]] std::array<Vec3, 3> start_corners(Index t) const { return corners_of(start_vertices(), t); }
    [[nodiscard]] const Box& bounds() const {
        return tree_.bounds();
    } // over the step; of vertices that no triangle uses, too, after edits
    [[nodiscard]] const TriangleTree& tree() const { return tree_; }
    [[nodiscard]] TriangleMesh
    mesh() const; // as it stands: removed triangles are left out, vertices keep their numbers

    // As many sides run along each edge as against it, so that "inside" means something. False without triangles.
    [[nodiscard]] bool closed() const { return triangle_count() > 0 && unbalanced_ == 0; }
    // One vertex of each part of the surface that hangs together; and the part of each vertex, no_index for one that no
    // triangle uses.
    [[nodiscard]] std::span<const Index> component_samples() const { return speakers_; }
    [[nodiscard]] Index part(Index vertex) const { return part_[vertex]; }

    // Corners are numbered 3 triangle + k, sides too: side k runs from corner k to corner (k + 1) % 3. Each vertex and
    // each edge belongs to the lowest triangle that has it. Triangles that name a vertex twice own vertices but no
    // edges.
    [[nodiscard]] bool owns_corner(Index t, std::size_t k) const { return (owned_[t] >> k & 1) != 0; }
    [[nodiscard]] bool owns_side(Index t, std::size_t k) const { return (owned_[t] >> (3 + k) & 1) != 0; }
    // visit(corner) for the corners at a vertex, by increasing triangle.
    template <class Visit>
    void visit_corners(Index vertex, Visit&& visit) const {
        for (Index corner = first_corner_[vertex]; corner != no_index; corner = next_corner_[corner]) visit(corner);
    }
    // The one other triangle across a side; no_index where there is none or more than one.
    [[nodiscard]] Index neighbour(Index t, std::size_t side) const;

    // The nearest point of the surface as it is now within the radius, by brute double arithmetic on what the tree
    // cannot rule out; at equal distance the lowest triangle. `skip` leaves triangles out.
    [[nodiscard]] ClosestPoint nearest(const Vec3& point,
                                       double squared_radius = std::numeric_limits<double>::infinity()) const;
    [[nodiscard]] ClosestPoint nearest(const Vec3& point, double squared_radius, CallableRef<bool(Index)> skip) const;
    // Unit, outward, at a point found by nearest(): of the face, the mean of those at an edge, weighted by angle at a
    // corner. Zero where there is no area to tell.
    [[nodiscard]] Vec3 normal_at(const ClosestPoint& at) const;
    // How often a closed surface winds round a point that does not lie on it: exact (see the source). Else it means
    // nothing.
    [[nodiscard]] int winding(const Vec3& point) const;
    // The same just off the outer side of a triangle, at a point of it: 0 but where the surface has run into itself.
    [[nodiscard]] int winding_above(const Vec3& point, Index triangle) const;

private:
    friend class DeformingScene; // moves all surfaces first and refits later those that need it
    void place(std::span<const Vec3> vertices);
    void place(std::span<const Vec3> start, std::span<const Vec3> end);
    void refit();

    [[nodiscard]] std::array<Vec3, 3> corners_of(std::span<const Vec3> vertices, Index t) const {
        const Triangle& v = triangles_[t];
        return {vertices[v[0]], vertices[v[1]], vertices[v[2]]};
    }
    void expect_count(std::size_t vertices) const;
    void check_edit(const SurfaceEdit& change) const;
    void take_out(Index t);
    void put_in(Index t, const Triangle& corners);
    [[nodiscard]] bool balanced(Index from, Index to) const;
    [[nodiscard]] std::size_t unbalanced_edges(const Triangle& of) const;
    [[nodiscard]] int winding_along(const Vec3& point, int axis, bool up, Index skipped) const;
    void claim_round(const Triangle& corners);
    void claim(Index t);
    void find_parts();

    std::vector<Vec3> vertices_, start_;
    bool moving_ = false;
    std::vector<Triangle> triangles_; // removed ones are three times one vertex
    std::vector<char> present_;
    std::vector<Index> free_;         // descending
    std::vector<Index> first_corner_; // by vertex
    std::vector<Index> next_corner_;  // by corner: the next at its vertex, by increasing triangle
    std::vector<std::uint8_t> owned_; // by triangle: bits 0 to 2 corners, 3 to 5 sides
    std::size_t unbalanced_ = 0;      // edges that are not balanced
    std::vector<Index> part_, speakers_;
    TriangleTree tree_;
};

} // namespace fathom
