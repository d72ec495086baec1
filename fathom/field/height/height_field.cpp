// Height fields: checks, values, and ranges by a min/max pyramid.
#include <fathom/field/height/height_field.h>

#include <fathom/base/error.h>
#include <fathom/base/rounding.h>
#include <fathom/field/plane_over.h>

#include <algorithm>
#include <cmath>

namespace fathom {

namespace {

double lerp(double a, double b, double t) { return a + t * (b - a); }

// Signed distance to the surface of a box.
double box_value(const Box& box, const Vec3& p) {
    const Vec3 over = (box.lower - p).cwiseMax(p - box.upper);
    return over.maxCoeff() <= 0 ? over.maxCoeff() : over.cwiseMax(0.0).norm();
}

Vec3 box_gradient(const Box& box, const Vec3& p) {
    const Vec3 over = (box.lower - p).cwiseMax(p - box.upper);
    if (over.maxCoeff() > 0) return (p - box.closest(p)).normalized();
    int axis = 0;
    over.maxCoeff(&axis);
    return (p[axis] - box.lower[axis] < box.upper[axis] - p[axis] ? -1.0 : 1.0) * Vec3::Unit(axis);
}

Interval box_range(const Box& domain, const Box& box) {
    Interval most = Interval(-std::numeric_limits<double>::infinity()), squares = 0;
    for (int k = 0; k < 3; ++k) {
        const Interval over = max(Interval(domain.lower[k]) - Interval(box.lower[k], box.upper[k]),
                                  Interval(box.lower[k], box.upper[k]) - Interval(domain.upper[k]));
        most = max(most, over);
        squares = squares + square(max(over, Interval(0)));
    }
    const Interval outside = widened(sqrt(squares), 4);
    if (most.upper <= 0) return most;
    if (most.lower > 0) return outside;
    return {most.lower, std::max(0.0, outside.upper)};
}

void check(const HeightSamples& samples) {
    if (samples.columns < 2 || samples.rows < 2)
        throw Error(Cause::invalid_argument, "expected at least 2 samples along each side", {.element = "heights"});
    if (samples.heights.size() != static_cast<std::size_t>(samples.columns) * static_cast<std::size_t>(samples.rows))
        throw Error(Cause::count_mismatch, "expected columns times rows values", {.element = "heights"});
    for (std::size_t k = 0; k < samples.heights.size(); ++k)
        if (!std::isfinite(samples.heights[k]))
            throw Error(Cause::non_finite, "not a finite number",
                        {.element = "height", .index = static_cast<std::int64_t>(k)});
    if (!samples.origin.allFinite() || !samples.spacing.allFinite() || !std::isfinite(samples.floor) ||
        !std::isfinite(samples.ceiling))
        throw Error(Cause::non_finite, "origin, spacing, floor or ceiling is not finite", {.element = "heights"});
    if (!(samples.spacing.minCoeff() > 0))
        throw Error(Cause::invalid_argument, "must be positive", {.element = "spacing"});
    if (!(samples.floor < samples.ceiling))
        throw Error(Cause::invalid_argument, "must be below the ceiling", {.element = "floor"});
}

} // namespace

struct HeightField::Cell {
    int column, row;
    double x, y; // in [0,1]
};

HeightField::HeightField(HeightSamples samples) : samples_(std::move(samples)) {
    check(samples_);
    const Vec2 end = samples_.origin + Vec2(samples_.columns - 1, samples_.rows - 1).cwiseProduct(samples_.spacing);
    domain_ = {{samples_.origin.x(), samples_.origin.y(), samples_.floor}, {end.x(), end.y(), samples_.ceiling}};
    build();
    for (int row = 0; row + 1 < samples_.rows; ++row)
        for (int column = 0; column + 1 < samples_.columns; ++column) {
            const Cell cell{column, row, 0, 0};
            const auto [least, most] = slopes_over(cell, cell);
            const Vec2 steepest = least.cwiseAbs().cwiseMax(most.cwiseAbs());
            lipschitz_ = std::max(lipschitz_, outward(std::hypot(1.0, std::hypot(steepest.x(), steepest.y()))));
        }
}

void HeightField::build() {
    Level cells{samples_.columns - 1, samples_.rows - 1, {}};
    for (int row = 0; row < cells.rows; ++row)
        for (int column = 0; column < cells.columns; ++column) {
            const std::size_t k = static_cast<std::size_t>(row) * static_cast<std::size_t>(samples_.columns) +
                                  static_cast<std::size_t>(column);
            const std::size_t below = k + static_cast<std::size_t>(samples_.columns);
            const auto [lower, upper] = std::minmax(
                {samples_.heights[k], samples_.heights[k + 1], samples_.heights[below], samples_.heights[below + 1]});
            cells.ranges.push_back({lower, upper});
        }
    levels_.push_back(std::move(cells));
    while (levels_.back().columns > 1 || levels_.back().rows > 1) {
        const Level& finer = levels_.back();
        Level coarser{(finer.columns + 1) / 2, (finer.rows + 1) / 2, {}};
        coarser.ranges.assign(static_cast<std::size_t>(coarser.columns) * static_cast<std::size_t>(coarser.rows),
                              {HUGE_VALF, -HUGE_VALF});
        for (std::size_t k = 0; k < finer.ranges.size(); ++k) {
            const std::size_t row = k / static_cast<std::size_t>(finer.columns),
                              column = k % static_cast<std::size_t>(finer.columns);
            Range& block = coarser.ranges[row / 2 * static_cast<std::size_t>(coarser.columns) + column / 2];
            block = {std::min(block.lower, finer.ranges[k].lower), std::max(block.upper, finer.ranges[k].upper)};
        }
        levels_.push_back(std::move(coarser));
    }
}

double HeightField::corner(int column, int row) const {
    return static_cast<double>(
        samples_.heights[static_cast<std::size_t>(row) * static_cast<std::size_t>(samples_.columns) +
                         static_cast<std::size_t>(column)]);
}

HeightField::Cell HeightField::cell_at(double x, double y) const {
    const auto place = [](double at, int cells, int& cell) {
        const double inside = std::clamp(at, 0.0, static_cast<double>(cells)); // NaN stays NaN
        cell = inside >= 1 ? std::min(static_cast<int>(inside), cells - 1) : 0;
        return std::clamp(inside - cell, 0.0, 1.0);
    };
    Cell cell{};
    cell.x = place((x - samples_.origin.x()) / samples_.spacing.x(), samples_.columns - 1, cell.column);
    cell.y = place((y - samples_.origin.y()) / samples_.spacing.y(), samples_.rows - 1, cell.row);
    return cell;
}

double HeightField::value_in(const Cell& cell) const {
    return lerp(lerp(corner(cell.column, cell.row), corner(cell.column + 1, cell.row), cell.x),
                lerp(corner(cell.column, cell.row + 1), corner(cell.column + 1, cell.row + 1), cell.x), cell.y);
}

double HeightField::height(double x, double y) const { return value_in(cell_at(x, y)); }

double HeightField::distance(const Vec3& p) const {
    const double h = height(p.x(), p.y());
    return std::max(samples_.solid == SolidSide::below ? p.z() - h : h - p.z(), box_value(domain_, p));
}

Sample HeightField::sample(const Vec3& p) const {
    const Cell cell = cell_at(p.x(), p.y());
    const double h = value_in(cell), sign = samples_.solid == SolidSide::below ? 1 : -1;
    const double over = samples_.solid == SolidSide::below ? p.z() - h : h - p.z(), beyond = box_value(domain_, p);
    if (!(over >= beyond)) return {std::max(over, beyond), box_gradient(domain_, p)};
    const double a = corner(cell.column, cell.row), b = corner(cell.column + 1, cell.row),
                 c = corner(cell.column, cell.row + 1), d = corner(cell.column + 1, cell.row + 1);
    Vec3 gradient(-lerp(b - a, d - c, cell.y) / samples_.spacing.x(),
                  -lerp(c - a, d - b, cell.x) / samples_.spacing.y(), 1);
    for (int k = 0; k < 2; ++k)
        if (p[k] < domain_.lower[k] || p[k] > domain_.upper[k]) gradient[k] = 0;
    return {over, sign * gradient};
}

Interval HeightField::range(const Box& box) const {
    if (box.empty()) return Interval::none();
    const Interval z(box.lower.z(), box.upper.z()), h = heights(box.lower.head<2>(), box.upper.head<2>());
    return max(samples_.solid == SolidSide::below ? z - h : h - z, box_range(domain_, box));
}

Interval HeightField::heights(const Vec2& lower, const Vec2& upper) const {
    const Cell first = cell_at(lower.x(), lower.y()), last = cell_at(upper.x(), upper.y());
    const Interval found =
        last.column - first.column < 3 && last.row - first.row < 3 ? over_cells(first, last) : over_blocks(first, last);
    // Three interpolations, each with two roundings of numbers no larger than the heights and their differences.
    const Interval all(static_cast<double>(levels_.back().ranges[0].lower),
                       static_cast<double>(levels_.back().ranges[0].upper));
    const double slack = rounding_error(16) * (std::abs(all.lower) + std::abs(all.upper));
    return {found.lower - slack, found.upper + slack};
}

// The heights relative to a plane, whose slopes are those of `facing` if the surface over the box has them, else the
// closest ones that it has.
bool HeightField::plane_ranges(std::span<const Box> boxes, std::span<Interval> out, std::span<PlaneOver> planes,
                               const Vec3& facing) const {
    const double up = samples_.solid == SolidSide::below ? 1 : -1;
    const Interval all(static_cast<double>(levels_.back().ranges[0].lower),
                       static_cast<double>(levels_.back().ranges[0].upper));
    for (std::size_t k = 0; k < boxes.size(); ++k) {
        const Box& box = boxes[k];
        out[k] = range(box);
        planes[k] = {};
        if (!(out[k].lower <= 0 && out[k].upper >= 0)) continue;
        const Cell first = cell_at(box.lower.x(), box.lower.y()), last = cell_at(box.upper.x(), box.upper.y());
        if (last.column - first.column > 3 || last.row - first.row > 3) continue;
        const auto [least, most] = slopes_over(first, last);
        Vec2 tilt = 0.5 * (least + most);
        if (!facing.isZero())
            tilt = (facing.head<2>() * -up / std::max(up * facing.z(), 1e-9)).cwiseMax(least).cwiseMin(most);
        const Interval over = over_cells(first, last, tilt);
        const Vec2 origin = samples_.origin;
        const Vec3 center = box.center(), normal(-up * tilt.x(), -up * tilt.y(), up);
        // Of the interior: up (z - height) <= 0.
        const double farthest = up > 0 ? over.upper : -over.lower,
                     at_center = up * (center.z() - tilt.dot(center.head<2>() - origin)),
                     slack = rounding_error(64) *
                             (std::abs(all.lower) + std::abs(all.upper) + std::abs(center.z()) +
                              tilt.cwiseAbs().dot((center.head<2>() - origin).cwiseAbs() + box.half().head<2>()) +
                              tilt.cwiseAbs().dot(origin.cwiseAbs()));
        planes[k] = {normal.normalized(),
                     (farthest - at_center + slack) / normal.norm() + relative_rounding * box.diagonal()};
    }
    return true;
}

// The slopes of a bilinear cell along an axis are between those of its two edges.
std::pair<Vec2, Vec2> HeightField::slopes_over(const Cell& first, const Cell& last) const {
    Vec2 least = Vec2::Constant(HUGE_VAL), most = -least;
    for (int row = first.row; row <= last.row; ++row)
        for (int column = first.column; column <= last.column; ++column) {
            const double a = corner(column, row), b = corner(column + 1, row), c = corner(column, row + 1),
                         d = corner(column + 1, row + 1);
            for (const Vec2& slope : {Vec2(b - a, c - a), Vec2(d - c, d - b)}) {
                least = least.cwiseMin(slope.cwiseQuotient(samples_.spacing));
                most = most.cwiseMax(slope.cwiseQuotient(samples_.spacing));
            }
        }
    return {least, most};
}

// A bilinear function has its extrema over a rectangle at the corners. `tilt`: the slopes of a plane through the origin
// that is subtracted.
Interval HeightField::over_cells(const Cell& first, const Cell& last, const Vec2& tilt) const {
    Interval found = Interval::none();
    for (int row = first.row; row <= last.row; ++row)
        for (int column = first.column; column <= last.column; ++column)
            for (const double x : {column == first.column ? first.x : 0.0, column == last.column ? last.x : 1.0})
                for (const double y : {row == first.row ? first.y : 0.0, row == last.row ? last.y : 1.0})
                    found = hull(found, value_in({column, row, x, y}) -
                                            tilt.dot(Vec2(column + x, row + y).cwiseProduct(samples_.spacing)));
    return found;
}

// Uses the level at which at most 4 x 4 blocks overlap the range.
Interval HeightField::over_blocks(const Cell& first, const Cell& last) const {
    int shift = 0;
    while ((last.column >> shift) - (first.column >> shift) > 3 || (last.row >> shift) - (first.row >> shift) > 3)
        ++shift;
    const Level& level = levels_[static_cast<std::size_t>(shift)];
    Interval found = Interval::none();
    for (int row = first.row >> shift; row <= last.row >> shift; ++row)
        for (int column = first.column >> shift; column <= last.column >> shift; ++column) {
            const Range& block = level.ranges[static_cast<std::size_t>(row) * static_cast<std::size_t>(level.columns) +
                                              static_cast<std::size_t>(column)];
            found = hull(found, {static_cast<double>(block.lower), static_cast<double>(block.upper)});
        }
    return found;
}

std::size_t HeightField::memory_bytes() const {
    std::size_t bytes = samples_.heights.size() * sizeof(float);
    for (const Level& level : levels_) bytes += level.ranges.size() * sizeof(Range);
    return bytes;
}

} // namespace fathom
