// What the verbs of `fathom field` accept as a field.
#include <tool/field_source.h>
#include <tool/terminal.h>

#include <fathom/base/error.h>
#include <fathom/base/file.h>
#include <fathom/field/analytic/analytic_field.h>
#include <fathom/field/analytic/parse.h>
#include <fathom/field/file/grid_file.h>
#include <fathom/field/mesh/cached_grid.h>
#include <fathom/field/mesh/mesh_field.h>
#include <fathom/field/neural/network_field.h>
#include <fathom/field/neural/network_file.h>
#include <fathom/geometry/mesh_file.h>
#include <fathom/geometry/shape_catalogue.h>

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

FieldSource of_grid(const fs::path& path) {
    GridFile file = read_grid_file(path);
    FieldSource source{"grid", file.format, file.note, file.remarks, {}, {}, {}};
    source.field = source.grid = std::make_shared<GridField>(std::move(file.field));
    return source;
}

FieldSource of_network(const fs::path& path) {
    NetworkFile file = read_network_file(path);
    const Network& net = file.network;
    FieldSource source{"network",
                       fmt::format("{}, {} layers, {} wide, {} weights", file.format, net.layers.size(), net.width(),
                                   with_commas(net.weight_count())),
                       file.note,
                       file.remarks,
                       {},
                       {},
                       {}};
    source.field = std::make_shared<NetworkField>(std::move(file.network));
    return source;
}

FieldSource of_mesh(TriangleMesh mesh, const std::string& what) {
    FieldSource source{
        "mesh", fmt::format("{}, {} triangles", what, with_commas(mesh.triangles.size())), {}, {}, {}, {}, {}};
    source.mesh = std::move(mesh);
    return source;
}

FieldSource of_formula(const std::string& text, const std::string& name) {
    Formula shape = parse_shape(text, name);
    FieldSource source{"formula", shape.text(), {}, {}, {}, {}, {}};
    source.field = std::make_shared<AnalyticField>(std::move(shape));
    return source;
}

bool is_catalogue_shape(const std::string& name) {
    const auto shapes = shape_catalogue();
    return std::any_of(shapes.begin(), shapes.end(), [&](const CatalogueShape& s) { return s.name == name; });
}

FieldSource of_tetrahedra(TetMesh mesh, const std::string& what) {
    FieldSource source = of_mesh(boundary(mesh), what);
    source.tetrahedra = std::move(mesh);
    return source;
}

FieldSource of_shape(const std::string& name) {
    ShapeMesh made = make_shape(name);
    if (auto* volume = std::get_if<TetMesh>(&made)) return of_tetrahedra(std::move(*volume), name);
    return of_mesh(std::move(std::get<TriangleMesh>(made)), name);
}

FieldSource of_file(const fs::path& path) {
    if (ends_in(path, {".fathom", ".npy", ".nrrd", ".vti", ".sdf", ".dist", ".vdb"})) return of_grid(path);
    if (is_network_file(path)) return of_network(path);
    if (ends_in(path, {".shape", ".txt"})) {
        Bytes bytes = read_whole_file(path);
        return of_formula({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path.string());
    }
    const MeshFile file = read_mesh(path);
    const bool volume = file.surface.triangles.empty() && file.has_volume();
    FieldSource source =
        volume ? of_tetrahedra(file.volume, file.report.format) : of_mesh(file.surface, file.report.format);
    source.remarks = file.report.notes;
    return source;
}

} // namespace

FieldSource open_field(const std::string& text) {
    std::error_code ignored;
    if (fs::is_regular_file(text, ignored)) return of_file(text);
    if (is_catalogue_shape(text)) return of_shape(text);
    if (text.find('(') == std::string::npos)
        throw Error(Cause::cannot_open, "no such file, no shape of `fathom make --list`, and no formula",
                    {.file = text});
    return of_formula(text, "formula");
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

} // namespace fathom::tool
