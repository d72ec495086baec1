// Tables `ccd/shells` (Xu & Barbic 2014, table 3) and `ccd/fcl`: shells of points against a field while they move,
// point by point as in the paper, point by point with our walk, and with the tree; and two moving bunnies beside FCL.
// One thread.
#include <benchmarks/fcl_peer.h>
#include <benchmarks/report.h>
#include <fathom/base/motion.h>
#include <fathom/base/parallel.h>
#include <fathom/base/random.h>
#include <fathom/baseline/octree_traversal.h>
#include <fathom/detect/point_field/shell_sweep.h>
#include <fathom/field/mesh/grid_builder.h>
#include <fathom/geometry/generate/generate.h>
#include <fathom/geometry/io/mesh_file.h>
#include <fathom/geometry/sample/point_shell.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace fathom::bench {

namespace {

constexpr std::size_t pose_count = 1000;

struct Model {
    std::string name;
    TriangleMesh mesh;
    point_field::SweepShell shell;
    std::shared_ptr<const GridField> field;
    double paper_linear, paper_tree; // seconds for all poses
};

std::shared_ptr<const GridField> field_of(const TriangleMesh& mesh, int resolution, double band = 3) {
    return std::make_shared<GridField>(cached_grid(mesh, {.resolution = resolution, .band = band}).file.field);
}

Model make_model(const std::string& name, const TriangleMesh& mesh, std::size_t points, double paper_linear,
                 double paper_tree) {
    std::vector<Vec3> shell = points == 0 ? mesh.vertices : repelled_shell(mesh, {.count = points}).points;
    return {name, mesh, point_field::SweepShell(std::move(shell)), field_of(mesh, 1024), paper_linear, paper_tree};
}

// The middle of the shell uniform in the field's box, three times as large along each side, and turned at random.
Pose random_pose(Random& random, const Box& box) {
    const Quat turn = random.rotation();
    return {turn, random.in_box(Box::around(box.center(), 1.5 * box.size())) - turn * box.center()};
}

std::vector<Motion> random_motions(const Box& box, std::size_t count) {
    Random random(1);
    std::vector<Motion> motions(count);
    for (Motion& motion : motions) motion = {random_pose(random, box), random_pose(random, box)};
    return motions;
}

using PointCast = std::function<void(const Segment&, std::vector<ContactInterval>&)>;

// Seconds a pose, and contacts; every `stride`-th pose.
struct Measured {
    double seconds = 0;
    std::size_t contacts = 0;
    std::size_t hits = 0;
};

Measured point_by_point(const Model& model, const std::vector<Motion>& motions, std::size_t stride,
                        const PointCast& cast) {
    Measured result;
    std::vector<ContactInterval> out;
    std::size_t poses = 0;
    const std::function<void()> work[] = {[&] {
        for (std::size_t k = 0; k < motions.size(); k += stride, ++poses) {
            const RelativeMotion motion(motions[k], Motion::stationary({}), Path::straight);
            const std::size_t before = result.contacts;
            for (const Vec3& p : model.shell.points) {
                out.clear();
                cast(motion.chord(p), out);
                result.contacts += out.size();
            }
            result.hits += result.contacts > before;
        }
    }};
    result.seconds = race(work, 1)[0] / static_cast<double>(std::max<std::size_t>(poses, 1));
    return result;
}

Measured by_tree(const Model& model, const SegmentCaster& caster, const std::vector<Motion>& motions,
                 std::size_t stride, const point_field::ShellSweepOptions& options) {
    Measured result;
    point_field::ShellSweepResult sweep_result;
    std::size_t poses = 0;
    const std::function<void()> work[] = {[&] {
        result = {};
        poses = 0;
        for (std::size_t k = 0; k < motions.size(); k += stride, ++poses) {
            sweep(model.shell, motions[k], caster, Motion::stationary({}), sweep_result, options);
            result.contacts += sweep_result.contacts.size();
            result.hits += sweep_result.first.status == Status::overlapping;
        }
    }};
    result.seconds = race(work, 2)[0] / static_cast<double>(std::max<std::size_t>(poses, 1));
    return result;
}

// The paper's walk, as far as the contact that ends its search. Where that is, is known beforehand: it costs nothing
// here.
PointCast octree_first(const Model& model, const SegmentCaster& caster, std::vector<double>& ends,
                       const std::vector<Motion>& motions, std::size_t stride) {
    for (std::size_t k = 0; k < motions.size(); k += stride) {
        const RelativeMotion motion(motions[k], Motion::stationary({}), Path::straight);
        for (const Vec3& p : model.shell.points) ends.push_back(caster.first(motion.chord(p)).time);
    }
    return [&model, &ends, next = std::size_t{0}](const Segment& s, std::vector<ContactInterval>& out) mutable {
        const point_field::GridPath path =
            point_field::grid_path(model.field->layout(), {s.start, s.at(std::min(1.0, ends[next++] + 1e-9))});
        if (path.begin <= path.end) octree_intervals(*model.field, path, 0, CellTest::paper, out);
    };
}

// The touching points must pay for their intervals, tree or not: two questions, two rows.
void shell_rows(Report& report, const Model& model, std::size_t stride) {
    const SegmentCaster caster(model.field);
    const std::vector<Motion> motions = random_motions(model.field->domain(), pose_count);
    const std::size_t points = model.shell.points.size(), poses = (pose_count + stride - 1) / stride;
    const Measured octree =
        point_by_point(model, motions, stride, [&](const Segment& s, std::vector<ContactInterval>& out) {
            const point_field::GridPath path = point_field::grid_path(model.field->layout(), s);
            if (path.begin <= path.end) octree_intervals(*model.field, path, 0, CellTest::paper, out);
        });
    std::vector<double> ends;
    const Measured octree_to_first =
        point_by_point(model, motions, stride, octree_first(model, caster, ends, motions, stride));
    const Measured walk = point_by_point(
        model, motions, stride, [&](const Segment& s, std::vector<ContactInterval>& out) { caster.all(s, out); });
    const Measured all = by_tree(model, caster, motions, stride, {});
    const Measured first = by_tree(model, caster, motions, stride, {.goal = SweepGoal::first});
    const double memory = 1e-6 * static_cast<double>(model.shell.tree.memory_bytes());
    const std::string sample = stride > 1 ? fmt::format(", every {}th pose", stride) : "",
                      name = model.name == "dragon" ? "random" : model.name;
    const auto add = [&](const std::string& id, const std::string& work, double ours, const std::string& peer,
                         double theirs, const std::string& error) {
        report.add({id, fmt::format("{}, {} points: {}{}", model.name, points, work, sample), "ms/pose", 1e3 * ours,
                    peer, 1e3 * theirs, ratio(ours, theirs), error, memory});
    };
    const std::string same =
        all.contacts == walk.contacts ? fmt::format("the same {} intervals", walk.contacts) : "UNLIKE point by point";
    add("shell-tree-" + name, "first contact, tree", first.seconds, "the paper's walk to it, point by point",
        octree_to_first.seconds,
        first.hits == walk.hits ? fmt::format("{} of {} poses touch", first.hits, poses) : "UNLIKE point by point");
    add("shell-tree-" + name + "-all", "all intervals, tree", all.seconds, "the paper's walk, point by point",
        octree.seconds, same);
    add("shell-tree-" + name + "-own", "all intervals, tree", all.seconds, "our walk, point by point", walk.seconds,
        same);
    add("shell-walk-" + name, "all intervals, our walk", walk.seconds, "the paper's walk, point by point",
        octree.seconds, fmt::format("{} intervals; the paper's test {}", walk.contacts, octree.contacts));
    report.note(fmt::format("{}, 1,000 poses in seconds: tree {:.1f} (first contact), {:.0f} (all intervals); the "
                            "paper's walk point by point {:.0f}, {:.0f}; on the paper's machine {} and {}",
                            model.name, 1e3 * first.seconds, 1e3 * all.seconds, 1e3 * octree_to_first.seconds,
                            1e3 * octree.seconds, model.paper_tree, model.paper_linear));
    report.note(fmt::format("{}: {:.1f} intervals for 100 points a pose; what touches pays for its intervals, and no "
                            "tree can spare it that",
                            model.name,
                            100.0 * static_cast<double>(all.contacts) / static_cast<double>(points * poses)));
}

// Steps in light contact: from a pose of first touch, a step of about a cell with a small turn.
std::vector<Motion> light_steps(const Model& model, const SegmentCaster& caster, std::size_t count) {
    Random random(2);
    point_field::ShellSweepResult result;
    std::vector<Motion> steps;
    const Vec3 middle = model.field->domain().center();
    const double cell = model.field->layout().cell, far = 2 * model.field->domain().diagonal();
    while (steps.size() < count) {
        const Quat turn = random.rotation();
        const Vec3 way = random.direction();
        const Motion approach{{turn, middle + far * way - turn * middle}, {turn, middle - turn * middle}};
        sweep(model.shell, approach, caster, Motion::stationary({}), result, {.goal = SweepGoal::first});
        if (result.first.status != Status::overlapping) continue;
        const Vec3 touch =
            approach.start.translation + result.first.time * (approach.end.translation - approach.start.translation);
        const Quat turned = Quat(Pose::from_axis_angle(0.002, random.direction()).rotation * turn).normalized();
        const Vec3 moved =
            touch + turn * middle - turned * middle + cell * (0.5 * random.direction() - random.uniform(0, 2) * way);
        steps.push_back({{turn, touch}, {turned, moved}});
    }
    return steps;
}

void step_rows(Report& report, const Model& model) {
    const SegmentCaster caster(model.field);
    const std::vector<Motion> steps = light_steps(model, caster, 500);
    for (const Path path : {Path::straight, Path::screw}) {
        std::vector<double> seconds;
        point_field::ShellSweepResult result;
        std::size_t touching = 0;
        for (const Motion& step : steps) {
            const std::function<void()> work[] = {
                [&] { sweep(model.shell, step, caster, Motion::stationary({}), result, {.path = path}); }};
            seconds.push_back(race(work, 1)[0]);
            touching += result.contacts.empty() ? 0 : 1;
        }
        std::sort(seconds.begin(), seconds.end());
        const auto at = [&](double share) {
            return 1e3 * seconds[static_cast<std::size_t>(share * static_cast<double>(seconds.size() - 1))];
        };
        const char* name = path == Path::straight ? "straight" : "screw";
        report.add(
            {fmt::format("shell-step-{}", name), fmt::format("{}, a step in light contact, {}, p99", model.name, name),
             "ms", at(0.99), "1 ms, for haptics", 1, 1 / at(0.99),
             fmt::format("p50 {:.3f}, max {:.3f} ms; {} of {} steps touch", at(0.5), at(1), touching, steps.size()),
             0});
    }
}

void run_shells(Report& report) {
    set_thread_count(1);
    shell_rows(report, make_model("bunny", read_mesh(model("bunny.obj")).surface, 777, 1.8, 0.7), 1);
    shell_rows(report, make_model("bowl", make_bowl(), 2072, 3.4, 0.3), 1);
    const Model dragon = make_model("dragon", read_mesh(model("dragon.ply.gz")).surface, 0, 761.2, 9.9);
    shell_rows(report, dragon, 20);
    step_rows(report, dragon);
    set_thread_count(0);
}

struct PairMotion {
    Motion a, b;
};

// One bunny comes from afar, both turn. Into a pose of deep or no overlap; or past the other, to where nothing touches
// any more.
std::vector<PairMotion> pair_motions(const Box& box, std::size_t count, bool past) {
    Random random(3);
    const double size = box.size().maxCoeff();
    const auto pose = [&](const Quat& turn, const Vec3& at) { return Pose{turn, at - turn * box.center()}; };
    std::vector<PairMotion> motions(count);
    for (PairMotion& m : motions) {
        const Vec3 way = random.direction(), aside = random.uniform(0.5, 1.1) * size * any_perpendicular(way);
        const Pose from = pose(random.rotation(), past ? Vec3(2 * size * way + aside) : Vec3(1.3 * size * way));
        const Vec3 into = random.in_box(Box::around(Vec3::Zero(), Vec3::Constant(0.53 * size)));
        m.a = {from, pose(random.rotation(), past ? Vec3(aside - 2 * size * way) : into)};
        const Quat turn = random.rotation();
        const Quat turned = Quat(Pose::from_axis_angle(0.5, random.direction()).rotation * turn).normalized();
        m.b = {pose(turn, Vec3::Zero()),
               pose(turned, past ? Vec3(Vec3::Zero()) : Vec3(0.1 * size * random.direction()))};
    }
    return motions;
}

constexpr std::array<int, 3> fcl_steps = {10, 100, 1000};

struct PairAnswers {
    std::vector<double> ours;                  // time of first contact, or infinity
    std::array<std::vector<double>, 3> theirs; // by fcl_steps
    double error = 0;                          // largest of ours
    std::size_t undecided = 0;

