// Kernels of network training: a dense layer forward with its activation, its derivatives backward, and the derivatives
// with respect to its weights. Rows are features and columns are the points of a chunk, so that a vector holds one
// feature of several points and any width works. Blocks of 4 rows by 3 vectors fill the sixteen registers of AVX2.
// Include this file only from a file that Highway's foreach_target compiles.
#if defined(FATHOM_FIELD_NETWORK_TRAINING_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef FATHOM_FIELD_NETWORK_TRAINING_INL_H
#undef FATHOM_FIELD_NETWORK_TRAINING_INL_H
#else
#define FATHOM_FIELD_NETWORK_TRAINING_INL_H
#endif

#include <fathom/field/neural/network_training.h>

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fathom::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::CappedTag<float, 8>;
using V = hn::Vec<D>;
inline constexpr D d;
inline constexpr std::size_t columns = training_chunk;

HWY_INLINE V set(float x) { return hn::Set(d, x); }
HWY_INLINE V load(const float* p) { return hn::LoadU(d, p); }
HWY_INLINE void store(V a, float* p) { hn::StoreU(a, d, p); }
HWY_INLINE std::size_t lanes() { return hn::Lanes(d); }

// e^x for x <= 0: a polynomial on [-ln 2 / 2, ln 2 / 2] (its Taylor terms up to x^6: 2e-7 relative) times a power of
// two.
HWY_INLINE V exp_of_negative(V x) {
    const hn::RebindToSigned<D> ints;
    x = hn::Max(x, set(-87.0F));
    const V whole = hn::Round(hn::Mul(x, set(1.44269504F)));
    const V r = hn::NegMulAdd(whole, set(-2.12194440e-4F), hn::NegMulAdd(whole, set(0.693359375F), x));
    V p = set(1.0F / 720);
    p = hn::MulAdd(p, r, set(1.0F / 120));
    p = hn::MulAdd(p, r, set(1.0F / 24));
    p = hn::MulAdd(p, r, set(1.0F / 6));
    p = hn::MulAdd(p, r, set(0.5F));
    p = hn::MulAdd(p, r, set(1.0F));
    p = hn::MulAdd(p, r, set(1.0F));
    const auto exponent = hn::ShiftLeft<23>(hn::Add(hn::ConvertTo(ints, whole), hn::Set(ints, 127)));
    return hn::Mul(p, hn::BitCast(d, exponent));
}

// Value and derivative of an activation. The derivative is computed from the value, or, where the value does not
// determine it, stored in `kept` during the forward pass.
template <Activation Function>
constexpr bool keeps_slope = Function == Activation::sine || Function == Activation::softplus;

template <Activation Function>
HWY_INLINE V activated(V x, V parameter, V& kept) {
    const V zero = hn::Zero(d), one = set(1);
    if constexpr (Function == Activation::relu) return hn::Max(x, zero);
    if constexpr (Function == Activation::elu) {
        const V below = hn::Mul(parameter, hn::Sub(exp_of_negative(hn::Min(x, zero)), one));
        return hn::IfThenElse(hn::Gt(x, zero), x, below);
    }
    if constexpr (Function == Activation::tanh) {
        const V e = exp_of_negative(hn::Mul(set(-2), hn::Abs(x)));
        return hn::CopySign(hn::Div(hn::Sub(one, e), hn::Add(one, e)), x);
    }
    if constexpr (Function == Activation::sine) {
        const V angle = hn::Mul(parameter, x);
        kept = hn::Mul(parameter, hn::Cos(d, angle));
        return hn::Sin(d, angle);
    }
    if constexpr (Function == Activation::softplus) {
        const V scaled = hn::Mul(parameter, x);
        const V e = exp_of_negative(hn::Neg(hn::Abs(scaled)));
        const V rest = hn::Div(one, hn::Add(one, e));
        kept = hn::IfThenElse(hn::Gt(x, zero), rest, hn::Mul(e, rest));
        return hn::Add(hn::Max(x, zero), hn::Div(hn::Log1p(d, e), parameter));
    }
    return x;
}

