// Table `fields`: building a grid field from a mesh, everything counted (weld, tree, sign), beside OpenVDB's band at
// the same cell size, exact grids by the closest points of Embree and CGAL, and table 1 of Xu & Barbic 2014.
#include <benchmarks/cgal_peer.h>
#include <benchmarks/embree_peer.h>
#include <benchmarks/field_points.h>
#include <benchmarks/openvdb_peer.h>
#include <benchmarks/peak_memory.h>
#include <benchmarks/report.h>
#include <fathom/base/parallel.h>
#include <fathom/base/random.h>
#include <fathom/field/grid/bake.h>
#include <fathom/field/mesh/grid_builder.h>
#include <fathom/field/mesh/mesh_field.h>
#include <fathom/geometry/io/mesh_file.h>

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <memory>
#include <optional>

namespace fathom::bench {

namespace {

using Peer = std::unique_ptr<OpenVdbField>;

// Its bunny has 777 vertices, ours 34,835; eight threads of a 2.9 GHz Xeon. Field and octree together.
struct PaperRow {
    int resolution;
    double seconds, megabytes;
};
constexpr PaperRow paper[] = {{128, 1.91, 42.4}, {256, 6.89, 338.4}, {512, 46.25, 2658}, {1024, 351.88, 21200}};

struct Accuracy {
    double largest = 0, mean = 0; // |value - exact| (m)
    std::size_t wrong_sign = 0;
    double farthest_wrong = 0;    // true distance of a point with a wrong sign (m)
    std::size_t beyond_bound = 0; // wrong signs where the value is larger than the stated error
    std::size_t points = 0;
};

// bound(exact) is the stated error there; infinity where the field makes no claim.
Accuracy accuracy(const MeshField& exact, const std::vector<Vec3>& points, const std::vector<double>& values,
                  const std::function<double(double)>& bound) {
    std::vector<double> truth(points.size());
    parallel_for(points.size(), 1024, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) truth[k] = exact.distance(points[k]);
    });
    Accuracy a;
    for (std::size_t k = 0; k < points.size(); ++k) {
        const double stated = bound(truth[k]), error = std::abs(values[k] - truth[k]);
        if (std::isinf(stated)) continue;
        ++a.points;
        a.largest = std::max(a.largest, error);
        a.mean += error;
        const bool wrong = (values[k] < 0) != (truth[k] < 0);
        a.wrong_sign += wrong;
        if (wrong) a.farthest_wrong = std::max(a.farthest_wrong, std::abs(truth[k]));
        a.beyond_bound += wrong && std::abs(values[k]) > stated;
    }
    a.mean /= static_cast<double>(std::max<std::size_t>(1, a.points));
    return a;
}

std::function<double(double)> stated_error(const GridField& field) {
    return [&field](double exact) {
        return std::abs(exact) <= field.data().band ? field.near_error_bound() : field.error_bound();
    };
}

Accuracy accuracy(const GridField& field, const MeshField& exact, const std::vector<Vec3>& points) {
    std::vector<double> values(points.size());
    field.distances(points, values);
    return accuracy(exact, points, values, stated_error(field));
}

// At samples of stored bricks, within the band.
Accuracy sample_accuracy(const GridField& field, const MeshField& exact, double stated, std::size_t count) {
    Random random(99);
    std::vector<std::size_t> stored;
    for (std::size_t b = 0; b < field.data().brick_of.size(); ++b)
        if (field.data().brick_of[b] != no_index) stored.push_back(b);
    std::vector<Vec3> points(count);
    std::vector<double> values(count);
    for (std::size_t k = 0; k < count; ++k) {
        std::array<int, 3> s = field.layout().brick_position(stored[random.below(stored.size())]);
        for (int& i : s) i = i * brick_cells + static_cast<int>(random.below(brick_samples));
        points[k] = field.layout().sample_position(s);
        values[k] = field.sample_value(s);
    }
    const double band = field.data().band;
    return accuracy(exact, points, values,
                    [&](double d) { return std::abs(d) <= band ? stated : std::numeric_limits<double>::infinity(); });
}

struct Job {
    std::string model; // "bunny"
    TriangleMesh mesh;
    MeshField exact;

    Job(std::string m, const std::string& file)
        : model(std::move(m)), mesh(read_triangle_mesh(bench::model(file))), exact(mesh) {}
    [[nodiscard]] std::string tag(int resolution) const {
        return model == "bunny" ? fmt::format("{}", resolution) : fmt::format("{}-{}", model, resolution);
    }
};

double megabytes(std::size_t bytes) { return 1e-6 * static_cast<double>(bytes); }

