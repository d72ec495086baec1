// Table `world`: a hundred bodies of four meshes that drift and turn among each other, a step at a time: World, with
// and without warm start, beside FCL's manager. And many poses of one body among the others. One thread, CPU time, the
// whole sequence of steps in turn.
#include <benchmarks/fcl_world_peer.h>
#include <benchmarks/pair_models.h>
#include <benchmarks/report.h>
#include <fathom/base/parallel.h>
#include <fathom/detect/world/world.h>
#include <fathom/field/analytic/analytic_field.h>
#include <fathom/field/analytic/primitives.h>
#include <fathom/field/mesh/grid_builder.h>
#include <fathom/geometry/generate/generate.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace fathom::bench {

namespace {

std::vector<TriangleMesh> some_meshes() {
    std::vector<TriangleMesh> meshes;
    meshes.push_back(make_creature({.triangles = 5000}));
    meshes.push_back(make_torus({.segments = 80, .tube_segments = 40}));
    meshes.push_back(make_bowl());
    meshes.push_back(make_spaceship({.triangles = 5000}));
    return meshes;
}

struct Sequence {
    std::vector<TriangleMesh> meshes = some_meshes();
    std::vector<std::size_t> mesh_of{};
    std::vector<std::vector<Pose>> steps{};
    std::vector<Index> ids{};

    // Speeds up to `fastest` of a body a step; they turn back at the walls.
    Sequence(std::size_t bodies, double room, std::size_t count, double fastest) {
        Random random(4);
        std::vector<Vec3> velocity, axis;
        std::vector<Pose> poses;
        for (Index k = 0; k < bodies; ++k) {
            ids.push_back(k);
            mesh_of.push_back(k % meshes.size());
            poses.push_back({random.rotation(), room * random.in_box(Box::around(Vec3::Zero(), Vec3::Ones()))});
            velocity.push_back(random.uniform(0, fastest) * random.direction());
            axis.push_back(random.direction());
        }
        for (std::size_t step = 0; step < count; ++step) {
            steps.push_back(poses);
            for (std::size_t k = 0; k < bodies; ++k) {
                Pose& pose = poses[k];
                for (int c = 0; c < 3; ++c)
                    if (std::abs(pose.translation[c]) > room && pose.translation[c] * velocity[k][c] > 0)
                        velocity[k][c] = -velocity[k][c];
                pose = {(Quat(Eigen::AngleAxisd(velocity[k].norm(), axis[k])) * pose.rotation).normalized(),
                        pose.translation + velocity[k]};
            }
        }
    }

    [[nodiscard]] World world(const WorldOptions& options) const {
        std::vector<Shape> shapes;
        for (const TriangleMesh& mesh : meshes) shapes.emplace_back(mesh);
        return world(options, shapes);
    }
    [[nodiscard]] World world(const WorldOptions& options, std::span<const Shape> shapes) const {
        for (const Shape& shape : shapes) shape.prepare();
        World made(options);
        for (std::size_t k = 0; k < mesh_of.size(); ++k) (void)made.add(shapes[mesh_of[k]], steps.front()[k]);
        return made;
    }
};

struct Found {
    std::vector<std::vector<IdPair>> pairs{};
    std::size_t tested = 0, cached = 0;

