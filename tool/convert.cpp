// fathom convert: from one format to another, with a few repairs on the way.
#include <tool/number_checks.h>
#include <tool/terminal.h>
#include <tool/verbs.h>

#include <fathom/base/error.h>
#include <fathom/geometry/mesh_file.h>
#include <fathom/geometry/weld.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>

namespace fathom::tool {

namespace {

constexpr const char* examples = R"(Examples:
  fathom convert scan.stl scan.ply               another format, told by the name's ending
  fathom convert soup.stl clean.obj --weld       merge vertices at equal positions
  fathom convert mm.stl m.glb --scale 0.001      from millimetres to metres
  fathom convert horse.ply horse.obj --flip      turn an inside-out surface
  fathom convert bunny.msh bunny.obj --surface   the boundary of tetrahedra

Steps run in the order: surface, weld, scale, flip. What was done is told on stderr.)";

struct ConvertOptions {
    std::string in, out;
    bool weld = false;
    WeldOptions weld_options{};
    double scale = 1;
    bool flip = false;
    bool surface = false;
    bool quiet = false;
};

template <class... Arguments>
void say(const ConvertOptions& options, fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    if (!options.quiet) fmt::print(stderr, "{}\n", fmt::format(format, std::forward<Arguments>(arguments)...));
}

TriangleMesh boundary_of(const TetMesh& volume, const ConvertOptions& options) {
    TriangleMesh mesh = without_unreferenced_vertices(boundary(volume));
    say(options, "took the boundary: {} triangles of {} tetrahedra", with_commas(mesh.triangles.size()),
        with_commas(volume.tetrahedra.size()));
    return mesh;
}

TriangleMesh welded(const TriangleMesh& mesh, const ConvertOptions& options) {
    Welded result = weld(mesh, options.weld_options);
    say(options, "welded: {} vertices merged into others, none moved further than {:.3g}",
        with_commas(result.merged_vertices), result.largest_move);
    const std::size_t dropped = mesh.triangles.size() - result.mesh.triangles.size();
    if (dropped > 0 || result.duplicate_triangles > 0)
        say(options, "welded: {} triangles collapsed, {} are duplicates; {} dropped",
            with_commas(result.collapsed_triangles), with_commas(result.duplicate_triangles), with_commas(dropped));
    return std::move(result.mesh);
}

void scale(std::vector<Vec3>& vertices, const ConvertOptions& options) {
    if (options.scale == 1) return;
    for (Vec3& v : vertices) v *= options.scale;
    say(options, "scaled by {}", options.scale);
}

void convert(TriangleMesh mesh, const ConvertOptions& options) {
    if (options.weld) mesh = welded(mesh, options);
    scale(mesh.vertices, options);
    check(mesh, options.in); // a large scale may have left the range of double
    if (options.flip) {
        mesh = flipped(std::move(mesh));
        say(options, "turned {} triangles", with_commas(mesh.triangles.size()));
    }
    write_mesh(options.out, mesh);
    say(options, "wrote {}: {} vertices, {} triangles", options.out, with_commas(mesh.vertices.size()),
        with_commas(mesh.triangles.size()));
}

void convert(TetMesh mesh, const ConvertOptions& options) {
    if (options.weld || options.flip)
        throw Error(Cause::invalid_argument, "holds tetrahedra; --weld and --flip are for surfaces: add --surface",
                    {.file = options.in});
    scale(mesh.vertices, options);
    check(mesh, options.in);
    try {
        write_mesh(options.out, mesh);
    } catch (const Error& error) {
        if (error.cause() != Cause::unsupported) throw;
        throw Error(error.cause(), fmt::format("{}; --surface writes the boundary instead", error.reason()),
                    error.place());
    }
    say(options, "wrote {}: {} vertices, {} tetrahedra", options.out, with_commas(mesh.vertices.size()),
        with_commas(mesh.tetrahedra.size()));
}

void convert_file(const ConvertOptions& options) {
    MeshFile file = read_mesh(options.in);
    for (const std::string& note : file.report.notes) say(options, "{}", note);
    if (file.report.flipped_tetrahedra > 0)
        say(options, "turned {} tetrahedra to positive volume", with_commas(file.report.flipped_tetrahedra));
    if (!file.has_volume())
        convert(std::move(file.surface), options);
    else if (options.surface)
        convert(boundary_of(file.volume, options), options);
    else
        convert(std::move(file.volume), options);
}

} // namespace

void add_convert(CLI::App& program, Session& session) {
    const auto options = std::make_shared<ConvertOptions>();
    CLI::App* verb = program.add_subcommand("convert", "From one format to another");
    verb->add_option("IN", options->in, "The mesh to read")->required();
    verb->add_option("OUT", options->out, "The file to write; its ending tells the format")->required();
    CLI::Option* weld = verb->add_option("--weld", options->weld_options.tolerance,
                                         "Merge vertices at equal positions, or no further apart than TOL")
                            ->type_name("[TOL]")
                            ->expected(0, 1)
                            ->check(at_least_zero());
    verb->add_flag("--drop-duplicates", options->weld_options.drop_duplicates,
                   "With --weld: keep one of equal triangles")
        ->needs(weld);
    verb->add_flag("--drop-unused", options->weld_options.drop_unreferenced,
                   "With --weld: drop vertices that no triangle uses")
        ->needs(weld);
    verb->add_option("--scale", options->scale, "Multiply all coordinates")->type_name("S")->check(above_zero());
    verb->add_flag("--flip", options->flip, "Turn the surface inside out");
    verb->add_flag("--surface", options->surface, "Of tetrahedra, write the boundary");
    verb->footer(examples);
    verb->callback([options, weld, &session] {
        options->weld = weld->count() > 0;
        options->quiet = session.quiet;
        convert_file(*options);
    });
}

} // namespace fathom::tool
