// Greedy merging of convex parts.
#include <fathom/detect/decomposition/hull_merge.h>

#include <fathom/base/parallel.h>

#include <algorithm>
#include <cmath>

namespace fathom::decomposition {

namespace {

constexpr std::size_t probes = 24;   // segments between two parts on which points far outside are looked for
constexpr double equal_cost = 1e-10; // differences of cost, a volume, that may be rounding
constexpr double most_waste = 0.2;   // of the volume of two parts may be added by joining them

// A pair of parts and what joining them costs.
struct Pair {
    Index a = 0, b = 0;
    double cost = infinity; // infinity: the common hull is too far from the solid
};

class Merger {
public:
    Merger(std::vector<HullPart> parts, const GapTree& gaps, double limit) : gaps_(gaps), limit_(limit) {
        for (HullPart& part : parts) add(std::move(part));
    }

    // Joins the best pairs until none is within the limit, or `enough` parts are left.
    void run(std::size_t enough) {
        while (count_ > enough) {
            evaluate_new();
            const Pair* best = nullptr;
            for (const Pair& pair : pairs_) // rounding must not decide between equal pairs
                if (!best || pair.cost < best->cost - equal_cost) best = &pair;
            if (!best) return;
            join(*best);
        }
    }

    [[nodiscard]] std::size_t count() const { return count_; }
    // From now on pairs may be joined that are within another limit, whatever volume that adds.
    void force(double limit) {
        limit_ = limit;
        forced_ = true;
        pairs_.clear();
        fresh_.clear();
        for (Index k = 0; k < parts_.size(); ++k)
            if (alive_[k]) fresh_.push_back(k);
    }
    [[nodiscard]] std::vector<HullPart> parts() {
        std::vector<HullPart> out;
        for (Index k = 0; k < parts_.size(); ++k)
            if (alive_[k]) out.push_back(parts_[k]);
        return out;
    }

private:
    void add(HullPart part) {
        fresh_.push_back(static_cast<Index>(parts_.size()));
        boxes_.push_back(bounds(part.hull.vertices));
        parts_.push_back(std::move(part));
        alive_.push_back(true);
        ++count_;
    }

    [[nodiscard]] std::vector<Vec3> both(const Pair& pair) const {
        std::vector<Vec3> points = parts_[pair.a].hull.vertices;
        const auto& more = parts_[pair.b].hull.vertices;
        points.insert(points.end(), more.begin(), more.end());
        return points;
    }

    // Quick: a point between the two parts that is too far from the solid.
    [[nodiscard]] bool gap_between(const Pair& pair) const {
        const auto &p = parts_[pair.a].hull.vertices, &q = parts_[pair.b].hull.vertices;
        for (std::size_t k = 0; k < probes; ++k) {
            const Vec3 &from = p[k * p.size() / probes], &to = q[(k * 7 % probes) * q.size() / probes];
            if (gaps_.solid().distance(0.5 * (from + to)) > limit_) return true;
        }
        return false;
    }

    [[nodiscard]] double cost(const Pair& pair) const {
        if (gap_between(pair)) return infinity;
        const std::vector<Vec3> points = both(pair);
        const HullPart part = part_of(thinned(points));
        const double volume = parts_[pair.a].volume + parts_[pair.b].volume, waste = part.volume - volume;
        if (!forced_ && waste > most_waste * volume) return infinity;
        if (gaps_.estimate(part.hull, limit_).depth > limit_) return infinity;
        return gaps_.within(part_of(points).hull, limit_) ? waste : infinity;
    }

    void evaluate_new() {
        std::vector<Pair> added;
        std::vector<bool> fresh(parts_.size(), false);
        for (const Index k : fresh_) fresh[k] = true;
        for (const Index k : fresh_)
            for (Index other = 0; other < parts_.size(); ++other) {
                if (!alive_[other] || other == k || (fresh[other] && other > k)) continue;
                if (boxes_[k].grown(2 * limit_).overlaps(boxes_[other]))
                    added.push_back({std::min(k, other), std::max(k, other)});
            }
        parallel_for(added.size(), 4, [&](std::size_t begin, std::size_t end) {
            for (std::size_t p = begin; p < end; ++p) added[p].cost = cost(added[p]);
        });
        std::erase_if(added, [](const Pair& pair) { return pair.cost == infinity; });
        pairs_.insert(pairs_.end(), added.begin(), added.end());
        fresh_.clear();
    }

    void join(const Pair pair) {
        HullPart part = part_of(both(pair));
        alive_[pair.a] = alive_[pair.b] = false;
        count_ -= 2;
        std::erase_if(pairs_, [&](const Pair& other) { return !alive_[other.a] || !alive_[other.b]; });
        add(std::move(part));
    }

    const GapTree& gaps_;
    double limit_;
    bool forced_ = false;
    std::vector<HullPart> parts_;
    std::vector<Box> boxes_;
    std::vector<bool> alive_;
    std::vector<Index> fresh_;
    std::vector<Pair> pairs_;
    std::size_t count_ = 0;
};

bool lies_in(const HullPart& part, const HullPart& other, double tolerance) {
    if (other.hull.dimension < 3) return false;
    return std::all_of(other.hull.planes.begin(), other.hull.planes.end(), [&](const convex::HullPlane& plane) {
        return std::all_of(part.hull.vertices.begin(), part.hull.vertices.end(),
                           [&](const Vec3& p) { return plane.normal.dot(p) <= plane.offset + tolerance; });
    });
}

} // namespace

void merge(std::vector<HullPart>& parts, const GapTree& gaps, double limit, std::size_t most) {
    Merger merger(std::move(parts), gaps, limit);
    merger.run(1);
    for (double wider = limit; most > 0 && merger.count() > most; wider *= 1.15) {
        merger.force(wider);
        merger.run(most);
    }
    parts = merger.parts();
}

void drop_contained(std::vector<HullPart>& parts) {
    constexpr double tiny = 1e-9; // volume
    std::stable_sort(parts.begin(), parts.end(),
                     [](const HullPart& a, const HullPart& b) { return coarse(a.volume) > coarse(b.volume); });
    std::vector<HullPart> kept;
    for (HullPart& part : parts) {
        const double tolerance = part.volume < tiny ? 4 * on_plane : 1e-12;
        if (std::none_of(kept.begin(), kept.end(),
                         [&](const HullPart& other) { return lies_in(part, other, tolerance); }))
            kept.push_back(std::move(part));
    }
    parts = std::move(kept);
}

} // namespace fathom::decomposition
