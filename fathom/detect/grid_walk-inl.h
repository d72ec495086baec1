// Room: detect. The walk over a grid, to be compiled once for each SIMD target: the cells of one brick, and one segment at a time.
// Include it only from a file that Highway's foreach_target compiles.
// NOLINTBEGIN(llvm-header-guard)
#if defined(FATHOM_DETECT_GRID_WALK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FATHOM_DETECT_GRID_WALK_INL_H_
#undef FATHOM_DETECT_GRID_WALK_INL_H_
#else
#define FATHOM_DETECT_GRID_WALK_INL_H_
#endif
// NOLINTEND

#include <fathom/detect/contact_visits.h>
#include <fathom/detect/grid_walk.h>
#include <fathom/field/grid/grid_range.h>

#include <hwy/highway.h>

#include <algorithm>
#include <cmath>

HWY_BEFORE_NAMESPACE();
namespace fathom::HWY_NAMESPACE {

using BrickPosition = std::array<int, 3>;

// The brick where the path begins.
HWY_INLINE BrickPosition first_brick(const GridLayout& layout, const GridPath& path) {
    BrickPosition brick;
    for (std::size_t k = 0; k < 3; ++k)
        brick[k] = std::clamp(static_cast<int>(std::floor(path.at(k, path.begin) * (1.0 / brick_cells))), 0, layout.bricks[k] - 1);
    return brick;
}

// To the first brick beyond those fewer than `clearance` away; false where the path ends before.
HWY_INLINE bool jump(const GridLayout& layout, const GridPath& path, int clearance, BrickPosition& brick) {
    std::array<double, 3> exits;
    for (std::size_t k = 0; k < 3; ++k) {
        const double plane = brick[k] + 1 - clearance + path.ahead[k] * (2 * clearance - 1);
        exits[k] = plane * brick_cells * path.inverse[k] + path.leave[k];
    }
    const double exit = std::min(exits[0], std::min(exits[1], exits[2]));
    if (!(exit < path.end)) return false;
    bool within = true;
    for (std::size_t k = 0; k < 3; ++k) {
        const int at = static_cast<int>(std::floor(path.at(k, exit) * (1.0 / brick_cells)));
        const int beside = std::min(std::max(at, brick[k] - clearance + 1), brick[k] + clearance - 1);
        const int beyond = brick[k] - clearance + static_cast<int>(path.ahead[k]) * 2 * clearance;
        const int crossed = -static_cast<int>(exits[k] == exit); // all bits, or none
        brick[k] = (beyond & crossed) | (beside & ~crossed);
        within &= static_cast<unsigned>(brick[k]) < static_cast<unsigned>(layout.bricks[k]);
    }
    return within;
}

// The way of a path through the cells of one brick. Times are whole numbers of 2^-60: as fine as doubles near 1, and their
// comparisons cost no branch.
struct BrickRun {
    std::array<std::int64_t, 3> next;   // of the next plane along each axis
    std::array<std::int64_t, 3> period; // between planes
    std::array<int, 3> stride;
    int position;                       // x | y << 4 | z << 8: a step out of the brick sets the spare bit of its axis
    std::int64_t end;
    double first, last;                 // times of the path in the brick

    static constexpr int spare_bits = 0x888;
    static constexpr double one = 0x1p60;

    [[nodiscard]] static HWY_INLINE std::int64_t whole(double t) { return static_cast<std::int64_t>(std::min(std::max(t, -2.0), 2.0) * one); }
    [[nodiscard]] HWY_INLINE std::size_t slice() const { return static_cast<std::size_t>(position >> 8); }
    [[nodiscard]] HWY_INLINE int bit() const { return (position & 7) | (position >> 1 & 0x38); }

