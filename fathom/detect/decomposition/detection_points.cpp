// Algorithm 1 of Liu et al. 2024 on two boxes, the six-neighbour rule on lattice points near a surface, and the
// complete method of the paper.
#include <fathom/detect/decomposition/detection_points.h>

#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/base/rounding.h>
#include <fathom/detect/decomposition/box_clustering.h>
#include <fathom/detect/field_field/dual_gradient.h>
#include <fathom/field/grid/grid_field.h>
#include <fathom/geometry/primitive/oriented_box.h>
#include <fathom/geometry/sample/point_shell.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace fathom {

namespace {

void need(bool holds, const char* reason, const char* option) {
    if (!holds) throw Error(Cause::invalid_argument, reason, {.element = option});
}

// ---- Common points

int depth_for(const OrientedBox& a, const OrientedBox& b, const Box& region) {
    const double thin = 0.5 * std::min(a.half.minCoeff(), b.half.minCoeff()), side = region.size().maxCoeff();
    if (!(thin > 0)) return 5;
    return std::clamp(static_cast<int>(std::ceil(std::log2(std::max(side / thin, 1.0)))), 1, 5);
}

// Adds the midpoint of the intersection of each edge of `a` with `b`.
void add_shared_edges(const OrientedBox& a, const OrientedBox& b, Vec3& sum, int& count) {
    const std::array<Vec3, 8> corners = corners_of(a);
    for (std::size_t k = 0; k < 24; ++k) {
        const std::size_t from = k % 8, to = from | (std::size_t{1} << (k / 8));
        if (from == to) continue;
        const Vec3 start = b.pose.to_local(corners[from]), edge = b.pose.to_local(corners[to]) - start;
        Interval shared{0, 1};
        for (int axis = 0; axis < 3; ++axis) {
            const double near = -b.half[axis] - start[axis], far = b.half[axis] - start[axis];
            if (edge[axis] == 0)
                shared = near <= 0 && far >= 0 ? shared : Interval::none();
            else
                shared = intersection(shared, {std::min(near / edge[axis], far / edge[axis]),
                                               std::max(near / edge[axis], far / edge[axis])});
        }
        if (shared.empty()) continue;
        sum += corners[from] + shared.middle() * (corners[to] - corners[from]);
        ++count;
    }
}

// A point of both boxes. If two boxes intersect, an edge of one reaches into the other; the intersection is convex, so
// it contains the mean of its points.
Vec3 between(const OrientedBox& a, const OrientedBox& b) {
    Vec3 sum = Vec3::Zero();
    int count = 0;
    add_shared_edges(a, b, sum, count);
    add_shared_edges(b, a, sum, count);
    if (count > 0) return sum / count;
    return 0.5 * (a.closest(b.pose.translation) + b.closest(a.pose.translation)); // the boxes touch up to rounding
}

// One level of algorithm 1: cells in both boxes give their centres, cells outside one are dropped, the others are
// subdivided.
void sift(const OrientedBox& a, const OrientedBox& b, std::vector<Box>& cells, std::vector<Vec3>& out) {
    std::vector<Box> finer;
    for (const Box& cell : cells) {
        const Interval from_a = box_distance_range(a, cell);
        if (from_a.lower > 0) continue;
        const Interval from_b = box_distance_range(b, cell);
        if (from_b.lower > 0) continue;
        if (from_a.upper <= 0 && from_b.upper <= 0) {
            out.push_back(cell.center());
            continue;
        }
        const Vec3 middle = cell.center();
        for (int k = 0; k < 8; ++k) finer.push_back({cell.corner(k).cwiseMin(middle), cell.corner(k).cwiseMax(middle)});
    }
    cells = std::move(finer);
}

void keep_evenly(std::vector<Vec3>& points, std::size_t most) {
    if (points.size() <= most) return;
    for (std::size_t k = 0; k < most; ++k) points[k] = points[k * points.size() / most];
    points.resize(most);
}

// ---- Protrusions

double boundary_of(const Field& field, double reach) {
    const double error = field.near_error_bound();
    return error < 0.25 * reach ? -error : 0.0;
}

double reach_for(const ProtrusionOptions& options, double spacing) {
    return options.reach > 0 ? options.reach : 4 * spacing;
}

struct Candidate {
    Vec3 place;
    double value;
    int outside; // number of the six neighbours that are outside
};

// The lattice points of cells that may contain interior points and are not too deep to qualify. The lattice is coarser
// if there are too many.
std::vector<Vec3> lattice_near_surface(const Field& field, const ProtrusionOptions& options, double& spacing) {
    for (;; spacing *= 2) {
        const double reach = reach_for(options, spacing),
                     deepest = boundary_of(field, reach) - field.lipschitz() * reach;
        std::vector<Vec3> places;
        bool fits = true;
        const auto settled = [](const InsideCell&) { return false; };
        const std::vector<InsideCell> cells =
            inside_cells(field, {.min_side = 8 * spacing, .max_cells = options.max_candidates}, settled);
        std::vector<Box> boxes;
        boxes.reserve(cells.size());
        for (const InsideCell& cell : cells) boxes.push_back(cell.box);
        std::vector<Interval> ranges(boxes.size());
        field.ranges(boxes, ranges);
        for (std::size_t k = 0; k < cells.size() && fits; ++k) {
            if (ranges[k].upper < deepest) continue;
            const Box& box = cells[k].box;
            const Vec3 first = (box.lower / spacing).array().ceil(), last = (box.upper / spacing).array().ceil();
            if (!(((last - first).array() <= 1e4).all())) {
                fits = false;
                break;
            }
            for (double z = first.z(); z < last.z(); ++z)
                for (double y = first.y(); y < last.y(); ++y)
                    for (double x = first.x(); x < last.x(); ++x) places.push_back(spacing * Vec3(x, y, z));
            fits = places.size() <= options.max_candidates;
        }
        if (fits) return places;
    }
}

std::vector<Candidate> qualified(const Field& field, std::span<const Vec3> places, double boundary, double reach) {
    constexpr std::size_t chunk = 1024;
    using List = std::vector<Candidate>;
    const double deepest = boundary - field.lipschitz() * reach;
    const auto part = [&](std::size_t begin, std::size_t end) {
        std::vector<double> values(end - begin);
        field.distances(places.subspan(begin, end - begin), values);
        List near;
        std::vector<Vec3> around;
        for (std::size_t k = 0; k < values.size(); ++k) {
            if (!(values[k] < boundary) || values[k] < deepest) continue;
            near.push_back({places[begin + k], values[k], 0});
            for (int n = 0; n < 6; ++n)
                around.push_back(places[begin + k] + (n % 2 ? reach : -reach) * Vec3::Unit(n / 2));
        }
        std::vector<double> beyond(around.size());
        field.distances(around, beyond);
        for (std::size_t k = 0; k < beyond.size(); ++k) near[k / 6].outside += beyond[k] > boundary;
        std::erase_if(near, [](const Candidate& c) { return c.outside < 4; });
        return near;
    };
    return parallel_reduce(places.size(), chunk, List{}, part, [](List all, List more) {
        all.insert(all.end(), more.begin(), more.end());
        return all;
    });
}

std::vector<Vec3> thinned(std::vector<Candidate> candidates, double reach) {
    std::stable_sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
        return a.outside != b.outside ? a.outside > b.outside : a.value < b.value;
    });
    std::vector<Vec3> places, kept;
    for (const Candidate& c : candidates) places.push_back(c.place);
    if (places.empty()) return kept;
    const PointGrid grid(places, reach);
    std::vector<bool> gone(places.size(), false);
    for (std::size_t k = 0; k < places.size(); ++k) {
        if (gone[k]) continue;
        kept.push_back(places[k]);
        grid.near(places[k], reach, [&](Index other, const Vec3& p) {
            if ((p - places[k]).squaredNorm() < reach * reach) gone[other] = true;
        });
    }
    return kept;
}

} // namespace

