// Surface points, clustering into parts, growth of the boxes with the proof of containment, and the culling of pairs.
#include <fathom/detect/decomposition/decomposition.h>

#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/base/rounding.h>
#include <fathom/detect/decomposition/box_clustering.h>
#include <fathom/geometry/primitive/oriented_box.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace fathom {

namespace {

void check(const DecompositionOptions& options) {
    const auto need = [](bool holds, const char* reason, const char* option) {
        if (!holds) throw Error(Cause::invalid_argument, reason, {.element = option});
    };
    need(options.parts >= 0 && options.parts <= 256, "must be 0 to 256", "option parts");
    need(options.max_parts >= 1 && options.max_parts <= 256, "must be 1 to 256", "option max_parts");
    need(options.worth >= 0 && options.worth <= 1, "must be in [0,1]", "option worth");
    need(options.samples >= 100 && options.samples <= 1'000'000, "must be 100 to 1e6", "option samples");
    need(options.detail >= 0 && std::isfinite(options.detail), "must be finite and at least 0", "option detail");
    need(options.max_cells >= 1000, "must be at least 1000", "option max_cells");
}

void check_boxes(std::span<const OrientedBox> boxes) {
    for (std::size_t k = 0; k < boxes.size(); ++k) {
        const OrientedBox& box = boxes[k];
        const Place place{.element = "box", .index = static_cast<std::int64_t>(k)};
        if (!is_finite(box.half) || !is_finite(box.pose.translation) || !box.pose.rotation.coeffs().allFinite())
            throw Error(Cause::non_finite, "a number is not finite", place);
        if (box.half.minCoeff() < 0) throw Error(Cause::invalid_argument, "a half extent is negative", place);
        if (std::abs(box.pose.rotation.norm() - 1) > unit_tolerance)
            throw Error(Cause::invalid_argument, "the rotation is not a unit quaternion", place);
    }
}

double detail_of(const Field& field, const DecompositionOptions& options) {
    return options.detail > 0 ? options.detail : natural_cell(field);
}

// ---- Points of the surface and of the interior

// The cells of the first octree level with about the wanted number; full cells stay two levels coarser.
std::vector<InsideCell> sampling_cells(const Field& field, double detail, std::size_t wanted, double& side) {
    side = field.bounds().size().maxCoeff() / 8;
    for (;;) {
        const double coarse = 4 * side * (1 + 1e-9);
        const auto settled = [&](const InsideCell& cell) { return cell.full && cell.box.size().maxCoeff() <= coarse; };
        std::vector<InsideCell> cells =
            inside_cells(field, {.min_side = side, .max_cells = 4 * wanted + 1000}, settled);
        const auto mixed = static_cast<std::size_t>(
            std::count_if(cells.begin(), cells.end(), [](const InsideCell& c) { return !c.full; }));
        if (4 * mixed >= wanted || cells.empty() || side <= 2 * detail) return cells;
        side /= 2;
    }
}

// Newton steps to the zero set, none longer than a cell; a point that leaves its cell is dropped.
void project(const Field& field, double side, std::vector<Vec3>& places, std::vector<Sample>& samples) {
    constexpr std::size_t chunk = 128;
    constexpr int max_steps = 6;
    samples.resize(places.size());
    parallel_for(places.size(), chunk, [&](std::size_t begin, std::size_t end) {
        const std::span<Vec3> at(places.data() + begin, end - begin);
        const std::span<Sample> found(samples.data() + begin, end - begin);
        field.samples(at, found);
        for (int step = 0; step < max_steps; ++step) {
            for (std::size_t k = 0; k < at.size(); ++k) {
                const double slope = found[k].gradient.squaredNorm();
                Vec3 move = slope > 0 ? Vec3(-found[k].distance / slope * found[k].gradient) : Vec3::Zero();
                if (move.norm() > side) move *= side / move.norm();
                if (is_finite(move)) at[k] += move;
            }
            field.samples(at, found);
        }
    });
}

std::vector<CloudPoint> cloud_of(const Field& field, std::span<const InsideCell> cells, double side) {
    std::vector<Vec3> places;
    for (const InsideCell& cell : cells)
        if (!cell.full) places.push_back(cell.box.center());
    const std::vector<Vec3> centers = places;
    std::vector<Sample> samples;
    project(field, side, places, samples);
    std::vector<double> at_center(centers.size());
    field.distances(centers, at_center);
    const double lipschitz = field.lipschitz();
    std::vector<CloudPoint> cloud;
    for (std::size_t k = 0; k < places.size(); ++k) {
        const double slope = samples[k].gradient.norm();
        const bool found = slope > 0 && std::abs(samples[k].distance) <= 0.05 * side * slope &&
                           (places[k] - centers[k]).norm() <= 2 * side;
        if (found) cloud.push_back({places[k], samples[k].gradient / slope, 0, 0});
        if (at_center[k] <= 0)
            cloud.push_back(
                {centers[k], Vec3::Zero(), std::min(0.5 * side, -at_center[k] / lipschitz), side * side * side});
    }
    for (const InsideCell& cell : cells)
        if (cell.full)
            cloud.push_back({cell.box.center(), Vec3::Zero(), cell.box.half().minCoeff(), cell.box.volume()});
    return cloud;
}

// ---- Growth

// A box as extents in its own frame; growth changes one side at a time.
struct GrowingBox {
    Quat axes;
    Vec3 origin;
    Box local;

