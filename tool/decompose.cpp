// fathom decompose: divides a solid into convex hulls, or into oriented boxes, that together contain it.
#include <tool/arguments.h>
#include <tool/commands.h>
#include <tool/compound_file.h>
#include <tool/field_source.h>
#include <tool/output.h>

#include <fathom/base/error.h>
#include <fathom/detect/convex/hull.h>
#include <fathom/detect/decomposition/decomposition.h>
#include <fathom/detect/decomposition/hull_decomposition.h>
#include <fathom/geometry/io/mesh_file.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace fathom::tool {

namespace {

constexpr const char* decompose_examples = R"~(Examples:
  fathom decompose bunny.obj --hulls -o parts.obj                one object per convex hull
  fathom decompose bunny.obj --hulls -o parts.json               a compound, for the commands below
  fathom collide parts.json "sphere(0.1)" --pose-b 0.1,0,0
  fathom decompose nut.stl --hulls --concavity 0.02 --max-hulls 0 -o nut.json --json
  fathom decompose bunny.fathom -o boxes.obj                     boxes that are proven to contain a field

The concavity is the largest distance of a point of a hull to the solid, as a fraction of half the longest side of the
bounding box. Hulls need a closed mesh, boxes any field with finite bounds.)~";

struct DecomposeOptions {
    std::string in, out;
    bool hulls = false, json = false;
    HullOptions hull_options{};
    DecompositionOptions box_options{};
};

// Convex parts, and what is said about them.
struct ConvexParts {
    std::vector<TriangleMesh> meshes;
    Json report;
    std::string line;
};

ConvexParts hulls_of(const FieldSource& source, DecomposeOptions options, const Session& session) {
    if (!source.mesh)
        throw Error(Cause::unsupported, "convex hulls need a mesh; leave out --hulls for boxes around a field",
                    {.file = options.in});
    options.hull_options.progress = session.progress();
    HullReport report;
    ConvexParts parts{hull_decomposition(*source.mesh, options.hull_options, &report), {}, {}};
    parts.report = {{"hulls", parts.meshes.size()},
                    {"concavity", report.concavity},
                    {"concavity_bound", report.concavity_bound},
                    {"reached", report.reached},
                    {"solid_volume", report.solid_volume},
                    {"hull_volume", report.hull_volume}};
    parts.line = fmt::format("{} hulls within {:.4g} m of the solid (proven {:.4g} m), volume {:.6g} m3 for {:.6g} m3",
                             parts.meshes.size(), report.concavity, report.concavity_bound, report.hull_volume,
                             report.solid_volume);
    if (!report.reached) parts.line += "; not proven to reach the requested concavity";
    return parts;
}

TriangleMesh mesh_of(const OrientedBox& box) {
    std::array<Vec3, 8> corners;
    for (std::size_t k = 0; k < 8; ++k) corners[k] = box.pose * Box{-box.half, box.half}.corner(static_cast<int>(k));
    return triangles_of(convex::make_hull(corners));
}

ConvexParts boxes_of(FieldSource& source, const DecomposeOptions& options) {
    DecompositionReport report;
    const Decomposition found = decompose(*field_of(source), options.box_options, &report);
    ConvexParts parts;
    for (const OrientedBox& box : found.boxes) parts.meshes.push_back(mesh_of(box));
    parts.report = {{"boxes", parts.meshes.size()},
                    {"contained", found.contained},
                    {"protrusion", report.protrusion.upper},
                    {"box_volume", report.box_volume}};
    parts.line = fmt::format("{} boxes, {}, at most {:.4g} m outside it", parts.meshes.size(),
                             found.contained ? "proven to contain the solid" : "not proven to contain the solid",
                             report.protrusion.upper);
    return parts;
}

bool is_obj(const std::string& file) {
    std::string ending = std::filesystem::path(file).extension().string();
    std::ranges::transform(ending, ending.begin(), [](unsigned char c) { return std::tolower(c); });
    return ending == ".obj";
}

void write_parts(const DecomposeOptions& options, const std::vector<TriangleMesh>& parts) {
    const std::string prefix = options.hulls ? "hull" : "box";
    if (is_compound_file(options.out)) return write_hulls(options.out, parts, prefix);
    if (is_obj(options.out)) return write_objects(options.out, parts, prefix);
    TriangleMesh all;
    for (const TriangleMesh& part : parts) append(all, part);
    write_mesh(options.out, all);
}

void run_decompose(const DecomposeOptions& options, const Session& session) {
    FieldSource source = open_field(options.in);
    const Stopwatch start;
    ConvexParts parts = options.hulls ? hulls_of(source, options, session) : boxes_of(source, options);
    const double seconds = start.seconds();
    write_parts(options, parts.meshes);
    if (!options.json) return print_status(session.quiet, "{}, {:.2f} s -> {}", parts.line, seconds, options.out);
    parts.report["seconds"] = seconds;
    parts.report["file"] = options.out;
    fmt::print("{}\n", parts.report.dump(2));
}

} // namespace

void add_decompose(const Command& program, Session& session) {
    const auto o = std::make_shared<DecomposeOptions>();
    const Command command = program.add_command("decompose", "Divide a solid into convex hulls or boxes");
    command.footer(decompose_examples);
    command.add_option("FIELD", o->in, field_help).required();
    command
        .add_option("-o,--output", o->out,
                    "File to write: .json (compound shape), .obj (one object per part) or another mesh file")
        .required();
    const Option hulls = command.add_flag("--hulls", o->hulls, "Convex hulls of a closed mesh instead of boxes");
    command
        .add_option("--concavity", o->hull_options.concavity,
                    "Largest distance of a hull to the solid, as a fraction of half the longest side")
        .show_default()
        .check(range(0.005, 1.0))
        .needs(hulls);
    command.add_option("--max-hulls", o->hull_options.max_hulls, "Largest number of hulls (0: any)")
        .show_default()
        .check(range(0, 65'536))
        .needs(hulls);
    command.add_option("--parts", o->box_options.parts, "Number of boxes (0: as many as are worthwhile)")
        .show_default()
        .check(range(0, 256))
        .excludes(hulls);
    command.add_flag("--json", o->json, "Print the report as JSON");
    command.run([o, &session] { run_decompose(*o, session); });
}

} // namespace fathom::tool
