// Networks to write and read.
#pragma once

#include <fathom/base/random.h>
#include <fathom/field/neural/network.h>

#include <cstring>

namespace fathom::testing {

[[nodiscard]] inline DenseLayer random_layer(Random& random, int inputs, int outputs, Activation activation,
                                             float parameter = 1) {
    DenseLayer layer{.inputs = inputs, .outputs = outputs, .activation = activation, .parameter = parameter};
    for (int k = 0; k < inputs * outputs; ++k) layer.weights.push_back(static_cast<float>(random.uniform(-1, 1)));
    for (int k = 0; k < outputs; ++k) layer.biases.push_back(static_cast<float>(random.uniform(-1, 1)));
    layer.weights[0] = -0.F; // bits that arithmetic loses
    layer.biases[0] = 1e-44F;
    return layer;
}

// What every format holds.
[[nodiscard]] inline Network plain_network() {
    Random random(1);
    Network network;
    network.layers = {random_layer(random, 3, 5, Activation::relu), random_layer(random, 5, 4, Activation::elu),
                      random_layer(random, 4, 2, Activation::sine), random_layer(random, 2, 1, Activation::none)};
    return network;
}

// Everything that a network may have.
[[nodiscard]] inline Network rich_network(bool point_first = true) {
    Random random(2);
    Network network;
    network.encoding = {.frequencies = 3, .point_first = point_first, .scale = 1.7F};
    const int n = network.encoding.outputs();
    network.layers = {
        random_layer(random, n, 6, Activation::sine, 30.F), random_layer(random, 6 + n, 5, Activation::softplus, 100.F),
        random_layer(random, 5, 4, Activation::none),       random_layer(random, 4, 4, Activation::elu, 0.3F),
        random_layer(random, 4 + n, 3, Activation::relu),   random_layer(random, 3, 1, Activation::tanh)};
    network.layers[1].skip_input = network.layers[4].skip_input = true;
    network.center = {0.1, -1. / 3, 1e-7};
    network.scale = 2.5e-3;
    network.domain = {{-1.1, -2, -3}, {1, 2, 1. / 3}};
    return network;
}

template <class T>
[[nodiscard]] bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

[[nodiscard]] inline bool same_layers(const Network& a, const Network& b) {
    if (a.layers.size() != b.layers.size() || a.encoding.frequencies != b.encoding.frequencies ||
        a.encoding.point_first != b.encoding.point_first || a.encoding.scale != b.encoding.scale)
        return false;
    for (std::size_t k = 0; k < a.layers.size(); ++k) {
        const DenseLayer &x = a.layers[k], &y = b.layers[k];
        if (x.inputs != y.inputs || x.outputs != y.outputs || x.activation != y.activation ||
            x.parameter != y.parameter || x.skip_input != y.skip_input || !same_bits(x.weights, y.weights) ||
            !same_bits(x.biases, y.biases))
            return false;
    }
    return true;
}
[[nodiscard]] inline bool same_network(const Network& a, const Network& b) {
    return same_layers(a, b) && a.center == b.center && a.scale == b.scale && a.domain.lower == b.domain.lower &&
           a.domain.upper == b.domain.upper;
}

} // namespace fathom::testing
