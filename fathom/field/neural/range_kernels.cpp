// Kernels that propagate boxes forward and derivatives backward through a network, for every instruction set of the
// machine.
//
// Soundness. A unit's row (base, x, y, z, radius) contains, for every point of the box, both the exact output and the
// output that float kernels compute. A sum of n inputs adds to the radius, besides |weights| * radius:
//   - the rounding of the kernels: at most gamma(n + 1) * (sum |w| |input| + |bias|) in any order, fused or not;
//   - our own rounding of the sums: at most as much again, as size = |base| + |x| + |y| + |z| + radius bounds |input|.
// sum |w| |input| is at most the norm of the weights times that of the sizes (Cauchy-Schwarz); the program's factors
// contain gamma for both, the norm of the weights and a few more roundings. An activation adds the largest distance to
// its straight line over all inputs that can reach the unit, the kernels' own error, and a margin for our functions (at
// most 4 units in the last place, as the vector library states, 2^-21; the margin is 2^-20) and for the products with
// the slope (2^-22). Nothing overflows: a layer is entered only while its largest sum stays below 1e30, and all other
// numbers are finite by construction; sizes whose squares overflow have an infinite norm, and the layer is not entered.
// The second half runs backward from the result: radius = sum over units of |derivative of the result by the unit| *
// the unit's own contribution, which the forward radius bounds from above by products of |weights|. It is computed in
// double, with a proven slack for its rounding.
//
// Boxes go forward side by side in panels, one per lane, with weights broadcast to all lanes (as in
// network_kernels.cpp); a few boxes go one by one, with units side by side. Both perform the same operations in the
// same order on each unit, so a box has the same bits in either.
#include <fathom/field/neural/range_program.h>

#include <algorithm>
#include <cmath>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fathom/field/neural/range_kernels.cpp"
#include <hwy/foreach_target.h>

#include <fathom/field/neural/activation_lines-inl.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fathom::HWY_NAMESPACE {
namespace {

constexpr float min_symbol = 1e-33F; // smaller values are dropped; RangeProgram::fixed covers thousands of them

struct Row {
    V base, x, y, z, radius, others;
};

// Adding `others` = 0 does not change the bits of a sum of sizes.
template <bool Refined>
HWY_INLINE V spread(const Row& a) {
    return hn::Add(hn::Add(hn::Add(hn::Abs(a.x), hn::Abs(a.y)), hn::Abs(a.z)),
                   Refined ? hn::Add(a.radius, a.others) : a.radius);
}

struct BoxColumns {
    float* first = nullptr;
    std::size_t units = 0;
    HWY_INLINE float* operator[](RangeColumn c) const { return first + static_cast<std::size_t>(c) * units; }
};

// Norm of the sizes of some units, which are `step` floats apart; rounded up, and never 0.
template <class Tag>
HWY_INLINE hn::Vec<Tag> length_of(Tag tag, std::span<const UnitSpan> spans, const float* sizes, std::size_t step) {
    auto a = hn::Set(tag, 1e-30F), b = hn::Zero(tag), c = b, e = b; // 1e-30 covers squares that underflow
    for (const UnitSpan& span : spans) {
        const float* size = sizes + span.start * step;
        std::size_t j = 0;
        const auto at = [&](std::size_t k) HWY_ATTR { return hn::LoadU(tag, size + k * step); };
        for (; j + 4 <= span.count; j += 4) {
            a = hn::MulAdd(at(j), at(j), a), b = hn::MulAdd(at(j + 1), at(j + 1), b);
            c = hn::MulAdd(at(j + 2), at(j + 2), c), e = hn::MulAdd(at(j + 3), at(j + 3), e);
        }
        for (; j < span.count; ++j) a = hn::MulAdd(at(j), at(j), a);
    }
    return hn::Mul(hn::Sqrt(hn::Add(hn::Add(a, b), hn::Add(c, e))),
                   hn::Set(tag, 1 + 0x1p-10F)); // of up to 2^13 squares
}

HWY_INLINE bool overflows(const RangeLayer& layer, float length) {
    const double most = static_cast<double>(length);
    return !(most < 1e18 && most * layer.largest_norm + layer.largest_bias < 1e30);
}

// Sums of two vectors of units of a layer. It uses plain variables because compilers keep no arrays in registers, and
// it is a separate function because all sixteen registers are needed.
HWY_NOINLINE HWY_ATTR void add_up(std::span<const UnitSpan> inputs, const float* weights, const BoxColumns& box,
                                  Row& first, Row& second) {
    using C = RangeColumn;
    V base0 = first.base, x0 = zero(), y0 = zero(), z0 = zero(), radius0 = zero();
    V base1 = second.base, x1 = zero(), y1 = zero(), z1 = zero(), radius1 = zero();
    for (const UnitSpan& span : inputs) {
        const float *base = box[C::base] + span.start, *x = box[C::x] + span.start, *y = box[C::y] + span.start,
                    *z = box[C::z] + span.start, *radius = box[C::radius] + span.start;
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
            const V r = set(radius[j]);
            radius0 = hn::MulAdd(hn::Abs(w0), r, radius0), radius1 = hn::MulAdd(hn::Abs(w1), r, radius1);
        }
    }
    first = {base0, x0, y0, z0, radius0, zero()};
    second = {base1, x1, y1, z1, radius1, zero()};
}