std::string error_words(const Job& job, const GridField& field, double sample_error) {
    const double cell = field.layout().cell, box = field.domain().size().maxCoeff();
    const std::size_t count = field.layout().cells(0) > 700 ? 1000000 : 100000;
    const Accuracy everywhere = accuracy(field, job.exact, random_points(field.domain(), count));
    const Accuracy near = accuracy(field, job.exact, near_points(job.mesh, field.data().band, 100000));
    const Accuracy samples = sample_accuracy(field, job.exact, sample_error, 100000);
    return fmt::format("cells off: {:.2g} most, {:.1g} mean; in band {:.2g}, {:.1g}; at its samples {:.1e} of the box; "
                       "signs: {} of {} wrong, {} "
                       "of {} in band, at most {:.2g} cells from the surface, {} past the bound",
                       everywhere.largest / cell, everywhere.mean / cell, near.largest / cell, near.mean / cell,
                       samples.largest / box, everywhere.wrong_sign, everywhere.points, near.wrong_sign, near.points,
                       std::max(everywhere.farthest_wrong, near.farthest_wrong) / cell,
                       everywhere.beyond_bound + near.beyond_bound + samples.beyond_bound);
}

void note_peer(Report& report, const Job& job, const std::string& tag, const GridField& field,
               const OpenVdbField& peer) {
    const double cell = field.layout().cell;
    const std::vector<Vec3> points = near_points(job.mesh, 2 * cell, 100000);
    std::vector<double> values(points.size());
    peer.distances(points, values);
    const Accuracy a = accuracy(job.exact, points, values, [](double) { return 0.0; });
    report.note(fmt::format(
        "OpenVDB, {}: {:.2g} cells off at most within 2 cells of the surface, {:.1g} mean; {} of {} signs wrong", tag,
        a.largest / cell, a.mean / cell, a.wrong_sign, a.points));
}

// One thread in CPU time, then all threads in wall time with peak memory.
void build_rows(Report& report, const Job& job, int resolution, int rounds) {
    const GridOptions options{.resolution = resolution};
    std::optional<GridField> field;
    GridReport built;
    Peer peer;
    const std::function<void()> build = [&] { field.emplace(build_grid(job.mesh, options, &built)); };
    build();
    const double side = field->layout().cell;
    const std::function<void()> rivals[] = {build, [&] { peer = std::make_unique<OpenVdbField>(job.mesh, side); }};
    set_thread_count(1);
    const auto seconds = race(rivals, rounds);
    set_thread_count(0);
    const std::string tag = job.tag(resolution), work = fmt::format("{} at {}", job.model, resolution);
    const bool target = tag == "256" || tag == "1024";
    report.add({(target ? "field-band-" : "field-build-") + tag, work + ", field near the surface, one thread", "s",
                seconds[0], "OpenVDB, band of 3", seconds[1], ratio(seconds[0], seconds[1]),
                error_words(job, *field, built.sample_error), megabytes(field->bytes())});
    note_peer(report, job, tag, *field, *peer);
    report.add({"field-size-" + tag, work + ", resident, pyramid included", "MB", megabytes(field->bytes()),
                "OpenVDB, band of 3", megabytes(peer->bytes()),
                ratio(megabytes(field->bytes()), megabytes(peer->bytes())),
                fmt::format("{} bricks", field->data().stored_bricks()), megabytes(field->bytes())});

    double wall[2] = {1e300, 1e300}, peak[2] = {0, 0};
    for (int round = 0; round < 2; ++round)
        for (std::size_t k = 0; k < 2; ++k) {
            field.reset(), peer.reset();
            peak[k] = peak_megabytes([&] { wall[k] = std::min(wall[k], wall_seconds(rivals[k])); });
        }
    report.add({"field-wall-" + tag, fmt::format("{}, {} threads, wall", work, thread_count()), "s", wall[0],
                "OpenVDB, band of 3", wall[1], ratio(wall[0], wall[1]), "-", 0});
    report.add({"field-peak-" + tag, work + ", peak memory of the build", "MB", peak[0], "OpenVDB, band of 3", peak[1],
                ratio(peak[0], peak[1]), "-", 0});
    if (job.model != "bunny") return;
    build();
    for (const PaperRow& row : paper) {
        if (row.resolution != resolution) continue;
        report.add({"field-memory-" + tag, work + ", field and octree, resident", "MB", megabytes(field->bytes()),
                    "paper", row.megabytes, ratio(megabytes(field->bytes()), row.megabytes), "-",
                    megabytes(field->bytes())});
        report.add({"field-paper-" + tag, fmt::format("{}, field and octree, {} threads", work, thread_count()), "s",
                    wall[0], "paper, 8 threads", row.seconds, ratio(wall[0], row.seconds),
                    "another machine, 1/45 of the triangles", 0});
    }
}

