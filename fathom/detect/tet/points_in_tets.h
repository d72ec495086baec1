// Points in objects: which vertices of one body are inside another, and in which tetrahedron?
// Marchal, Aubert & Chaillou 2004, section 5.1. Containment is exact and closed, whatever the orientation; a flat
// tetrahedron holds nothing. A point on a shared face, edge or vertex, or in tetrahedra that overlap, is given to the
// smallest number, once. Cost: about 1 us a point near the other body. The same bytes for any number of threads.
#pragma once

#include <fathom/detect/tet/tet_body.h>

namespace fathom {

struct PointInTet {
    Index vertex;                      // of the body that intrudes
    Index tetrahedron;                 // of the body that holds it
    std::array<double, 4> barycentric; // weights of the tetrahedron's corners: none below 0, sum 1, good to 1e-12

    friend bool operator==(const PointInTet&, const PointInTet&) = default;
};

struct PointsInTetsOptions {
    bool boundary_only = false; // ask only for vertices on the boundary of the body that intrudes
};

// Vertices of a in b, ascending. `zone` is of b and reaches wherever vertices of a are to be found. Where a and b are
// one body, tetrahedra do not hold their own corners.
[[nodiscard]] std::vector<PointInTet> points_in_tets(const TetBody& a, const TetBody& b, const TetZone& zone,
                                                     const PointsInTetsOptions& options = {});
[[nodiscard]] std::vector<PointInTet> points_in_tets(const TetBody& a, const TetBody& b,
                                                     const PointsInTetsOptions& options = {});

// The value at the point of what is given at the nodes of b: a depth, where those are depths. Exact for linear values.
[[nodiscard]] inline double interpolated(const TetBody& b, const PointInTet& point,
                                         std::span<const double> node_values) {
    const Tetrahedron& t = b.topology.tetrahedra()[point.tetrahedron];
    double sum = 0;
    for (std::size_t k = 0; k < 4; ++k) sum += point.barycentric[k] * node_values[t[k]];
    return sum;
}

// Weights of a point in a tetrahedron that is not flat, outside too (then some are below 0); sum 1.
[[nodiscard]] std::array<double, 4> barycentric_coordinates(const std::array<Vec3, 4>& tetrahedron, const Vec3& point);

} // namespace fathom
