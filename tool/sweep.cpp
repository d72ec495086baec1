// fathom sweep: continuous collision query for two moving bodies. Reports the time of impact, the first contact and the
// contact intervals.
// Method: point shells in distance fields (Xu & Barbic 2014).
#include <tool/arguments.h>
#include <tool/commands.h>
#include <tool/field_source.h>
#include <tool/output.h>

#include <fathom/base/error.h>
#include <fathom/detect/point_field/shell_sweep.h>
#include <fathom/field/grid/contour.h>
#include <fathom/geometry/sample/point_shell.h>
#include <fathom/show/viewer_page.h>
#include <fathom/show/viewer_recording.h>
#include <fathom/show/viewer_sources.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <memory>
#include <optional>

namespace fathom::tool {

namespace {

struct SweepArguments {
    std::string a, b;
    std::string from_a = "0,0,0", from_b = "0,0,0", to_a, to_b; // without an end pose a body is stationary
    std::string html;                                           // output file; empty: not written
    int resolution = 256;
    std::size_t points = 0;
    double radius = 0, bend = 0;
    bool screw = false, exact = false, proof = false, per_point = false, json = false;
};

// A body prepared for the sweep: its field, points on its surface, and the sampling density of the points.
struct SweptBody {
    FieldPtr field;
    std::optional<point_field::SweepShell> shell;                  // absent if the surface is unbounded
    double sampling_gap = std::numeric_limits<double>::infinity(); // upper bound on the distance from any surface point
                                                                   // to the nearest sample (m); infinity: unknown
    double field_error = 0;                                        // error bound of the field near the surface (m)
    ViewerBody viewer_body{};                                      // for --html
};

// Upper bound on the distance from any point of the triangles to the nearest corner (m).
double corner_gap(const TriangleMesh& mesh) {
    double longest = 0;
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
        const auto c = mesh.corners(t);
        longest = std::max({longest, (c[1] - c[0]).norm(), (c[2] - c[1]).norm(), (c[0] - c[2]).norm()});
    }
    return longest / std::sqrt(3.0);
}

std::vector<Vec3> surface_points(const TriangleMesh& mesh, std::size_t count) {
    return count > 0 ? repelled_shell(mesh, {.count = count}).points : vertex_shell(mesh).points;
}

// Vertices of an isosurface of the field, moved onto the zero level by four Newton steps.
std::vector<Vec3> surface_points(const Field& field, const FieldSource& source, const SweepArguments& arguments) {
    const Box box = field.bounds();
    const TriangleMesh mesh =
        source.grid ? contour(*source.grid)
                    : contour(field, box.grown(0.05 * box.size().maxCoeff()), std::min(arguments.resolution, 96));
    std::vector<Vec3> points = surface_points(mesh, arguments.points);
    for (Vec3& p : points)
        for (int step = 0; step < 4; ++step) {
            const Sample s = field.sample(p);
            if (s.gradient.squaredNorm() > 1e-12) p -= s.distance / s.gradient.squaredNorm() * s.gradient;
        }
    return points;
}

SweptBody open_body(const std::string& text, const SweepArguments& arguments, Session& session) {
    FieldSource source = open_field(text);
    SweptBody body;
    if (!arguments.exact) mesh_to_grid(source, arguments.resolution, session.progress());
    body.field = field_of(source);
    body.field_error = source.grid ? source.grid->near_error_bound() : body.field->error_bound();
    if (source.mesh) {
        body.shell.emplace(surface_points(*source.mesh, arguments.points));
        if (arguments.points == 0) body.sampling_gap = corner_gap(*source.mesh);
    } else if (is_finite(body.field->bounds().size())) {
        body.shell.emplace(surface_points(*body.field, source, arguments));
    }
    if (!arguments.html.empty())
        body.viewer_body = make_viewer_body(text, source, std::min(arguments.resolution, 128), session.progress());
    return body;
}

Motion parse_motion(const std::string& from, const std::string& to, const char* option) {
    Motion motion = Motion::stationary(pose_from_text(from, fmt::format("--from-{}", option)));
    if (!to.empty()) motion.end = pose_from_text(to, fmt::format("--to-{}", option));
    return motion;
}

struct SweepQuery {
    const SweptBody &a, &b;
    Motion motion_a, motion_b;
    point_field::ShellSweepOptions options;
};

point_field::PairSweep run_query(const SweepQuery& q, double level_a, double level_b) {
    // The level in the field of A applies to the points of B, and vice versa.
    const SegmentCaster in_a(q.a.field, {.level = level_b}), in_b(q.b.field, {.level = level_a});
    point_field::PairSweep result;
    point_field::sweep_pair({q.a.shell ? &*q.a.shell : nullptr, &in_a}, q.motion_a,
                            {q.b.shell ? &*q.b.shell : nullptr, &in_b}, q.motion_b, result, q.options);
    return result;
}

// Union of the contact intervals of all points of both bodies.
std::vector<ContactInterval> merged_intervals(const point_field::PairSweep& sweep) {
    std::vector<ContactInterval> all;
    for (const point_field::ShellSweepResult* role : {&sweep.a_in_b, &sweep.b_in_a})
        for (const point_field::PointContact& contact : role->contacts) all.push_back(contact.time);
    std::sort(all.begin(), all.end(), [](const auto& x, const auto& y) { return x.start < y.start; });
    std::vector<ContactInterval> joined;
    for (const ContactInterval& next : all) {
        if (joined.empty() || next.start > joined.back().end) {
            joined.push_back(next);
        } else {
            joined.back().end = std::max(joined.back().end, next.end);
            joined.back().proven |= next.proven;
        }
    }
    return joined;
}

std::string method_text(const SweepQuery& q) {
    return fmt::format("points of each body in the field of the other, bounding sphere trees, {} paths",
                       q.options.path == Path::screw ? "screw" : "straight");
}

// Error bound of the result (m): the error of the fields and, on screw paths, the chord error of the interval ends.
double error_bound(const SweepQuery& q, const point_field::PairSweep& sweep) {
    return std::max(q.a.field_error, q.b.field_error) + std::max(sweep.a_in_b.error_bound, sweep.b_in_a.error_bound);
}

Json contacts_json(const point_field::ShellSweepResult& role) {
    Json list = Json::array();
    for (const point_field::PointContact& c : role.contacts)
        list.push_back({{"point", c.point}, {"start", c.time.start}, {"end", c.time.end}, {"proven", c.time.proven}});
    return list;
}

Json to_json(const SweepQuery& q, const point_field::PairSweep& sweep, Status status, bool per_point) {
    Json text = {{"status", status_text(status)},
                 {"time", nullptr},
                 {"time_error", nullptr},
                 {"point", nullptr},
                 {"normal", nullptr}};
    if (sweep.first.status != Status::disjoint) {
        text["time"] = sweep.first.time;
        text["time_error"] = sweep.first.error;
        text["point"] = as_json(sweep.first.position);
        text["normal"] = as_json(sweep.first.normal);
        text["point_of"] = sweep.point_of_a ? "a" : "b";
        text["point_id"] = sweep.first.point;
        text["cell"] = sweep.first.cell.empty() ? Json(nullptr) : as_json(sweep.first.cell);
    }
    text["intervals"] = Json::array();
    for (const ContactInterval& i : merged_intervals(sweep)) text["intervals"].push_back({i.start, i.end});
    text["method"] = method_text(q);
    text["error_bound"] = finite_or_null(error_bound(q, sweep));
    text["points_a"] = q.a.shell ? q.a.shell->points.size() : 0;
    text["points_b"] = q.b.shell ? q.b.shell->points.size() : 0;
    text["sampling_gap_a"] = finite_or_null(q.a.sampling_gap);
    text["sampling_gap_b"] = finite_or_null(q.b.sampling_gap);
    if (per_point) {
        text["contacts_a"] = contacts_json(sweep.a_in_b);
        text["contacts_b"] = contacts_json(sweep.b_in_a);
    }
    return text;
}

void print(const SweepQuery& q, const point_field::PairSweep& sweep, Status status, const SweepArguments& arguments) {
    fmt::print("{}\n", status_text(status));
    if (sweep.first.status != Status::disjoint) {
        fmt::print("  time       {:.9g}\n", sweep.first.time);
        fmt::print("  point      {} m (point {} of {})\n", vector_text(sweep.first.position), sweep.first.point,
                   sweep.point_of_a ? "A" : "B");
        fmt::print("  normal     {} from A to B\n", vector_text(sweep.first.normal));
        std::string intervals;
        for (const ContactInterval& i : merged_intervals(sweep))
            intervals += fmt::format(" [{:.6g}, {:.6g}]{}", i.start, i.end, i.proven ? "" : " (not proven)");
        fmt::print("  in contact{}\n", intervals);
    }
    fmt::print("  method     {}; {} points of A, {} of B\n", method_text(q),
               q.a.shell ? with_commas(q.a.shell->points.size()) : "no",
               q.b.shell ? with_commas(q.b.shell->points.size()) : "no");
    fmt::print("  error      at most {:.3g} m\n", error_bound(q, sweep));
    if (!arguments.per_point) return;
    for (const auto& [name, role] : {std::pair("A", &sweep.a_in_b), std::pair("B", &sweep.b_in_a)})
        for (const point_field::PointContact& c : role->contacts)
            fmt::print("  point {} of {}: [{:.9g}, {:.9g}]{}\n", c.point, name, c.time.start, c.time.end,
                       c.time.proven ? "" : " not proven");
}

// Status for the surfaces. The sweep tests points, so its "disjoint" holds for the points only. Spheres around the
// points, with the sampling gap as radius, cover the surfaces: if the spheres are disjoint as well, so are the bodies.
Status proven_status(const SweepQuery& q, const point_field::PairSweep& sweep, double radius) {
    if (sweep.first.status != Status::disjoint) return sweep.first.status;
    const auto level = [&](const SweptBody& points, const SweptBody& field) {
        if (!points.shell) return radius; // no points in this role
        if (!std::isfinite(points.sampling_gap))
            throw Error(Cause::invalid_argument, "--proof requires meshes with their vertices as points; otherwise the "
                                                 "sampling gap is unknown");
        return radius + points.sampling_gap + field.field_error;
    };
    const bool clear = run_query(q, level(q.a, q.b), level(q.b, q.a)).first.status == Status::disjoint;
    return clear ? Status::disjoint : Status::undecided;
}

// Writes a page with the moving bodies, their contact intervals, and the bounding spheres of their points.
void write_page(const SweepQuery& q, const point_field::PairSweep& sweep, const std::string& file) {
    SweptView view{.a = q.a.viewer_body,
                   .b = q.b.viewer_body,
                   .motion_a = q.motion_a,
                   .motion_b = q.motion_b,
                   .intervals = merged_intervals(sweep)};
    if (sweep.first.status != Status::disjoint) {
        view.first_time = sweep.first.time;
        view.first = {sweep.first.position, sweep.first.normal, 0, {0, 1}};
    }
    ViewerDocument document = sweep_document(q.a.viewer_body.name + " and " + q.b.viewer_body.name, std::move(view));
    for (const Index k : {0u, 1u}) {
        const SweptBody& body = k == 0 ? q.a : q.b;
        if (!body.shell) continue;
        document.layers.push_back(spheres_layer(body.shell->tree));
        document.layers.back().name = fmt::format("bounding spheres of {}", body.viewer_body.name);
        document.layers.back().body = k;
    }
    write_viewer_html(file, std::move(document));
}

void run_sweep(const SweepArguments& arguments, Session& session) {
    const Motion motion_a = parse_motion(arguments.from_a, arguments.to_a, "a"),
                 motion_b = parse_motion(arguments.from_b, arguments.to_b, "b");
    const SweptBody a = open_body(arguments.a, arguments, session), b = open_body(arguments.b, arguments, session);
    if (!a.shell && !b.shell)
        throw Error(Cause::invalid_argument, "both bodies are unbounded, so there are no surface points to test");
    const SweepQuery q{
        a,
        b,
        motion_a,
        motion_b,
        {.goal = SweepGoal::all, .path = arguments.screw ? Path::screw : Path::straight, .bend = arguments.bend}};
    const point_field::PairSweep sweep = run_query(q, arguments.radius, arguments.radius);
    const Status status = arguments.proof ? proven_status(q, sweep, arguments.radius) : sweep.first.status;
    if (!arguments.html.empty()) write_page(q, sweep, arguments.html);
    if (arguments.json) return fmt::print("{}\n", to_json(q, sweep, status, arguments.per_point).dump(2));
    print(q, sweep, status, arguments);
    if (!arguments.html.empty()) fmt::print("  page       {}\n", arguments.html);
}

} // namespace

