// Viewer documents and layers of static data.
#include <fathom/show/viewer_sources.h>

#include <fathom/base/error.h>
#include <fathom/field/grid/contour.h>
#include <fathom/geometry/inspect/mesh_report.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace fathom {

namespace {

double number(std::size_t count) { return static_cast<double>(count); }

std::vector<Vec3f> as_floats(std::span<const Vec3> points) {
    std::vector<Vec3f> result;
    result.reserve(points.size());
    for (const Vec3& p : points) result.push_back(p.cast<float>());
    return result;
}

void add_report(ViewerInfo& info, const MeshReport& report) {
    info.emplace_back("closed", report.watertight ? "yes" : "no");
    if (report.genus) info.emplace_back("genus", number(*report.genus));
    info.emplace_back("parts", number(report.components));
    info.emplace_back("area", fmt::format("{:.4g} m2", report.area));
    if (report.volume) info.emplace_back("volume", fmt::format("{:.4g} m3", *report.volume));
    const auto defect = [&](const char* name, std::size_t count) {
        if (count > 0) info.emplace_back(name, number(count));
    };
    defect("open edges", report.open_edges.count);
    defect("non-manifold edges", report.nonmanifold_edges.count);
    defect("clashing edges", report.clashing_edges.count);
    defect("degenerate faces", report.degenerate_faces.count);
    defect("duplicate faces", report.duplicate_faces.count);
    defect("inside-out parts", report.inside_out_parts.count);
    defect("flat tetrahedra", report.flat_tetrahedra.count);
}

std::string in_words(const MeshReport& report) {
    return report.watertight ? report.clean() ? "closed, no defects" : "closed, with defects"
                             : fmt::format("not closed: {} open edges", report.open_edges.count);
}

// Number of levels to show. A level of a tree is shown completely or not at all.
std::size_t whole_levels(std::span<const std::size_t> sizes, std::size_t max_cells) {
    std::size_t levels = 0, sum = 0;
    while (levels < sizes.size() && (levels == 0 || sum + sizes[levels] <= max_cells)) sum += sizes[levels++];
    return levels;
}

struct CellOfSolid {
    Index node;
    Box box;
};

// The nodes of the tree of a field by level, with their cells; as many complete levels as `max_cells` allows.
std::vector<std::vector<CellOfSolid>> cells_of(const FieldSphereTree& solid, std::size_t max_cells) {
    std::vector<std::vector<CellOfSolid>> levels;
    if (solid.nodes().empty()) return levels;
    std::vector<CellOfSolid> level = {{0, solid.root()}};
    for (std::size_t sum = 1; !level.empty() && levels.size() < 32 && (sum <= max_cells || levels.empty());
         sum += level.size()) {
        levels.push_back(level);
        level.clear();
        for (const auto& [index, box] : levels.back()) {
            const FieldSphereNode& node = solid.nodes()[index];
            for (Index c = 0; c < node.children; ++c) {
                const int octant = solid.nodes()[node.first + c].octant;
                const Vec3 corner = box.corner(octant), center = box.center();
                level.push_back({node.first + c, {corner.cwiseMin(center), corner.cwiseMax(center)}});
            }
        }
    }
    return levels;
}

Box view_box(const Field& field) {
    const Box bounds = field.bounds();
    if (!bounds.empty() && is_finite(bounds.size()))
        return bounds.grown(0.1 * std::max(bounds.size().maxCoeff(), 1e-6));
    const Box domain = field.domain();
    return !domain.empty() && is_finite(domain.size()) ? domain : Box::around(Vec3::Zero(), Vec3::Ones());
}

} // namespace

ViewerBody viewer_body(std::string name, const TriangleMesh& mesh, const Pose& pose) {
    return {.name = std::move(name),
            .vertices = as_floats(mesh.vertices),
            .triangles = mesh.triangles,
            .pose = pose,
            .info = {{"vertices", number(mesh.vertices.size())}, {"triangles", number(mesh.triangles.size())}}};
}

