// Room: field. The loops that push boxes through a network and slopes back, for every instruction set of the machine.
//
// Why the result is sound. A unit's row (base, x, y, z, radius) holds, for every point of the box, both the exact output and
// what float kernels compute. A sum of n inputs adds to the radius, besides |weights| * radius:
//   - the rounding of the kernels: at most gamma(n + 1) * (sum |w| |input| + |bias|) in any order, fused or not;
//   - our own rounding of the sums: at most as much again, as |base| + |x| + |y| + |z| + radius bounds |input|.
// sum |w| |input| is computed beside the others; the factor in the program holds gamma for both and a few roundings more. An
// activation adds the largest distance to its straight line over all that can reach the unit, the kernels' own error, and a margin
// for the functions of the vector library (at most 4 units in the last place by its own statement, 2^-21; the margin is 2^-20) and
// for the products with the slope (2^-22).
// Nothing overflows: a layer is only entered while its largest sum stays below 1e30, and all else is finite by construction.
// The second half runs back from the result: radius = sum over units of |slope of the result along it| * what the unit itself
// added, which the forward radius bounds from above by products of |weights|. In double, with a proven slack for its rounding.
#include <fathom/field/neural/activation_error.h>
#include <fathom/field/neural/range_program.h>

#include <algorithm>
#include <cmath>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fathom/field/neural/range_kernels.cpp"
#include <hwy/foreach_target.h>

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fathom::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::CappedTag<float, range_tile / 2>; // a tile is at least two vectors: enough sums at a time to hide their delay
using V = hn::Vec<D>;
constexpr D d;

constexpr float product_margin = 0x1p-22F;  // four roundings
constexpr float function_margin = 0x1p-20F;
constexpr float kernel_error = static_cast<float>(activation_error);
constexpr float least_slope = 0x1p-20F; // of a curve: logarithms stay finite, and products of slopes normal numbers
constexpr float least_width = 1e-30F;
constexpr float least_symbol = 1e-33F; // less is dropped; RangeProgram::fixed covers thousands of them
constexpr float largest_phase = 30000; // the vector sine is stated up to 39000

HWY_INLINE V set(float x) { return hn::Set(d, x); }
HWY_INLINE V zero() { return hn::Zero(d); }
HWY_INLINE V larger(V a, V b) { return hn::Max(hn::Abs(a), hn::Abs(b)); }
HWY_INLINE V select(hn::Mask<D> mask, V yes, V no) { return hn::IfThenElse(mask, yes, no); }

struct Row {
    V base, x, y, z, radius, others;
    V terms; // sum of |weight| * size
};
struct Reach {
    V lower, upper;
};
// The activation is slope * input + offset, give or take error, on the unit's reach.
struct Line {
    V slope, offset, error, state;
};

HWY_INLINE V spread(const Row& a) {
    return hn::Add(hn::Add(hn::Add(hn::Abs(a.x), hn::Abs(a.y)), hn::Abs(a.z)), hn::Add(a.radius, a.others));
}
HWY_INLINE Reach reach_of(const Row& a) {
    const V half = spread(a);
    const V out = hn::MulAdd(hn::Add(hn::Abs(a.base), half), set(2 * product_margin), half);
    return {hn::Sub(a.base, out), hn::Add(a.base, out)};
}

HWY_INLINE V secant(V low, V high, const Reach& r, V most) {
    const V width = hn::Max(hn::Sub(r.upper, r.lower), set(least_width));
    return hn::Min(hn::Max(hn::Div(hn::Sub(high, low), width), set(least_slope)), most);
}

// The residue lies within [least, most], both computed from numbers of size `size`.
HWY_INLINE Line line(V slope, V least, V most, V size, V error) {
    const V half = set(0.5F);
    const V offset = hn::Mul(half, hn::Add(least, most));
    const V width = hn::Mul(half, hn::Sub(most, least));
    return {slope, offset, hn::Add(hn::MulAdd(size, set(function_margin), width), error), zero()};
}

HWY_INLINE Line line_of_relu(const Reach& r) {
    const auto on = hn::Ge(r.lower, zero()), off = hn::Le(r.upper, zero());
    const V width = hn::Max(hn::Sub(r.upper, r.lower), set(least_width));
    const V slope = hn::Min(hn::Max(hn::Div(r.upper, width), zero()), set(1));
    const V most = hn::Max(hn::Neg(hn::Mul(slope, r.lower)), hn::Sub(r.upper, hn::Mul(slope, r.upper)));
    const V half = hn::Mul(set(0.5F), hn::Max(most, zero()));
    const V margin = hn::Mul(hn::Mul(slope, larger(r.lower, r.upper)), set(4 * product_margin));
    const auto decided = hn::Or(on, off);
    return {select(on, set(1), select(off, zero(), slope)), hn::IfThenZeroElse(decided, half),
            hn::IfThenZeroElse(decided, hn::Add(half, margin)), select(on, set(unit_is_linear), select(off, set(unit_is_off), zero()))};
}

