// Building of grid fields from triangle meshes, and their cache.
#include <fathom/field/mesh/grid_builder.h>

#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/base/version.h>
#include <fathom/field/grid/bake.h>
#include <fathom/field/grid/contour.h>
#include <fathom/field/grid/grid_assembler.h>
#include <fathom/field/mesh/lattice_signs.h>
#include <fathom/field/mesh/mesh_sampler.h>
#include <fathom/field/mesh/mesh_sign.h>
#include <fathom/geometry/mesh/components.h>
#include <fathom/geometry/mesh/weld.h>
#include <fathom/geometry/surface_tree/surface_tree.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace fathom {

namespace {

// Brick corners per triangle, above which the lattice of corners is sampled like the bricks.
constexpr std::size_t many_corners = 12;
constexpr int max_wrap_resolution = 384; // resolution of the offset surface that wraps a soup

void check_options(const GridOptions& options) {
    const auto require = [](bool holds, const char* option, const char* reason) {
        if (!holds) throw Error(Cause::invalid_argument, reason, {.element = fmt::format("option {}", option)});
    };
    require(options.margin > 0 && options.margin <= 10, "margin", "must be in (0, 10]");
    require(options.band >= 1 && options.band <= 1000, "band", "must be from 1 to 1000 cells");
    require(options.thickness >= 0 && std::isfinite(options.thickness), "thickness", "must not be negative");
    require(options.wrap >= 0 && std::isfinite(options.wrap), "wrap", "must not be negative");
}

GridLayout layout_for(const Box& mesh, const GridOptions& options) {
    if (options.box.empty()) {
        const double size = mesh.size().maxCoeff();
        if (!(size > 1e-12 * std::max(mesh.lower.cwiseAbs().maxCoeff(), mesh.upper.cwiseAbs().maxCoeff())))
            throw Error(Cause::invalid_argument, "the mesh has no extent, so a box must be given",
                        {.element = "option box"});
        return covering_layout(mesh.grown(options.margin * size), options.resolution);
    }
    if (!options.box.contains(mesh))
        throw Error(Cause::invalid_argument, "does not contain the mesh", {.element = "option box"});
    return covering_layout(options.box, options.resolution);
}

// Input of one build. The field's value is the signed distance from the mesh, plus `shift`.
struct Build {
    const GridOptions& options;
    const TriangleMesh& mesh; // welded
    const SurfaceTree& tree;
    const MeshSampler& sampler;
    SignChoice sign;
    GridLayout layout;
    double shift = 0; // m