// A unit after its activation, and its entries in RangeColumn.
struct Passed {
    Row out;
    V size, slope, own, rounding, state, carried;
    Reach reach;
};

template <bool Refined>
HWY_INLINE Passed pass(Activation activation, float parameter, V rounding, Row sum) {
    const V carried = sum.radius;
    sum.radius = hn::Add(sum.radius, rounding);
    const V half = spread<Refined>(sum), size = hn::Add(hn::Abs(sum.base), half);
    const Reach reach = reach_of(sum.base, half, size);
    const Line line = line_of(reach, activation, parameter);
    const V steep = hn::Abs(line.slope);
    const V largest = hn::MulAdd(steep, size, hn::Add(hn::Abs(line.offset), line.error));
    const V error = hn::MulAdd(largest, set(2 * product_margin), line.error);
    const Row out{hn::MulAdd(line.slope, sum.base, line.offset),
                  hn::Mul(line.slope, sum.x),
                  hn::Mul(line.slope, sum.y),
                  hn::Mul(line.slope, sum.z),
                  hn::MulAdd(steep, sum.radius, error),
                  Refined ? hn::Mul(steep, sum.others) : zero()};
    return {out,
            hn::Mul(largest, set(1 + 8 * product_margin)),
            line.slope,
            hn::Mul(hn::MulAdd(steep, rounding, error), set(1 + product_margin)),
            rounding,
            line.state,
            hn::Mul(hn::Mul(steep, carried), set(1 + product_margin)),
            reach};
}

HWY_INLINE void finish(const RangeProgram& program, Activation activation, float parameter, const BoxColumns& box,
                       std::size_t unit, V length, const Row& sum) {
    using C = RangeColumn;
    const V rounding =
        hn::MulAdd(hn::LoadU(d, program.share.data() + unit), length, hn::LoadU(d, program.fixed.data() + unit));
    const Passed unit_out = pass<true>(activation, parameter, rounding, sum);
    const auto keep = [&](C column, V value) HWY_ATTR { hn::StoreU(value, d, box[column] + unit); };
    keep(C::base, unit_out.out.base), keep(C::x, unit_out.out.x), keep(C::y, unit_out.out.y),
        keep(C::z, unit_out.out.z);
    keep(C::radius, unit_out.out.radius), keep(C::others, unit_out.out.others), keep(C::size, unit_out.size);
    keep(C::slope, unit_out.slope), keep(C::own, unit_out.own), keep(C::rounding, unit_out.rounding),
        keep(C::state, unit_out.state);
    keep(C::lower, unit_out.reach.lower), keep(C::upper, unit_out.reach.upper), keep(C::carried, unit_out.carried);
}

