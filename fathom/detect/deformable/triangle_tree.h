// The one place where deforming surfaces meet their tree: candidates in, and whatever tree answers is
// known here alone. Boxes cover each triangle at the start and at the end of a step, and so all the way between.
// Queries are const, thread-safe and, but for close_pairs(), allocate nothing.
#pragma once

#include <fathom/geometry/mesh/triangle_mesh.h>
#include <fathom/index/body_octree.h>

namespace fathom {

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

} // namespace fathom