Interval box_distance_range(const OrientedBox& box, const Box& over) {
    const Mat3 rotation = box.pose.rotation.toRotationMatrix();
    const Vec3 center = box.pose.to_local(over.center()), half = rotation.cwiseAbs().transpose() * over.half();
    const double spare = position_rounding(over.center().cwiseAbs().maxCoeff(),
                                           box.pose.translation.cwiseAbs().maxCoeff(), half.sum(), box.half.sum());
    Vec3 low, high; // bounds on |p| - half extents, by axis
    for (int k = 0; k < 3; ++k) {
        const Interval q = abs(Interval{center[k] - half[k] - spare, center[k] + half[k] + spare});
        low[k] = q.lower - box.half[k];
        high[k] = q.upper - box.half[k];
    }
    const auto distance = [](const Vec3& q) { return q.cwiseMax(0.0).norm() + std::min(q.maxCoeff(), 0.0); };
    return {distance(low) - spare, distance(high) + spare}; // the distance increases with every |p|
}

void common_points(const OrientedBox& a, const OrientedBox& b, std::vector<Vec3>& out,
                   const CommonPointOptions& options) {
    need(options.depth >= 0 && options.depth <= 8, "must be 0 to 8", "option depth");
    need(options.max_points >= 1, "must be at least 1", "option max_points");
    out.clear();
    if (!boxes_overlap(a, b)) return;
    const Box region = intersection(a.bounds(), b.bounds());
    if (!region.empty()) {
        const int depth = options.depth > 0 ? options.depth : depth_for(a, b, region);
        std::vector<Box> cells = {region};
        for (int level = 0; level <= depth && !cells.empty() && out.size() < options.max_points; ++level)
            sift(a, b, cells, out);
        for (const Box& cell : cells)
            if (a.contains(cell.center()) && b.contains(cell.center())) out.push_back(cell.center());
        keep_evenly(out, options.max_points);
    }
    if (out.empty()) out.push_back(between(a, b));
}

