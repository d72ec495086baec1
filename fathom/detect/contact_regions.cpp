// Room: detect. Live cells, their regions, descents from the lowest of each, and points spread over what touches.
#include <fathom/detect/contact_regions.h>

#include <fathom/detect/child_values.h>
#include <fathom/geometry/disjoint_sets.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace fathom {

namespace {

constexpr std::size_t most_cells = 80;
constexpr std::size_t most_starts = 8;

// A node of P's tree that Q may reach.
struct LiveCell {
    Index node = 0;
    Box box;          // of the octree
    double value = 0; // of Q's field in the middle
};

class Contacts {
public:
    Contacts(const Solid& p, const Solid& q, const FieldPair& pair, const RegionOptions& options)
        : p_(p), q_(q), pair_(pair), options_(options),
          size_(std::min(p.bounds().size().maxCoeff(), q.bounded() ? q.bounds().size().maxCoeff() : HUGE_VAL)) {}

    RegionContacts run(const Vec3& common) {
        collect();
        group();
        add_start(common, region_at(common));
        for (const std::size_t k : lowest_cells()) {
            const Vec3 center = p_.center(p_.nodes()[cells_[k].node]);
            if (!is_known(center, cells_[k].box.size().x())) add_start(center, regions_.find(static_cast<Index>(k)));
        }
        keep_distinct();
        spread();
        return std::move(result_);
    }

private:
    // Level by level while there are few.
    void collect() {
        const Vec3 center = p_.center(p_.nodes()[0]);
        cells_ = {{0, p_.root(), pair_.distance_q(center)}};
        for (std::vector<LiveCell> next;; cells_.swap(next)) {
            next.clear();
            bool expanded = false;
            for (const LiveCell& cell : cells_) {
                if (p_.nodes()[cell.node].children == 0) {
                    next.push_back(cell);
                    continue;
                }
                expanded = true;
                expand(cell, next);
            }
            if (!expanded || next.size() > most_cells) return;
        }
    }

    void expand(const LiveCell& cell, std::vector<LiveCell>& out) {
        const SolidNode& node = p_.nodes()[cell.node];
        const auto [points, values, count] = ChildValues(p_, node, q_, pair_);
        result_.look_ups += count;
        for (std::size_t k = 0; k < count; ++k) {
            const auto child = static_cast<Index>(node.first + k);
            const SolidNode& below = p_.nodes()[child];
            if (q_.clearance().clears(points[k], values[k], p_.ball(below).radius + options_.margin)) continue;
            const Vec3 half = cell.box.half();
            Box box{cell.box.lower, cell.box.lower + half};
            for (int axis = 0; axis < 3; ++axis)
                if ((below.octant >> axis) & 1) box.lower[axis] += half[axis], box.upper[axis] = cell.box.upper[axis];
            out.push_back({child, box, values[k]});
        }
    }

    void group() {
        regions_.reset(cells_.size());
        const double slack = 1e-9 * p_.root().size().x();
        for (std::size_t i = 0; i < cells_.size(); ++i)
            for (std::size_t j = 0; j < i; ++j)
                if (cells_[i].box.grown(slack).overlaps(cells_[j].box)) {
                    regions_.join(static_cast<Index>(i), static_cast<Index>(j));
                    neighbours_.push_back({static_cast<Index>(i), static_cast<Index>(j)});
                }
    }

    Index region_at(const Vec3& x) {
        std::size_t best = 0;
        for (std::size_t k = 1; k < cells_.size(); ++k)
            if (cells_[k].box.squared_distance(x) < cells_[best].box.squared_distance(x)) best = k;
        return regions_.find(static_cast<Index>(best));
    }

