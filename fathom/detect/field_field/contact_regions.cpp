// Cells that may contain common points, their connected regions, descents from the lowest cells, and further contacts
// distributed over the touching cells.
#include <fathom/detect/field_field/contact_regions.h>

#include <fathom/detect/bounds/octants.h>
#include <fathom/detect/field_field/deepest_search.h>
#include <fathom/detect/field_field/overlap_search.h>
#include <fathom/field/analytic/analytic_field.h>
#include <fathom/geometry/mesh/adjacency.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>

namespace fathom::field_field {

namespace {

constexpr std::size_t max_cells = 80;
constexpr std::size_t max_starts = 8;

// A node of P's tree that may touch Q.
struct LiveCell {
    Index node = 0;
    Box box;          // cell of the octree
    double value = 0; // of Q's field at the centre
};

class Contacts {
public:
    Contacts(const FieldSphereTree& p, const FieldSphereTree& q, const Pose& q_seen_from_p, const FieldPair& pair,
             const RegionOptions& options)
        : q_seen_from_p_(q_seen_from_p), p_(p), q_(q), pair_(pair), options_(options),
          size_(std::min(p.bounds().size().maxCoeff(), q.bounded() ? q.bounds().size().maxCoeff() : HUGE_VAL)),
          deepest_(pair, {size_, options.margin, options.tolerance, options.polish, false}) {}

    RegionContacts run(const Vec3& common) {
        collect();
        group();
        add_start(common, region_at(common));
        for (const std::size_t k : lowest_cells()) {
            const Vec3 center = cell_center(k);
            if (!is_known(center, cells_[k].box.size().x())) add_start(center, regions_.find(static_cast<Index>(k)));
        }
        if (options_.deepest_tolerance > 0)
            result_.depth_bound = std::max(search_deeper(p_, q_, q_seen_from_p_, false),
                                           search_deeper(q_, p_, q_seen_from_p_.inverse(), true));
        keep_distinct();
        spread();
        result_.evaluations += deepest_.evaluations();
        return std::move(result_);
    }

private:
    // Level by level while there are few cells: the next level has two to four times as many.
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
            if (!expanded || next.size() > max_cells) return;
            if (3 * next.size() > max_cells) {
                cells_.swap(next);
                return;
            }
        }
    }

    void expand(const LiveCell& cell, std::vector<LiveCell>& out) {
        const FieldSphereNode& node = p_.nodes()[cell.node];
        const auto [points, values, count] = ChildValues(p_, node, q_, pair_);
        result_.evaluations += count;
        for (std::size_t k = 0; k < count; ++k) {
            const auto child = static_cast<Index>(node.first + k);
            const FieldSphereNode& below = p_.nodes()[child];
            if (q_.clears(points[k], values[k], p_.sphere(below).radius + options_.margin)) continue;
            out.push_back({child, octant(cell.box, below.octant), values[k]});
        }
    }

    void group() {
        regions_.reset(cells_.size());
        const double slack = 1e-9 * p_.root().size().x();
        for (std::size_t i = 0; i < cells_.size(); ++i)
            for (std::size_t j = 0; j < i; ++j)
                if (cells_[i].box.grown(slack).overlaps(cells_[j].box)) {
                    regions_.join(static_cast<Index>(i), static_cast<Index>(j));
                    neighbours_.emplace_back(static_cast<Index>(i), static_cast<Index>(j));
                }
    }

    Index region_at(const Vec3& x) {
        std::size_t best = 0;
        for (std::size_t k = 1; k < cells_.size(); ++k)
            if (cells_[k].box.squared_distance(x) < cells_[best].box.squared_distance(x)) best = k;
        return regions_.find(static_cast<Index>(best));
    }

    // Cells without a neighbour of smaller value, lowest first.
    std::vector<std::size_t> lowest_cells() {
        std::vector<bool> lowest(cells_.size(), true);
        for (const auto& [i, j] : neighbours_)
            lowest[cells_[i].value < cells_[j].value ? j : i] = false; // i > j: of equal cells the first is kept
        std::vector<std::size_t> order;
        for (std::size_t k = 0; k < cells_.size(); ++k)
            if (lowest[k]) order.push_back(k);
        std::stable_sort(order.begin(), order.end(),
                         [&](std::size_t a, std::size_t b) { return cells_[a].value < cells_[b].value; });
        if (order.size() > max_starts) {
            order.resize(max_starts);
            result_.more_contacts = true;
        }
        return order;
    }

