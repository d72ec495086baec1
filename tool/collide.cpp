// fathom collide: two bodies at rest: whether they meet, how deep, where and which way is out, or how far apart they
// are.
#include <tool/drawn_source.h>
#include <tool/json_values.h>
#include <tool/number_checks.h>
#include <tool/pose_text.h>
#include <tool/terminal.h>
#include <tool/verbs.h>
#include <tool/verdict_text.h>

#include <fathom/base/error.h>
#include <fathom/detect/collide.h>
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
    std::string picture, html; // none: none
    double margin = 0;
    int resolution = 256;
    bool all = false, prove = false, distance = false, exact = false, json = false;
};

struct PosedBody {
    std::string what;
    Solid solid;
    Pose pose;
    ViewerBody drawn; // for --html
};

struct Answer {
    CollideResult touch;
    std::optional<Separation> apart; // where they do not overlap
};

PosedBody body_of(const std::string& text, const Pose& pose, const CollideArguments& arguments, Session& session) {
    FieldSource source = open_field(text);
    if (!arguments.exact) mesh_to_grid(source, arguments.resolution, session.progress());
    std::string what = fmt::format("{}: {}", source.kind, source.what);
    if (source.mesh && source.grid) what += fmt::format(", as a grid of {} cells", arguments.resolution);
    PosedBody body{std::move(what), Solid(field_of(source)), pose, {}};
    if (!arguments.html.empty())
        body.drawn = drawn_body(text, source, std::min(arguments.resolution, 128), session.progress());
    body.drawn.pose = pose;
    return body;
}

CollideOptions collide_options(const CollideArguments& arguments) {
    CollideOptions options{.margin = arguments.margin};
    if (arguments.all) options.most_contacts = 1000;
    if (arguments.prove) options.budget = 10'000'000;
    return options;
}

SeparationOptions separation_options(const PosedBody& a, const PosedBody& b, bool close) {
    if (!close) return {};
    const double size = std::min(a.solid.bounds().size().maxCoeff(), b.solid.bounds().size().maxCoeff());
    const double error = a.solid.surface_error() + b.solid.surface_error();
    if (!std::isfinite(size) || size <= 0) return {};
    return {.tolerance = std::max(1e-6 * size, std::isfinite(error) ? 4 * error : 0), .budget = 1'000'000};
}

// The first of each region is its deepest.
void keep_deepest(std::vector<Contact>& contacts) {
    std::vector<Index> seen;
    std::erase_if(contacts, [&](const Contact& c) {
        if (std::find(seen.begin(), seen.end(), c.region) != seen.end()) return true;
        seen.push_back(c.region);
        return false;
    });
}

bool overlaps(const CollideResult& touch) { return touch.verdict == Verdict::overlapping && touch.depth >= 0; }

Answer answer(const PosedBody& a, const PosedBody& b, const CollideArguments& arguments) {
    Answer answer{collide(a.solid, a.pose, b.solid, b.pose, collide_options(arguments)), {}};
    if (!arguments.all) keep_deepest(answer.touch.contacts);
    if (overlaps(answer.touch)) return answer;
    answer.apart = separation(a.solid, a.pose, b.solid, b.pose, separation_options(a, b, arguments.distance));
    answer.touch.look_ups += answer.apart->look_ups;
    answer.apart->lower = std::max(answer.apart->lower, 0.0);
    return answer;
}

std::string status(Verdict verdict) { return verdict == Verdict::overlapping ? "overlap" : word(verdict); }

std::string method_of(const Answer& answer) {
    std::string method = "balls of one body's tree in the other's field, best first";
    if (!answer.touch.contacts.empty()) method += "; descent from the lowest cells of each region";
    if (answer.apart) method += "; nearest points drawn together, bounded by pairs of balls";
    return method;
}

Json known(Index index) { return index == no_index ? Json(nullptr) : Json(index); }
Json feature_json(const Feature& f) { return {{"element", known(f.element)}, {"part", known(f.part)}}; }

Json contact_json(const Contact& c) {
    return {{"point_a", as_json(c.point_a)},
            {"point_b", as_json(c.point_b)},
            {"normal", as_json(c.normal)},
            {"depth", c.depth},
            {"region", c.region},
            {"feature_a", feature_json(c.feature_a)},
            {"feature_b", feature_json(c.feature_b)}};
}

