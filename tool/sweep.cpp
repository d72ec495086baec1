// fathom sweep: two moving bodies. Reports the time of impact, the first contact and the contact intervals.
#include <tool/arguments.h>
#include <tool/commands.h>
#include <tool/output.h>
#include <tool/pair_query.h>

#include <fathom/base/error.h>
#include <fathom/base/motion.h>
#include <fathom/show/viewer_file.h>
#include <fathom/show/viewer_sources.h>

#include <fmt/format.h>

#include <memory>

namespace fathom::tool {

namespace {

struct SweepArguments : PairArguments {
    std::string from_a = "0,0,0", from_b = "0,0,0", to_a, to_b; // without an end pose a body is stationary
    std::string path = "screw";
    double margin = 0, tolerance = SweepOptions{}.tolerance, resolution = SweepOptions{}.resolution;
    bool first_only = false;
};

Motion parse_motion(const std::string& from, const std::string& to, const char* letter) {
    const Pose start = pose_from_text(from, fmt::format("--from-{}", letter));
    return {start, to.empty() ? start : pose_from_text(to, fmt::format("--to-{}", letter))};
}

void print(const NamedShape& a, const NamedShape& b, const SweepResult& result) {
    print_head(result.status, result.proven, result.note, a, b);
    if (result.status != Status::disjoint)
        fmt::print("  time       {:.9g}{}\n", result.time,
                   result.status == Status::overlapping
                       ? fmt::format(": contact in [{:.9g}, {:.9g}]", result.time, result.time + result.error)
                       : std::string(": no contact is possible before it"));
    if (result.status == Status::overlapping)
        fmt::print("  contact    {} m\n  normal     {} from A to B\n", vector_text(result.point),
                   vector_text(result.normal));
    for (const ContactInterval& i : result.intervals)
        fmt::print("  in contact [{:.9g}, {:.9g}]{}\n", i.start, i.end, i.proven ? "" : ", not proven");
    if (result.budget_exhausted) fmt::print("  (the limit on evaluations was reached; see --effort)\n");
    print_method(result.method, result.intervals.empty() ? Question::sweep_first : Question::sweep_all, a, b);
    print_error(result.error_bound, a, b);
}

// Writes a page with the moving bodies and their contact intervals.
void write_page(const NamedShape& a, const NamedShape& b, const Motion& motion_a, const Motion& motion_b,
                const SweepResult& result, const std::string& file) {
    SweptView view{.a = a.viewer_body,
                   .b = b.viewer_body,
                   .motion_a = motion_a,
                   .motion_b = motion_b,
                   .intervals = result.intervals};
    if (result.status != Status::disjoint) {
        view.first_time = result.time;
        view.first = {.a = 0, .b = 1, .position = result.point, .normal = result.normal};
    }
    write_viewer_html(file, sweep_document(a.viewer_body.name + " and " + b.viewer_body.name, std::move(view)));
}

void run_sweep(const SweepArguments& arguments, Session& session) {
    const Motion motion_a = parse_motion(arguments.from_a, arguments.to_a, "a"),
                 motion_b = parse_motion(arguments.from_b, arguments.to_b, "b");
    const NamedShape a = open_shape(arguments.a, arguments, session), b = open_shape(arguments.b, arguments, session);
    const SweepResult result = sweep(a.shape, motion_a, b.shape, motion_b,
                                     {.goal = arguments.first_only ? SweepGoal::first : SweepGoal::all,
                                      .method = method_from_text(arguments.method),
                                      .path = arguments.path == "screw" ? Path::screw : Path::straight,
                                      .tolerance = arguments.tolerance,
                                      .resolution = arguments.resolution,
                                      .margin = arguments.margin,
                                      .effort = arguments.effort});
    if (!arguments.html.empty()) write_page(a, b, motion_a, motion_b, result, arguments.html);
    if (arguments.json) {
        Json json = to_json(result);
        add_interiors(json, a, b);
        return fmt::print("{}\n", json.dump(2));
    }
    print(a, b, result);
    if (!arguments.html.empty()) fmt::print("  page       {}\n", arguments.html);
}

} // namespace

void add_sweep(const Command& program, Session& session) {
    const auto o = std::make_shared<SweepArguments>();
    const Command command = program.add_command("sweep", "Time of impact and contact intervals of two moving bodies");
    command.footer(R"~(Examples:
  fathom sweep bunny.obj bunny.obj --from-a 0,0,3 --to-a 0,0,-3 --html sweep.html
  fathom sweep torus "box(2, 2, 0.02)" --from-a 0,0,1 --to-a 0,0,-1,0.924,0.383,0,0 --json
  fathom sweep bunny.obj torus --from-a 0,0,3 --to-a 0,0,-3 --method point_field --path straight

A POSE is x,y,z or x,y,z,qw,qx,qy,qz (m, unit quaternion). A body without --to-a or --to-b is stationary. Bodies move
on screws; time runs from 0 to 1. The time is a lower bound on the time of impact, and contact is found within the
stated interval. "disjoint" is proven.)~");
    add_pair_options(command, *o);
    command.add_option("--from-a", o->from_a, "POSE of A at time 0").show_default();
    command.add_option("--to-a", o->to_a, "POSE of A at time 1");
    command.add_option("--from-b", o->from_b, "POSE of B at time 0").show_default();
    command.add_option("--to-b", o->to_b, "POSE of B at time 1");
    command
        .add_option("--path", o->path,
                    "screw: rigid motion; straight: each point moves on its own line (method point_field)")
        .check(one_of({"screw", "straight"}))
        .show_default();
    command.add_flag("--first", o->first_only, "Find only the time of impact, not all contact intervals (faster)");
    command.add_option("--margin", o->margin, "Bodies closer than this count as touching (m)").check(at_least_zero());
    command.add_option("--tolerance", o->tolerance, "Of the ends of contact intervals (time)")
        .check(above_zero())
        .show_default();
    command.add_option("--resolution", o->resolution, "Separations shorter than this may be missed (time)")
        .check(above_zero());
    command.run([o, &session] { run_sweep(*o, session); });
}

} // namespace fathom::tool
