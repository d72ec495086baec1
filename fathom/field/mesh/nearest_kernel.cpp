// SIMD kernel for the closest points of eight query points on one triangle.
#include <fathom/field/mesh/nearest_kernel.h>

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fathom/field/mesh/nearest_kernel.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fathom::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::CappedTag<float, 8>;
using V = hn::Vec<D>;
constexpr D d{};

// Multiply-add without fusing, though fusing would be faster: every CPU then gives the same bits, and grids have the
// same bytes.
HWY_INLINE V plus_product(V a, V b, V c) { return hn::Add(hn::Mul(a, b), c); }
HWY_INLINE V less_product(V a, V b, V c) { return hn::Sub(c, hn::Mul(a, b)); }
HWY_INLINE V product_less(V a, V b, V c) { return hn::Sub(hn::Mul(a, b), c); }

struct Points {
    V x, y, z;
};

HWY_INLINE V along(const Points& p, const float* row) {
    return plus_product(
        p.x, hn::Set(d, row[0]),
        plus_product(p.y, hn::Set(d, row[1]), plus_product(p.z, hn::Set(d, row[2]), hn::Set(d, row[3]))));
}

HWY_INLINE V clamped(V t, V most) { return hn::Min(hn::Max(t, hn::Zero(d)), most); }

// Vector from the closest point of the triangle to the query point, in the triangle's frame.
struct Offset {
    V u, v, h, squared;
};

// Tests the edge from (0, 0) to (eu, ev), for points relative to its start.
HWY_INLINE void try_edge(V u, V v, V eu, V ev, V per, Offset& best) {
    const V t = clamped(hn::Mul(plus_product(u, eu, hn::Mul(v, ev)), per), hn::Set(d, 1.0f));
    const V ou = less_product(t, eu, u), ov = less_product(t, ev, v);
    const V squared = plus_product(ou, ou, hn::Mul(ov, ov));
    const auto nearer = hn::Lt(squared, best.squared);
    best.u = hn::IfThenElse(nearer, ou, best.u);
    best.v = hn::IfThenElse(nearer, ov, best.v);
    best.squared = hn::Min(squared, best.squared);
}

HWY_INLINE Offset offset_from(const FlatTriangle& t, const Points& p) {
    const V u = along(p, t.u), v = along(p, t.v), h = along(p, t.h);
    const V length = hn::Set(d, t.length), apex_u = hn::Set(d, t.apex_u), apex_v = hn::Set(d, t.apex_v);
    const V side_u = hn::Set(d, t.side_u), from_second = hn::Sub(u, length);
    Offset best;
    best.u = hn::Sub(u, clamped(u, length));
    best.v = v;
    best.squared = plus_product(best.u, best.u, hn::Mul(v, v));
    try_edge(u, v, apex_u, apex_v, hn::Set(d, t.per_left), best);
    try_edge(from_second, v, side_u, apex_v, hn::Set(d, t.per_right), best);
    const V left = less_product(v, apex_u, hn::Mul(u, apex_v));
    const V right = product_less(v, side_u, hn::Mul(from_second, apex_v));
    const auto over = hn::Ge(hn::Min(v, hn::Min(left, right)), hn::Set(d, t.over));
    best.u = hn::IfThenZeroElse(over, best.u);
    best.v = hn::IfThenZeroElse(over, best.v);
    best.squared = plus_product(h, h, hn::IfThenZeroElse(over, best.squared));
    best.h = h;
    return best;
}

HWY_INLINE V back(const Offset& o, V p, const FlatTriangle& t, std::size_t axis) {
    return less_product(o.u, hn::Set(d, t.u[axis]),
                        less_product(o.v, hn::Set(d, t.v[axis]), less_product(o.h, hn::Set(d, t.h[axis]), p)));
}

HWY_INLINE Points load(const EightPoints& points, std::size_t lane) {
    return {hn::Load(d, points.x + lane), hn::Load(d, points.y + lane), hn::Load(d, points.z + lane)};
}

