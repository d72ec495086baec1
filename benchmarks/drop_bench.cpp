// Tables `ccd/drops` (Xu & Barbic 2014, table 4): bodies dropped onto their like, time in detection point by point and
// with the tree; and `ccd/stability` (section 5, fourth experiment): how large a step may be. One thread.
#include <benchmarks/report.h>
#include <fathom/base/motion.h>
#include <fathom/base/parallel.h>
#include <fathom/baseline/octree_traversal.h>
#include <fathom/baseline/stability.h>
#include <fathom/field/analytic/analytic_field.h>
#include <fathom/field/analytic/primitives.h>
#include <fathom/geometry/generate/generate.h>
#include <fathom/geometry/io/mesh_file.h>
#include <fathom/geometry/mesh/mass_properties.h>
#include <fathom/show/recording_picture.h>
#include <fathom/simulate/rigid/rigid_world.h>

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <tuple>

namespace fathom::bench {

namespace {

struct Drop {
    std::string name;
    BodyShapePtr shape;
    std::size_t frames;
    double height;                   // of the falling body's centre above that of the fixed one (m)
    std::size_t stride;              // point by point: every n-th frame
    double paper_linear, paper_tree; // seconds for all frames
};

// Its longest side a metre, its centre of mass in the origin, z up.
TriangleMesh normalised(TriangleMesh mesh, bool y_up) {
    if (y_up) mesh = mapped(std::move(mesh), [](const Vec3& v) { return Vec3(v.x(), -v.z(), v.y()); });
    const double scale = 1 / bounds(mesh.vertices).size().maxCoeff();
    const Vec3 center = mass_properties(mesh).center;
    return mapped(std::move(mesh), [&](const Vec3& v) { return Vec3(scale * (v - center)); });
}

BodyShapePtr shape_of(const TriangleMesh& mesh, std::size_t points) {
    return make_body_shape(mesh, {.grid = {.resolution = 1024}, .points = points, .cached = true});
}

RigidWorld world_of(const Drop& drop) {
    RigidWorld world;
    Body body{.shape = drop.shape, .name = drop.name};
    const double share = drop.shape->mass.area / static_cast<double>(drop.shape->points().size());
    body.stiffness = 1e10 * share;
    body.damping = 5e6 * share;
    const double low = -bounds(drop.shape->mesh().vertices).lower.z();
    body.pose = Pose::from_translation({0, 0, low});
    body.fixed = true;
    world.add(body);
    body.fixed = false;
    body.pose = Pose::from_axis_angle(0.25, Vec3(1, 1, 0).normalized(), {0.05, 0.02, low + drop.height});
    world.add(body);
    world.add({.shape = make_body_shape(Shape::half_space({0, 0, 1}, 0)), .name = "ground", .fixed = true});
    return world;
}

// The motions of all frames, so that every method meets the same, and what a whole step cost.
struct Frames {
    std::vector<std::array<Motion, 2>> motions;
    std::vector<double> step_seconds; // CPU, sorted
    std::size_t touching = 0;
    double deepest = 0;
};

Frames simulated(const Drop& drop) {
    Frames frames;
    RigidWorld world = world_of(drop);
    for (std::size_t k = 0; k < drop.frames; ++k) {
        const std::function<void()> step[] = {[&] { world.step(); }};
        frames.step_seconds.push_back(race(step, 1)[0]);
        frames.motions.push_back({world.swept()[0].motion, world.swept()[1].motion});
        frames.touching += world.report().contacts > 0 ? 1 : 0;
        frames.deepest = std::max(frames.deepest, world.report().deepest_now);
    }
    std::sort(frames.step_seconds.begin(), frames.step_seconds.end());
    return frames;
}

struct Measured {
    double seconds = 0; // a frame
    std::size_t contacts = 0;
};

using SweepResult = std::function<std::size_t(const Motion& shell, const Motion& field)>; // returns contacts

// Both roles of every `stride`-th frame.
Measured measured(const Frames& frames, std::size_t stride, int rounds, const SweepResult& one) {
    Measured result;
    std::size_t count = 0;
    const std::function<void()> work[] = {[&] {
        result.contacts = count = 0;
        for (std::size_t k = stride / 2; k < frames.motions.size(); k += stride, ++count)
            for (const std::size_t role : {0, 1})
                result.contacts += one(frames.motions[k][role], frames.motions[k][1 - role]);
    }};
    result.seconds = race(work, rounds)[0] / static_cast<double>(count);
    return result;
}

SweepResult point_by_point(const Drop& drop,
                           const std::function<void(const Segment&, std::vector<ContactInterval>&)>& cast) {
    return [&drop, cast](const Motion& shell, const Motion& field) {
        static std::vector<ContactInterval> out;
        out.clear();
        const RelativeMotion motion(shell, field, Path::straight);
        for (const Vec3& p : drop.shape->points()) cast(motion.chord(p), out);
        return out.size();
    };
}

void drop_rows(Report& report, const Drop& drop) {
    const Frames frames = simulated(drop);
    const auto& field = static_cast<const GridField&>(*drop.shape->solid().field());
    const Measured octree =
        measured(frames, drop.stride, 1, point_by_point(drop, [&](const Segment& s, std::vector<ContactInterval>& out) {
                     const point_field::GridPath path = point_field::grid_path(field.layout(), s);
                     if (path.begin <= path.end) octree_intervals(field, path, 0, CellTest::paper, out);
                 }));
    const Measured walk =
        measured(frames, drop.stride, 1, point_by_point(drop, [&](const Segment& s, std::vector<ContactInterval>& out) {
                     drop.shape->solid().caster().all(s, out);
                 }));
    point_field::ShellSweepResult buffer;
    const SweepResult by_tree = [&](const Motion& shell, const Motion& other) {
        sweep(drop.shape->shell->points(), shell, drop.shape->solid().caster(), other, buffer);
        return buffer.contacts.size();
    };
    const Measured same = measured(frames, drop.stride, 3, by_tree), tree = measured(frames, 1, 3, by_tree);
    const std::string sample = drop.stride > 1 ? fmt::format(", every {}th frame", drop.stride) : "";
    const bool dragon = drop.name == "dragon";
    const auto add = [&](const std::string& id, const std::string& work, double ours, const std::string& peer,
                         double theirs, const std::string& error) {
        report.add({id, fmt::format("{}, {} points: {}", drop.name, drop.shape->points().size(), work), "ms/frame",
                    1e3 * ours, peer, 1e3 * theirs, ratio(ours, theirs), error, 0});
    };
    const std::string equal =
        same.contacts == walk.contacts ? fmt::format("the same {} contacts", walk.contacts) : "UNLIKE point by point";
    add(dragon ? "shell-tree-drop" : fmt::format("shell-tree-drop-{}", drop.name), "both roles, tree, all frames",
        tree.seconds, "octree walk, point by point" + sample, octree.seconds,
        fmt::format("{}; the paper's test {}", equal, octree.contacts));
    add(fmt::format("shell-tree-drop-own-{}", drop.name), "both roles, tree" + sample, same.seconds,
        "our walk, point by point", walk.seconds, equal);
    const auto at = [&](double share) {
        return 1e3 *
               frames
                   .step_seconds[static_cast<std::size_t>(share * static_cast<double>(frames.step_seconds.size() - 1))];
    };
    report.add({fmt::format("drop-step-{}", drop.name),
                fmt::format("{}: a whole step, contact forces and ground included, p99", drop.name), "ms", at(0.99),
                "1 ms, for haptics", 1, 1 / at(0.99),
                fmt::format("p50 {:.3f}, max {:.3f} ms; {} of {} steps touch, {:.1f} mm deep at most", at(0.5), at(1),
                            frames.touching, drop.frames, 1e3 * frames.deepest),
                0});
    report.note(fmt::format("{}: {:.2f} s in detection for {} frames with the tree, {:.1f} s with the octree walk; the "
                            "paper's machine: {} and {} s ({:.0f} x)",
                            drop.name, static_cast<double>(drop.frames) * tree.seconds, drop.frames,
                            static_cast<double>(drop.frames) * octree.seconds, drop.paper_tree, drop.paper_linear,
                            drop.paper_linear / drop.paper_tree));
}

void run_drops(Report& report) {
    set_thread_count(1);
    drop_rows(report,
              {"bunny", shape_of(normalised(read_mesh(model("bunny.obj")).surface, true), 777), 2600, 1.1, 5, 8, 2.5});
    drop_rows(report, {"bowl", shape_of(normalised(make_bowl(), false), 2072), 2000, 0.6, 10, 20.3, 4.5});
    drop_rows(report, {"dragon", shape_of(normalised(read_mesh(model("dragon.ply.gz")).surface, true), 0), 1160, 0.9,
                       10, 671.6, 2.6});
    set_thread_count(0);
}

// Energy and penetration over time at the continuous method's largest stable step: it, and discrete contact as stiff
// and softened.
void plot_stability(const std::filesystem::path& folder, const StabilityScene& scene, const StabilityReport& r) {
    RigidOptions options = scene.scene().options;
    options.step = r.continuous_step;
    Recording continuous, discrete, soft;
    options.mode = ContactMode::continuous;
    options.span = ContactSpan::coming;
    std::ignore = scene.run(options, 1, &continuous);
    options.mode = ContactMode::discrete;
    std::ignore = scene.run(options, 1, &discrete);
    std::ignore = scene.run(options, r.softness, &soft);
    const std::string step = fmt::format(" at {:.1f} ms", 1e3 * options.step);
    const NamedRecording runs[] = {{"continuous", &continuous},
                                   {"discrete", &discrete},
                                   {fmt::format("discrete, {:.1f} x softer", r.softness), &soft}};
    LinePlot energy = energy_plot(runs), depth = penetration_plot(runs);
    energy.title += step, depth.title += step;
    energy.highest_y = 1.5 * continuous.highest_energy();
    depth.highest_y = 1.2 * soft.worst_penetration();
    write_svg(folder / "stability_energy.svg", energy);
    write_svg(folder / "stability_penetration.svg", depth);
}

void run_stability(Report& report) {
    set_thread_count(1);
    const StabilityScene scene(read_scene(std::filesystem::path(FATHOM_SOURCE_DIR) / "scenes/figure6_stability.toml"));
    const StabilityReport r = compare_stability(scene);
    const auto add = [&](const std::string& id, const std::string& work, const std::string& unit, double ours,
                         double discrete, double factor, double paper) {
        report.add({id, work, unit, ours, "discrete", discrete, factor, fmt::format("the paper: {} x", paper), 0});
    };
    add("stable-step", "largest stable step, equal stiffness", "ms", 1e3 * r.continuous_step, 1e3 * r.discrete_step,
        r.step_ratio(), 3);
    add("stable-penetration", "worst penetration at that step, discrete softened until stable", "mm",
        1e3 * r.continuous.worst_penetration, 1e3 * r.soft.worst_penetration, r.penetration_ratio(), 2.75);
    add("stable-step-matched", "largest stable step that penetrates no deeper", "ms", 1e3 * r.matched_step,
        1e3 * r.discrete_step, r.matched_ratio(), 2.6);
    report.note(fmt::format(
        "both explicit; continuous contact over the coming step. Over the last step, as the paper writes it: {:.2f} ms",
        1e3 * r.paper_order_step));
    report.note(fmt::format("softened by {:.1f}; penetration at the largest stable step of each: continuous {:.1f} mm, "
                            "discrete {:.1f} mm; discrete at the continuous step: energy up by {:.0f} % "
                            "of weight times size when it was stopped",
                            r.softness, 1e3 * r.continuous.worst_penetration, 1e3 * r.discrete.worst_penetration,
                            100 * r.discrete_exploding.energy_rise));
    if (!report.plots.empty() && r.softness > 0) plot_stability(report.plots, scene, r);
    set_thread_count(0);
}

const Registration drops("ccd/drops", "bodies dropped onto their like, fields of 1024 cells (table 4 of the paper)",
                         run_drops);
const Registration stability("ccd/stability",
                             "how large a step may be: continuous beside discrete contact (experiment 4 of the paper)",
                             run_stability);

} // namespace

} // namespace fathom::bench
