// How far can the computed value of a tape be from the exact one?
#include <fathom/field/analytic/tape_kernels.h>
#include <fathom/field/analytic/tape_rounding.h>

#include <cmath>

namespace fathom {

namespace {

constexpr double half_ulp = 0x1p-53;
constexpr double tiny = 1e-150; // squares below 1e-300 vanish

// Of a computed value: the largest it can be, and how far from the exact one.
struct Bound {
    double size = 0;
    double error = 0;
};

Bound product(const Bound& a, const Bound& b) {
    return {a.size * b.size, a.error * b.size + b.error * a.size + a.error * b.error + half_ulp * a.size * b.size};
}

// An operation whose slopes are at most 1 in each operand and that makes few roundings of things up to `size`.
Bound gentle(double size, double error, double roundings = 8) {
    return {size, error + roundings * half_ulp * size + tiny};
}

Bound bound_of(const Instruction& in, const Bound& a, const Bound& b, const Bound& c, const double* p) {
    const double ab = a.size + b.size, errors = a.error + b.error;
    switch (in.op) {
    case Op::add:
    case Op::subtract:
        return gentle(ab, errors, 1);
    case Op::multiply:
        return product(a, b);
    case Op::square:
        return product(a, a);
    case Op::scale_add:
        return gentle(std::abs(p[0]) * a.size + std::abs(p[1]), std::abs(p[0]) * a.error, 3);
    case Op::affine: {
        const double size =
            std::abs(p[0]) * a.size + std::abs(p[1]) * b.size + std::abs(p[2]) * c.size + std::abs(p[3]);
        return gentle(size, std::abs(p[0]) * a.error + std::abs(p[1]) * b.error + std::abs(p[2]) * c.error, 10);
    }
    case Op::square_root:
        return {std::sqrt(a.size), std::sqrt(a.error) + half_ulp * std::sqrt(a.size)};
    case Op::negate:
    case Op::absolute:
        return a;
    case Op::minimum:
    case Op::maximum:
        return {std::max(a.size, b.size), std::max(a.error, b.error)};
    case Op::smooth_minimum:
        return gentle(ab + p[0], errors);
    case Op::sine:
    case Op::cosine:
        return gentle(1, a.error);
    case Op::length2:
    case Op::corner:
        return gentle(ab, errors);
    case Op::length3:
        return gentle(ab + c.size, errors + c.error);
    case Op::rectangle:
        return gentle(ab + p[0] + p[1], errors);
    case Op::box:
        return gentle(ab + c.size + p[0] + p[1] + p[2], errors + c.error);
    case Op::clamp:
        return {std::min(a.size, std::max(std::abs(p[0]), std::abs(p[1]))), a.error};
    case Op::beyond:
    case Op::fold:
        return gentle(a.size + p[0], a.error);
    case Op::pull:
        return {1, a.error / p[0] + 2 * half_ulp};
    case Op::polygon:
        return gentle(ab + 2 * p[1], errors, 64);
    case Op::arc:
        return gentle(ab + 2 * p[0], errors, 64);
    case Op::signed_by:
        return {std::max(a.size, b.size), a.error + b.error * (1 + p[0])};
    default:
        return {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()}; // saw jumps
    }
}

// Bounds of the coordinates and of every instruction, for coordinates up to `magnitude`.
std::vector<Bound> all_bounds(std::span<const Instruction> plain, std::span<const double> constants,
                              std::span<const double> parameters, double magnitude) {
    std::vector<Bound> bounds(plain.size() + 3, Bound{magnitude, 0});
    const auto of = [&](std::uint16_t operand) {
        if (!(operand & Instruction::constant_flag)) return bounds[operand];
        return Bound{std::abs(constants[tape_lanes * (operand ^ Instruction::constant_flag)]), 0};
    };
    for (std::size_t i = 0; i < plain.size(); ++i) {
        const Instruction& in = plain[i];
        const int count = operand_count(in.op);
        const Bound a = of(in.operands[0]), b = count > 1 ? of(in.operands[1]) : Bound{},
                    c = count > 2 ? of(in.operands[2]) : Bound{};
        bounds[i + 3] = bound_of(in, a, b, c, parameters.data() + in.parameters);
        Bound& bound = bounds[i + 3];
        if (!(bound.error >= 0)) bound.error = std::numeric_limits<double>::infinity(); // NaN counts as unknown
    }
    return bounds;
}

} // namespace

double RoundingTable::at(double magnitude) const {
    int exponent = 0;
    std::frexp(magnitude, &exponent); // magnitude < 2^exponent
    const int k = std::max(0, (exponent + 3 - 4 * least_power) / 4);
    return k < static_cast<int>(bounds.size()) ? bounds[static_cast<std::size_t>(k)]
                                               : std::numeric_limits<double>::infinity();
}

TapeRounding tape_rounding(std::span<Instruction> plain, std::uint16_t result, std::span<const double> constants,
                           std::span<const double> parameters) {
    TapeRounding rounding;
    constexpr double slack = 1 + 1e-6;                              // sizes leave out the errors themselves
    for (std::size_t k = rounding.result.bounds.size(); k-- > 0;) { // from the largest, where the unbounded ones show
        const double magnitude = std::ldexp(1.0, 4 * (static_cast<int>(k) + RoundingTable::least_power));
        const std::vector<Bound> bounds = all_bounds(plain, constants, parameters, magnitude);
        if (!(result & Instruction::constant_flag)) rounding.result.bounds[k] = slack * bounds[result].error;
        for (std::size_t i = 0; i < plain.size(); ++i) {
            if (!(bounds[i + 3].error < 1e100)) plain[i].slope = 0;
            if (plain[i].slope != 0)
                rounding.largest.bounds[k] = std::max(rounding.largest.bounds[k], slack * bounds[i + 3].error);
        }
    }
    return rounding;
}

} // namespace fathom
