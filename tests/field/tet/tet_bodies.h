// Tetrahedral bodies for the tests of their depths: bent boxes, balls, rods, folded and flat ones, and brute force over
// the boundary.
#pragma once

#include <fathom/base/random.h>
#include <fathom/field/tet/body_topology.h>
#include <fathom/geometry/generate/generate.h>
#include <fathom/geometry/primitive/closest_point.h>

#include <cmath>
#include <string>

namespace fathom::testing {

[[nodiscard]] inline TetMesh bent(TetMesh mesh, double noise = 0) {
    Random random(7);
    for (Vec3& v : mesh.vertices) {
        v += 0.1 * Vec3(std::sin(4 * v.y()), std::sin(3 * v.z()), std::sin(5 * v.x()));
        v += noise * random.in_ball();
    }
    return mesh;
}

[[nodiscard]] inline TetMesh scaled(TetMesh mesh, double scale) {
    for (Vec3& v : mesh.vertices) v *= scale;
    return mesh;
}

// Side by side, nothing shared.
[[nodiscard]] inline TetMesh joined(TetMesh a, const TetMesh& b, const Vec3& offset) {
    const auto first = static_cast<Index>(a.vertices.size());
    for (const Vec3& v : b.vertices) a.vertices.push_back(v + offset);
    for (const Tetrahedron& t : b.tetrahedra)
        a.tetrahedra.push_back({t[0] + first, t[1] + first, t[2] + first, t[3] + first});
    return a;
}

struct NamedBody {
    std::string name;
    TetMesh mesh;
};
[[nodiscard]] inline std::vector<NamedBody> bodies() {
    return {{"bent box", bent(make_tet_box({.cells = {7, 6, 5}}), 0.01)},
            {"box of fives", bent(make_tet_box({.cells = {6, 6, 6}, .five = true}))},
            {"ball", make_tet_ball({.resolution = 5})},
            {"rod", bent(make_tet_cylinder({.rings = 3, .layers = 10}))},
            {"two parts",
             joined(make_tet_box({.cells = {5, 4, 4}}), make_tet_ball({.resolution = 4}), Vec3(1.2, 0.1, 0.2))}};
}

[[nodiscard]] inline double brute_force_depth(const BodyTopology& topology, std::span<const Vec3> positions,
                                              const Vec3& p) {
    double best = HUGE_VAL;
    for (const Triangle& f : topology.faces())
        best = std::min(
            best,
            closest_point(p, std::array<Vec3, 3>{positions[f[0]], positions[f[1]], positions[f[2]]}).squared_distance);
    return std::sqrt(best);
}

[[nodiscard]] inline double size_of(std::span<const Vec3> positions) {
    Box box;
    for (const Vec3& v : positions) box.extend(v);
    return box.diagonal();
}

} // namespace fathom::testing