    // Cells that no neighbour undercuts, lowest first.
    std::vector<std::size_t> lowest_cells() {
        std::vector<bool> lowest(cells_.size(), true);
        for (const auto& [i, j] : neighbours_)
            lowest[cells_[i].value < cells_[j].value ? j : i] = false; // i > j: of equal ones the first stays
        std::vector<std::size_t> order;
        for (std::size_t k = 0; k < cells_.size(); ++k)
            if (lowest[k]) order.push_back(k);
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return cells_[a].value < cells_[b].value; });
        if (order.size() > most_starts) {
            order.resize(most_starts);
            result_.truncated = true;
        }
        return order;
    }

    [[nodiscard]] bool is_known(const Vec3& x, double near) const {
        return std::any_of(result_.contacts.begin(), result_.contacts.end(), [&](const RegionContact& c) { return (c.point_p - x).norm() < near; });
    }

    // The deeper of: the deepest point of P near by in Q, and that of Q in P.
    void add_start(const Vec3& start, Index region) {
        const DescentOptions options{.size = size_, .tolerance = options_.tolerance, .most_steps = 40, .polish = options_.polish};
        const Descent of_p = descend(pair_, 0, start, options);
        result_.look_ups += static_cast<std::size_t>(of_p.samples);
        if (!(of_p.value <= options_.margin)) return;
        std::optional<RegionContact> best = contact_of(of_p, 0, region);
        const Descent of_q = descend(pair_, 1, best ? best->point_q : of_p.point, options);
        result_.look_ups += static_cast<std::size_t>(of_q.samples);
        if (const auto other = contact_of(of_q, 1, region); other && (!best || other->depth > best->depth * (1 + 1e-12))) best = other;
        if (best) result_.contacts.push_back(*best);
    }

    // A point of the body `body` and the other's surface next to it.
    std::optional<RegionContact> contact_of(const Descent& down, int body, Index region) {
        const double steepness = down.gradient.norm();
        if (!(steepness > 1e-10) || !std::isfinite(down.value)) return std::nullopt;
        const Vec3 out = down.gradient / steepness;
        const double depth = way_out(down, 1 - body, out);
        const Vec3 other = down.point + depth * out;
        if (body == 0) return RegionContact{down.point, other, -out, depth, region};
        return RegionContact{other, down.point, out, depth, region};
    }

    // A distance is its own depth, also on ridges, where the slope says nothing. Other fields are followed to their surface.
    double way_out(const Descent& down, int other, const Vec3& out) {
        if (std::isfinite(pair_.field(other).error_bound())) return -down.value;
        double way = -down.value / down.gradient.norm();
        for (int step = 0; step < 8; ++step) {
            const Sample s = pair_.sample(other, down.point + way * out);
            ++result_.look_ups;
            const double slope = s.gradient.dot(out);
            if (!(slope > 0.05 * down.gradient.norm()) || std::abs(s.distance) < 1e-14 * size_) break;
            way -= s.distance / slope;
        }
        return way;
    }

    [[nodiscard]] double cell_size() const {
        double smallest = HUGE_VAL;
        for (const LiveCell& cell : cells_) smallest = std::min(smallest, cell.box.size().x());
        return smallest;
    }

    // Deepest first, one of those that ended in the same place.
    void keep_distinct() {
        auto& all = result_.contacts;
        std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.depth > b.depth; });
        const double near = 0.5 * cell_size();
        std::vector<RegionContact> kept;
        for (const RegionContact& c : all) {
            const auto same = [&](const RegionContact& k) { return k.region == c.region && (k.point_p - c.point_p).norm() < near; };
            if (std::none_of(kept.begin(), kept.end(), same)) kept.push_back(c);
        }
        if (kept.size() > options_.most_contacts) {
            kept.resize(options_.most_contacts);
            result_.truncated = true;
        }
        all = std::move(kept);
    }

    // Points of P's surface that are in Q, as far as possible from those taken so far.
    void spread() {
        if (result_.contacts.size() >= options_.most_contacts) return;
        std::vector<RegionContact> candidates = surface_points();
        if (candidates.empty()) return;
        auto& taken = result_.contacts;
        std::vector<double> gap(candidates.size(), HUGE_VAL);
        std::size_t seen = 0;
        const double near = cell_size();
        while (taken.size() < options_.most_contacts) {
            for (; seen < taken.size(); ++seen)
                for (std::size_t k = 0; k < candidates.size(); ++k) gap[k] = std::min(gap[k], (candidates[k].point_p - taken[seen].point_p).norm());
            const auto farthest = static_cast<std::size_t>(std::max_element(gap.begin(), gap.end()) - gap.begin());
            if (gap[farthest] < near) break;
            taken.push_back(slid_outward(candidates[farthest]));
            gap[farthest] = 0;
        }
        std::stable_sort(taken.begin(), taken.end(), [](const auto& a, const auto& b) { return a.depth > b.depth; });
    }

    std::vector<RegionContact> surface_points() {
        std::vector<RegionContact> points;
        Vec3 sum = Vec3::Zero();
        for (std::size_t k = 0; k < cells_.size(); ++k) {
            const SolidNode& node = p_.nodes()[cells_[k].node];
            if (node.full || cells_[k].value > options_.margin + 0.5 * p_.ball(node).radius) continue; // hardly in Q
            Vec3 x = p_.center(node);
            const double half = 0.5 * cells_[k].box.size().x();
            if (!move_out_towards_q(x, half) || !cells_[k].box.grown(2 * half).contains(x)) continue;
            if (const auto contact = contact_at(x, regions_.find(static_cast<Index>(k)))) {
                points.push_back(*contact);
                sum += x;
            }
        }
        if (!points.empty()) middle_ = sum / static_cast<double>(points.size());
        return points;
    }

    // To where P ends on the way down Q's field, a little beyond and back to the surface.
    bool move_out_towards_q(Vec3& x, double step) {
        for (int k = 0; k < 3; ++k) {
            x -= step * pair_.sample_q(x).gradient.stableNormalized();
            const double value = p_.field().distance(x);
            result_.look_ups += 2;
            if (value > 0) {
                int samples = 0;
                const bool inside = move_inside(pair_, 0, x, size_, samples);
                result_.look_ups += static_cast<std::size_t>(samples);
                return inside;
            }
            step = std::max(step, -value);
        }
        return false;
    }

    // At a point of P's surface, where Q's field is at most the margin.
    std::optional<RegionContact> contact_at(const Vec3& x, Index region) {
        const Sample q = pair_.sample_q(x);
        ++result_.look_ups;
        if (!(q.distance <= options_.margin)) return std::nullopt;
        return contact_of({x, q.distance, q.gradient, 0}, 0, region);
    }

    // Towards the rim of what touches, about a cell: the corners of a resting box are worth more than its middle.
    RegionContact slid_outward(const RegionContact& from) {
        Vec3 way = from.point_p - middle_;
        way -= way.dot(from.normal) * from.normal;
        const double length = way.norm();
        if (!(length > 0)) return from;
        for (const double cells : {2.0, 1.0, 0.5}) {
            Vec3 x = from.point_p + cells * cell_size() / length * way;
            int samples = 0;
            const bool inside = move_inside(pair_, 0, x, size_, samples);
            result_.look_ups += static_cast<std::size_t>(samples);
            if (!inside) continue;
            if (const auto contact = contact_at(x, from.region)) return *contact;
        }
        return from;
    }

    const Solid &p_, &q_;
    const FieldPair& pair_;
    const RegionOptions& options_;
    double size_;
    std::vector<LiveCell> cells_;
    std::vector<std::pair<Index, Index>> neighbours_;
    DisjointSets regions_;
    Vec3 middle_ = Vec3::Zero(); // of the surface points that touch
    RegionContacts result_;
};

} // namespace

RegionContacts find_contacts(const Solid& p, const Solid& q, const FieldPair& pair, const Vec3& common, const RegionOptions& options) {
    return Contacts(p, q, pair, options).run(common);
}

} // namespace fathom
