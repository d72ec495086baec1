// Evaluation loop of a tape for boxes, compiled for every instruction set.
// Every result contains the exact value of its operation for all members of its operands, and hence also the values
// that the loop for points computes for them.
#include <fathom/base/interval.h>
#include <fathom/field/analytic/tape.h>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fathom/field/analytic/tape_intervals.cpp"
#include <hwy/foreach_target.h>

#include <fathom/field/analytic/tape_values-inl.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fathom::HWY_NAMESPACE {
namespace {

constexpr double half_ulp = 0x1p-53;

struct Range {
    V lower, upper;
};

// Bound on the distance to the neighbouring double (Rump, Ogita, Morikura & Oishi 2009).
HWY_INLINE V step_past(V a) { return hn::Add(hn::Mul(hn::Abs(a), set(half_ulp * (1 + 0x1p-51))), set(0x1p-1074)); }
HWY_INLINE V down(V a) { return hn::Sub(a, step_past(a)); }
HWY_INLINE V up(V a) { return hn::Add(a, step_past(a)); }
HWY_INLINE Range outward(V lower, V upper) { return {down(lower), up(upper)}; }
// Widens by a few relative roundings of the result itself. For lengths, which have no cancellation.
HWY_INLINE Range outward_lengths(V lower, V upper) {
    const V slack = set(16 * half_ulp), tiny = set(1e-150); // squares below 1e-300 underflow
    return {hn::Sub(lower, hn::Add(hn::Mul(hn::Abs(lower), slack), tiny)),
            hn::Add(upper, hn::Add(hn::Mul(hn::Abs(upper), slack), tiny))};
}
HWY_INLINE Range outward_by(V lower, V upper, V margin) {
    return outward(hn::Sub(lower, margin), hn::Add(upper, margin));
}

HWY_INLINE V magnitude(const Range& a) { return hn::Max(hn::Abs(a.lower), hn::Abs(a.upper)); }
HWY_INLINE Range absolute(const Range& a) {
    const V nearest = hn::Max(hn::Max(a.lower, hn::Neg(a.upper)), zero());
    return {nearest, magnitude(a)};
}
HWY_INLINE Range scaled(const Range& a, double factor) {
    const V f = set(factor), p = hn::Mul(a.lower, f), q = hn::Mul(a.upper, f);
    return factor < 0 ? Range{q, p} : Range{p, q};
}

HWY_INLINE Range product(const Range& a, const Range& b) {
    const V p = hn::Mul(a.lower, b.lower), q = hn::Mul(a.lower, b.upper);
    const V r = hn::Mul(a.upper, b.lower), s = hn::Mul(a.upper, b.upper);
    return outward(hn::Min(hn::Min(p, q), hn::Min(r, s)), hn::Max(hn::Max(p, q), hn::Max(r, s)));
}

HWY_INLINE Range scale_add(const Range& a, const double* p) {
    const Range s = scaled(a, p[0]), wide = outward(s.lower, s.upper);
    return outward(hn::Add(wide.lower, set(p[1])), hn::Add(wide.upper, set(p[1])));
}

HWY_INLINE Range affine(const Range& a, const Range& b, const Range& c, const double* p) {
    const Range x = scaled(a, p[0]), y = scaled(b, p[1]), z = scaled(c, p[2]);
    const V shift = set(p[3]),
            size = hn::Add(hn::Add(magnitude(x), magnitude(y)), hn::Add(magnitude(z), hn::Abs(shift)));
    return outward_by(hn::Add(hn::Add(hn::Add(x.lower, y.lower), z.lower), shift),
                      hn::Add(hn::Add(hn::Add(x.upper, y.upper), z.upper), shift), hn::Mul(size, set(8 * half_ulp)));
}

HWY_INLINE Range square(const Range& a) {
    const Range m = absolute(a);
    return {hn::Max(down(hn::Mul(m.lower, m.lower)), zero()), up(hn::Mul(m.upper, m.upper))};
}

HWY_INLINE Range square_root(const Range& a) {
    const V low = hn::Sqrt(hn::Max(a.lower, zero())), high = hn::Sqrt(hn::Max(a.upper, zero()));
    return {hn::Max(down(low), zero()), up(high)};
}

HWY_INLINE Range smooth_minimum(const Range& a, const Range& b, double width) {
    const V size = hn::Add(hn::Add(magnitude(a), magnitude(b)), set(width));
    return outward_by(smooth_minimum(a.lower, b.lower, width), smooth_minimum(a.upper, b.upper, width),
                      hn::Mul(size, set(16 * half_ulp)));
}

HWY_INLINE Range length2(const Range& a, const Range& b) {
    const Range p = absolute(a), q = absolute(b);
    const Range r = outward_lengths(length2(p.lower, q.lower), length2(p.upper, q.upper));
    return {hn::Max(r.lower, zero()), r.upper};
}
HWY_INLINE Range length3(const Range& a, const Range& b, const Range& c) {
    const Range p = absolute(a), q = absolute(b), s = absolute(c);
    const Range r = outward_lengths(length3(p.lower, q.lower, s.lower), length3(p.upper, q.upper, s.upper));
    return {hn::Max(r.lower, zero()), r.upper};
}
HWY_INLINE Range corner(const Range& a, const Range& b) {
    return outward_lengths(corner(a.lower, b.lower), corner(a.upper, b.upper));
}
HWY_INLINE Range past(const Range& a, double half) {
    const Range m = absolute(a);
    return outward(hn::Sub(m.lower, set(half)), hn::Sub(m.upper, set(half)));
}
HWY_INLINE Range corner3(const Range& a, const Range& b, const Range& c) {
    return outward_lengths(corner3(a.lower, b.lower, c.lower), corner3(a.upper, b.upper, c.upper));
}

HWY_INLINE Range fold(const Range& a, const double* p) {
    const V first = fold_cell(a.lower, p), last = fold_cell(a.upper, p), width = set(p[0]);
    const V low = hn::Abs(in_cell(a.lower, first, p)), high = hn::Abs(in_cell(a.upper, last, p));
    const V margin = hn::Mul(hn::Add(magnitude(a), width), set(4 * half_ulp));
    const auto one_cell = hn::Eq(first, last);
    const auto holds_center = hn::And(hn::Le(a.lower, hn::Add(hn::Mul(last, width), margin)),
                                      hn::Ge(a.upper, hn::Sub(hn::Mul(first, width), margin)));
    // The interval lies between the centres of two adjacent cells: the distance is smallest at its ends.
    const auto between =
        hn::And(hn::Gt(a.lower, hn::Add(hn::Mul(first, width), margin)),
                hn::And(hn::Lt(a.upper, hn::Sub(hn::Mul(last, width), margin)), hn::Le(hn::Sub(last, first), set(1))));
    const auto away = hn::Or(between, hn::AndNot(holds_center, one_cell));
    const V least = select(away, hn::Min(low, high), zero());
    const V ends = hn::Max(low, high), most = select(one_cell, ends, hn::Max(ends, hn::Mul(width, set(0.5))));
    const Range r = outward_by(least, most, margin);
    return {hn::Max(r.lower, zero()), r.upper};
}

HWY_INLINE Range saw(const Range& a, const double* p) {
    const V first = saw_cell(a.lower, p), last = saw_cell(a.upper, p), width = set(p[0]);
    const V low = in_cell(a.lower, first, p), high = in_cell(a.upper, last, p);
    const auto one_cell = hn::Eq(first, last);
    return outward_by(select(one_cell, low, hn::Min(low, zero())), select(one_cell, high, hn::Max(high, width)),
                      hn::Mul(hn::Add(magnitude(a), width), set(4 * half_ulp)));
}

// Range of a function that changes no faster than its operands: the value at the centre plus or minus the half
// diagonal.
template <class F>
HWY_INLINE Range by_sphere(const Range& a, const Range& b, double size, F f) {
    const V x = hn::Mul(set(0.5), hn::Add(a.lower, a.upper)), y = hn::Mul(set(0.5), hn::Add(b.lower, b.upper));
    const V rx = up(hn::Max(hn::Sub(a.upper, x), hn::Sub(x, a.lower))),
            ry = up(hn::Max(hn::Sub(b.upper, y), hn::Sub(y, b.lower)));
    const V radius = hn::Mul(length2(rx, ry), set(1 + 16 * half_ulp));
    const V margin = hn::Mul(hn::Add(hn::Add(magnitude(a), magnitude(b)), set(size)), set(128 * half_ulp));
    const V middle = f(x, y), reach = hn::Add(radius, margin);
    return outward(hn::Sub(middle, reach), hn::Add(middle, reach));
}

template <class F>
HWY_INLINE Range each_interval(const Range& a, F f) {
    HWY_ALIGN double lower[HWY_MAX_BYTES / sizeof(double)], upper[HWY_MAX_BYTES / sizeof(double)];
    hn::Store(a.lower, d, lower);
    hn::Store(a.upper, d, upper);
    for (std::size_t i = 0; i < hn::Lanes(d); ++i) {
        const Interval r = f(Interval(lower[i], upper[i]));
        lower[i] = r.lower, upper[i] = r.upper;
    }
    return {hn::Load(d, lower), hn::Load(d, upper)};
}

HWY_INLINE Range signed_by(const Range& a, const Range& b) {
    const auto outside = hn::Gt(b.lower, zero()), inside = hn::Le(b.upper, zero());
    return {select(outside, a.lower, hn::Min(b.lower, select(inside, b.lower, a.lower))),
            select(inside, b.upper, a.upper)};
}

struct IntervalRun : TapeRun<IntervalRun> {
    static constexpr std::size_t stride = 2 * interval_block;
    struct Operand {
        const double *lower, *upper;
        std::size_t step;
        HWY_INLINE Range at(std::size_t i) const { return {load(lower + i * step), load(upper + i * step)}; }
    };
    HWY_INLINE Operand operand(const Instruction& in, int k) const {
        const std::uint16_t name = in.operands[k];
        if (name & Instruction::constant_flag) {
            const double* const c = tape.constants + tape_lanes * (name ^ Instruction::constant_flag);
            return {c, c, 0};
        }
        const double* const lower = registers + stride * name;
        return {lower, lower + interval_block, 1};
    }
    static HWY_INLINE void store(const Range& result, double* out) {
        hn::StoreU(result.lower, d, out);
        hn::StoreU(result.upper, d, out + interval_block);
    }
};

using Rg = const Range&;

HWY_ATTR void interval_step(const IntervalRun& run, const Instruction& in, const double* p) {
    switch (in.op) {
    case Op::add:
        return run.binary(in, [](Rg a, Rg b)
                                  HWY_ATTR { return outward(hn::Add(a.lower, b.lower), hn::Add(a.upper, b.upper)); });
    case Op::subtract:
        return run.binary(in, [](Rg a, Rg b)
                                  HWY_ATTR { return outward(hn::Sub(a.lower, b.upper), hn::Sub(a.upper, b.lower)); });
    case Op::multiply:
        return run.binary(in, [](Rg a, Rg b) HWY_ATTR { return product(a, b); });
    case Op::scale_add:
        return run.unary(in, [=](Rg a) HWY_ATTR { return scale_add(a, p); });
    case Op::affine:
        return run.ternary(in, [=](Rg a, Rg b, Rg c) HWY_ATTR { return affine(a, b, c, p); });
    case Op::negate:
        return run.unary(in, [](Rg a) HWY_ATTR { return Range{hn::Neg(a.upper), hn::Neg(a.lower)}; });
    case Op::absolute:
        return run.unary(in, [](Rg a) HWY_ATTR { return absolute(a); });
    case Op::square:
        return run.unary(in, [](Rg a) HWY_ATTR { return square(a); });
    case Op::square_root:
        return run.unary(in, [](Rg a) HWY_ATTR { return square_root(a); });
    case Op::minimum:
        return run.binary(in, [](Rg a, Rg b) HWY_ATTR {
            return Range{hn::Min(a.lower, b.lower), hn::Min(a.upper, b.upper)};
        });
    case Op::maximum:
        return run.binary(in, [](Rg a, Rg b) HWY_ATTR {
            return Range{hn::Max(a.lower, b.lower), hn::Max(a.upper, b.upper)};
        });
    case Op::smooth_minimum:
        return run.binary(in, [=](Rg a, Rg b) HWY_ATTR { return smooth_minimum(a, b, p[0]); });
    case Op::sine:
        return run.unary(
            in, [](Rg a) HWY_ATTR { return each_interval(a, [](const Interval& v) { return fathom::sin(v); }); });
    case Op::cosine:
        return run.unary(
            in, [](Rg a) HWY_ATTR { return each_interval(a, [](const Interval& v) { return fathom::cos(v); }); });
    case Op::length2:
        return run.binary(in, [](Rg a, Rg b) HWY_ATTR { return length2(a, b); });
    case Op::length3:
        return run.ternary(in, [](Rg a, Rg b, Rg c) HWY_ATTR { return length3(a, b, c); });
    case Op::corner:
        return run.binary(in, [](Rg a, Rg b) HWY_ATTR { return corner(a, b); });
    case Op::rectangle:
        return run.binary(in, [=](Rg a, Rg b) HWY_ATTR { return corner(past(a, p[0]), past(b, p[1])); });
    case Op::box:
        return run.ternary(in, [=](Rg a, Rg b, Rg c)
                                   HWY_ATTR { return corner3(past(a, p[0]), past(b, p[1]), past(c, p[2])); });
    case Op::clamp:
        return run.unary(in, [=](Rg a) HWY_ATTR {
            return Range{clamp(a.lower, p[0], p[1]), clamp(a.upper, p[0], p[1])};
        });
    case Op::beyond:
        return run.unary(in, [=](Rg a) HWY_ATTR { return outward(beyond(a.lower, p[0]), beyond(a.upper, p[0])); });
    case Op::fold:
        return run.unary(in, [=](Rg a) HWY_ATTR { return fold(a, p); });
    case Op::saw:
        return run.unary(in, [=](Rg a) HWY_ATTR { return saw(a, p); });
    case Op::pull:
        return run.unary(in, [=](Rg a) HWY_ATTR { return outward(pull(a.upper, p[0]), pull(a.lower, p[0])); });
    case Op::polygon:
        return run.binary(in, [=](Rg a, Rg b) HWY_ATTR {
            return by_sphere(a, b, p[1], [=](V x, V y) HWY_ATTR { return polygon(x, y, p); });
        });
    case Op::arc:
        return run.binary(in, [=](Rg a, Rg b) HWY_ATTR {
            return by_sphere(a, b, p[0], [=](V x, V y) HWY_ATTR { return arc(x, y, p); });
        });
    case Op::signed_by:
        return run.binary(in, [](Rg a, Rg b) HWY_ATTR { return signed_by(a, b); });
    case Op::constant: // constants and coordinates are not instructions
    case Op::x:
    case Op::y:
    case Op::z:
        return;
    }
}

// The comparisons are strict, so that at a tie both operands stay: the choice between two equal values must not affect
// the gradient.
HWY_ATTR Choice choice(const IntervalRun& run, const Instruction& in, const double* p) {
    if (in.op != Op::minimum && in.op != Op::maximum && in.op != Op::smooth_minimum && in.op != Op::signed_by)
        return Choice::both;
    const auto a = run.operand(in, 0), b = run.operand(in, 1);
    const double gap = *b.lower - *a.upper, reverse = *a.lower - *b.upper; // > 0: a (or b) is smaller everywhere
    switch (in.op) {
    case Op::minimum:
        return gap > 0 ? Choice::first : reverse > 0 ? Choice::second : Choice::both;
    case Op::maximum:
        return reverse > 0 ? Choice::first : gap > 0 ? Choice::second : Choice::both;
    case Op::smooth_minimum:
        return gap >= p[0] ? Choice::first : reverse >= p[0] ? Choice::second : Choice::both;
    default:
        return *b.lower > 0 ? Choice::first : *b.upper <= 0 ? Choice::second : Choice::both;
    }
}

HWY_ATTR void intersect_with_spheres(const IntervalRun& run, const Spheres& spheres, const Instruction& in) {
    const std::size_t k = in.slope - 1u;
    const double* const middles = spheres.middles + interval_block * k;
    const V slope = set(spheres.slopes[k]);
    double* const lower = run.registers + 2 * interval_block * in.out;
    double* const upper = lower + interval_block;
    for (std::size_t i = 0; i < run.count; i += hn::Lanes(d)) {
        const V middle = load(middles + i),
                reach = up(hn::Add(up(hn::Mul(slope, load(spheres.radii + i))), load(spheres.noise + i)));
        hn::StoreU(hn::Max(load(lower + i), down(hn::Sub(middle, reach))), d, lower + i);
        hn::StoreU(hn::Min(load(upper + i), up(hn::Add(middle, reach))), d, upper + i);
    }
}

// NOLINTNEXTLINE(readability-non-const-parameter): stored in a struct that writes through it
HWY_ATTR void intervals_for_target(const TapeView& tape, const Spheres& spheres, double* registers, std::size_t count,
                                   Choice* choices) {
    const IntervalRun run{{tape, registers, count}};
    for (const Instruction& in : tape.code) {
        const double* const p = tape.parameters + in.parameters;
        if (choices) *choices++ = choice(run, in, p); // before the step, which may overwrite an operand
        interval_step(run, in, p);
        if (in.slope != 0) intersect_with_spheres(run, spheres, in);
    }
}

} // namespace
} // namespace fathom::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fathom {

HWY_EXPORT(intervals_for_target);

void run_intervals(const TapeView& tape, const Spheres& spheres, double* registers, std::size_t count,
                   Choice* choices) {
    HWY_DYNAMIC_DISPATCH(intervals_for_target)(tape, spheres, registers, count, choices);
}

} // namespace fathom
#endif
