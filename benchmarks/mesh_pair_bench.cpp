// Table `meshes`: two meshes as surfaces in random poses, beside FCL in float: do they cross, and how far apart are
// they, also with the nearest pair of a pose nearby as a hint. One thread; both see the same poses, in turn.
#include <benchmarks/fcl_peer.h>
#include <benchmarks/pair_models.h>
#include <benchmarks/report.h>
#include <fathom/base/parallel.h>
#include <fathom/detect/mesh_mesh/mesh_mesh.h>
#include <fathom/geometry/generate/generate.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace fathom::bench {

namespace {

constexpr std::size_t pose_count = 200;

struct Body {
    SurfaceTree tree;
    FclMesh fcl;
    std::size_t triangles;

    explicit Body(const TriangleMesh& mesh) : tree(mesh), fcl(mesh), triangles(mesh.triangles.size()) {}
};

struct Scene {
    std::string id;
    const Body &a, &b;
    std::vector<Pose> poses; // of b

    [[nodiscard]] std::string work(const char* question) const {
        return fmt::format("{} and {} triangles: {}", a.triangles, b.triangles, question);
    }
    [[nodiscard]] double microseconds(double seconds) const {
        return 1e6 * seconds / static_cast<double>(poses.size());
    }
};

void status_row(Report& report, const Scene& scene) {
    std::vector<bool> ours(scene.poses.size()), theirs(scene.poses.size());
    const std::function<void()> rivals[] = {
        [&] {
            for (std::size_t k = 0; k < ours.size(); ++k)
                ours[k] = mesh_mesh::meshes_cross(scene.a.tree, {}, scene.b.tree, scene.poses[k]);
        },
        [&] {
            for (std::size_t k = 0; k < ours.size(); ++k)
                theirs[k] = surfaces_cross(scene.a.fcl, {}, scene.b.fcl, scene.poses[k]);
        }};
    const std::vector<double> times = race(rivals);
    std::size_t unlike = 0;
    for (std::size_t k = 0; k < ours.size(); ++k) unlike += ours[k] != theirs[k];
    report.add({scene.id + "-cross", scene.work("do they cross"), "us", scene.microseconds(times[0]), "FCL (float)",
                scene.microseconds(times[1]), ratio(times[0], times[1]),
                fmt::format("{} of {} cross, {} unlike theirs", std::ranges::count(ours, true), ours.size(), unlike),
                0});
}

// What was nearest a hundredth of a body and of a turn ago.
std::vector<mesh_mesh::MeshPairHint> hints_of(const Scene& scene) {
    const Pose before = Pose::from_axis_angle(0.06, Vec3::UnitZ(), {0.01, 0, 0});
    std::vector<mesh_mesh::MeshPairHint> hints;
    for (const Pose& pose : scene.poses)
        hints.push_back(mesh_mesh::mesh_distance(scene.a.tree, {}, scene.b.tree, before * pose).hint);
    return hints;
}

void distance_rows(Report& report, const Scene& scene) {
    const std::vector<mesh_mesh::MeshPairHint> hints = hints_of(scene);
    std::vector<mesh_mesh::MeshDistance> ours(scene.poses.size()), hinted(scene.poses.size());
    std::vector<double> theirs(scene.poses.size());
    const std::function<void()> rivals[] = {
        [&] {
            for (std::size_t k = 0; k < ours.size(); ++k)
                ours[k] = mesh_mesh::mesh_distance(scene.a.tree, {}, scene.b.tree, scene.poses[k]);
        },
        [&] {
            for (std::size_t k = 0; k < ours.size(); ++k)
                theirs[k] = surface_distance(scene.a.fcl, {}, scene.b.fcl, scene.poses[k]);
        },
        [&] {
            for (std::size_t k = 0; k < ours.size(); ++k)
                hinted[k] =
                    mesh_mesh::mesh_distance(scene.a.tree, {}, scene.b.tree, scene.poses[k], infinity, hints[k]);
        }};
    const std::vector<double> times = race(rivals, 3);
    double differ = 0, hinted_differ = 0;
    for (std::size_t k = 0; k < ours.size(); ++k) {
        differ = std::max(differ, std::abs(ours[k].distance - std::max(theirs[k], 0.0)));
        hinted_differ = std::max(hinted_differ, std::abs(ours[k].distance - hinted[k].distance));
    }
    report.add({scene.id + "-distance", scene.work("how far apart"), "us", scene.microseconds(times[0]), "FCL (float)",
                scene.microseconds(times[1]), ratio(times[0], times[1]),
                fmt::format("differ by at most {:.1e}", differ), 0});
    report.add({scene.id + "-hint", scene.work("the same with a hint"), "us", scene.microseconds(times[2]),
                "ours without", scene.microseconds(times[0]), ratio(times[2], times[0]),
                fmt::format("differ by at most {:.1e}", hinted_differ), 0});
}

void run_meshes(Report& report) {
    set_thread_count(1);
    const auto rows = [&](const std::string& id, const Body& a, const Body& b, double half_width) {
        const Scene scene{id, a, b, random_poses(half_width, pose_count)};
        status_row(report, scene);
        distance_rows(report, scene);
    };
    const Body ring(make_torus({.segments = 16, .tube_segments = 8})), creature(make_creature({.triangles = 5000})),
        bowl(make_bowl()), bunny(bunny_mesh());
    rows("rings", ring, ring, 1.2);
    rows("creature-bowl", creature, bowl, 0.8);
    rows("bunnies", bunny, bunny, 0.7);
    rows("bunnies-far", bunny, bunny, 1.5);
    if (const auto mesh = armadillo_mesh()) rows("bunny-armadillo", bunny, Body(*mesh), 0.7);
    set_thread_count(0);
}

const Registration mesh_table("meshes", "two meshes as surfaces, one thread", run_meshes);

} // namespace

} // namespace fathom::bench