    explicit GrowingBox(const OrientedBox& box)
        : axes(box.pose.rotation), origin(box.pose.translation), local{-box.half, box.half} {}

    [[nodiscard]] OrientedBox box() const { return {{axes, origin + axes * local.center()}, local.half()}; }

    // The extents enlarged to contain the cell, with a margin for rounding.
    [[nodiscard]] Box with(const Box& cell) const {
        const Mat3 rotation = axes.toRotationMatrix();
        const Vec3 center = rotation.transpose() * (cell.center() - origin),
                   reach = rotation.cwiseAbs().transpose() * cell.half();
        const double spare = relative_rounding * (cell.center().cwiseAbs().maxCoeff() + origin.cwiseAbs().maxCoeff() +
                                                  local.diagonal() + reach.sum() + center.norm());
        return hull(local, Box::around(center, reach + Vec3::Constant(spare)));
    }
};

class Cover {
public:
    explicit Cover(std::span<const OrientedBox> boxes)
        : boxes_(boxes.begin(), boxes.end()), growing_(boxes.begin(), boxes.end()) {}

    [[nodiscard]] bool holds(const Box& cell) const {
        return std::any_of(boxes_.begin(), boxes_.end(),
                           [&](const OrientedBox& box) { return certainly_contains(box, cell); });
    }

    void grow_round(const Box& cell) {
        if (holds(cell)) return;
        Index best = 0;
        double least = std::numeric_limits<double>::infinity();
        const double thin = cell.half().maxCoeff(); // flat boxes have no volume to compare
        for (Index k = 0; k < growing_.size(); ++k) {
            const auto bulk = [&](const Box& box) { return (box.size() + Vec3::Constant(thin)).prod(); };
            const double growth = bulk(growing_[k].with(cell)) - bulk(growing_[k].local);
            if (growth < least) least = growth, best = k;
        }
        growing_[best].local = growing_[best].with(cell);
        boxes_[best] = growing_[best].box();
    }

    // Shrinks each box to the cells that no other box contains; a box without such cells is removed. All cells must be
    // contained.
    void trim(std::span<const InsideCell> cells) {
        std::vector<std::vector<Index>> held(boxes_.size()); // cells contained in each box
        parallel_tasks(boxes_.size(), [&](std::size_t k) {
            for (std::size_t c = 0; c < cells.size(); ++c)
                if (certainly_contains(boxes_[k], cells[c].box)) held[k].push_back(static_cast<Index>(c));
        });
        std::vector<Index> holders(cells.size(), 0);
        for (const auto& list : held)
            for (const Index c : list) ++holders[c];
        std::vector<OrientedBox> kept;
        for (std::size_t k = 0; k < boxes_.size(); ++k) {
            std::vector<Index> needed;
            for (const Index c : held[k])
                if (holders[c] == 1) needed.push_back(c);
            const OrientedBox box = needed.empty() ? OrientedBox{} : shrunk(boxes_[k], cells, needed);
            for (const Index c : held[k])
                if (needed.empty() || !certainly_contains(box, cells[c].box)) --holders[c];
            if (!needed.empty()) kept.push_back(box);
        }
        boxes_ = std::move(kept);
    }

