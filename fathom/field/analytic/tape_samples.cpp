// Evaluation loop of a tape for values and gradients, compiled for every instruction set.
// Method: dual numbers with three slopes.
#include <fathom/field/analytic/tape.h>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fathom/field/analytic/tape_samples.cpp"
#include <hwy/foreach_target.h>

#include <fathom/field/analytic/tape_values-inl.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fathom::HWY_NAMESPACE {
namespace {

struct Dual {
    V value, x, y, z;
};

HWY_INLINE Dual chained(V value, V by_a, const Dual& a) {
    return {value, hn::Mul(by_a, a.x), hn::Mul(by_a, a.y), hn::Mul(by_a, a.z)};
}
HWY_INLINE Dual chained(V value, V by_a, const Dual& a, V by_b, const Dual& b) {
    return {value, hn::Add(hn::Mul(by_a, a.x), hn::Mul(by_b, b.x)), hn::Add(hn::Mul(by_a, a.y), hn::Mul(by_b, b.y)),
            hn::Add(hn::Mul(by_a, a.z), hn::Mul(by_b, b.z))};
}
HWY_INLINE Dual chained(V value, V by_a, const Dual& a, V by_b, const Dual& b, V by_c, const Dual& c) {
    const Dual ab = chained(value, by_a, a, by_b, b);
    return {value, hn::Add(ab.x, hn::Mul(by_c, c.x)), hn::Add(ab.y, hn::Mul(by_c, c.y)),
            hn::Add(ab.z, hn::Mul(by_c, c.z))};
}
HWY_INLINE Dual select(hn::Mask<D> mask, const Dual& a, const Dual& b) {
    return {select(mask, a.value, b.value), select(mask, a.x, b.x), select(mask, a.y, b.y), select(mask, a.z, b.z)};
}
HWY_INLINE Dual with_value(V value, Dual slopes) {
    slopes.value = value;
    return slopes;
}
// +1 or -1; +1 at 0.
HWY_INLINE V sign_of(V a) { return select(hn::Ge(a, zero()), set(1), set(-1)); }
HWY_INLINE Dual absolute(const Dual& a) { return chained(hn::Abs(a.value), sign_of(a.value), a); }
HWY_INLINE Dual past(const Dual& a, double half) { return with_value(past(a.value, half), absolute(a)); }

HWY_INLINE Dual square_root(const Dual& a) {
    const V value = hn::Sqrt(hn::Max(a.value, zero()));
    return chained(value, select(hn::Gt(value, zero()), hn::Div(set(0.5), value), zero()), a);
}

HWY_INLINE Dual smooth_minimum(const Dual& a, const Dual& b, double width) {
    const V share = hn::Mul(blend(a.value, b.value, width), set(0.5 / width)); // weight of the larger operand's slope
    const V most = hn::Sub(set(1), share);
    const auto first = hn::Le(a.value, b.value);
    return chained(smooth_minimum(a.value, b.value, width), select(first, most, share), a, select(first, share, most),
                   b);
}

HWY_INLINE Dual length2(const Dual& a, const Dual& b) {
    const V value = length2(a.value, b.value);
    const auto regular = hn::Gt(value, zero());
    return chained(value, select(regular, hn::Div(a.value, value), set(1)), a,
                   select(regular, hn::Div(b.value, value), zero()), b);
}

HWY_INLINE Dual length3(const Dual& a, const Dual& b, const Dual& c) {
    const V value = length3(a.value, b.value, c.value);
    const auto regular = hn::Gt(value, zero());
    return chained(value, select(regular, hn::Div(a.value, value), set(1)), a,
                   select(regular, hn::Div(b.value, value), zero()), b,
                   select(regular, hn::Div(c.value, value), zero()), c);
}

HWY_INLINE Dual corner(const Dual& a, const Dual& b) {
    const V pa = hn::Max(a.value, zero()), pb = hn::Max(b.value, zero()), outside = length2(pa, pb);
    const V value = corner(a.value, b.value);
    const Dual inner = select(hn::Ge(a.value, b.value), a, b);
    return select(hn::Gt(outside, zero()), chained(value, hn::Div(pa, outside), a, hn::Div(pb, outside), b),
                  with_value(value, inner));
}

HWY_INLINE Dual corner3(const Dual& a, const Dual& b, const Dual& c) {
    const V pa = hn::Max(a.value, zero()), pb = hn::Max(b.value, zero()), pc = hn::Max(c.value, zero());
    const V outside = length3(pa, pb, pc), value = corner3(a.value, b.value, c.value);
    const Dual ab = select(hn::Ge(a.value, b.value), a, b), inner = select(hn::Ge(ab.value, c.value), ab, c);
    const Dual outer = chained(value, hn::Div(pa, outside), a, hn::Div(pb, outside), b, hn::Div(pc, outside), c);
    return select(hn::Gt(outside, zero()), outer, with_value(value, inner));
}

HWY_INLINE Dual polygon(const Dual& a, const Dual& b, const double* p) {
    const PolygonHit hit = nearest_of_polygon(a.value, b.value, p);
    const V distance = hn::Sqrt(hit.squared), value = select(hit.inside, hn::Neg(distance), distance);
    const auto off = hn::Gt(distance, zero());
    const V by_a = select(off, hn::Div(hit.x, value), hit.normal_x),
            by_b = select(off, hn::Div(hit.y, value), hit.normal_y);
    return chained(value, by_a, a, by_b, b);
}

HWY_INLINE Dual arc(const Dual& a, const Dual& b, const double* p) {
    const ArcHit hit = nearest_of_arc(a.value, b.value, p);
    const V value = arc(a.value, b.value, p);
    const Dual radius = length2(a, b), beside = chained(value, sign_of(hn::Sub(hit.length, set(p[0]))), radius);
    Dual up = absolute(b), along = a;
    up.value = hit.end_y;
    along.value = hit.end_x;
    return select(hit.beside, beside, with_value(value, length2(along, up)));
}

struct SampleRun : TapeRun<SampleRun> {
    static constexpr std::size_t stride = 4 * sample_block;
    struct Operand {
        const double* data;
        bool constant;
        HWY_INLINE Dual at(std::size_t i) const {
            if (constant) return {load(data), zero(), zero(), zero()};
            const double* const p = data + i;
            return {load(p), load(p + sample_block), load(p + 2 * sample_block), load(p + 3 * sample_block)};
        }
    };
    HWY_INLINE Operand operand(const Instruction& in, int k) const {
        const std::uint16_t name = in.operands[k];
        const bool constant = (name & Instruction::constant_flag) != 0;
        if (constant) return {tape.constants + tape_lanes * (name ^ Instruction::constant_flag), true};
        return {registers + stride * name, false};
    }
    static HWY_INLINE void store(const Dual& result, double* out) {
        hn::StoreU(result.value, d, out);
        hn::StoreU(result.x, d, out + sample_block);
        hn::StoreU(result.y, d, out + 2 * sample_block);
        hn::StoreU(result.z, d, out + 3 * sample_block);
    }
};

using Dl = const Dual&;

// NOLINTNEXTLINE(readability-function-size): one case per operation
HWY_ATTR void sample_step(const SampleRun& run, const Instruction& in, const double* p) {
    switch (in.op) {
    case Op::add:
        return run.binary(in,
                          [](Dl a, Dl b) HWY_ATTR { return chained(hn::Add(a.value, b.value), set(1), a, set(1), b); });
    case Op::subtract:
        return run.binary(in, [](Dl a, Dl b)
                                  HWY_ATTR { return chained(hn::Sub(a.value, b.value), set(1), a, set(-1), b); });
    case Op::multiply:
        return run.binary(in, [](Dl a, Dl b)
                                  HWY_ATTR { return chained(hn::Mul(a.value, b.value), b.value, a, a.value, b); });
    case Op::scale_add:
        return run.unary(
            in, [=](Dl a) HWY_ATTR { return chained(hn::Add(hn::Mul(a.value, set(p[0])), set(p[1])), set(p[0]), a); });
    case Op::affine:
        return run.ternary(in, [=](Dl a, Dl b, Dl c) HWY_ATTR {
            return chained(affine(a.value, b.value, c.value, p), set(p[0]), a, set(p[1]), b, set(p[2]), c);
        });
    case Op::negate:
        return run.unary(in, [](Dl a) HWY_ATTR { return chained(hn::Neg(a.value), set(-1), a); });
    case Op::absolute:
        return run.unary(in, [](Dl a) HWY_ATTR { return absolute(a); });
    case Op::square:
        return run.unary(in, [](Dl a)
                                 HWY_ATTR { return chained(hn::Mul(a.value, a.value), hn::Add(a.value, a.value), a); });
    case Op::square_root:
        return run.unary(in, [](Dl a) HWY_ATTR { return square_root(a); });
    case Op::minimum:
        return run.binary(in, [](Dl a, Dl b) HWY_ATTR {
            return with_value(hn::Min(a.value, b.value), select(hn::Le(a.value, b.value), a, b));
        });
    case Op::maximum:
        return run.binary(in, [](Dl a, Dl b) HWY_ATTR {
            return with_value(hn::Max(a.value, b.value), select(hn::Ge(a.value, b.value), a, b));
        });
    case Op::smooth_minimum:
        return run.binary(in, [=](Dl a, Dl b) HWY_ATTR { return smooth_minimum(a, b, p[0]); });
    case Op::sine:
        return run.unary(in, [](Dl a) HWY_ATTR { return chained(sine(a.value), cosine(a.value), a); });
    case Op::cosine:
        return run.unary(in, [](Dl a) HWY_ATTR { return chained(cosine(a.value), hn::Neg(sine(a.value)), a); });
    case Op::length2:
        return run.binary(in, [](Dl a, Dl b) HWY_ATTR { return length2(a, b); });
    case Op::length3:
        return run.ternary(in, [](Dl a, Dl b, Dl c) HWY_ATTR { return length3(a, b, c); });
    case Op::corner:
        return run.binary(in, [](Dl a, Dl b) HWY_ATTR { return corner(a, b); });
    case Op::rectangle:
        return run.binary(in, [=](Dl a, Dl b) HWY_ATTR { return corner(past(a, p[0]), past(b, p[1])); });
    case Op::box:
        return run.ternary(in, [=](Dl a, Dl b, Dl c)
                                   HWY_ATTR { return corner3(past(a, p[0]), past(b, p[1]), past(c, p[2])); });
    case Op::clamp:
        return run.unary(in, [=](Dl a) HWY_ATTR {
            const V value = clamp(a.value, p[0], p[1]);
            return chained(value, select(hn::Eq(value, a.value), set(1), zero()), a);
        });
    case Op::beyond:
        return run.unary(in, [=](Dl a) HWY_ATTR {
            return chained(beyond(a.value, p[0]), select(hn::Ge(hn::Abs(a.value), set(p[0])), set(1), zero()), a);
        });
    case Op::fold:
        return run.unary(in, [=](Dl a) HWY_ATTR {
            const V rest = in_cell(a.value, fold_cell(a.value, p), p);
            return chained(hn::Abs(rest), sign_of(rest), a);
        });
    case Op::saw:
        return run.unary(in, [=](Dl a) HWY_ATTR { return with_value(in_cell(a.value, saw_cell(a.value, p), p), a); });
    case Op::pull:
        return run.unary(in, [=](Dl a) HWY_ATTR {
            const V value = pull(a.value, p[0]);
            return chained(value, select(hn::Gt(a.value, set(p[0])), hn::Neg(hn::Div(value, a.value)), zero()), a);
        });
    case Op::polygon:
        return run.binary(in, [=](Dl a, Dl b) HWY_ATTR { return polygon(a, b, p); });
    case Op::arc:
        return run.binary(in, [=](Dl a, Dl b) HWY_ATTR { return arc(a, b, p); });
    case Op::signed_by:
        return run.binary(in, [](Dl a, Dl b) HWY_ATTR { return select(hn::Gt(b.value, zero()), a, b); });
    case Op::constant: // constants and coordinates are not instructions
    case Op::x:
    case Op::y:
    case Op::z:
        return;
    }
}

// The slopes of the coordinates are the rows of the identity. They are stored with the width with which they are
// loaded, because narrower stores would have to reach memory first. A single point, the usual case in searches, is
// broadcast here for the same reason.
HWY_ATTR void set_up(double* registers, std::size_t count) {
    for (std::size_t i = 0; i < count; i += hn::Lanes(d))
        for (std::size_t axis = 0; axis < 3; ++axis)
            for (std::size_t slope = 0; slope < 3; ++slope)
                hn::StoreU(axis == slope ? set(1) : zero(), d,
                           registers + 4 * sample_block * axis + sample_block * (1 + slope) + i);
}

HWY_ATTR void samples_for_target(const TapeView& tape, double* registers, std::size_t count, const double* alone) {
    set_up(registers, count);
    if (alone != nullptr)
        for (std::size_t axis = 0; axis < 3; ++axis)
            hn::StoreU(set(alone[axis]), d, registers + 4 * sample_block * axis);
    const SampleRun run{{tape, registers, count}};
    for (const Instruction& in : tape.code) sample_step(run, in, tape.parameters + in.parameters);
}

} // namespace
} // namespace fathom::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fathom {

HWY_EXPORT(samples_for_target);

void run_samples(const TapeView& tape, double* registers, std::size_t count, const double* alone) {
    HWY_DYNAMIC_DISPATCH(samples_for_target)(tape, registers, count, alone);
}

} // namespace fathom
#endif
