// Operations of a tape on SIMD vectors, shared by the loops for points, samples and intervals.
// Include it only from a file that Highway's foreach_target compiles. The code uses only correctly rounded operations
// and lane-wise libm, and never a fused multiply-add, so results do not depend on the instruction set or on the
// position of a point in its batch.
#if defined(FATHOM_FIELD_TAPE_VALUES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef FATHOM_FIELD_TAPE_VALUES_INL_H
#undef FATHOM_FIELD_TAPE_VALUES_INL_H
#else
#define FATHOM_FIELD_TAPE_VALUES_INL_H
#endif

#include <fathom/field/analytic/tape.h>

#include <hwy/highway.h>

#include <cmath>

HWY_BEFORE_NAMESPACE();
namespace fathom::HWY_NAMESPACE {
namespace { // as in the including files, whose overloads must not hide these

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<double>;
using V = hn::Vec<D>;
inline constexpr D d;

HWY_INLINE V zero() { return hn::Zero(d); }
HWY_INLINE V set(double x) { return hn::Set(d, x); }
HWY_INLINE V load(const double* p) { return hn::LoadU(d, p); }
HWY_INLINE V select(hn::Mask<D> mask, V yes, V no) { return hn::IfThenElse(mask, yes, no); }

HWY_INLINE V length2(V a, V b) { return hn::Sqrt(hn::Add(hn::Mul(a, a), hn::Mul(b, b))); }
HWY_INLINE V length3(V a, V b, V c) { return hn::Sqrt(hn::Add(hn::Add(hn::Mul(a, a), hn::Mul(b, b)), hn::Mul(c, c))); }

HWY_INLINE V corner(V a, V b) {
    const V outside = length2(hn::Max(a, zero()), hn::Max(b, zero()));
    return hn::Add(outside, hn::Min(hn::Max(a, b), zero()));
}

HWY_INLINE V corner3(V a, V b, V c) {
    const V outside = length3(hn::Max(a, zero()), hn::Max(b, zero()), hn::Max(c, zero()));
    return hn::Add(outside, hn::Min(hn::Max(hn::Max(a, b), c), zero()));
}

HWY_INLINE V past(V a, double half) { return hn::Sub(hn::Abs(a), set(half)); }

// Distance of the smooth minimum's arguments from the point where one of them alone decides.
HWY_INLINE V blend(V a, V b, double width) { return hn::Max(hn::Sub(set(width), hn::Abs(hn::Sub(a, b))), zero()); }
HWY_INLINE V smooth_minimum(V a, V b, double width) {
    const V h = blend(a, b, width);
    return hn::Sub(hn::Min(a, b), hn::Mul(hn::Mul(h, h), set(0.25 / width)));
}

HWY_INLINE V clamp(V a, double low, double high) { return hn::Min(hn::Max(a, set(low)), set(high)); }

HWY_INLINE V beyond(V a, double half) {
    return hn::Add(hn::Max(hn::Sub(a, set(half)), zero()), hn::Min(hn::Add(a, set(half)), zero()));
}

// Index of the cell that contains `a`; cells are p[0] wide and numbered from p[1] to p[2].
HWY_INLINE V fold_cell(V a, const double* p) {
    return clamp(hn::Floor(hn::Add(hn::Div(a, set(p[0])), set(0.5))), p[1], p[2]);
}
HWY_INLINE V saw_cell(V a, const double* p) { return clamp(hn::Floor(hn::Div(a, set(p[0]))), p[1], p[2]); }
HWY_INLINE V in_cell(V a, V cell, const double* p) { return hn::Sub(a, hn::Mul(cell, set(p[0]))); }

HWY_INLINE V pull(V a, double radius) { return hn::Div(set(radius), hn::Max(a, set(radius))); }

HWY_INLINE V affine(V a, V b, V c, const double* p) {
    const V ab = hn::Add(hn::Mul(a, set(p[0])), hn::Mul(b, set(p[1])));
    return hn::Add(hn::Add(ab, hn::Mul(c, set(p[2]))), set(p[3]));
}

template <class F>
HWY_INLINE V each_lane(V a, F f) {
    HWY_ALIGN double lanes[HWY_MAX_BYTES / sizeof(double)];
    hn::Store(a, d, lanes);
    for (std::size_t i = 0; i < hn::Lanes(d); ++i) lanes[i] = f(lanes[i]);
    return hn::Load(d, lanes);
}
HWY_INLINE V sine(V a) {
    return each_lane(a, [](double x) { return std::sin(x); });
}
HWY_INLINE V cosine(V a) {
    return each_lane(a, [](double x) { return std::cos(x); });
}

// Nearest point of a closed polygon: squared distance, offset from it, outward normal of its edge, and whether the
// query point is inside.
struct PolygonHit {
    V squared, x, y, normal_x, normal_y;
    hn::Mask<D> inside;
};

HWY_INLINE PolygonHit nearest_of_polygon(V x, V y, const double* p) {
    PolygonHit best{set(1e300), zero(), zero(), zero(), zero(), hn::Lt(zero(), zero())};
    const double* const end = p + 2 + 8 * static_cast<std::size_t>(p[0]);
    for (const double* e = p + 2; e != end; e += 8) {
        const V wx = hn::Sub(x, set(e[0])), wy = hn::Sub(y, set(e[1])), ex = set(e[3]), ey = set(e[4]);
        const V t = clamp(hn::Mul(hn::Add(hn::Mul(wx, ex), hn::Mul(wy, ey)), set(e[5])), 0, 1);
        const V bx = hn::Sub(wx, hn::Mul(ex, t)), by = hn::Sub(wy, hn::Mul(ey, t));
        const V squared = hn::Add(hn::Mul(bx, bx), hn::Mul(by, by));
        const auto nearer = hn::Lt(squared, best.squared);
        best.squared = hn::Min(squared, best.squared);
        best.x = select(nearer, bx, best.x);
        best.y = select(nearer, by, best.y);
        best.normal_x = select(nearer, set(e[6]), best.normal_x);
        best.normal_y = select(nearer, set(e[7]), best.normal_y);
        // The ray towards +x crosses an edge that spans y if the point is to the left of an upward edge or to the right
        // of a downward edge.
        const auto from = hn::Ge(y, set(e[1])), to = hn::Ge(y, set(e[2]));
        const auto left = hn::Gt(hn::Mul(ex, wy), hn::Mul(ey, wx));
        const auto up = hn::And(hn::AndNot(to, from), left), down = hn::AndNot(hn::Or(from, left), to);
        best.inside = hn::Xor(best.inside, hn::Or(up, down));
    }
    return best;
}
HWY_INLINE V polygon(V x, V y, const double* p) {
    const PolygonHit hit = nearest_of_polygon(x, y, p);
    const V distance = hn::Sqrt(hit.squared);
    return select(hit.inside, hn::Neg(distance), distance);
}

// Offset from the nearest end of the arc in the half-plane y >= 0, and whether the interior of the arc is nearer than
// its ends.
struct ArcHit {
    V end_x, end_y, length;
    hn::Mask<D> beside;
};
HWY_INLINE ArcHit nearest_of_arc(V x, V y, const double* p) {
    const V up = hn::Abs(y);
    const V ex = hn::Sub(x, set(p[0] * p[2])), ey = hn::Sub(up, set(p[0] * p[1]));
    return {ex, ey, length2(x, y), hn::Ge(hn::Mul(x, set(p[1])), hn::Mul(up, set(p[2])))};
}
HWY_INLINE V arc(V x, V y, const double* p) {
    const ArcHit hit = nearest_of_arc(x, y, p);
    return select(hit.beside, hn::Abs(hn::Sub(hit.length, set(p[0]))), length2(hit.end_x, hit.end_y));
}

// One run of a tape over a block. `Run` derives from it and says how operands are loaded and results are stored,
// `stride` numbers per register.
template <class Run>
struct TapeRun {
    const TapeView& tape;
    double* registers;
    std::size_t count;

    template <class F>
    HWY_INLINE void unary(const Instruction& in, F f) const {
        const Run& run = static_cast<const Run&>(*this);
        const auto a = run.operand(in, 0);
        double* const out = registers + Run::stride * in.out;
        for (std::size_t i = 0; i < count; i += hn::Lanes(d)) Run::store(f(a.at(i)), out + i);
    }
    template <class F>
    HWY_INLINE void binary(const Instruction& in, F f) const {
        const Run& run = static_cast<const Run&>(*this);
        const auto a = run.operand(in, 0), b = run.operand(in, 1);
        double* const out = registers + Run::stride * in.out;
        for (std::size_t i = 0; i < count; i += hn::Lanes(d)) Run::store(f(a.at(i), b.at(i)), out + i);
    }
    template <class F>
    HWY_INLINE void ternary(const Instruction& in, F f) const {
        const Run& run = static_cast<const Run&>(*this);
        const auto a = run.operand(in, 0), b = run.operand(in, 1), c = run.operand(in, 2);
        double* const out = registers + Run::stride * in.out;
        for (std::size_t i = 0; i < count; i += hn::Lanes(d)) Run::store(f(a.at(i), b.at(i), c.at(i)), out + i);
    }
};

} // namespace
} // namespace fathom::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
