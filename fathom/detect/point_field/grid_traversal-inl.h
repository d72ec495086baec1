// Grid traversal, compiled once for each SIMD target: the cells of one brick, and one segment at a time.
// Include it only from a file that Highway's foreach_target compiles.
#if defined(FATHOM_DETECT_GRID_WALK_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef FATHOM_DETECT_GRID_WALK_INL_H
#undef FATHOM_DETECT_GRID_WALK_INL_H
#else
#define FATHOM_DETECT_GRID_WALK_INL_H
#endif

#include <fathom/base/simd/double4-inl.h>
#include <fathom/detect/point_field/grid_traversal.h>
#include <fathom/detect/point_field/interval_collectors.h>
#include <fathom/field/grid/grid_range.h>

#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

HWY_BEFORE_NAMESPACE();
namespace fathom::point_field::HWY_NAMESPACE {

using namespace fathom::HWY_NAMESPACE; // double4-inl.h

using BrickPosition = Axes<int>;
inline constexpr std::array<std::size_t, 3> next_axis = {1, 2, 0};

// The brick in which the path begins.
HWY_INLINE BrickPosition first_brick(const GridLayout& layout, const GridPath& path) {
    BrickPosition brick{};
    for (std::size_t k = 0; k < 3; ++k)
        brick[k] = std::clamp(static_cast<int>(std::floor(path.at(k, path.begin) * (1.0 / brick_cells))), 0,
                              layout.bricks[k] - 1);
    return brick;
}

HWY_INLINE Double4 place(const GridPath& path, double t) {
    return Double4::load(path.start.data()) + Double4::all(t) * Double4::load(path.step.data());
}

// Moves to the first brick on the path at a Chebyshev distance of `clearance`. Returns false if the path ends before
// it.
HWY_INLINE bool jump(const EmptySpaceMap& map, const GridPath& path, int clearance, BrickPosition& brick) {
    const Double4 at = Double4::load(brick.data()), reach = Double4::all(clearance - 1),
                  ahead = Double4::load(path.ahead.data());
    const Double4 plane = at - reach + ahead * Double4::all(2 * clearance - 1);
    const Double4 exits =
        plane * Double4::all(brick_cells) * Double4::load(path.inverse.data()) + Double4::load(path.leave.data());
    const double exit = std::min(exits.min(), path.end); // infinity is not a position
    const Double4 there = place(path, exit) * Double4::all(1.0 / brick_cells);
    // Along axes on which no plane was crossed, rounding must not leave the grid; along the others, leaving it ends the
    // path.
    const Double4 last = Double4::load(map.last_brick.data());
    const Double4 beside = min(max(floor(there), max(at - reach, Double4::all(0))), min(at + reach, last));
    const Double4 beyond = at - Double4::all(clearance) + ahead * Double4::all(2 * clearance);
    where_equal(exits, Double4::all(exit), beyond, beside).store_truncated(brick.data());
    const auto within = [&](std::size_t k) {
        return static_cast<int>(brick[k] >= 0 && brick[k] <= static_cast<int>(map.last_brick[k]));
    };
    return (within(0) & within(1) & within(2) & static_cast<int>(exit < path.end)) != 0; // branch-free
}

// The time interval of the path in a box of `side` cells. It is computed from the planes of the box, so that adjacent
// boxes agree on their common time.
HWY_INLINE void clip(const GridPath& path, Double4 low, double side, double& first, double& last) {
    const Double4 inverse = Double4::load(path.inverse.data()), all = Double4::all(side),
                  far = Double4::load(path.ahead.data()) * all;
    first = std::max(first, ((low + (all - far)) * inverse + Double4::load(path.enter.data())).max());
    last = std::min(last, ((low + far) * inverse + Double4::load(path.leave.data())).min());
}

HWY_INLINE Double4 first_cell(const BrickPosition& brick) {
    return Double4::load(brick.data()) * Double4::all(brick_cells);
}

// The cells of a brick that contain the level and may lie on a path: a slightly larger set, from which the times
// select.
struct Candidates {
    alignas(32) std::array<std::uint32_t, 16> words; // as HeldCells
    unsigned slices;                                 // bits of the slices that are not empty
    double first, last;                              // time interval of the path in the brick

