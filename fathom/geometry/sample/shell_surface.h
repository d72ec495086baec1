// Preprocessed mesh for the generation of point shells: checked input, area-weighted sampling, smooth normals, creases,
// and geodesic walks on the surface.
// All classes are immutable and thread-safe. The mesh must outlive them.
#pragma once

#include <fathom/base/random.h>
#include <fathom/geometry/mesh/triangle_mesh.h>

namespace fathom {

struct SurfaceSpot {
    Vec3 point = Vec3::Zero(); // m
    Index triangle = no_index; // triangle that contains the point
};

// Geodesic walks on a triangle mesh: straight lines that are unfolded over the edges.
class SurfaceWalker {
public:
    explicit SurfaceWalker(const TriangleMesh& mesh);

    // End point of a walk from `from` (on a triangle of positive area) along the tangential part of `move`. The walk
    // crosses edges that two triangles of positive area share and slides along all others. O(triangles crossed), at
    // most a few hundred.
    [[nodiscard]] SurfaceSpot walk(const SurfaceSpot& from, const Vec3& move) const;

    // The triangle across side k (corners k and k+1), and the index of the common side in that triangle. no_index at a
    // border, at an edge with more than two triangles, and next to triangles of zero area.
    struct Neighbour {
        Index triangle = no_index;
        Index side = 0;
    };
    [[nodiscard]] const Neighbour& across(std::size_t triangle, std::size_t side) const {
        return across_[triangle][side];
    }

    // Unit normal; zero for a triangle of zero area.
    [[nodiscard]] const Vec3& normal(std::size_t triangle) const { return normals_[triangle]; }

private:
    // State of a walk.
    struct Stride {
        SurfaceSpot at;      // present position
        Vec3 step;           // remaining displacement in the plane of its triangle (m)
        std::size_t entered; // side that the position lies on; 3: none
    };
    void cross(Stride& stride, std::size_t side, double fraction) const;

    const TriangleMesh* mesh_;
    std::vector<std::array<Neighbour, 3>> across_;
    std::vector<Vec3> normals_;
};

// Barycentric coordinates of the projection of p onto the triangle's plane; they sum to 1.
[[nodiscard]] Vec3 barycentric(const Vec3& p, const std::array<Vec3, 3>& corners);

class ShellSurface {
public:
    // Creases are edges whose dihedral turn exceeds `crease_angle` (rad, in (0, pi]). Throws the errors listed in
    // point_shell.h.
    ShellSurface(const TriangleMesh& mesh, double crease_angle);

    [[nodiscard]] const TriangleMesh& mesh() const { return *mesh_; }
    [[nodiscard]] const SurfaceWalker& walker() const { return walker_; }
    [[nodiscard]] double area() const { return area_up_to_.back(); } // m^2

    // `count` independent samples, uniform over the area.
    [[nodiscard]] std::vector<SurfaceSpot> random_spots(std::size_t count, Random& random) const;

    // `count` evenly spread samples: equal steps of area along a space-filling curve through the triangles, and a
    // lattice within each triangle.
    [[nodiscard]] std::vector<SurfaceSpot> spread_spots(std::size_t count, Random& random) const;

    // Unit normals, interpolated from the corner normals. A corner normal excludes the triangles beyond a crease.
    [[nodiscard]] Vec3 normal_at(const SurfaceSpot& spot) const;
    [[nodiscard]] Vec3 corner_normal(std::size_t triangle, std::size_t corner) const;

    // The triangles of positive area at a vertex.
    [[nodiscard]] std::span<const Index> around(std::size_t vertex) const {
        return std::span(around_).subspan(first_[vertex], first_[vertex + 1] - first_[vertex]);
    }

    struct Crease { // one mesh edge
        Index start, end;
        Index triangle; // one of its triangles
    };
    [[nodiscard]] const std::vector<Crease>& creases() const { return creases_; } // including borders; sorted

    [[nodiscard]] double crease_cosine() const { return crease_cosine_; }

private:
    void find_creases();

    const TriangleMesh* mesh_;
    double crease_cosine_;
    SurfaceWalker walker_;
    std::vector<Index> order_;       // triangles of positive area in the order of a space-filling curve
    std::vector<double> area_up_to_; // prefix sums of their areas (m^2)
    std::vector<std::size_t> first_; // first entry of each vertex in around_
    std::vector<Index> around_;
    std::vector<Crease> creases_;
};

// Points for RepelledShellOptions::keep_corners and keep_creases. crease_spots() returns the corners first, then points
// at equal distances of about `spacing` (m) along every crease.
[[nodiscard]] std::vector<SurfaceSpot> corner_spots(const ShellSurface& surface);
[[nodiscard]] std::vector<SurfaceSpot> crease_spots(const ShellSurface& surface, double spacing);

// Weighted normal of a triangle at a corner (Max 1999): its area vector divided by the squared lengths of the two sides
// at the corner.
[[nodiscard]] Vec3 weighted_normal(const TriangleMesh& mesh, std::size_t triangle, std::size_t corner);

} // namespace fathom
