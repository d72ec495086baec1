// fathom tetrahedralize: fills the interior of a mesh or field with tetrahedra of bounded dihedral angles.
#include <tool/arguments.h>
#include <tool/commands.h>
#include <tool/field_source.h>
#include <tool/output.h>

#include <fathom/base/error.h>
#include <fathom/base/progress.h>
#include <fathom/field/mesh/grid_builder.h>
#include <fathom/field/mesh/mesh_field.h>
#include <fathom/field/tet/stuffing.h>
#include <fathom/geometry/io/mesh_file.h>

#include <fmt/format.h>

#include <cmath>
#include <memory>

namespace fathom::tool {

namespace {

constexpr const char* tetrahedralize_examples = R"~(Examples:
  fathom tetrahedralize bunny.obj -o bunny.msh -r 48             48 cells along the longest side
  fathom tetrahedralize bunny.fathom -o bunny.vtu --tetrahedra 20000
  fathom tetrahedralize "difference(sphere(1), box(1, 1, 3))" -o ring.vtk --cell 0.05 --json
  fathom tetrahedralize "infinite_cylinder(0.2)" -o rod.mesh --box -1,-1,-1,1,1,1

All dihedral angles lie between 10.6 and 164.4 degrees. Sharp edges are cut off by up to one cell, and walls thinner
than about two cells get holes; the report shows the deviations. A mesh is first sampled on a grid about twice as fine;
--exact evaluates the mesh itself.)~";

struct TetrahedralizeOptions {
    std::string in, out, sign = "auto";
    std::vector<double> box;
    StuffingOptions stuffing{};
    bool exact = false, no_measure = false, json = false;
};

// Throws if the interior of a mesh is ambiguous and the user did not choose a sign method.
void check_sign(const SignChoice& sign, bool forced, const std::string& file) {
    if (forced || (sign.sealed && sign.method != SignMethod::wrap && sign.method != SignMethod::thickness) ||
        (!sign.sealed && sign.method == SignMethod::winding && sign.confidence >= 0.9))
        return;
    throw Error(
        Cause::unsupported,
        fmt::format(
            "the interior is ambiguous ({} % confidence; {}); choose a method with --sign wrap, winding or thickness",
            std::lround(100 * sign.confidence), sign.reason),
        {.file = file});
}

SignChoice sign_from_note(const std::string& note) {
    const Json sign = Json::parse(note).at("sign");
    return {sign_method_named(sign.at("method").get<std::string>()), sign.at("inside_out"), sign.at("sealed"),
            sign.at("confidence"), sign.at("reason")};
}

// Grid resolution that the lattice needs: about twice as fine, since features of the lattice are not smaller than a
// cell.
int grid_resolution(const TriangleMesh& mesh, const StuffingOptions& options) {
    double cells = options.resolution;
    if (options.cell > 0) cells = bounds(mesh.vertices).size().maxCoeff() / options.cell;
    if (options.tetrahedra > 0) cells = std::cbrt(static_cast<double>(options.tetrahedra));
    return static_cast<int>(std::clamp(std::ceil(2.2 * cells), 64.0, 768.0));
}

FieldPtr mesh_field(const TriangleMesh& mesh, const TetrahedralizeOptions& options, Session& session) {
    const SignMethod sign = sign_method_named(options.sign);
    const bool forced = sign != SignMethod::automatic;
    if (options.exact) {
        auto field = std::make_shared<MeshField>(mesh, MeshFieldOptions{.sign = sign});
        check_sign(field->sign(), forced, options.in);
        return field;
    }
    CachedGrid made = cached_grid(
        mesh, {.resolution = grid_resolution(mesh, options.stuffing), .sign = sign, .progress = session.progress()});
    check_sign(sign_from_note(made.file.note), forced, options.in);
    return std::make_shared<GridField>(std::move(made.file.field));
}

Json to_json(const StuffingReport& r, const TetrahedralizeOptions& options, double seconds) {
    Json text = {{"file", options.out},
                 {"tetrahedra", r.tetrahedra},
                 {"vertices", r.vertices},
                 {"boundary_triangles", r.boundary_triangles},
                 {"parts", r.parts},
                 {"cell", r.cell},
                 {"smallest_angle", r.smallest_angle},
                 {"largest_angle", r.largest_angle},
                 {"volume", r.volume},
                 {"split_vertices", r.split_vertices},
                 {"dropped_tetrahedra", r.dropped_tetrahedra},
                 {"seconds", seconds}};
    if (options.no_measure) return text;
    text["hidden_edges"] = r.hidden_edges;
    text["field_volume"] = r.field_volume;
    text["field_volume_error"] = r.field_volume_error;
    text["boundary_deviation"] = r.boundary_deviation;
    text["missed_deviation"] = r.missed_deviation;
    return text;
}

void print_report(const StuffingReport& r, const TetrahedralizeOptions& options, double seconds) {
    fmt::print(stderr, "{} tetrahedra, {} vertices, {} components, cell size {:.4g} m, {:.2f} s -> {}\n",
               with_commas(r.tetrahedra), with_commas(r.vertices), with_commas(r.parts), r.cell, seconds, options.out);
    fmt::print(stderr, "  angles       {:.1f} to {:.1f} degrees (dihedral)\n", r.smallest_angle, r.largest_angle);
    if (options.no_measure) return fmt::print(stderr, "  volume       {:.6g} m3\n", r.volume);
    fmt::print(stderr, "  volume       {:.6g} m3; interior of the field {:.6g} m3 +- {:.1g}\n", r.volume,
               r.field_volume, r.field_volume_error);
    fmt::print(
        stderr,
        "  surface      deviation {:.3g} m from the boundary to the field, {:.3g} m from the field to the boundary\n",
        r.boundary_deviation, r.missed_deviation);
    if (r.hidden_edges > 0)
        fmt::print(
            stderr,
            "  too coarse   the surface crosses {} lattice edges more than once; smaller cells resolve more features\n",
            with_commas(r.hidden_edges));
    if (r.split_vertices + r.dropped_tetrahedra > 0)
        fmt::print(stderr,
                   "  touching     {} vertices duplicated, {} tetrahedra removed where components touched in a point "
                   "or edge\n",
                   with_commas(r.split_vertices), with_commas(r.dropped_tetrahedra));
}

void run_tetrahedralize(const TetrahedralizeOptions& options, Session& session) {
    FieldSource source = open_field(options.in);
    const FieldPtr field = source.mesh ? mesh_field(*source.mesh, options, session) : field_of(source);
    StuffingOptions stuffing = options.stuffing;
    if (!options.box.empty())
        stuffing.box = {{options.box[0], options.box[1], options.box[2]},
                        {options.box[3], options.box[4], options.box[5]}};
    if (!options.box.empty() && stuffing.box.empty())
        throw Error(Cause::invalid_argument, "the second corner must not be less than the first in x, y or z",
                    {.element = "option --box"});
    stuffing.measure = !options.no_measure;
    stuffing.progress = session.progress();
    StuffingReport report;
    const Stopwatch start;
    const TetMesh mesh = tetrahedralize(*field, stuffing, &report);
    const double seconds = start.seconds();
    write_mesh(options.out, mesh);
    if (options.json)
        fmt::print("{}\n", to_json(report, options, seconds).dump(2));
    else if (!session.quiet)
        print_report(report, options, seconds);
}

} // namespace

