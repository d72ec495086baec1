// Fast filter of the overlap test of two tetrahedra.
#include <fathom/geometry/primitive/tetrahedron_tetrahedron.h>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fathom/geometry/primitive/tetrahedron_filter.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#include <algorithm>
#include <cmath>

HWY_BEFORE_NAMESPACE();
namespace fathom::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::CappedTag<double, 4>;
using Lanes = double[4]; // one number per face
constexpr unsigned all_faces = 15;

template <class Mask>
HWY_ATTR HWY_INLINE unsigned bits_of(Tag tag, Mask mask, std::size_t first) {
    std::uint8_t bits[8] = {};
    hn::StoreMaskBits(tag, mask, bits);
    return static_cast<unsigned>(bits[0]) << first;
}

// height[j][f]: distance of corner j of the other tetrahedron to face f of this one, positive inside, times twice the
// area of that face. Exact heights are within `error` of these, and so are heights interpolated between two corners.
//
// Derivation: relative to corner 0 let M = Mx My Mz be the product of the largest coordinates of both. A height of
// faces 1 to 3 is a determinant of six products below M, each with at most nine roundings: error 54 u M, u = 2^-53. The
// normal of face 0 is minus the sum of the others, its height the volume plus 18 such products with three more
// roundings: 288 u M. Interpolation adds three roundings of numbers below 48 M. All below 2^9 u M = 2^-44 M, and fused
// operations only round less. If M is not tiny and no coordinate is huge, overflow is impossible and underflow is
// irrelevant.
struct Heights {
    HWY_ALIGN double height[4][4];
    double error;
    unsigned outside[4];  // bit f: corner j is certainly outside face f
    bool valid;           // the tetrahedron is certainly not flat and the numbers are in range
    bool contains_corner; // one corner is certainly inside all faces

    [[nodiscard]] bool separated() const { return (outside[0] & outside[1] & outside[2] & outside[3]) != 0; }
};

struct Offsets {
    double own[3][3];   // corners 1 to 3 relative to corner 0
    double other[4][3]; // corners of the other relative to corner 0
    double product;     // product of the largest coordinates
    double largest;
};

HWY_ATTR HWY_INLINE Offsets offsets_of(const double* a, const double* b) {
    Offsets o;
    o.product = 1;
    o.largest = 0;
    for (int k = 0; k < 3; ++k) {
        double reach = 0;
        for (int r = 0; r < 3; ++r) reach = std::max(reach, std::abs(o.own[r][k] = a[3 * (r + 1) + k] - a[k]));
        for (int j = 0; j < 4; ++j) reach = std::max(reach, std::abs(o.other[j][k] = b[3 * j + k] - a[k]));
        o.product *= reach;
        o.largest = std::max(o.largest, reach);
    }
    return o;
}

// Inward normals [axis][face] of the tetrahedron, for any orientation; returns six times its volume.
HWY_ATTR HWY_INLINE double normals_of(const Offsets& o, double (&normal)[3][4]) {
    for (int k = 0; k < 3; ++k) {
        const int p = (k + 1) % 3;
        const int q = (k + 2) % 3;
        for (int f = 0; f < 3; ++f) {
            const double* u = o.own[(f + 1) % 3];
            const double* v = o.own[(f + 2) % 3];
            normal[k][f + 1] = u[p] * v[q] - u[q] * v[p];
        }
        normal[k][0] = -(normal[k][1] + normal[k][2] + normal[k][3]);
    }
    const double volume = o.own[0][0] * normal[0][1] + o.own[0][1] * normal[1][1] + o.own[0][2] * normal[2][1];
    if (volume < 0)
        for (auto& row : normal)
            for (double& x : row) x = -x;
    return std::abs(volume);
}

HWY_ATTR HWY_INLINE void measure(const double* a, const double* b, Heights& h) {
    const Tag tag;
    const Offsets o = offsets_of(a, b);
    HWY_ALIGN double normal[3][4];
    const double volume = normals_of(o, normal);
    HWY_ALIGN const Lanes start = {volume, 0, 0, 0};
    h.error = 0x1p-44 * o.product;
    h.valid = volume > h.error && o.product > 1e-200 && o.largest < 1e100;

    unsigned inside[4] = {};
    std::fill(h.outside, h.outside + 4, 0u);
    const auto above = hn::Set(tag, h.error);
    const auto below = hn::Set(tag, -h.error);
    for (std::size_t f = 0; f < 4; f += hn::Lanes(tag)) {
        const auto x = hn::Load(tag, normal[0] + f);
        const auto y = hn::Load(tag, normal[1] + f);
        const auto z = hn::Load(tag, normal[2] + f);
        const auto base = hn::Load(tag, start + f);
        for (int j = 0; j < 4; ++j) {
            const double* p = o.other[j];
            auto height = hn::MulAdd(x, hn::Set(tag, p[0]), base);
            height = hn::MulAdd(y, hn::Set(tag, p[1]), height);
            height = hn::MulAdd(z, hn::Set(tag, p[2]), height);
            hn::Store(height, tag, h.height[j] + f);
            h.outside[j] |= bits_of(tag, hn::Lt(height, below), f);
            inside[j] |= bits_of(tag, hn::Gt(height, above), f);
        }
    }
    h.contains_corner =
        inside[0] == all_faces || inside[1] == all_faces || inside[2] == all_faces || inside[3] == all_faces;
}