ProtrusionPoints protrusion_points(const Field& field, const ProtrusionOptions& options) {
    need(options.spacing >= 0 && std::isfinite(options.spacing), "must be finite and not negative", "option spacing");
    need(options.reach >= 0 && std::isfinite(options.reach), "must be finite and not negative", "option reach");
    need(options.max_candidates >= 1000, "must be at least 1000", "option max_candidates");
    ProtrusionPoints result;
    result.spacing = options.spacing > 0 ? options.spacing : natural_cell(field);
    const std::vector<Vec3> places = lattice_near_surface(field, options, result.spacing);
    result.reach = reach_for(options, result.spacing);
    result.boundary = boundary_of(field, result.reach);
    result.points = thinned(qualified(field, places, result.boundary, result.reach), result.reach);
    return result;
}

// ---- The pipeline of Liu et al. 2024, figure 1.

namespace {

class Pipeline {
public:
    Pipeline(const PlainBody& a, const PlainBody& b, const PlainOptions& options) : a_(a), b_(b), options_(options) {}

    PlainResult run() {
        std::vector<PartPair> pairs;
        overlapping_parts(*a_.parts, a_.placed.pose, *b_.parts, b_.placed.pose, pairs);
        result_.pairs = pairs.size();
        if (pairs.empty()) {
            const bool proven = a_.parts->contained && b_.parts->contained;
            result_.status = proven ? Status::disjoint : Status::undecided;
            return result_;
        }
        for (const PartPair& pair : pairs) {
            if (found_enough()) break;
            search(pair);
        }
        search_from(a_, b_);
        search_from(b_, a_);
        finish();
        return std::move(result_);
    }

private:
    [[nodiscard]] bool found_enough() const { return !options_.all && result_.status == Status::overlapping; }