// Below 0 the residue a (e^x - 1) - slope x is convex, with its least value where a e^x = slope.
HWY_INLINE Line line_of_elu(const Reach& r, float parameter) {
    const V a = set(parameter), one = set(1);
    const V below_low = hn::Min(r.lower, zero()), below_high = hn::Min(r.upper, zero());
    const V exp_low = hn::Mul(a, hn::Sub(hn::Exp(d, hn::Max(below_low, set(-87))), one));
    const V exp_high = hn::Mul(a, hn::Sub(hn::Exp(d, hn::Max(below_high, set(-87))), one));
    const V low = select(hn::Gt(r.lower, zero()), r.lower, exp_low), high = select(hn::Gt(r.upper, zero()), r.upper, exp_high);
    const V slope = secant(low, high, r, hn::Max(a, one));
    const V at_low = hn::Sub(low, hn::Mul(slope, r.lower)), at_high = hn::Sub(high, hn::Mul(slope, r.upper));
    const V turn = hn::Log(d, hn::Max(hn::Div(slope, a), set(least_slope)));
    const V slack = hn::Mul(hn::Add(one, hn::Abs(turn)), set(0x1p-16F));
    const auto turns = hn::And(hn::Ge(hn::Add(turn, slack), below_low), hn::Le(hn::Sub(turn, slack), below_high));
    const V at_turn = select(turns, hn::Sub(hn::Sub(slope, a), hn::Mul(slope, turn)), at_low);
    const V at_zero = hn::IfThenZeroElse(hn::And(hn::Lt(r.lower, zero()), hn::Gt(r.upper, zero())), at_low);
    const V least = hn::Min(hn::Min(at_low, at_high), hn::Min(at_turn, at_zero));
    const V most = hn::Max(hn::Max(at_low, at_high), at_zero);
    const V size = hn::Add(hn::Add(a, slope), hn::MulAdd(slope, larger(r.lower, r.upper), larger(low, high)));
    const V error = hn::Mul(set(kernel_error * 1.0001F), hn::Max(one, hn::Add(larger(low, high), hn::Mul(a, set(function_margin)))));
    const Line curved = line(slope, least, most, size, error);
    const auto on = hn::Ge(r.lower, zero());
    return {select(on, one, curved.slope), hn::IfThenZeroElse(on, curved.offset), select(on, error, curved.error),
            select(on, set(unit_is_linear), zero())};
}

// The residue tanh x - slope x turns where tanh^2 = 1 - slope: largest to the right, least to the left.
HWY_INLINE Line line_of_tanh(const Reach& r) {
    const V one = set(1);
    const auto tanh = [&](V x) HWY_ATTR { return hn::Tanh(d, hn::Min(hn::Max(x, set(-20)), set(20))); };
    const V low = tanh(r.lower), high = tanh(r.upper);
    const V slope = secant(low, high, r, one);
    const V at_low = hn::Sub(low, hn::Mul(slope, r.lower)), at_high = hn::Sub(high, hn::Mul(slope, r.upper));
    const V height = hn::Sqrt(hn::Max(hn::Sub(one, slope), zero()));
    const V turn = hn::Log(d, hn::Div(hn::Add(one, height), hn::Sqrt(slope)));
    const V slack = hn::Mul(hn::Add(one, turn), set(0x1p-16F)), value = hn::Sub(height, hn::Mul(slope, turn));
    const auto meets = [&](V at) HWY_ATTR { return hn::And(hn::Ge(hn::Add(at, slack), r.lower), hn::Le(hn::Sub(at, slack), r.upper)); };
    const V most = hn::Max(hn::Max(at_low, at_high), select(meets(turn), value, at_low));
    const V least = hn::Min(hn::Min(at_low, at_high), select(meets(hn::Neg(turn)), hn::Neg(value), at_low));
    const V size = hn::Add(set(2), hn::Mul(slope, larger(r.lower, r.upper)));
    return line(slope, least, most, size, set(kernel_error * 1.0001F));
}

// max(x, 0) + log(1 + e^-|kx|) / k.
HWY_INLINE V softplus(V x, V k) {
    const V phase = hn::Max(hn::Neg(hn::Abs(hn::Mul(k, x))), set(-87));
    return hn::Add(hn::Max(x, zero()), hn::Div(hn::Log1p(d, hn::Exp(d, phase)), k));
}

