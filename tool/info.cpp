// fathom info: reports the contents and the defects of meshes.
#include <tool/commands.h>
#include <tool/compound_file.h>
#include <tool/output.h>

#include <fathom/base/error.h>
#include <fathom/geometry/inspect/seal.h>
#include <fathom/geometry/io/mesh_file.h>

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace fathom::tool {

namespace {

constexpr const char* info_examples = R"(Examples:
  fathom info bunny.obj                        report as text
  fathom info --json *.stl                     JSON, one object per file
  fathom info --self-intersections bunny.obj   also find intersecting triangles (slower)

Vertices at exactly equal positions are merged for the report. Elements are numbered from 0. For a file with tetrahedra,
the triangles are those of the boundary.)";

struct InfoOptions {
    std::vector<std::string> files;
    bool json = false;
    bool self_intersections = false;
};

// Report on one file.
struct InspectedFile {
    std::string file;
    ReadReport read;
    MeshReport report;
    std::optional<SealedMesh> sealed{}; // of a surface: how a query understands it
};

InspectedFile inspect(const std::string& file, const InfoOptions& options, Session& session) {
    const MeshFile mesh = read_mesh(file);
    const ReportOptions report_options{.self_intersections = options.self_intersections,
                                       .progress = session.progress()};
    InspectedFile result{file, mesh.report,
                         mesh.has_volume() ? mesh_report(mesh.volume, report_options)
                                           : mesh_report(mesh.surface, report_options)};
    if (!mesh.has_volume() && !mesh.surface.triangles.empty() && result.report.non_finite_vertices.count == 0) {
        result.sealed = seal(mesh.surface);
        result.sealed->mesh = {};
    }
    if (mesh.has_volume() && !mesh.surface.triangles.empty())
        result.read.notes.push_back(
            fmt::format("The file also contains {} surface triangles; this report describes the tetrahedra only.",
                        with_commas(mesh.surface.triangles.size())));
    return result;
}

// The first few elements with each kind of defect.
Json first_elements(const MeshReport& r) {
    Json first = Json::object();
    const auto add = [&](const char* name, const auto& finding) {
        if (finding.count > 0) first[name] = finding.first;
    };
    add("open_edges", r.open_edges);
    add("nonmanifold_edges", r.nonmanifold_edges);
    add("nonmanifold_vertices", r.nonmanifold_vertices);
    add("clashing_edges", r.clashing_edges);
    add("duplicate_faces", r.duplicate_faces);
    add("degenerate_faces", r.degenerate_faces);
    add("inside_out_parts", r.inside_out_parts);
    add("flat_tetrahedra", r.flat_tetrahedra);
    add("unreferenced_vertices", r.unreferenced_vertices);
    if (r.self_intersections) add("self_intersections", *r.self_intersections);
    return first;
}

Json to_json(const InspectedFile& inspected) {
    const MeshReport& r = inspected.report;
    const auto or_null = [](const auto& optional) { return optional ? Json(*optional) : Json(nullptr); };
    return {
        {"file", inspected.file},
        {"format", inspected.read.format},
        {"vertices", r.vertices},
        {"triangles", r.triangles},
        {"tetrahedra", r.tetrahedra},
        {"watertight", r.watertight},
        {"open_edges", r.open_edges.count},
        {"nonmanifold_edges", r.nonmanifold_edges.count},
        {"nonmanifold_vertices", r.nonmanifold_vertices.count},
        {"clashing_edges", r.clashing_edges.count},
        {"duplicate_faces", r.duplicate_faces.count},
        {"degenerate_faces", r.degenerate_faces.count},
        {"components", r.components},
        {"genus", or_null(r.genus)},
        {"inside_out", r.inside_out_parts.count > 0},
        {"inside_out_parts", r.inside_out_parts.count},
        {"flipped_tetrahedra", inspected.read.flipped_tetrahedra},
        {"flat_tetrahedra", r.flat_tetrahedra.count},
        {"self_intersections", r.self_intersections ? Json(r.self_intersections->count) : Json(nullptr)},
        {"distinct_positions", r.positions},
        {"unreferenced_vertices", r.unreferenced_vertices.count},
        {"polygons", inspected.read.polygons},
        {"skipped_faces", inspected.read.skipped_faces},
        {"volume", or_null(r.volume)},
        {"area", r.area},
        {"center", as_json(r.center)},
        {"bounds", r.bounds.empty() ? Json(nullptr) : Json::array({as_json(r.bounds.lower), as_json(r.bounds.upper)})},
        {"clean", r.clean()},
        {"interior", inspected.sealed ? Json(name(inspected.sealed->interior)) : Json(nullptr)},
        {"interior_reason", inspected.sealed ? Json(inspected.sealed->reason) : Json(nullptr)},
        {"first", first_elements(r)},
        {"notes", inspected.read.notes}};
}

std::string id_text(Index id) { return fmt::format("{}", id); }
std::string id_text(const std::array<Index, 2>& pair) { return fmt::format("{}-{}", pair[0], pair[1]); }

// Prints one report as text.
class Printer {
public:
    explicit Printer(bool colour) : colour_(colour) {}

    void print(const InspectedFile& inspected) const {
        const MeshReport& r = inspected.report;
        print_headline(inspected);
        print_contents(inspected);
        print_measures(r);
        if (inspected.sealed) line("interior", std::string(name(inspected.sealed->interior)), inspected.sealed->reason);
        print_surface_problems(r);
        print_other_problems(r);
        for (const std::string& note : inspected.read.notes) fmt::print("  {}\n", note);
    }

private:
    void print_headline(const InspectedFile& inspected) const {
        const MeshReport& r = inspected.report;
        const std::string status = r.clean()         ? coloured("watertight, no defects", Colour::green, colour_)
                                   : r.watertight    ? coloured("watertight, with defects", Colour::yellow, colour_)
                                   : r.triangles > 0 ? coloured("not watertight", Colour::yellow, colour_)
                                                     : coloured("no faces", Colour::red, colour_);
        fmt::print("{} ({}): {}\n", inspected.file, inspected.read.format, status);
    }

    void print_contents(const InspectedFile& inspected) const {
        const MeshReport& r = inspected.report;
        const std::string merged =
            r.positions == r.vertices ? "" : fmt::format("at {} positions", with_commas(r.positions));
        line("vertices", with_commas(r.vertices), merged);
        line("triangles", with_commas(r.triangles), r.tetrahedra > 0 ? "on the boundary" : "");
        if (r.tetrahedra > 0) line("tetrahedra", with_commas(r.tetrahedra));
        if (inspected.read.polygons > 0) line("polygons", with_commas(inspected.read.polygons), "triangulated");
        if (inspected.read.skipped_faces > 0)
            line("skipped", with_commas(inspected.read.skipped_faces), "lines, points and invalid faces");
        if (inspected.read.flipped_tetrahedra > 0)
            line("flipped", with_commas(inspected.read.flipped_tetrahedra), "tetrahedra of negative volume, reversed");
        line("components", with_commas(r.components), r.genus ? fmt::format("genus {}", *r.genus) : "");
    }

    static void print_measures(const MeshReport& r) {
        const auto text = [](const Vec3& v) { return fmt::format("({:.6g}, {:.6g}, {:.6g})", v.x(), v.y(), v.z()); };
        if (!r.bounds.empty()) {
            fmt::print("  {:<14}{} to {}\n", "bounds", text(r.bounds.lower), text(r.bounds.upper));
            fmt::print("  {:<14}{}\n", "size", text(r.bounds.size()));
        }
        if (r.triangles == 0) return;
        fmt::print("  {:<14}{:.6g}\n", "area", r.area);
        fmt::print("  {:<14}{}\n", "volume",
                   r.volume ? fmt::format("{:.6g}", *r.volume) : "undefined: the surface has a boundary");
        fmt::print("  {:<14}{}\n", "center", text(r.center));
    }

    void print_surface_problems(const MeshReport& r) const {
        problem(r.open_edges, "open edges", "edges with one triangle");
        problem(r.nonmanifold_edges, "non-manifold edges", "edges with more than two triangles");
        problem(r.clashing_edges, "clashing edges", "edges with two triangles of opposite orientation");
        problem(r.nonmanifold_vertices, "non-manifold vertices", "vertices whose triangles are not connected by edges");
        problem(r.duplicate_faces, "duplicate faces", "triangles with the vertices of an earlier triangle");
        problem(r.degenerate_faces, "degenerate faces", "triangles of zero area");
        problem(r.inside_out_parts, "inside-out parts", "components of negative volume; one triangle of each");
        if (r.self_intersections)
            problem(*r.self_intersections, "self-intersections", "intersecting pairs of triangles");
    }

    void print_other_problems(const MeshReport& r) const {
        problem(r.flat_tetrahedra, "flat tetrahedra", "tetrahedra of zero volume");
        problem(r.non_finite_vertices, "non-finite vertices", "vertices with NaN or infinite coordinates");
        problem(r.unreferenced_vertices, "unreferenced vertices", "vertices that no element uses (harmless)",
                Colour::faint);
        if (r.self_intersections && r.self_intersections->count == 0) fmt::print("  no self-intersections\n");
    }

    static void line(std::string_view label, const std::string& value, const std::string& remark = {}) {
        fmt::print("  {:<14}{:>12}{}{}\n", label, value, remark.empty() ? "" : "  ", remark);
    }

    // Prints a defect with its count, meaning and first elements. Prints nothing if the count is 0.
    template <class Id>
    void problem(const Finding<Id>& finding, std::string_view name, std::string_view meaning,
                 Colour colour = Colour::red) const {
        if (finding.count == 0) return;
        std::string ids;
        for (const Id& id : finding.first) ids += fmt::format(" {}", id_text(id));
        if (finding.first.size() < finding.count) ids += " ...";
        fmt::print("  {} {}  {}:{}\n",
                   coloured(fmt::format("! {:<22}{:>10}", name, with_commas(finding.count)), colour, colour_), "",
                   meaning, ids);
    }

    bool colour_;
};

Json compound_json(const std::string& file, const Shape& shape) {
    Json parts = Json::array();
    for (const CompoundPart& part : shape.parts())
        parts.push_back({{"kind", name(part.shape.kind())},
                         {"name", part.name},
                         {"user", part.user},
                         {"position", as_json(part.pose.translation)}});
    return {{"file", file},
            {"kind", name(shape.kind())},
            {"bounds", shape.bounded() ? as_json(shape.bounds()) : Json(nullptr)},
            {"interior", name(shape.interior())},
            {"parts", std::move(parts)}};
}

void print_compound(const std::string& file, const Shape& shape) {
    fmt::print("{}: {}\n", file, describe_compound(shape));
    if (shape.bounded())
        fmt::print("  {:<14}{} to {}\n", "bounds", vector_text(shape.bounds().lower),
                   vector_text(shape.bounds().upper));
    for (std::size_t k = 0; k < shape.parts().size(); ++k) {
        const CompoundPart& part = shape.parts()[k];
        fmt::print("  {:<14}{} at {}{}\n", fmt::format("part {}", k), name(part.shape.kind()),
                   vector_text(part.pose.translation), part.name.empty() ? "" : ", " + part.name);
    }
}

// Reports on a compound file.
void inspect_compound(const std::string& file, bool json, Json& all) {
    const Shape shape = read_compound(file);
    if (json)
        all.push_back(compound_json(file, shape));
    else
        print_compound(file, shape);
}

// Inspects all files even if some fail. The last failure is thrown; earlier ones are printed here.
void info(const InfoOptions& options, Session& session) {
    const bool single = options.files.size() == 1;
    const Printer printer(use_colour(stdout));
    Json all = Json::array();
    std::optional<Error> failure;
    bool first = true;
    for (const std::string& file : options.files) {
        try {
            if (is_compound_file(file)) {
                inspect_compound(file, options.json, all);
                first = false;
                continue;
            }
            const InspectedFile inspected = inspect(file, options, session);
            if (options.json) {
                all.push_back(to_json(inspected));
            } else {
                if (!first) fmt::print("\n");
                printer.print(inspected);
            }
            first = false;
        } catch (const Error& error) {
            if (failure) fmt::print(stderr, "fathom: {}\n", failure->what());
            failure = error;
            all.push_back({{"file", file}, {"error", error.what()}, {"cause", name(error.cause())}});
        }
    }
    if (options.json && !(single && failure))
        fmt::print("{}\n", (single ? all.front() : all).dump(2, ' ', false, Json::error_handler_t::replace));
    std::fflush(stdout);
    if (failure) throw Error(*failure);
}

} // namespace

void add_info(const Command& program, Session& session) {
    const auto options = std::make_shared<InfoOptions>();
    const Command command =
        program.add_command("info", "Report the contents and defects of meshes, and the parts of compound files");
    command
        .add_option(
            "FILE", options->files,
            "Mesh files: OBJ, STL, PLY, OFF, GLB, MSH, VTK, VTU, ...; also compressed (.gz); compound files (.json)")
        .required();
    command.add_flag("--json", options->json, "Print JSON: an object for one file, an array for several");
    command.add_flag("--self-intersections", options->self_intersections, "Also search for intersecting triangles");
    command.footer(info_examples);
    command.run([options, &session] { info(*options, session); });
}

} // namespace fathom::tool