void add_tetrahedralize(const Command& program, Session& session) {
    const auto o = std::make_shared<TetrahedralizeOptions>();
    const Command command = program.add_command("tetrahedralize", "Fill a mesh or field with tetrahedra");
    command.footer(tetrahedralize_examples);
    command.add_option("FIELD", o->in, field_help).required();
    command.add_option("-o,--output", o->out, "Mesh file to write: .msh .vtu .vtk .mesh").required();
    const Option resolution =
        command.add_option("-r,--resolution", o->stuffing.resolution, "Cells along the longest side")
            .show_default()
            .check(range(1, 4096));
    const Option cell = command.add_option("--cell", o->stuffing.cell, "Cell size, instead of --resolution (m)")
                            .check(above_zero())
                            .excludes(resolution);
    command
        .add_option("--tetrahedra", o->stuffing.tetrahedra, "Approximate number of tetrahedra, instead of --resolution")
        .check(above_zero())
        .excludes(resolution)
        .excludes(cell);
    command.add_option("--box", o->box, "Fill only this box: x,y,z of the lower and the upper corner (m)")
        .values_by_commas(6);
    command.add_option("--limit", o->stuffing.limit, "Fail if more tetrahedra would be made").show_default();
    command
        .add_option("--sign", o->sign,
                    "Sign method for meshes: auto, pseudo_normal, parity, winding, wrap or thickness")
        .show_default();
    command.add_flag("--exact", o->exact, "For meshes: evaluate the mesh itself instead of a grid (slower)");
    command.add_flag("--no-measure", o->no_measure, "Do not measure the deviations from the field (faster)");
    command.add_flag("--json", o->json, "Print the report as JSON");
    command.run([o, &session] { run_tetrahedralize(*o, session); });
}

} // namespace fathom::tool
