// Bounding volume hierarchy over the triangles of a surface: closest point, ray and containment queries.
// Method: eight boxes, then eight triangles per float SIMD step with a proven error bound; candidates that float cannot
// exclude are decided in double. Results therefore do not depend on the CPU, the order of visits or the number of
// threads. Build O(n log n) in parallel; queries are const, thread-safe and, unless they return a vector, allocate
// nothing.
#pragma once

#include <fathom/base/primitives.h>
#include <fathom/geometry/mesh/triangle_mesh.h>
#include <fathom/geometry/primitive/closest_point.h>
#include <fathom/index/bvh.h>

#include <limits>

namespace fathom {

// The point of a surface closest to a query point. Nothing found: triangle == no_index, squared_distance infinite.
struct ClosestPoint {
    Vec3 point = Vec3::Zero();
    double squared_distance = std::numeric_limits<double>::infinity();
    Vec3 barycentric = Vec3::Zero(); // weights of the corners for `point`: not negative, sum 1
    Index triangle = no_index;       // the lowest index at equal distance
    TriangleFeature feature = TriangleFeature::face;

    [[nodiscard]] bool found() const { return triangle != no_index; }
};

// Intersection of a ray and a triangle. No hit: triangle == no_index, t infinite.
struct SurfaceHit {
    double t = std::numeric_limits<double>::infinity(); // point = ray.at(t)
    Vec3 barycentric = Vec3::Zero();                    // weights of the corners for the hit point
    Index triangle = no_index;                          // the lowest index at equal t
    bool from_behind = false;                           // the ray comes from the side opposite to the normal

    [[nodiscard]] bool found() const { return triangle != no_index; }
};

struct TrianglePack; // eight triangles in the layout of the SIMD kernels

class SurfaceTree {
public:
    static constexpr double no_limit = std::numeric_limits<double>::infinity();

    SurfaceTree(); // empty; every query finds nothing
    // Stores its own copy of the data it needs. Throws Error as check(mesh) does.
    explicit SurfaceTree(const TriangleMesh& mesh);
    ~SurfaceTree();
    SurfaceTree(const SurfaceTree&);
    SurfaceTree(SurfaceTree&&) noexcept;
    SurfaceTree& operator=(const SurfaceTree&);
    SurfaceTree& operator=(SurfaceTree&&) noexcept;

    // Sets new positions of the same vertices and keeps the triangles. O(n) in parallel; must not run while another
    // thread queries. Results stay exact; queries become slower with tree().decay().
    void refit(std::span<const Vec3> vertices);

    // Replaces the corners of some triangles, given by index, by those of `triangles`, which is indexed like the whole
    // mesh (and may have more triangles than the tree). For edits of a mesh: refit() must follow before any query, with
    // as many vertices as `vertex_count`. O(n).
    void rename(std::span<const Index> numbers, std::span<const Triangle> triangles, std::size_t vertex_count);

    // The closest point of the surface within max_distance (closed). A triangle without area is treated as the segment
    // or point that it covers. A non-finite point finds nothing.
    [[nodiscard]] ClosestPoint closest(const Vec3& point, double max_distance = no_limit) const;
    // The same for many points, in parallel: out[k] belongs to points[k]. Points are processed along a space-filling
    // curve, each within the distance that the previous one allows: about twice as fast as single queries in random
    // order. Throws Error if the sizes differ.
    void closest(std::span<const Vec3> points, std::span<ClosestPoint> out, double max_distance = no_limit) const;

    // The hit with the smallest t in [0, t_max]. Both sides of a triangle count, and its boundary. A ray in the plane
    // of a triangle does not hit it. Watertight: a ray through the common edge or corner of two triangles hits at least
    // one of them (edge tests of Woop, Benthin & Wald 2013, with exact signs). A ray with a zero or non-finite
    // direction hits nothing.
    [[nodiscard]] SurfaceHit first_hit(const Ray& ray, double t_max = no_limit) const;
    [[nodiscard]] bool any_hit(const Ray& ray, double t_max = no_limit) const;
    // Every triangle hit, once each, sorted by t and then by triangle.
    [[nodiscard]] std::vector<SurfaceHit> all_hits(const Ray& ray, double t_max = no_limit) const;
    // The same as first_hit() for many rays, in parallel: out[k] belongs to rays[k]. Throws Error if the sizes differ.
    void first_hits(std::span<const Ray> rays, std::span<SurfaceHit> out, double t_max = no_limit) const;

    // Triangles whose bounding box overlaps `box` (closed, exact), ascending.
    [[nodiscard]] std::vector<Index> overlapping(const Box& box) const;

    // Whether the point is inside a closed surface, by the parity of crossings, independent of the winding. A ray that
    // passes exactly through an edge or corner is cast again in another direction from a fixed list. A point found on
    // the surface is inside. The result is meaningless if the surface is not closed.
    [[nodiscard]] bool contains(const Vec3& point) const;
    // Winding number of a closed, consistently wound surface at the point: outward crossings minus inward crossings. 1
    // inside a simple solid, 2 where two overlap, -1 inside one that is inside-out. A point found on the surface gets
    // 1.
    [[nodiscard]] int winding(const Vec3& point) const;

    [[nodiscard]] const Bvh& tree() const { return tree_; }
    [[nodiscard]] std::size_t memory_bytes() const;

private:
    friend struct SurfaceView;
    void fill(std::span<const Vec3> vertices);
    struct Crossings {
        int count = 0;
        int outward = 0; // outward minus inward
        bool on_surface = false;
    };
    [[nodiscard]] Crossings crossings(const Vec3& point) const; // along a ray from the point

    Bvh tree_;
    std::size_t vertex_count_ = 0;
    std::vector<TrianglePack> packs_;          // per leaf of the tree
    std::vector<Triangle> triangles_;          // per position of tree_.order()
    std::vector<std::array<Vec3, 3>> corners_; // per position of tree_.order()
};

} // namespace fathom
