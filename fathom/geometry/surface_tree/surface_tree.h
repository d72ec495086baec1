// The triangles of a surface in a wide tree: where is the nearest point, what does a ray hit, is a
// point inside? Method: eight boxes, then eight triangles in one float SIMD step with a proven error bound; what the
// floats cannot rule out is decided in double. So answers do not depend on the CPU, the order of visits or the number
// of threads. Build O(n log n) in parallel; queries are const, thread-safe and, unless they return a vector, allocate
// nothing.
#pragma once

#include <fathom/base/primitives.h>
#include <fathom/geometry/mesh/triangle_mesh.h>
#include <fathom/geometry/primitive/closest_point.h>
#include <fathom/index/bvh.h>

#include <limits>

namespace fathom {

// The point of a surface nearest to a query point. Nothing found: triangle == no_index, squared_distance infinite.
struct ClosestPoint {
    Vec3 point = Vec3::Zero();
    double squared_distance = std::numeric_limits<double>::infinity();
    Vec3 barycentric = Vec3::Zero(); // weights of the corners for `point`: none below 0, sum 1
    Index triangle = no_index;       // at equal distance the smallest
    TriangleFeature feature = TriangleFeature::face;

    [[nodiscard]] bool found() const { return triangle != no_index; }
};

// Where a ray meets a triangle. Nothing hit: triangle == no_index, t infinite.
struct SurfaceHit {
    double t = std::numeric_limits<double>::infinity(); // point = ray.at(t)
    Vec3 barycentric = Vec3::Zero();                    // weights of the corners for the point hit
    Index triangle = no_index;                          // at equal t the smallest
    bool from_behind = false;                           // the ray comes from the side that the normal points away from

    [[nodiscard]] bool found() const { return triangle != no_index; }
};

struct TrianglePack; // eight triangles as the SIMD kernels want them

class SurfaceTree {
public:
    static constexpr double no_limit = std::numeric_limits<double>::infinity();

    SurfaceTree(); // holds nothing; every query finds nothing
    // Keeps its own copy of what it needs. Throws Error as check(mesh) does.
    explicit SurfaceTree(const TriangleMesh& mesh);
    ~SurfaceTree();
    SurfaceTree(const SurfaceTree&);
    SurfaceTree(SurfaceTree&&) noexcept;
    SurfaceTree& operator=(const SurfaceTree&);
    SurfaceTree& operator=(SurfaceTree&&) noexcept;

    // New positions of the same vertices, the same triangles. O(n) in parallel, not while another thread queries.
    // Answers stay exact; speed decays with tree().decay().
    void refit(std::span<const Vec3> vertices);

    // Some triangles, by number, get other corners: those of `triangles`, which has all by number (and may have more
    // than the tree). For edits of a mesh; refit() must follow before anything is asked, with as many vertices as are
    // named here. O(n).
    void rename(std::span<const Index> numbers, std::span<const Triangle> triangles, std::size_t vertex_count);

    // The nearest point of the surface within max_distance (closed). Triangles without area count as the segment or
    // point that they are. A point that is not finite finds nothing.
    [[nodiscard]] ClosestPoint closest(const Vec3& point, double max_distance = no_limit) const;
    // The same for many points at once, in parallel: out[k] answers points[k]. They are asked in an order along a
    // space-filling curve, each within the distance that the one before allows: about twice as fast as one by one in a
    // random order. Throws Error when the sizes differ.
    void closest(std::span<const Vec3> points, std::span<ClosestPoint> out, double max_distance = no_limit) const;

    // The hit with the smallest t in [0, t_max]. Both sides of a triangle count, and its border. A ray in the plane of
    // a triangle does not hit it. Watertight: a ray that crosses the edge or corner of two triangles hits one or both,
    // never neither (edge tests of Woop, Benthin & Wald 2013, with exact signs). A ray without direction, or not
    // finite, hits nothing.
    [[nodiscard]] SurfaceHit first_hit(const Ray& ray, double t_max = no_limit) const;
    [[nodiscard]] bool any_hit(const Ray& ray, double t_max = no_limit) const;
    // Every triangle hit, once each, sorted by t and then by triangle.
    [[nodiscard]] std::vector<SurfaceHit> all_hits(const Ray& ray, double t_max = no_limit) const;
    // The same for many rays at once, in parallel: out[k] answers rays[k]. Throws Error when the sizes differ.
    void first_hits(std::span<const Ray> rays, std::span<SurfaceHit> out, double t_max = no_limit) const;

    // Triangles whose bounding box overlaps `box` (closed, exact), ascending.
    [[nodiscard]] std::vector<Index> overlapping(const Box& box) const;

    // Is the point inside a closed surface? By the parity of crossings, so the winding does not matter. A ray that
    // meets an edge or corner exactly is cast again in another direction, always the same ones. A point found on the
    // surface is inside. For a surface that is not closed the answer means nothing.
    [[nodiscard]] bool contains(const Vec3& point) const;
    // How often a closed, consistently wound surface winds round the point: crossings outward less crossings inward. 1
    // inside a plain solid, 2 where two overlap, -1 inside one that is inside-out. A point found on the surface gets 1.
    [[nodiscard]] int winding(const Vec3& point) const;

    [[nodiscard]] const Bvh& tree() const { return tree_; }
    [[nodiscard]] std::size_t memory_bytes() const;

private:
    friend struct SurfaceView;
    void fill(std::span<const Vec3> vertices);
    struct Crossings {
        int count = 0;
        int outward = 0; // less inward
        bool on_surface = false;
    };
    [[nodiscard]] Crossings crossings(const Vec3& point) const; // along a ray from the point

    Bvh tree_;
    std::size_t vertex_count_ = 0;
    std::vector<TrianglePack> packs_;          // by leaf of the tree
    std::vector<Triangle> triangles_;          // by position of tree_.order()
    std::vector<std::array<Vec3, 3>> corners_; // by position of tree_.order()
};

} // namespace fathom