// Rows of a layout's samples along x, evenly chosen.
struct SampleRows {
    const GridLayout& layout;
    std::size_t chosen;

    [[nodiscard]] std::size_t rows() const { return side(1) * side(2); }
    [[nodiscard]] std::size_t side(int axis) const { return static_cast<std::size_t>(layout.cells(axis)) + 1; }
    [[nodiscard]] double scale() const { return static_cast<double>(rows()) / static_cast<double>(chosen); }

    template <class OnRow> // on_row(first point, step, samples)
    void visit(const OnRow& on_row) const {
        for (std::size_t k = 0; k < chosen; ++k) {
            const std::size_t row = (2 * k + 1) * rows() / (2 * chosen);
            on_row(layout.sample_position({0, static_cast<int>(row % side(1)), static_cast<int>(row / side(1))}),
                   Vec3(layout.cell, 0, 0), side(0));
        }
    }
};

// Each row's search is bounded by the answer of the sample before.
double embree_rows(const EmbreeScene& scene, const SampleRows& rows) {
    double sum = 0;
    rows.visit([&](const Vec3& first, const Vec3& step, std::size_t count) {
        double reach = std::numeric_limits<double>::infinity();
        for (std::size_t i = 0; i < count; ++i) {
            const double d = scene.closest(first + static_cast<double>(i) * step, reach);
            sum += d;
            reach = (d + step.x()) * (1 + 1e-5);
        }
    });
    return sum;
}

double cgal_rows(const CgalTree& tree, const SampleRows& rows) {
    double sum = 0;
    rows.visit([&](const Vec3& first, const Vec3& step, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) sum += tree.closest(first + static_cast<double>(i) * step);
    });
    return sum;
}

void exact_rows(Report& report, const Job& job, int resolution) {
    std::optional<GridField> field;
    GridReport built;
    field.emplace(build_grid(job.mesh, {.resolution = resolution, .dense = true}, &built));
    const GridLayout layout = field->layout();
    const SampleRows many{layout, 1500}, few{layout, 80};
    double sums[2];
    const std::function<void()> rivals[] = {
        [&] { field.emplace(build_grid(job.mesh, {.resolution = resolution, .dense = true})); },
        [&] { sums[0] = embree_rows(EmbreeScene(job.mesh), many); },
        [&] { sums[1] = cgal_rows(CgalTree(job.mesh), few); }};
    set_thread_count(1);
    auto seconds = race(rivals, 3);
    set_thread_count(0);
    seconds[1] *= many.scale(), seconds[2] *= few.scale();
    const double box = field->domain().size().maxCoeff();
    const Accuracy a = sample_accuracy(*field, job.exact, built.sample_error, 100000),
                   all = accuracy(*field, job.exact, random_points(field->domain(), 100000));
    const std::string error = fmt::format("{:.1e} of the box off at band samples, {:.1e} between; {} of {} signs wrong",
                                          a.largest / box, all.largest / box, all.wrong_sign, all.points);
    const std::string work = fmt::format("{} at {}, every sample exact, one thread", job.model, resolution);
    report.add({"field-exact-" + job.tag(resolution), work, "s", seconds[0], "Embree closest point", seconds[1],
                ratio(seconds[0], seconds[1]), error, megabytes(field->bytes())});
    report.add({fmt::format("field-exact-{}-cgal", job.tag(resolution)), work, "s", seconds[0], "CGAL closest point",
                seconds[2], ratio(seconds[0], seconds[2]), "-", megabytes(field->bytes())});
    report.note(
        fmt::format("Embree on {} and CGAL on {} of {} rows, scaled; unsigned, ours signed; means {:.4g} and {:.4g} m",
                    many.chosen, few.chosen, many.rows(), sums[0] / static_cast<double>(many.chosen * many.side(0)),
                    sums[1] / static_cast<double>(few.chosen * few.side(0))));
}

void run(Report& report) {
    const Job bunny("bunny", "bunny.obj");
    for (const int resolution : {128, 256, 512, 1024}) build_rows(report, bunny, resolution, 3);
    exact_rows(report, bunny, 256);
    const Job dragon("dragon", "dragon.ply.gz");
    for (const int resolution : {256, 512}) build_rows(report, dragon, resolution, 2);
    report.note("one thread: CPU seconds, least of 3 rounds in turn (dragon: 2); ours answers everywhere, OpenVDB "
                "within its band");
}

const Registration registration("fields/build", "grid fields built from meshes", run);

} // namespace

} // namespace fathom::bench
