// Overlap test of eight pairs of tetrahedra at a time.
#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/geometry/primitive/tetrahedron_tetrahedron.h>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fathom/geometry/primitive/tetrahedron_batch.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fathom::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::CappedTag<float, 8>;
using V = hn::Vec<Tag>;
using M = hn::Mask<Tag>;
constexpr std::size_t width = 8;

struct Point {
    V x, y, z;
};
HWY_ATTR HWY_INLINE Point operator-(const Point& a, const Point& b) {
    return {hn::Sub(a.x, b.x), hn::Sub(a.y, b.y), hn::Sub(a.z, b.z)};
}
HWY_ATTR HWY_INLINE Point cross(const Point& a, const Point& b) {
    return {hn::MulSub(a.y, b.z, hn::Mul(a.z, b.y)), hn::MulSub(a.z, b.x, hn::Mul(a.x, b.z)),
            hn::MulSub(a.x, b.y, hn::Mul(a.y, b.x))};
}
HWY_ATTR HWY_INLINE V dot(const Point& a, const Point& b) {
    return hn::MulAdd(a.x, b.x, hn::MulAdd(a.y, b.y, hn::Mul(a.z, b.z)));
}
HWY_ATTR HWY_INLINE Point largest(const Point& a, const Point& b) {
    return {hn::Max(a.x, hn::Abs(b.x)), hn::Max(a.y, hn::Abs(b.y)), hn::Max(a.z, hn::Abs(b.z))};
}

// Corners of eight pairs, relative to corner 0 of the first tetrahedron of each.
struct Corners {
    Point a[3]; // corners 1 to 3
    Point b[4];
};

// Seven corners of eight pairs, each as four floats; the last float is unused.
using Raw = float[7][width][4];

// The difference is computed in double, so that no precision is lost far from the origin.
HWY_ATTR HWY_INLINE void put(const Vec3& p, const Vec3& origin, float* to) {
    using Doubles = hn::CappedTag<double, 4>;
    if constexpr (hn::MaxLanes(Doubles()) == 4) {
        const Doubles d;
        const auto three = hn::FirstN(d, 3); // reading a fourth would pass the end of the array
        const auto difference = hn::Sub(hn::MaskedLoad(three, d, p.data()), hn::MaskedLoad(three, d, origin.data()));
        hn::Store(hn::DemoteTo(hn::Rebind<float, Doubles>(), difference), hn::Rebind<float, Doubles>(), to);
    } else {
        for (int axis = 0; axis < 3; ++axis) to[axis] = static_cast<float>(p[axis] - origin[axis]);
        to[3] = 0;
    }
}

HWY_ATTR HWY_INLINE void gather(const TetrahedronSet& a, const TetrahedronSet& b, const IdPair* pairs,
                                const std::uint32_t* which, std::size_t count, Raw& raw) {
    for (std::size_t lane = 0; lane < width; ++lane) {
        const IdPair& pair = pairs[which[lane < count ? lane : 0]];
        const Tetrahedron& s = a.tetrahedra[pair[0]];
        const Tetrahedron& t = b.tetrahedra[pair[1]];
        const Vec3& origin = a.vertices[s[0]];
        for (std::size_t k = 1; k < 4; ++k) put(a.vertices[s[k]], origin, raw[k - 1][lane]);
        for (std::size_t k = 0; k < 4; ++k) put(b.vertices[t[k]], origin, raw[3 + k][lane]);
    }
}

HWY_ATTR HWY_INLINE Corners load(const Raw& raw, std::size_t lane) {
    const auto point = [&](std::size_t k) HWY_ATTR {
        V x, y, z, unused;
        hn::LoadInterleaved4(Tag(), raw[k][lane], x, y, z, unused);
        return Point{x, y, z};
    };
    return {{point(0), point(1), point(2)}, {point(3), point(4), point(5), point(6)}};
}

