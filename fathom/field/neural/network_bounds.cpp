// Room: field. A proven box around everything that a network calls inside.
#include <fathom/field/neural/network_bounds.h>

#include <fathom/base/parallel.h>
#include <fathom/field/neural/network_range.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace fathom {

namespace {

constexpr int deepest = 6; // halvings of the domain

struct Cell {
    Box box;
    int depth = 0;
    Interval values{};
    [[nodiscard]] bool settled() const { return depth >= deepest || values.upper <= 0; }
};

// About half a second at most for the largest of common networks.
std::size_t budget(const Network& network) {
    const double affordable = 1e9 / static_cast<double>(network.weight_count());
    return static_cast<std::size_t>(std::clamp(affordable, 64.0, 4096.0));
}

bool touches(const Box& box, const Box& hull) {
    return (box.lower.array() == hull.lower.array()).any() || (box.upper.array() == hull.upper.array()).any();
}

Box hull_of(const std::vector<Cell>& cells) {
    Box hull;
    for (const Cell& cell : cells) hull.extend(cell.box);
    return hull;
}

void add_octants(const Cell& cell, std::vector<Cell>& out) {
    const Vec3 middle = cell.box.center();
    for (int k = 0; k < 8; ++k) {
        Box part;
        part.extend(middle);
        part.extend(cell.box.corner(k));
        out.push_back({part, cell.depth + 1});
    }
}

void find_values(const NetworkRange& range, std::vector<Cell>& cells) {
    parallel_for(cells.size(), 16, [&](std::size_t begin, std::size_t end) {
        std::vector<Box> boxes;
        for (std::size_t k = begin; k < end; ++k) boxes.push_back(cells[k].box);
        std::vector<Interval> values(boxes.size());
        range.ranges(boxes, values);
        for (std::size_t k = begin; k < end; ++k) cells[k].values = values[k - begin];
    });
    std::erase_if(cells, [](const Cell& cell) { return cell.values.lower > 0; });
}

// Beyond the domain a value below 0 at the border rises by the gap.
Box with_beyond(const Cell& cell, const Box& domain) {
    Box box = cell.box;
    const double reach = -std::min(cell.values.lower, 0.0) * (1 + 1e-12);
    for (int k = 0; k < 3; ++k) {
        if (box.lower[k] == domain.lower[k]) box.lower[k] = next_down(box.lower[k] - reach);
        if (box.upper[k] == domain.upper[k]) box.upper[k] = next_up(box.upper[k] + reach);
    }
    return box;
}

} // namespace

Box inside_bounds(const Network& network, const NetworkRange& range) {
    std::vector<Cell> cells = {{network.domain}};
    find_values(range, cells);
    for (std::size_t left = budget(network);;) {
        const Box hull = hull_of(cells);
        const auto outer = std::partition(cells.begin(), cells.end(), [&](const Cell& cell) { return cell.settled() || !touches(cell.box, hull); });
        std::vector<Cell> parts;
        for (auto cell = outer; cell != cells.end(); ++cell) add_octants(*cell, parts);
        if (parts.empty() || parts.size() > left) break;
        left -= parts.size();
        find_values(range, parts);
        cells.erase(outer, cells.end());
        cells.insert(cells.end(), parts.begin(), parts.end());
    }
    Box bounds;
    for (const Cell& cell : cells) bounds.extend(with_beyond(cell, network.domain));
    return bounds;
}

} // namespace fathom
