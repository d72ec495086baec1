// Point shells: samples on a surface with outward unit normals, tested against fields by later rooms.
// Method: the vertices, or particles that repel each other on the surface (Turk 1991; Barbic & James 2008, as Xu &
// Barbic 2014 use them). Repulsion costs O(points * rounds); prefer the vertices when the mesh is already even. Meshes
// are checked: Error{non_finite, index_out_of_range}; Error{empty} where no triangle has area. Borders and edges of
// more than two triangles stop a particle. Thread-safe; same bytes for any thread count.
#pragma once

#include <fathom/base/primitives.h>
#include <fathom/geometry/mesh/triangle_mesh.h>

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

namespace fathom {

// Points sorted into the cells of a grid: who is near? Built in O(n log n), one query O(points near).
// For points of even density; a tree serves uneven ones. Immutable, thread-safe, visits in a fixed order.

class PointGrid {
public:
    PointGrid(std::span<const Vec3> points, double cell);

    // call(index, position) for every point in the cells that the box around `p` meets: all within `radius`, and
    // others.
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
    [[nodiscard]] double reach() const { return bounds_.diagonal(); } // no two points are farther apart

private:
    static constexpr double widest = 1 << 20; // cells along an axis: 21 bits hold their numbers

    [[nodiscard]] Vec3 lattice(const Vec3& p) const {
        return ((p - bounds_.lower) / cell_).array().floor().cwiseMax(0.0).cwiseMin(widest);
    }
    [[nodiscard]] static std::uint64_t key(const Vec3& cell) { // neighbours along x have neighbouring keys
        const auto bits = [](double v) { return static_cast<std::uint64_t>(v); };
        return bits(cell.z()) << 42 | bits(cell.y()) << 21 | bits(cell.x());
    }

    // Rows of cells along x share a bucket, which may hold other rows too.
    [[nodiscard]] std::size_t bucket_of(std::uint64_t key) const {
        return static_cast<std::size_t>((key >> 21) * 0x9e3779b97f4a7c15u >> shift_);
    }

    Box bounds_;
    double cell_;
    int shift_;
    std::vector<std::size_t> start_;  // of each bucket
    std::vector<std::uint64_t> keys_; // sorted in each bucket
    std::vector<Index> order_;        // beside them: the points' numbers and positions
    std::vector<Vec3> sorted_;
};

struct PointShell {
    std::vector<Vec3> points;     // on the surface (m)
    std::vector<Vec3> normals;    // unit, outward where the triangles are
    std::vector<Index> triangles; // the one that each point lies on

    friend bool operator==(const PointShell&, const PointShell&) = default;
};

// The vertices, in order, with normals weighted as by Max 1999 (exact on spheres). Vertices without a triangle that has
// area are left out.
[[nodiscard]] PointShell vertex_shell(const TriangleMesh& mesh);

struct RandomShellOptions {
    std::size_t count = 1000; // points, where `spacing` is 0
    double spacing = 0;       // wanted distance of neighbours (m); sets the count by hexagonal packing
    std::uint64_t seed = 1;
    double crease_angle = 1.0; // rad; normals are smooth across flatter edges only
};
// Independent samples, uniform over the area.
[[nodiscard]] PointShell random_shell(const TriangleMesh& mesh, const RandomShellOptions& options = {});

struct RepelledShellOptions {
    std::size_t count = 1000; // points, where `spacing` is 0; kept ones included
    double spacing = 0;       // as above
    std::uint64_t seed = 1;
    std::size_t rounds = 60;   // of repulsion
    double crease_angle = 1.0; // rad; an edge that turns by more is a crease
    bool keep_corners = true;  // where creases meet or end, or turn by more than the angle, sits a point
    bool keep_creases = true;  // and along each crease a row of points; corners are kept too
};
// Even samples with the look of blue noise. Error{invalid_argument} where the kept points alone exceed the count.
[[nodiscard]] PointShell repelled_shell(const TriangleMesh& mesh, const RepelledShellOptions& options = {});

// How even a shell is. Distances in `ideal_spacing`, that of a hexagonal packing of as many points on the same area.
// Points that face away from each other (two sides of a thin wall) are no neighbours.
struct ShellQuality {
    double ideal_spacing = 0; // m
    double smallest = 0;      // distance of the closest two points; random samples: near 0; 1 at best
    double mean = 0;          // distance to the nearest neighbour on average; random: about 0.47
    double variation = 0;     // of those distances: standard deviation / mean; random: about 0.52; 0 at best
    double largest_gap = 0;   // farthest that a surface sample is from the shell, against that packing's; 1 at best
};
// The gap is the largest of `samples` random places (0: 20 for each point, at most ten million), so a lower estimate.
// With fewer than two points the distances are 0. O(n).
[[nodiscard]] ShellQuality shell_quality(const PointShell& shell, const TriangleMesh& mesh, std::size_t samples = 0);

} // namespace fathom
