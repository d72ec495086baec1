// Walking on a triangle mesh: straight lines that bend over edges without losing the surface.
// Immutable, thread-safe. The mesh must outlive the walker.
#pragma once

#include <fathom/geometry/mesh/triangle_mesh.h>

namespace fathom {

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

} // namespace fathom
