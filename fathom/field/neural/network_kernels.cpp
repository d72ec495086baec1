// Evaluation kernels of networks, for every instruction set of the machine.
// Numbers between layers are stored in panels: row by row of one unit, with as many points side by side as fill three
// vectors (Goto & van de Geijn 2008: a register tile of 4 units x 3 vectors; inputs are divided so that a panel stays
// in the L1 cache). A single point is a panel one point wide, with units side by side. Each sum is over the inputs in
// order, so all panels give the same bits.
#include <fathom/field/neural/network_values.h>

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fathom/field/neural/network_kernels.cpp"
#include <hwy/foreach_target.h>

#include <fathom/field/neural/network_functions-inl.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fathom::HWY_NAMESPACE {
namespace {

constexpr std::size_t input_cut = 128; // inputs of a wide layer that are summed before the next panel is processed
constexpr std::size_t lanes = hn::MaxLanes(floats);

// Operations on a complete sum, besides the activations that take a separate pass.
struct Finish {
    bool relu = false;
    const float* factors = nullptr; // one for each number of the panel
};

HWY_INLINE F finished(F sum, const Finish& finish, std::size_t place) {
    if (finish.relu) return relu(sum);
    return finish.factors ? hn::Mul(sum, hn::LoadU(floats, finish.factors + place)) : sum;
}

struct Part {
    std::size_t begin, end; // range of the inputs
    bool first, last;
};

template <int Vectors>
struct Panel {
    static constexpr std::size_t width = static_cast<std::size_t>(Vectors) * lanes;
    // Enough sums at once to hide the latency of an addition.
    static constexpr std::size_t height = Vectors == 1 ? 8 : 4;

    static HWY_INLINE void tile(const PackedMatrix& matrix, const Part& part, const float* in, float* out,
                                const Finish& finish, std::size_t output) {
        F sums[height][Vectors];
        float* const to = out + output * width;
        for (std::size_t o = 0; o < height; ++o)
            for (std::size_t v = 0; v < Vectors; ++v)
                sums[o][v] = !part.first     ? hn::LoadU(floats, to + o * width + v * lanes)
                             : matrix.biases ? set(matrix.biases[output + o])
                                             : zero();
        const float* weights =
            matrix.weights + output / network_tile * network_tile * matrix.inputs + output % network_tile;
        const float* const end = weights + part.end * network_tile;
        weights += part.begin * network_tile;
        for (const float* x = in + part.begin * width; weights != end; weights += network_tile, x += width) {
            F points[Vectors];
            for (std::size_t v = 0; v < Vectors; ++v) points[v] = hn::LoadU(floats, x + v * lanes);
            for (std::size_t o = 0; o < height; ++o) {
                const F weight = set(weights[o]);
                for (std::size_t v = 0; v < Vectors; ++v) sums[o][v] = hn::MulAdd(weight, points[v], sums[o][v]);
            }
        }
        for (std::size_t o = 0; o < height; ++o)
            for (std::size_t v = 0; v < Vectors; ++v) {
                const std::size_t place = o * width + v * lanes;
                hn::StoreU(part.last ? finished(sums[o][v], finish, output * width + place) : sums[o][v], floats,
                           to + place);
            }
    }

    static HWY_ATTR void multiply(const PackedMatrix& matrix, const Part& part, const float* in, float* out,
                                  const Finish& finish) {
        for (std::size_t output = 0; output < matrix.outputs; output += height)
            tile(matrix, part, in, out, finish, output);
    }
};

struct SinglePoint {
    static constexpr std::size_t width = 1;