    [[nodiscard]] bool is_known(const Vec3& x, double near) const {
        return std::any_of(result_.contacts.begin(), result_.contacts.end(),
                           [&](const RegionContact& c) { return (c.point_p - x).norm() < near; });
    }

    void add_start(const Vec3& start, Index region) {
        std::optional<RegionContact> contact = deepest_.from(start);
        if (!contact) return;
        contact->region = region;
        result_.contacts.push_back(*contact);
    }

    // A contact at a point of a body (0: P, 1: Q; P's frame), for a descent that ended less deep elsewhere. Returns the
    // lowest value that is known.
    double add_point(const Vec3& x, int body) {
        const Sample other = pair_.sample(1 - body, x);
        ++result_.evaluations;
        std::optional<RegionContact> contact = deepest_.at(x, body, other);
        if (!contact) return 0;
        contact->region = region_at(x);
        result_.contacts.push_back(*contact);
        return -contact->depth;
    }

    // The globally deepest point of a body in the other, added as a start. Returns a bound on its depth.
    double search_deeper(const FieldSphereTree& body, const FieldSphereTree& other, const Pose& other_seen,
                         bool swapped) {
        if (!body.bounded()) return HUGE_VAL; // there is no tree to search
        double lowest = 0;
        for (const RegionContact& c : result_.contacts) lowest = std::min(lowest, -c.depth);
        const auto improve = [&](const Vec3& x, double value) {
            const Vec3 start = swapped ? q_seen_from_p_ * x : x;
            const std::size_t before = result_.contacts.size();
            add_start(start, region_at(start));
            double deepest = result_.contacts.size() > before ? -result_.contacts.back().depth : 0.0;
            if (deepest > value) deepest = std::min(deepest, add_point(start, swapped ? 1 : 0));
            return std::min(value, deepest);
        };
        const DeepestSearchResult found = search_deepest(
            body, other, other_seen, {lowest, options_.deepest_tolerance, options_.max_deepest_evaluations}, improve);
        result_.evaluations += found.evaluations;
        return -found.lower_bound;
    }

    [[nodiscard]] double cell_size() const {
        double smallest = HUGE_VAL;
        for (const LiveCell& cell : cells_) smallest = std::min(smallest, cell.box.size().x());
        return smallest;
    }

