// Tunnel, terrain, cloth and skillet.
#include <fathom/base/parallel.h>
#include <fathom/base/pose.h>
#include <fathom/base/random.h>
#include <fathom/geometry/generate/parts.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace fathom {

namespace {

using std::numbers::pi;

// Maps z, the axis of the lathe, to x, the axis of the tunnel.
Vec3 laid_down(const Vec3& p) { return {p.z(), p.x(), p.y()}; }

TriangleMesh tube(double inner, double outer, double length, std::size_t segments) {
    const double half = length / 2;
    Profile profile({inner, -half}, edge_around(inner, segments));
    profile.line_to({outer, -half}).line_to({outer, half}).line_to({inner, half}).line_to({inner, -half});
    return mapped(lathe(profile.points(), {.segments = segments}), laid_down);
}

// An obstacle within the unit sphere about the origin, in the order sphere, bar, ring, block, cone.
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

// Each obstacle has its own slice of the tunnel and lies in a sphere that fits into the slice.
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
    // The inradius of the polygon of the inner wall is cos(pi / segments) of its radius: 0.96 for twelve segments.
    const double reach = 0.95 * std::min(0.96 * options.radius, 0.5 * slice);
    Random random(options.seed);
    for (std::size_t k = 0; k < options.obstacles; ++k) {
        const double room = 0.96 * options.radius - reach;
        const Vec3 off = 0.9 * room * random.in_ball();
        const Vec3 center(-0.5 * options.length + (static_cast<double>(k) + 0.5) * slice, off.y(), off.z());
        const bool upright = k % 5 == 2; // a ring stays perpendicular to the tunnel
        const Quat turn = upright ? Quat(1, 0, 0, 0) : random.rotation();
        append(mesh,
               mapped(obstacle(k, options.segments), [&](const Vec3& p) { return Vec3(turn * (reach * p) + center); }));
    }
    return mesh;
}

namespace {

// Hills in [-1/2, 1/2] over the unit square: five octaves of noise.
double hill(double x, double y, std::uint64_t seed) {
    double sum = 0, weight = 0.5, scale = 3;
    for (std::uint64_t octave = 0; octave < 5; ++octave) {
        // Each octave uses its own height in the lattice, since the noise is zero at lattice points.
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
            mesh.vertices.emplace_back(options.size.x() * (static_cast<double>(i) / static_cast<double>(nx) - 0.5),
                                       options.size.y() * (static_cast<double>(j) / static_cast<double>(ny) - 0.5), 0);
    const auto at = [nx = nx](std::size_t i, std::size_t j) { return static_cast<Index>(j * (nx + 1) + i); };
    for (std::size_t j = 0; j < ny; ++j)
        for (std::size_t i = 0; i < nx; ++i)
            add_quad(mesh.triangles, at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1), (i + j) % 2 == 1);
    return mesh;
}

// ---- Skillet: a surface of revolution whose handle is extruded from a patch of the wall, so that the surface is
// connected.

namespace {

// The patch of the outer wall that the handle replaces: rows of rings, and columns to both sides of +x.
struct Patch {
    std::size_t first_ring, rows; // number of quads upward
    std::size_t half_columns;     // number of quads to each side

    [[nodiscard]] std::size_t columns() const { return 2 * half_columns; }
};

// Position of a grid point of the patch (column, row) on a cross-section of the handle: the square grid is mapped to a
// disc.
Vec2 on_section(const Patch& patch, std::size_t column, std::size_t row) {
    const double u = 2 * static_cast<double>(column) / static_cast<double>(patch.columns()) - 1;
    const double v = 2 * static_cast<double>(row) / static_cast<double>(patch.rows) - 1;
    return {u * std::sqrt(1 - 0.5 * v * v), v * std::sqrt(1 - 0.5 * u * u)};
}

// The border of the patch, counter-clockwise from outside: along the lowest row, up, back and down.
std::vector<std::array<std::size_t, 2>> border(const Patch& patch) {
    std::vector<std::array<std::size_t, 2>> loop;
    for (std::size_t c = 0; c < patch.columns(); ++c) loop.push_back({c, 0});
    for (std::size_t r = 0; r < patch.rows; ++r) loop.push_back({patch.columns(), r});
    for (std::size_t c = patch.columns(); c > 0; --c) loop.push_back({c, patch.rows});
    for (std::size_t r = patch.rows; r > 0; --r) loop.push_back({0, r});
    return loop;
}

// Half width and half height of the handle at a fraction of its length, in pan radii; the last tenth is rounded.
Vec2 section_size(double fraction) {
    const double grip = std::clamp((fraction - 0.2) / 0.5, 0.0, 1.0);
    const double swell = grip * grip * (3 - 2 * grip);
    const double tip = std::clamp((fraction - 0.9) / 0.1, 0.0, 1.0);
    return Vec2(0.075 + 0.045 * swell, 0.05 + 0.02 * swell) * std::sqrt(1 - 0.75 * tip * tip);
}

class SkilletBuilder {
public:
    explicit SkilletBuilder(const SkilletOptions& options)
        : length_(options.handle / options.radius), segments_(options.segments), edge_(edge_around(1, segments_)) {}

    TriangleMesh build() { // a pan of radius 1
        make_pan();
        remove_patch();
        grow_handle();
        close_handle();
        return std::move(mesh_);
    }

private:
    void make_pan();
    void remove_patch();
    void grow_handle();
    void close_handle();

