// Room: detect. The walk of one segment.
#include <fathom/detect/grid_walk.h>
#include <fathom/field/grid/grid_range.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace fathom {

namespace {

template <class Visitor>
class Walk {
public:
    Walk(const GridData& data, const LevelMap& map, const GridPath& path, Visitor& visitor)
        : data_(data), map_(map), path_(path), visitor_(visitor) {}

    void run() {
        if (!(path_.begin <= path_.end)) return;
        for (std::size_t k = 0; k < 3; ++k)
            brick_[k] = std::clamp(static_cast<int>(std::floor(path_.at(k, path_.begin) * (1.0 / brick_cells))), 0, data_.layout.bricks[k] - 1);
        time_ = path_.begin;
        while (visit_brick()) {}
    }

private:
    // False where the walk is over.
    bool visit_brick() {
        const std::size_t brick = data_.layout.brick_index(brick_);
        const int clearance = map_.clearance(brick);
        if (clearance == 0) {
            if (visit_held(brick)) return false;
        } else if (!started_ && starts(map_.inside(brick))) {
            return false;
        }
        if (jump(std::max(clearance, 1))) return true;
        visitor_.ends(path_.end);
        return false;
    }

    bool starts(bool inside) {
        started_ = true;
        return visitor_.clear(inside, path_.begin, path_.begin);
    }

    // To the first brick beyond those fewer than `clearance` away; false where the path ends before.
    bool jump(int clearance) {
        double exit = HUGE_VAL;
        std::size_t axis = 0;
        for (std::size_t k = 0; k < 3; ++k) {
            const int plane = path_.step[k] > 0 ? brick_[k] + clearance : brick_[k] - clearance + 1;
            const double t = plane * brick_cells * path_.inverse[k] + path_.leave[k];
            if (t < exit) exit = t, axis = k;
        }
        if (!(exit < path_.end)) return false;
        time_ = std::max(time_, exit);
        for (std::size_t k = 0; k < 3; ++k) {
            if (k == axis) {
                brick_[k] += path_.step[k] > 0 ? clearance : -clearance;
            } else {
                const double at = std::floor(path_.at(k, exit) * (1.0 / brick_cells));
                brick_[k] = static_cast<int>(std::clamp(at, brick_[k] - clearance + 1.0, brick_[k] + clearance - 1.0));
                brick_[k] = std::clamp(brick_[k], 0, data_.layout.bricks[k] - 1);
            }
        }
        return brick_[axis] >= 0 && brick_[axis] < data_.layout.bricks[axis];
    }

    // True where the visitor has seen enough.
    bool visit_held(std::size_t brick) {
        const std::size_t rank = map_.rank(brick);
        double t0 = path_.begin, t1 = path_.end;
        for (std::size_t k = 0; k < 3; ++k) {
            const int low = brick_[k] * brick_cells, high = low + brick_cells;
            t0 = std::max(t0, (path_.step[k] > 0 ? low : high) * path_.inverse[k] + path_.enter[k]);
            t1 = std::min(t1, (path_.step[k] > 0 ? high : low) * path_.inverse[k] + path_.leave[k]);
        }
        t1 = std::max(t0, t1); // a corner missed by rounding is still looked at
        if (map_.bricks[rank].first == HeldBrick::far) return visit_far(t0, t1);
        return visit_cells(rank, t0, t1);
    }

    bool visit_far(double t0, double t1) {
        if (!started_ && starts(false)) return true;
        const Vec3 low(brick_[0] * brick_cells, brick_[1] * brick_cells, brick_[2] * brick_cells);
        const std::array<double, 8> corners = brick_corner_values(data_, brick_);
        return visitor_.cell({corners, within(low, brick_cells, t0), within(low, brick_cells, t1), t0, t1});
    }