ViewerBody viewer_body(std::string name, const Field& field, int resolution, Progress* progress) {
    const GridData* grid = field.grid_data();
    if (grid)
        resolution =
            std::min(resolution, std::max({grid->layout.cells(0), grid->layout.cells(1), grid->layout.cells(2)}));
    ViewerBody body = viewer_body(std::move(name), contour(field, view_box(field), resolution, {.progress = progress}));
    body.info.emplace_back("surface meshed with", fmt::format("{} cells along the longest side", resolution));
    if (grid)
        body.info.emplace_back("grid", fmt::format("{} x {} x {} cells", grid->layout.cells(0), grid->layout.cells(1),
                                                   grid->layout.cells(2)));
    if (std::isfinite(field.error_bound()))
        body.info.emplace_back("error bound", fmt::format("{:.3g} m", field.error_bound()));
    if (std::isfinite(field.lipschitz())) body.info.emplace_back("steepest slope", field.lipschitz());
    return body;
}

ViewerDocument mesh_document(const std::string& name, const TriangleMesh& mesh) {
    check(mesh, name);
    const MeshReport report = mesh_report(mesh);
    ViewerDocument document{.title = name,
                            .subtitle = fmt::format("{} triangles, {}", mesh.triangles.size(), in_words(report)),
                            .kind = ViewerKind::mesh};
    document.bodies.push_back(viewer_body(name, mesh));
    add_report(document.bodies.back().info, report);
    return document;
}

ViewerDocument tet_document(const std::string& name, const TetMesh& mesh) {
    check(mesh, name);
    const TriangleMesh surface = boundary(mesh);
    ViewerDocument document{.title = name,
                            .subtitle = fmt::format("{} tetrahedra, {} triangles on the boundary",
                                                    mesh.tetrahedra.size(), surface.triangles.size()),
                            .kind = ViewerKind::tetrahedra};
    document.bodies.push_back(viewer_body(name, surface));
    document.bodies.back().tetrahedra = mesh.tetrahedra;
    document.bodies.back().info.emplace_back("tetrahedra", number(mesh.tetrahedra.size()));
    add_report(document.bodies.back().info, mesh_report(mesh));
    return document;
}

ViewerLayer distances_layer(const Field& field, const Box& box, int samples) {
    if (samples < 2) throw Error(Cause::invalid_argument, "must be at least 2", {.element = "option samples"});
    if (box.empty() || !is_finite(box.size()) || box.size().minCoeff() <= 0)
        throw Error(Cause::invalid_argument, "the box of the samples has no volume");
    VolumeLayer volume{.box = box, .size = {}, .values = {}};
    const double step = box.size().maxCoeff() / (samples - 1);
    for (int axis = 0; axis < 3; ++axis)
        volume.size[static_cast<std::size_t>(axis)] = static_cast<std::size_t>(
            std::clamp(std::lround(box.size()[axis] / step) + 1, 2l, static_cast<long>(samples)));
    const auto [nx, ny, nz] = volume.size;
    const Vec3 spacing = box.size().cwiseQuotient(Vec3(number(nx - 1), number(ny - 1), number(nz - 1)));
    std::vector<Vec3> row(nx);
    std::vector<double> distances(nx);
    for (std::size_t z = 0; z < nz; ++z)
        for (std::size_t y = 0; y < ny; ++y) {
            for (std::size_t x = 0; x < nx; ++x)
                row[x] = box.lower + spacing.cwiseProduct(Vec3(number(x), number(y), number(z)));
            field.distances(row, distances);
            for (const double d : distances) volume.values.push_back(static_cast<float>(d));
        }
    ViewerLayer layer{.name = "distances", .content = {}, .visible = true};
    layer.info = {{"samples", fmt::format("{} x {} x {}", nx, ny, nz)}, {"spacing", fmt::format("{:.3g} m", step)}};
    layer.content = std::move(volume);
    return layer;
}