// height[j][f]: distance of corner j of the other tetrahedron to face f of this one, positive inside, times twice the
// area of that face; the exact heights, and those interpolated between two corners, are within `error` of these.
//
// Derivation: let u = 2^-24, and M the product over the axes of the largest coordinate. Relative to a's corner 0 a
// coordinate has one rounding; a height of faces 1 to 3 is a determinant of six products below M with at most nine
// roundings each, 54 u M. The normal of face 0 is minus the sum of the others; its height is the volume plus 18 such
// products with three more roundings, 288 u M. Interpolation adds three roundings of numbers below 48 M. All below 2^9
// u M = 2^-15 M. Relative to b's corner 0 a coordinate is the difference of two that were rounded before: 4 u of the
// largest of all three. With 18 instead of nine roundings per product the sum is below 2^10 u M, with M taken over
// those too. If M is not tiny and no coordinate is huge, overflow is impossible and underflow is irrelevant.
struct Heights {
    V height[4][4];
    V error;
    M valid; // certainly not flat, and numbers in range
};

HWY_ATTR HWY_INLINE void measure(const Point* own, const Point* other, const Point& reach, float relative_error,
                                 Heights& h) {
    const Tag tag;
    Point normal[4] = {reach, cross(own[1], own[2]), cross(own[2], own[0]), cross(own[0], own[1])};
    const V volume = dot(own[0], normal[1]);
    const V sign = hn::And(volume, hn::SignBit(tag));
    for (int f = 1; f < 4; ++f)
        normal[f] = {hn::Xor(normal[f].x, sign), hn::Xor(normal[f].y, sign), hn::Xor(normal[f].z, sign)};
    normal[0] = {hn::Neg(hn::Add(hn::Add(normal[1].x, normal[2].x), normal[3].x)),
                 hn::Neg(hn::Add(hn::Add(normal[1].y, normal[2].y), normal[3].y)),
                 hn::Neg(hn::Add(hn::Add(normal[1].z, normal[2].z), normal[3].z))};
    const V size = hn::Abs(volume);
    const V product = hn::Mul(hn::Mul(reach.x, reach.y), reach.z);
    h.error = hn::Mul(hn::Set(tag, relative_error), product);
    const M in_range = hn::And(hn::Gt(product, hn::Set(tag, 1e-28f)),
                               hn::Lt(hn::Max(hn::Max(reach.x, reach.y), reach.z), hn::Set(tag, 1e10f)));
    h.valid = hn::And(hn::Gt(size, h.error), in_range);
    for (int j = 0; j < 4; ++j)
        for (int f = 0; f < 4; ++f)
            h.height[j][f] = f == 0 ? hn::Add(dot(normal[f], other[j]), size) : dot(normal[f], other[j]);
}

HWY_ATTR HWY_INLINE void measure_both(const Corners& c, Heights& in_a, Heights& in_b) {
    const Tag tag;
    Point reach = {hn::Zero(tag), hn::Zero(tag), hn::Zero(tag)};
    for (const Point& p : c.a) reach = largest(reach, p);
    for (const Point& p : c.b) reach = largest(reach, p);
    measure(c.a, c.b, reach, 0x1p-15f, in_a);
    const Point zero = {hn::Zero(tag), hn::Zero(tag), hn::Zero(tag)};
    const Point own[3] = {c.b[1] - c.b[0], c.b[2] - c.b[0], c.b[3] - c.b[0]};
    const Point other[4] = {zero - c.b[0], c.a[0] - c.b[0], c.a[1] - c.b[0], c.a[2] - c.b[0]};
    for (const Point& p : own) reach = largest(reach, p);
    for (const Point& p : other) reach = largest(reach, p);
    measure(own, other, reach, 0x1p-14f, in_b);
}

