// fathom collide and fathom distance: two bodies at rest.
#include <tool/arguments.h>
#include <tool/commands.h>
#include <tool/output.h>
#include <tool/pair_query.h>

#include <fathom/base/error.h>
#include <fathom/detect/field_field/field_overlap.h>
#include <fathom/show/depth_picture.h>
#include <fathom/show/viewer_file.h>
#include <fathom/show/viewer_sources.h>

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <memory>

namespace fathom::tool {

namespace {

struct PosedArguments : PairArguments {
    std::string pose_a = "0,0,0", pose_b = "0,0,0";
};

struct CollideArguments : PosedArguments {
    std::string picture; // output file; empty: not written
    double margin = 0;
    std::size_t max_contacts = 16;
    CollideGoal goal = CollideGoal::separation;
};

struct DistanceArguments : PosedArguments {
    double tolerance = 0;
};

struct Posed {
    NamedShape named;
    Pose pose;
};

Posed open_posed(const std::string& text, const std::string& pose, const char* option, const PosedArguments& arguments,
                 Session& session) {
    Posed body{open_shape(text, arguments, session), pose_from_text(pose, option)};
    body.named.viewer_body.pose = body.pose;
    return body;
}

void add_poses(const Command& command, PosedArguments& arguments) {
    add_pair_options(command, arguments);
    command.add_option("--pose-a", arguments.pose_a, "POSE of A").show_default();
    command.add_option("--pose-b", arguments.pose_b, "POSE of B").show_default();
}

ViewerDocument document_of(const Posed& a, const Posed& b, std::string subtitle) {
    ViewerDocument document{.title = a.named.viewer_body.name + " and " + b.named.viewer_body.name,
                            .subtitle = std::move(subtitle),
                            .kind = ViewerKind::field};
    document.bodies = {a.named.viewer_body, b.named.viewer_body};
    return document;
}

// ---- collide

void print(const std::vector<Contact>& contacts) {
    if (contacts.empty()) return;
    fmt::print("  {:>6}  {:>12}  {:<36}  {:<36}  {}\n", "region", "depth (m)", "point on A (m)", "point on B (m)",
               "normal from A to B");
    for (const Contact& c : contacts)
        fmt::print("  {:>6}  {:>12.6g}  {:<36}  {:<36}  {}\n", c.region, c.depth + 0.0, vector_text(c.point_a),
                   vector_text(c.point_b), vector_text(c.normal));
}

void print(const Posed& a, const Posed& b, const CollideResult& result) {
    print_head(result.status, result.proven, result.note, a.named, b.named);
    if (result.separates != Separates::unknown) {
        fmt::print("  depth      {:.9g} m: B moved so far along the normal is disjoint from A{}{}\n",
                   result.depth + 0.0,
                   result.separates == Separates::proven ? ", proven" : ", not proven: see the note",
                   result.unique ? "" : "; another direction is as short");
        fmt::print("  normal     {} from A to B\n", vector_text(result.normal));
    } else if (std::isinf(result.depth)) {
        fmt::print("  depth      infinite: no translation separates the shapes\n");
    }
    if (!result.contacts.empty())
        fmt::print("  local      {:.9g} m: depth of the deepest contact point{}\n", result.local_depth + 0.0,
                   std::isfinite(result.local_depth_bound)
                       ? fmt::format("; no point is deeper than {:.9g} m", result.local_depth_bound)
                       : std::string());
    if (result.status == Status::overlapping) fmt::print("  witness    {} m\n", vector_text(result.witness));
    print(result.contacts);
    if (result.more_contacts) fmt::print("  (there are more contacts; see --max-contacts)\n");
    if (result.budget_exhausted) fmt::print("  (the limit on evaluations was reached; see --effort)\n");
    print_method(result.method, Question::collide, a.named, b.named);
    print_error(result.error_bound, a.named, b.named);
}

void draw(const Posed& a, const Posed& b, const std::string& file) {
    for (const Posed* body : {&a, &b})
        if (!has_field(body->named.shape.kind()) || !body->named.shape.bounded())
            throw Error(Cause::invalid_argument, "--picture requires two bounded solids");
    const Field &in_a = *a.named.shape.field(), &in_b = *b.named.shape.field();
    OverlapPictureOptions options;
    options.view.width = 900;
    options.view.height = 640;
    const field_field::FieldOverlap cells = field_field::field_overlap(in_a, a.pose, in_b, b.pose, {.depth = 5});
    write_png(file, draw_overlap(in_a, a.pose, in_b, b.pose, cells, options));
}

// Writes a page with both bodies and their contacts. Shapes that were tested by their fields are shown with the
// bounding spheres of their trees.
void write_page(const Posed& a, const Posed& b, const CollideResult& result, const std::string& file) {
    std::string subtitle = status_text(result.status);
    if (result.separates != Separates::unknown) subtitle += fmt::format(", {:.4g} m deep", result.depth);
    ViewerDocument document = document_of(a, b, std::move(subtitle));
    if (!result.contacts.empty()) document.layers.push_back(contacts_layer(result.contacts));
    Index number = 0;
    for (const Posed* body : {&a, &b}) {
        if (result.method == Method::field_field) {
            document.layers.push_back(spheres_layer(body->named.shape.solid(), 5000));
            document.layers.back().name = fmt::format("bounding spheres of {}", body->named.viewer_body.name);
            document.layers.back().body = number;
        }
        ++number;
    }
    write_viewer_html(file, std::move(document));
}

void run_collide(const CollideArguments& arguments, Session& session) {
    const Posed a = open_posed(arguments.a, arguments.pose_a, "--pose-a", arguments, session),
                b = open_posed(arguments.b, arguments.pose_b, "--pose-b", arguments, session);
    const CollideResult result = collide(a.named.shape, a.pose, b.named.shape, b.pose,
                                         {.goal = arguments.goal,
                                          .method = method_from_text(arguments.method),
                                          .margin = arguments.margin,
                                          .max_contacts = arguments.max_contacts,
                                          .effort = arguments.effort});
    if (!arguments.picture.empty()) draw(a, b, arguments.picture);
    if (!arguments.html.empty()) write_page(a, b, result, arguments.html);
    if (arguments.json) {
        Json json = to_json(result);
        add_interiors(json, a.named, b.named);
        return fmt::print("{}\n", json.dump(2));
    }
    print(a, b, result);
    if (!arguments.picture.empty()) fmt::print("  picture    {}\n", arguments.picture);
    if (!arguments.html.empty()) fmt::print("  page       {}\n", arguments.html);
}

// ---- distance

void print(const Posed& a, const Posed& b, const DistanceResult& result) {
    print_head(result.status, result.proven, result.note, a.named, b.named);
    if (std::isinf(result.lower_bound) && result.lower_bound > 0)
        fmt::print("  distance   undefined: one of the shapes is empty\n");
    else if (result.upper_bound <= 0)
        fmt::print(
            "  distance   between {:.9g} and {:.9g} m: minus the length of the shortest separating translation\n",
            result.lower_bound + 0.0, result.upper_bound + 0.0);
    else
        fmt::print("  distance   between {:.9g} and {:.9g} m{}\n", result.lower_bound, result.upper_bound,
                   result.converged ? "" : ": wider than requested; see --effort");
    if (std::isfinite(result.upper_bound)) {
        fmt::print("  closest    {} on A, {} on B (m)\n", vector_text(result.point_a), vector_text(result.point_b));
        fmt::print("  normal     {} from A to B\n", vector_text(result.normal));
    }
    print_method(result.method, Question::distance, a.named, b.named);
    print_error(result.error_bound, a.named, b.named);
}

void run_distance(const DistanceArguments& arguments, Session& session) {
    const Posed a = open_posed(arguments.a, arguments.pose_a, "--pose-a", arguments, session),
                b = open_posed(arguments.b, arguments.pose_b, "--pose-b", arguments, session);
    const DistanceResult result = distance(a.named.shape, a.pose, b.named.shape, b.pose,
                                           {.method = method_from_text(arguments.method),
                                            .tolerance = arguments.tolerance,
                                            .effort = arguments.effort,
                                            .depth = true});
    if (!arguments.html.empty()) {
        ViewerDocument document = document_of(a, b, fmt::format("signed distance {:.4g} m", result.upper_bound));
        if (std::isfinite(result.upper_bound))
            document.layers.push_back({.name = "segment between closest points",
                                       .content = PathLayer{{result.point_a, result.point_b}, {0, 1}, {}},
                                       .visible = true});
        write_viewer_html(arguments.html, std::move(document));
    }
    if (arguments.json) {
        Json json = to_json(result);
        add_interiors(json, a.named, b.named);
        return fmt::print("{}\n", json.dump(2));
    }
    print(a, b, result);
    if (!arguments.html.empty()) fmt::print("  page       {}\n", arguments.html);
}

} // namespace

void add_collide(const Command& program, Session& session) {
    const auto o = std::make_shared<CollideArguments>();
    const Command command =
        program.add_command("collide", "Overlap, contacts and penetration depth of two bodies at rest");
    command.footer(R"~(Examples:
  fathom collide bunny.obj bunny.obj --pose-b 0.05,0,0
  fathom collide "torus(1.2, 0.45)" "sphere(0.5)" --pose-b 1,0,0.6 --json
  fathom collide a.obj b.fathom --pose-b 0,0,0.1,0.924,0.383,0,0 --html overlap.html

A POSE is x,y,z or x,y,z,qw,qx,qy,qz (m, unit quaternion). "overlapping" has a witness point, and "disjoint" is
proven; a pair for which neither is proven is "undecided". A mesh is tested as a mesh; --grid samples it on a grid, and
the grid is stored in the cache.)~");
    add_poses(command, *o);
    const std::map<std::string, CollideGoal> goals = {
        {"status", CollideGoal::status}, {"contacts", CollideGoal::contacts}, {"separation", CollideGoal::separation}};
    command.add_choice("--goal", o->goal, goals,
                       "status: whether the bodies overlap (fastest); contacts: contact points too; separation: also "
                       "the shortest translation found that separates them");
    command
        .add_option("--margin", o->margin,
                    "Bodies closer than this count as overlapping; depths are then at least minus this value (m)")
        .check(at_least_zero());
    command.add_option("--max-contacts", o->max_contacts, "Limit on reported contacts")
        .check(range(1, 100'000))
        .show_default();
    command.add_option("--picture", o->picture, "Write a PNG of both bodies and the octree of their intersection");
    command.run([o, &session] { run_collide(*o, session); });
}

void add_distance(const Command& program, Session& session) {
    const auto o = std::make_shared<DistanceArguments>();
    const Command command = program.add_command("distance", "Signed distance and closest points of two bodies at rest");
    command.footer(R"~(Examples:
  fathom distance "sphere(1)" "sphere(1)" --pose-b 3,0,0
  fathom distance bunny.obj dragon.obj --pose-b 1,0,0 --tolerance 1e-6 --json

A POSE is x,y,z or x,y,z,qw,qx,qy,qz (m, unit quaternion). The distance lies between two proven bounds. If the bodies
overlap it is minus the penetration depth.)~");
    add_poses(command, *o);
    command
        .add_option("--tolerance", o->tolerance,
                    "Requested difference of the bounds (m; 0: 1e-3 of the size of the smaller body)")
        .check(at_least_zero());
    command.run([o, &session] { run_distance(*o, session); });
}

} // namespace fathom::tool