    [[nodiscard]] std::vector<OrientedBox> boxes() const { return boxes_; }

private:
    // A box within `box` around the needed cells; unchanged if rounding would lose one of them.
    [[nodiscard]] static OrientedBox shrunk(const OrientedBox& box, std::span<const InsideCell> cells,
                                            const std::vector<Index>& needed) {
        GrowingBox round(box);
        Box extent;
        for (const Index c : needed) {
            const Vec3 center = round.axes.conjugate() * (cells[c].box.center() - round.origin);
            round.local = {center, center};
            extent.extend(round.with(cells[c].box));
        }
        round.local = intersection(extent, Box{-box.half, box.half});
        const OrientedBox smaller = round.box();
        const bool holds = std::all_of(needed.begin(), needed.end(),
                                       [&](Index c) { return certainly_contains(smaller, cells[c].box); });
        return holds ? smaller : box;
    }

    std::vector<OrientedBox> boxes_;
    std::vector<GrowingBox> growing_;
};

std::vector<InsideCell> cells_in(const Field& field, const Cover& cover, const DecompositionOptions& options) {
    const auto settled = [&](const InsideCell& cell) { return cover.holds(cell.box); };
    return inside_cells(field, {.min_side = detail_of(field, options), .max_cells = options.max_cells}, settled);
}

// Enlarges the boxes so that they overlap by one cell, and cells at the seam of two boxes are inside one of them.
std::vector<OrientedBox> thickened(std::span<const OrientedBox> boxes, double margin) {
    std::vector<OrientedBox> out(boxes.begin(), boxes.end());
    for (OrientedBox& box : out) box.half += Vec3::Constant(margin);
    return out;
}

Decomposition grown(const Field& field, std::span<const OrientedBox> boxes, const DecompositionOptions& options,
                    bool trim, std::size_t& cells_seen) {
    Cover cover(boxes);
    const std::vector<InsideCell> cells = cells_in(field, cover, options);
    cells_seen = cells.size();
    for (const InsideCell& cell : cells) cover.grow_round(cell.box);
    if (trim) cover.trim(cells);
    return {cover.boxes(),
            std::all_of(cells.begin(), cells.end(), [&](const InsideCell& cell) { return cover.holds(cell.box); })};
}

// ---- The report

Interval inside_volume(const Field& field, const DecompositionOptions& options) {
    const auto settled = [](const InsideCell& cell) { return cell.full; };
    const auto cells =
        inside_cells(field, {.min_side = detail_of(field, options), .max_cells = options.max_cells / 8}, settled);
    double full = 0, all = 0;
    for (const InsideCell& cell : cells) {
        all += cell.box.volume();
        if (cell.full) full += cell.box.volume();
    }
    return {full * (1 - 1e-9), all * (1 + 1e-9)};
}

Interval protrusion_of(const Field& field, std::span<const OrientedBox> boxes) {
    constexpr int steps = 8; // of a lattice along each side of a box
    if (boxes.empty()) return {0, 0};
    const auto in_box = [&](const OrientedBox& box) {
        std::vector<Vec3> places;
        for (int z = 0; z <= steps; ++z)
            for (int y = 0; y <= steps; ++y)
                for (int x = 0; x <= steps; ++x)
                    places.push_back(box.pose *
                                     Vec3((Vec3(x, y, z) / (0.5 * steps) - Vec3::Ones()).cwiseProduct(box.half)));
        std::vector<double> values(places.size());
        field.distances(places, values);
        const double seen = *std::max_element(values.begin(), values.end());
        return Interval{seen, seen + field.lipschitz() * box.half.norm() / steps * (1 + 1e-9)};
    };
    return parallel_reduce(
        boxes.size(), 1, Interval{-HUGE_VAL, -HUGE_VAL},
        [&](std::size_t begin, std::size_t) { return in_box(boxes[begin]); },
        [](const Interval& a, const Interval& b) { return max(a, b); });
}

void fill_report(const Field& field, std::span<const OrientedBox> boxes, const DecompositionOptions& options,
                 DecompositionReport& report) {
    report.inside_volume = inside_volume(field, options);
    report.box_volume = 0;
    for (const OrientedBox& box : boxes) report.box_volume += box.volume();
    const double volume = report.box_volume;
    report.fill =
        volume > 0 ? Interval{report.inside_volume.lower / volume, report.inside_volume.upper / volume} : Interval{0};
    report.protrusion = protrusion_of(field, boxes);
}

} // namespace