// All corners beyond one face, or one corner inside all.
HWY_ATTR HWY_INLINE void test_corners(const Heights& h, M& apart, M& overlap) {
    const auto& at = h.height;
    const V below = hn::Neg(h.error);
    for (int f = 0; f < 4; ++f) {
        const V highest = hn::Max(hn::Max(at[0][f], at[1][f]), hn::Max(at[2][f], at[3][f]));
        apart = hn::Or(apart, hn::And(h.valid, hn::Lt(highest, below)));
    }
    for (const auto& row : at) {
        const V lowest = hn::Min(hn::Min(row[0], row[1]), hn::Min(row[2], row[3]));
        overlap = hn::Or(overlap, hn::And(h.valid, hn::Gt(lowest, h.error)));
    }
}

// The edge from corner i to corner j, evaluated halfway between its last entry and its first exit. All heights above
// the error there: overlap. One height below -error of a face that is also outside at the start, and one of a face that
// is also outside at the end: the edge misses.
HWY_ATTR HWY_INLINE void clip_edge(const Heights& h, int i, int j, M& overlap, M& unsure) {
    const Tag tag;
    const V zero = hn::Zero(tag), one = hn::Set(tag, 1.0f), below = hn::Neg(h.error);
    V enter = zero, leave = one;
    M miss = hn::Lt(one, zero);
    for (int f = 0; f < 4; ++f) {
        const V from = h.height[i][f], to = h.height[j][f];
        const V crossing = hn::Div(from, hn::Sub(from, to));
        enter = hn::IfThenElse(hn::Lt(from, zero), hn::Max(enter, crossing), enter);
        leave = hn::IfThenElse(hn::Lt(to, zero), hn::Min(leave, crossing), leave);
        miss = hn::Or(miss, hn::Lt(hn::Max(from, to), below));
    }
    const V middle = hn::Mul(hn::Set(tag, 0.5f), hn::Add(enter, leave));
    V lowest = hn::MulAdd(middle, hn::Sub(h.height[j][0], h.height[i][0]), h.height[i][0]);
    M before = hn::Lt(hn::Max(lowest, h.height[i][0]), below), after = hn::Lt(hn::Max(lowest, h.height[j][0]), below);
    for (int f = 1; f < 4; ++f) {
        const V there = hn::MulAdd(middle, hn::Sub(h.height[j][f], h.height[i][f]), h.height[i][f]);
        lowest = hn::Min(lowest, there);
        before = hn::Or(before, hn::Lt(hn::Max(there, h.height[i][f]), below));
        after = hn::Or(after, hn::Lt(hn::Max(there, h.height[j][f]), below));
    }
    const M in_segment = hn::And(hn::Ge(middle, zero), hn::Le(middle, one));
    overlap = hn::Or(overlap, hn::And(hn::And(in_segment, h.valid), hn::Gt(lowest, h.error)));
    miss = hn::Or(miss, hn::And(in_segment, hn::And(before, after)));
    unsure = hn::Or(unsure, hn::Not(hn::And(miss, h.valid)));
}

