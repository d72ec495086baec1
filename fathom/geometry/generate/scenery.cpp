// Tunnel, terrain and cloth.
#include <fathom/base/parallel.h>
#include <fathom/base/pose.h>
#include <fathom/base/random.h>
#include <fathom/geometry/generate/lathe.h>
#include <fathom/geometry/generate/parts.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace fathom {

namespace {

using std::numbers::pi;

// z becomes x: the lathe's axis along the tunnel.
Vec3 laid_down(const Vec3& p) { return {p.z(), p.x(), p.y()}; }

TriangleMesh tube(double inner, double outer, double length, std::size_t segments) {
    const double half = length / 2;
    Profile profile({inner, -half}, edge_around(inner, segments));
    profile.line_to({outer, -half}).line_to({outer, half}).line_to({inner, half}).line_to({inner, -half});
    return mapped(lathe(profile.points(), {.segments = segments}), laid_down);
}

// An obstacle that fits into a ball of radius 1 about the origin, in the order sphere, bar, ring, block, cone.
TriangleMesh obstacle(std::size_t kind, std::size_t segments) {
    switch (kind % 5) {
    case 0:
        return make_sphere({.radius = 0.45, .resolution = std::max<std::size_t>(2, segments / 8)});
    case 1:
        return make_capsule({.radius = 0.12, .length = 1.6, .segments = std::max<std::size_t>(6, segments / 3)});
    case 2: {
        const std::size_t around = std::max<std::size_t>(6, segments / 4);
        return mapped(make_torus({.radius = 0.75, .tube = 0.15, .segments = segments, .tube_segments = around}),
                      laid_down);
    }
    case 3: {
        const std::size_t n = std::max<std::size_t>(1, segments / 12);
        return make_box({.size = {0.5, 1.2, 0.6}, .cells = {n, 2 * n, n}});
    }
    default:
        return make_cone({.radius = 0.5, .height = 1, .segments = std::max<std::size_t>(6, segments / 2)});
    }
}

} // namespace

// Each obstacle has a slice of the tunnel for itself and fits into a ball that fits into the slice.
TriangleMesh make_tunnel(const TunnelOptions& options) {
    check_length("length", options.length);
    check_length("radius", options.radius);
    check_number("wall", options.wall, 1e-3 * options.radius, 10 * options.radius);
    check_number("length", options.length, 0.1 * options.radius, 1000 * options.radius);
    check_count("obstacles", options.obstacles, 0, 100'000);
    check_count("segments", options.segments, 12, 10'000);
    const double edge = edge_around(options.radius, options.segments), outer = options.radius + options.wall;
    const double tube_area = 2 * pi * (options.radius + outer) * (options.length + options.wall);
    const double obstacle_triangles = static_cast<double>(options.segments) * static_cast<double>(options.segments);
    check_total("tunnel", 2.4 * tube_area / (edge * edge) * outer / options.radius +
                              static_cast<double>(options.obstacles) * obstacle_triangles);

    TriangleMesh mesh = tube(options.radius, outer, options.length, options.segments);
    const double slice = options.length / static_cast<double>(std::max<std::size_t>(options.obstacles, 1));
    // The polygon of the inner wall keeps cos(pi / segments) of its radius: 0.96 for twelve.
    const double reach = 0.95 * std::min(0.96 * options.radius, 0.5 * slice);
    Random random(options.seed);
    for (std::size_t k = 0; k < options.obstacles; ++k) {
        const double room = 0.96 * options.radius - reach;
        const Vec3 off = 0.9 * room * random.in_ball();
        const Vec3 center(-0.5 * options.length + (static_cast<double>(k) + 0.5) * slice, off.y(), off.z());
        const bool upright = k % 5 == 2; // a ring stays across the tunnel
        const Quat turn = upright ? Quat(1, 0, 0, 0) : random.rotation();
        append(mesh,
               mapped(obstacle(k, options.segments), [&](const Vec3& p) { return Vec3(turn * (reach * p) + center); }));
    }
    return mesh;
}

namespace {

// Hills in [-1/2, 1/2] over the unit square: five octaves of noise, ridged where they are high.
double hill(double x, double y, std::uint64_t seed) {
    double sum = 0, weight = 0.5, scale = 3;
    for (std::uint64_t octave = 0; octave < 5; ++octave) {
        // A lattice row of its own height for each octave: noise is zero on whole lattice planes.
        sum += weight * lattice_noise({scale * x, scale * y, 0.5 + 7.0 * static_cast<double>(octave)}, seed);
        weight *= 0.45;
        scale *= 2.1;
    }
    return std::clamp(0.75 * sum, -0.5, 0.5);
}

} // namespace

TriangleMesh make_terrain(const TerrainOptions& options) {
    check_length("size", options.size);
    check_length("height", options.height);
    check_count("cells", options.cells, 1, 5000);
    const double height = options.height, depth = 0.5 * height;
    TriangleMesh mesh;
    if (options.closed) {
        const std::size_t rows =
            std::min<std::size_t>(options.cells, pieces(height, options.size / static_cast<double>(options.cells)));
        mesh = make_box({.size = {options.size, options.size, 1}, .cells = {options.cells, options.cells, rows}});
    } else {
        mesh = mapped(make_cloth({.size = {options.size, options.size}, .cells = {options.cells, options.cells}}),
                      [](const Vec3& p) { return Vec3(p.x(), p.y(), 0.5); });
    }
    parallel_for(mesh.vertices.size(), 4096, [&](std::size_t begin, std::size_t end) {
        for (std::size_t v = begin; v < end; ++v) {
            Vec3& p = mesh.vertices[v];
            const double top = height * hill(p.x() / options.size, p.y() / options.size, options.seed);
            const double base = -0.5 * height - depth;
            p.z() = base + (p.z() + 0.5) * (top - base);
        }
    });
    return mesh;
}

TriangleMesh make_cloth(const ClothOptions& options) {
    for (const double side : options.size) check_length("size", side);
    for (const std::size_t count : options.cells) check_count("cells", count, 1, max_generated_elements);
    const auto [nx, ny] = options.cells;
    check_total("cloth", 2.0 * static_cast<double>(nx) * static_cast<double>(ny));
    TriangleMesh mesh;
    mesh.vertices.reserve((nx + 1) * (ny + 1));
    mesh.triangles.reserve(2 * nx * ny);
    for (std::size_t j = 0; j <= ny; ++j)
        for (std::size_t i = 0; i <= nx; ++i)
            mesh.vertices.push_back({options.size.x() * (static_cast<double>(i) / static_cast<double>(nx) - 0.5),
                                     options.size.y() * (static_cast<double>(j) / static_cast<double>(ny) - 0.5), 0});
    const auto at = [nx = nx](std::size_t i, std::size_t j) { return static_cast<Index>(j * (nx + 1) + i); };
    for (std::size_t j = 0; j < ny; ++j)
        for (std::size_t i = 0; i < nx; ++i)
            add_quad(mesh.triangles, at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1), (i + j) % 2 == 1);
    return mesh;
}

} // namespace fathom