Json distance_json(const Separation& s) {
    Json text = {{"lower", bound(s.lower)}, {"upper", bound(s.upper)}};
    if (std::isfinite(s.upper))
        text.update({{"point_a", as_json(s.point_a)}, {"point_b", as_json(s.point_b)}, {"normal", as_json(s.normal)}});
    return text;
}

Json to_json(const Answer& answer) {
    const CollideResult& touch = answer.touch;
    Json text = {{"status", status(touch.verdict)}, {"proven", touch.verdict != Verdict::undecided}};
    text["depth"] = touch.contacts.empty() ? Json(nullptr) : Json(touch.depth);
    text["distance"] = answer.apart ? distance_json(*answer.apart) : Json(nullptr);
    text["common"] = overlaps(touch) ? as_json(touch.common) : Json(nullptr);
    text["contacts"] = Json::array();
    for (const Contact& c : touch.contacts) text["contacts"].push_back(contact_json(c));
    text["method"] = method_of(answer);
    text["error_bound"] = bound(touch.error_bound);
    text["truncated"] = touch.truncated || (answer.apart && answer.apart->truncated);
    text["look_ups"] = touch.look_ups;
    if (touch.verdict == Verdict::undecided) text["open_size"] = bound(touch.open_size);
    return text;
}

void print(const Separation& s) {
    if (!std::isfinite(s.lower)) return fmt::print("  distance   none: a body is empty\n");
    if (!std::isfinite(s.upper))
        return fmt::print("  distance   at least {:.9g} m; no nearest points are known\n", s.lower);
    fmt::print("  distance   between {:.9g} and {:.9g} m{}\n", s.lower, s.upper,
               s.truncated ? " (--distance asks for closer bounds)" : "");
    fmt::print("  nearest    {} of A, {} of B\n", shown(s.point_a), shown(s.point_b));
    fmt::print("  normal     {} from A to B\n", shown(s.normal));
}

void print(const std::vector<Contact>& contacts) {
    if (contacts.empty()) return;
    fmt::print("  {:>6}  {:>12}  {:<36}  {:<36}  {}\n", "region", "depth (m)", "point of A (m)", "point of B (m)",
               "normal from A to B");
    for (const Contact& c : contacts)
        fmt::print("  {:>6}  {:>12.6g}  {:<36}  {:<36}  {}\n", c.region, c.depth, shown(c.point_a), shown(c.point_b),
                   shown(c.normal));
}

void print(const PosedBody& a, const PosedBody& b, const Answer& answer, const CollideArguments& arguments) {
    const CollideResult& touch = answer.touch;
    fmt::print("{}{}\n", status(touch.verdict),
               touch.verdict == Verdict::undecided
                   ? fmt::format(", not proven: boxes of up to {:.3g} m stayed open", touch.open_size)
                   : ", proven");
    fmt::print("  A          {}\n  B          {}\n", a.what, b.what);
    if (!touch.contacts.empty()) fmt::print("  depth      {:.9g} m\n", touch.depth);
    if (overlaps(touch)) fmt::print("  common     {} m\n", shown(touch.common));
    if (answer.apart) print(*answer.apart);
    print(touch.contacts);
    if (touch.truncated) fmt::print("  (some contacts were left out)\n");
    fmt::print("  method     {}; {} look-ups\n", method_of(answer), with_commas(touch.look_ups));
    if (std::isfinite(touch.error_bound))
        fmt::print("  error      {:.3g} m\n", touch.error_bound);
    else
        fmt::print("  error      not known: a field is no distance\n");
    if (!arguments.picture.empty()) fmt::print("  picture    {}\n", arguments.picture);
    if (!arguments.html.empty()) fmt::print("  page       {}\n", arguments.html);
}

void draw(const PosedBody& a, const PosedBody& b, const std::string& file) {
    const Field &in_a = a.solid.field(), &in_b = b.solid.field();
    if (!a.solid.bounded() || !b.solid.bounded())
        throw Error(Cause::invalid_argument, "--picture needs two bodies that have an end");
    OverlapPictureOptions options;
    options.view.width = 900;
    options.view.height = 640;
    const FieldOverlap cells = field_overlap(in_a, a.pose, in_b, b.pose, {.depth = 5});
    write_png(file, draw_overlap(in_a, a.pose, in_b, b.pose, cells, options));
}