// Computes all closest points and the closest of them first, then the bound for each triangle.
HWY_ATTR void sift_lanes(std::span<const FlatTriangle> triangles, std::span<const Index> list, const EightBoxes& boxes,
                         float margin, EightNearest* scratch, std::uint8_t* masks, std::size_t lane) {
    const Points p = load(boxes.centers, lane);
    V best = hn::Set(d, 3.0e38f), qx = best, qy = best, qz = best;
    for (std::size_t i = 0; i < list.size(); ++i) {
        const FlatTriangle& t = triangles[list[i]];
        const Offset o = offset_from(t, p);
        const V x = back(o, p.x, t, 0), y = back(o, p.y, t, 1), z = back(o, p.z, t, 2);
        const auto nearer = hn::Lt(o.squared, best);
        best = hn::Min(o.squared, best);
        qx = hn::IfThenElse(nearer, x, qx);
        qy = hn::IfThenElse(nearer, y, qy);
        qz = hn::IfThenElse(nearer, z, qz);
        hn::Store(o.squared, d, scratch[i].squared + lane);
        hn::Store(x, d, scratch[i].x + lane);
        hn::Store(y, d, scratch[i].y + lane);
        hn::Store(z, d, scratch[i].z + lane);
    }
    const Points half = load(boxes.halves, lane);
    const V radius = hn::Sqrt(plus_product(half.x, half.x, plus_product(half.y, half.y, hn::Mul(half.z, half.z))));
    const V sides[3] = {hn::Add(half.x, half.x), hn::Add(half.y, half.y), hn::Add(half.z, half.z)};
    const V reach = hn::Add(radius, radius), from = hn::Add(best, hn::Set(d, margin));
    for (std::size_t i = 0; i < list.size(); ++i) {
        const V x = hn::AbsDiff(hn::Load(d, scratch[i].x + lane), qx),
                y = hn::AbsDiff(hn::Load(d, scratch[i].y + lane), qy),
                z = hn::AbsDiff(hn::Load(d, scratch[i].z + lane), qz);
        const V m = hn::Min(radius, hn::Set(d, triangles[list[i]].length));
        const V apart = plus_product(sides[0], x, plus_product(sides[1], y, plus_product(sides[2], z, from)));
        const V limit = plus_product(m, hn::Sub(reach, m), apart);
        const auto kept = hn::Le(hn::Load(d, scratch[i].squared + lane), hn::Mul(limit, hn::Set(d, 1.00001f)));
        std::uint8_t bits[8] = {};
        hn::StoreMaskBits(d, kept, bits);
        masks[i] = static_cast<std::uint8_t>(masks[i] | bits[0] << lane);
    }
}

HWY_ATTR void sift_all(std::span<const FlatTriangle> triangles, std::span<const Index> list, const EightBoxes& boxes,
                       float margin, EightNearest* scratch, std::uint8_t* masks) {
    std::fill_n(masks, list.size(), std::uint8_t{0});
    for (std::size_t lane = 0; lane < 8; lane += hn::Lanes(d))
        sift_lanes(triangles, list, boxes, margin, scratch, masks, lane);
}

HWY_ATTR void nearest_of(std::span<const FlatTriangle> triangles, std::span<const Index> list,
                         const EightPoints& points, float* squared, std::int32_t* who) {
    const hn::RebindToSigned<D> di;
    for (std::size_t lane = 0; lane < 8; lane += hn::Lanes(d)) {
        const Points p = load(points, lane);
        V best = hn::Set(d, 3.0e38f);
        auto winner = hn::Zero(di);
        for (std::size_t i = 0; i < list.size(); ++i) {
            const Offset o = offset_from(triangles[list[i]], p);
            const auto nearer = hn::Lt(o.squared, best);
            best = hn::Min(o.squared, best);
            winner = hn::IfThenElse(hn::RebindMask(di, nearer), hn::Set(di, static_cast<std::int32_t>(i)), winner);
        }
        hn::Store(best, d, squared + lane);
        hn::Store(winner, di, who + lane);
    }
}

} // namespace fathom::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fathom {