// Convex: the residue is least where its slope, the logistic function of k x, is that of the line.
HWY_INLINE Line line_of_softplus(const Reach& r, float parameter) {
    const V k = set(parameter), one = set(1);
    const V low = softplus(r.lower, k), high = softplus(r.upper, k);
    const V slope = secant(low, high, r, set(1 - 0x1p-23F)), rest = hn::Sub(one, slope);
    const V at_low = hn::Sub(low, hn::Mul(slope, r.lower)), at_high = hn::Sub(high, hn::Mul(slope, r.upper));
    const V log_slope = hn::Log(d, slope), log_rest = hn::Log(d, rest);
    const V turn = hn::Div(hn::Sub(log_slope, log_rest), k);
    const V slack = hn::Mul(hn::Add(hn::Div(hn::Add(one, hn::Abs(log_slope)), k), hn::Abs(turn)), set(0x1p-12F));
    const auto turns = hn::And(hn::Ge(hn::Add(turn, slack), r.lower), hn::Le(hn::Sub(turn, slack), r.upper));
    const V lowest = hn::Neg(hn::Div(hn::Add(hn::Mul(slope, log_slope), hn::Mul(rest, log_rest)), k));
    const V least = hn::Min(hn::Min(at_low, at_high), select(turns, lowest, at_low));
    const V size = hn::Add(hn::Add(larger(low, high), hn::Div(set(2), k)), hn::Mul(slope, larger(r.lower, r.upper)));
    const V error = hn::Mul(set(kernel_error * 1.0001F), hn::Max(one, hn::Mul(hn::Max(low, high), set(1.0001F))));
    return line(slope, least, hn::Max(at_low, at_high), size, error);
}

// sin(m + t) = sin m + cos m * s t + sin m (cos t - 1) + cos m (sin t - s t) with s = sin h / h for |t| <= h < pi: the third term
// has one sign, and sin t - s t is at most sqrt(1 - s^2) - s acos s; for small h, where that cancels, at most
// h^3 / (9 sqrt 3) + h^5 / 120 by the series of the sine.
HWY_INLINE Line line_of_sine(const Reach& r, float parameter) {
    const V k = set(parameter), one = set(1), half = set(0.5F);
    const V middle = hn::Mul(half, hn::Add(r.lower, r.upper)), m = hn::Mul(k, middle);
    const V size = hn::Mul(k, larger(r.lower, r.upper));
    const V h = hn::MulAdd(size, set(product_margin), hn::Mul(k, hn::Mul(half, hn::Sub(r.upper, r.lower))));
    const auto wide = hn::Or(hn::Ge(h, set(3.14F)), hn::Ge(hn::Add(size, h), set(largest_phase)));
    const V safe_h = hn::Max(select(wide, one, h), set(least_width)), safe_m = hn::IfThenZeroElse(wide, m);
    const V sin_m = hn::Sin(d, safe_m), cos_m = hn::Cos(d, safe_m);
    const V s = hn::Min(hn::Max(hn::Div(hn::Sin(d, safe_h), safe_h), zero()), one);
    const V drop = hn::Mul(half, hn::Max(hn::Sub(one, hn::Cos(d, safe_h)), zero()));
    const V square = hn::Mul(safe_h, safe_h);
    const V narrow_bulge = hn::Mul(hn::Mul(safe_h, square), hn::MulAdd(square, set(1.0F / 119), set(0.0642F)));
    const V wide_bulge = hn::Sub(hn::Sqrt(hn::Max(hn::Sub(one, hn::Mul(s, s)), zero())), hn::Mul(s, hn::Acos(d, s)));
    const V bulge = select(hn::Lt(safe_h, one), narrow_bulge, hn::Max(wide_bulge, zero()));
    const V slope = hn::Mul(k, hn::Mul(cos_m, s));
    const V offset = hn::Sub(hn::Mul(sin_m, hn::Sub(one, drop)), hn::Mul(slope, middle));
    const V margin = hn::Add(hn::MulAdd(size, set(2 * product_margin), hn::Mul(hn::Add(one, safe_h), set(function_margin))), set(kernel_error));
    const V error = hn::Add(hn::MulAdd(hn::Abs(sin_m), drop, hn::Mul(hn::Abs(cos_m), bulge)), margin);
    const auto flat = hn::Or(wide, hn::Ge(error, one));
    return {hn::IfThenZeroElse(flat, slope), hn::IfThenZeroElse(flat, offset), select(flat, set(1 + 2 * kernel_error), error), zero()};
}

HWY_INLINE Line line_of(const Reach& r, Activation activation, float parameter) {
    switch (activation) {
    case Activation::none: return {set(1), zero(), zero(), set(unit_is_linear)};
    case Activation::relu: return line_of_relu(r);
    case Activation::elu: return line_of_elu(r, parameter);
    case Activation::tanh: return line_of_tanh(r);
    case Activation::sine: return line_of_sine(r, parameter);
    default: return line_of_softplus(r, parameter);
    }
}