    // Sorts by depth and keeps one of the contacts at the same position.
    void keep_distinct() {
        auto& all = result_.contacts;
        std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.depth > b.depth; });
        const double near = 0.5 * cell_size();
        std::vector<RegionContact> kept;
        for (const RegionContact& c : all) {
            const auto same = [&](const RegionContact& k) {
                return k.region == c.region && (k.point_p - c.point_p).norm() < near;
            };
            if (std::none_of(kept.begin(), kept.end(), same)) kept.push_back(c);
        }
        if (kept.size() > options_.max_contacts) {
            kept.resize(options_.max_contacts);
            result_.more_contacts = true;
        }
        all = std::move(kept);
    }

    // Adds points of P's surface that are in Q, each as far as possible from the contacts so far. Only selected cells
    // are evaluated.
    void spread() {
        auto& taken = result_.contacts;
        if (taken.size() >= options_.max_contacts) return;
        std::vector<std::size_t> open = touching_cells();
        const double near = cell_size();
        std::vector<double> gap(open.size(), HUGE_VAL); // distance to the nearest contact
        std::size_t seen = 0;
        for (std::size_t tries = 0; tries < 2 * options_.max_contacts && taken.size() < options_.max_contacts;
             ++tries) {
            for (; seen < taken.size(); ++seen)
                for (std::size_t k = 0; k < open.size(); ++k)
                    gap[k] = std::min(gap[k], (cell_center(open[k]) - taken[seen].point_p).norm());
            const auto farthest = std::max_element(gap.begin(), gap.end());
            if (farthest == gap.end() || *farthest < near) break;
            *farthest = 0;
            const auto contact = surface_contact(open[static_cast<std::size_t>(farthest - gap.begin())]);
            if (contact && !is_known(contact->point_p, near)) taken.push_back(slid_outward(*contact));
        }
        std::stable_sort(taken.begin(), taken.end(), [](const auto& a, const auto& b) { return a.depth > b.depth; });
    }

    [[nodiscard]] Vec3 cell_center(std::size_t k) const { return p_.center(p_.nodes()[cells_[k].node]); }

    // Cells that contain surface of P and are not mostly outside Q; also sets the mean of their centres.
    std::vector<std::size_t> touching_cells() {
        std::vector<std::size_t> found;
        Vec3 sum = Vec3::Zero();
        for (std::size_t k = 0; k < cells_.size(); ++k) {
            const FieldSphereNode& node = p_.nodes()[cells_[k].node];
            if (node.full || cells_[k].value > options_.margin + 0.5 * p_.sphere(node).radius) continue;
            found.push_back(k);
            sum += cell_center(k);
        }
        if (!found.empty()) middle_ = sum / static_cast<double>(found.size());
        return found;
    }

    std::optional<RegionContact> surface_contact(std::size_t k) {
        Vec3 x = cell_center(k);
        const double half = 0.5 * cells_[k].box.size().x();
        if (!move_out_towards_q(x, half) || !cells_[k].box.grown(2 * half).contains(x)) return std::nullopt;
        return contact_at(x, regions_.find(static_cast<Index>(k)));
    }

    // Moves x down Q's field until it leaves P, then back to P's surface.
    bool move_out_towards_q(Vec3& x, double step) {
        for (int k = 0; k < 3; ++k) {
            x -= step * pair_.sample_q(x).gradient.stableNormalized();
            const double value = p_.field().distance(x);
            result_.evaluations += 2;
            if (value > 0) {
                int samples = 0;
                const bool inside = move_inside(pair_, 0, x, size_, samples);
                result_.evaluations += static_cast<std::size_t>(samples);
                return inside;
            }
            step = std::max(step, -value);
        }
        return false;
    }

    // The contact at a point of P's surface, if Q's field is at most the margin there.
    std::optional<RegionContact> contact_at(const Vec3& x, Index region) {
        const Sample q = pair_.sample_q(x);
        ++result_.evaluations;
        if (!(q.distance <= options_.margin)) return std::nullopt;
        std::optional<RegionContact> contact = deepest_.at(x, 0, q);
        if (contact) contact->region = region;
        return contact;
    }

    // Moves a contact by about a cell towards the edge of the touching region: for a resting box, contacts at its
    // corners are more useful than in the middle.
    RegionContact slid_outward(const RegionContact& from) {
        Vec3 tangent = from.point_p - middle_;
        tangent -= tangent.dot(from.normal) * from.normal;
        const double length = tangent.norm();
        if (!(length > 0)) return from;
        for (const double cells : {2.0, 1.0, 0.5}) {
            Vec3 x = from.point_p + cells * cell_size() / length * tangent;
            int samples = 0;
            const bool inside = move_inside(pair_, 0, x, size_, samples);
            result_.evaluations += static_cast<std::size_t>(samples);
            if (!inside) continue;
            if (const auto contact = contact_at(x, from.region)) return *contact;
        }
        return from;
    }

    Pose q_seen_from_p_;
    const FieldSphereTree &p_, &q_;
    const FieldPair& pair_;
    const RegionOptions& options_;
    double size_;
    DeepestContact deepest_;
    std::vector<LiveCell> cells_;
    std::vector<std::pair<Index, Index>> neighbours_;
    DisjointSets regions_;
    Vec3 middle_ = Vec3::Zero(); // mean centre of the touching cells
    RegionContacts result_;
};

} // namespace

RegionContacts find_contacts(const FieldSphereTree& p, const FieldSphereTree& q, const Pose& q_seen_from_p,
                             const Vec3& common, const RegionOptions& options) {
    const FieldPair pair(p.field(), q.field(), q_seen_from_p);
    return Contacts(p, q, q_seen_from_p, pair, options).run(common);
}

// ---- Convex bodies: the deepest contact, and a ring of others.

