// fathom info: what a mesh is made of, and what is wrong with it.
#include <tool/json_values.h>
#include <tool/terminal.h>
#include <tool/verbs.h>

#include <fathom/base/error.h>
#include <fathom/geometry/mesh_file.h>
#include <fathom/geometry/mesh_report.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace fathom::tool {

namespace {

constexpr const char* examples = R"(Examples:
  fathom info bunny.obj                        a readable report
  fathom info --json *.stl                     one object a file, for programs
  fathom info --self-intersections bunny.obj   also triangles that cross; takes longer

Vertices at exactly equal positions count as one. Elements are numbered from 0. For a file with tetrahedra, triangles are
those of the boundary.)";

struct InfoOptions {
    std::vector<std::string> files;
    bool json = false;
    bool self_intersections = false;
};

// One file, read and judged.
struct Inspected {
    std::string file;
    ReadReport read;
    MeshReport report;
};

Inspected inspect(const std::string& file, const InfoOptions& options, Session& session) {
    const MeshFile mesh = read_mesh(file);
    const ReportOptions wanted{.self_intersections = options.self_intersections, .progress = session.progress()};
    Inspected result{file, mesh.report,
                     mesh.has_volume() ? mesh_report(mesh.volume, wanted) : mesh_report(mesh.surface, wanted)};
    if (mesh.has_volume() && !mesh.surface.triangles.empty())
        result.read.notes.push_back(
            fmt::format("The file also states {} surface triangles; the report is about the tetrahedra.",
                        with_commas(mesh.surface.triangles.size())));
    return result;
}

// The first few elements of every defect that was found.
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

Json to_json(const Inspected& inspected) {
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
        {"first", first_elements(r)},
        {"notes", inspected.read.notes}};
}

std::string id_text(Index id) { return fmt::format("{}", id); }
std::string id_text(const std::array<Index, 2>& pair) { return fmt::format("{}-{}", pair[0], pair[1]); }

// Writes one report for people.
class Printer {
public:
    explicit Printer(bool colour) : colour_(colour) {}

    void print(const Inspected& inspected) const {
        const MeshReport& r = inspected.report;
        print_headline(inspected);
        print_contents(inspected);
        print_measures(r);
        print_surface_problems(r);
        print_other_problems(r);
        for (const std::string& note : inspected.read.notes) fmt::print("  {}\n", note);
    }

private:
    void print_headline(const Inspected& inspected) const {
        const MeshReport& r = inspected.report;
        const std::string verdict = r.clean()         ? coloured("watertight, nothing wrong", Colour::green, colour_)
                                    : r.watertight    ? coloured("watertight, but see below", Colour::yellow, colour_)
                                    : r.triangles > 0 ? coloured("not watertight", Colour::yellow, colour_)
                                                      : coloured("no faces", Colour::red, colour_);
        fmt::print("{} ({}): {}\n", inspected.file, inspected.read.format, verdict);
    }

    void print_contents(const Inspected& inspected) const {
        const MeshReport& r = inspected.report;
        const std::string merged =
            r.positions == r.vertices ? "" : fmt::format("at {} positions", with_commas(r.positions));
        line("vertices", with_commas(r.vertices), merged);
        line("triangles", with_commas(r.triangles), r.tetrahedra > 0 ? "on the boundary" : "");
        if (r.tetrahedra > 0) line("tetrahedra", with_commas(r.tetrahedra));
        if (inspected.read.polygons > 0) line("polygons", with_commas(inspected.read.polygons), "cut into triangles");
        if (inspected.read.skipped_faces > 0)
            line("skipped", with_commas(inspected.read.skipped_faces), "lines, points and broken faces");
        if (inspected.read.flipped_tetrahedra > 0)
            line("flipped", with_commas(inspected.read.flipped_tetrahedra), "tetrahedra, turned to positive volume");
        line("parts", with_commas(r.components), r.genus ? fmt::format("genus {}", *r.genus) : "");
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
                   r.volume ? fmt::format("{:.6g}", *r.volume) : "none: the surface has a border");
        fmt::print("  {:<14}{}\n", "center", text(r.center));
    }

    void print_surface_problems(const MeshReport& r) const {
        problem(r.open_edges, "open edges", "one triangle only");
        problem(r.nonmanifold_edges, "non-manifold edges", "more than two triangles");
        problem(r.clashing_edges, "clashing edges", "two triangles wound against each other");
        problem(r.nonmanifold_vertices, "non-manifold vertices", "surfaces touch in a point");
        problem(r.duplicate_faces, "duplicate faces", "the vertices of an earlier triangle");
        problem(r.degenerate_faces, "degenerate faces", "no area");
        problem(r.inside_out_parts, "inside-out parts", "negative volume; named by a triangle");
        if (r.self_intersections) problem(*r.self_intersections, "self-intersections", "pairs of triangles");
    }

    void print_other_problems(const MeshReport& r) const {
        problem(r.flat_tetrahedra, "flat tetrahedra", "no volume");
        problem(r.non_finite_vertices, "non-finite vertices", "NaN or infinity");
        problem(r.unreferenced_vertices, "unreferenced vertices", "harmless", Colour::faint);
        if (r.self_intersections && r.self_intersections->count == 0) fmt::print("  no self-intersections\n");
    }

    static void line(std::string_view label, const std::string& value, const std::string& remark = {}) {
        fmt::print("  {:<14}{:>12}{}{}\n", label, value, remark.empty() ? "" : "  ", remark);
    }

    // A defect with its count, meaning and first elements; nothing where there is none.
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

// Every file is looked at even where one fails; the last failure is thrown, those before it are told here.
void info(const InfoOptions& options, Session& session) {
    const bool single = options.files.size() == 1;
    const Printer printer(wants_colour(stdout));
    Json all = Json::array();
    std::optional<Error> failure;
    bool first = true;
    for (const std::string& file : options.files) {
        try {
            const Inspected inspected = inspect(file, options, session);
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
    if (failure) throw *failure;
}

} // namespace

void add_info(CLI::App& program, Session& session) {
    const auto options = std::make_shared<InfoOptions>();
    CLI::App* verb = program.add_subcommand("info", "What a mesh is made of, and what is wrong with it");
    verb->add_option("FILE", options->files, "Meshes: OBJ, STL, PLY, OFF, GLB, MSH, VTK, VTU, ...; also .gz")
        ->required();
    verb->add_flag("--json", options->json, "Print JSON: an object for one file, an array for several");
    verb->add_flag("--self-intersections", options->self_intersections,
                   "Also look for triangles that cross each other");
    verb->footer(examples);
    verb->callback([options, &session] { info(*options, session); });
}

} // namespace fathom::tool