struct BoxColumns {
    float* first = nullptr;
    std::size_t units = 0;
    HWY_INLINE float* operator[](RangeColumn c) const { return first + static_cast<std::size_t>(c) * units; }
};

HWY_ATTR float largest_input(const BoxColumns& box, std::span<const UnitSpan> spans) {
    V largest = zero();
    for (const UnitSpan& span : spans)
        for (std::size_t i = span.start; i < span.start + span.count; i += hn::Lanes(d)) // past the end lie padding units
            largest = hn::Max(largest, hn::LoadU(d, box[RangeColumn::size] + i));
    return hn::GetLane(hn::MaxOfLanes(d, largest));
}

// Two vectors of units of a layer: their sums. Plain variables, as compilers keep no arrays in registers, and a function of its own:
// all sixteen registers are needed.
HWY_NOINLINE HWY_ATTR void add_up(std::span<const UnitSpan> inputs, const float* weights, const BoxColumns& box, Row& first, Row& second) {
    using C = RangeColumn;
    V base0 = first.base, x0 = zero(), y0 = zero(), z0 = zero(), radius0 = zero(), terms0 = zero();
    V base1 = second.base, x1 = zero(), y1 = zero(), z1 = zero(), radius1 = zero(), terms1 = zero();
    for (const UnitSpan& span : inputs) {
        const float *base = box[C::base] + span.start, *x = box[C::x] + span.start, *y = box[C::y] + span.start,
                    *z = box[C::z] + span.start, *radius = box[C::radius] + span.start, *size = box[C::size] + span.start;
        for (std::size_t j = 0; j < span.count; ++j, weights += range_tile) {
            const V w0 = hn::LoadU(d, weights), w1 = hn::LoadU(d, weights + hn::Lanes(d));
            const V b = set(base[j]);
            base0 = hn::MulAdd(w0, b, base0), base1 = hn::MulAdd(w1, b, base1);
            const V along_x = set(x[j]);
            x0 = hn::MulAdd(w0, along_x, x0), x1 = hn::MulAdd(w1, along_x, x1);
            const V along_y = set(y[j]);
            y0 = hn::MulAdd(w0, along_y, y0), y1 = hn::MulAdd(w1, along_y, y1);
            const V along_z = set(z[j]);
            z0 = hn::MulAdd(w0, along_z, z0), z1 = hn::MulAdd(w1, along_z, z1);
            const V r = set(radius[j]), size0 = hn::Abs(w0), size1 = hn::Abs(w1);
            radius0 = hn::MulAdd(size0, r, radius0), radius1 = hn::MulAdd(size1, r, radius1);
            const V t = set(size[j]);
            terms0 = hn::MulAdd(size0, t, terms0), terms1 = hn::MulAdd(size1, t, terms1);
        }
    }
    first = {base0, x0, y0, z0, radius0, zero(), terms0};
    second = {base1, x1, y1, z1, radius1, zero(), terms1};
}

HWY_INLINE void finish(const RangeProgram& program, Activation activation, float parameter, const BoxColumns& box, std::size_t unit, Row sum) {
    using C = RangeColumn;
    const V rounding = hn::MulAdd(hn::LoadU(d, program.share.data() + unit), sum.terms, hn::LoadU(d, program.fixed.data() + unit));
    const V carried = sum.radius;
    sum.radius = hn::Add(sum.radius, rounding);
    const Reach reach = reach_of(sum);
    const Line line = line_of(reach, activation, parameter);
    const V steep = hn::Abs(line.slope);
    const auto curved = hn::Eq(line.state, set(unit_bends));
    const V size = hn::MulAdd(steep, hn::Add(hn::Abs(sum.base), spread(sum)), hn::Add(hn::Abs(line.offset), line.error));
    const V error = hn::Add(line.error, hn::IfThenElseZero(hn::Or(curved, hn::Gt(line.error, zero())), hn::Mul(size, set(2 * product_margin))));
    const Row out{hn::MulAdd(line.slope, sum.base, line.offset), hn::Mul(line.slope, sum.x), hn::Mul(line.slope, sum.y), hn::Mul(line.slope, sum.z),
                  hn::MulAdd(steep, sum.radius, error), hn::Mul(steep, sum.others), zero()};
    hn::StoreU(out.base, d, box[C::base] + unit);
    hn::StoreU(out.x, d, box[C::x] + unit);
    hn::StoreU(out.y, d, box[C::y] + unit);
    hn::StoreU(out.z, d, box[C::z] + unit);
    hn::StoreU(out.radius, d, box[C::radius] + unit);
    hn::StoreU(out.others, d, box[C::others] + unit);
    hn::StoreU(hn::Mul(hn::Add(hn::Abs(out.base), spread(out)), set(1 + 8 * product_margin)), d, box[C::size] + unit);
    hn::StoreU(line.slope, d, box[C::slope] + unit);
    hn::StoreU(hn::Mul(hn::MulAdd(steep, rounding, error), set(1 + product_margin)), d, box[C::own] + unit);
    hn::StoreU(rounding, d, box[C::rounding] + unit);
    hn::StoreU(line.state, d, box[C::state] + unit);
    hn::StoreU(reach.lower, d, box[C::lower] + unit);
    hn::StoreU(reach.upper, d, box[C::upper] + unit);
    hn::StoreU(hn::Mul(hn::Mul(steep, carried), set(1 + product_margin)), d, box[C::carried] + unit);
}