HWY_INLINE Row bias_row(const RangeProgram& program, std::size_t unit) {
    return {hn::LoadU(d, program.biases.data() + unit), zero(), zero(), zero(), zero(), zero()};
}

// at(k): base, x, y, z, radius, size of the result.
template <class At>
RangeSphere sphere(At at, double others) {
    const auto number = [&](std::size_t k) { return static_cast<double>(at(k)); };
    const double along = std::abs(number(1)) + std::abs(number(2)) + std::abs(number(3));
    return {number(0), (along + number(4) + others) * (1 + 1e-9), along, {number(1), number(2), number(3)}};
}

enum PanelRow : std::size_t { base_row, radius_row = 4, size_row, slope_row, own_row, panel_rows };
constexpr std::size_t panel_lanes = hn::MaxLanes(d), widest_panel = 3 * panel_lanes;

// Boxes side by side, as many as fill `vectors`. Rows (base, x, y, z, radius, size, slope, own) of all units, one after
// another.
template <std::size_t Vectors>
class Panel {
public:
    static constexpr std::size_t width = Vectors * panel_lanes;

    HWY_ATTR Panel(const RangeProgram& program, float* storage) : program_(program), storage_(storage) {}

    HWY_ATTR void run(const float* entered, RangeSphere* out, std::size_t count) {
        enter(entered, count);
        for (const RangeLayer& layer : program_.layers)
            forward(layer, &layer == &program_.layers.back() ? Activation::none : layer.activation);
        for (std::size_t b = 0; b < count; ++b) {
            out[b] = sphere([&](std::size_t k) { return row(k)[program_.layers.back().start * width + b]; }, 0);
            if (lost_[b]) out[b] = {0, std::numeric_limits<double>::infinity(), 0};
        }
    }

private:
    // Units that share the reading of a row: enough sums to hide the latency of one.
    static constexpr std::size_t height = Vectors == 1 ? 8 : 4;

    HWY_INLINE float* row(std::size_t k) const { return storage_ + k * program_.units * width; }

    // The panel is padded with the last box.
    HWY_ATTR void enter(const float* entered, std::size_t count) {
        const std::size_t numbers = range_entry * program_.encoded;
        for (std::size_t u = 0; u < program_.encoded; ++u)
            for (std::size_t b = 0; b < width; ++b) {
                const float* const from = entered + std::min(b, count - 1) * numbers + u * range_entry;
                for (std::size_t k = 0; k < range_entry; ++k) row(k)[u * width + b] = from[k];
                row(slope_row)[u * width + b] = 0;
                row(own_row)[u * width + b] = from[radius_row];
            }
    }

    // Norms of the layer's inputs, for each box; boxes that would overflow are 0 from here on.
    HWY_ATTR void find_lengths(const RangeLayer& layer) {
        for (std::size_t v = 0; v < width; v += panel_lanes)
            hn::Store(length_of(d, program_.inputs(layer), row(size_row) + v, width), d, lengths_ + v);
        for (std::size_t b = 0; b < width; ++b) {
            if (!overflows(layer, lengths_[b])) continue;
            lost_[b] = true;
            lengths_[b] = 0;
            for (std::size_t k = b; k < panel_rows * program_.units * width; k += width) storage_[k] = 0;
        }
    }