    [[nodiscard]] HWY_INLINE std::uint64_t slice(std::size_t s) const {
        return words[s] | std::uint64_t{words[s + 8]} << 32;
    }
};

// A 32-bit mask of all bytes from number `byte` in {0, ..., 4} on. It is shifted twice, since a shift by 32 is
// undefined.
template <class V>
HWY_INLINE auto all_from(V byte) {
    const hn::DFromV<V> d;
    const hn::RebindToUnsigned<decltype(d)> du;
    const auto half = hn::BitCast(du, hn::ShiftLeft<2>(byte));
    return hn::Shl(hn::Shl(hn::Set(du, ~0u), half), half);
}

// Along its longest axis a path crosses one slice after the other, and stays within a box of about two by two cells in
// each. All numbers are integers in units of 2^-20 cells, counted from the brick's corner, and boxes are grown by more
// than the rounding error.
struct SliceBoxes {
    static constexpr double one = 1 << 20;
    static constexpr std::int32_t grown = 1 << 6;
    static constexpr double hair = grown / one;
    static constexpr double bound = 1000; // cells: positions are clamped to it

    std::int32_t from, to;         // slices
    std::int32_t u, v;             // positions along the other axes at the first plane
    std::int32_t u_slope, v_slope; // changes from plane to plane

