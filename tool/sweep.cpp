// fathom sweep: two bodies on their way: whether, when and where they touch, and in which pieces of time.
#include <tool/drawn_source.h>
#include <tool/json_values.h>
#include <tool/number_checks.h>
#include <tool/pose_text.h>
#include <tool/terminal.h>
#include <tool/verbs.h>
#include <tool/verdict_text.h>

#include <fathom/base/error.h>
#include <fathom/detect/shell_sweep.h>
#include <fathom/field/grid/contour.h>
#include <fathom/geometry/point_shell.h>
#include <fathom/show/viewer_page.h>
#include <fathom/show/viewer_sources.h>
#include <fathom/show/viewer_sweep.h>

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
    std::string from_a = "0,0,0", from_b = "0,0,0", to_a, to_b; // no end: stays where it starts
    std::string html;                                           // none: none
    int resolution = 256;
    std::size_t points = 0;
    double radius = 0, bend = 0;
    bool screw = false, exact = false, proof = false, per_point = false, json = false;
};

// A body as the sweep wants it: its field, points on its surface, and how well they cover it.
struct SweptBody {
    FieldPtr field;
    std::optional<SweepShell> shell;                      // none where the surface has no end
    double gap = std::numeric_limits<double>::infinity(); // no place of the surface is farther than this from a point
                                                          // (m); infinity: not known
    double field_error = 0;                               // near the surface (m)
    ViewerBody drawn{};                                   // for --html
};

// A triangle lies within this of its corners.
double corner_gap(const TriangleMesh& mesh) {
    double longest = 0;
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
        const auto c = mesh.corners(t);
        longest = std::max({longest, (c[1] - c[0]).norm(), (c[2] - c[1]).norm(), (c[0] - c[2]).norm()});
    }
    return longest / std::sqrt(3.0);
}

std::vector<Vec3> points_of(const TriangleMesh& mesh, std::size_t count) {
    return count > 0 ? repelled_shell(mesh, {.count = count}).points : vertex_shell(mesh).points;
}

// Corners of the field's own surface mesh, moved onto its zero by a few Newton steps.
std::vector<Vec3> points_of(const Field& field, const FieldSource& source, const SweepArguments& arguments) {
    const Box box = field.bounds();
    const TriangleMesh mesh =
        source.grid ? contour(*source.grid)
                    : contour(field, box.grown(0.05 * box.size().maxCoeff()), std::min(arguments.resolution, 96));
    std::vector<Vec3> points = points_of(mesh, arguments.points);
    for (Vec3& p : points)
        for (int step = 0; step < 4; ++step) {
            const Sample s = field.sample(p);
            if (s.gradient.squaredNorm() > 1e-12) p -= s.distance / s.gradient.squaredNorm() * s.gradient;
        }
    return points;
}

SweptBody body_of(const std::string& text, const SweepArguments& arguments, Session& session) {
    FieldSource source = open_field(text);
    SweptBody body;
    if (!arguments.exact) mesh_to_grid(source, arguments.resolution, session.progress());
    body.field = field_of(source);
    body.field_error = source.grid ? source.grid->near_error_bound() : body.field->error_bound();
    if (source.mesh) {
        body.shell.emplace(points_of(*source.mesh, arguments.points));
        if (arguments.points == 0) body.gap = corner_gap(*source.mesh);
    } else if (is_finite(body.field->bounds().size())) {
        body.shell.emplace(points_of(*body.field, source, arguments));
    }
    if (!arguments.html.empty())
        body.drawn = drawn_body(text, source, std::min(arguments.resolution, 128), session.progress());
    return body;
}

Motion motion_of(const std::string& from, const std::string& to, const char* option) {
    Motion motion = Motion::still(pose_from_text(from, fmt::format("--from-{}", option)));
    if (!to.empty()) motion.end = pose_from_text(to, fmt::format("--to-{}", option));
    return motion;
}

struct Question {
    const SweptBody &a, &b;
    Motion motion_a, motion_b;
    SweepOptions options;
};

PairSweep answer(const Question& q, double level_a, double level_b) {
    // The level in A's field is for B's points, and the other way round.
    const SegmentCaster in_a(q.a.field, {.level = level_b}), in_b(q.b.field, {.level = level_a});
    PairSweep result;
    sweep_pair({q.a.shell ? &*q.a.shell : nullptr, &in_a}, q.motion_a, {q.b.shell ? &*q.b.shell : nullptr, &in_b},
               q.motion_b, result, q.options);
    return result;
}