    // One row of the sums of some units. Inputs are in order, as everywhere.
    template <bool Sizes>
    HWY_INLINE void add_up(std::span<const UnitSpan> inputs, const float* weights, const float* biases,
                           const float* from, float* to) const {
        V sums[height][Vectors];
        for (std::size_t o = 0; o < height; ++o)
            for (std::size_t v = 0; v < Vectors; ++v) sums[o][v] = biases ? set(biases[o]) : zero();
        for (const UnitSpan& span : inputs) {
            const float* in = from + span.start * width;
            for (const float* const end = weights + span.count * range_tile; weights != end;
                 weights += range_tile, in += width) {
                V boxes[Vectors];
                for (std::size_t v = 0; v < Vectors; ++v) boxes[v] = hn::Load(d, in + v * panel_lanes);
                for (std::size_t o = 0; o < height; ++o) {
                    const V weight = Sizes ? hn::Abs(set(weights[o])) : set(weights[o]);
                    for (std::size_t v = 0; v < Vectors; ++v) sums[o][v] = hn::MulAdd(weight, boxes[v], sums[o][v]);
                }
            }
        }
        for (std::size_t o = 0; o < height; ++o)
            for (std::size_t v = 0; v < Vectors; ++v) hn::Store(sums[o][v], d, to + o * width + v * panel_lanes);
    }

    // Converts the sums of a unit, `apart` floats from one row to the next, for one vector of boxes, into the unit's
    // rows, `step` floats apart.
    template <Activation Function>
    static HWY_INLINE void finish(float parameter, V rounding, const float* sums, float* to, std::size_t step) {
        constexpr std::size_t apart = height * width;
        const auto sum = [&](std::size_t k) HWY_ATTR { return hn::Load(d, sums + k * apart); };
        const Passed passed =
            pass<false>(Function, parameter, rounding, {sum(0), sum(1), sum(2), sum(3), sum(4), zero()});
        for (const V& value : {passed.out.base, passed.out.x, passed.out.y, passed.out.z, passed.out.radius,
                               passed.size, passed.slope, passed.own}) {
            hn::Store(value, d, to);
            to += step;
        }
    }

    template <Activation Function>
    HWY_ATTR void forward(const RangeLayer& layer) {
        find_lengths(layer);
        const std::span<const UnitSpan> inputs = program_.inputs(layer);
        // Plain variables: compilers assume that vector stores may alias members.
        const std::size_t step = program_.units * width;
        const float parameter = layer.parameter;
        HWY_ALIGN float sums[radius_row + 1][height * width];
        for (std::size_t o = 0; o < layer.outputs; o += height) {
            const std::size_t unit = layer.start + o;
            const float* const weights =
                program_.by_input.data() + layer.by_input + o / range_tile * range_tile * layer.inputs + o % range_tile;
            const float *const biases = &program_.biases[unit], *const share = &program_.share[unit],
                               *const fixed = &program_.fixed[unit];
            for (std::size_t k = base_row; k < radius_row; ++k)
                add_up<false>(inputs, weights, k == base_row ? biases : nullptr, row(k), sums[k]);
            add_up<true>(inputs, weights, nullptr, row(radius_row), sums[radius_row]);
            float* const to = storage_ + unit * width;
            for (std::size_t k = 0; k < height; ++k)
                for (std::size_t v = 0; v < width; v += panel_lanes) {
                    const V rounding = hn::MulAdd(set(share[k]), hn::Load(d, lengths_ + v), set(fixed[k]));
                    finish<Function>(parameter, rounding, sums[0] + k * width + v, to + k * width + v, step);
                }
        }
    }

    HWY_ATTR void forward(const RangeLayer& layer, Activation activation) {
        switch (activation) {
        case Activation::none:
            return forward<Activation::none>(layer);
        case Activation::relu:
            return forward<Activation::relu>(layer);
        case Activation::elu:
            return forward<Activation::elu>(layer);
        case Activation::tanh:
            return forward<Activation::tanh>(layer);
        case Activation::sine:
            return forward<Activation::sine>(layer);
        case Activation::softplus:
            return forward<Activation::softplus>(layer);
        }
    }

    const RangeProgram& program_;
    float* storage_;
    HWY_ALIGN float lengths_[width];
    bool lost_[width] = {};
};

using Dd = hn::CappedTag<double, range_tile / 4>;
constexpr Dd dd;
using Vd = hn::Vec<Dd>;