namespace {

HWY_EXPORT(sift_all);
HWY_EXPORT(nearest_of);

// Fraction of the longest edge; triangles with less height have no interior that a double could resolve.
constexpr double flat_share = 1e-9;

Vec3 any_across(const Vec3& unit) {
    Eigen::Index smallest = 0;
    unit.cwiseAbs().minCoeff(&smallest);
    return unit.cross(Vec3::Unit(smallest)).normalized();
}

void set_axis(float* row, const Vec3& axis) {
    for (int k = 0; k < 3; ++k) row[k] = static_cast<float>(axis[k]);
}

// Uses the axis as rounded to float, so that only the offset is rounded again.
void set_row(float* row, const float* axis, const Vec3& start) {
    double offset = 0;
    for (int k = 0; k < 3; ++k) {
        row[k] = axis[k];
        offset -= static_cast<double>(axis[k]) * start[k];
    }
    row[3] = static_cast<float>(offset);
}

} // namespace

PlacedTriangle placed_triangle(const std::array<Vec3, 3>& corners) {
    std::size_t first = 0;
    double longest = -1;
    for (std::size_t k = 0; k < 3; ++k) {
        const double squared = (corners[(k + 1) % 3] - corners[k]).squaredNorm();
        if (squared > longest) longest = squared, first = k;
    }
    const Vec3 &a = corners[first], &b = corners[(first + 1) % 3], &c = corners[(first + 2) % 3];
    const double length = (b - a).stableNorm();
    const Vec3 u = length > 0 ? Vec3((b - a) / length) : Vec3(Vec3::UnitX());
    PlacedTriangle placed{};
    placed.start = a;
    placed.length = length;
    placed.apex_u = (c - a).dot(u);
    const Vec3 up = (c - a) - placed.apex_u * u;
    const double height = up.stableNorm();
    const bool flat = !(height > flat_share * length);
    const Vec3 across = up / height;
    const Vec3 v = flat ? any_across(u) : (across - across.dot(u) * u).normalized();
    placed.apex_v = flat ? 0.0 : height;
    set_axis(placed.u, u);
    set_axis(placed.v, v);
    set_axis(placed.h, u.cross(v));
    return placed;
}

FlatTriangle seen_from(const PlacedTriangle& placed, const Vec3& origin, double units_per_metre) {
    const Vec3 start = (placed.start - origin) * units_per_metre;
    const double length = placed.length * units_per_metre, u = placed.apex_u * units_per_metre,
                 v = placed.apex_v * units_per_metre;
    const double left = u * u + v * v, right = (u - length) * (u - length) + v * v;
    FlatTriangle t;
    set_row(t.u, placed.u, start);
    set_row(t.v, placed.v, start);
    set_row(t.h, placed.h, start);
    t.length = static_cast<float>(length);
    t.apex_u = static_cast<float>(u);
    t.apex_v = static_cast<float>(v);
    t.side_u = static_cast<float>(u - length);
    t.per_left = left > 1e-30 ? static_cast<float>(1 / left) : 0.0f;
    t.per_right = right > 1e-30 ? static_cast<float>(1 / right) : 0.0f;
    t.over = v > 0 ? 0.0f : 3.0e38f;
    return t;
}

void sift(std::span<const FlatTriangle> triangles, std::span<const Index> list, const EightBoxes& boxes, float margin,
          std::span<EightNearest> scratch, std::span<std::uint8_t> masks) {
    HWY_DYNAMIC_DISPATCH(sift_all)(triangles, list, boxes, margin, scratch.data(), masks.data());
}

void nearest(std::span<const FlatTriangle> triangles, std::span<const Index> list, const EightPoints& points,
             std::array<float, 8>& squared, std::array<std::int32_t, 8>& who) {
    alignas(32) float least[8];
    alignas(32) std::int32_t winners[8];
    HWY_DYNAMIC_DISPATCH(nearest_of)(triangles, list, points, least, winners);
    std::copy_n(least, 8, squared.begin());
    std::copy_n(winners, 8, who.begin());
}

} // namespace fathom
#endif