    template <class Holds>
    [[nodiscard]] std::size_t count(const Holds& holds) const {
        std::size_t n = 0;
        for (std::size_t k = 0; k < ours.size(); ++k) n += holds(k) ? 1 : 0;
        return n;
    }
    // Misses, and answers later than the sampling excuses.
    [[nodiscard]] std::string status(std::size_t n) const {
        const std::size_t hits = count([&](std::size_t k) { return ours[k] < HUGE_VAL; });
        const std::size_t missed = count([&](std::size_t k) { return ours[k] < HUGE_VAL && theirs[n][k] == HUGE_VAL; });
        const std::size_t beyond = count([&](std::size_t k) { return ours[k] == HUGE_VAL && theirs[n][k] < HUGE_VAL; });
        const std::size_t late = count([&](std::size_t k) {
            return theirs[n][k] < HUGE_VAL && theirs[n][k] > ours[k] + 1.0 / fcl_steps[n] + 1e-3;
        });
        return fmt::format("FCL misses {} of our {}, is late at {}; it finds {} that no point makes", missed, hits,
                           late, beyond);
    }
};

struct SweepBody {
    const point_field::SweepShell* shell = nullptr;
    const SegmentCaster* caster = nullptr;
};

// The earlier first contact of A's points in B's field and B's points in A's field.
point_field::ShellSweepHit sweep_pair(const SweepBody& a, const Motion& motion_a, const SweepBody& b,
                                      const Motion& motion_b, point_field::ShellSweepOptions options) {
    point_field::ShellSweepResult of_a, of_b;
    sweep(*a.shell, motion_a, *b.caster, motion_b, of_a, options);
    if (of_a.first.status == Status::overlapping)
        options.latest = std::min(options.latest, of_a.first.time + of_a.first.error);
    sweep(*b.shell, motion_b, *a.caster, motion_a, of_b, options);
    const bool second = of_b.first.status != Status::disjoint &&
                        (of_a.first.status == Status::disjoint || of_b.first.time < of_a.first.time);
    return second ? of_b.first : of_a.first;
}

void pair_rows(Report& report, const SweepBody& body, const FclMesh& peer, const std::vector<PairMotion>& motions,
               const std::string& id, const char* work, double memory) {
    PairAnswers answers;
    answers.ours.assign(motions.size(), HUGE_VAL);
    answers.theirs.fill(answers.ours);
    const double bend = 1e-7 * body.caster->field().bounds().size().maxCoeff();
    const auto sweep_all = [&] {
        answers.undecided = 0;
        for (std::size_t k = 0; k < motions.size(); ++k) {
            const point_field::ShellSweepHit first = sweep_pair(
                body, motions[k].a, body, motions[k].b, {.goal = SweepGoal::first, .path = Path::screw, .bend = bend});
            if (first.status == Status::overlapping) answers.ours[k] = first.time;
            answers.error = std::max(answers.error, first.error);
            answers.undecided += first.status == Status::undecided;
        }
    };
    const auto sample_all = [&](std::size_t n) {
        for (std::size_t k = 0; k < motions.size(); ++k)
            answers.theirs[n][k] = first_sampled_contact(peer, motions[k].a, peer, motions[k].b, fcl_steps[n]);
    };
    const std::function<void()> rivals[] = {sweep_all, [&] { sample_all(0); }, [&] { sample_all(1); },
                                            [&] { sample_all(2); }};
    const auto seconds = race(rivals, 3);
    const double scale = 1e3 / static_cast<double>(motions.size());
    for (const std::size_t n : {std::size_t{2}, std::size_t{1}, std::size_t{0}})
        report.add({n == 2 ? id : fmt::format("{}-{}", id, fcl_steps[n]),
                    fmt::format("two bunnies, {}, first contact; FCL at {} times", work, fcl_steps[n]), "ms/motion",
                    scale * seconds[0], "FCL collide, float", scale * seconds[n + 1], ratio(seconds[0], seconds[n + 1]),
                    answers.status(n), memory});
    report.note(fmt::format("{}: our contact time within {:.1g} of the motion, {} of {} motions undecided", id,
                            answers.error, answers.undecided, motions.size()));
}

void run_fcl(Report& report) {
    set_thread_count(1);
    const TriangleMesh mesh = read_mesh(model("bunny.obj")).surface;
    const auto field = field_of(mesh, 256, 8); // a wide band: one evaluation separates far nodes from near ones
    const SegmentCaster caster(field);
    const point_field::SweepShell shell(mesh.vertices);
    const FclMesh peer(mesh);
    const double memory = 1e-6 * static_cast<double>(field->bytes() + caster.bytes() + shell.tree.memory_bytes());
    pair_rows(report, {&shell, &caster}, peer, pair_motions(field->bounds(), 300, false), "pair-sweep",
              "into each other", memory);
    pair_rows(report, {&shell, &caster}, peer, pair_motions(field->bounds(), 300, true), "pair-past", "past each other",
              memory);
    report.note(
        "both on screws; ours: the points of each in the 256 field of the other, all samples kept within 8 cells");
    set_thread_count(0);
}

const Registration shells("ccd/shells",
                          "shells of points against a field of 1024 cells, random motions (table 3 of the paper)",
                          run_shells);
const Registration fcl("ccd/fcl", "two moving bunnies beside FCL, which samples time", run_fcl);

} // namespace

} // namespace fathom::bench