// Data shared by the backward passes: one row of slopes and own errors per box, or one for all (step 0).
struct Back {
    const RangeProgram& program;
    const float *slope, *own;
    std::size_t step;
    double* adjoints;
    HWY_INLINE double* adjoint(std::size_t b) const { return adjoints + 2 * b * program.units; }
    HWY_INLINE double* passed_on(std::size_t b) const { return adjoint(b) + program.units; }
};

HWY_INLINE Vd widen(const float* p) { return hn::PromoteTo(dd, hn::LoadU(hn::Rebind<float, Dd>(), p)); }

// Sums the contributions of the units of a layer, and computes the derivatives by their sums.
HWY_ATTR double collect(const Back& back, std::size_t start, std::size_t count, std::size_t b) {
    const double* const adjoint = back.adjoint(b);
    const float *slope = back.slope + b * back.step, *own = back.own + b * back.step;
    const double* const more = back.program.adjoint_slack.data();
    Vd sum = hn::Zero(dd);
    for (std::size_t i = start; i < start + in_tiles(count); i += hn::Lanes(dd)) {
        const Vd a = hn::LoadU(dd, adjoint + i);
        sum = hn::MulAdd(hn::Add(hn::Abs(a), hn::LoadU(dd, more + i)), widen(own + i), sum);
        hn::StoreU(hn::Mul(a, widen(slope + i)), dd, back.passed_on(b) + i);
    }
    return hn::GetLane(hn::SumOfLanes(dd, sum));
}

// Adds weights^T * (derivatives by the sums of the layer's units) to the adjoints of a span of its inputs. For four
// boxes, two vectors each:
HWY_INLINE void transpose_four(const float* weights, std::size_t row, const double* from, double* to, std::size_t step,
                               std::size_t outputs) {
    const std::size_t lanes = hn::Lanes(dd);
    const auto at = [&](std::size_t k, std::size_t v) HWY_ATTR { return to + k * step + v * lanes; };
    Vd a0 = hn::LoadU(dd, at(0, 0)), a1 = hn::LoadU(dd, at(0, 1)), b0 = hn::LoadU(dd, at(1, 0)),
       b1 = hn::LoadU(dd, at(1, 1));
    Vd c0 = hn::LoadU(dd, at(2, 0)), c1 = hn::LoadU(dd, at(2, 1)), e0 = hn::LoadU(dd, at(3, 0)),
       e1 = hn::LoadU(dd, at(3, 1));
    for (std::size_t o = 0; o < outputs; ++o, weights += row) {
        const Vd w0 = widen(weights), w1 = widen(weights + lanes);
        const Vd a = hn::Set(dd, from[o]), b = hn::Set(dd, from[step + o]);
        a0 = hn::MulAdd(a, w0, a0), a1 = hn::MulAdd(a, w1, a1), b0 = hn::MulAdd(b, w0, b0), b1 = hn::MulAdd(b, w1, b1);
        const Vd c = hn::Set(dd, from[2 * step + o]), e = hn::Set(dd, from[3 * step + o]);
        c0 = hn::MulAdd(c, w0, c0), c1 = hn::MulAdd(c, w1, c1), e0 = hn::MulAdd(e, w0, e0), e1 = hn::MulAdd(e, w1, e1);
    }
    hn::StoreU(a0, dd, at(0, 0)), hn::StoreU(a1, dd, at(0, 1)), hn::StoreU(b0, dd, at(1, 0)),
        hn::StoreU(b1, dd, at(1, 1));
    hn::StoreU(c0, dd, at(2, 0)), hn::StoreU(c1, dd, at(2, 1)), hn::StoreU(e0, dd, at(3, 0)),
        hn::StoreU(e1, dd, at(3, 1));
}

// For one box, four vectors.
HWY_INLINE void transpose_one(const float* weights, std::size_t row, const double* from, double* to,
                              std::size_t outputs) {
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
                transpose_four(weights + i, row, back.passed_on(b) + layer.start, back.adjoint(b) + span.start + i,
                               step, layer.outputs);
        for (; b < count; ++b)
            for (std::size_t i = 0; i < span.count; i += 4 * lanes)
                transpose_one(weights + i, row, back.passed_on(b) + layer.start, back.adjoint(b) + span.start + i,
                              layer.outputs);
        weights += in_tiles(span.count);
    }
}

