// Table `fields`: asking a grid field how far and which way, beside OpenVDB's trilinear sampler at the same cell size
// and Embree's closest point. One thread.
#include <benchmarks/embree_peer.h>
#include <benchmarks/field_points.h>
#include <benchmarks/openvdb_peer.h>
#include <benchmarks/report.h>
#include <fathom/base/parallel.h>
#include <fathom/field/mesh/grid_builder.h>
#include <fathom/geometry/io/mesh_file.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace fathom::bench {

namespace {

constexpr std::size_t count = 200000;

struct Kind {
    const char* name;
    std::vector<Vec3> points;
};

std::vector<Kind> kinds_of_points(const TriangleMesh& mesh, const GridField& field) {
    const double cell = field.layout().cell;
    return {{"random", random_points(field.domain(), count)},
            {"near", near_points(mesh, 2 * cell, count)},
            {"coherent", track_points(field.domain(), 0.5 * cell, count)}};
}

// How far ours and theirs are apart where both claim an answer.
std::string agreement(const std::vector<double>& ours, const std::vector<double>& theirs, double cell) {
    double apart = 0;
    std::size_t both = 0;
    for (std::size_t k = 0; k < ours.size(); ++k) {
        if (std::abs(ours[k]) > 2 * cell || std::abs(theirs[k]) > 2 * cell) continue;
        ++both;
        apart = std::max(apart, std::abs(ours[k] - theirs[k]));
    }
    return fmt::format("at most {:.2g} cells from OpenVDB at {} points in its band", apart / cell, both);
}

void query_rows(Report& report, const GridField& field, const OpenVdbField& peer, int resolution, const Kind& kind) {
    const std::vector<Vec3>& points = kind.points;
    std::vector<double> batch(count), single(count), theirs(count);
    std::vector<Sample> batch_samples(count), single_samples(count), their_samples(count);
    const Field& any = field; // as code that knows no field type calls it
    const std::function<void()> rivals[] = {[&] { any.distances(points, batch); },
                                            [&] {
                                                for (std::size_t k = 0; k < count; ++k)
                                                    single[k] = any.distance(points[k]);
                                            },
                                            [&] { peer.distances(points, theirs); },
                                            [&] { any.samples(points, batch_samples); },
                                            [&] {
                                                for (std::size_t k = 0; k < count; ++k)
                                                    single_samples[k] = any.sample(points[k]);
                                            },
                                            [&] { peer.samples(points, their_samples); }};
    const auto seconds = race(rivals, 5);
    const auto nanoseconds = [&](std::size_t k) { return 1e9 * seconds[k] / static_cast<double>(count); };
    const std::string error = agreement(batch, theirs, field.layout().cell);
    const auto add = [&](const char* question, const char* manner, std::size_t mine, std::size_t yours,
                         const std::string& words) {
        report.add({fmt::format("field-{}-{}-{}-{}", question, resolution, kind.name, manner),
                    fmt::format("{} at {}, {} points, {}", question, resolution, kind.name, manner), "ns",
                    nanoseconds(mine), "OpenVDB BoxSampler", nanoseconds(yours), ratio(seconds[mine], seconds[yours]),
                    words, 1e-6 * static_cast<double>(field.bytes())});
    };
    add("distance", "batch", 0, 2, error);
    add("distance", "single", 1, 2, batch == single ? "the same bits as the batch" : "UNLIKE the batch");
    add("gradient", "batch", 3, 5, "-");
    add("gradient", "single", 4, 5, "-");
}

void closest_row(Report& report, const EmbreeScene& scene, const GridField& field, int resolution, const Kind& kind) {
    const std::span<const Vec3> points = std::span(kind.points).first(count / 10);
    std::vector<double> ours(points.size()), theirs(points.size());
    const std::function<void()> rivals[] = {[&] { field.distances(points, ours); },
                                            [&] {
                                                for (std::size_t k = 0; k < points.size(); ++k)
                                                    theirs[k] = scene.closest(points[k]);
                                            }};
    const auto seconds = race(rivals, 3);
    const double scale = 1e9 / static_cast<double>(points.size());
    report.add({fmt::format("field-closest-{}-{}", resolution, kind.name),
                fmt::format("distance at {}, {} points, batch", resolution, kind.name), "ns", seconds[0] * scale,
                "Embree closest point", seconds[1] * scale, ratio(seconds[0], seconds[1]),
                "Embree exact, unsigned; ours signed, off as the build table says", 0});
}

void run(Report& report) {
    const TriangleMesh bunny = read_triangle_mesh(model("bunny.obj"));
    const EmbreeScene scene(bunny);
    for (const int resolution : {128, 256, 512, 1024}) {
        const GridField field = build_grid(bunny, {.resolution = resolution});
        const OpenVdbField peer(bunny, field.layout().cell);
        set_thread_count(1);
        for (const Kind& kind : kinds_of_points(bunny, field)) {
            query_rows(report, field, peer, resolution, kind);
            closest_row(report, scene, field, resolution, kind);
        }
        set_thread_count(0);
    }
    report.note("gradient: distance and gradient together; near: within 2 cells of the surface; coherent: tracks, half "
                "a cell a step");
    report.note(
        "OpenVDB holds nothing outside its band (most random and coherent points), where its answer is a constant");
}

const Registration registration("fields/query", "grid fields asked, one thread", run);

} // namespace

} // namespace fathom::bench