    // False where the brick is left.
    HWY_INLINE bool step() {
        const std::int64_t t = std::min(next[0], std::min(next[1], next[2]));
        for (std::size_t k = 0; k < 3; ++k) {
            const auto crossed = -static_cast<std::int64_t>(next[k] == t); // all bits, or none; two axes where it runs through an edge
            position += stride[k] & static_cast<int>(crossed);
            next[k] += period[k] & crossed;
        }
        return t < end && (position & spare_bits) == 0;
    }
    // To the first cell that holds the level, this one included.
    HWY_INLINE bool seek(const HeldCells& cells) {
        do
            if (cells.slices[slice()].held >> bit() & 1) return true;
        while (step());
        return false;
    }
};

HWY_INLINE BrickRun enter_brick(const GridPath& path, const BrickPosition& brick) {
    BrickRun run;
    double t0 = path.begin, t1 = path.end;
    for (std::size_t k = 0; k < 3; ++k) {
        const double low = brick[k] * brick_cells, far = path.ahead[k] * brick_cells;
        t0 = std::max(t0, (low + (brick_cells - far)) * path.inverse[k] + path.enter[k]);
        t1 = std::min(t1, (low + far) * path.inverse[k] + path.leave[k]);
    }
    run.first = t0;
    run.last = std::max(t0, t1); // a corner missed by rounding is still looked at
    run.end = BrickRun::whole(run.last);
    run.position = 0;
    for (std::size_t k = 0; k < 3; ++k) {
        const int low = brick[k] * brick_cells;
        const int cell = std::min(std::max(static_cast<int>(std::floor(path.at(k, t0))) - low, 0), brick_cells - 1);
        run.position |= cell << (4 * k);
        run.stride[k] = (2 * static_cast<int>(path.ahead[k]) - 1) * (1 << (4 * k));
        run.period[k] = BrickRun::whole(std::abs(path.inverse[k]));
        run.next[k] = BrickRun::whole((low + cell + path.ahead[k]) * path.inverse[k] + path.leave[k]);
    }
    return run;
}

HWY_INLINE Vec3 place_within(const GridPath& path, const std::array<int, 3>& low, double scale, double t) {
    Vec3 result;
    for (std::size_t k = 0; k < 3; ++k)
        result[static_cast<Eigen::Index>(k)] = std::min(std::max((path.at(k, t) - low[k]) * scale, 0.0), 1.0);
    return result;
}

HWY_INLINE std::size_t packed_cell(const LevelMap& map, std::size_t rank, const BrickRun& run) {
    const std::uint64_t held = map.cells[rank].slices[run.slice()].held;
    const std::uint64_t before = held & ((std::uint64_t{1} << run.bit()) - 1);
    return map.bricks[rank].first + map.bricks[rank].before[run.slice()] + static_cast<std::size_t>(std::popcount(before));
}

HWY_INLINE std::array<double, 8> packed_values(const GridData& data, const LevelMap& map, std::size_t rank, std::size_t packed) {
    std::array<double, 8> v;
    if (data.storage == GridStorage::float32) {
        for (std::size_t k = 0; k < 8; ++k) v[k] = static_cast<double>(map.values[packed][k]);
    } else {
        const std::int32_t base = map.bricks[rank].base;
        for (std::size_t k = 0; k < 8; ++k) v[k] = data.step * (base + map.codes[packed][k]);
    }
    return v;
}

// True where the visitor has seen enough.
template <class Visitor>
HWY_INLINE bool visit_cell(const GridData& data, const LevelMap& map, const GridPath& path, const BrickPosition& brick, std::size_t rank,
                           const BrickRun& run, Visitor& visitor) {
    const std::array<int, 3> low = {brick[0] * brick_cells + (run.position & 7), brick[1] * brick_cells + (run.position >> 4 & 7),
                                    brick[2] * brick_cells + (run.position >> 8)};
    double t0 = run.first, t1 = run.last; // from the planes, so that neighbours agree on the time between them
    for (std::size_t k = 0; k < 3; ++k) {
        t0 = std::max(t0, (low[k] + (1 - path.ahead[k])) * path.inverse[k] + path.enter[k]);
        t1 = std::min(t1, (low[k] + path.ahead[k]) * path.inverse[k] + path.leave[k]);
    }
    t1 = std::max(t0, t1);
    const std::array<double, 8> values = packed_values(data, map, rank, packed_cell(map, rank, run));
    return visitor.cell({values, place_within(path, low, 1, t0), place_within(path, low, 1, t1), t0, t1});
}

// A brick without samples is one large cell.
template <class Visitor>
bool visit_far(const GridData& data, const GridPath& path, const BrickPosition& brick, const BrickRun& run, Visitor& visitor) {
    const std::array<int, 3> low = {brick[0] * brick_cells, brick[1] * brick_cells, brick[2] * brick_cells};
    const std::array<double, 8> corners = brick_corner_values(data, brick);
    const auto at = [&](double t) { return place_within(path, low, 1.0 / brick_cells, t); };
    return visitor.cell({corners, at(run.first), at(run.last), run.first, run.last});
}

// Is the path inside where it begins, in a cell of this brick that does not hold the level?
HWY_INLINE bool begins_inside(const LevelMap& map, std::size_t rank, const BrickRun& run) {
    return map.bricks[rank].first != HeldBrick::far && (map.cells[rank].slices[run.slice()].inside >> run.bit() & 1);
}

template <class Visitor>
bool visit_brick(const GridData& data, const LevelMap& map, const GridPath& path, const BrickPosition& brick, std::size_t rank, bool begins,
                 Visitor& visitor) {
    BrickRun run = enter_brick(path, brick);
    if (begins && visitor.clear(begins_inside(map, rank, run), path.begin, path.begin)) return true;
    if (map.bricks[rank].first == HeldBrick::far) return visit_far(data, path, brick, run, visitor);
    while (run.seek(map.cells[rank])) {
        if (visit_cell(data, map, path, brick, rank, run, visitor)) return true;
        if (!run.step()) break;
    }
    return false;
}

template <class Visitor>
HWY_ATTR void walk_one(const GridData& data, const LevelMap& map, const GridPath& path, Visitor& visitor) {
    if (!(path.begin <= path.end)) return;
    BrickPosition brick = first_brick(data.layout, path);
    bool begins = true;
    int clearance = 0;
    do {
        const std::size_t index = data.layout.brick_index(brick);
        clearance = map.clearance(index);
        if (clearance == 0 ? visit_brick(data, map, path, brick, map.rank(index), begins, visitor)
                           : begins && visitor.clear(map.inside(index), path.begin, path.begin))
            return;
        begins = false;
    } while (jump(data.layout, path, std::max(clearance, 1), brick));
    visitor.ends(path.end);
}

} // namespace fathom::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif // per-target include guard