HWY_ATTR void backward(const RangeProgram& program, const float* slope, const float* own, std::size_t step,
                       double* adjoints, double* sums, std::size_t count) { // NOLINT(readability-non-const-parameter)
    const Back back{program, slope, own, step, adjoints};
    for (std::size_t k = program.layers.size(); k-- > 0;) {
        const RangeLayer& at = program.layers[k];
        for (std::size_t b = 0; b < count; ++b) sums[b] += collect(back, at.start, at.outputs, b);
        transpose(back, at, count);
    }
    for (std::size_t b = 0; b < count; ++b) sums[b] += collect(back, 0, program.encoded, b);
}

RangeSphere sphere_of_box(const RangeProgram& program, const BoxColumns& box) {
    const std::size_t result = program.layers.back().start;
    return sphere([&](std::size_t k) { return box.first[k * program.units + result]; },
                  static_cast<double>(box[RangeColumn::others][result]));
}

void tighten(RangeSphere& found, double radius) {
    found.reach = std::min(found.reach, (found.along + radius * (1 + 1e-9)) * (1 + 1e-9));
}

// Units that are separate coordinates: a row of derivatives along each, over all units.
struct Symbols {
    float* first;
    std::size_t units, count;
    HWY_INLINE float* operator[](std::size_t k) const { return first + k * units; }
};

