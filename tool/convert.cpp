// fathom convert: converts meshes between file formats, with optional repairs.
#include <tool/arguments.h>
#include <tool/commands.h>
#include <tool/output.h>

#include <fathom/base/error.h>
#include <fathom/geometry/io/mesh_file.h>
#include <fathom/geometry/mesh/weld.h>

#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>

namespace fathom::tool {

namespace {

constexpr const char* convert_examples = R"(Examples:
  fathom convert scan.stl scan.ply               change the format, chosen by the file extension
  fathom convert soup.stl clean.obj --weld       merge vertices at equal positions
  fathom convert mm.stl m.glb --scale 0.001      from millimetres to metres
  fathom convert horse.ply horse.obj --flip      reverse the orientation of a surface
  fathom convert bunny.msh bunny.obj --surface   extract the boundary of tetrahedra

Steps run in the order: surface, weld, scale, flip. Each step is reported on stderr.)";

struct ConvertOptions {
    std::string in, out;
    bool weld = false;
    WeldOptions weld_options{};
    double scale = 1;
    bool flip = false;
    bool surface = false;
    bool quiet = false;
};

TriangleMesh boundary_of(const TetMesh& volume, const ConvertOptions& options) {
    TriangleMesh mesh = without_unreferenced_vertices(boundary(volume));
    print_status(options.quiet, "boundary: {} triangles of {} tetrahedra", with_commas(mesh.triangles.size()),
                 with_commas(volume.tetrahedra.size()));
    return mesh;
}

TriangleMesh welded(const TriangleMesh& mesh, const ConvertOptions& options) {
    Welded result = weld(mesh, options.weld_options);
    print_status(options.quiet, "weld: {} vertices merged, largest displacement {:.3g}",
                 with_commas(result.merged_vertices), result.largest_move);
    const std::size_t dropped = mesh.triangles.size() - result.mesh.triangles.size();
    if (dropped > 0 || result.duplicate_triangles > 0)
        print_status(options.quiet, "weld: {} triangles collapsed, {} duplicates found, {} triangles removed",
                     with_commas(result.collapsed_triangles), with_commas(result.duplicate_triangles),
                     with_commas(dropped));
    return std::move(result.mesh);
}

void scale(std::vector<Vec3>& vertices, const ConvertOptions& options) {
    if (options.scale == 1) return;
    for (Vec3& v : vertices) v *= options.scale;
    print_status(options.quiet, "scale: factor {}", options.scale);
}

void convert(TriangleMesh mesh, const ConvertOptions& options) {
    if (options.weld) mesh = welded(mesh, options);
    scale(mesh.vertices, options);
    check(mesh, options.in); // a large scale factor may overflow double
    if (options.flip) {
        mesh = flipped(std::move(mesh));
        print_status(options.quiet, "flip: reversed {} triangles", with_commas(mesh.triangles.size()));
    }
    write_mesh(options.out, mesh);
    print_status(options.quiet, "wrote {}: {} vertices, {} triangles", options.out, with_commas(mesh.vertices.size()),
                 with_commas(mesh.triangles.size()));
}

void convert(TetMesh mesh, const ConvertOptions& options) {
    if (options.weld || options.flip)
        throw Error(Cause::invalid_argument, "contains tetrahedra; --weld and --flip apply to surfaces, add --surface",
                    {.file = options.in});
    scale(mesh.vertices, options);
    check(mesh, options.in);
    try {
        write_mesh(options.out, mesh);
    } catch (const Error& error) {
        if (error.cause() != Cause::unsupported) throw;
        throw Error(error.cause(), fmt::format("{}; use --surface to write the boundary", error.reason()),
                    error.place());
    }
    print_status(options.quiet, "wrote {}: {} vertices, {} tetrahedra", options.out, with_commas(mesh.vertices.size()),
                 with_commas(mesh.tetrahedra.size()));
}

void convert_file(const ConvertOptions& options) {
    MeshFile file = read_mesh(options.in);
    for (const std::string& note : file.report.notes) print_status(options.quiet, "{}", note);
    if (file.report.flipped_tetrahedra > 0)
        print_status(options.quiet, "reversed {} tetrahedra of negative volume",
                     with_commas(file.report.flipped_tetrahedra));
    if (!file.has_volume())
        convert(std::move(file.surface), options);
    else if (options.surface)
        convert(boundary_of(file.volume, options), options);
    else
        convert(std::move(file.volume), options);
}

} // namespace

void add_convert(const Command& program, Session& session) {
    const auto options = std::make_shared<ConvertOptions>();
    const Command command = program.add_command("convert", "Convert a mesh between file formats");
    command.add_option("IN", options->in, "Mesh file to read").required();
    command.add_option("OUT", options->out, "Mesh file to write; the extension determines the format").required();
    const Option weld = command
                            .add_option("--weld", options->weld_options.tolerance,
                                        "Merge vertices at equal positions, or within distance TOL")
                            .type_name("[TOL]")
                            .values(0, 1)
                            .check(at_least_zero());
    command
        .add_flag("--drop-duplicates", options->weld_options.drop_duplicates,
                  "With --weld: keep only one of several equal triangles")
        .needs(weld);
    command
        .add_flag("--drop-unused", options->weld_options.drop_unreferenced, "With --weld: remove unreferenced vertices")
        .needs(weld);
    command.add_option("--scale", options->scale, "Scale factor for all coordinates")
        .type_name("S")
        .check(above_zero());
    command.add_flag("--flip", options->flip, "Reverse the orientation of all triangles");
    command.add_flag("--surface", options->surface, "Write the boundary of a tetrahedral mesh");
    command.footer(convert_examples);
    command.run([options, weld, &session] {
        options->weld = weld.given();
        options->quiet = session.quiet;
        convert_file(*options);
    });
}

} // namespace fathom::tool
