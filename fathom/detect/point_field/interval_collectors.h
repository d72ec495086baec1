// Visitors that turn the cells of a grid traversal into contact times. Traversals differ only in the cells that they
// visit.
#pragma once

#include <fathom/base/primitives.h>
#include <fathom/detect/point_field/cell_roots.h>
#include <fathom/detect/result/result.h>
#include <fathom/field/grid/grid_data.h>
#include <fathom/field/grid/grid_field.h>

#include <cmath>
#include <limits>
#include <vector>

namespace fathom::point_field {

// ---- A segment in grid coordinates (cells from the grid's origin), clipped to the domain.

// Three axes and a fourth without motion, to fill a SIMD vector.
inline constexpr std::size_t padded_axes = 4;
template <class T>
using Axes = std::array<T, padded_axes>;

struct GridPath {
    Axes<double> start{};   // at time 0
    Axes<double> step{};    // from time 0 to 1
    Axes<double> inverse{}; // 1 / step; 0 along axes without motion
    // 1 if the path increases along the axis, else 0. It avoids branches on signs, which are unpredictable.
    Axes<double> ahead{};
    Axes<double> enter; // entry time through a plane: plane * inverse + enter (-infinity on axes without motion)
    Axes<double> leave; // the same for the exit time (infinity on axes without motion)
    double begin = 0;   // time interval within the domain, ends included; begin > end: none
    double end = -1;
    std::size_t longest = 0; // axis of the largest displacement
    bool stands = false;     // there is no motion along some axis
    double reach = 0;        // largest coordinate: positions are accurate to a few units in its last place

    [[nodiscard]] double at(std::size_t axis, double t) const { return start[axis] + t * step[axis]; }
};

// The segment must be finite, and its length must not overflow. The time interval is closed: touching the border of the
// domain counts. The path is filled in place, because copying data that was just written would stall.
[[gnu::always_inline]] inline void set_grid_path(const GridLayout& layout, const Segment& segment, GridPath& path) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    constexpr double still = 1e-200; // cells: smaller steps count as no motion, since their inverse would overflow
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

inline constexpr double no_contact = 2; // a time after every other

// The piece [t0, t1] of a path in one cell: its ends in cell coordinates [0, 1]^3, and the corner values.
struct CellPiece {
    const std::array<double, 8>& values;
    Vec3 from, to;
    double t0, t1;
};

// Interpolated time; the ends are exact, so that adjacent pieces agree.
[[nodiscard]] inline double time_between(double t0, double t1, double s) { return s == 1 ? t1 : t0 + s * (t1 - t0); }

// Finds the first contact. Every call returns whether the traversal may stop.
struct FirstContact {
    double level, slack;
    double time = no_contact;

    bool clear(bool inside, double t0, double) {
        if (inside) time = t0;
        return inside;
    }
    bool cell(const CellPiece& piece) {
        return visit_analysis(analyze(cell_cubic(piece.values, level, piece.from, piece.to), slack), piece.t0,
                              piece.t1);
    }
    [[gnu::always_inline]] bool visit_analysis(const CellAnalysis& analysis, double t0, double t1) {
        const double s = first_cell_contact(analysis, slack);
        if (s <= 1) time = time_between(t0, t1, s);
        return s <= 1;
    }
    void ends(double) {}
};

// Collects all contacts. Stretches that a traversal skips have the state of the end of the previous piece.
struct AllContacts {
    double level, slack;
    std::vector<ContactInterval>* out;
    std::size_t first = out->size();
    bool inside = false;
    double since = 0;

    bool clear(bool is_inside, double t0, double t1) {
        pass(t0);
        if (is_inside) add(t0, t1);
        inside = is_inside;
        since = t1;
        return false;
    }
    bool cell(const CellPiece& piece) {
        return visit_analysis(analyze(cell_cubic(piece.values, level, piece.from, piece.to), slack), piece.t0,
                              piece.t1);
    }
    [[gnu::always_inline]] bool visit_analysis(const CellAnalysis& analysis, double t0, double t1) {
        pass(t0);
        const CellContacts contacts = cell_contacts(analysis, slack);
        for (std::size_t k = 0; k < static_cast<std::size_t>(contacts.count); ++k)
            add(time_between(t0, t1, contacts.spans[k][0]), time_between(t0, t1, contacts.spans[k][1]));
        inside = (analysis.bits & 8) != 0;
        since = t1;
        return false;
    }
    void ends(double t) { pass(t); }

private:
    void pass(double until) {
        if (inside) add(since, until);
    }
    void add(double low, double high) const {
        if (out->size() > first && out->back().end >= low)
            out->back().end = std::max(out->back().end, high);
        else
            out->push_back({low, std::max(low, high)});
    }
};

} // namespace fathom::point_field
