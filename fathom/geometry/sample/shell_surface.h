// A mesh made ready for point shells: checked, sampled by area, with smooth normals and its creases.
// Immutable, thread-safe. The mesh must outlive it.
#pragma once

#include <fathom/base/random.h>
#include <fathom/geometry/mesh/triangle_mesh.h>

namespace fathom {

// Walking on a triangle mesh: straight lines that bend over edges without losing the surface.
// Immutable, thread-safe. The mesh must outlive the walker.

struct SurfaceSpot {
    Vec3 point = Vec3::Zero(); // m
    Index triangle = no_index;
};

class SurfaceWalker {
public:
    explicit SurfaceWalker(const TriangleMesh& mesh);

    // The end of a walk from `from` (on a triangle with area) along the tangential part of `move`. Crosses edges that
    // two triangles with area share; slides along all others. O(triangles crossed), at most a few hundred.
    [[nodiscard]] SurfaceSpot walk(const SurfaceSpot& from, const Vec3& move) const;

    // The triangle across side k (corners k and k+1), and the number of the common side there. None (no_index) at a
    // border, where more than two triangles meet, and beside triangles without area.
    struct Neighbour {
        Index triangle = no_index;
        Index side = 0;
    };
    [[nodiscard]] const Neighbour& across(std::size_t triangle, std::size_t side) const {
        return across_[triangle][side];
    }

    [[nodiscard]] const Vec3& normal(std::size_t triangle) const {
        return normals_[triangle];
    } // unit; zero without area

private:
    // What is left of a walk: the place, the way still to go in its triangle, and the side that it lies on (3: none).
    struct Stride {
        SurfaceSpot at;
        Vec3 step;
        std::size_t entered;
    };
    void cross(Stride& stride, std::size_t side, double fraction) const;

    const TriangleMesh* mesh_;
    std::vector<std::array<Neighbour, 3>> across_;
    std::vector<Vec3> normals_;
};

// The weights of p in the triangle's plane; they sum to 1.
[[nodiscard]] Vec3 barycentric(const Vec3& p, const std::array<Vec3, 3>& corners);

class ShellSurface {
public:
    // Creases are edges that turn by more than `crease_angle` (rad, in (0, pi]). Throws as point_shell.h says.
    ShellSurface(const TriangleMesh& mesh, double crease_angle);

    [[nodiscard]] const TriangleMesh& mesh() const { return *mesh_; }
    [[nodiscard]] const SurfaceWalker& walker() const { return walker_; }
    [[nodiscard]] double area() const { return area_up_to_.back(); } // m^2

    [[nodiscard]] std::vector<SurfaceSpot> random_spots(std::size_t count, Random& random) const;

    // As many, but spread evenly: equal steps of area along a curve through the triangles, a lattice within each.
    [[nodiscard]] std::vector<SurfaceSpot> spread_spots(std::size_t count, Random& random) const;

    // Unit; blended from the corners, whose normals leave out triangles beyond a crease.
    [[nodiscard]] Vec3 normal_at(const SurfaceSpot& spot) const;
    [[nodiscard]] Vec3 corner_normal(std::size_t triangle, std::size_t corner) const;

    // The triangles at a vertex, those without area left out.
    [[nodiscard]] std::span<const Index> around(std::size_t vertex) const {
        return std::span(around_).subspan(first_[vertex], first_[vertex + 1] - first_[vertex]);
    }

    struct Crease { // one mesh edge
        Index start, end;
        Index triangle; // one of its two, or its only one
    };
    [[nodiscard]] const std::vector<Crease>& creases() const { return creases_; } // borders included; sorted

    [[nodiscard]] double crease_cosine() const { return crease_cosine_; }

private:
    void find_creases();

    const TriangleMesh* mesh_;
    double crease_cosine_;
    SurfaceWalker walker_;
    std::vector<Index> order_;       // triangles with area along a space-filling curve
    std::vector<double> area_up_to_; // their areas, summed
    std::vector<std::size_t> first_; // by vertex, into around_
    std::vector<Index> around_;
    std::vector<Crease> creases_;
};

// Points at `spacing` (m) or a little less along every crease; corners first. What `keep_*` of the options asks for.
[[nodiscard]] std::vector<SurfaceSpot> corner_spots(const ShellSurface& surface);
[[nodiscard]] std::vector<SurfaceSpot> crease_spots(const ShellSurface& surface, double spacing);

// A normal's weight at a corner (Max 1999): area vector over the squared lengths of the two sides that meet there.
[[nodiscard]] Vec3 weighted_normal(const TriangleMesh& mesh, std::size_t triangle, std::size_t corner);

} // namespace fathom