    template <int Tiles>
    static HWY_INLINE void tile(const PackedMatrix& matrix, const Part& part, const float* in, float* out,
                                const Finish& finish, std::size_t output) {
        constexpr std::size_t in_tile = network_tile / lanes;
        F sums[Tiles * in_tile];
        const float* const weights = matrix.weights + output * matrix.inputs;
        for (std::size_t v = 0; v < Tiles * in_tile; ++v) {
            const float* const start = part.first ? matrix.biases : out;
            sums[v] = start ? hn::LoadU(floats, start + output + v * lanes) : zero();
        }
        for (std::size_t k = part.begin; k < part.end; ++k) {
            const F x = set(in[k]);
            for (std::size_t v = 0; v < Tiles * in_tile; ++v) {
                const float* const w =
                    weights + v / in_tile * network_tile * matrix.inputs + k * network_tile + v % in_tile * lanes;
                sums[v] = hn::MulAdd(hn::LoadU(floats, w), x, sums[v]);
            }
        }
        for (std::size_t v = 0; v < Tiles * in_tile; ++v) {
            const std::size_t place = output + v * lanes;
            hn::StoreU(part.last ? finished(sums[v], finish, place) : sums[v], floats, out + place);
        }
    }

    static HWY_ATTR void multiply(const PackedMatrix& matrix, const Part& part, const float* in, float* out,
                                  const Finish& finish) {
        std::size_t output = 0;
        for (; output + network_tile < matrix.outputs; output += 2 * network_tile)
            tile<2>(matrix, part, in, out, finish, output);
        if (output < matrix.outputs) tile<1>(matrix, part, in, out, finish, output);
    }
};

// Applies f(x, slope) to `count` numbers, rounded up to whole vectors, in place; stores slopes if requested.
template <class Function>
HWY_INLINE void each(float* numbers, std::size_t count, float* slopes, Function f) {
    if (!slopes) {
        for (std::size_t i = 0; i < count; i += lanes) {
            F slope;
            hn::StoreU(f(hn::LoadU(floats, numbers + i), slope), floats, numbers + i);
        }
        return;
    }
    for (std::size_t i = 0; i < count; i += lanes) {
        F slope;
        hn::StoreU(f(hn::LoadU(floats, numbers + i), slope), floats, numbers + i);
        hn::StoreU(slope, floats, slopes + i);
    }
}

HWY_ATTR void activate(Activation activation, float parameter, float* numbers, std::size_t count, float* slopes) {
    const F factor = set(parameter);
    switch (activation) {
    case Activation::none:
        if (slopes) std::fill(slopes, slopes + count, 1.0F);
        return;
    case Activation::relu: // already applied to the sums
        if (!slopes) return;
        return each(numbers, count, slopes, [](F y, F& slope) HWY_ATTR { return slope = relu_slope(y), y; });
    case Activation::elu:
        return each(numbers, count, slopes, [=](F x, F& slope) HWY_ATTR {
            const F y = elu(x, factor);
            return slope = elu_slope(y, factor), y;
        });
    case Activation::tanh:
        return each(numbers, count, slopes, [](F x, F& slope) HWY_ATTR {
            const F y = tanh(x);
            return slope = tanh_slope(y), y;
        });
    case Activation::sine:
        return each(numbers, count, slopes, [=](F x, F& slope) HWY_ATTR {
            F sine, cosine;
            sine_and_cosine(x, parameter, sine, cosine);
            return slope = hn::Mul(factor, cosine), sine;
        });
    case Activation::softplus:
        return each(numbers, count, slopes, [=](F x, F& slope) HWY_ATTR {
            F y;
            softplus(x, parameter, y, slope);
            return y;
        });
    }
}

// A group of panels of one shape, through all layers forward and backward. Sizes are in floats.
template <class Shape>
class Group {
public:
    HWY_ATTR Group(const NetworkView& network, const NetworkBlock& block, std::size_t first, std::size_t panels)
        : network_(network), block_(block), first_(first), panels_(panels),
          encoded_(static_cast<std::size_t>(network.encoding.outputs())) {
        const std::size_t all = panels * Shape::width;
        here_ = block.scratch;
        there_ = here_ + network.rows * all;
        point_ = there_ + network.rows * all;
        point_slope_ = point_ + whole_tiles(encoded_) * all;
        slopes_ = point_slope_ + whole_tiles(encoded_) * all;
    }

