// Table `ccd`: segments against the bunny (Xu & Barbic 2014, tables 1 and 2), beside the paper's own walks on the same
// grid, and Embree, OpenVDB and Bullet. One thread; segments with both ends uniform in the box of the field.
#include <benchmarks/bullet_peer.h>
#include <benchmarks/embree_peer.h>
#include <benchmarks/openvdb_peer.h>
#include <benchmarks/report.h>
#include <fathom/base/parallel.h>
#include <fathom/base/random.h>
#include <fathom/baseline/octree_traversal.h>
#include <fathom/detect/point_field/dda_traversal.h>
#include <fathom/detect/point_field/segment_caster.h>
#include <fathom/field/grid/grid_assembler.h>
#include <fathom/field/mesh/grid_builder.h>
#include <fathom/geometry/io/mesh_file.h>
#include <fathom/geometry/surface_tree/surface_tree.h>

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <functional>

namespace fathom::bench {

namespace {

constexpr std::size_t count = 1000000;
constexpr std::array resolutions = {128, 256, 512, 1024};

// The paper's seconds for 10^6 segments are microseconds for one; its octree beside them: seconds and MB (tables 1 and
// 2).
struct Paper {
    double uniform, octree, build, memory;
};
constexpr std::array<Paper, 4> paper = {
    {{12.7, 12.0, 0.01, 34.2}, {38.8, 13.1, 0.09, 273.6}, {97.2, 15.4, 0.65, 2140}, {274.3, 21.4, 4.88, 17100}}};

std::vector<Segment> random_segments(const Box& box) {
    Random random(12345);
    std::vector<Segment> segments(count);
    for (Segment& s : segments) s = {random.in_box(box), random.in_box(box)};
    return segments;
}

// The field with every sample stored, as the paper holds it: its plain walk then reads eight values for every cell.
GridField dense_copy(const GridField& field) {
    const GridLayout& layout = field.layout();
    const auto corners = field.data().corners;
    GridAssembler assembler(layout, GridStorage::code16, {corners.begin(), corners.end()},
                            std::vector<bool>(layout.brick_count(), true));
    parallel_for(layout.brick_count(), 64, [&](std::size_t begin, std::size_t end) {
        std::array<Vec3, brick_size> points;
        std::array<double, brick_size> samples;
        for (std::size_t b = begin; b < end; ++b) {
            brick_positions(layout, layout.brick_position(b), points);
            field.distances(points, samples);
            assembler.set(b, samples);
        }
    });
    return GridField(
        std::move(assembler).finish(field.data().band, {.error = field.error_bound(), .lipschitz = field.lipschitz()}));
}

// How the first crossings agree with those of exact arithmetic on the mesh. Segments that begin inside touch at once,
// so they have no entry to compare.
std::string agreement(const SurfaceTree& tree, std::span<const Segment> segments, std::span<const CastHit> hits) {
    constexpr std::size_t stride = 20;
    std::size_t alike = 0, asked = 0, both = 0, inside = 0;
    double off = 0;
    for (std::size_t k = 0; k < segments.size(); k += stride) {
        const Segment& s = segments[k];
        const bool touched = hits[k].status == Status::overlapping;
        if (touched && hits[k].time == 0) {
            ++inside;
            continue;
        }
        const SurfaceHit exact = tree.first_hit({s.start, s.end - s.start}, 1);
        const bool truth = exact.triangle != no_index;
        ++asked;
        alike += touched == truth;
        if (touched && truth) off += std::abs(hits[k].time - exact.t) * s.length(), ++both;
    }
    return fmt::format("{:.3f} % hit or miss as the mesh, mean {:.1e} off; {:.1f} % begin inside",
                       100.0 * static_cast<double>(alike) / static_cast<double>(asked), off / static_cast<double>(both),
                       100.0 * static_cast<double>(inside) / static_cast<double>(asked + inside));
}

// A walk of the paper over some of the segments.
using Walk = void (*)(const GridField&, const point_field::GridPath&, double, CellTest, std::vector<ContactInterval>&);
std::function<void()> paper_walk(Walk walk, const GridField& field, std::span<const Segment> segments) {
    return [walk, &field, segments] {
        std::vector<ContactInterval> out;
        for (const Segment& s : segments) {
            out.clear();
            walk(field, point_field::grid_path(field.layout(), s), 0.0, CellTest::paper, out);
        }
    };
}

struct Times {
    double first, all; // us
};

Times rows(Report& report, const TriangleMesh& mesh, const SurfaceTree& tree, std::size_t n) {
    const int resolution = resolutions[n];
    const auto field = std::make_shared<const GridField>(build_grid(mesh, {.resolution = resolution}));
    const EmbreeScene embree(mesh);
    const BulletScene bullet(mesh);
    const OpenVdbField vdb(mesh, field->layout().cell);
    const GridField dense = dense_copy(*field);
    set_thread_count(1);
    const SegmentCaster caster(field);
    const std::vector<Segment> segments = random_segments(field->domain());
    const std::size_t few = count / (std::size_t{10} << n), some = count / 10; // of the plain walk, of the slower peers
    std::vector<CastHit> hits(count);
    CastIntervals intervals;
    std::vector<double> theirs(count);
    std::vector<float> crossings;
    const std::span<const Segment> all = segments;
    const std::function<void()> rivals[] = {[&] { caster.first(all, hits); },
                                            [&] { caster.all(all, intervals); },
                                            [&] { embree.first_hits(all, theirs); },
                                            [&] { (void)embree.all_hits(all, crossings); },
                                            [&] { vdb.first_hits(all.first(some), std::span(theirs).first(some)); },
                                            [&] { bullet.first_hits(all.first(some), std::span(theirs).first(some)); },
                                            paper_walk(octree_intervals, *field, all.first(some)),
                                            paper_walk(dda_intervals, dense, all.first(few))};
    const std::vector<double> seconds = race(rivals, 3);
    set_thread_count(0);
    const auto microseconds = [&](std::size_t k, std::size_t asked) {
        return 1e6 * seconds[k] / static_cast<double>(asked);
    };
    const Times ours{microseconds(0, count), microseconds(1, count)};
    const double memory = 1e-6 * static_cast<double>(caster.bytes());
    const std::string error = agreement(tree, segments, hits);
    const auto add = [&](const std::string& kind, const std::string& work, double mine, const std::string& peer,
                         double value, const std::string& words) {
        report.add({fmt::format("segments-{}-{}", kind, resolution), work, "us", mine, peer, value, ratio(mine, value),
                    words, memory});
    };
    add("first", fmt::format("10^6 segments at {}, first contact", resolution), ours.first, "Embree rtcIntersect1",
        microseconds(2, count), error);
    add("all", fmt::format("10^6 segments at {}, all intervals", resolution), ours.all, "Embree all, sorted, distinct",
        microseconds(3, count), fmt::format("{} intervals", intervals.intervals.size()));
    add("vdb", "first contact", ours.first, "OpenVDB LevelSetRayIntersector", microseconds(4, some), "-");
    add("bullet", "first contact", ours.first, "Bullet rayTest closest", microseconds(5, some), "-");
    add("octree", fmt::format("all intervals (paper's octree: {} us)", paper[n].octree), ours.all,
        "octree walk of the paper", microseconds(6, some), "-");
    add("plain", fmt::format("all intervals (paper's plain walk: {} us)", paper[n].uniform), ours.all,
        "plain walk of the paper", microseconds(7, few), "-");
    return ours;
}

void run(Report& report) {
    const TriangleMesh bunny = read_triangle_mesh(model("bunny.obj"));
    const SurfaceTree tree(bunny);
    std::array<Times, resolutions.size()> times{};
    for (std::size_t n = 0; n < resolutions.size(); ++n) times[n] = rows(report, bunny, tree, n);
    std::string growth;
    for (std::size_t n = 1; n < times.size(); ++n)
        growth += fmt::format("{}{:.2f} / {:.2f}", n > 1 ? ", " : "", times[n].first / times[n - 1].first,
                              times[n].all / times[n - 1].all);
    report.note("growth of first / all contacts per doubling of the resolution: " + growth);
    report.note("the paper's walks, OpenVDB and Bullet ran on the first tenth of the segments, the plain walk on fewer "
                "at each doubling");
    report.note("the plain walk reads a grid with every sample stored, as the paper's; the octree walk has our sparse "
                "grid, which is to its advantage");
    report.note("OpenVDB holds the same cells, three on either side; Embree and Bullet hold the mesh itself, in float");
    report.note("segments that begin inside are in contact at time 0; Embree and the others look for the next crossing "
                "instead");
}

// What stands in for the paper's octree: the grid's own pyramid, and what is prepared for one level.
void run_octree(Report& report) {
    const TriangleMesh bunny = read_triangle_mesh(model("bunny.obj"));
    for (std::size_t n = 0; n < resolutions.size(); ++n) {
        const auto field = std::make_shared<const GridField>(build_grid(bunny, {.resolution = resolutions[n]}));
        std::size_t pyramid = field->data().block_ranges.size_bytes();
        for (const auto& level : field->data().levels) pyramid += level.size_bytes();
        std::size_t bytes = 0;
        double seconds = 1e300;
        for (int round = 0; round < 3; ++round)
            seconds = std::min(seconds, wall_seconds([&] { bytes = SegmentCaster(field).bytes(); }));
        const double memory = 1e-6 * static_cast<double>(bytes + pyramid);
        report.add({fmt::format("octree-build-{}", resolutions[n]),
                    fmt::format("preparing the level, {} threads", thread_count()), "s", seconds,
                    "the paper's (its machine)", paper[n].build, ratio(seconds, paper[n].build), "-", memory});
        report.add({fmt::format("octree-memory-{}", resolutions[n]),
                    fmt::format("pyramid {:.2f} MB + level", 1e-6 * static_cast<double>(pyramid)), "MB", memory,
                    "the paper's", paper[n].memory, ratio(memory, paper[n].memory), "-", memory});
    }
    report.note("the pyramid is made with the grid; the level is prepared once for every distance that is asked about");
}

const Registration registration("ccd/segments", "segments against the bunny (paper's table 2), one thread", run);
const Registration octree_registration("ccd/octree", "what the walk prepares (paper's table 1)", run_octree);

} // namespace

} // namespace fathom::bench
