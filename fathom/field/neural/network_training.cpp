// Loss and gradients of networks, for every instruction set of the machine.
#include <fathom/field/neural/network_training.h>

#include <fathom/base/parallel.h>

#include <algorithm>
#include <array>
#include <utility>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fathom/field/neural/network_training.cpp"
#include <hwy/foreach_target.h>

#include <fathom/field/neural/network_training-inl.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fathom::HWY_NAMESPACE {
namespace {

HWY_INLINE Dense dense(const ChunkPass& pass, std::size_t layer) {
    const DenseLayer& l = pass.shape.layers[layer];
    const float* const weights = pass.weights[layer];
    const std::size_t inputs = static_cast<std::size_t>(l.inputs), outputs = static_cast<std::size_t>(l.outputs);
    return {inputs, outputs, weights, weights + inputs * outputs, l.parameter};
}

// Calls call.run<activation>() for the given activation.
template <class Call>
HWY_INLINE void with_activation(Activation activation, const Call& call) {
    switch (activation) {
    case Activation::relu:
        return call.template run<Activation::relu>();
    case Activation::elu:
        return call.template run<Activation::elu>();
    case Activation::tanh:
        return call.template run<Activation::tanh>();
    case Activation::sine:
        return call.template run<Activation::sine>();
    case Activation::softplus:
        return call.template run<Activation::softplus>();
    case Activation::none:
        return call.template run<Activation::none>();
    }
}

struct Forward {
    const ChunkPass& pass;
    std::size_t layer;

    template <Activation Function>
    HWY_ATTR void run() const {
        forward_layer<Function>(dense(pass, layer), pass.inputs[layer], pass.inputs[layer + 1], pass.kept[layer]);
    }
};

// Converts the derivatives of the loss by the value to those by the sum of the last layer.
struct ThroughOutput {
    const ChunkPass& pass;
    float* slopes;

    template <Activation Function>
    HWY_ATTR void run() const {
        const V parameter = set(pass.shape.layers.back().parameter);
        for (std::size_t column = 0; column < columns; column += lanes()) {
            const V kept = keeps_slope<Function> ? load(pass.kept.back() + column) : hn::Zero(d);
            const V here = slope<Function>(load(pass.inputs.back() + column), parameter, kept);
            store(hn::Mul(load(slopes + column), here), slopes + column);
        }
    }
};

struct Backward {
    const ChunkPass& pass;
    std::size_t layer;
    const float* slopes;
    float* out;

    template <Activation Before>
    HWY_ATTR void run() const {
        const DenseLayer& l = pass.shape.layers[layer - 1];
        backward_layer<Before>(dense(pass, layer), static_cast<std::size_t>(l.outputs), slopes, pass.inputs[layer],
                               pass.kept[layer - 1], l.parameter, out);
    }
};

// The encoded points, in the order of PositionalEncoding.
HWY_ATTR void encode(const PositionalEncoding& encoding, const float* const (&point)[3], float* rows) {
    if (encoding.point_first)
        for (const float* axis : point) rows = std::copy(axis, axis + columns, rows);
    float factor = encoding.scale;
    for (int k = 0; k < encoding.frequencies; ++k, factor *= 2, rows += 6 * columns)
        for (std::size_t axis = 0; axis < 3; ++axis)
            for (std::size_t column = 0; column < columns; column += lanes()) {
                const V angle = hn::Mul(set(factor), load(point[axis] + column));
                store(hn::Sin(d, angle), rows + axis * columns + column);
                store(hn::Cos(d, angle), rows + (3 + axis) * columns + column);
            }
}

HWY_ATTR void forward_for_target(const ChunkPass& pass, const float* const (&point)[3]) {
    const std::vector<DenseLayer>& layers = pass.shape.layers;
    const std::size_t encoded = static_cast<std::size_t>(pass.shape.encoding.outputs()) * columns;
    encode(pass.shape.encoding, point, pass.inputs[0]);
    for (std::size_t i = 0; i < layers.size(); ++i) {
        if (layers[i].skip_input)
            std::copy_n(pass.inputs[0], encoded,
                        pass.inputs[i] + static_cast<std::size_t>(layers[i - 1].outputs) * columns);
        with_activation(layers[i].activation, Forward{pass, i});
    }
}

HWY_ATTR double gradient_for_target(const ChunkPass& pass, const float* const (&point)[3], const float* wanted,
                                    float width, float* gradient) {
    forward_for_target(pass, point);
    const std::vector<DenseLayer>& layers = pass.shape.layers;
    const std::size_t last = layers.size();
    float *slopes = pass.slopes[0], *next = pass.slopes[1];
    const double loss = static_cast<double>(loss_of(pass.inputs[last], wanted, width, slopes));
    with_activation(layers[last - 1].activation, ThroughOutput{pass, slopes});
    for (std::size_t i = last; i-- > 0; std::swap(slopes, next)) {
        const Dense layer = dense(pass, i);
        float* const out = gradient + (layer.weights - pass.parameters);
        weight_slopes(layer, slopes, pass.inputs[i], out, out + layer.inputs * layer.outputs);
        if (i > 0) with_activation(layers[i - 1].activation, Backward{pass, i, slopes, next});
    }
    return loss;
}

} // namespace
} // namespace fathom::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fathom {