template <Activation Function>
HWY_INLINE V slope(V value, V parameter, V kept) {
    const V zero = hn::Zero(d), one = set(1);
    if constexpr (Function == Activation::relu) return hn::IfThenElseZero(hn::Gt(value, zero), one);
    if constexpr (Function == Activation::elu)
        return hn::IfThenElse(hn::Gt(value, zero), one, hn::Add(value, parameter));
    if constexpr (Function == Activation::tanh) return hn::NegMulAdd(value, value, one);
    if constexpr (keeps_slope<Function>) return kept;
    return one;
}

struct Dense {
    std::size_t inputs, outputs;
    const float* weights;
    const float* biases;
    float parameter;
};

// Computes `rows` outputs starting at `row`: values, and kept derivatives where the activation needs them.
template <Activation Function, int Rows>
HWY_INLINE void forward_rows(const Dense& layer, std::size_t row, const float* in, float* out, float* kept) {
    const float* const w = layer.weights + row * layer.inputs;
    const V parameter = set(layer.parameter);
    for (std::size_t column = 0; column < columns; column += 3 * lanes()) {
        V sum[Rows][3];
        for (int r = 0; r < Rows; ++r)
            for (V& s : sum[r]) s = set(layer.biases[row + static_cast<std::size_t>(r)]);
        const float* x = in + column;
        for (std::size_t i = 0; i < layer.inputs; ++i, x += columns) {
            const V x0 = load(x), x1 = load(x + lanes()), x2 = load(x + 2 * lanes());
            for (int r = 0; r < Rows; ++r) {
                const V weight = set(w[static_cast<std::size_t>(r) * layer.inputs + i]);
                sum[r][0] = hn::MulAdd(weight, x0, sum[r][0]);
                sum[r][1] = hn::MulAdd(weight, x1, sum[r][1]);
                sum[r][2] = hn::MulAdd(weight, x2, sum[r][2]);
            }
        }
        for (int r = 0; r < Rows; ++r)
            for (std::size_t k = 0; k < 3; ++k) {
                const std::size_t place = (row + static_cast<std::size_t>(r)) * columns + column + k * lanes();
                V slope_here = hn::Zero(d);
                store(activated<Function>(sum[r][k], parameter, slope_here), out + place);
                if constexpr (keeps_slope<Function>) store(slope_here, kept + place);
            }
    }
}

template <Activation Function>
HWY_INLINE void forward_layer(const Dense& layer, const float* in, float* out, float* kept) {
    std::size_t row = 0;
    for (; row + 4 <= layer.outputs; row += 4) forward_rows<Function, 4>(layer, row, in, out, kept);
    for (; row < layer.outputs; ++row) forward_rows<Function, 1>(layer, row, in, out, kept);
}

// Derivatives of the loss by the sums of the previous layer, whose outputs are `values`: W^T `slopes`, through its
// activation.
template <Activation Before, int Rows>
HWY_INLINE void backward_rows(const Dense& layer, std::size_t row, const float* slopes, const float* values,
                              const float* kept, float parameter, float* out) {
    for (std::size_t column = 0; column < columns; column += 3 * lanes()) {
        V sum[Rows][3];
        for (int r = 0; r < Rows; ++r)
            for (V& s : sum[r]) s = hn::Zero(d);
        const float* x = slopes + column;
        const float* w = layer.weights + row;
        for (std::size_t o = 0; o < layer.outputs; ++o, x += columns, w += layer.inputs) {
            const V x0 = load(x), x1 = load(x + lanes()), x2 = load(x + 2 * lanes());
            for (int r = 0; r < Rows; ++r) {
                const V weight = set(w[r]);
                sum[r][0] = hn::MulAdd(weight, x0, sum[r][0]);
                sum[r][1] = hn::MulAdd(weight, x1, sum[r][1]);
                sum[r][2] = hn::MulAdd(weight, x2, sum[r][2]);
            }
        }
        for (int r = 0; r < Rows; ++r)
            for (std::size_t k = 0; k < 3; ++k) {
                const std::size_t place = (row + static_cast<std::size_t>(r)) * columns + column + k * lanes();
                const V slope_here = keeps_slope<Before> ? load(kept + place) : hn::Zero(d);
                store(hn::Mul(sum[r][k], slope<Before>(load(values + place), set(parameter), slope_here)), out + place);
            }
    }
}