Decomposition decompose(const Field& field, const DecompositionOptions& options, DecompositionReport* report) {
    check(options);
    const double detail = detail_of(field, options);
    double side = 0;
    const std::vector<InsideCell> cells = sampling_cells(field, detail, options.samples, side);
    std::vector<CloudPoint> cloud = cloud_of(field, cells, side);
    if (cloud.empty()) // thinner than a cell, or empty: use the cells themselves
        for (const InsideCell& cell : cells) cloud.push_back({cell.box.center(), Vec3::Zero(), 0, 0});
    const std::vector<OrientedBox> boxes = search_parts(
        cloud, {.parts = options.parts, .max_parts = options.max_parts, .worth = options.worth, .spacing = 0.2 * side});
    std::size_t cells_seen = 0;
    Decomposition result{{}, true};
    if (!boxes.empty()) result = grown(field, thickened(boxes, 0.5 * detail), options, true, cells_seen);
    if (report) {
        fill_report(field, result.boxes, options, *report);
        report->samples = static_cast<std::size_t>(
            std::count_if(cloud.begin(), cloud.end(), [](const CloudPoint& p) { return p.normal != Vec3::Zero(); }));
        report->cells = cells_seen;
    }
    return result;
}

Decomposition grown_to_contain(const Field& field, std::span<const OrientedBox> boxes,
                               const DecompositionOptions& options, DecompositionReport* report) {
    check(options);
    check_boxes(boxes);
    if (boxes.empty()) {
        DecompositionOptions one = options;
        one.parts = 1;
        return decompose(field, one, report);
    }
    std::size_t cells_seen = 0;
    Decomposition result = grown(field, boxes, options, false, cells_seen);
    if (report) {
        fill_report(field, result.boxes, options, *report);
        report->cells = cells_seen;
    }
    return result;
}

bool proven_to_contain(const Field& field, std::span<const OrientedBox> boxes, const DecompositionOptions& options) {
    check(options);
    check_boxes(boxes);
    const Cover cover(boxes);
    const std::vector<InsideCell> cells = cells_in(field, cover, options);
    return std::all_of(cells.begin(), cells.end(), [&](const InsideCell& cell) { return cover.holds(cell.box); });
}

DecompositionReport report_on(const Field& field, std::span<const OrientedBox> boxes,
                              const DecompositionOptions& options) {
    check(options);
    check_boxes(boxes);
    DecompositionReport report;
    fill_report(field, boxes, options, report);
    return report;
}

void overlapping_parts(const Decomposition& a, const Pose& pose_a, const Decomposition& b, const Pose& pose_b,
                       std::vector<PartPair>& out, double margin) {
    out.clear();
    const Pose from_b = relative(pose_a, pose_b); // the frame of a, in which its axis-aligned boxes are tightest
    const auto count_b = static_cast<Index>(b.boxes.size());
    std::vector<OrientedBox> placed(b.boxes.begin(), b.boxes.end());
    std::vector<Box> bounds;
    const double far = pose_a.translation.norm() + pose_b.translation.norm();
    for (OrientedBox& box : placed) {
        // However near the bodies are, their relative pose is rounded with both translations.
        box.half += Vec3::Constant(position_rounding(far, box.pose.translation.norm(), box.half.norm()));
        box.pose = from_b * box.pose;
        const Box axis = box.bounds();
        bounds.push_back(axis.grown(margin + relative_rounding * (axis.diagonal() + axis.lower.cwiseAbs().maxCoeff())));
    }
    for (Index i = 0; i < a.boxes.size(); ++i) {
        const Box mine = a.boxes[i].bounds();
        for (Index j = 0; j < count_b; ++j)
            if (mine.overlaps(bounds[j]) &&
                (boxes_overlap(a.boxes[i], placed[j]) || (margin > 0 && gap_between(a.boxes[i], placed[j]) <= margin)))
                out.push_back({i, j});
    }
}

} // namespace fathom
