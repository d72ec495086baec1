// Best-first search over the tree of a solid, and over subdivided cells below its leaves.
#include <fathom/detect/field_field/overlap_search.h>

#include <fathom/base/rounding.h>
#include <fathom/detect/bounds/transformed_field.h>

#include <algorithm>
#include <cmath>
#include <tuple>

namespace fathom::field_field {

namespace {

constexpr std::size_t fewest_descents = 4; // from the first leaves; then from every descent_stride-th
constexpr std::size_t descent_stride = 16;
constexpr std::size_t halving_stride = 48; // cells below the leaves: a thorough descent from every one of this many

struct Item {
    double key = 0;
    Index node = no_index; // no_index: a cell below the leaves
    std::uint32_t level = 0;
    std::array<std::uint32_t, 3> place{}; // position of the cell in its level

    friend bool operator<(const Item& a, const Item& b) { // a heap has its largest element on top
        if (a.key != b.key) return a.key > b.key;
        return std::tie(a.level, a.place) > std::tie(b.level, b.place);
    }
};

class OverlapSearch {
public:
    OverlapSearch(const FieldSphereTree& p, const FieldSphereTree& q, const FieldPair& pair,
                  const SearchOptions& options)
        : p_(p), q_(q), pair_(pair), options_(options),
          size_(std::min(p.bounds().size().maxCoeff(), q.bounded() ? q.bounds().size().maxCoeff() : HUGE_VAL)),
          slack_(position_rounding(pair.to_q(p.root().center()).norm(), p.root().center().norm(), p.root().diagonal(),
                                   options.far)),
          margin_(options.margin + slack_) {}

    SearchResult run() {
        thread_local std::vector<Item> scratch;
        heap_.swap(scratch);
        heap_.clear();
        if (!p_.nodes().empty() && !q_.empty()) {
            const Vec3 center = pair_.to_q(p_.center(p_.nodes()[0]));
            const double value = q_.field().distance(center);
            ++result_.evaluations;
            if (!std::isfinite(value))
                leave_open(p_.root().diagonal());
            else if (!is_clear(center, value, p_.sphere(p_.nodes()[0]).radius))
                push({value, 0, 0, {}});
        }
        while (!heap_.empty() && !found_) step();
        heap_.swap(scratch);
        if (found_)
            result_.status = Status::overlapping;
        else if (result_.open_size > 0)
            result_.status = Status::undecided;
        return result_;
    }

private:
    void push(const Item& item) {
        heap_.push_back(item);
        std::push_heap(heap_.begin(), heap_.end());
    }
    [[nodiscard]] bool is_clear(const Vec3& in_q, double value, double radius) const {
        return q_.clears(in_q, value, radius + margin_);
    }
    void leave_open(double size) { result_.open_size = std::max(result_.open_size, size); }

    void step() {
        std::pop_heap(heap_.begin(), heap_.end());
        const Item item = heap_.back();
        heap_.pop_back();
        if (result_.evaluations >= options_.max_evaluations) return leave_open(cell_size(item.level));
        if (item.node != no_index && p_.nodes()[item.node].children > 0) return expand(item);
        if (item.node != no_index) {
            const FieldSphereNode& leaf = p_.nodes()[item.node];
            const Vec3 center = p_.center(leaf);
            if (facing_clear(center, p_.sphere(leaf).radius)) return;
            try_descent(center);
            if (found_) return;
        }
        halve(item);
    }

    void expand(const Item& item) {
        const FieldSphereNode& node = p_.nodes()[item.node];
        const auto [points, values, count] = ChildValues(p_, node, q_, pair_);
        result_.evaluations += count;
        for (std::size_t k = 0; k < count && !found_; ++k) {
            const auto child = static_cast<Index>(node.first + k);
            const FieldSphereNode& below = p_.nodes()[child];
            const double radius = p_.sphere(below).radius;
            if (is_clear(points[k], values[k], radius)) continue;
            if (below.center_inside && values[k] <= options_.margin) check_witness(p_.center(below), values[k]);
            push({values[k] - 0.5 * radius, child, item.level + 1, octant_of(item.place, below.octant)});
        }
    }