void add_sweep(CLI::App& program, Session& session) {
    const auto o = std::make_shared<SweepArguments>();
    CLI::App* command = program.add_subcommand("sweep", "Time of impact and contact intervals of two moving bodies");
    command->footer(R"~(Examples:
  fathom sweep bunny.obj bunny.obj --from-a 0,0,3 --to-a 0,0,-3 --html sweep.html
  fathom sweep torus "box(2, 2, 0.02)" --from-a 0,0,1 --to-a 0,0,-1,0.924,0.383,0,0 --screw --json

A POSE is x,y,z or x,y,z,qw,qx,qy,qz (m, unit quaternion). A body without --to-a or --to-b is stationary. Points of
each body are tested in the field of the other. Times run from 0 to 1. "disjoint" holds for the points; with --proof it
holds for the surfaces.)~");
    command->add_option("A", o->a, field_help)->required();
    command->add_option("B", o->b, field_help)->required();
    command->add_option("--from-a", o->from_a, "POSE of A at time 0")->capture_default_str();
    command->add_option("--to-a", o->to_a, "POSE of A at time 1");
    command->add_option("--from-b", o->from_b, "POSE of B at time 0")->capture_default_str();
    command->add_option("--to-b", o->to_b, "POSE of B at time 1");
    command->add_flag("--screw", o->screw, "Rigid screw motion; otherwise each point moves on a straight line");
    command
        ->add_option("--bend", o->bend, "With --screw: tolerance of the interval ends along the path (m; 0: automatic)")
        ->check(at_least_zero());
    command->add_option("--radius", o->radius, "Treat points as spheres of this radius (m)");
    command
        ->add_option("--points", o->points, "Number of evenly spaced points on each surface, instead of its vertices")
        ->check(CLI::Range(std::size_t{1}, std::size_t{100000000}));
    command->add_option("-r,--resolution", o->resolution, "For meshes: grid cells along the longest side")
        ->capture_default_str()
        ->check(CLI::Range(8, 16384));
    command->add_flag("--exact", o->exact, "For meshes: exact distances from the triangles instead of a grid (slow)");
    command->add_flag("--proof", o->proof,
                      "Report \"disjoint\" only if it is proven for the surfaces, not only for the points");
    command->add_flag("--per-point", o->per_point, "Also report the contact intervals of every point");
    command->add_option("--html", o->html, html_help);
    command->add_flag("--json", o->json, "Print JSON");
    command->callback([o, &session] { run_sweep(*o, session); });
}

} // namespace fathom::tool
