// Table `surface`: nearest triangles and first hits of SurfaceTree beside Embree's rtcPointQuery and rtcIntersect1. One
// thread.
#include <benchmarks/embree_peer.h>
#include <benchmarks/report.h>
#include <fathom/base/parallel.h>
#include <fathom/base/random.h>
#include <fathom/geometry/inspect/mesh_report.h>
#include <fathom/geometry/io/mesh_file.h>
#include <fathom/geometry/surface_tree/surface_tree.h>

#include <fmt/format.h>

#include <cmath>
#include <functional>

namespace fathom::bench {

namespace {

struct Setup {
    std::string name;
    TriangleMesh mesh;
    SurfaceTree tree;
    EmbreeScene peer;
    Box box; // 1.2 times the mesh's

    Setup(std::string n, TriangleMesh m) : name(std::move(n)), mesh(std::move(m)), tree(mesh), peer(mesh) {
        const Box bounds = tree.tree().bounds();
        box = Box::around(bounds.center(), 0.6 * bounds.size());
    }
    [[nodiscard]] double megabytes() const { return static_cast<double>(tree.memory_bytes()) / 1e6; }
};

double brute_distance(const TriangleMesh& mesh, const Vec3& p) {
    double best = std::numeric_limits<double>::infinity();
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
        best = std::min(best, closest_point(p, mesh.corners(t)).squared_distance);
    return std::sqrt(best);
}

void nearest_row(Report& report, const Setup& s, const std::string& kind, const std::vector<Vec3>& points) {
    std::vector<ClosestPoint> ours(points.size());
    std::vector<double> peer(points.size());
    const std::vector<std::function<void()>> rivals = {[&] { s.tree.closest(points, ours); },
                                                       [&] {
                                                           for (std::size_t k = 0; k < points.size(); ++k)
                                                               peer[k] = s.peer.closest(points[k]);
                                                       }};
    const auto seconds = race(rivals);
    double error = 0, peer_error = 0;
    for (std::size_t k = 0; k < points.size(); k += points.size() / 25) {
        const double truth = brute_distance(s.mesh, points[k]);
        error = std::max(error, std::abs(std::sqrt(ours[k].squared_distance) - truth));
        peer_error = std::max(peer_error, std::abs(peer[k] - truth));
    }
    const double scale = 1e6 / static_cast<double>(points.size());
    report.add({fmt::format("nearest-{}-{}", kind, s.name), fmt::format("nearest triangle, {} points", kind), "us",
                seconds[0] * scale, "Embree rtcPointQuery", seconds[1] * scale, ratio(seconds[0], seconds[1]),
                fmt::format("{:.1e} m (Embree {:.1e} m)", error, peer_error), s.megabytes()});
}

void hit_row(Report& report, const Setup& s, const std::string& kind, const std::vector<Ray>& rays) {
    std::vector<SurfaceHit> ours(rays.size());
    std::vector<double> peer(rays.size());
    const std::vector<std::function<void()>> rivals = {[&] { s.tree.first_hits(rays, ours); },
                                                       [&] {
                                                           for (std::size_t k = 0; k < rays.size(); ++k)
                                                               peer[k] = s.peer.first_hit(rays[k]);
                                                       }};
    const auto seconds = race(rivals);
    std::size_t differ = 0;
    for (std::size_t k = 0; k < rays.size(); ++k) differ += ours[k].found() != std::isfinite(peer[k]);
    const double scale = 1e6 / static_cast<double>(rays.size());
    report.add({fmt::format("first-hit-{}-{}", kind, s.name), fmt::format("first hit, {} rays", kind), "us",
                seconds[0] * scale, "Embree rtcIntersect1", seconds[1] * scale, ratio(seconds[0], seconds[1]),
                fmt::format("{} of {} unlike Embree", differ, rays.size()), s.megabytes()});
}

std::vector<Vec3> random_points(const Setup& s, std::size_t count) {
    Random random(12345);
    std::vector<Vec3> points(count);
    for (Vec3& p : points) p = random.in_box(s.box);
    return points;
}

std::vector<Vec3> surface_points(const Setup& s, std::size_t count) {
    Random random(777);
    std::vector<Vec3> points(count);
    for (Vec3& p : points)
        p = s.mesh.vertices[random.below(s.mesh.vertices.size())] + 0.01 * s.box.diagonal() * random.in_ball();
    return points;
}

std::vector<Vec3> grid_points(const Setup& s, int n) {
    std::vector<Vec3> points;
    for (int i = 0; i < n * n * n; ++i)
        points.push_back(
            s.box.lower +
            Vec3((i % n + 0.5) / n, (i / n % n + 0.5) / n, (i / n / n + 0.5) / n).cwiseProduct(s.box.size()));
    return points;
}

std::vector<Ray> random_rays(const Setup& s, std::size_t count) {
    Random random(4242);
    std::vector<Ray> rays(count);
    for (Ray& ray : rays) ray = {random.in_box(s.box), random.direction()};
    return rays;
}

// A camera in front of the box, row by row.
std::vector<Ray> camera_rays(const Setup& s, int n) {
    std::vector<Ray> rays;
    const Vec3 eye = s.box.center() + Vec3(0.3, 0.4, 2.5).cwiseProduct(s.box.size());
    for (int i = 0; i < n * n; ++i) {
        const Vec3 target = s.box.lower + Vec3((i % n + 0.5) / n, (i / n + 0.5) / n, 0.5).cwiseProduct(s.box.size());
        rays.push_back({eye, (target - eye).normalized()});
    }
    return rays;
}

void run(Report& report) {
    set_thread_count(1);
    for (const char* file : {"bunny.obj", "dragon.ply.gz"}) {
        const Setup s(std::string(file).substr(0, std::string(file).find('.')), read_triangle_mesh(model(file)));
        nearest_row(report, s, "random", random_points(s, 50000));
        nearest_row(report, s, "surface", surface_points(s, 50000));
        nearest_row(report, s, "grid", grid_points(s, 40));
        hit_row(report, s, "random", random_rays(s, 100000));
        hit_row(report, s, "camera", camera_rays(s, 300));
        const std::vector<std::function<void()>> builds = {[&] { const SurfaceTree tree(s.mesh); },
                                                           [&] { const EmbreeScene scene(s.mesh); }};
        const auto seconds = race(builds, 3);
        report.add({"build-" + s.name, fmt::format("tree of {} triangles", s.mesh.triangles.size()), "s", seconds[0],
                    "Embree, medium", seconds[1], ratio(seconds[0], seconds[1]), "-", s.megabytes()});
        const std::vector<std::function<void()>> checks = {[&] { (void)mesh_report(s.mesh); }};
        report.add(
            {"report-" + s.name, "mesh report without self-intersections", "s", race(checks, 3)[0], "", 0, 0, "-", 0});
        const std::vector<std::function<void()>> reads = {[&] { (void)read_triangle_mesh(model(file)); }};
        report.add({"read-" + s.name, fmt::format("read {}", file), "s", race(reads, 3)[0], "", 0, 0, "-", 0});
    }
    set_thread_count(0);
}

const Registration registration("surface", "meshes read, checked, searched; one thread", run);

} // namespace

} // namespace fathom::bench