// Whether the edge from corner i to corner j intersects the tetrahedron. Heights are linear along it, so a point with
// all heights above the error proves an overlap. A point with two heights below -error proves a miss, if one of the two
// is also outside at the start and the other at the end. The point tested is halfway between the last entry and the
// first exit.
HWY_ATTR HWY_INLINE FilterAnswer clip_edge(const Heights& h, int i, int j) {
    const Tag tag;
    const auto zero = hn::Zero(tag);
    auto enter = zero;
    auto leave = hn::Set(tag, 1.0);
    for (std::size_t f = 0; f < 4; f += hn::Lanes(tag)) {
        const auto from = hn::Load(tag, h.height[i] + f);
        const auto to = hn::Load(tag, h.height[j] + f);
        const auto crossing = hn::Div(from, hn::Sub(from, to));
        enter = hn::IfThenElse(hn::Lt(from, zero), hn::Max(enter, crossing), enter);
        leave = hn::IfThenElse(hn::Lt(to, zero), hn::Min(leave, crossing), leave);
    }
    const auto last_entry = hn::MaxOfLanes(tag, enter);
    const auto first_exit = hn::MinOfLanes(tag, leave);
    const auto middle = hn::Mul(hn::Set(tag, 0.5), hn::Add(last_entry, first_exit));
    unsigned inside = 0;
    unsigned outside = 0;
    for (std::size_t f = 0; f < 4; f += hn::Lanes(tag)) {
        const auto from = hn::Load(tag, h.height[i] + f);
        const auto to = hn::Load(tag, h.height[j] + f);
        const auto there = hn::MulAdd(middle, hn::Sub(to, from), from);
        inside |= bits_of(tag, hn::Gt(there, hn::Set(tag, h.error)), f);
        outside |= bits_of(tag, hn::Lt(there, hn::Set(tag, -h.error)), f);
    }
    const double at = hn::GetLane(middle);
    if (!(at >= 0 && at <= 1)) return FilterAnswer::unsure;
    if (inside == all_faces) return FilterAnswer::yes;
    return (outside & h.outside[i]) && (outside & h.outside[j]) ? FilterAnswer::no : FilterAnswer::unsure;
}

// Whether the edges of one tetrahedron intersect the other.
HWY_ATTR HWY_INLINE FilterAnswer clip_edges(const Heights& h) {
    constexpr int edges[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
    FilterAnswer answer = FilterAnswer::no;
    for (const auto& edge : edges) {
        if (h.outside[edge[0]] & h.outside[edge[1]]) continue;
        const FilterAnswer found = clip_edge(h, edge[0], edge[1]);
        if (found == FilterAnswer::yes) return found;
        if (found == FilterAnswer::unsure) answer = found;
    }
    return answer;
}

HWY_ATTR FilterAnswer filter(const double* a, const double* b) {
    Heights of_b;
    measure(a, b, of_b);
    if (!of_b.valid) return FilterAnswer::unsure;
    if (of_b.separated()) return FilterAnswer::no;
    if (of_b.contains_corner) return FilterAnswer::yes;
    Heights of_a;
    measure(b, a, of_a);
    if (!of_a.valid) return FilterAnswer::unsure;
    if (of_a.separated()) return FilterAnswer::no;
    if (of_a.contains_corner) return FilterAnswer::yes;
    const FilterAnswer first = clip_edges(of_b);
    if (first == FilterAnswer::yes) return first;
    const FilterAnswer second = clip_edges(of_a);
    return second == FilterAnswer::no ? first : second;
}

} // namespace fathom::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fathom {

HWY_EXPORT(filter);

FilterAnswer tetrahedra_filter(const std::array<Vec3, 4>& a, const std::array<Vec3, 4>& b) {
    static_assert(sizeof(a) == 12 * sizeof(double), "corners are read as twelve numbers in a row");
    return HWY_DYNAMIC_DISPATCH(filter)(a[0].data(), b[0].data());
}

} // namespace fathom
#endif