    static std::array<std::uint32_t, 3> octant_of(const std::array<std::uint32_t, 3>& place, unsigned octant) {
        return {2 * place[0] + (octant & 1u), 2 * place[1] + (octant >> 1 & 1u), 2 * place[2] + (octant >> 2 & 1u)};
    }
    [[nodiscard]] double cell_side(std::uint32_t level) const {
        return std::ldexp(p_.root().size().x(), -static_cast<int>(level));
    }
    [[nodiscard]] double cell_size(std::uint32_t level) const { return std::sqrt(3.0) * cell_side(level); }
    [[nodiscard]] Vec3 cell_center(std::uint32_t level, const std::array<std::uint32_t, 3>& place) const {
        const double side = cell_side(level);
        return p_.root().lower + side * Vec3(place[0] + 0.5, place[1] + 0.5, place[2] + 0.5);
    }

    void halve(const Item& item) {
        if (cell_size(item.level) < options_.tolerance || item.level >= 30) return leave_open(cell_size(item.level));
        if (++halvings_ % halving_stride == 0)
            descend_from(cell_center(item.level, item.place),
                         {.size = size_, .tolerance = 1e-9, .max_steps = 60, .sufficient = options_.margin});
        if (found_) return;
        const std::uint32_t level = item.level + 1;
        const double radius = outward(0.5 * cell_size(level));
        std::array<Vec3, 8> in_p, in_q;
        std::array<double, 8> values_p, values_q;
        for (unsigned k = 0; k < 8; ++k) {
            in_p[k] = cell_center(level, octant_of(item.place, k));
            in_q[k] = pair_.to_q(in_p[k]);
        }
        q_.field().distances(in_q, values_q);
        p_.field().distances(in_p, values_p);
        result_.evaluations += 16;
        for (std::size_t k = 0; k < 8 && !found_; ++k) {
            if (is_clear(in_q[k], values_q[k], radius) || p_.clearance().clears(in_p[k], values_p[k], radius)) continue;
            if (values_p[k] <= 0 && values_q[k] <= options_.margin) check_witness(in_p[k], values_q[k]);
            if (found_ || together_clear(in_p[k], in_q[k], radius, values_p[k], values_q[k])) continue;
            const double key = std::max(values_p[k], values_q[k]); // prefers cells where both fields are small
            push({key, no_index, level, octant_of(item.place, static_cast<unsigned>(k))});
        }
    }

    // x is in P, and Q's field is at most the margin there. Without a margin it is a common point.
    void check_witness(const Vec3& x, double value) {
        if (value <= 0) return accept(x, x);
        Vec3 y = x;
        int samples = 0;
        const bool inside = move_inside(pair_, 1, y, size_, samples);
        result_.evaluations += static_cast<std::size_t>(samples);
        if (inside && (y - x).norm() <= options_.margin) accept(x, y);
    }
    void accept(const Vec3& in_p, const Vec3& in_q) {
        found_ = true;
        result_.in_p = in_p;
        result_.in_q = in_q;
    }

    void try_descent(const Vec3& start) {
        const std::size_t leaf = leaves_++;
        if (leaf >= fewest_descents && leaf % descent_stride != 0) return;
        descend_from(start, {.size = size_, .tolerance = 1e-5, .max_steps = 16, .sufficient = options_.margin});
    }
    void descend_from(const Vec3& start, const DescentOptions& options) {
        const Descent down = descend(pair_, 0, start, options);
        result_.evaluations += static_cast<std::size_t>(down.samples);
        if (down.value <= options_.margin) check_witness(down.point, down.value);
    }

    // Proofs that use both fields together, if neither field alone clears a sphere.
    bool facing_clear(const Vec3& c, double radius) {
        const Vec3 in_q = pair_.to_q(c);
        const double value_p = p_.field().distance(c), value_q = q_.field().distance(in_q);
        result_.evaluations += 2;
        return together_clear(c, in_q, radius, value_p, value_q);
    }
    bool together_clear(const Vec3& in_p, const Vec3& in_q, double radius, double value_p, double value_q) {
        return value_p + value_q > margin_ &&
               (slopes_clear(in_p, in_q, radius, value_p, value_q) || cap_clear(in_p, in_q, radius, value_p, value_q) ||
                two_spheres_clear(in_p, radius, value_p, value_q));
    }