// Pieces of time in which any point of either body is in contact.
std::vector<ContactInterval> united(const PairSweep& sweep) {
    std::vector<ContactInterval> all;
    for (const SweepResult* role : {&sweep.a_in_b, &sweep.b_in_a})
        for (const PointContact& contact : role->contacts) all.push_back(contact.time);
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

std::string method_of(const Question& q) {
    return fmt::format("point shells through sphere trees, both roles, {} paths",
                       q.options.path == Path::screw ? "screw" : "straight");
}

// What keeps the answer from being exact: the fields, and on screws the way that ends of intervals may be off by (m).
double error_of(const Question& q, const PairSweep& sweep) {
    return std::max(q.a.field_error, q.b.field_error) + std::max(sweep.a_in_b.error_bound, sweep.b_in_a.error_bound);
}

Json contacts_json(const SweepResult& role) {
    Json list = Json::array();
    for (const PointContact& c : role.contacts)
        list.push_back({{"point", c.point}, {"start", c.time.start}, {"end", c.time.end}, {"proven", c.time.proven}});
    return list;
}

Json to_json(const Question& q, const PairSweep& sweep, Verdict verdict, bool per_point) {
    Json text = {
        {"status", word(verdict)}, {"time", nullptr}, {"time_error", nullptr}, {"point", nullptr}, {"normal", nullptr}};
    if (sweep.first.verdict != Verdict::disjoint) {
        text["time"] = sweep.first.time;
        text["time_error"] = sweep.first.error;
        text["point"] = as_json(sweep.first.position);
        text["normal"] = as_json(sweep.first.normal);
        text["point_of"] = sweep.point_of_a ? "a" : "b";
        text["point_id"] = sweep.first.point;
        text["cell"] = sweep.first.cell.empty() ? Json(nullptr) : as_json(sweep.first.cell);
    }
    text["intervals"] = Json::array();
    for (const ContactInterval& i : united(sweep)) text["intervals"].push_back({i.start, i.end});
    text["method"] = method_of(q);
    text["error_bound"] = bound(error_of(q, sweep));
    text["points_a"] = q.a.shell ? q.a.shell->points.size() : 0;
    text["points_b"] = q.b.shell ? q.b.shell->points.size() : 0;
    text["sampling_gap_a"] = bound(q.a.gap);
    text["sampling_gap_b"] = bound(q.b.gap);
    if (per_point) {
        text["contacts_a"] = contacts_json(sweep.a_in_b);
        text["contacts_b"] = contacts_json(sweep.b_in_a);
    }
    return text;
}

void print(const Question& q, const PairSweep& sweep, Verdict verdict, const SweepArguments& arguments) {
    fmt::print("{}\n", word(verdict));
    if (sweep.first.verdict != Verdict::disjoint) {
        fmt::print("  time       {:.9g}\n", sweep.first.time);
        fmt::print("  point      {} m (number {} of {})\n", shown(sweep.first.position), sweep.first.point,
                   sweep.point_of_a ? "A" : "B");
        fmt::print("  normal     {} from A to B\n", shown(sweep.first.normal));
        std::string pieces;
        for (const ContactInterval& i : united(sweep))
            pieces += fmt::format(" [{:.6g}, {:.6g}]{}", i.start, i.end, i.proven ? "" : "?");
        fmt::print("  in contact{}\n", pieces);
    }
    fmt::print("  method     {}; {} points of A, {} of B\n", method_of(q),
               q.a.shell ? with_commas(q.a.shell->points.size()) : "no",
               q.b.shell ? with_commas(q.b.shell->points.size()) : "no");
    fmt::print("  error      {:.3g} m\n", error_of(q, sweep));
    if (!arguments.per_point) return;
    for (const auto& [name, role] : {std::pair("A", &sweep.a_in_b), std::pair("B", &sweep.b_in_a)})
        for (const PointContact& c : role->contacts)
            fmt::print("  point {} of {}: [{:.9g}, {:.9g}]{}\n", c.point, name, c.time.start, c.time.end,
                       c.time.proven ? "" : " not proven");
}

// Points are tested, so "disjoint" speaks of points. Balls as large as the gaps between them cover the surfaces: where
// those stay clear too, so do the bodies.
Verdict proven_verdict(const Question& q, const PairSweep& sweep, double radius) {
    if (sweep.first.verdict != Verdict::disjoint) return sweep.first.verdict;
    const auto level = [&](const SweptBody& points, const SweptBody& field) {
        if (!points.shell) return radius; // nothing of this role
        if (!std::isfinite(points.gap))
            throw Error(Cause::invalid_argument, "--proof needs meshes, and their vertices as points: without them "
                                                 "nobody knows how far apart the points are");
        return radius + points.gap + field.field_error;
    };
    const bool clear = answer(q, level(q.a, q.b), level(q.b, q.a)).first.verdict == Verdict::disjoint;
    return clear ? Verdict::disjoint : Verdict::undecided;
}

// The bodies on their way, when they touch, and the spheres nested over their points.
void write_page(const Question& q, const PairSweep& sweep, const std::string& file) {
    SweptView view{
        .a = q.a.drawn, .b = q.b.drawn, .motion_a = q.motion_a, .motion_b = q.motion_b, .intervals = united(sweep)};
    if (sweep.first.verdict != Verdict::disjoint) {
        view.first_time = sweep.first.time;
        view.first = {sweep.first.position, sweep.first.normal, 0, {0, 1}};
    }
    ViewerDocument document = sweep_document(q.a.drawn.name + " and " + q.b.drawn.name, std::move(view));
    for (const Index k : {0u, 1u}) {
        const SweptBody& body = k == 0 ? q.a : q.b;
        if (!body.shell) continue;
        document.layers.push_back(spheres_layer(body.shell->tree));
        document.layers.back().name = fmt::format("spheres of {}", body.drawn.name);
        document.layers.back().body = k;
    }
    write_viewer_html(file, std::move(document));
}

void run_sweep(const SweepArguments& arguments, Session& session) {
    const Motion motion_a = motion_of(arguments.from_a, arguments.to_a, "a"),
                 motion_b = motion_of(arguments.from_b, arguments.to_b, "b");
    const SweptBody a = body_of(arguments.a, arguments, session), b = body_of(arguments.b, arguments, session);
    if (!a.shell && !b.shell)
        throw Error(Cause::invalid_argument, "neither body has a surface with an end, so there are no points to test");
    const Question q{
        a,
        b,
        motion_a,
        motion_b,
        {.goal = SweepGoal::all, .path = arguments.screw ? Path::screw : Path::straight, .bend = arguments.bend}};
    const PairSweep sweep = answer(q, arguments.radius, arguments.radius);
    const Verdict verdict = arguments.proof ? proven_verdict(q, sweep, arguments.radius) : sweep.first.verdict;
    if (!arguments.html.empty()) write_page(q, sweep, arguments.html);
    if (arguments.json) return fmt::print("{}\n", to_json(q, sweep, verdict, arguments.per_point).dump(2));
    print(q, sweep, verdict, arguments);
    if (!arguments.html.empty()) fmt::print("  page       {}\n", arguments.html);
}

} // namespace