    HWY_ATTR void run() {
        for (std::size_t p = 0; p < panels_; ++p) encode(p);
        float* slopes = slopes_;
        for (std::size_t l = 0; l < network_.layers.size(); ++l) {
            forward(l, block_.gradients ? slopes : nullptr);
            slopes += slope_rows(l) * panels_ * Shape::width;
        }
        for (std::size_t p = 0; p < panels_; ++p) store(panel(here_, network_.rows, p), block_.values, p);
        if (!block_.gradients) return;
        for (std::size_t l = network_.layers.size(); l-- > 0;) {
            slopes -= slope_rows(l) * panels_ * Shape::width;
            backward(l, slopes);
        }
        for (std::size_t p = 0; p < panels_; ++p) decode(p);
    }

private:
    static float* panel(float* numbers, std::size_t rows, std::size_t p) { return numbers + p * rows * Shape::width; }
    bool skips_after(std::size_t l) const {
        return l + 1 < network_.layers.size() && network_.layers[l + 1].skip_input;
    }
    std::size_t slope_rows(std::size_t l) const {
        return whole_tiles(network_.layers[l].forward.outputs + (skips_after(l) ? encoded_ : 0));
    }
    std::size_t points_of(std::size_t p) const {
        return std::min(Shape::width, block_.count - (first_ + p * Shape::width));
    }

    // The last panel is padded with the last point.
    HWY_ATTR void encode(std::size_t p) {
        float* const out = panel(point_, whole_tiles(encoded_), p);
        const std::size_t from = first_ + p * Shape::width, count = points_of(p), three = 3 * Shape::width;
        float coordinates[3 * Panel<3>::width + lanes] = {};
        for (std::size_t axis = 0; axis < 3; ++axis)
            for (std::size_t i = 0; i < Shape::width; ++i)
                coordinates[axis * Shape::width + i] =
                    block_.points[axis * network_block + from + std::min(i, count - 1)];
        float* to = out;
        if (network_.encoding.point_first) to = std::copy(coordinates, coordinates + three, to);
        float factor = network_.encoding.scale;
        for (int k = 0; k < network_.encoding.frequencies; ++k, factor *= 2, to += 2 * three)
            waves(coordinates, factor, to);
        std::copy(out, out + encoded_ * Shape::width, panel(here_, network_.rows, p));
    }

    HWY_ATTR void waves(const float* coordinates, float factor, float* out) const {
        constexpr std::size_t three = 3 * Shape::width;
        F sine, cosine;
        float sines[three + lanes], cosines[three + lanes];
        for (std::size_t i = 0; i < three; i += lanes) {
            sine_and_cosine(hn::LoadU(floats, coordinates + i), factor, sine, cosine);
            hn::StoreU(sine, floats, sines + i);
            hn::StoreU(cosine, floats, cosines + i);
        }
        std::copy(cosines, cosines + three, std::copy(sines, sines + three, out));
    }

    // Calls body(part, p) for every panel, in an order that keeps a part of the weights in the L2 cache for all of
    // them.
    template <class Body>
    HWY_INLINE void in_parts(std::size_t inputs, Body body) {
        for (std::size_t begin = 0; begin < inputs;) {
            const std::size_t end = inputs - begin <= 2 * input_cut ? inputs : begin + input_cut;
            for (std::size_t p = 0; p < panels_; ++p) body(Part{begin, end, begin == 0, end == inputs}, p);
            begin = end;
        }
    }

    HWY_ATTR void forward(std::size_t l, float* slopes) {
        const PackedLayer& layer = network_.layers[l];
        const std::size_t outputs = layer.forward.outputs * Shape::width,
                          skipped = skips_after(l) ? encoded_ * Shape::width : 0;
        const Finish finish{.relu = layer.activation == Activation::relu};
        in_parts(layer.forward.inputs, [&](const Part& part, std::size_t p) HWY_ATTR {
            float* const out = panel(there_, network_.rows, p);
            Shape::multiply(layer.forward, part, panel(here_, network_.rows, p), out, finish);
            if (!part.last) return;
            float* const slope = slopes ? panel(slopes, slope_rows(l), p) : nullptr;
            activate(layer.activation, layer.parameter, out, outputs, slope);
            if (skipped == 0) return;
            const float* const point = panel(point_, whole_tiles(encoded_), p);
            std::copy(point, point + skipped, out + outputs);
            if (slope) std::fill(slope + outputs, slope + outputs + skipped, 1.0F);
        });
        std::swap(here_, there_);
    }

