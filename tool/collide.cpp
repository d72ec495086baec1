// fathom collide: collision query for two bodies at rest. Reports contacts and penetration depth, or distance and
// closest points.
#include <tool/arguments.h>
#include <tool/commands.h>
#include <tool/field_source.h>
#include <tool/output.h>

#include <fathom/base/error.h>
#include <fathom/detect/field_field/field_field.h>
#include <fathom/show/overlap_picture.h>
#include <fathom/show/viewer_page.h>
#include <fathom/show/viewer_sources.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

namespace fathom::tool {

namespace {

struct CollideArguments {
    std::string a, b;
    std::string pose_a = "0,0,0", pose_b = "0,0,0";
    std::string picture, html; // output files; empty: not written
    double margin = 0;
    int resolution = 256;
    bool all = false, prove = false, distance = false, exact = false, json = false;
};

struct PosedBody {
    std::string description;
    FieldSphereTree solid;
    Pose pose;
    ViewerBody viewer_body; // for --html
};

struct PairResult {
    field_field::CollideResult collision;
    std::optional<field_field::Separation> separation; // if the bodies do not overlap
};

PosedBody open_body(const std::string& text, const Pose& pose, const CollideArguments& arguments, Session& session) {
    FieldSource source = open_field(text);
    if (!arguments.exact) mesh_to_grid(source, arguments.resolution, session.progress());
    std::string description = fmt::format("{}: {}", source.kind, source.description);
    if (source.mesh && source.grid)
        description += fmt::format(", sampled on a grid, {} cells along the longest side", arguments.resolution);
    PosedBody body{std::move(description), FieldSphereTree(field_of(source)), pose, {}};
    if (!arguments.html.empty())
        body.viewer_body = make_viewer_body(text, source, std::min(arguments.resolution, 128), session.progress());
    body.viewer_body.pose = pose;
    return body;
}

field_field::CollideOptions collide_options(const CollideArguments& arguments) {
    field_field::CollideOptions options{.margin = arguments.margin};
    if (arguments.all) options.max_contacts = 1000;
    if (arguments.prove) options.max_evaluations = 10'000'000;
    return options;
}

field_field::SeparationOptions separation_options(const PosedBody& a, const PosedBody& b, bool tight) {
    if (!tight) return {};
    const double size = std::min(a.solid.bounds().size().maxCoeff(), b.solid.bounds().size().maxCoeff());
    const double error = a.solid.surface_error() + b.solid.surface_error();
    if (!std::isfinite(size) || size <= 0) return {};
    return {.tolerance = std::max(1e-6 * size, std::isfinite(error) ? 4 * error : 0), .max_evaluations = 1'000'000};
}

// Keeps the first contact of each region, which is its deepest.
void keep_deepest(std::vector<Contact>& contacts) {
    std::vector<Index> seen;
    std::erase_if(contacts, [&](const Contact& c) {
        if (std::find(seen.begin(), seen.end(), c.region) != seen.end()) return true;
        seen.push_back(c.region);
        return false;
    });
}

bool overlaps(const field_field::CollideResult& collision) {
    return collision.status == Status::overlapping && collision.depth >= 0;
}

PairResult query_pair(const PosedBody& a, const PosedBody& b, const CollideArguments& arguments) {
    PairResult result{collide(a.solid, a.pose, b.solid, b.pose, collide_options(arguments)), {}};
    if (!arguments.all) keep_deepest(result.collision.contacts);
    if (overlaps(result.collision)) return result;
    result.separation =
        field_field::separation(a.solid, a.pose, b.solid, b.pose, separation_options(a, b, arguments.distance));
    result.collision.evaluations += result.separation->evaluations;
    result.separation->lower = std::max(result.separation->lower, 0.0);
    return result;
}

std::string status(Status status) { return status == Status::overlapping ? "overlap" : status_text(status); }

std::string method_text(const PairResult& result) {
    std::string method = "branch and bound over the bounding spheres of one body in the field of the other";
    if (!result.collision.contacts.empty()) method += "; descent from the deepest cells of each region";
    if (result.separation)
        method += "; closest points by alternating projection, lower bound from pairs of bounding spheres";
    return method;
}

Json index_or_null(Index index) { return index == no_index ? Json(nullptr) : Json(index); }
Json feature_json(const Feature& f) { return {{"element", index_or_null(f.element)}, {"part", index_or_null(f.part)}}; }

Json contact_json(const Contact& c) {
    return {{"point_a", as_json(c.point_a)},
            {"point_b", as_json(c.point_b)},
            {"normal", as_json(c.normal)},
            {"depth", c.depth},
            {"region", c.region},
            {"feature_a", feature_json(c.feature_a)},
            {"feature_b", feature_json(c.feature_b)}};
}

Json distance_json(const field_field::Separation& s) {
    Json text = {{"lower", finite_or_null(s.lower)}, {"upper", finite_or_null(s.upper)}};
    if (std::isfinite(s.upper))
        text.update({{"point_a", as_json(s.point_a)}, {"point_b", as_json(s.point_b)}, {"normal", as_json(s.normal)}});
    return text;
}

Json to_json(const PairResult& result) {
    const field_field::CollideResult& collision = result.collision;
    Json text = {{"status", status(collision.status)}, {"proven", collision.status != Status::undecided}};
    text["depth"] = collision.contacts.empty() ? Json(nullptr) : Json(collision.depth);
    text["distance"] = result.separation ? distance_json(*result.separation) : Json(nullptr);
    text["witness"] = overlaps(collision) ? as_json(collision.witness) : Json(nullptr);
    text["contacts"] = Json::array();
    for (const Contact& c : collision.contacts) text["contacts"].push_back(contact_json(c));
    text["method"] = method_text(result);
    text["error_bound"] = finite_or_null(collision.error_bound);
    text["truncated"] = collision.more_contacts || (result.separation && result.separation->budget_exhausted);
    text["evaluations"] = collision.evaluations;
    if (collision.status == Status::undecided) text["open_size"] = finite_or_null(collision.open_size);
    return text;
}

void print(const field_field::Separation& s) {
    if (!std::isfinite(s.lower)) return fmt::print("  distance   undefined: one of the bodies is empty\n");
    if (!std::isfinite(s.upper))
        return fmt::print("  distance   at least {:.9g} m; closest points are unknown\n", s.lower);
    fmt::print("  distance   between {:.9g} and {:.9g} m{}\n", s.lower, s.upper,
               s.budget_exhausted ? " (use --distance for tighter bounds)" : "");
    fmt::print("  closest    {} on A, {} on B (m)\n", vector_text(s.point_a), vector_text(s.point_b));
    fmt::print("  normal     {} from A to B\n", vector_text(s.normal));
}

void print(const std::vector<Contact>& contacts) {
    if (contacts.empty()) return;
    fmt::print("  {:>6}  {:>12}  {:<36}  {:<36}  {}\n", "region", "depth (m)", "point on A (m)", "point on B (m)",
               "normal from A to B");
    for (const Contact& c : contacts)
        fmt::print("  {:>6}  {:>12.6g}  {:<36}  {:<36}  {}\n", c.region, c.depth, vector_text(c.point_a),
                   vector_text(c.point_b), vector_text(c.normal));
}

void print(const PosedBody& a, const PosedBody& b, const PairResult& result, const CollideArguments& arguments) {
    const field_field::CollideResult& collision = result.collision;
    fmt::print("{}{}\n", status(collision.status),
               collision.status == Status::undecided
                   ? fmt::format(", not proven: boxes of up to {:.3g} m remain undecided", collision.open_size)
                   : ", proven");
    fmt::print("  A          {}\n  B          {}\n", a.description, b.description);
    if (!collision.contacts.empty()) fmt::print("  depth      {:.9g} m\n", collision.depth);
    if (overlaps(collision)) fmt::print("  witness    {} m, inside both\n", vector_text(collision.witness));
    if (result.separation) print(*result.separation);
    print(collision.contacts);
    if (collision.more_contacts) fmt::print("  (there are more contacts)\n");
    fmt::print("  method     {}; {} field evaluations\n", method_text(result), with_commas(collision.evaluations));
    if (std::isfinite(collision.error_bound))
        fmt::print("  error      at most {:.3g} m\n", collision.error_bound);
    else
        fmt::print("  error      unknown: a field is not a distance\n");
    if (!arguments.picture.empty()) fmt::print("  picture    {}\n", arguments.picture);
    if (!arguments.html.empty()) fmt::print("  page       {}\n", arguments.html);
}

void draw(const PosedBody& a, const PosedBody& b, const std::string& file) {
    const Field &in_a = a.solid.field(), &in_b = b.solid.field();
    if (!a.solid.bounded() || !b.solid.bounded())
        throw Error(Cause::invalid_argument, "--picture requires two bounded bodies");
    OverlapPictureOptions options;
    options.view.width = 900;
    options.view.height = 640;
    const field_field::FieldOverlap cells = field_field::field_overlap(in_a, a.pose, in_b, b.pose, {.depth = 5});
    write_png(file, draw_overlap(in_a, a.pose, in_b, b.pose, cells, options));
}

// Writes a page with both bodies, their contacts or the segment between their closest points, and their bounding
// spheres.
void write_page(PosedBody& a, PosedBody& b, const PairResult& result, const std::string& file) {
    const field_field::CollideResult& collision = result.collision;
    ViewerDocument document{.title = a.viewer_body.name + " and " + b.viewer_body.name,
                            .subtitle = status(collision.status),
                            .kind = ViewerKind::field};
    if (!collision.contacts.empty()) document.subtitle += fmt::format(", {:.4g} m deep", collision.depth);
    if (result.separation && std::isfinite(result.separation->upper)) {
        document.subtitle += fmt::format(", {:.4g} m apart", result.separation->upper);
        document.layers.push_back(
            {.name = "segment between closest points",
             .content = PathLayer{{result.separation->point_a, result.separation->point_b}, {0, 1}, {}},
             .visible = true});
    }
    if (!collision.contacts.empty()) document.layers.push_back(contacts_layer(collision.contacts));
    for (const PosedBody* body : {&a, &b}) {
        document.layers.push_back(spheres_layer(body->solid, 5000));
        document.layers.back().name = fmt::format("bounding spheres of {}", body->viewer_body.name);
        document.layers.back().body = body == &a ? 0 : 1;
    }
    document.bodies = {std::move(a.viewer_body), std::move(b.viewer_body)};
    write_viewer_html(file, std::move(document));
}

void run_collide(const CollideArguments& arguments, Session& session) {
    const Pose pose_a = pose_from_text(arguments.pose_a, "--pose-a"),
               pose_b = pose_from_text(arguments.pose_b, "--pose-b");
    PosedBody a = open_body(arguments.a, pose_a, arguments, session),
              b = open_body(arguments.b, pose_b, arguments, session);
    const PairResult result = query_pair(a, b, arguments);
    if (!arguments.picture.empty()) draw(a, b, arguments.picture);
    if (!arguments.html.empty()) write_page(a, b, result, arguments.html);
    if (arguments.json) return fmt::print("{}\n", to_json(result).dump(2));
    print(a, b, result, arguments);
}

} // namespace

void add_collide(CLI::App& program, Session& session) {
    const auto o = std::make_shared<CollideArguments>();
    CLI::App* command =
        program.add_subcommand("collide", "Contacts and penetration depth, or distance, of two bodies at rest");
    command->footer(R"~(Examples:
  fathom collide bunny.obj bunny.obj --pose-b 0.05,0,0 --all
  fathom collide "torus(1.2, 0.45)" "sphere(0.5)" --pose-b 1,0,0.6 --json
  fathom collide a.obj b.fathom --pose-b 0,0,0.1,0.924,0.383,0,0 --picture overlap.png --html overlap.html

A POSE is x,y,z or x,y,z,qw,qx,qy,qz (m, unit quaternion). "overlap" is proven by a point inside both bodies, and
"disjoint" is proven as well; a pair for which neither is proven is "undecided". The depth is that of the deepest point
of one body in the other; moving B along the normal by the depth resolves that contact. Grids of meshes are stored in
the cache.)~");
    command->add_option("A", o->a, field_help)->required();
    command->add_option("B", o->b, field_help)->required();
    command->add_option("--pose-a", o->pose_a, "POSE of A")->capture_default_str();
    command->add_option("--pose-b", o->pose_b, "POSE of B")->capture_default_str();
    command->add_flag(
        "--all", o->all,
        "Report up to 1000 contacts spread over the contact regions, not only the deepest of each region");
    command->add_flag("--prove", o->prove, "Use up to ten million field evaluations before the result is undecided");
    command
        ->add_option("--margin", o->margin,
                     "Bodies closer than this count as overlapping; depths are then at least minus this value (m)")
        ->check(at_least_zero());
    command->add_flag("--distance", o->distance,
                      "Compute bounds on the distance as tight as the fields allow (slower)");
    command->add_option("-r,--resolution", o->resolution, "For meshes: grid cells along the longest side")
        ->capture_default_str()
        ->check(CLI::Range(8, 16384));
    command->add_flag("--exact", o->exact, "For meshes: exact distances from the triangles instead of a grid (slow)");
    command->add_option("--picture", o->picture, "Write a PNG of both bodies and the octree of their intersection");
    command->add_option("--html", o->html, html_help);
    command->add_flag("--json", o->json, "Print JSON");
    command->callback([o, &session] { run_collide(*o, session); });
}

} // namespace fathom::tool