void add_sweep(CLI::App& program, Session& session) {
    const auto o = std::make_shared<SweepArguments>();
    CLI::App* verb = program.add_subcommand("sweep", "Two moving bodies: whether, when and where they touch");
    verb->footer(R"~(Examples:
  fathom sweep bunny.obj bunny.obj --from-a 0,0,3 --to-a 0,0,-3 --html sweep.html
  fathom sweep torus "box(2, 2, 0.02)" --from-a 0,0,1 --to-a 0,0,-1,0.924,0.383,0,0 --screw --json

A POSE is x,y,z or x,y,z,qw,qx,qy,qz (m, unit quaternion); a body without a --to stays where it starts. Points of each body are
tested in the field of the other. Times run from 0 to 1. "disjoint" speaks of the points; --proof of the surfaces.)~");
    verb->add_option("A", o->a, field_help)->required();
    verb->add_option("B", o->b, field_help)->required();
    verb->add_option("--from-a", o->from_a, "POSE of A at time 0")->capture_default_str();
    verb->add_option("--to-a", o->to_a, "POSE of A at time 1");
    verb->add_option("--from-b", o->from_b, "POSE of B at time 0")->capture_default_str();
    verb->add_option("--to-b", o->to_b, "POSE of B at time 1");
    verb->add_flag("--screw", o->screw, "True rigid motion; otherwise each point moves on a straight line");
    verb->add_option("--bend", o->bend, "With --screw: way that the ends of intervals may be off by (m; 0: chosen)")
        ->check(at_least_zero());
    verb->add_option("--radius", o->radius, "Points are balls of this radius (m)");
    verb->add_option("--points", o->points, "Even points on each surface instead of its vertices")
        ->check(CLI::Range(std::size_t{1}, std::size_t{100000000}));
    verb->add_option("-r,--resolution", o->resolution, "Cells of the grid of a mesh, along its longest side")
        ->capture_default_str()
        ->check(CLI::Range(8, 16384));
    verb->add_flag("--exact", o->exact, "Distances of meshes from their triangles instead of a grid (slow)");
    verb->add_flag("--proof", o->proof, "Say disjoint only where the surfaces are, not only the points");
    verb->add_flag("--per-point", o->per_point, "The intervals of every point");
    verb->add_option("--html", o->html, html_help);
    verb->add_flag("--json", o->json, "As JSON");
    verb->callback([o, &session] { run_sweep(*o, session); });
}

} // namespace fathom::tool
