// fathom depth: which projections suit a mesh, and whether it meets others, by depth maps.
#include <tool/depth_pictures.h>
#include <tool/drawn_source.h>
#include <tool/json_values.h>
#include <tool/pose_text.h>
#include <tool/terminal.h>
#include <tool/verbs.h>
#include <tool/verdict_text.h>

#include <fathom/base/error.h>
#include <fathom/base/stopwatch.h>
#include <fathom/detect/depth/depth_collide.h>
#include <fathom/detect/depth/depth_directions.h>
#include <fathom/detect/depth/gl_backend.h>
#include <fathom/show/viewer_page.h>
#include <fathom/show/viewer_sources.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <filesystem>
#include <memory>

namespace fathom::tool {

namespace {

namespace fs = std::filesystem;

constexpr const char* examples = R"~(Examples:
  fathom depth bunny.obj                                    from which sides its surface is seen, and what is left over
  fathom depth ship.obj --against tunnel.obj --pose 0,0,1   do they meet, by depth maps along those directions
  fathom depth ship.obj --against rock.obj --pose 2,0,0 --html maps.html   the maps as reliefs around the object, in the browser
  fathom depth ship.obj --against rock.obj --pose 2,0,0 --against rock.obj --pose -2,0,0 --json
  fathom depth bowl.obj --against ball.obj --sides layers --conservative -o maps

A POSE is x,y,z or x,y,z,qw,qx,qy,qz (m, unit quaternion). Directions are chosen one by one, each the one that sees the most that no other has
seen. "Compliant" objects are seen all over: what their maps find is about the object itself. Of others, concavities that no direction sees
count as solid, unless drawn in layers. "disjoint" is a proof only with --conservative.)~";

struct DepthArguments {
    std::string mesh, sides = "both", backend = "fastest", folder, html; // no folder: no pictures
    std::vector<std::string> against, poses;
    int pixels = 256;
    std::size_t most = 4;
    bool conservative = false, json = false;
};

struct Drawn {
    std::string name, what;
    TriangleMesh mesh;
};

// An object, what was found about it, and what it met.
struct DepthAnswer {
    std::string what, backend;
    std::size_t triangles = 0;
    DirectionReport report;
    std::vector<std::string> others;
    std::vector<ViewerBody> drawn;           // the object and the others
    std::optional<DepthCollision> collision; // where there are others
    double seconds = 0;                      // that it took
    std::vector<std::string> pictures;
};

// Graphics pipelines cannot draw conservatively: then the fastest is the CPU.
std::unique_ptr<DepthBackend> backend_of(const DepthArguments& arguments) {
    if (arguments.backend == "gl") return make_depth_backend(DepthPreference::gl);
    return make_depth_backend(arguments.backend == "cpu" || arguments.conservative ? DepthPreference::cpu
                                                                                   : DepthPreference::fastest);
}

DepthSides sides_named(const std::string& name) {
    return name == "far" ? DepthSides::far_side : name == "layers" ? DepthSides::layers : DepthSides::both_sides;
}

Drawn mesh_named(const std::string& text) {
    FieldSource source = open_field(text);
    if (!source.mesh)
        throw Error(Cause::invalid_argument, fmt::format("is a {}; depth maps are drawn of meshes", source.kind),
                    {.element = text});
    return {name_of(text), std::move(source.what), std::move(*source.mesh)};
}

// Layers leave nothing to choose but how many there are; the direction that sees most has few.
DirectionReport directions_of(DepthBackend& backend, const TriangleMesh& mesh, const DepthArguments& arguments) {
    DirectionOptions options{.pixels = arguments.pixels, .most = arguments.most};
    const DepthSides sides = sides_named(arguments.sides);
    if (sides != DepthSides::layers)
        options.sides = sides;
    else
        options.most = 1;
    DirectionReport report = choose_directions(backend, mesh, options);
    report.sides = sides;
    return report;
}

std::vector<DrawnBody> bodies_of(const DepthArguments& arguments, DepthAnswer& answer) {
    if (arguments.poses.size() > arguments.against.size())
        throw Error(Cause::invalid_argument, "there are more poses than meshes to hold against",
                    {.element = "option --pose"});
    std::vector<DrawnBody> bodies;
    for (std::size_t k = 0; k < arguments.against.size(); ++k) {
        Drawn other = mesh_named(arguments.against[k]);
        answer.others.push_back(std::move(other.what));
        const Pose pose = k < arguments.poses.size() ? pose_from_text(arguments.poses[k], "--pose") : Pose{};
        answer.drawn.push_back(viewer_body(other.name, other.mesh, pose));
        answer.drawn.back().fixed = true;
        bodies.push_back({std::make_shared<DrawnMesh>(other.mesh), pose, static_cast<Index>(k)});
    }
    return bodies;
}

void write_pictures(const DepthObject& object, std::span<const DrawnBody> bodies, const fs::path& folder,
                    DepthAnswer& answer) {
    std::error_code failure;
    fs::create_directories(folder, failure);
    if (failure) throw Error(Cause::cannot_write, failure.message(), {.file = folder.string()});
    const auto write = [&](const char* name, std::size_t projection, const Image& image) {
        answer.pictures.push_back((folder / fmt::format("{}_{}.png", name, projection + 1)).string());
        write_png(answer.pictures.back(), image);
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
                const DepthAnswer& answer) {
    ViewerDocument document{.title = answer.drawn.front().name,
                            .subtitle = fmt::format("depth maps along {} direction{}", answer.report.chosen.size(),
                                                    answer.report.chosen.size() == 1 ? "" : "s"),
                            .kind = ViewerKind::depth};
    if (answer.collision) document.subtitle += fmt::format("; {}", word(answer.collision->verdict));
    document.bodies = answer.drawn;
    for (std::size_t k = 0; k < object.parts().front().maps.size(); ++k)
        for (ViewerLayer& layer : depth_layers(object, k, {}, bodies)) {
            layer.name += fmt::format(", direction {}", k + 1);
            layer.visible = k == 0;
            document.layers.push_back(std::move(layer));
        }
    if (answer.collision && !answer.collision->bodies.empty()) {
        ContactsLayer contacts;
        for (const DepthBodyHit& hit : answer.collision->bodies)
            contacts.contacts.push_back({hit.point, -hit.way_out, hit.depth, {0, hit.body + 1}});
        document.layers.push_back({.name = "deepest hits", .content = std::move(contacts), .visible = true});
    }
    write_viewer_html(file, std::move(document));
}

DepthAnswer answer_to(const DepthArguments& arguments) {
    DepthAnswer answer;
    const std::unique_ptr<DepthBackend> backend = backend_of(arguments);
    const Drawn drawn = mesh_named(arguments.mesh);
    answer.drawn.push_back(viewer_body(drawn.name, drawn.mesh));
    const std::vector<DrawnBody> bodies = bodies_of(arguments, answer);
    answer.what = drawn.what;
    answer.backend = backend->name();
    answer.triangles = drawn.mesh.triangles.size();
    answer.report = directions_of(*backend, drawn.mesh, arguments);
    if (bodies.empty() && arguments.folder.empty() && arguments.html.empty()) return answer;

    DepthObject object(*backend, drawn.mesh, answer.report.projections(),
                       {.pixels = arguments.pixels, .conservative = arguments.conservative});
    if (!bodies.empty()) {
        const Stopwatch start;
        answer.collision = collide(object, {}, bodies, {.conservative = arguments.conservative});
        answer.seconds = start.seconds();
    }
    if (!arguments.folder.empty()) write_pictures(object, bodies, arguments.folder, answer);
    if (!arguments.html.empty()) write_page(object, bodies, arguments.html, answer);
    return answer;
}

Json to_json(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

Json to_json(const DirectionReport& r, const DepthAnswer& answer, const DepthArguments& arguments) {
    Json text = {{"mesh", arguments.mesh},   {"triangles", answer.triangles}, {"closed", r.closed},
                 {"sides", arguments.sides}, {"pixels", arguments.pixels},    {"backend", answer.backend}};
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
                 {"unseen_triangles", r.unseen},
                 {"resolution", r.resolution},
                 {"compliant_to_one", r.compliant_to_one},
                 {"compliant", r.compliant}});
    return text;
}

Json to_json(const DepthCollision& c, const DepthAnswer& answer) {
    Json text = {{"status", word(c.verdict)},
                 {"proven", c.proven},
                 {"pixels", c.pixels},
                 {"open_pixels", c.open_pixels},
                 {"tolerance", bound(c.tolerance)},
                 {"rounding", bound(c.rounding)},
                 {"truncated", c.truncated},
                 {"drawings", c.drawings},
                 {"seconds", answer.seconds}};
    text["bodies"] = Json::array();
    for (const DepthBodyHit& b : c.bodies)
        text["bodies"].push_back({{"body", b.body},
                                  {"projection", b.projection},
                                  {"pixels", b.pixels},
                                  {"area", b.area},
                                  {"depth", b.depth},
                                  {"point", as_json(b.point)},
                                  {"way_out", as_json(b.way_out)},
                                  {"normal", as_json(b.normal)},
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

Json to_json(const DepthAnswer& answer, const DepthArguments& arguments) {
    Json text = to_json(answer.report, answer, arguments);
    text["collision"] = answer.collision ? to_json(*answer.collision, answer) : Json(nullptr);
    text["pictures"] = answer.pictures;
    return text;
}

std::string fitness(const DirectionReport& r) {
    if (r.sides == DepthSides::layers) return "layers: concavities do not count, from whatever direction";
    if (r.compliant_to_one) return "compliant to one projection";
    if (r.compliant) return fmt::format("compliant to {} projections", r.chosen.size());
    return "not compliant: what is not seen counts as filled (--sides layers tells it apart)";
}

void print(const DirectionReport& r) {
    const bool layers = r.sides == DepthSides::layers;
    fmt::print("{}\n", fitness(r));
    fmt::print("  {:<32}  {:>9}  {:>13}  {:>16}\n", "direction", "sees", "all so far", "concavity (m3)");
    for (std::size_t k = 0; k < r.chosen.size(); ++k)
        fmt::print("  {:<32}  {:>7.2f} %  {:>11.2f} %  {:>16}\n", shown(r.chosen[k].direction), 100 * r.chosen[k].seen,
                   100 * r.seen_by_chosen[k],
                   r.chosen[k].concavity ? fmt::format("{:.4g}", *r.chosen[k].concavity) : "no inside");
    if (layers) return fmt::print("  (seen and filled without layers)\n");
    if (r.concavity) fmt::print("  left over  {:.4g} m3 of concavity that all of them fill\n", *r.concavity);
    if (r.unseen_area > 0)
        fmt::print("  unseen     {:.4g} of {:.4g} m2, between {} and {} m; less than half is seen of triangles: {}\n",
                   r.unseen_area, r.area, shown(r.unseen_bounds.lower), shown(r.unseen_bounds.upper),
                   with_commas(r.unseen.size()));
    if (!r.closed) fmt::print("  open       the mesh is not closed, or faces inward: only its surface counts\n");
}

void print(const DepthCollision& c, const DepthAnswer& answer) {
    fmt::print("{}{}\n", word(c.verdict),
               c.proven                         ? ", proven"
               : c.verdict == Verdict::disjoint ? fmt::format(", unless by less than {:.3g} m", c.tolerance)
                                                : "");
    for (std::size_t k = 0; k < answer.others.size(); ++k) fmt::print("  body {:<5} {}\n", k, answer.others[k]);
    if (!c.bodies.empty())
        fmt::print("  {:>6}  {:>8}  {:>12}  {:<34}  {:<34}  {}\n", "body", "pixels", "depth (m)", "deepest point (m)",
                   "way out of the object", "mean normal");
    for (const DepthBodyHit& b : c.bodies)
        fmt::print("  {:>6}  {:>8}  {:>12.6g}  {:<34}  {:<34}  {}\n", b.body, with_commas(b.pixels), b.depth,
                   shown(b.point), shown(b.way_out), shown(b.normal));
    for (const DepthEnclosure& e : c.enclosed_by)
        fmt::print("  inside     {} in body {}, at {} m\n", e.whole ? "the whole object is" : "part of the object is",
                   e.body, shown(e.point));
    if (c.open_pixels > 0) fmt::print("  open       {} pixels in which something may be\n", with_commas(c.open_pixels));
    if (c.truncated) fmt::print("  (some layers were left out: gaps may count as solid)\n");
    fmt::print("  method     {:.2f} ms, drawn {} times; what is smaller than {:.3g} m may be missed{}\n",
               1e3 * answer.seconds, c.drawings, c.tolerance, c.proven ? ", and is not here" : "");
}

void run_depth(const DepthArguments& arguments) {
    const DepthAnswer answer = answer_to(arguments);
    if (arguments.json) return fmt::print("{}\n", to_json(answer, arguments).dump(2));
    fmt::print("{}, {} x {} pixels at most, backend {}\n", answer.what, arguments.pixels, arguments.pixels,
               answer.backend);
    print(answer.report);
    if (answer.collision) print(*answer.collision, answer);
    for (const std::string& picture : answer.pictures) fmt::print("  picture    {}\n", picture);
    if (!arguments.html.empty()) fmt::print("  page       {}\n", arguments.html);
}

} // namespace

void add_depth(CLI::App& program, Session&) {
    const auto o = std::make_shared<DepthArguments>();
    CLI::App* verb = program.add_subcommand("depth", "Depth maps: which projections suit a mesh, and what it meets");
    verb->footer(examples);
    verb->add_option("MESH", o->mesh, "A mesh file or a shape of `fathom make`")->required();
    CLI::Option* against =
        verb->add_option("--against", o->against, "A mesh that may be met; may be given several times")
            ->allow_extra_args(false);
    verb->add_option("--pose", o->poses, "POSE of the first, the second, ... mesh of --against")
        ->allow_extra_args(false)
        ->needs(against);
    verb->add_option("--sides", o->sides, "Of the object: far side alone (as in the paper), both, or layers")
        ->capture_default_str()
        ->check(CLI::IsMember({"far", "both", "layers"}));
    verb->add_option("--pixels", o->pixels, "Of a map, along its longer side")
        ->capture_default_str()
        ->check(CLI::Range(8, 8192));
    verb->add_option("--most", o->most, "Directions chosen, at most")->capture_default_str()->check(CLI::Range(1, 64));
    verb->add_flag("--conservative", o->conservative,
                   "A \"disjoint\" with a proof: nothing is lost between pixels (slower)")
        ->needs(against);
    verb->add_option("--backend", o->backend,
                     "cpu, gl (on anything) or fastest; where OpenGL is missing it is the CPU, and told why")
        ->capture_default_str()
        ->check(CLI::IsMember({"cpu", "gl", "fastest"}));
    verb->add_option("-o,--output", o->folder,
                     "Folder for PNGs: heights of the object and of what it is held against, hits, normals there");
    verb->add_option("--html", o->html, html_help);
    verb->add_flag("--json", o->json, "As JSON");
    verb->callback([o] { run_depth(*o); });
}

} // namespace fathom::tool