namespace {

HWY_EXPORT(forward_for_target);
HWY_EXPORT(gradient_for_target);

std::size_t rows_into(const Network& shape, std::size_t layer) {
    return static_cast<std::size_t>(layer < shape.layers.size() ? shape.layers[layer].inputs : 1);
}

// Allocates the rows of a chunk in thread-local memory, which grows to the largest network seen and is reused.
ChunkPass chunk_pass(const Network& shape, std::span<const float> parameters) {
    thread_local std::vector<float> memory;
    const std::size_t count = shape.layers.size();
    std::size_t floats = 0;
    const auto take = [&](std::size_t rows) { return std::exchange(floats, floats + rows * training_chunk); };
    std::vector<std::size_t> inputs, kept;
    for (std::size_t i = 0; i <= count; ++i) inputs.push_back(take(rows_into(shape, i)));
    for (const DenseLayer& layer : shape.layers) {
        const bool keeps = layer.activation == Activation::sine || layer.activation == Activation::softplus;
        kept.push_back(take(keeps ? static_cast<std::size_t>(layer.outputs) : 0));
    }
    const std::size_t widest = static_cast<std::size_t>(shape.width());
    const std::size_t slopes[2] = {take(widest), take(widest)};
    if (memory.size() < floats) memory.resize(floats);
    ChunkPass pass{shape, parameters.data(), {}, {}, {}, {memory.data() + slopes[0], memory.data() + slopes[1]}};
    for (const std::size_t place : inputs) pass.inputs.push_back(memory.data() + place);
    for (const std::size_t place : kept) pass.kept.push_back(memory.data() + place);
    const float* weights = parameters.data();
    for (const DenseLayer& layer : shape.layers) {
        pass.weights.push_back(weights);
        weights += layer.outputs * (layer.inputs + 1);
    }
    return pass;
}

} // namespace

double chunk_gradient(const Network& shape, std::span<const float> parameters, const TrainingPoints& points,
                      std::size_t begin, const TrainingLoss& loss, std::span<float> gradient) {
    const float* const point[3] = {points.x.data() + begin, points.y.data() + begin, points.z.data() + begin};
    const ChunkPass pass = chunk_pass(shape, parameters);
    return HWY_DYNAMIC_DISPATCH(gradient_for_target)(pass, point, points.value.data() + begin, loss.width,
                                                     gradient.data());
}

void training_values(const Network& shape, std::span<const float> parameters, const TrainingPoints& points,
                     std::span<float> values) {
    parallel_for(values.size(), training_chunk, [&](std::size_t begin, std::size_t end) {
        std::array<std::array<float, training_chunk>, 3> padded{};
        std::copy(points.x.data() + begin, points.x.data() + end, padded[0].begin());
        std::copy(points.y.data() + begin, points.y.data() + end, padded[1].begin());
        std::copy(points.z.data() + begin, points.z.data() + end, padded[2].begin());
        const float* const point[3] = {padded[0].data(), padded[1].data(), padded[2].data()};
        const ChunkPass pass = chunk_pass(shape, parameters);
        HWY_DYNAMIC_DISPATCH(forward_for_target)(pass, point);
        std::copy_n(pass.inputs.back(), end - begin, values.data() + begin);
    });
}

std::vector<float> parameters_of(const Network& network) {
    std::vector<float> parameters;
    parameters.reserve(network.weight_count());
    for (const DenseLayer& layer : network.layers) {
        parameters.insert(parameters.end(), layer.weights.begin(), layer.weights.end());
        parameters.insert(parameters.end(), layer.biases.begin(), layer.biases.end());
    }
    return parameters;
}

void set_parameters(Network& network, std::span<const float> parameters) {
    auto from = parameters.begin();
    const auto fill = [&](std::vector<float>& to) {
        const auto end = from + static_cast<std::ptrdiff_t>(to.size());
        std::copy(from, end, to.begin());
        from = end;
    };
    for (DenseLayer& layer : network.layers) {
        fill(layer.weights);
        fill(layer.biases);
    }
}

} // namespace fathom
#endif
