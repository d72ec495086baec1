// Room: detect. A segment as a walk over a grid sees it: in cells from the grid's origin, clipped to its domain.
#pragma once

#include <fathom/base/shapes.h>
#include <fathom/field/grid/grid_layout.h>

#include <cmath>
#include <limits>

namespace fathom {

struct GridPath {
    std::array<double, 3> start;   // at time 0
    std::array<double, 3> step;    // from time 0 to 1
    std::array<double, 3> inverse; // 1 / step; 0 along axes on which the path stands still
    std::array<double, 3> ahead;   // 1 where it climbs the axis, else 0: signs cannot be foretold, so nothing should branch on them
    std::array<double, 3> enter;   // time of entering past a plane: plane * inverse + enter (-infinity on still axes)
    std::array<double, 3> leave;   // the same for leaving (infinity on still axes)
    double begin = 0;              // times within the domain, ends included; begin > end: none
    double end = -1;
    double reach = 0;              // largest coordinate: positions are true to a few units in its last place

    [[nodiscard]] double at(std::size_t axis, double t) const { return start[axis] + t * step[axis]; }
};

// Of a finite segment whose length does not overflow. Times within the domain are closed: touching its border counts.
[[nodiscard, gnu::always_inline]] inline GridPath grid_path(const GridLayout& layout, const Segment& segment) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    constexpr double still = 1e-200; // cells: no such path goes anywhere, and its inverse would overflow
    const double per_cell = 1 / layout.cell;
    GridPath path;
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
        path.reach = std::max(path.reach, std::max(std::max(std::abs(start), std::abs(start + step)), cells));
        begin = std::max(begin, (cells - path.ahead[k] * cells) * inverse + path.enter[k]);
        end = std::min(end, path.ahead[k] * cells * inverse + path.leave[k]);
        if (!moves && !(start >= 0 && start <= cells)) end = -1;
    }
    path.begin = begin;
    path.end = end;
    return path;
}

} // namespace fathom