    [[nodiscard]] GridField run() const;

private:
    [[nodiscard]] double band() const { return options.band * layout.cell; }
    // A cell within the band has all its samples in stored bricks, so they are exact.
    [[nodiscard]] double reach() const { return band() + std::abs(shift) + std::numbers::sqrt3 * layout.cell; }
    // No sample of a stored brick of a sparse grid is farther from the surface than this.
    [[nodiscard]] double near_distance() const { return reach() + 2 * brick_cells * layout.cell; }
    [[nodiscard]] std::vector<float> corner_values(const InsideTest& inside) const;
    void compute_corners(const SampleLattice& lattice, std::span<double> distances, std::span<Index> nearest) const;
    void sample_corners(std::span<double> distances, std::span<Index> nearest) const;
    void sample_bricks(const InsideTest& inside, const std::vector<char>& stored, GridAssembler& assembler) const;
    void give_signs(LatticeSigns& signs, const SampleLattice& lattice, std::span<const Index> nearest,
                    std::span<double> distances) const;
    [[nodiscard]] SampleTruth truth() const;
};

void Build::give_signs(LatticeSigns& signs, const SampleLattice& lattice, std::span<const Index> nearest,
                       std::span<double> distances) const {
    if (sign.method != SignMethod::thickness) signs.apply(lattice, nearest, distances);
    for (double& d : distances) d += shift;
}

std::vector<float> Build::corner_values(const InsideTest& inside) const {
    const double spacing = brick_cells * layout.cell;
    const SampleLattice lattice{
        layout.origin, spacing, {layout.bricks[0] + 1, layout.bricks[1] + 1, layout.bricks[2] + 1}};
    std::vector<double> distances(layout.corner_count());
    std::vector<Index> nearest(distances.size());
    if (distances.size() > many_corners * mesh.triangles.size()) {
        sample_corners(distances, nearest);
    } else {
        compute_corners(lattice, distances, nearest);
    }
    LatticeSigns signs(inside, sign.sealed, sampler.error_bound(layout, layout.domain().size().norm()));
    give_signs(signs, lattice, nearest, distances);
    return {distances.begin(), distances.end()};
}

// Computes the corners one by one, which is faster if bricks are large relative to triangles.
void Build::compute_corners(const SampleLattice& lattice, std::span<double> distances, std::span<Index> nearest) const {
    Stage stage(options.progress, "distances far from the surface", distances.size());
    constexpr std::size_t piece = std::size_t{1} << 20;
    std::vector<Vec3> points;
    std::vector<ClosestPoint> closest;
    for (std::size_t begin = 0; begin < distances.size(); begin += piece) {
        const std::size_t count = std::min(piece, distances.size() - begin);
        points.resize(count);
        closest.resize(count);
        for (std::size_t k = 0; k < count; ++k) points[k] = lattice.position(begin + k);
        tree.closest(points, closest);
        for (std::size_t k = 0; k < count; ++k) {
            distances[begin + k] = std::sqrt(closest[k].squared_distance);
            nearest[begin + k] = closest[k].triangle;
        }
        stage.step(count);
    }
}

// The corners form a lattice eight times as coarse, with its own bricks.
void Build::sample_corners(std::span<double> distances, std::span<Index> nearest) const {
    GridLayout coarse{layout.origin, brick_cells * layout.cell, {}};
    for (std::size_t k = 0; k < 3; ++k) coarse.bricks[k] = (layout.bricks[k] + brick_cells - 1) / brick_cells;
    const std::vector<char> all(coarse.brick_count(), 1);
    sampler.sample(coarse, all, "distances far from the surface", options.progress,
                   [&](std::size_t brick, const BrickDistances& values) {
                       const auto p = coarse.brick_position(brick);
                       for (int s = 0; s < static_cast<int>(brick_size); ++s) {
                           const std::array<int, 3> in_brick = {s % 9, s / 9 % 9, s / 81};
                           std::array<int, 3> corner;
                           bool own = true; // a corner on a border is owned by the brick that begins there
                           for (std::size_t k = 0; k < 3; ++k) {
                               corner[k] = p[k] * brick_cells + in_brick[k];
                               own = own && corner[k] <= layout.bricks[k] &&
                                     (in_brick[k] < brick_cells || p[k] + 1 == coarse.bricks[k]);
                           }
                           if (!own) continue;
                           const std::size_t c = layout.corner_index(corner);
                           distances[c] = values.distance[static_cast<std::size_t>(s)];
                           nearest[c] = values.nearest[static_cast<std::size_t>(s)];
                       }
                   });
}

void Build::sample_bricks(const InsideTest& inside, const std::vector<char>& stored, GridAssembler& assembler) const {
    const double error = sampler.error_bound(layout, options.dense ? layout.domain().size().norm() : near_distance());
    sampler.sample(layout, stored, "distances near the surface", options.progress,
                   [&](std::size_t brick, const BrickDistances& values) {
                       const Vec3 first = layout.brick_start(layout.brick_position(brick));
                       std::array<double, brick_size> distances = values.distance;
                       LatticeSigns signs(inside, sign.sealed, error);
                       give_signs(signs, {first, layout.cell, {brick_samples, brick_samples, brick_samples}},
                                  values.nearest, distances);
                       assembler.set(brick, distances);
                   });
}

SampleTruth Build::truth() const {
    SampleTruth truth;
    const double far = layout.domain().size().norm();
    truth.error = sampler.error_bound(layout, near_distance());
    truth.far_error = sampler.error_bound(layout, far);
    if (!sign.sealed && sign.method == SignMethod::winding) {
        // In a hole the sign changes between two samples, and the value changes by twice the distance.
        truth.error += 2 * reach();
        truth.far_error += 2 * far;
    }
    return truth;
}

GridField Build::run() const {
    refuse_past_limit(layout, options.storage, options.dense ? layout.brick_count() : 0, options.memory_limit);
    const InsideTest inside(mesh, tree, sign);
    const std::vector<char> stored = options.dense ? std::vector<char>(layout.brick_count(), 1)
                                                   : sampler.near_bricks(layout, reach(), options.progress);
    const auto count = static_cast<std::size_t>(std::count(stored.begin(), stored.end(), char{1}));
    refuse_past_limit(layout, options.storage, count, options.memory_limit);
    GridAssembler assembler(layout, options.storage, corner_values(inside), {stored.begin(), stored.end()});
    sample_bricks(inside, stored, assembler);
    return GridField(std::move(assembler).finish(band(), truth()));
}

// Outer sheets of the offset surface at distance `offset` from a soup. A sheet inside another one bounds a cavity that
// the outside cannot reach, and is dropped.
TriangleMesh wrapping(const Build& soup, double offset) {
    GridOptions options = soup.options;
    options.resolution = std::min(options.resolution, max_wrap_resolution);
    options.dense = false;
    options.band = 2;
    options.storage = GridStorage::float32;
    const GridLayout layout = covering_layout(soup.layout.domain().grown(2 * offset), options.resolution);
    SignChoice sheets;
    sheets.method = SignMethod::thickness;
    const GridField offset_field = Build{options, soup.mesh, soup.tree, soup.sampler, sheets, layout, -offset}.run();
    const TriangleMesh all = contour(offset_field, {.progress = options.progress});
    const Components parts = components(all);
    TriangleMesh outer;
    outer.vertices = all.vertices;
    for (std::size_t t = 0; t < all.triangles.size(); ++t) {
        const Index part = parts.part_of_triangle[t];
        if (part != no_index && parts.parts[part].volume > 0) outer.triangles.push_back(all.triangles[t]);
    }
    if (outer.triangles.empty()) throw Error(Cause::empty, "the mesh is empty after wrapping; choose a larger offset");
    return without_unreferenced_vertices(outer);
}

GridField build_wrapped(const Build& soup) {
    const GridLayout& layout = soup.layout;
    const int resolution = std::min(soup.options.resolution, max_wrap_resolution);
    const double least = 1.5 * layout.domain().size().maxCoeff() / resolution;
    const double offset = std::max(least, soup.options.wrap > 0 ? soup.options.wrap : 2 * layout.cell);
    const TriangleMesh closed = wrapping(soup, offset);
    const SurfaceTree tree(closed);
    const MeshSampler sampler(closed, tree);
    return Build{soup.options, closed, tree, sampler, SignChoice{}, layout, offset}.run();
}

} // namespace