    // From the derivative by the sums of layer l to that by the sums of the previous layer; `slopes` are those of layer
    // l.
    HWY_ATTR void backward(std::size_t l, const float* slopes) {
        const PackedLayer& layer = network_.layers[l];
        const bool last = l + 1 == network_.layers.size();
        const std::size_t rows_before = l > 0 ? slope_rows(l - 1) : 0;
        const float* const before = slopes - rows_before * panels_ * Shape::width;
        // Rows before the skipped point.
        const std::size_t taken = l == 0 ? 0 : (layer.forward.inputs - encoded_) * Shape::width;
        in_parts(layer.backward.inputs, [&](const Part& part, std::size_t p) HWY_ATTR {
            const float* const in = last ? slopes + p * slope_rows(l) * Shape::width : panel(here_, network_.rows, p);
            float* const out = panel(there_, network_.rows, p);
            const Finish finish{.factors = l > 0 ? before + p * rows_before * Shape::width : nullptr};
            Shape::multiply(layer.backward, part, in, out, finish);
            if (part.last && (l == 0 || layer.skip_input)) gather(p, out + taken);
        });
        std::swap(here_, there_);
    }

    // Adds to the derivative by the encoded point; the first call initializes it.
    HWY_ATTR void gather(std::size_t p, const float* numbers) {
        float* const sum = panel(point_slope_, whole_tiles(encoded_), p);
        const std::size_t count = encoded_ * Shape::width;
        if (gathered_ < panels_)
            std::copy(numbers, numbers + count, sum);
        else
            for (std::size_t i = 0; i < count; ++i) sum[i] += numbers[i];
        ++gathered_;
    }

    HWY_ATTR void decode(std::size_t p) {
        constexpr std::size_t three = 3 * Shape::width;
        const float* slope = panel(point_slope_, whole_tiles(encoded_), p);
        const float* value = panel(point_, whole_tiles(encoded_), p);
        float sum[three] = {};
        if (network_.encoding.point_first) {
            std::copy(slope, slope + three, sum);
            slope += three, value += three;
        }
        float factor = network_.encoding.scale;
        for (int k = 0; k < network_.encoding.frequencies; ++k, factor *= 2, slope += 2 * three, value += 2 * three)
            for (std::size_t i = 0; i < three; ++i)
                sum[i] += factor * (slope[i] * value[three + i] - slope[three + i] * value[i]);
        for (std::size_t axis = 0; axis < 3; ++axis)
            store(sum + axis * Shape::width, block_.gradients + axis * network_block, p);
    }

    HWY_ATTR void store(const float* row, float* out, std::size_t p) const {
        std::copy(row, row + points_of(p), out + first_ + p * Shape::width);
    }

    const NetworkView& network_;
    const NetworkBlock& block_;
    std::size_t first_, panels_, encoded_, gathered_ = 0;
    float *here_, *there_, *point_, *point_slope_, *slopes_;
};

HWY_ATTR void network_for_target(const NetworkView& network, const NetworkBlock& block) {
    const std::size_t panels = block.count / Panel<3>::width, done = panels * Panel<3>::width,
                      rest = block.count - done;
    if (panels > 0) Group<Panel<3>>(network, block, 0, panels).run();
    if (rest > 2 * lanes)
        Group<Panel<3>>(network, block, done, 1).run();
    else if (rest > lanes)
        Group<Panel<2>>(network, block, done, 1).run();
    else if (rest > 3)
        Group<Panel<1>>(network, block, done, 1).run();
    else if (rest > 0)
        Group<SinglePoint>(network, block, done, rest).run();
}

} // namespace
} // namespace fathom::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fathom {

HWY_EXPORT(network_for_target);

std::size_t network_scratch(const NetworkView& network, bool gradients) {
    const std::size_t encoded = whole_tiles(static_cast<std::size_t>(network.encoding.outputs()));
    // Whole vectors are written past the last number.
    return (2 * network.rows + 2 * encoded + (gradients ? network.slope_rows : 0)) * network_block + network_tile;
}

void run_network(const NetworkView& network, const NetworkBlock& block) {
    HWY_DYNAMIC_DISPATCH(network_for_target)(network, block);
}

} // namespace fathom
#endif
