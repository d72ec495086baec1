// A skillet: a pan from the lathe whose handle grows out of a patch of the wall, so that it is one
// surface.
#include <fathom/geometry/generate/lathe.h>
#include <fathom/geometry/generate/parts.h>

#include <algorithm>
#include <cmath>

namespace fathom {

namespace {

// The patch of the outer wall that the handle replaces: rows of rings, and columns to both sides of +x.
struct Patch {
    std::size_t first_ring, rows; // quads upward
    std::size_t half_columns;     // quads to each side

    [[nodiscard]] std::size_t columns() const { return 2 * half_columns; }
};

// Where a grid point of the patch (column, row) goes on a cross-section of the handle: the square grid pressed into a
// disk.
Vec2 on_section(const Patch& patch, std::size_t column, std::size_t row) {
    const double u = 2 * static_cast<double>(column) / static_cast<double>(patch.columns()) - 1;
    const double v = 2 * static_cast<double>(row) / static_cast<double>(patch.rows) - 1;
    return {u * std::sqrt(1 - 0.5 * v * v), v * std::sqrt(1 - 0.5 * u * u)};
}

// The border of the patch, counter-clockwise seen from outside: along the lowest row, up, back and down.
std::vector<std::array<std::size_t, 2>> border(const Patch& patch) {
    std::vector<std::array<std::size_t, 2>> loop;
    for (std::size_t c = 0; c < patch.columns(); ++c) loop.push_back({c, 0});
    for (std::size_t r = 0; r < patch.rows; ++r) loop.push_back({patch.columns(), r});
    for (std::size_t c = patch.columns(); c > 0; --c) loop.push_back({c, patch.rows});
    for (std::size_t r = patch.rows; r > 0; --r) loop.push_back({0, r});
    return loop;
}

// Half width and half height of the handle at a fraction of its length, in pan radii; the last tenth is rounded off.
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
    // Vertices in the middle of the patch have lost all their triangles.
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
        const double along = std::clamp(fraction * length_ / 0.25, 0.0, 1.0); // the wall's patch fades into the section
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
            // The diagonal at a corner of the grid must not cut off a triangle with all its vertices on the rim's
            // curve.
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
