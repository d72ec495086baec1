// Meshes with known answers, small enough to check by hand. Independent of the library's generators on purpose.
#pragma once

#include <fathom/base/random.h>
#include <fathom/geometry/mesh/tet_mesh.h>
#include <fathom/geometry/mesh/triangle_mesh.h>

#include <cmath>
#include <map>
#include <numbers>
#include <utility>

namespace fathom::testing {

// Eight vertices (corner k as Box::corner numbers them), twelve outward triangles.
[[nodiscard]] inline TriangleMesh box_mesh(const Box& box) {
    TriangleMesh mesh;
    for (int k = 0; k < 8; ++k) mesh.vertices.push_back(box.corner(k));
    mesh.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                      {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    return mesh;
}

[[nodiscard]] inline TriangleMesh cube_mesh(const Vec3& center = Vec3::Zero(), double half = 1) {
    return box_mesh(Box::around(center, Vec3::Constant(half)));
}

// An octahedron cut in four `levels` times and pushed out to the unit sphere: 8 * 4^levels triangles.
[[nodiscard]] inline TriangleMesh sphere_mesh(int levels) {
    TriangleMesh mesh;
    mesh.vertices = {Vec3::UnitX(), -Vec3::UnitX(), Vec3::UnitY(), -Vec3::UnitY(), Vec3::UnitZ(), -Vec3::UnitZ()};
    mesh.triangles = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4}, {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
    for (int level = 0; level < levels; ++level) {
        std::map<std::pair<Index, Index>, Index> middles;
        const auto middle = [&](Index a, Index b) {
            const auto [entry, is_new] =
                middles.try_emplace(std::minmax(a, b), static_cast<Index>(mesh.vertices.size()));
            if (is_new) mesh.vertices.push_back((mesh.vertices[a] + mesh.vertices[b]).normalized());
            return entry->second;
        };
        std::vector<Triangle> finer;
        for (const auto [a, b, c] : mesh.triangles) {
            const Index ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
            for (const Triangle& t : {Triangle{a, ab, ca}, {ab, b, bc}, {ca, bc, c}, {ab, bc, ca}}) finer.push_back(t);
        }
        mesh.triangles = std::move(finer);
    }
    return mesh;
}

// A closed grid of around * across quads, cut in two. Radii 1 and 0.25; genus 1.
[[nodiscard]] inline TriangleMesh torus_mesh(Index around, Index across) {
    TriangleMesh mesh;
    const auto angle = [](Index i, Index n) { return 2 * std::numbers::pi * i / n; };
    for (Index i = 0; i < around; ++i)
        for (Index j = 0; j < across; ++j) {
            const double u = angle(i, around), v = angle(j, across), r = 1 + 0.25 * std::cos(v);
            mesh.vertices.emplace_back(r * std::cos(u), r * std::sin(u), 0.25 * std::sin(v));
        }
    const auto at = [&](Index i, Index j) { return (i % around) * across + j % across; };
    for (Index i = 0; i < around; ++i)
        for (Index j = 0; j < across; ++j) {
            mesh.triangles.push_back({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
            mesh.triangles.push_back({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
        }
    return mesh;
}

[[nodiscard]] inline TriangleMesh joined(TriangleMesh a, const TriangleMesh& b) {
    append(a, b);
    return a;
}

// Every triangle with three vertices of its own.
[[nodiscard]] inline TriangleMesh as_soup(const TriangleMesh& mesh) {
    TriangleMesh soup;
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
        const Index first = static_cast<Index>(soup.vertices.size());
        for (const Vec3& corner : mesh.corners(t)) soup.vertices.push_back(corner);
        soup.triangles.push_back({first, first + 1, first + 2});
    }
    return soup;
}

// The box cut into the six tetrahedra along its diagonal from corner 0 to corner 7, all of positive volume.
[[nodiscard]] inline TetMesh box_of_tetrahedra(const Box& box) {
    TetMesh mesh;
    for (int k = 0; k < 8; ++k) mesh.vertices.push_back(box.corner(k));
    mesh.tetrahedra = {{0, 1, 3, 7}, {0, 3, 2, 7}, {0, 2, 6, 7}, {0, 6, 4, 7}, {0, 4, 5, 7}, {0, 5, 1, 7}};
    return mesh;
}

[[nodiscard]] inline TriangleMesh random_triangles(Random& random, Index vertex_count, std::size_t triangle_count) {
    TriangleMesh mesh;
    for (Index i = 0; i < vertex_count; ++i) mesh.vertices.push_back(random.in_ball());
    for (std::size_t t = 0; t < triangle_count; ++t)
        mesh.triangles.push_back({static_cast<Index>(random.below(vertex_count)),
                                  static_cast<Index>(random.below(vertex_count)),
                                  static_cast<Index>(random.below(vertex_count))});
    return mesh;
}

} // namespace fathom::testing