    [[nodiscard]] static OrientedBox placed_box(const PlainBody& body, Index part) {
        const OrientedBox& box = body.parts->boxes[part];
        return {body.placed.pose * box.pose, box.half};
    }

    void search(const PartPair& pair) {
        common_points(placed_box(a_, pair.a), placed_box(b_, pair.b), starts_,
                      {.depth = options_.octree_depth, .max_points = options_.max_points});
        descend(a_, b_, pair.a, pair.b);
    }

    // Starts from the protrusions of `from` that are in the boxes of `to`.
    void search_from(const PlainBody& from, const PlainBody& to) {
        if (found_enough()) return;
        starts_.clear();
        for (const Vec3& p : from.protrusions) {
            const Vec3 world = from.placed.pose * p, local = to.placed.pose.to_local(world);
            const bool near = std::any_of(to.parts->boxes.begin(), to.parts->boxes.end(),
                                          [&](const OrientedBox& box) { return box.contains(local); });
            if (near) starts_.push_back(world);
        }
        descend(from, to, no_index, no_index);
    }

    void descend(const PlainBody& from, const PlainBody& to, Index part_a, Index part_b) {
        result_.starts += starts_.size();
        if (!options_.all) {
            if (const auto end = field_field::first_common_point(from.placed, to.placed, starts_, options_.descent))
                add(*end, part_a, part_b);
            return;
        }
        ends_.resize(starts_.size());
        field_field::dual_descents(from.placed, to.placed, starts_, ends_, options_.descent);
        // One contact for each pair of parts, from its deepest common point.
        const field_field::DescentEnd* deepest = nullptr;
        for (const field_field::DescentEnd& end : ends_) {
            result_.steps += static_cast<std::size_t>(end.steps);
            if (!end.common) continue;
            if (part_a == no_index)
                add(end, part_a, part_b);
            else if (!deepest || end.distance_a + end.distance_b < deepest->distance_a + deepest->distance_b)
                deepest = &end;
        }
        if (deepest) add(*deepest, part_a, part_b);
    }

    void add(const field_field::DescentEnd& end, Index part_a, Index part_b) {
        if (result_.status != Status::overlapping) result_.common = end.point;
        result_.status = Status::overlapping;
        field_field::DualContact contact =
            field_field::deepest_points(a_.placed, b_.placed, end.point, options_.descent);
        contact.part_a = part_a;
        contact.part_b = part_b;
        result_.contacts.push_back(contact);
    }

    // Sorts by depth and merges contacts whose points agree to a thousandth of the size of the smaller body.
    void finish() {
        const auto depth = [](const field_field::DualContact& c) { return std::max(c.depth_a, c.depth_b); };
        std::stable_sort(
            result_.contacts.begin(), result_.contacts.end(),
            [&](const field_field::DualContact& x, const field_field::DualContact& y) { return depth(x) > depth(y); });
        const double near = 1e-3 * std::min(a_.placed.field->bounds().diagonal(), b_.placed.field->bounds().diagonal());
        std::vector<field_field::DualContact> kept;
        for (const field_field::DualContact& c : result_.contacts) {
            const auto same = [&](const field_field::DualContact& k) {
                return (k.point_a - c.point_a).norm() <= near && (k.point_b - c.point_b).norm() <= near;
            };
            if (std::none_of(kept.begin(), kept.end(), same)) kept.push_back(c);
        }
        result_.contacts = std::move(kept);
    }

    const PlainBody& a_;
    const PlainBody& b_;
    const PlainOptions& options_;
    PlainResult result_;
    std::vector<Vec3> starts_;
    std::vector<field_field::DescentEnd> ends_;
};

} // namespace

PlainResult plain_field_collision(const PlainBody& a, const PlainBody& b, const PlainOptions& options) {
    for (const PlainBody* body : {&a, &b})
        if (!body->placed.field || !body->parts)
            throw Error(Cause::invalid_argument, "the body has no field or no parts", {.element = "body"});
    return Pipeline(a, b, options).run();
}

} // namespace fathom