ViewerLayer cells_layer(const FieldSphereTree& solid, std::size_t max_cells) {
    BoxesLayer boxes;
    const auto levels = cells_of(solid, max_cells);
    for (std::size_t level = 0; level < levels.size(); ++level)
        for (const CellOfSolid& cell : levels[level]) {
            boxes.boxes.push_back(cell.box);
            boxes.levels.push_back(static_cast<std::uint8_t>(level));
        }
    const ViewerInfo info = {{"cells", number(boxes.boxes.size())}, {"levels", number(levels.size())}};
    return {.name = "octree cells", .content = std::move(boxes), .info = info};
}

ViewerLayer spheres_layer(const FieldSphereTree& solid, std::size_t max_cells) {
    SpheresLayer spheres;
    const auto levels = cells_of(solid, max_cells);
    for (std::size_t level = 0; level < levels.size(); ++level)
        for (const CellOfSolid& cell : levels[level]) {
            spheres.spheres.push_back(solid.sphere(solid.nodes()[cell.node]));
            spheres.levels.push_back(static_cast<std::uint8_t>(level));
        }
    const ViewerInfo info = {{"spheres", number(spheres.spheres.size())}, {"levels", number(levels.size())}};
    return {.name = "bounding spheres", .content = std::move(spheres), .info = info};
}

ViewerLayer spheres_layer(const SphereTree& tree, std::size_t max_cells) {
    std::vector<std::size_t> sizes;
    for (std::size_t level = 0; level < std::min<std::size_t>(tree.level_count(), 256); ++level)
        sizes.push_back(tree.level(level).size());
    SpheresLayer spheres;
    for (std::size_t level = 0; level < whole_levels(sizes, max_cells); ++level)
        for (const SphereNode& node : tree.level(level)) {
            spheres.spheres.push_back(tree.sphere(node));
            spheres.levels.push_back(static_cast<std::uint8_t>(level));
        }
    const ViewerInfo info = {{"points", number(tree.size())},
                             {"spheres", number(tree.nodes().size())},
                             {"levels", number(tree.level_count())}};
    return {.name = "sphere tree", .content = std::move(spheres), .info = info};
}

ViewerLayer contacts_layer(std::span<const Contact> contacts, Index body_a, Index body_b) {
    ContactsLayer layer;
    for (const Contact& c : contacts)
        layer.contacts.push_back({body_a, body_b, c.feature_a.element, c.feature_b.element,
                                  0.5 * (c.point_a + c.point_b), c.normal, c.depth});
    const ViewerInfo info = {{"contacts", number(contacts.size())}};
    return {.name = "contacts", .content = std::move(layer), .visible = true, .info = info};
}

ViewerLayer depth_layer(std::string name, const DepthMap& map) {
    std::size_t covered = 0;
    for (std::size_t k = 0; k < map.depth.size(); ++k) covered += map.covered(k);
    ViewerInfo info = {
        {"pixels", fmt::format("{} x {}", map.view.width, map.view.height)},
        {"covered", number(covered)},
        {"keeps", map.keep == Keep::nearest ? "the nearest surface" : "the farthest surface"},
        {"pixel", fmt::format("{:.3g} x {:.3g} m", map.view.pixel_size().x(), map.view.pixel_size().y())}};
    return {.name = std::move(name),
            .content = DepthMapLayer{{map.view, map.keep, map.depth, {}, {}}},
            .visible = true,
            .info = std::move(info)};
}

ViewerDocument field_document(const std::string& name, FieldPtr field, const FieldViewOptions& options) {
    ViewerDocument document{.title = name, .kind = ViewerKind::field};
    document.bodies.push_back(viewer_body(name, *field, options.resolution, options.progress));
    document.subtitle =
        fmt::format("surface of {} triangles; distances can be sliced", document.bodies.back().triangles.size());
    document.layers.push_back(distances_layer(*field, view_box(*field), options.samples));
    const Box bounds = field->bounds();
    if (!options.tree || bounds.empty() || !is_finite(bounds.size())) return document;
    const FieldSphereTree solid(std::move(field), {.max_nodes = options.max_cells});
    document.layers.push_back(cells_layer(solid, options.max_cells));
    document.layers.push_back(spheres_layer(solid, options.max_cells));
    return document;
}

} // namespace fathom