namespace {

constexpr std::size_t ring_size = 8;
// In eighths of a turn, ordered so that any first few are far apart.
constexpr std::array<int, ring_size> ring_order = {0, 4, 2, 6, 1, 5, 3, 7};
constexpr std::array<double, 4> ring_radii = {1, 0.4, 0.16, 0.06}; // of the size; the largest that touches is used
constexpr double min_contact_distance = 0.01;                      // of the size: smallest distance of two contacts

class Ring {
public:
    Ring(const FieldPair& pair, double size, const RegionOptions& options, DeepestContact& deepest)
        : pair_(pair), size_(size), options_(options), deepest_(deepest) {}

    // The deepest point of a flat contact may be one of its corners; a second ring about the centre of the first is
    // even.
    void add(RegionContacts& result) {
        const RegionContact first = result.contacts.front();
        add_round(first.point_p, first.normal, result);
        if (result.contacts.size() < 3) return;
        Vec3 sum = Vec3::Zero();
        for (const RegionContact& c : result.contacts) sum += c.point_p;
        const Vec3 middle = sum / static_cast<double>(result.contacts.size());
        result.contacts.resize(1);
        add_round(middle, first.normal, result);
    }

private:
    void add_round(const Vec3& center, const Vec3& normal, RegionContacts& result) {
        const Vec3 u = normal.unitOrthogonal(), v = normal.cross(u);
        const std::size_t wanted = std::min(ring_size, options_.max_contacts - 1);
        std::array<Vec3, ring_size> ways;
        std::size_t open = 0;
        for (; open < wanted; ++open) {
            const double angle = 0.25 * std::numbers::pi * ring_order[open];
            ways[open] = std::cos(angle) * u + std::sin(angle) * v;
        }
        for (const double radius : ring_radii) open = place(center, radius * size_, ways, open, result);
    }

    // Adds the points that touch. The directions of the others are kept at the front; returns their number.
    std::size_t place(const Vec3& center, double radius, std::array<Vec3, ring_size>& ways, std::size_t open,
                      RegionContacts& result) {
        if (open == 0) return 0;
        std::array<Vec3, ring_size> points;
        std::array<Sample, ring_size> samples;
        const auto evaluate = [&](int role) {
            pair_.samples(role, std::span(points).first(open), std::span(samples).first(open));
            result.evaluations += open;
        };
        for (std::size_t k = 0; k < open; ++k) points[k] = center + radius * ways[k];
        for (int step = 0; step < 2;
             ++step) { // onto P: the distance is exact, so the second step only corrects rounding
            evaluate(0);
            for (std::size_t k = 0; k < open; ++k) points[k] -= samples[k].distance * samples[k].gradient;
        }
        evaluate(1);
        std::size_t left = 0;
        for (std::size_t k = 0; k < open; ++k)
            if (!(samples[k].distance <= options_.margin))
                ways[left++] = ways[k];
            else if (!is_known(points[k], result))
                if (const auto contact = deepest_.at(points[k], 0, samples[k])) result.contacts.push_back(*contact);
        return left;
    }

    [[nodiscard]] bool is_known(const Vec3& x, const RegionContacts& result) const {
        return std::any_of(result.contacts.begin(), result.contacts.end(), [&](const RegionContact& c) {
            return (c.point_p - x).norm() < min_contact_distance * size_;
        });
    }

    const FieldPair& pair_;
    double size_;
    const RegionOptions& options_;
    DeepestContact& deepest_;
};

} // namespace

RegionContacts convex_contacts(const FieldPair& pair, const Vec3& common, double size, const RegionOptions& options) {
    RegionContacts result;
    if (options.max_contacts == 0) {
        result.more_contacts = true;
        return result;
    }
    // The tolerance is coarse, because Newton's method or cutting planes refine the result.
    DeepestContact deepest(pair, {size, options.margin, 1e-2, true, true});
    if (const auto contact = deepest.from(common)) {
        result.contacts.push_back(*contact);
        if (options.max_contacts > 1) Ring(pair, size, options, deepest).add(result);
    }
    std::stable_sort(result.contacts.begin(), result.contacts.end(),
                     [](const auto& a, const auto& b) { return a.depth > b.depth; });
    result.evaluations += deepest.evaluations();
    return result;
}

} // namespace fathom::field_field
