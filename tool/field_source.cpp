// Opening of fields, meshes and shapes that are named on the command line.
#include <tool/field_source.h>
#include <tool/output.h>

#include <fathom/base/error.h>
#include <fathom/base/file.h>
#include <fathom/field/analytic/analytic_expression.h>
#include <fathom/field/analytic/analytic_field.h>
#include <fathom/field/file/grid_file.h>
#include <fathom/field/mesh/grid_builder.h>
#include <fathom/field/mesh/mesh_field.h>
#include <fathom/field/neural/neural_field.h>
#include <fathom/field/neural_io/network_file.h>
#include <fathom/geometry/generate/mesh_catalogue.h>
#include <fathom/geometry/io/mesh_file.h>
#include <fathom/show/viewer_sources.h>

#include <algorithm>
#include <array>
#include <filesystem>

namespace fathom::tool {

namespace {

namespace fs = std::filesystem;

bool ends_in(const fs::path& path, std::initializer_list<std::string_view> endings) {
    return std::any_of(endings.begin(), endings.end(),
                       [&](std::string_view e) { return path.extension().string() == e; });
}

FieldSource from_grid(const fs::path& path) {
    GridFile file = read_grid_file(path);
    FieldSource source{"grid", file.format, file.note, file.remarks, {}, {}, {}};
    source.field = source.grid = std::make_shared<GridField>(std::move(file.field));
    return source;
}

FieldSource from_network(const fs::path& path) {
    NetworkFile file = read_network_file(path);
    const Network& net = file.network;
    FieldSource source{"neural",
                       fmt::format("{}, {} layers, {} wide, {} weights", file.format, net.layers.size(), net.width(),
                                   with_commas(net.weight_count())),
                       file.note,
                       file.remarks,
                       {},
                       {},
                       {}};
    source.field = std::make_shared<NeuralField>(std::move(file.network));
    return source;
}

FieldSource from_mesh(TriangleMesh mesh, const std::string& description) {
    FieldSource source{
        "mesh", fmt::format("{}, {} triangles", description, with_commas(mesh.triangles.size())), {}, {}, {}, {}, {}};
    source.mesh = std::move(mesh);
    return source;
}

FieldSource from_expression(const std::string& text, const std::string& name) {
    AnalyticExpression shape = parse_shape(text, name);
    FieldSource source{"analytic", shape.text(), {}, {}, {}, {}, {}};
    source.field = std::make_shared<AnalyticField>(std::move(shape));
    return source;
}

bool is_catalogue_shape(const std::string& name) {
    const auto shapes = shape_catalogue();
    return std::any_of(shapes.begin(), shapes.end(), [&](const CatalogueShape& s) { return s.name == name; });
}

FieldSource from_tetrahedra(TetMesh mesh, const std::string& description) {
    FieldSource source = from_mesh(boundary(mesh), description);
    source.tetrahedra = std::move(mesh);
    return source;
}

FieldSource from_catalogue(const std::string& name) {
    ShapeMesh made = make_shape(name);
    if (auto* volume = std::get_if<TetMesh>(&made)) return from_tetrahedra(std::move(*volume), name);
    return from_mesh(std::move(std::get<TriangleMesh>(made)), name);
}

FieldSource from_file(const fs::path& path) {
    if (ends_in(path, {".fathom", ".npy", ".nrrd", ".vti", ".sdf", ".dist", ".vdb"})) return from_grid(path);
    if (is_network_file(path)) return from_network(path);
    if (ends_in(path, {".shape", ".txt"})) {
        Bytes bytes = read_whole_file(path);
        return from_expression({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path.string());
    }
    const MeshFile file = read_mesh(path);
    const bool volume = file.surface.triangles.empty() && file.has_volume();
    check_size(volume ? file.volume.vertices : file.surface.vertices, path.string());
    FieldSource source =
        volume ? from_tetrahedra(file.volume, file.report.format) : from_mesh(file.surface, file.report.format);
    source.remarks = file.report.notes;
    return source;
}

} // namespace

FieldSource open_field(const std::string& text) {
    std::error_code ignored;
    if (fs::is_regular_file(text, ignored)) return from_file(text);
    if (is_catalogue_shape(text)) return from_catalogue(text);
    if (text.find('(') == std::string::npos)
        throw Error(Cause::cannot_open, "no such file, not a shape of `fathom make --list`, and not an expression",
                    {.file = text});
    return from_expression(text, "expression");
}

void mesh_to_grid(FieldSource& source, int resolution, Progress* progress) {
    if (!source.mesh) return;
    CachedGrid made = cached_grid(*source.mesh, {.resolution = resolution, .progress = progress});
    source.field = source.grid = std::make_shared<GridField>(std::move(made.file.field));
}

Shape shape_of(const FieldSource& source) {
    if (source.tetrahedra) return Shape(*source.tetrahedra);
    return source.mesh ? Shape(*source.mesh) : Shape(source.field);
}

FieldPtr field_of(FieldSource& source) {
    if (!source.field) source.field = std::make_shared<MeshField>(*source.mesh);
    return source.field;
}

std::string display_name(const std::string& text) {
    std::error_code ignored;
    return fs::exists(text, ignored) ? fs::path(text).filename().string() : text;
}

ViewerBody make_viewer_body(const std::string& text, const FieldSource& source, int resolution, Progress* progress) {
    return source.mesh ? viewer_body(display_name(text), *source.mesh)
                       : viewer_body(display_name(text), *source.field, resolution, progress);
}

} // namespace fathom::tool