HWY_INLINE Row bias_row(const RangeProgram& program, std::size_t unit) {
    return {hn::LoadU(d, program.biases.data() + unit), zero(), zero(), zero(), zero(), zero(), zero()};
}

HWY_ATTR void forward(const RangeProgram& program, const RangeLayer& layer, Activation activation, const BoxColumns* boxes, std::size_t count) {
    const std::size_t lanes = hn::Lanes(d);
    const std::span<const UnitSpan> spans = program.inputs(layer);
    for (std::size_t tile = 0; tile < layer.outputs; tile += range_tile) {
        const float* const weights = program.by_input.data() + layer.by_input + tile * layer.inputs;
        for (std::size_t b = 0; b < count; ++b)
            for (std::size_t v = 0; v < range_tile; v += 2 * lanes) {
                const std::size_t unit = layer.start + tile + v;
                Row first = bias_row(program, unit), second = bias_row(program, unit + lanes);
                add_up(spans, weights + v, boxes[b], first, second);
                finish(program, activation, layer.parameter, boxes[b], unit, first);
                finish(program, activation, layer.parameter, boxes[b], unit + lanes, second);
            }
    }
}

using Dd = hn::CappedTag<double, range_tile / 4>;
constexpr Dd dd;
using Vd = hn::Vec<Dd>;

// What run back shares: one row of slopes and own errors a box, or one for all (step 0).
struct Back {
    const RangeProgram& program;
    const float *slope, *own;
    std::size_t step;
    double* adjoints;
    HWY_INLINE double* adjoint(std::size_t b) const { return adjoints + 2 * b * program.units; }
    HWY_INLINE double* passed_on(std::size_t b) const { return adjoint(b) + program.units; }
};

HWY_INLINE Vd widen(const float* p) { return hn::PromoteTo(dd, hn::LoadU(hn::Rebind<float, Dd>(), p)); }

// What the units of a layer add, and what they pass on to their sums.
HWY_ATTR double collect(const Back& back, std::size_t start, std::size_t count, std::size_t b, bool slack) {
    const double* const adjoint = back.adjoint(b);
    const float *slope = back.slope + b * back.step, *own = back.own + b * back.step;
    const double* const more = back.program.adjoint_slack.data();
    Vd sum = hn::Zero(dd);
    for (std::size_t i = start; i < start + in_tiles(count); i += hn::Lanes(dd)) {
        const Vd a = hn::LoadU(dd, adjoint + i);
        const Vd size = slack ? hn::Add(hn::Abs(a), hn::LoadU(dd, more + i)) : hn::Abs(a);
        sum = hn::MulAdd(size, widen(own + i), sum);
        hn::StoreU(hn::Mul(a, widen(slope + i)), dd, back.passed_on(b) + i);
    }
    return hn::GetLane(hn::SumOfLanes(dd, sum));
}