    [[nodiscard]] Index wall_vertex(std::size_t column, std::size_t row) const {
        return rings_[patch_.first_ring + row].vertex(column + segments_ - patch_.half_columns);
    }
    [[nodiscard]] Vec3 handle_point(double fraction, std::size_t column, std::size_t row) const {
        const Vec2 p = on_section(patch_, column, row).cwiseProduct(section_size(fraction));
        return {1 + length_ * fraction, p.x(), 0.2 + 0.25 * length_ * fraction * (1 - 0.4 * fraction) + p.y()};
    }

    double length_;
    std::size_t segments_;
    double edge_;
    TriangleMesh mesh_;
    std::vector<Ring> rings_;
    Patch patch_{};
    std::vector<Index> loop_; // the handle's last loop of vertices, as border() lists them
};

void SkilletBuilder::make_pan() {
    Profile profile({0, 0}, edge_);
    profile.line_to({0.8, 0}).line_to({0.84, 0.03}).line_to({0.88, 0.12});
    patch_.first_ring = profile.points().size() - 1;
    profile.line_to({0.925, 0.2}).line_to({0.955, 0.27});
    patch_.rows = profile.points().size() - 1 - patch_.first_ring;
    patch_.half_columns = std::max<std::size_t>(1, pieces(0.09, edge_));
    profile.line_to({0.99, 0.32}).line_to({0.98, 0.34}).line_to({0.95, 0.32});
    profile.line_to({0.84, 0.12}).line_to({0.79, 0.05}).line_to({0.76, 0.04}).line_to({0, 0.04});
    mesh_ = lathe(profile.points(), {.segments = segments_, .even = true}, rings_);
}

void SkilletBuilder::remove_patch() {
    std::vector<char> inside(mesh_.vertices.size(), 0);
    for (std::size_t r = 0; r <= patch_.rows; ++r)
        for (std::size_t c = 0; c <= patch_.columns(); ++c) inside[wall_vertex(c, r)] = 1;
    std::erase_if(mesh_.triangles, [&](const Triangle& t) { return inside[t[0]] && inside[t[1]] && inside[t[2]]; });
    // Vertices in the interior of the patch have no triangles any more.
    std::vector<char> used(mesh_.vertices.size(), 0);
    for (const Triangle& t : mesh_.triangles)
        for (const Index v : t) used[v] = 1;
    std::vector<Index> number(mesh_.vertices.size(), no_index);
    std::vector<Vec3> kept;
    for (std::size_t v = 0; v < used.size(); ++v)
        if (used[v]) {
            number[v] = static_cast<Index>(kept.size());
            kept.push_back(mesh_.vertices[v]);
        }
    for (Triangle& t : mesh_.triangles)
        for (Index& v : t) v = number[v];
    mesh_.vertices = std::move(kept);
    for (const auto& [c, r] : border(patch_)) loop_.push_back(number[wall_vertex(c, r)]);
}

void SkilletBuilder::grow_handle() {
    const auto cells = border(patch_);
    const std::size_t steps = pieces(length_, edge_, 12), n = cells.size();
    const std::vector<Index> wall = loop_;
    for (std::size_t s = 1; s <= steps; ++s) {
        const double fraction = static_cast<double>(s) / static_cast<double>(steps);
        const double along =
            std::clamp(fraction * length_ / 0.25, 0.0, 1.0); // blends from the patch of the wall to the cross-section
        const double blend = along * along * (3 - 2 * along);
        std::vector<Index> next;
        for (std::size_t i = 0; i < n; ++i) {
            const Vec3 target = handle_point(fraction, cells[i][0], cells[i][1]);
            Vec3 carried = mesh_.vertices[wall[i]];
            carried.x() += target.x() - 1;
            next.push_back(static_cast<Index>(mesh_.vertices.size()));
            mesh_.vertices.push_back(carried + blend * (target - carried));
        }
        for (std::size_t i = 0; i < n; ++i)
            add_quad(mesh_.triangles, loop_[i], loop_[(i + 1) % n], next[(i + 1) % n], next[i]);
        loop_ = std::move(next);
    }
}

void SkilletBuilder::close_handle() {
    const std::size_t columns = patch_.columns(), rows = patch_.rows;
    std::vector<Index> grid((columns + 1) * (rows + 1), no_index);
    const auto at = [&](std::size_t c, std::size_t r) -> Index& { return grid[r * (columns + 1) + c]; };
    const auto cells = border(patch_);
    for (std::size_t i = 0; i < cells.size(); ++i) at(cells[i][0], cells[i][1]) = loop_[i];
    for (std::size_t r = 1; r < rows; ++r)
        for (std::size_t c = 1; c < columns; ++c) {
            at(c, r) = static_cast<Index>(mesh_.vertices.size());
            mesh_.vertices.push_back(handle_point(1, c, r));
        }
    for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t c = 0; c < columns; ++c) {
            // The diagonal at a corner of the grid must not create a triangle with all its vertices on the curve of the
            // rim.
            const bool other = (c < columns / 2) == (r < (rows + 1) / 2);
            add_quad(mesh_.triangles, at(c, r), at(c + 1, r), at(c + 1, r + 1), at(c, r + 1), !other);
        }
}

} // namespace

TriangleMesh make_skillet(const SkilletOptions& options) {
    check_length("radius", options.radius);
    check_number("handle", options.handle, 0.5 * options.radius, 10 * options.radius);
    check_count("segments", options.segments, 32, 20'000);
    const double edge = edge_around(1, options.segments);
    check_area("skillet", 8 + 0.7 * options.handle / options.radius, edge);
    return mapped(SkilletBuilder(options).build(), [&](const Vec3& p) { return Vec3(options.radius * p); });
}

} // namespace fathom
