// fathom depth: chooses projection directions for a mesh and detects collisions with depth maps.
// Method: Fabrizio, "Easy real-time collision detection".
#include <tool/arguments.h>
#include <tool/commands.h>
#include <tool/depth_pictures.h>
#include <tool/field_source.h>
#include <tool/output.h>

#include <fathom/base/error.h>
#include <fathom/base/progress.h>
#include <fathom/detect/depth/depth_backend.h>
#include <fathom/detect/depth/depth_collide.h>
#include <fathom/detect/depth/depth_directions.h>
#include <fathom/show/viewer_file.h>
#include <fathom/show/viewer_sources.h>

#include <fmt/format.h>

#include <filesystem>
#include <memory>

namespace fathom::tool {

namespace {

namespace fs = std::filesystem;

constexpr const char* depth_examples = R"~(Examples:
  fathom depth bunny.obj                                    choose directions, report the visible surface
  fathom depth ship.obj --against tunnel.obj --pose 0,0,1   detect collisions with depth maps along these directions
  fathom depth ship.obj --against rock.obj --pose 2,0,0 --html maps.html   show the maps as reliefs in the browser
  fathom depth ship.obj --against rock.obj --pose 2,0,0 --against rock.obj --pose -2,0,0 --json
  fathom depth bowl.obj --against ball.obj --sides layers --conservative -o maps

A POSE is x,y,z or x,y,z,qw,qx,qy,qz (m, unit quaternion). Directions are chosen greedily: each one adds the most
surface area that is not yet visible. An object is "compliant" if its whole surface is visible from the chosen
directions; the results then refer to the object itself. For other objects, concavities that are not visible from any
direction count as solid, unless --sides layers is used. "disjoint" is a proof only with --conservative.)~";

struct DepthArguments {
    std::string mesh, sides = "both", backend = "fastest", folder, html; // empty folder or html: not written
    std::vector<std::string> against, poses;
    int pixels = 256;
    std::size_t max_directions = 4;
    bool conservative = false, json = false;
};

struct NamedMesh {
    std::string name, description;
    TriangleMesh mesh;
};

// Results for an object: its directions and its collisions.
struct DepthReport {
    std::string description, backend;
    std::size_t triangles = 0;
    DirectionReport directions;
    std::vector<std::string> others;         // descriptions of the meshes of --against
    std::vector<ViewerBody> viewer_bodies;   // the object, then the others
    std::optional<DepthCollision> collision; // if there are others
    double seconds = 0;                      // time of the collision query (s)
    std::vector<std::string> pictures;
};

// OpenGL cannot rasterize conservatively, so --conservative uses the CPU.
std::unique_ptr<DepthBackend> make_backend(const DepthArguments& arguments) {
    if (arguments.backend == "gl") return make_depth_backend(DepthPreference::gl);
    return make_depth_backend(arguments.backend == "cpu" || arguments.conservative ? DepthPreference::cpu
                                                                                   : DepthPreference::fastest);
}

DepthSides sides_named(const std::string& name) {
    return name == "far" ? DepthSides::far_side : name == "layers" ? DepthSides::layers : DepthSides::both_sides;
}

NamedMesh open_mesh(const std::string& text) {
    FieldSource source = open_field(text);
    if (!source.mesh)
        throw Error(Cause::invalid_argument, fmt::format("expected a mesh, got a field of kind '{}'", source.kind),
                    {.element = text});
    return {display_name(text), std::move(source.description), std::move(*source.mesh)};
}

// Layers represent concavities from any direction, so one direction is enough; the one that sees most has few layers.
DirectionReport find_directions(DepthBackend& backend, const TriangleMesh& mesh, const DepthArguments& arguments) {
    DirectionOptions options{.pixels = arguments.pixels, .max_directions = arguments.max_directions};
    const DepthSides sides = sides_named(arguments.sides);
    if (sides != DepthSides::layers)
        options.sides = sides;
    else
        options.max_directions = 1;
    DirectionReport directions = choose_directions(backend, mesh, options);
    directions.sides = sides;
    return directions;
}

std::vector<DrawnBody> open_bodies(const DepthArguments& arguments, DepthReport& report) {
    if (arguments.poses.size() > arguments.against.size())
        throw Error(Cause::invalid_argument, "there are more --pose options than --against options",
                    {.element = "option --pose"});
    std::vector<DrawnBody> bodies;
    for (std::size_t k = 0; k < arguments.against.size(); ++k) {
        NamedMesh other = open_mesh(arguments.against[k]);
        report.others.push_back(std::move(other.description));
        const Pose pose = k < arguments.poses.size() ? pose_from_text(arguments.poses[k], "--pose") : Pose{};
        report.viewer_bodies.push_back(viewer_body(other.name, other.mesh, pose));
        report.viewer_bodies.back().fixed = true;
        bodies.push_back({std::make_shared<DrawnMesh>(other.mesh), pose, static_cast<Index>(k)});
    }
    return bodies;
}

void write_pictures(const DepthObject& object, std::span<const DrawnBody> bodies, const fs::path& folder,
                    DepthReport& report) {
    std::error_code failure;
    fs::create_directories(folder, failure);
    if (failure) throw Error(Cause::cannot_write, failure.message(), {.file = folder.string()});
    const auto write = [&](const char* name, std::size_t projection, const Image& image) {
        report.pictures.push_back((folder / fmt::format("{}_{}.png", name, projection + 1)).string());
        write_png(report.pictures.back(), image);
    };
    for (std::size_t k = 0; k < object.parts().front().maps.size(); ++k) {
        const DepthPictures pictures = depth_pictures(object, k, {}, bodies);
        write("object", k, pictures.object);
        if (bodies.empty()) continue;
        write("environment", k, pictures.environment);
        write("hits", k, pictures.hits);
        write("normals", k, pictures.normals);
    }
}

void write_page(const DepthObject& object, std::span<const DrawnBody> bodies, const std::string& file,
                const DepthReport& report) {
    ViewerDocument document{.title = report.viewer_bodies.front().name,
                            .subtitle = fmt::format("depth maps along {} direction{}", report.directions.chosen.size(),
                                                    report.directions.chosen.size() == 1 ? "" : "s"),
                            .kind = ViewerKind::depth};
    if (report.collision) document.subtitle += fmt::format("; {}", status_text(report.collision->status));
    document.bodies = report.viewer_bodies;
    for (std::size_t k = 0; k < object.parts().front().maps.size(); ++k)
        for (ViewerLayer& layer : depth_layers(object, k, {}, bodies)) {
            layer.name += fmt::format(", direction {}", k + 1);
            layer.visible = k == 0;
            document.layers.push_back(std::move(layer));
        }
    if (report.collision && !report.collision->bodies.empty()) {
        ContactsLayer contacts;
        for (const DepthBodyHit& hit : report.collision->bodies)
            contacts.contacts.push_back(
                {0, hit.body + 1, no_index, hit.primitive, hit.point, -hit.separating_direction, hit.depth});
        document.layers.push_back(
            {.name = "deepest hit of each body", .content = std::move(contacts), .visible = true});
    }
    write_viewer_html(file, std::move(document));
}

DepthReport compute_report(const DepthArguments& arguments) {
    DepthReport report;
    const std::unique_ptr<DepthBackend> backend = make_backend(arguments);
    const NamedMesh object_mesh = open_mesh(arguments.mesh);
    report.viewer_bodies.push_back(viewer_body(object_mesh.name, object_mesh.mesh));
    const std::vector<DrawnBody> bodies = open_bodies(arguments, report);
    report.description = object_mesh.description;
    report.backend = backend->name();
    report.triangles = object_mesh.mesh.triangles.size();
    report.directions = find_directions(*backend, object_mesh.mesh, arguments);
    if (bodies.empty() && arguments.folder.empty() && arguments.html.empty()) return report;

    DepthObject object(*backend, object_mesh.mesh, report.directions.projections(),
                       {.pixels = arguments.pixels, .conservative = arguments.conservative});
    if (!bodies.empty()) {
        const Stopwatch start;
        report.collision = collide(object, {}, bodies, {.conservative = arguments.conservative});
        report.seconds = start.seconds();
    }
    if (!arguments.folder.empty()) write_pictures(object, bodies, arguments.folder, report);
    if (!arguments.html.empty()) write_page(object, bodies, arguments.html, report);
    return report;
}

Json to_json(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

Json to_json(const DirectionReport& r, const DepthReport& report, const DepthArguments& arguments) {
    Json text = {{"mesh", arguments.mesh},   {"triangles", report.triangles}, {"closed", r.closed},
                 {"sides", arguments.sides}, {"pixels", arguments.pixels},    {"backend", report.backend}};
    text["directions"] = Json::array();
    for (std::size_t k = 0; k < r.chosen.size(); ++k)
        text["directions"].push_back({{"direction", as_json(r.chosen[k].direction)},
                                      {"seen", r.chosen[k].seen},
                                      {"seen_with_those_before", r.seen_by_chosen[k]},
                                      {"filled", r.chosen[k].filled},
                                      {"concavity", to_json(r.chosen[k].concavity)}});
    text.update({{"seen", r.seen},
                 {"filled", r.filled},
                 {"concavity", to_json(r.concavity)},
                 {"area", r.area},
                 {"unseen_area", r.unseen_area},
                 {"unseen_bounds", r.unseen_bounds.empty() ? Json(nullptr) : as_json(r.unseen_bounds)},
                 {"unseen_triangles", r.hidden},
                 {"resolution", r.resolution},
                 {"compliant_to_one", r.compliant_to_one},
                 {"compliant", r.compliant}});
    return text;
}

Json to_json(const DepthCollision& c, const DepthReport& report) {
    Json text = {{"status", status_text(c.status)},
                 {"proven", c.proven},
                 {"pixels", c.pixels},
                 {"open_pixels", c.open_pixels},
                 {"tolerance", finite_or_null(c.tolerance)},
                 {"rounding", finite_or_null(c.rounding)},
                 {"truncated", c.truncated},
                 {"drawings", c.drawings},
                 {"seconds", report.seconds}};
    text["bodies"] = Json::array();
    for (const DepthBodyHit& b : c.bodies)
        text["bodies"].push_back({{"body", b.body},
                                  {"projection", b.projection},
                                  {"pixels", b.pixels},
                                  {"area", b.area},
                                  {"depth", b.depth},
                                  {"point", as_json(b.point)},
                                  {"separating_direction", as_json(b.separating_direction)},
                                  {"surface_normal", as_json(b.surface_normal)},
                                  {"triangle", b.primitive}});
    text["enclosed_by"] = Json::array();
    for (const DepthEnclosure& e : c.enclosed_by)
        text["enclosed_by"].push_back({{"body", e.body},
                                       {"projection", e.projection},
                                       {"pixels", e.pixels},
                                       {"whole", e.whole},
                                       {"point", as_json(e.point)}});
    return text;
}

Json to_json(const DepthReport& report, const DepthArguments& arguments) {
    Json text = to_json(report.directions, report, arguments);
    text["collision"] = report.collision ? to_json(*report.collision, report) : Json(nullptr);
    text["pictures"] = report.pictures;
    return text;
}

std::string compliance_text(const DirectionReport& r) {
    if (r.sides == DepthSides::layers) return "layers: concavities are represented, from any direction";
    if (r.compliant_to_one) return "compliant with one projection";
    if (r.compliant) return fmt::format("compliant with {} projections", r.chosen.size());
    return "not compliant: concavities that are not visible count as solid (--sides layers represents them)";
}

void print(const DirectionReport& r) {
    const bool layers = r.sides == DepthSides::layers;
    fmt::print("{}\n", compliance_text(r));
    fmt::print("  {:<32}  {:>9}  {:>13}  {:>16}\n", "direction", "visible", "cumulative", "concavity (m3)");
    for (std::size_t k = 0; k < r.chosen.size(); ++k)
        fmt::print("  {:<32}  {:>7.2f} %  {:>11.2f} %  {:>16}\n", vector_text(r.chosen[k].direction),
                   100 * r.chosen[k].seen, 100 * r.seen_by_chosen[k],
                   r.chosen[k].concavity ? fmt::format("{:.4g}", *r.chosen[k].concavity) : "not closed");
    if (layers) return fmt::print("  (visible area and concavity without layers)\n");
    if (r.concavity) fmt::print("  filled     {:.4g} m3 of concavity, filled by all directions\n", *r.concavity);
    if (r.unseen_area > 0)
        fmt::print("  not seen   {:.4g} of {:.4g} m2, between {} and {} m; {} triangles are less than half visible\n",
                   r.unseen_area, r.area, vector_text(r.unseen_bounds.lower), vector_text(r.unseen_bounds.upper),
                   with_commas(r.hidden.size()));
    if (!r.closed)
        fmt::print(
            "  open       the mesh is not closed or is inside out: only its surface is tested, not its interior\n");
}

void print(const DepthCollision& c, const DepthReport& report) {
    fmt::print("{}{}\n", status_text(c.status),
               c.proven ? ", proven"
               : c.status == Status::disjoint
                   ? fmt::format(", not proven: overlaps smaller than {:.3g} m may be missed", c.tolerance)
                   : "");
    for (std::size_t k = 0; k < report.others.size(); ++k) fmt::print("  body {:<5} {}\n", k, report.others[k]);
    if (!c.bodies.empty())
        fmt::print("  {:>6}  {:>8}  {:>12}  {:<34}  {:<34}  {}\n", "body", "pixels", "depth (m)", "deepest point (m)",
                   "separating direction", "mean normal");
    for (const DepthBodyHit& b : c.bodies)
        fmt::print("  {:>6}  {:>8}  {:>12.6g}  {:<34}  {:<34}  {}\n", b.body, with_commas(b.pixels), b.depth,
                   vector_text(b.point), vector_text(b.separating_direction), vector_text(b.surface_normal));
    for (const DepthEnclosure& e : c.enclosed_by)
        fmt::print("  inside     {} inside body {}, at {} m\n",
                   e.whole ? "the whole object is" : "part of the object is", e.body, vector_text(e.point));
    if (c.open_pixels > 0) fmt::print("  undecided  {} pixels\n", with_commas(c.open_pixels));
    if (c.truncated) fmt::print("  (some layers were omitted: gaps of the object may count as solid)\n");
    fmt::print("  method     {} rendering passes in {:.2f} ms, tolerance {:.3g} m{}\n", c.drawings,
               1e3 * report.seconds, c.tolerance, c.proven ? "; the result is proven regardless of the tolerance" : "");
}

void run_depth(const DepthArguments& arguments) {
    const DepthReport report = compute_report(arguments);
    if (arguments.json) return fmt::print("{}\n", to_json(report, arguments).dump(2));
    fmt::print("{}, maps of at most {} x {} pixels, backend {}\n", report.description, arguments.pixels,
               arguments.pixels, report.backend);
    print(report.directions);
    if (report.collision) print(*report.collision, report);
    for (const std::string& picture : report.pictures) fmt::print("  picture    {}\n", picture);
    if (!arguments.html.empty()) fmt::print("  page       {}\n", arguments.html);
}

} // namespace

void add_depth(const Command& program, Session&) {
    const auto o = std::make_shared<DepthArguments>();
    const Command command =
        program.add_command("depth", "Choose projection directions for a mesh and detect collisions with depth maps");
    command.footer(depth_examples);
    command.add_option("MESH", o->mesh, "Mesh file, or name of a generated shape (`fathom make --list`)").required();
    const Option against =
        command.add_option("--against", o->against, "Mesh to test for collision; may be repeated").one_value_each();
    command.add_option("--pose", o->poses, "POSE of the first, second, ... mesh of --against; may be repeated")
        .one_value_each()
        .needs(against);
    command
        .add_option("--sides", o->sides,
                    "Sides of the object in the maps: far (far side only, as in the paper), both, or layers")
        .show_default()
        .check(one_of({"far", "both", "layers"}));
    command.add_option("--pixels", o->pixels, "Pixels of a map along its longer side")
        .show_default()
        .check(range(8, 8192));
    command.add_option("--max-directions", o->max_directions, "Maximum number of directions")
        .show_default()
        .check(range(1, 64));
    command
        .add_flag("--conservative", o->conservative,
                  "Prove \"disjoint\" by conservative rasterization: nothing is missed between pixels (slower)")
        .needs(against);
    command
        .add_option("--backend", o->backend,
                    "cpu, gl (any OpenGL device) or fastest; without OpenGL the CPU is used and the reason is reported")
        .show_default()
        .check(one_of({"cpu", "gl", "fastest"}));
    command.add_option(
        "-o,--output", o->folder,
        "Folder for PNG files: heights of the object, heights of the other meshes, hits, normals at the hits");
    command.add_option("--html", o->html, html_help);
    command.add_flag("--json", o->json, "Print JSON");
    command.run([o] { run_depth(*o); });
}

} // namespace fathom::tool
