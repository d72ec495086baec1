// Evaluation loop of a tape for points, compiled for every instruction set.
#include <fathom/field/analytic/tape.h>

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fathom/field/analytic/tape_points.cpp"
#include <hwy/foreach_target.h>

#include <fathom/field/analytic/tape_values-inl.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fathom::HWY_NAMESPACE {
namespace {

struct PointRun : TapeRun<PointRun> {
    static constexpr std::size_t stride = point_block;
    struct Operand {
        const double* data;
        std::size_t step; // 0 for a constant
        HWY_INLINE V at(std::size_t i) const { return load(data + i * step); }
    };
    HWY_INLINE Operand operand(const Instruction& in, int k) const {
        const std::uint16_t name = in.operands[k];
        if (name & Instruction::constant_flag)
            return {tape.constants + tape_lanes * (name ^ Instruction::constant_flag), 0};
        return {registers + stride * name, 1};
    }
    static HWY_INLINE void store(V result, double* out) { hn::StoreU(result, d, out); }
};

HWY_ATTR void point_step(const PointRun& run, const Instruction& in, const double* p) {
    switch (in.op) {
    case Op::add:
        return run.binary(in, [](V a, V b) HWY_ATTR { return hn::Add(a, b); });
    case Op::subtract:
        return run.binary(in, [](V a, V b) HWY_ATTR { return hn::Sub(a, b); });
    case Op::multiply:
        return run.binary(in, [](V a, V b) HWY_ATTR { return hn::Mul(a, b); });
    case Op::scale_add: {
        // Read once: the compiler cannot prove that the results do not alias p.
        const V factor = set(p[0]), shift = set(p[1]);
        return run.unary(in, [=](V a) HWY_ATTR { return hn::Add(hn::Mul(a, factor), shift); });
    }
    case Op::affine: {
        const V p0 = set(p[0]), p1 = set(p[1]), p2 = set(p[2]), p3 = set(p[3]);
        return run.ternary(in, [=](V a, V b, V c) HWY_ATTR {
            return hn::Add(hn::Add(hn::Add(hn::Mul(a, p0), hn::Mul(b, p1)), hn::Mul(c, p2)), p3);
        });
    }
    case Op::negate:
        return run.unary(in, [](V a) HWY_ATTR { return hn::Neg(a); });
    case Op::absolute:
        return run.unary(in, [](V a) HWY_ATTR { return hn::Abs(a); });
    case Op::square:
        return run.unary(in, [](V a) HWY_ATTR { return hn::Mul(a, a); });
    case Op::square_root:
        return run.unary(in, [](V a) HWY_ATTR { return hn::Sqrt(hn::Max(a, zero())); });
    case Op::minimum:
        return run.binary(in, [](V a, V b) HWY_ATTR { return hn::Min(a, b); });
    case Op::maximum:
        return run.binary(in, [](V a, V b) HWY_ATTR { return hn::Max(a, b); });
    case Op::smooth_minimum:
        return run.binary(in, [=](V a, V b) HWY_ATTR { return smooth_minimum(a, b, p[0]); });
    case Op::sine:
        return run.unary(in, [](V a) HWY_ATTR { return sine(a); });
    case Op::cosine:
        return run.unary(in, [](V a) HWY_ATTR { return cosine(a); });
    case Op::length2:
        return run.binary(in, [](V a, V b) HWY_ATTR { return length2(a, b); });
    case Op::length3:
        return run.ternary(in, [](V a, V b, V c) HWY_ATTR { return length3(a, b, c); });
    case Op::corner:
        return run.binary(in, [](V a, V b) HWY_ATTR { return corner(a, b); });
    case Op::rectangle:
        return run.binary(in, [=](V a, V b) HWY_ATTR { return corner(past(a, p[0]), past(b, p[1])); });
    case Op::box:
        return run.ternary(in, [=](V a, V b, V c)
                                   HWY_ATTR { return corner3(past(a, p[0]), past(b, p[1]), past(c, p[2])); });
    case Op::clamp:
        return run.unary(in, [=](V a) HWY_ATTR { return clamp(a, p[0], p[1]); });
    case Op::beyond:
        return run.unary(in, [=](V a) HWY_ATTR { return beyond(a, p[0]); });
    case Op::fold:
        return run.unary(in, [=](V a) HWY_ATTR { return hn::Abs(in_cell(a, fold_cell(a, p), p)); });
    case Op::saw:
        return run.unary(in, [=](V a) HWY_ATTR { return in_cell(a, saw_cell(a, p), p); });
    case Op::pull:
        return run.unary(in, [=](V a) HWY_ATTR { return pull(a, p[0]); });
    case Op::polygon:
        return run.binary(in, [=](V a, V b) HWY_ATTR { return polygon(a, b, p); });
    case Op::arc:
        return run.binary(in, [=](V a, V b) HWY_ATTR { return arc(a, b, p); });
    case Op::signed_by:
        return run.binary(in, [](V a, V b) HWY_ATTR { return select(hn::Gt(b, zero()), a, b); });
    case Op::constant: // constants and coordinates are not instructions
    case Op::x:
    case Op::y:
    case Op::z:
        return;
    }
}

// NOLINTNEXTLINE(readability-non-const-parameter): stored in a struct that writes through it
HWY_ATTR void points_for_target(const TapeView& tape, double* registers, std::size_t count, double* middles) {
    const PointRun run{{tape, registers, count}};
    for (const Instruction& in : tape.code) {
        point_step(run, in, tape.parameters + in.parameters);
        if (!middles || in.slope == 0) continue;
        const double* const row = registers + point_block * in.out;
        std::copy(row, row + count, middles + interval_block * (in.slope - 1u));
    }
}

} // namespace
} // namespace fathom::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fathom {

HWY_EXPORT(points_for_target);

void run_points(const TapeView& tape, double* registers, std::size_t count, double* middles) {
    HWY_DYNAMIC_DISPATCH(points_for_target)(tape, registers, count, middles);
}

} // namespace fathom
#endif