// Adds weights^T * (what the layer's units pass on) to the adjoints of a span of its inputs. For four boxes, two vectors each:
HWY_INLINE void transpose_four(const float* weights, std::size_t row, const double* from, double* to, std::size_t step, std::size_t outputs) {
    const std::size_t lanes = hn::Lanes(dd);
    const auto at = [&](std::size_t k, std::size_t v) HWY_ATTR { return to + k * step + v * lanes; };
    Vd a0 = hn::LoadU(dd, at(0, 0)), a1 = hn::LoadU(dd, at(0, 1)), b0 = hn::LoadU(dd, at(1, 0)), b1 = hn::LoadU(dd, at(1, 1));
    Vd c0 = hn::LoadU(dd, at(2, 0)), c1 = hn::LoadU(dd, at(2, 1)), e0 = hn::LoadU(dd, at(3, 0)), e1 = hn::LoadU(dd, at(3, 1));
    for (std::size_t o = 0; o < outputs; ++o, weights += row) {
        const Vd w0 = widen(weights), w1 = widen(weights + lanes);
        const Vd a = hn::Set(dd, from[o]), b = hn::Set(dd, from[step + o]);
        a0 = hn::MulAdd(a, w0, a0), a1 = hn::MulAdd(a, w1, a1), b0 = hn::MulAdd(b, w0, b0), b1 = hn::MulAdd(b, w1, b1);
        const Vd c = hn::Set(dd, from[2 * step + o]), e = hn::Set(dd, from[3 * step + o]);
        c0 = hn::MulAdd(c, w0, c0), c1 = hn::MulAdd(c, w1, c1), e0 = hn::MulAdd(e, w0, e0), e1 = hn::MulAdd(e, w1, e1);
    }
    hn::StoreU(a0, dd, at(0, 0)), hn::StoreU(a1, dd, at(0, 1)), hn::StoreU(b0, dd, at(1, 0)), hn::StoreU(b1, dd, at(1, 1));
    hn::StoreU(c0, dd, at(2, 0)), hn::StoreU(c1, dd, at(2, 1)), hn::StoreU(e0, dd, at(3, 0)), hn::StoreU(e1, dd, at(3, 1));
}

// For one box, four vectors.
HWY_INLINE void transpose_one(const float* weights, std::size_t row, const double* from, double* to, std::size_t outputs) {
    const std::size_t n = hn::Lanes(dd);
    Vd a = hn::LoadU(dd, to), b = hn::LoadU(dd, to + n), c = hn::LoadU(dd, to + 2 * n), e = hn::LoadU(dd, to + 3 * n);
    for (std::size_t o = 0; o < outputs; ++o, weights += row) {
        const Vd x = hn::Set(dd, from[o]);
        a = hn::MulAdd(x, widen(weights), a), b = hn::MulAdd(x, widen(weights + n), b);
        c = hn::MulAdd(x, widen(weights + 2 * n), c), e = hn::MulAdd(x, widen(weights + 3 * n), e);
    }
    hn::StoreU(a, dd, to), hn::StoreU(b, dd, to + n), hn::StoreU(c, dd, to + 2 * n), hn::StoreU(e, dd, to + 3 * n);
}

HWY_ATTR void transpose(const Back& back, const RangeLayer& layer, std::size_t count) {
    const std::size_t lanes = hn::Lanes(dd), step = 2 * back.program.units, row = back.program.padded_inputs(layer);
    const float* weights = back.program.by_output.data() + layer.by_output;
    for (const UnitSpan& span : back.program.inputs(layer)) {
        std::size_t b = 0;
        for (; b + 4 <= count; b += 4)
            for (std::size_t i = 0; i < span.count; i += 2 * lanes)
                transpose_four(weights + i, row, back.passed_on(b) + layer.start, back.adjoint(b) + span.start + i, step, layer.outputs);
        for (; b < count; ++b)
            for (std::size_t i = 0; i < span.count; i += 4 * lanes)
                transpose_one(weights + i, row, back.passed_on(b) + layer.start, back.adjoint(b) + span.start + i, layer.outputs);
        weights += in_tiles(span.count);
    }
}

HWY_ATTR void backward_for_target(const RangeProgram& program, std::size_t layer, const float* slope, const float* own, std::size_t step,
                                  bool slack, double* adjoints, double* sums, std::size_t count) {
    const Back back{program, slope, own, step, adjoints};
    for (std::size_t k = layer; k-- > 0;) {
        const RangeLayer& at = program.layers[k];
        for (std::size_t b = 0; b < count; ++b) sums[b] += collect(back, at.start, at.outputs, b, slack);
        transpose(back, at, count);
    }
    for (std::size_t b = 0; b < count; ++b) sums[b] += collect(back, 0, program.encoded, b, slack);
}

HWY_ATTR bool overflows(const RangeProgram& program, const RangeLayer& layer, const BoxColumns& box) {
    const double largest = static_cast<double>(largest_input(box, program.inputs(layer)));
    return !(largest < 1e30 && largest * layer.largest_sum + layer.largest_bias < 1e30);
}

HWY_ATTR RangeBall ball(const RangeProgram& program, const BoxColumns& box, double radius) {
    using C = RangeColumn;
    const auto at = [&](C c) { return static_cast<double>(box[c][program.layers.back().start]); };
    const double least = std::min(at(C::radius) + at(C::others), radius * (1 + 1e-9));
    const double along = std::abs(at(C::x)) + std::abs(at(C::y)) + std::abs(at(C::z));
    return {at(C::base), (along + least) * (1 + 1e-9), along};
}

