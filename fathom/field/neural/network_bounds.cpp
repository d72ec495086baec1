// A proven box around everything that a network calls inside.
#include <fathom/field/neural/network_bounds.h>

#include <fathom/base/parallel.h>
#include <fathom/field/neural/network_range.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

namespace fathom {

namespace {

constexpr double finest = 1.0 / 64; // of the domain
constexpr double thin = 2;          // cells are this much thinner across the side that is sought
constexpr std::size_t at_once = 12; // cells halved together: their halves fill a batch

// About half a second on two cores. Where every unit bends, ranges take longer.
std::size_t budget_of_side(const Network& network) {
    const double afforded = network.layers.front().activation == Activation::relu ? 1e9 : 3e8;
    return static_cast<std::size_t>(
               std::clamp(afforded / static_cast<double>(network.weight_count()), 150.0, 150000.0)) /
           6;
}

struct Cell {
    Box box;
    double reach = 0; // how far out the inside may be in it, along the side's direction (m)
    bool inside = false;
};

// Nearer to the side first; among equals the smaller, so that one of them is settled soon.
bool later(const Cell& a, const Cell& b) {
    return a.reach != b.reach ? a.reach < b.reach : a.box.volume() > b.box.volume();
}

class SideSearch {
public:
    SideSearch(const Network& network, const NetworkRange& range, int axis, double direction)
        : domain_(network.domain), range_(range), axis_(axis), direction_(direction), left_(budget_of_side(network)) {}

    // The coordinate that nothing inside passes; nothing where there is no inside.
    std::optional<double> run() {
        add({domain_});
        while (!cells_.empty()) {
            if (left_ < 2 * at_once || settled(cells_.front())) return direction_ * cells_.front().reach;
            std::vector<Box> halves;
            for (std::size_t k = 0; k < at_once && !cells_.empty() && !settled(cells_.front()); ++k) {
                std::pop_heap(cells_.begin(), cells_.end(), later);
                halve(cells_.back().box, halves);
                cells_.pop_back();
            }
            left_ -= halves.size();
            add(halves);
        }
        return std::nullopt;
    }

private:
    [[nodiscard]] Vec3 share(const Box& box) const { return box.size().cwiseQuotient(domain_.size().cwiseMax(1e-300)); }
    [[nodiscard]] bool settled(const Cell& cell) const { return cell.inside || share(cell.box).maxCoeff() <= finest; }

    void halve(const Box& box, std::vector<Box>& out) const {
        Vec3 length = share(box);
        length[axis_] *= length[axis_] > finest ? thin : 1.0;
        Eigen::Index longest = 0;
        length.maxCoeff(&longest);
        const double middle = box.center()[longest];
        out.insert(out.end(), 2, box);
        out[out.size() - 2].upper[longest] = middle;
        out.back().lower[longest] = middle;
    }

    void add(const std::vector<Box>& boxes) {
        std::vector<Interval> values(boxes.size());
        range_.ranges(boxes, values);
        for (std::size_t k = 0; k < boxes.size(); ++k) {
            if (values[k].lower > 0) continue;
            cells_.push_back({boxes[k], reach_of(boxes[k], values[k]), values[k].upper <= 0});
            std::push_heap(cells_.begin(), cells_.end(), later);
        }
    }

    // Beyond the domain a value below 0 at the border rises by the gap.
    [[nodiscard]] double reach_of(const Box& box, const Interval& values) const {
        const double border = direction_ > 0 ? domain_.upper[axis_] : -domain_.lower[axis_];
        const double reach = direction_ > 0 ? box.upper[axis_] : -box.lower[axis_];
        return reach < border ? reach : next_up(border - std::min(values.lower, 0.0) * (1 + 1e-12));
    }

    Box domain_;
    const NetworkRange& range_;
    int axis_;
    double direction_;
    std::size_t left_;
    std::vector<Cell> cells_; // a heap
};

} // namespace

Box inside_bounds(const Network& network, const NetworkRange& range) {
    std::array<std::optional<double>, 6> ends;
    parallel_tasks(ends.size(), [&](std::size_t k) {
        ends[k] = SideSearch(network, range, static_cast<int>(k / 2), k % 2 == 0 ? -1.0 : 1.0).run();
    });
    Box bounds;
    if (std::any_of(ends.begin(), ends.end(), [](const auto& end) { return !end; })) return bounds;
    for (int axis = 0; axis < 3; ++axis) {
        bounds.lower[axis] = *ends[2 * static_cast<std::size_t>(axis)];
        bounds.upper[axis] = *ends[2 * static_cast<std::size_t>(axis) + 1];
    }
    return bounds;
}

} // namespace fathom
