// Grid traversal of Xu & Barbic 2014, section 3.1: visits every cell along the path (Amanatides & Woo 1987).
// SegmentCaster uses it for grids that are not continuous, where cells cannot be skipped; tests use it as the reference
// of grid_traversal.h. Its cost is proportional to the length of the path. The cell test of the paper is in baseline/.
#pragma once

#include <fathom/detect/point_field/interval_collectors.h>
#include <fathom/detect/result/result.h>
#include <fathom/field/grid/grid_field.h>
#include <fathom/field/grid/grid_range.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace fathom::point_field {

// ---- Iterator over the cells of a grid along a path (Amanatides & Woo 1987), with the values of the current cell. It
// serves dda_intervals() and octree_intervals(); the fast traversal has its own.

struct LevelBand {
    double level, slack;

    // Whether the band lies below or above all values, given their minimum or maximum.
    [[nodiscard]] bool below(double least) const { return least > level + slack; }
    [[nodiscard]] bool above(double most) const { return most < level - slack; }
};

class CellStepper {
public:
    CellStepper(const GridData& data, const GridPath& path) : data_(data), path_(path), time_(path.begin) {
        if (done()) return;
        for (std::size_t k = 0; k < 3; ++k)
            cell_[k] = std::clamp(static_cast<int>(std::floor(path.at(k, path.begin))), 0,
                                  data.layout.bricks[k] * brick_cells - 1);
        enter_brick();
    }

    [[nodiscard]] bool done() const { return !(path_.begin <= path_.end); }
    [[nodiscard]] const std::array<int, 3>& cell() const { return cell_; }
    [[nodiscard]] Index stored() const { return stored_; }

    // The time at which the path leaves the aligned cube of `side` = 2^n cells that contains the current cell.
    [[nodiscard]] double exit(int side) const { return std::min(std::max(time_, crossing(side).time), path_.end); }

    template <class Visitor>
    bool clear(bool inside, int side, Visitor& visitor) const {
        return visitor.clear(inside, time_, exit(side));
    }

    // Visits the current cell, or the part of a brick without samples.
    template <class Visitor>
    bool visit_cell(const LevelBand& band, Visitor& visitor, int side = 1) const {
        std::array<double, 8> own;
        if (stored_ != no_index)
            own = stored_cell_values(data_, stored_,
                                     {cell_[0] % brick_cells, cell_[1] % brick_cells, cell_[2] % brick_cells});
        const std::array<double, 8>& values = stored_ != no_index ? own : corners_;
        const auto [least, most] = std::minmax_element(values.begin(), values.end());
        if (band.below(*least)) return clear(false, side, visitor);
        if (band.above(*most)) return clear(true, side, visitor);
        const double last = exit(side);
        return visitor.cell({values, within(time_), within(last), time_, last});
    }

    // Advances out of that cube. Returns false if the path ends in it.
    bool leave(int side) {
        const auto [axis, t] = crossing(side);
        if (!(t < path_.end)) return false;
        time_ = std::max(time_, t);
        for (std::size_t k = 0; k < 3; ++k) {
            const int low = cell_[k] / side * side;
            if (k == axis) {
                cell_[k] = path_.step[k] > 0 ? low + side : low - 1;
            } else if (side > 1) {
                const int last = std::min(low + side, data_.layout.bricks[k] * brick_cells) - 1;
                cell_[k] = std::clamp(static_cast<int>(std::floor(path_.at(k, t))), low, last);
            }
        }
        if (cell_[axis] < 0 || cell_[axis] >= data_.layout.bricks[axis] * brick_cells) return false;
        enter_brick();
        return true;
    }

private:
    struct Crossing {
        std::size_t axis;
        double time;
    };

    [[nodiscard]] Crossing crossing(int side) const {
        std::array<double, 3> t;
        for (std::size_t k = 0; k < 3; ++k) {
            const int low = cell_[k] / side * side;
            t[k] = (path_.step[k] > 0 ? low + side : low) * path_.inverse[k] + path_.leave[k];
        }
        const std::size_t axis = t[0] <= t[1] ? (t[0] <= t[2] ? 0 : 2) : (t[1] <= t[2] ? 1 : 2);
        return {axis, t[axis]};
    }

    void enter_brick() {
        const std::array<int, 3> brick = {cell_[0] / brick_cells, cell_[1] / brick_cells, cell_[2] / brick_cells};
        if (brick == brick_) return;
        brick_ = brick;
        stored_ = data_.brick_of[data_.layout.brick_index(brick)];
        if (stored_ == no_index) corners_ = brick_corner_values(data_, brick);
    }

    // Position of the path at a time, relative to the cell or to the brick without samples.
    [[nodiscard]] Vec3 within(double t) const {
        Vec3 f;
        for (std::size_t k = 0; k < 3; ++k) {
            const double low = stored_ != no_index ? cell_[k] : brick_[k] * brick_cells;
            const double scale = stored_ != no_index ? 1 : 1.0 / brick_cells;
            f[static_cast<Eigen::Index>(k)] = std::clamp((path_.at(k, t) - low) * scale, 0.0, 1.0);
        }
        return f;
    }

    const GridData& data_;
    const GridPath& path_;
    double time_;
    std::array<int, 3> cell_{};
    std::array<int, 3> brick_ = {-1, -1, -1};
    Index stored_ = no_index;
    std::array<double, 8> corners_{}; // corner values of a brick without samples
};

// The traversal itself: calls visitor.cell() or visitor.clear() for each cell on the path, until one of them returns
// true, then visitor.ends().
template <class Visitor>
void dda_walk(const GridField& field, const GridPath& path, const LevelBand& band, Visitor& visitor) {
    CellStepper stepper(field.data(), path);
    if (stepper.done()) return;
    do {
        if (stepper.visit_cell(band, visitor)) return;
    } while (stepper.leave(1));
    visitor.ends(path.end);
}

// Appends the intervals with value <= level within the domain of the grid, ascending and disjoint, as grid_traversal.h
// does.
void dda_intervals(const GridField& field, const GridPath& path, double level, std::vector<ContactInterval>& out);
// The first such time by the exact test, or no_contact. The traversal stops there.
[[nodiscard]] double dda_first(const GridField& field, const GridPath& path, double level);

} // namespace fathom::point_field