    bool visit_cells(std::size_t rank, double t, double last) {
        std::array<int, 3> cell, side;
        std::array<double, 3> next;
        for (std::size_t k = 0; k < 3; ++k) {
            const int low = brick_[k] * brick_cells;
            side[k] = path_.step[k] > 0 ? 1 : 0;
            cell[k] = std::clamp(static_cast<int>(std::floor(path_.at(k, t))), low, low + brick_cells - 1);
            next[k] = (cell[k] + side[k]) * path_.inverse[k] + path_.leave[k];
        }
        for (;;) {
            const std::size_t axis = next[0] <= next[1] ? (next[0] <= next[2] ? 0 : 2) : (next[1] <= next[2] ? 1 : 2);
            const double t1 = std::min(std::max(next[axis], t), last);
            if (visit_cell(rank, cell, t, t1)) return true;
            if (!(next[axis] < last)) return false;
            t = t1;
            cell[axis] += 2 * side[axis] - 1;
            if (cell[axis] / brick_cells != brick_[axis] || cell[axis] < 0) return false;
            next[axis] = (cell[axis] + side[axis]) * path_.inverse[axis] + path_.leave[axis];
        }
    }

    bool visit_cell(std::size_t rank, const std::array<int, 3>& cell, double t0, double t1) {
        const auto slice = static_cast<std::size_t>(cell[2] % brick_cells);
        const int bit = cell[1] % brick_cells * brick_cells + cell[0] % brick_cells;
        const HeldCells::Slice& bits = map_.cells[rank].slices[slice];
        const bool held = bits.held >> bit & 1;
        if (!started_ && starts(!held && (bits.inside >> bit & 1))) return true;
        if (!held) return false;
        const std::size_t packed = map_.bricks[rank].first + map_.bricks[rank].before[slice] +
                                   static_cast<std::size_t>(std::popcount(bits.held & ((std::uint64_t{1} << bit) - 1)));
        const Vec3 low(cell[0], cell[1], cell[2]);
        const std::array<double, 8> corners = values(map_.bricks[rank].base, packed);
        return visitor_.cell({corners, within(low, 1, t0), within(low, 1, t1), t0, t1});
    }

    [[nodiscard]] std::array<double, 8> values(std::int32_t base, std::size_t packed) const {
        std::array<double, 8> v;
        if (data_.storage == GridStorage::float32) {
            for (std::size_t k = 0; k < 8; ++k) v[k] = static_cast<double>(map_.values[packed][k]);
        } else {
            for (std::size_t k = 0; k < 8; ++k) v[k] = data_.step * (base + map_.codes[packed][k]);
        }
        return v;
    }

    [[nodiscard]] Vec3 within(const Vec3& low, double side, double t) const {
        Vec3 result;
        for (std::size_t k = 0; k < 3; ++k) {
            const auto axis = static_cast<Eigen::Index>(k);
            result[axis] = std::clamp((path_.at(k, t) - low[axis]) / side, 0.0, 1.0);
        }
        return result;
    }

    const GridData& data_;
    const LevelMap& map_;
    const GridPath& path_;
    Visitor& visitor_;
    std::array<int, 3> brick_{};
    double time_ = 0;
    bool started_ = false;
};

} // namespace

double walk_slack(const GridData& data, const GridPath& path) {
    const double steep = data.lipschitz * data.layout.cell;
    // Corners of a cell that holds the level differ from it by at most the diagonal of a brick.
    return 0x1p-46 * (14 * steep + data.step) + 0x1p-48 * path.reach * steep;
}

double walk_first(const GridData& data, const LevelMap& map, const GridPath& path) {
    FirstContact visitor{map.level, walk_slack(data, path)};
    Walk(data, map, path, visitor).run();
    return visitor.time;
}

void walk_all(const GridData& data, const LevelMap& map, const GridPath& path, std::vector<ContactInterval>& out) {
    AllContacts visitor{map.level, walk_slack(data, path), out};
    Walk(data, map, path, visitor).run();
}

} // namespace fathom