// Both bodies, their contacts or the line between their nearest points, and the tree that was searched.
void write_page(PosedBody& a, PosedBody& b, const Answer& answer, const std::string& file) {
    const CollideResult& touch = answer.touch;
    ViewerDocument document{
        .title = a.drawn.name + " and " + b.drawn.name, .subtitle = status(touch.verdict), .kind = ViewerKind::field};
    if (!touch.contacts.empty()) document.subtitle += fmt::format(", {:.4g} m deep", touch.depth);
    if (answer.apart && std::isfinite(answer.apart->upper)) {
        document.subtitle += fmt::format(", {:.4g} m apart", answer.apart->upper);
        document.layers.push_back({.name = "between the nearest points",
                                   .content = PathLayer{{answer.apart->point_a, answer.apart->point_b}, {0, 1}, {}},
                                   .visible = true});
    }
    if (!touch.contacts.empty()) document.layers.push_back(contacts_layer(touch.contacts));
    for (const PosedBody* body : {&a, &b}) {
        document.layers.push_back(balls_layer(body->solid, 5000));
        document.layers.back().name = fmt::format("balls of {}", body->drawn.name);
        document.layers.back().body = body == &a ? 0 : 1;
    }
    document.bodies = {std::move(a.drawn), std::move(b.drawn)};
    write_viewer_html(file, std::move(document));
}

void run_collide(const CollideArguments& arguments, Session& session) {
    const Pose pose_a = pose_from_text(arguments.pose_a, "--pose-a"),
               pose_b = pose_from_text(arguments.pose_b, "--pose-b");
    PosedBody a = body_of(arguments.a, pose_a, arguments, session),
              b = body_of(arguments.b, pose_b, arguments, session);
    const Answer found = answer(a, b, arguments);
    if (!arguments.picture.empty()) draw(a, b, arguments.picture);
    if (!arguments.html.empty()) write_page(a, b, found, arguments.html);
    if (arguments.json) return fmt::print("{}\n", to_json(found).dump(2));
    print(a, b, found, arguments);
}

} // namespace

void add_collide(CLI::App& program, Session& session) {
    const auto o = std::make_shared<CollideArguments>();
    CLI::App* verb = program.add_subcommand(
        "collide", "Two bodies at rest: whether they meet, how deep and where, or how far apart they are");
    verb->footer(R"~(Examples:
  fathom collide bunny.obj bunny.obj --pose-b 0.05,0,0 --all
  fathom collide "torus(1.2, 0.45)" "sphere(0.5)" --pose-b 1,0,0.6 --json
  fathom collide a.obj b.fathom --pose-b 0,0,0.1,0.924,0.383,0,0 --picture overlap.png --html overlap.html

A POSE is x,y,z or x,y,z,qw,qx,qy,qz (m, unit quaternion). "overlap" has seen a point inside both; "disjoint" is proven; what is neither
is "undecided". Depth is that of the deepest point of one body in the other; moving B along the normal by the depth undoes it. Grids
of meshes are kept in the cache.)~");
    verb->add_option("A", o->a, field_help)->required();
    verb->add_option("B", o->b, field_help)->required();
    verb->add_option("--pose-a", o->pose_a, "POSE of A")->capture_default_str();
    verb->add_option("--pose-b", o->pose_b, "POSE of B")->capture_default_str();
    verb->add_flag("--all", o->all, "Contacts spread over each region instead of its deepest alone");
    verb->add_flag("--prove", o->prove, "Look up to ten million times before saying undecided");
    verb->add_option("--margin", o->margin,
                     "Bodies nearer than this count as overlapping; depths are then down to minus this (m)")
        ->check(at_least_zero());
    verb->add_flag("--distance", o->distance, "Bounds on the distance as close as the fields allow (slower)");
    verb->add_option("-r,--resolution", o->resolution, "Cells of the grid of a mesh, along its longest side")
        ->capture_default_str()
        ->check(CLI::Range(8, 16384));
    verb->add_flag("--exact", o->exact, "Distances of meshes from their triangles instead of a grid (slow)");
    verb->add_option("--picture", o->picture, "A PNG of both bodies and the octree of what they have in common");
    verb->add_option("--html", o->html, html_help);
    verb->add_flag("--json", o->json, "As JSON");
    verb->callback([o, &session] { run_collide(*o, session); });
}

} // namespace fathom::tool