    // In a common point both fields are at most 0, and so is their sum. Its slope is small where the surfaces face each
    // other.
    bool slopes_clear(const Vec3& in_p, const Vec3& in_q, double radius, double value_p, double value_q) {
        const double sum = value_p + value_q - margin_;
        if (!(sum > 0)) return false;
        SlopeRange p, q;
        if (!p_.clearance().slopes(in_p, radius, p) || !q_.clearance().slopes(in_q, radius + margin_, q)) return false;
        const double slope = (p.middle + pair_.from_q(q.middle)).norm() + p.half.norm() + q.half.norm();
        const double far = margin_ * (q.max_slope() - 1); // additional decrease of the field over the margin
        return sum - p.jump - q.jump > outward(radius * slope) + std::max(far, 0.0);
    }

    // For a grid and another field: a sphere that is free of the other body bounds its part in the cell by a plane; the
    // slopes of the grid decide whether that part reaches the grid's body.
    bool cap_clear(const Vec3& in_p, const Vec3& in_q, double radius, double value_p, double value_q) {
        const bool grid_p = p_.clearance().knows_slopes(), grid_q = q_.clearance().knows_slopes();
        if (grid_p == grid_q) return false;
        SlopeRange range;
        if (grid_q ? !q_.clearance().slopes(in_q, radius + margin_, range)
                   : !p_.clearance().slopes(in_p, radius, range))
            return false;
        const Vec3 out = (grid_q ? pair_.sample_p(in_p) : pair_.sample_q(in_p)).gradient.stableNormalized();
        const double far = std::clamp(radius * radius / (value_p + value_q - margin_), 16 * radius,
                                      std::max(0.5 * size_, 16 * radius));
        const Vec3 center = in_p + far * out;
        const double free = grid_q ? p_.clearance().radius(p_.field().distance(center)) - slack_
                                   : q_.clearance().radius(pair_.distance_q(center)) - margin_;
        result_.evaluations += 2;
        if (!(free > 0)) return false;
        const double offset = (radius * radius + (far - free) * (far + free)) / (2 * far) + relative_rounding * radius;
        if (offset <= -radius) return true;
        const Vec3 down = grid_q ? pair_.from_q(range.middle) : range.middle;
        const double steepness = down.norm();
        const double reach = capped_reach(radius, offset, steepness > 0 ? -down.dot(out) / steepness : 0.0);
        const double value = (grid_q ? value_q - margin_ * std::max(1.0, range.max_slope()) : value_p) - range.jump;
        return value > outward(steepness * reach + range.half.norm() * radius);
    }

    bool two_spheres_clear(const Vec3& c, double radius, double value_p, double value_q) {
        const double gap = value_p + value_q - margin_;
        if (!(gap > 0)) return false;
        const double offset = std::min(sphere_offset(radius, gap, size_), 0.5 * size_);
        const auto free_of_p = [&](double value) { return p_.clearance().radius(value) - slack_; };
        const auto free_of_q = [&](double value) { return q_.clearance().radius(value) - margin_; };
        // Upper bound: the result for flat surfaces that face each other.
        const Vec3 ahead = offset * Vec3::UnitX();
        if (!(covered_radius(Vec3::Zero(), ahead, free_of_p(value_p + offset), -ahead, free_of_q(value_q + offset)) >
              radius))
            return false;
        const Vec3 out_of_p = pair_.sample_p(c).gradient.stableNormalized(),
                   out_of_q = pair_.sample_q(c).gradient.stableNormalized();
        result_.evaluations += 4;
        return two_spheres_cover(
            {c, radius}, out_of_p, out_of_q, offset, [&](const Vec3& x) { return free_of_p(p_.field().distance(x)); },
            [&](const Vec3& x) { return free_of_q(pair_.distance_q(x)); });
    }

    const FieldSphereTree &p_, &q_;
    const FieldPair& pair_;
    const SearchOptions& options_;
    double size_;
    double slack_;  // bound on the rounding error of points transformed from P's frame to Q's (m)
    double margin_; // the margin plus slack_ (m)
    std::vector<Item> heap_;
    std::size_t leaves_ = 0, halvings_ = 0;
    bool found_ = false;
    SearchResult result_;
};

} // namespace

SearchResult search(const FieldSphereTree& p, const FieldSphereTree& q, const FieldPair& pair,
                    const SearchOptions& options) {
    return OverlapSearch(p, q, pair, options).run();
}

} // namespace fathom::field_field