HWY_ATTR HWY_INLINE void clip_edges(const Heights& h, M& overlap, M& unsure) {
    constexpr int edges[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
    for (const auto& edge : edges) clip_edge(h, edge[0], edge[1], overlap, unsure);
}

HWY_ATTR HWY_INLINE unsigned bits(M mask, std::size_t lane) {
    std::uint8_t bytes[8] = {};
    hn::StoreMaskBits(Tag(), mask, bytes);
    return static_cast<unsigned>(bytes[0]) << lane;
}

// Bit masks of the lanes that certainly overlap, and of those that are undecided; `edges` adds the edge tests to the
// corner tests.
template <bool Edges>
HWY_ATTR HWY_INLINE void test_lanes(const Raw& raw, unsigned& overlaps, unsigned& unsures) {
    const Tag tag;
    for (std::size_t lane = 0; lane < width; lane += hn::Lanes(tag)) {
        Heights in_a, in_b;
        measure_both(load(raw, lane), in_a, in_b);
        M none = hn::Lt(hn::Set(tag, 1.0f), hn::Zero(tag)), overlap = none, apart = none;
        if constexpr (Edges) {
            M unsure = none;
            clip_edges(in_a, overlap, unsure);
            clip_edges(in_b, overlap, unsure);
            unsures |= bits(hn::AndNot(overlap, unsure), lane);
        } else {
            test_corners(in_a, apart, overlap);
            test_corners(in_b, apart, overlap);
            unsures |= bits(hn::Not(hn::Or(apart, overlap)), lane);
        }
        overlaps |= bits(overlap, lane);
    }
}

// Processes pairs which[0], ..., which[count - 1]: results go to `out`, the indices of undecided pairs to `open`.
// Returns the number of undecided pairs.
template <bool Edges>
HWY_ATTR HWY_INLINE std::size_t pass(const TetrahedronSet& a, const TetrahedronSet& b, const IdPair* pairs,
                                     const std::uint32_t* which, std::size_t count, std::uint8_t* out,
                                     std::uint32_t* open) {
    // Batches gathered before the first is read: a wide load soon after narrow stores stalls.
    constexpr std::size_t ahead = 8;
    HWY_ALIGN Raw raw[ahead];
    std::size_t left = 0;
    for (std::size_t first = 0; first < count; first += ahead * width) {
        const std::size_t end = std::min(count, first + ahead * width);
        for (std::size_t k = first; k < end; k += width)
            gather(a, b, pairs, which + k, std::min(width, end - k), raw[(k - first) / width]);
        for (std::size_t k = first; k < end; k += width) {
            unsigned overlaps = 0, unsures = 0;
            test_lanes<Edges>(raw[(k - first) / width], overlaps, unsures);
            for (std::size_t lane = 0; lane < std::min(width, end - k); ++lane) {
                const std::uint32_t number = which[k + lane];
                out[number] = (overlaps >> lane) & 1u;
                open[left] = number;
                left += (unsures >> lane) & 1u;
            }
        }
    }
    return left;
}

HWY_ATTR std::size_t overlap_filter(const TetrahedronSet& a, const TetrahedronSet& b, const IdPair* pairs,
                                    std::size_t count, std::uint8_t* out, std::uint32_t* open) {
    for (std::uint32_t k = 0; k < count; ++k) open[k] = k;
    // A pass reads an index before it writes one to the same or an earlier position.
    const std::size_t left = pass<false>(a, b, pairs, open, count, out, open);
    return pass<true>(a, b, pairs, open, left, out, open);
}

} // namespace fathom::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fathom {

namespace {
constexpr std::size_t block = 1024; // pairs per task
}

HWY_EXPORT(overlap_filter);

void tetrahedra_overlap(const TetrahedronSet& a, const TetrahedronSet& b, std::span<const IdPair> pairs,
                        std::span<std::uint8_t> out) {
    if (pairs.size() != out.size()) throw Error(Cause::count_mismatch, "the numbers of pairs and results differ");
    parallel_for(pairs.size(), block, [&](std::size_t begin, std::size_t end) {
        std::uint32_t open[block];
        const std::size_t left =
            HWY_DYNAMIC_DISPATCH(overlap_filter)(a, b, pairs.data() + begin, end - begin, out.data() + begin, open);
        for (std::size_t k = 0; k < left; ++k) {
            const IdPair& pair = pairs[begin + open[k]];
            out[begin + open[k]] = tetrahedra_overlap(a.corners(pair[0]), b.corners(pair[1]));
        }
    });
}

std::vector<IdPair> overlapping_tetrahedra(const TetrahedronSet& a, const TetrahedronSet& b,
                                           std::span<const IdPair> pairs) {
    std::vector<std::uint8_t> overlaps(pairs.size());
    tetrahedra_overlap(a, b, pairs, overlaps);
    std::vector<IdPair> kept;
    for (std::size_t k = 0; k < pairs.size(); ++k)
        if (overlaps[k]) kept.push_back(pairs[k]);
    return kept;
}

} // namespace fathom
#endif