// Units that are coordinates of their own: a row of slopes along each, over all units.
struct Symbols {
    float* first;
    std::size_t units, count;
    HWY_INLINE float* operator[](std::size_t k) const { return first + k * units; }
};

// The sums of two vectors of units along four symbols, put in the place of those units.
HWY_INLINE void add_up_symbols(std::span<const UnitSpan> inputs, const float* weights, const Symbols& symbols, std::size_t k, std::size_t unit,
                               V& others0, V& others1) {
    const std::size_t lanes = hn::Lanes(d);
    V a0 = zero(), a1 = zero(), b0 = zero(), b1 = zero(), c0 = zero(), c1 = zero(), e0 = zero(), e1 = zero();
    for (const UnitSpan& span : inputs) {
        const float *a = symbols[k] + span.start, *b = symbols[k + 1] + span.start, *c = symbols[k + 2] + span.start,
                    *e = symbols[k + 3] + span.start;
        for (std::size_t j = 0; j < span.count; ++j, weights += range_tile) {
            const V w0 = hn::LoadU(d, weights), w1 = hn::LoadU(d, weights + lanes);
            const V xa = set(a[j]), xb = set(b[j]), xc = set(c[j]), xe = set(e[j]);
            a0 = hn::MulAdd(w0, xa, a0), a1 = hn::MulAdd(w1, xa, a1), b0 = hn::MulAdd(w0, xb, b0), b1 = hn::MulAdd(w1, xb, b1);
            c0 = hn::MulAdd(w0, xc, c0), c1 = hn::MulAdd(w1, xc, c1), e0 = hn::MulAdd(w0, xe, e0), e1 = hn::MulAdd(w1, xe, e1);
        }
    }
    others0 = hn::Add(others0, hn::Add(hn::Add(hn::Abs(a0), hn::Abs(b0)), hn::Add(hn::Abs(c0), hn::Abs(e0))));
    others1 = hn::Add(others1, hn::Add(hn::Add(hn::Abs(a1), hn::Abs(b1)), hn::Add(hn::Abs(c1), hn::Abs(e1))));
    hn::StoreU(a0, d, symbols[k] + unit), hn::StoreU(a1, d, symbols[k] + unit + lanes);
    hn::StoreU(b0, d, symbols[k + 1] + unit), hn::StoreU(b1, d, symbols[k + 1] + unit + lanes);
    hn::StoreU(c0, d, symbols[k + 2] + unit), hn::StoreU(c1, d, symbols[k + 2] + unit + lanes);
    hn::StoreU(e0, d, symbols[k + 3] + unit), hn::StoreU(e1, d, symbols[k + 3] + unit + lanes);
}

HWY_INLINE void pass_symbols(const Symbols& symbols, const BoxColumns& box, std::size_t unit) {
    const V slope = hn::LoadU(d, box[RangeColumn::slope] + unit);
    for (std::size_t k = 0; k < symbols.count; ++k) {
        const V passed = hn::Mul(slope, hn::LoadU(d, symbols[k] + unit));
        hn::StoreU(hn::IfThenElseZero(hn::Gt(hn::Abs(passed), set(least_symbol)), passed), d, symbols[k] + unit);
    }
}

HWY_ATTR void forward_refined(const RangeProgram& program, const RangeLayer& layer, Activation activation, const BoxColumns& box,
                              const Symbols& symbols) {
    const std::size_t lanes = hn::Lanes(d);
    const std::span<const UnitSpan> spans = program.inputs(layer);
    for (std::size_t v = 0; v < layer.outputs; v += 2 * lanes) {
        const float* const weights = program.by_input.data() + layer.by_input + v / range_tile * range_tile * layer.inputs + v % range_tile;
        const std::size_t unit = layer.start + v;
        Row first = bias_row(program, unit), second = bias_row(program, unit + lanes);
        add_up(spans, weights, box, first, second);
        for (std::size_t k = 0; k < symbols.count; k += 4) add_up_symbols(spans, weights, symbols, k, unit, first.others, second.others);
        const V margin = set(1 + 0x1p-12F); // of the sum of up to 2^11 sizes
        first.others = hn::Mul(first.others, margin), second.others = hn::Mul(second.others, margin);
        finish(program, activation, layer.parameter, box, unit, first);
        finish(program, activation, layer.parameter, box, unit + lanes, second);
        pass_symbols(symbols, box, unit);
        pass_symbols(symbols, box, unit + lanes);
    }
}