// `count` rows: the outputs of the previous layer, without an encoded point that follows them.
template <Activation Before>
HWY_INLINE void backward_layer(const Dense& layer, std::size_t count, const float* slopes, const float* values,
                               const float* kept, float parameter, float* out) {
    std::size_t row = 0;
    for (; row + 4 <= count; row += 4) backward_rows<Before, 4>(layer, row, slopes, values, kept, parameter, out);
    for (; row < count; ++row) backward_rows<Before, 1>(layer, row, slopes, values, kept, parameter, out);
}

HWY_INLINE float total(V v) { return hn::GetLane(hn::SumOfLanes(d, v)); }

// Derivatives by rows x 2 (or rows x 1) weights: products of the derivatives of the outputs and the inputs, summed over
// the points.
template <int Rows, int Count>
HWY_INLINE void weight_block(const float* slopes, const float* in, std::size_t inputs, float* out) {
    V sum[Rows][Count];
    for (auto& row : sum)
        for (V& s : row) s = hn::Zero(d);
    for (std::size_t column = 0; column < columns; column += lanes()) {
        V x[Count];
        for (int i = 0; i < Count; ++i) x[i] = load(in + static_cast<std::size_t>(i) * columns + column);
        for (int r = 0; r < Rows; ++r) {
            const V s = load(slopes + static_cast<std::size_t>(r) * columns + column);
            for (int i = 0; i < Count; ++i) sum[r][i] = hn::MulAdd(s, x[i], sum[r][i]);
        }
    }
    for (int r = 0; r < Rows; ++r)
        for (int i = 0; i < Count; ++i)
            out[static_cast<std::size_t>(r) * inputs + static_cast<std::size_t>(i)] = total(sum[r][i]);
}

template <int Rows>
HWY_INLINE void weight_rows(const float* slopes, const float* in, std::size_t inputs, float* out) {
    std::size_t i = 0;
    for (; i + 2 <= inputs; i += 2) weight_block<Rows, 2>(slopes, in + i * columns, inputs, out + i);
    for (; i < inputs; ++i) weight_block<Rows, 1>(slopes, in + i * columns, inputs, out + i);
}

HWY_INLINE void weight_slopes(const Dense& layer, const float* slopes, const float* in, float* weights, float* biases) {
    std::size_t row = 0;
    for (; row + 4 <= layer.outputs; row += 4)
        weight_rows<4>(slopes + row * columns, in, layer.inputs, weights + row * layer.inputs);
    for (; row < layer.outputs; ++row)
        weight_rows<1>(slopes + row * columns, in, layer.inputs, weights + row * layer.inputs);
    for (row = 0; row < layer.outputs; ++row) {
        V sum = hn::Zero(d);
        for (std::size_t column = 0; column < columns; column += lanes())
            sum = hn::Add(sum, load(slopes + row * columns + column));
        biases[row] = total(sum);
    }
}

// Huber loss over a row of values; its derivatives replace `slopes`.
HWY_INLINE float loss_of(const float* values, const float* wanted, float width, float* slopes) {
    const V one_over = set(1 / width), half = set(0.5F * width);
    V sum = hn::Zero(d);
    for (std::size_t column = 0; column < columns; column += lanes()) {
        const V error = hn::Sub(load(values + column), load(wanted + column)), size = hn::Abs(error);
        const V inner = hn::Min(hn::Mul(size, one_over), set(1));
        store(hn::CopySign(inner, error), slopes + column);
        // inner * (|e| - inner * width / 2) is e^2 / (2 width) for |e| <= width and |e| - width / 2 beyond.
        sum = hn::MulAdd(inner, hn::NegMulAdd(inner, half, size), sum);
    }
    return total(sum);
}

} // namespace
} // namespace fathom::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
