// Table `fields`: how often range() decides the sign over a box, and how fast; beside the ball bound, which asks the
// mesh for the exact distance at the box's centre and takes off half the diagonal. One thread.
#include <benchmarks/report.h>
#include <fathom/base/parallel.h>
#include <fathom/base/random.h>
#include <fathom/field/mesh/grid_builder.h>
#include <fathom/field/mesh/mesh_field.h>
#include <fathom/geometry/io/mesh_file.h>
#include <fathom/geometry/primitive/triangle_overlap.h>
#include <fathom/geometry/surface_tree/surface_tree.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace fathom::bench {

namespace {

constexpr std::size_t count = 100000;

std::vector<Box> random_boxes(const Box& domain, double side) {
    Random random(31);
    std::vector<Box> boxes(count);
    const Box centers = domain.grown(-0.5 * side);
    for (Box& box : boxes) box = Box::around(random.in_box(centers), Vec3::Constant(0.5 * side));
    return boxes;
}

bool decides(const Interval& range) { return range.lower > 0 || range.upper < 0; }

double share_decided(const std::vector<Interval>& ranges) {
    return static_cast<double>(std::count_if(ranges.begin(), ranges.end(), decides)) /
           static_cast<double>(ranges.size());
}

bool meets_surface(const MeshField& exact, const Box& box) {
    const auto near = exact.tree().overlapping(box);
    return std::any_of(near.begin(), near.end(),
                       [&](Index t) { return box_overlaps_triangle(box, exact.mesh().corners(t)); });
}

// Share of boxes without any surface in them: what a perfect range would decide. By a part of the boxes, as it is slow.
double share_free(const MeshField& exact, const std::vector<Box>& boxes) {
    constexpr std::size_t part = 4000;
    std::size_t free = 0;
    for (std::size_t k = 0; k < part; ++k) free += !meets_surface(exact, boxes[k]);
    return static_cast<double>(free) / part;
}

void range_row(Report& report, const MeshField& exact, const GridField& field, int resolution, int parts) {
    const double side = field.domain().size().maxCoeff() / parts;
    const std::vector<Box> boxes = random_boxes(field.domain(), side);
    std::vector<Interval> ours(count), ball(count);
    const std::function<void()> rivals[] = {[&] { field.ranges(boxes, ours); }, [&] { exact.ranges(boxes, ball); }};
    const auto seconds = race(rivals, 3);
    Random random(32);
    std::size_t missed = 0;
    double width = 0, ball_width = 0;
    for (std::size_t k = 0; k < count; ++k) {
        missed += !ours[k].contains(field.distance(random.in_box(boxes[k])));
        width += ours[k].width(), ball_width += ball[k].width();
    }
    const double scale = 1e9 / static_cast<double>(count);
    const std::string id = fmt::format("{}-{}", resolution, parts),
                      work = fmt::format("at {}, boxes of 1/{} of the box", resolution, parts);
    const double decided = 100 * share_decided(ours), by_sphere = 100 * share_decided(ball);
    report.add({"field-range-share-" + id, "sign decided, " + work, "%", decided,
                by_sphere > 0 ? "mesh, ball bound" : "", by_sphere,
                by_sphere > 0 ? ratio(decided, by_sphere, Better::larger) : 0,
                fmt::format("{:.2f} % hold no surface; {} of {} miss; {:.2f} of the ball's width",
                            100 * share_free(exact, boxes), missed, count, width / ball_width),
                0});
    report.add({"field-range-time-" + id, "range, " + work, "ns", seconds[0] * scale, "mesh, ball bound",
                seconds[1] * scale, ratio(seconds[0], seconds[1]), "-", 0});
}

void run(Report& report) {
    const MeshField exact(read_triangle_mesh(model("bunny.obj")));
    for (const int resolution : {256, 1024}) {
        const GridField field = build_grid(exact.mesh(), {.resolution = resolution});
        set_thread_count(1);
        for (const int parts : {4, 16, 64, 256}) range_row(report, exact, field, resolution, parts);
        set_thread_count(0);
    }
}

const Registration registration("fields/range", "range of grid fields over boxes, one thread", run);

} // namespace

} // namespace fathom::bench