// Makes the units of a layer that bend most coordinates of their own, a multiple of four rows.
HWY_ATTR void name_symbols(const RangeLayer& layer, std::size_t most, const BoxColumns& box, Symbols& symbols) {
    using C = RangeColumn;
    std::uint32_t bent[Network::max_width];
    std::size_t count = 0;
    const float *own = box[C::own], *rounding = box[C::rounding];
    for (std::size_t u = layer.start; u < layer.start + layer.outputs; ++u)
        if (box[C::state][u] == unit_bends && own[u] > 2 * rounding[u]) bent[count++] = static_cast<std::uint32_t>(u);
    if (count > most) {
        const auto larger_error = [&](std::uint32_t a, std::uint32_t b) { return own[a] != own[b] ? own[a] > own[b] : a < b; };
        std::nth_element(bent, bent + most, bent + count, larger_error);
        count = most;
    }
    const std::size_t rows = (count + 3) / 4 * 4, end = layer.start + in_tiles(layer.outputs);
    for (std::size_t k = 0; k < rows; ++k) {
        std::fill_n(symbols[symbols.count + k], end, 0.0F);
        if (k >= count) continue;
        const std::size_t u = bent[k];
        symbols[symbols.count + k][u] = own[u];
        box[C::others][u] = (box[C::others][u] + own[u]) * (1 + product_margin);
        box[C::radius][u] = box[C::carried][u];
    }
    symbols.count += rows;
}

HWY_ATTR RangeBall refine_for_target(const RangeProgram& program, std::size_t per_layer, float* columns, float* storage, double* adjoints) {
    using C = RangeColumn;
    const BoxColumns box{columns, program.units};
    Symbols symbols{storage, program.units, 0};
    for (const RangeLayer& layer : program.layers) {
        if (overflows(program, layer, box)) return {0, std::numeric_limits<double>::infinity(), 0};
        const bool last = &layer == &program.layers.back();
        forward_refined(program, layer, last ? Activation::none : layer.activation, box, symbols);
        if (!last) name_symbols(layer, per_layer, box, symbols);
    }
    double radius = 0;
    std::fill_n(adjoints, 2 * program.units, 0.0);
    adjoints[program.layers.back().start] = 1;
    backward_for_target(program, program.layers.size(), box[C::slope], box[C::own], 0, true, adjoints, &radius, 1);
    return ball(program, box, radius);
}

HWY_ATTR void ranges_for_target(const RangeProgram& program, float* columns, double* adjoints, RangeBall* out, std::size_t count) {
    using C = RangeColumn;
    constexpr double infinity = std::numeric_limits<double>::infinity();
    BoxColumns boxes[range_block];
    double radii[range_block] = {};
    for (std::size_t b = 0; b < count; ++b) boxes[b] = {columns + b * range_columns * program.units, program.units}, out[b].reach = 0;
    for (const RangeLayer& layer : program.layers) {
        for (std::size_t b = 0; b < count; ++b) {
            if (!overflows(program, layer, boxes[b])) continue;
            out[b].reach = infinity;
            std::fill_n(boxes[b].first, range_columns * program.units, 0.0F); // finite from here on: its result is thrown away
        }
        const bool last = &layer == &program.layers.back();
        forward(program, layer, last ? Activation::none : layer.activation, boxes, count);
    }
    const std::size_t result = program.layers.back().start, step = range_columns * program.units;
    std::fill_n(adjoints, 2 * count * program.units, 0.0);
    for (std::size_t b = 0; b < count; ++b) adjoints[2 * b * program.units + result] = 1;
    backward_for_target(program, program.layers.size(), boxes[0][C::slope], boxes[0][C::own], step, true, adjoints, radii, count);
    for (std::size_t b = 0; b < count; ++b) {
        const RangeBall found = ball(program, boxes[b], radii[b]);
        out[b] = {found.centre, out[b].reach + found.reach, found.along};
    }
}

} // namespace
} // namespace fathom::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fathom {

HWY_EXPORT(ranges_for_target);
HWY_EXPORT(backward_for_target);
HWY_EXPORT(refine_for_target);

void run_range_program(const RangeProgram& program, std::span<float> columns, std::span<double> adjoints, std::span<RangeBall> out) {
    HWY_DYNAMIC_DISPATCH(ranges_for_target)(program, columns.data(), adjoints.data(), out.data(), out.size());
}

RangeBall refine_range(const RangeProgram& program, std::size_t per_layer, std::span<float> columns, std::span<float> symbols,
                       std::span<double> adjoints) {
    return HWY_DYNAMIC_DISPATCH(refine_for_target)(program, per_layer, columns.data(), symbols.data(), adjoints.data());
}

void run_adjoints(const RangeProgram& program, std::size_t layer, const float* slope, const float* own, std::span<double> adjoints,
                  std::span<double> sums) {
    HWY_DYNAMIC_DISPATCH(backward_for_target)(program, layer, slope, own, 0, false, adjoints.data(), sums.data(), sums.size());
}

} // namespace fathom
#endif