    void run(const Sequence& sequence, World& world) {
        *this = {};
        for (const std::vector<Pose>& poses : sequence.steps) {
            world.move(sequence.ids, poses);
            const WorldStep& step = world.update();
            pairs.emplace_back();
            for (const WorldPair& pair : step.pairs) pairs.back().push_back({pair.a, pair.b});
            tested += step.tested;
            cached += step.cached;
        }
    }
    void run(const Sequence& sequence, FclWorld& world, std::size_t max_contacts) {
        pairs.clear();
        for (const std::vector<Pose>& poses : sequence.steps) pairs.push_back(world.step(poses, max_contacts));
    }
    [[nodiscard]] std::size_t count() const {
        std::size_t sum = 0;
        for (const auto& step : pairs) sum += step.size();
        return sum;
    }
    [[nodiscard]] std::size_t unlike(const Found& other) const {
        std::vector<IdPair> differing;
        for (std::size_t k = 0; k < pairs.size(); ++k)
            std::ranges::set_symmetric_difference(pairs[k], other.pairs[k], std::back_inserter(differing));
        return differing.size();
    }
};

void step_rows(Report& report, const std::string& id, const Sequence& sequence, CollideGoal goal) {
    const bool contacts = goal == CollideGoal::contacts;
    World warm = sequence.world({.query = {.goal = goal}}),
          cold = sequence.world({.query = {.goal = goal}, .warm_start = false});
    FclWorld fcl(sequence.meshes, sequence.mesh_of);
    Found of_warm, of_cold, of_fcl;
    const std::function<void()> rivals[] = {[&] { of_warm.run(sequence, warm); }, [&] { of_cold.run(sequence, cold); },
                                            [&] { of_fcl.run(sequence, fcl, contacts ? 1000 : 1); }};
    const std::vector<double> times = race(rivals, contacts ? 1 : 3);
    const double steps = static_cast<double>(sequence.steps.size());
    const std::string work =
        fmt::format("{} bodies, a step, {}", sequence.ids.size(), contacts ? "contacts" : "who touches whom");
    const auto add = [&](const char* name, const char* peer, double seconds, const Found& found) {
        report.add({fmt::format("{}-{}-{}", id, contacts ? "contacts" : "status", name), work, "ms/step",
                    1e3 * times[0] / steps, peer, 1e3 * seconds / steps, ratio(times[0], seconds),
                    fmt::format("{} pairs in {} steps, {} unlike theirs", of_warm.count(), sequence.steps.size(),
                                of_warm.unlike(found)),
                    0});
    };
    add("cold", "ours without warm start", times[1], of_cold);
    add("fcl", "FCL manager (float, surfaces)", times[2], of_fcl);
    report.note(fmt::format("{}: meshes of {}, {}, {} and {} triangles; {} pairs asked, {} cached", id,
                            sequence.meshes[0].triangles.size(), sequence.meshes[1].triangles.size(),
                            sequence.meshes[2].triangles.size(), sequence.meshes[3].triangles.size(), of_warm.tested,
                            of_warm.cached));
}

// A formula, a grid, a mesh and tetrahedra, all bodies of one size.
void mixed_row(Report& report, const Sequence& sequence) {
    std::vector<Shape> shapes;
    shapes.emplace_back(std::make_shared<AnalyticField>(shapes::torus(0.35, 0.15)));
    shapes.emplace_back(std::make_shared<GridField>(build_grid(sequence.meshes[0], {.resolution = 64})));
    shapes.emplace_back(sequence.meshes[1]);
    shapes.emplace_back(make_tet_ball());
    World warm = sequence.world({.query = {.goal = CollideGoal::status}}, shapes),
          cold = sequence.world({.query = {.goal = CollideGoal::status}, .warm_start = false}, shapes);
    Found of_warm, of_cold;
    const std::function<void()> rivals[] = {[&] { of_warm.run(sequence, warm); }, [&] { of_cold.run(sequence, cold); }};
    const std::vector<double> times = race(rivals, 3);
    const double steps = static_cast<double>(sequence.steps.size());
    report.add({"slow-mixed-cold", "formulas, grids, meshes, tetrahedra: the same", "ms/step", 1e3 * times[0] / steps,
                "ours without warm start", 1e3 * times[1] / steps, ratio(times[0], times[1]),
                fmt::format("{} pairs in {} steps, {} unlike theirs", of_warm.count(), sequence.steps.size(),
                            of_warm.unlike(of_cold)),
                0});
    report.note(fmt::format("mixed: {} pairs asked, {} cached", of_warm.tested, of_warm.cached));
}

void pose_rows(Report& report, const Sequence& sequence) {
    const World world = sequence.world({});
    Random random(9);
    std::vector<Pose> poses;
    for (int k = 0; k < 2000; ++k)
        poses.push_back({random.rotation(), random.in_box(Box::around(Vec3::Zero(), Vec3::Constant(4)))});
    std::vector<Status> statuses;
    std::vector<double> clearances;
    const std::function<void()> work[] = {[&] { statuses = world.check_poses(0, poses); },
                                          [&] { clearances = world.clearances(0, std::span(poses).first(50)); }};
    const std::vector<double> times = race(work, 1);
    const auto touching = std::ranges::count(statuses, Status::overlapping);
    report.add({"try-poses", "one body of 5,000 triangles among 99, a pose: touching or not", "us",
                1e6 * times[0] / 2000, "", 0, 0, fmt::format("{} of 2000 touch", touching), 0});
    report.add({"clearances", "the same: proven clearance", "us", 1e6 * times[1] / 50, "", 0, 0, "", 0});
}

void run_world(Report& report) {
    set_thread_count(1);
    const Sequence slow(100, 3, 40, 0.01), quick(100, 3, 40, 0.1);
    step_rows(report, "slow", slow, CollideGoal::status);
    step_rows(report, "quick", quick, CollideGoal::status);
    mixed_row(report, slow);
    pose_rows(report, slow);
    step_rows(report, "slow", slow, CollideGoal::contacts);
    set_thread_count(0);
}

const Registration world_table("world", "a hundred bodies, a step at a time", run_world);

} // namespace

} // namespace fathom::bench
