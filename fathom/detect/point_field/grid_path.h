// A segment as a walk over a grid sees it: in cells from the grid's origin, clipped to its domain.
#pragma once

#include <fathom/base/primitives.h>
#include <fathom/field/grid/grid_layout.h>

#include <cmath>
#include <limits>

namespace fathom {

// Three axes and one that stands still for ever: four make a SIMD vector.
inline constexpr std::size_t padded_axes = 4;
template <class T>
using Axes = std::array<T, padded_axes>;

struct GridPath {
    Axes<double> start{};   // at time 0
    Axes<double> step{};    // from time 0 to 1
    Axes<double> inverse{}; // 1 / step; 0 along axes on which the path stands still
    Axes<double>
        ahead{}; // 1 where it climbs the axis, else 0: signs cannot be foretold, so nothing should branch on them
    Axes<double> enter; // time of entering past a plane: plane * inverse + enter (-infinity on still axes)
    Axes<double> leave; // the same for leaving (infinity on still axes)
    double begin = 0;   // times within the domain, ends included; begin > end: none
    double end = -1;
    std::size_t longest = 0; // axis along which it goes farthest
    bool stands = false;     // still along some axis
    double reach = 0;        // largest coordinate: positions are true to a few units in its last place

    [[nodiscard]] double at(std::size_t axis, double t) const { return start[axis] + t * step[axis]; }
};

// Of a finite segment whose length does not overflow. Times within the domain are closed: touching its border counts.
// Filled in place: copies of what was just written would wait for it.
[[gnu::always_inline]] inline void set_grid_path(const GridLayout& layout, const Segment& segment, GridPath& path) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    constexpr double still = 1e-200; // cells: no such path goes anywhere, and its inverse would overflow
    const double per_cell = 1 / layout.cell;
    path.start[3] = path.step[3] = path.inverse[3] = path.ahead[3] = 0;
    path.enter[3] = -infinity;
    path.leave[3] = infinity;
    double reach = 0;
    bool stands = false;
    double begin = 0, end = 1;
    for (std::size_t k = 0; k < 3; ++k) {
        const auto axis = static_cast<Eigen::Index>(k);
        const double start = (segment.start[axis] - layout.origin[axis]) * per_cell;
        const double step = (segment.end[axis] - segment.start[axis]) * per_cell;
        const double cells = layout.bricks[k] * brick_cells;
        const bool moves = std::abs(step) > still;
        const double inverse = moves ? 1 / step : 0;
        path.start[k] = start;
        path.step[k] = step;
        path.inverse[k] = inverse;
        path.ahead[k] = 0.5 + std::copysign(0.5, step);
        path.enter[k] = moves ? -start * inverse : -infinity;
        path.leave[k] = moves ? -start * inverse : infinity;
        reach = std::max(reach, std::max(std::max(std::abs(start), std::abs(start + step)), cells));
        begin = std::max(begin, (cells - path.ahead[k] * cells) * inverse + path.enter[k]);
        end = std::min(end, path.ahead[k] * cells * inverse + path.leave[k]);
        stands |= !moves;
        if (!moves && !(start >= 0 && start <= cells)) end = -1;
    }
    const double x = std::abs(path.step[0]), y = std::abs(path.step[1]), z = std::abs(path.step[2]);
    const auto tall = static_cast<std::size_t>(z > std::max(x, y));
    path.longest = 2 * tall + (1 - tall) * static_cast<std::size_t>(y > x);
    path.begin = begin;
    path.end = end;
    path.reach = reach;
    path.stands = stands;
}
[[nodiscard]] inline GridPath grid_path(const GridLayout& layout, const Segment& segment) {
    GridPath path;
    set_grid_path(layout, segment, path);
    return path;
}

} // namespace fathom