    HWY_ATTR HWY_INLINE void intersect(const std::array<std::uint32_t, 16>& held, Candidates& out) const {
        const hn::CappedTag<std::int32_t, 8> d;
        const hn::RebindToUnsigned<decltype(d)> du;
        unsigned some = 0;
        for (int first = 0; first < 8; first += static_cast<int>(hn::Lanes(d))) {
            const auto number = hn::Iota(d, first);
            const auto range = [&](std::int32_t at, std::int32_t slope, auto& low, auto& high) HWY_ATTR {
                const auto here = hn::Add(hn::Set(d, at), hn::Mul(number, hn::Set(d, slope))),
                           there = hn::Add(here, hn::Set(d, slope));
                low = hn::ShiftRight<20>(hn::Sub(hn::Min(here, there), hn::Set(d, grown)));
                high = hn::ShiftRight<20>(hn::Add(hn::Max(here, there), hn::Set(d, grown)));
            };
            const auto zero = hn::Zero(d), seven = hn::Set(d, 7);
            auto u0 = zero, u1 = zero, v0 = zero, v1 = zero;
            range(u, u_slope, u0, u1);
            range(v, v_slope, v0, v1);
            const auto inside =
                hn::And(hn::And(hn::Gt(hn::Min(u1, v1), hn::Set(d, -1)), hn::Lt(hn::Max(u0, v0), hn::Set(d, 8))),
                        hn::And(hn::Gt(number, hn::Set(d, from - 1)), hn::Lt(number, hn::Set(d, to + 1))));
            // u is clamped on both sides: boxes outside are masked, but shifts must stay below the word size.
            u0 = hn::Min(hn::Max(u0, zero), seven), u1 = hn::Min(hn::Max(u1, zero), seven), v0 = hn::Max(v0, zero),
            v1 = hn::Min(v1, seven);
            // Bits u0 to u1 in every row; then only rows v0 to v1.
            const auto one_bit = hn::Set(du, 1);
            auto row = hn::Sub(hn::Shl(hn::Set(du, 2), hn::BitCast(du, u1)), hn::Shl(one_bit, hn::BitCast(du, u0)));
            row = hn::Or(row, hn::ShiftLeft<8>(row));
            row = hn::IfThenElseZero(hn::RebindMask(du, inside), hn::Or(row, hn::ShiftLeft<16>(row)));
            const auto rows = [&](int lowest) HWY_ATTR { // mask of the four rows from `lowest` on
                const auto four = hn::Set(d, 4);
                const auto begin = hn::Min(hn::Max(hn::Sub(v0, hn::Set(d, lowest)), zero), four);
                const auto end = hn::Min(hn::Max(hn::Sub(v1, hn::Set(d, lowest - 1)), zero), four);
                return hn::AndNot(all_from(end), all_from(begin));
            };
            const auto low = hn::And(hn::And(row, rows(0)), hn::Load(du, held.data() + first));
            const auto high = hn::And(hn::And(row, rows(4)), hn::Load(du, held.data() + 8 + first));
            hn::Store(low, du, out.words.data() + first);
            hn::Store(high, du, out.words.data() + 8 + first);
            alignas(8) std::uint8_t bytes[8] = {};
            hn::StoreMaskBits(du, hn::Ne(hn::Or(low, high), hn::Zero(du)), bytes);
            some |= static_cast<unsigned>(bytes[0]) << first;
        }
        out.slices = some;
    }
};

HWY_INLINE SliceBoxes slice_boxes(const GridPath& path, const BrickPosition& brick, double first, double last) {
    const std::size_t a = path.longest, u = next_axis[a], v = next_axis[u];
    const Double4 low = first_cell(brick), entry = place(path, first) - low,
                  slope = Double4::load(path.step.data()) * Double4::all(path.inverse[a]);
    Axes<double> in, out;
    entry.store(in.data());
    (place(path, last) - low).store(out.data());
    Axes<std::int32_t> at, slopes;
    const Double4 bound = Double4::all(SliceBoxes::bound), one = Double4::all(SliceBoxes::one);
    (min(max(entry - Double4::all(in[a]) * slope, Double4::all(0) - bound), bound) * one).store_truncated(at.data());
    (slope * one).store_truncated(slopes.data());
    // Floor for values from -1 on.
    const auto slice = [](double x) { return std::min(std::max(static_cast<int>(x + 1) - 1, 0), brick_cells - 1); };
    return {slice(std::min(in[a], out[a]) - SliceBoxes::hair),
            slice(std::max(in[a], out[a]) + SliceBoxes::hair),
            at[u],
            at[v],
            slopes[u],
            slopes[v]};
}

HWY_ATTR HWY_INLINE Candidates find_candidates(const GridPath& path, const BrickPosition& brick,
                                               const HeldCells& cells) {
    Candidates found;
    found.first = path.begin, found.last = path.end;
    clip(path, first_cell(brick), brick_cells, found.first, found.last);
    found.last = std::max(found.first, found.last); // a corner that rounding misses is still tested
    slice_boxes(path, brick, found.first, found.last).intersect(cells.held[path.longest], found);
    return found;
}

// Position relative to a box with corner `low` and side 1 / scale (in cells), clamped to [0, 1].
HWY_INLINE Axes<double> place_within(const GridPath& path, Double4 low, double scale, double t) {
    Axes<double> result;
    min(max((place(path, t) - low) * Double4::all(scale), Double4::all(0)), Double4::all(1)).store(result.data());
    return result;
}

// Index of a cell in the packed list; `cell` is relative to its brick.
HWY_INLINE std::size_t packed_cell(const EmptySpaceMap& map, std::size_t rank, const Axes<int>& cell) {
    const auto slice = static_cast<std::size_t>(cell[2]);
    const std::uint64_t before = map.cells[rank].slice(2, slice) & ((std::uint64_t{1} << (cell[0] + 8 * cell[1])) - 1);
    return map.bricks[rank].first + map.bricks[rank].before[slice] + static_cast<std::size_t>(std::popcount(before));
}

// The corner values minus the level: those at lower x, then those at upper x; by y, then z.
struct CornerValues {
    Double4 low, high;
};
HWY_INLINE CornerValues packed_values(const GridData& data, const EmptySpaceMap& map, std::size_t rank,
                                      std::size_t packed) {
    const Double4 level = Double4::all(map.level);
    if (data.storage == GridStorage::float32) {
        const auto& v = map.values[packed];
        alignas(32) std::array<double, 8> wide;
        for (std::size_t k = 0; k < 8; ++k) wide[k] = static_cast<double>(v[k]);
        return {Double4::load(wide.data()) - level, Double4::load(wide.data() + 4) - level};
    }
    const std::int32_t base = map.bricks[rank].base;
    alignas(32) std::array<std::int32_t, 8> wide;
    for (std::size_t k = 0; k < 8; ++k) wide[k] = base + map.codes[packed][k];
    const Double4 step = Double4::all(data.step);
    return {step * Double4::load(wide.data()) - level, step * Double4::load(wide.data() + 4) - level};
}

// cell_cubic() of packed values, with the same bits.
HWY_INLINE CellCubic packed_cubic(const CornerValues& values, const Axes<double>& from, const Axes<double>& to) {
    const Double4 x0 = lerp(values.low, values.high, from[0]), x1 = lerp(values.low, values.high, to[0]);
    const Double4 y_low = evens(x0, x1), y_high = odds(x0, x1);
    const Double4 y0 = lerp(y_low, y_high, from[1]), y1 = lerp(y_low, y_high, to[1]);
    const Double4 z_low = evens(y0, y1), z_high = odds(y0, y1);
    Axes<double> a, b;
    lerp(z_low, z_high, from[2]).store(a.data());
    lerp(z_low, z_high, to[2]).store(b.data());
    return {{a[0], (a[1] + a[2] + b[0]) * (1.0 / 3), (a[3] + b[1] + b[2]) * (1.0 / 3), b[3]}, 0};
}

// The time interval of the path in one cell of a brick; t0 > t1 if it is empty. Times are computed from planes, so that
// adjacent cells agree.
struct CellTimes {
    Axes<int> cell; // relative to the grid
    double t0, t1;
};

inline constexpr std::size_t max_in_slice = 9; // boxes are at most 3 x 3 cells

HWY_INLINE Axes<int> candidate_cell(std::size_t axis, int slice, int bit) {
    // The order is rotated when reading instead of when writing: a vector load right after scalar stores would stall.
    const std::array<int, 5> turned = {bit & 7, bit >> 3, slice, bit & 7, bit >> 3};
    return {turned[2 - axis], turned[3 - axis], turned[4 - axis], 0};
}

HWY_INLINE CellTimes times_in_cell(const GridPath& path, const BrickPosition& brick, const Candidates& run,
                                   const Axes<int>& cell) {
    CellTimes times{{}, run.first, run.last};
    const Double4 low = first_cell(brick) + Double4::load(cell.data());
    low.store_truncated(times.cell.data());
    clip(path, low, 1, times.t0, times.t1);
    if (path.stands) // the planes of axes without motion have no times
        for (std::size_t k = 0; k < 3; ++k) {
            const double at = path.start[k] - times.cell[k];
            if (path.inverse[k] == 0 && !(at >= 0 && at <= 1)) times.t1 = -1;
        }
    return times;
}

HWY_INLINE CellCubic cubic_in_cell(const GridData& data, const EmptySpaceMap& map, const GridPath& path,
                                   std::size_t rank, std::size_t packed, const CellTimes& piece) {
    const CornerValues values = packed_values(data, map, rank, packed);
    const Double4 low = Double4::load(piece.cell.data());
    return packed_cubic(values, place_within(path, low, 1, piece.t0), place_within(path, low, 1, piece.t1));
}

// Order by time of the pieces of one slice.
HWY_INLINE bool comes_before(double t0, double t1, double other_t0, double other_t1) {
    return t0 < other_t0 || (t0 == other_t0 && t1 < other_t1);
}

// Visits the cells of one slice in the order of time. Returns true if the visitor stops.
template <class Visitor>
HWY_INLINE bool visit_slice(const GridData& data, const EmptySpaceMap& map, const GridPath& path,
                            const BrickPosition& brick, std::size_t rank, const Candidates& run, int slice,
                            Visitor& visitor) {
    struct Piece {
        CellTimes times;
        std::size_t packed;
    };
    std::array<Piece, max_in_slice> pieces;
    std::size_t count = 0;
    for (std::uint64_t rest = run.slice(static_cast<std::size_t>(slice)); rest; rest &= rest - 1) {
        const Axes<int> cell = candidate_cell(path.longest, slice, std::countr_zero(rest));
        const Piece piece{times_in_cell(path, brick, run, cell), packed_cell(map, rank, cell)};
        if (!(piece.times.t0 <= piece.times.t1)) continue;
        std::size_t at = count++;
        const auto [t0, t1] = std::pair(piece.times.t0, piece.times.t1);
        for (; at > 0 && comes_before(t0, t1, pieces[at - 1].times.t0, pieces[at - 1].times.t1); --at)
            pieces[at] = pieces[at - 1];
        pieces[at] = piece;
    }
    for (std::size_t k = 0; k < count; ++k) {
        const CellTimes& times = pieces[k].times;
        const CellCubic cubic = cubic_in_cell(data, map, path, rank, pieces[k].packed, times);
        if (visitor.visit_analysis(analyze(cubic, visitor.slack), times.t0, times.t1)) return true;
    }
    return false;
}

// The first slice along the path.
HWY_INLINE int first_slice(const GridPath& path, unsigned slices) {
    return path.ahead[path.longest] > 0 ? std::countr_zero(slices) : static_cast<int>(std::bit_width(slices)) - 1;
}

template <class Visitor>
HWY_INLINE bool visit_slices(const GridData& data, const EmptySpaceMap& map, const GridPath& path,
                             const BrickPosition& brick, std::size_t rank, const Candidates& run, unsigned slices,
                             Visitor& visitor) {
    while (slices) {
        const int slice = first_slice(path, slices);
        slices &= ~(1u << slice);
        if (visit_slice(data, map, path, brick, rank, run, slice, visitor)) return true;
    }
    return false;
}

// A brick without samples is one large cell.
template <class Visitor>
bool visit_far(const GridData& data, const GridPath& path, const BrickPosition& brick, const Candidates& run,
               Visitor& visitor) {
    const std::array<double, 8> corners = brick_corner_values(data, {brick[0], brick[1], brick[2]});
    const auto at = [&](double t) {
        const Axes<double> p = place_within(path, first_cell(brick), 1.0 / brick_cells, t);
        return Vec3(p[0], p[1], p[2]);
    };
    return visitor.cell({corners, at(run.first), at(run.last), run.first, run.last});
}

// Whether the path begins inside. The start may be in a corner of a cell that contains the level and is left at once.
HWY_ATTR HWY_INLINE bool begins_inside(const GridData& data, const EmptySpaceMap& map, std::size_t rank,
                                       const GridPath& path, const BrickPosition& brick, double slack) {
    if (map.bricks[rank].first == HeldBrick::far) return false; // the whole brick is visited
    Axes<int> cell{};
    for (std::size_t k = 0; k < 3; ++k)
        cell[k] = std::min(std::max(static_cast<int>(std::floor(path.at(k, path.begin))) - brick[k] * brick_cells, 0),
                           brick_cells - 1);
    const auto slice = static_cast<std::size_t>(cell[2]);
    const int bit = cell[0] + 8 * cell[1];
    if (!(map.cells[rank].slice(2, slice) >> bit & 1)) return map.cells[rank].inside[slice] >> bit & 1;
    const Axes<double> at = place_within(path, first_cell(brick) + Double4::load(cell.data()), 1, path.begin);
    return packed_cubic(packed_values(data, map, rank, packed_cell(map, rank, cell)), at, at).b[0] <= slack;
}

template <class Visitor>
HWY_ATTR bool visit_brick(const GridData& data, const EmptySpaceMap& map, const GridPath& path,
                          const BrickPosition& brick, std::size_t rank, bool begins, Visitor& visitor) {
    if (begins && visitor.clear(begins_inside(data, map, rank, path, brick, visitor.slack), path.begin, path.begin))
        return true;
    const Candidates run = find_candidates(path, brick, map.cells[rank]);
    if (map.bricks[rank].first == HeldBrick::far) return visit_far(data, path, brick, run, visitor);
    return visit_slices(data, map, path, brick, rank, run, run.slices, visitor);
}

template <class Visitor>
HWY_ATTR void walk_one(const GridData& data, const EmptySpaceMap& map, const GridPath& path, Visitor& visitor) {
    if (!(path.begin <= path.end)) return;
    BrickPosition brick = first_brick(data.layout, path);
    bool begins = true;
    int clearance = 0;
    do {
        const std::size_t index = data.layout.brick_index({brick[0], brick[1], brick[2]});
        clearance = map.clearance(index);
        if (clearance == 0 ? visit_brick(data, map, path, brick, map.rank(index), begins, visitor)
                           : begins && visitor.clear(map.inside(index), path.begin, path.begin))
            return;
        begins = false;
    } while (jump(map, path, std::max(clearance, 1), brick));
    visitor.ends(path.end);
}

} // namespace fathom::point_field::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif // per-target include guard