GridField build_grid(const TriangleMesh& mesh, const GridOptions& options, GridReport* report) {
    check(mesh);
    check_size(mesh.vertices);
    check_options(options);
    if (mesh.triangles.empty()) throw Error(Cause::empty, "the mesh has no triangles");
    const TriangleMesh welded =
        weld(mesh, {.drop_collapsed = false, .drop_duplicates = true, .drop_unreferenced = true}).mesh;
    const SurfaceTree tree(welded);
    const MeshSampler sampler(welded, tree);
    const GridLayout layout = layout_for(tree.tree().bounds(), options);
    const SignChoice sign = choose_sign(welded, tree, options.sign, options.progress);
    const double thickness = options.thickness > 0 ? options.thickness : 2 * layout.cell;
    const Build build{
        options, welded, tree, sampler, sign, layout, sign.method == SignMethod::thickness ? -0.5 * thickness : 0.0};
    GridField field = sign.method == SignMethod::wrap ? build_wrapped(build) : build.run();
    if (report != nullptr)
        *report = {sign, field.data().stored_bricks(), field.bytes(),
                   sampler.error_bound(layout, field.data().band) + 0.5 * field.data().step};
    return field;
}

std::size_t min_grid_bytes(const TriangleMesh& mesh, const GridOptions& options) {
    check(mesh);
    check_size(mesh.vertices);
    check_options(options);
    Box bounds;
    for (const Vec3& v : mesh.vertices) bounds.extend(v);
    const GridLayout layout = layout_for(bounds, options);
    return grid_bytes(layout, options.storage, options.dense ? layout.brick_count() : 0);
}

// ---- Cached grid fields of meshes.

namespace {

using Json = nlohmann::ordered_json;

Json numbers(const Vec3& v) { return {v.x(), v.y(), v.z()}; }

// Every option that changes the field. Numbers are written so that they are read back exactly.
Json described(const GridOptions& options) {
    Json text = {{"resolution", options.resolution},
                 {"margin", options.margin},
                 {"band", options.band},
                 {"dense", options.dense},
                 {"storage", options.storage == GridStorage::code16 ? "code16" : "float32"},
                 {"sign", name(options.sign)},
                 {"thickness", options.thickness},
                 {"wrap", options.wrap}};
    if (!options.box.empty()) text["box"] = {numbers(options.box.lower), numbers(options.box.upper)};
    return text;
}

std::string note_of(const GridOptions& options, const GridReport& report) {
    const Json note = {{"fathom", version},
                       {"from", "mesh"},
                       {"options", described(options)},
                       {"sign",
                        {{"method", name(report.sign.method)},
                         {"inside_out", report.sign.flipped},
                         {"sealed", report.sign.sealed},
                         {"confidence", report.sign.confidence},
                         {"reason", report.sign.reason}}},
                       {"sample_error", report.sample_error}};
    return note.dump();
}

} // namespace

CachedGrid cached_grid(const TriangleMesh& mesh, const GridOptions& options, const FieldCache& cache) {
    check(mesh);
    check_size(mesh.vertices);
    const Fingerprint key =
        field_key(mesh, Json{{"builder", grid_builder_revision}, {"options", described(options)}}.dump());
    if (std::optional<FieldFile> kept = cache.find(key)) return {std::move(*kept), true, {}};
    GridReport report;
    GridField field = build_grid(mesh, options, &report);
    std::string note = note_of(options, report);
    std::string not_kept = cache.put(key, field, note);
    return {{std::move(field), std::move(note)}, false, std::move(not_kept)};
}

} // namespace fathom