// The sums of two vectors of units along four symbols, stored at the place of those units.
HWY_INLINE void add_up_symbols(std::span<const UnitSpan> inputs, const float* weights, const Symbols& symbols,
                               std::size_t k, std::size_t unit, V& others0, V& others1) {
    const std::size_t lanes = hn::Lanes(d);
    V a0 = zero(), a1 = zero(), b0 = zero(), b1 = zero(), c0 = zero(), c1 = zero(), e0 = zero(), e1 = zero();
    for (const UnitSpan& span : inputs) {
        const float *a = symbols[k] + span.start, *b = symbols[k + 1] + span.start, *c = symbols[k + 2] + span.start,
                    *e = symbols[k + 3] + span.start;
        for (std::size_t j = 0; j < span.count; ++j, weights += range_tile) {
            const V w0 = hn::LoadU(d, weights), w1 = hn::LoadU(d, weights + lanes);
            const V xa = set(a[j]), xb = set(b[j]), xc = set(c[j]), xe = set(e[j]);
            a0 = hn::MulAdd(w0, xa, a0), a1 = hn::MulAdd(w1, xa, a1), b0 = hn::MulAdd(w0, xb, b0),
            b1 = hn::MulAdd(w1, xb, b1);
            c0 = hn::MulAdd(w0, xc, c0), c1 = hn::MulAdd(w1, xc, c1), e0 = hn::MulAdd(w0, xe, e0),
            e1 = hn::MulAdd(w1, xe, e1);
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
        hn::StoreU(hn::IfThenElseZero(hn::Gt(hn::Abs(passed), set(min_symbol)), passed), d, symbols[k] + unit);
    }
}

HWY_ATTR void forward_refined(const RangeProgram& program, const RangeLayer& layer, Activation activation,
                              const BoxColumns& box, float length, const Symbols& symbols) {
    const std::size_t lanes = hn::Lanes(d);
    const std::span<const UnitSpan> spans = program.inputs(layer);
    const V lengths = set(length);
    for (std::size_t v = 0; v < layer.outputs; v += 2 * lanes) {
        const float* const weights =
            program.by_input.data() + layer.by_input + v / range_tile * range_tile * layer.inputs + v % range_tile;
        const std::size_t unit = layer.start + v;
        Row first = bias_row(program, unit), second = bias_row(program, unit + lanes);
        add_up(spans, weights, box, first, second);
        for (std::size_t k = 0; k < symbols.count; k += 4)
            add_up_symbols(spans, weights, symbols, k, unit, first.others, second.others);
        const V margin = set(1 + 0x1p-12F); // of the sum of up to 2^11 sizes
        first.others = hn::Mul(first.others, margin), second.others = hn::Mul(second.others, margin);
        finish(program, activation, layer.parameter, box, unit, lengths, first);
        finish(program, activation, layer.parameter, box, unit + lanes, lengths, second);
        pass_symbols(symbols, box, unit);
        pass_symbols(symbols, box, unit + lanes);
    }
}

// Makes the most nonlinear units of a layer separate coordinates, a multiple of four rows.
HWY_ATTR void name_symbols(const RangeLayer& layer, std::size_t most, const BoxColumns& box, Symbols& symbols) {
    using C = RangeColumn;
    std::uint32_t bent[Network::max_width];
    std::size_t count = 0;
    const float *own = box[C::own], *rounding = box[C::rounding];
    for (std::size_t u = layer.start; u < layer.start + layer.outputs; ++u)
        if (box[C::state][u] == unit_bends && own[u] > 2 * rounding[u]) bent[count++] = static_cast<std::uint32_t>(u);
    if (count > most) {
        const auto larger_error = [&](std::uint32_t a, std::uint32_t b) {
            return own[a] != own[b] ? own[a] > own[b] : a < b;
        };
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

// One box forward, with up to `per_layer` units of each layer as separate coordinates.
HWY_ATTR RangeSphere forward_one(const RangeProgram& program, std::size_t per_layer, const BoxColumns& box,
                                 float* storage) { // NOLINT(readability-non-const-parameter)
    Symbols symbols{storage, program.units, 0};
    const hn::CappedTag<float, 1> one;
    for (const RangeLayer& layer : program.layers) {
        const float length = hn::GetLane(length_of(one, program.inputs(layer), box[RangeColumn::size], 1));
        if (overflows(layer, length)) return {0, std::numeric_limits<double>::infinity(), 0};
        const bool last = &layer == &program.layers.back();
        forward_refined(program, layer, last ? Activation::none : layer.activation, box, length, symbols);
        if (!last && per_layer > 0) name_symbols(layer, per_layer, box, symbols);
    }
    return sphere_of_box(program, box);
}

HWY_ATTR void enter_box(const RangeProgram& program, const float* entered, const BoxColumns& box) {
    using C = RangeColumn;
    std::fill_n(box.first, range_columns * program.units, 0.0F);
    for (std::size_t u = 0; u < program.encoded; ++u, entered += range_entry) {
        for (std::size_t k = 0; k < range_entry; ++k) box.first[k * program.units + u] = entered[k];
        box[C::own][u] = box[C::radius][u];
    }
}

// NOLINTBEGIN(readability-non-const-parameter): stored in structs that write through them
HWY_ATTR RangeSphere refine_for_target(const RangeProgram& program, std::size_t per_layer, const float* entered,
                                       float* columns, float* storage, double* adjoints) {
    // NOLINTEND(readability-non-const-parameter)
    using C = RangeColumn;
    const BoxColumns box{columns, program.units};
    enter_box(program, entered, box);
    RangeSphere found = forward_one(program, per_layer, box, storage);
    if (!(found.reach < std::numeric_limits<double>::infinity())) return found;
    double radius = 0;
    std::fill_n(adjoints, 2 * program.units, 0.0);
    adjoints[program.layers.back().start] = 1;
    backward(program, box[C::slope], box[C::own], 0, adjoints, &radius, 1);
    tighten(found, radius);
    return found;
}

// Fewer boxes than this are processed one by one instead of in a panel.
constexpr std::size_t few_boxes = panel_lanes / 2;
static_assert(few_boxes * range_columns <= range_block * panel_rows && range_block % widest_panel == 0);

HWY_ATTR void affine_for_target(const RangeProgram& program, const float* entered, float* storage, RangeSphere* out,
                                std::size_t count) {
    const std::size_t numbers = range_entry * program.encoded;
    if (count < few_boxes) {
        for (std::size_t b = 0; b < count; ++b) {
            const BoxColumns box{storage + b * range_columns * program.units, program.units};
            enter_box(program, entered + b * numbers, box);
            out[b] = forward_one(program, 0, box, nullptr);
        }
        return;
    }
    for (std::size_t b = 0; b < count; b += widest_panel) {
        const std::size_t left = std::min(widest_panel, count - b);
        float* const mine = storage + b * panel_rows * program.units;
        if (left > 2 * panel_lanes)
            Panel<3>(program, mine).run(entered + b * numbers, out + b, left);
        else if (left > panel_lanes)
            Panel<2>(program, mine).run(entered + b * numbers, out + b, left);
        else
            Panel<1>(program, mine).run(entered + b * numbers, out + b, left);
    }
}

// Slopes and own errors of box b in a run of `count`, unit by unit.
HWY_ATTR void copy_lines(const RangeProgram& program, const float* storage, std::size_t count, std::size_t b,
                         float* slopes, float* owns) {
    if (count < few_boxes) {
        const float* const columns = storage + b * range_columns * program.units;
        std::copy_n(columns + static_cast<std::size_t>(RangeColumn::slope) * program.units, program.units, slopes);
        std::copy_n(columns + static_cast<std::size_t>(RangeColumn::own) * program.units, program.units, owns);
        return;
    }
    const std::size_t first = b / widest_panel * widest_panel,
                      width = (std::min(widest_panel, count - first) + panel_lanes - 1) / panel_lanes * panel_lanes;
    const float* const mine = storage + first * panel_rows * program.units + (b - first);
    const float *slope = mine + slope_row * program.units * width, *own = mine + own_row * program.units * width;
    for (std::size_t u = 0; u < program.units; ++u, slope += width, own += width) slopes[u] = *slope, owns[u] = *own;
}

HWY_ATTR void tighten_for_target(const RangeProgram& program, const float* storage, std::size_t count,
                                 const std::size_t* which, std::size_t open, float* lines, double* adjoints,
                                 RangeSphere* out) {
    double radii[range_open] = {};
    std::fill_n(adjoints, 2 * open * program.units, 0.0);
    for (std::size_t k = 0; k < open; ++k) {
        float* const mine = lines + 2 * k * program.units;
        copy_lines(program, storage, count, which[k], mine, mine + program.units);
        adjoints[2 * k * program.units + program.layers.back().start] = 1;
    }
    backward(program, lines, lines + program.units, 2 * program.units, adjoints, radii, open);
    for (std::size_t k = 0; k < open; ++k) tighten(out[which[k]], radii[k]);
}

} // namespace
} // namespace fathom::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fathom {

HWY_EXPORT(affine_for_target);
HWY_EXPORT(tighten_for_target);
HWY_EXPORT(refine_for_target);

void run_affine(const RangeProgram& program, std::span<const float> entered, std::span<float> storage,
                std::span<RangeSphere> out) {
    HWY_DYNAMIC_DISPATCH(affine_for_target)(program, entered.data(), storage.data(), out.data(), out.size());
}

void run_back(const RangeProgram& program, std::span<const float> storage, std::span<const std::size_t> which,
              std::span<float> lines, std::span<double> adjoints, std::span<RangeSphere> out) {
    HWY_DYNAMIC_DISPATCH(tighten_for_target)
    (program, storage.data(), out.size(), which.data(), which.size(), lines.data(), adjoints.data(), out.data());
}

RangeSphere refine_range(const RangeProgram& program, std::size_t per_layer, std::span<const float> entered,
                         std::span<float> columns, std::span<float> symbols, std::span<double> adjoints) {
    return HWY_DYNAMIC_DISPATCH(refine_for_target)(program, per_layer, entered.data(), columns.data(), symbols.data(),
                                                   adjoints.data());
}

} // namespace fathom
#endif
