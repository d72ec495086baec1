// Point shells: sample points on a surface with outward unit normals, for collision tests against fields.
// Method: the vertices of the mesh, or particles that repel each other on the surface (Turk 1991; Barbic & James 2008,
// as used by Xu & Barbic 2014). Repulsion costs O(points * rounds); prefer the vertices if the mesh is already evenly
// sampled. Meshes are checked: Error{non_finite, index_out_of_range}; Error{empty} if no triangle has positive area.
// Particles do not cross borders or edges with more than two triangles. Thread-safe; the result has the same bytes for
// any thread count.
#pragma once

#include <fathom/base/primitives.h>
#include <fathom/geometry/mesh/triangle_mesh.h>

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

namespace fathom {

// Points sorted into the cells of a uniform grid, for neighbour queries. Construction is O(n log n), a query is
// O(points nearby). Meant for points of even density; for uneven density use a tree. Immutable and thread-safe; points
// are visited in a fixed order.
class PointGrid {
public:
    PointGrid(std::span<const Vec3> points, double cell);

    // Calls call(index, position) for every point in the cells that overlap the cube of half width `radius` around `p`:
    // all points within `radius`, and some farther ones.
    template <class Call>
    void near(const Vec3& p, double radius, Call&& call) const {
        const Vec3 low = lattice(p - Vec3::Constant(radius)), high = lattice(p + Vec3::Constant(radius));
        for (double z = low.z(); z <= high.z(); ++z)
            for (double y = low.y(); y <= high.y(); ++y) {
                const std::uint64_t first = key({low.x(), y, z}), last = key({high.x(), y, z});
                const std::size_t bucket = bucket_of(first), end = start_[bucket + 1];
                std::size_t i = start_[bucket];
                while (i < end && keys_[i] < first) ++i;
                for (; i < end && keys_[i] <= last; ++i) call(order_[i], sorted_[i]);
            }
    }

    [[nodiscard]] double cell() const { return cell_; }
    [[nodiscard]] double reach() const { return bounds_.diagonal(); } // upper bound on the distance of two points

private:
    static constexpr double widest = 1 << 20; // maximum number of cells along an axis; cell indices fit into 21 bits

    [[nodiscard]] Vec3 lattice(const Vec3& p) const {
        return ((p - bounds_.lower) / cell_).array().floor().cwiseMax(0.0).cwiseMin(widest);
    }
    [[nodiscard]] static std::uint64_t key(const Vec3& cell) { // neighbours along x have consecutive keys
        const auto bits = [](double v) { return static_cast<std::uint64_t>(v); };
        return bits(cell.z()) << 42 | bits(cell.y()) << 21 | bits(cell.x());
    }

    // All cells of a row along x share a bucket. A bucket may hold several rows.
    [[nodiscard]] std::size_t bucket_of(std::uint64_t key) const {
        return static_cast<std::size_t>((key >> 21) * 0x9e3779b97f4a7c15u >> shift_);
    }

    Box bounds_;
    double cell_;
    int shift_;
    std::vector<std::size_t> start_;  // first entry of each bucket
    std::vector<std::uint64_t> keys_; // sorted within each bucket
    std::vector<Index> order_;        // point index of each key
    std::vector<Vec3> sorted_;        // position of each key (m)
};

struct PointShell {
    std::vector<Vec3> points;     // on the surface (m)
    std::vector<Vec3> normals;    // unit; outward if the triangles face outward
    std::vector<Index> triangles; // the triangle that contains each point

    friend bool operator==(const PointShell&, const PointShell&) = default;
};

// The vertices, in order, with the weighted normals of Max 1999 (exact on spheres). Vertices without a triangle of
// positive area are left out.
[[nodiscard]] PointShell vertex_shell(const TriangleMesh& mesh);

struct RandomShellOptions {
    std::size_t count = 1000; // number of points; used if `spacing` is 0
    double spacing = 0;       // target distance of neighbours (m); sets the count by hexagonal packing
    std::uint64_t seed = 1;
    double crease_angle = 1.0; // rad; normals are smoothed only across edges with a smaller dihedral turn
};
// Independent random samples, uniform over the area.
[[nodiscard]] PointShell random_shell(const TriangleMesh& mesh, const RandomShellOptions& options = {});

struct RepelledShellOptions {
    std::size_t count = 1000; // number of points, including corner and crease points; used if `spacing` is 0
    double spacing = 0;       // target distance of neighbours (m); sets the count by hexagonal packing
    std::uint64_t seed = 1;
    std::size_t rounds = 60;   // number of repulsion rounds
    double crease_angle = 1.0; // rad; an edge with a larger dihedral turn is a crease
    bool keep_corners = true;  // place a point where creases meet or end, or turn by more than the crease angle
    bool keep_creases = true;  // also place a row of points along each crease; implies corner points
};
// Evenly spaced samples similar to blue noise. Error{invalid_argument} if the corner and crease points alone exceed the
// count.
[[nodiscard]] PointShell repelled_shell(const TriangleMesh& mesh, const RepelledShellOptions& options = {});

// Measures of the evenness of a shell. Distances are in units of `ideal_spacing`, the spacing of a hexagonal packing of
// the same number of points on the same area. Points whose normals face away from each other (the two sides of a thin
// wall) do not count as neighbours.
struct ShellQuality {
    double ideal_spacing = 0; // m
    double smallest = 0;      // distance of the closest pair of points; random samples: near 0; at best 1
    double mean = 0;          // mean distance to the nearest neighbour; random samples: about 0.47
    double variation = 0;     // standard deviation / mean of these distances; random samples: about 0.52; at best 0
    double largest_gap = 0;   // largest distance from the surface to the shell, relative to the packing's; at best 1
};
// The gap is the maximum over `samples` random surface points (0: 20 for each shell point, at most ten million), and
// therefore a lower estimate. With fewer than two points the distances are 0. O(n).
[[nodiscard]] ShellQuality shell_quality(const PointShell& shell, const TriangleMesh& mesh, std::size_t samples = 0);

} // namespace fathom
