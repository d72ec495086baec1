// Random networks, and what a network is worth by plain loops in double: the oracle of the kernels.
#pragma once

#include <fathom/base/random.h>
#include <fathom/field/field.h>
#include <fathom/field/neural/network.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace fathom::testing {

inline constexpr Activation all_activations[] = {Activation::relu, Activation::elu, Activation::tanh, Activation::sine,
                                                 Activation::softplus};

struct NetworkShape {
    std::vector<int> widths = {16, 16, 16}; // of the hidden layers
    Activation activation = Activation::elu;
    float parameter = 1;
    PositionalEncoding encoding{};
    int skip_at = -1; // the layer that takes the point again
    Activation output = Activation::none;
};

// Sizes of weights keep the numbers between layers near 1.
inline Network random_network(const NetworkShape& shape, std::uint64_t seed) {
    Random random(seed);
    Network network;
    network.encoding = shape.encoding;
    int arriving = network.encoding.outputs();
    const auto add = [&](int outputs, Activation activation) {
        DenseLayer layer;
        layer.skip_input = static_cast<int>(network.layers.size()) == shape.skip_at;
        layer.inputs = arriving + (layer.skip_input ? network.encoding.outputs() : 0);
        layer.outputs = outputs;
        layer.activation = activation;
        layer.parameter = shape.parameter;
        const double gain = activation == Activation::sine ? 1.0 / static_cast<double>(shape.parameter) : 1.0;
        const double largest = gain * std::sqrt(6.0 / layer.inputs);
        for (int k = 0; k < layer.inputs * outputs; ++k)
            layer.weights.push_back(static_cast<float>(random.uniform(-largest, largest)));
        for (int k = 0; k < outputs; ++k) layer.biases.push_back(static_cast<float>(gain * random.uniform(-0.5, 0.5)));
        network.layers.push_back(std::move(layer));
        arriving = outputs;
    };
    for (const int width : shape.widths) add(width, shape.activation);
    add(1, shape.output);
    return network;
}

// distance(p) of `frame` is `scale` times that of the network at (p - center) / scale.
inline Network placed(Network network, const Vec3& center, double scale) {
    network.center = center;
    network.scale = scale;
    network.domain = {center + scale * network.domain.lower, center + scale * network.domain.upper};
    return network;
}

inline double activated(const DenseLayer& layer, double z, double& slope) {
    const double a = static_cast<double>(layer.parameter);
    switch (layer.activation) {
    case Activation::none:
        return slope = 1, z;
    case Activation::relu:
        return slope = z > 0 ? 1 : 0, std::max(z, 0.0);
    case Activation::elu:
        return slope = z > 0 ? 1 : a * std::exp(z), z > 0 ? z : a * std::expm1(z);
    case Activation::tanh:
        return slope = 1 - std::tanh(z) * std::tanh(z), std::tanh(z);
    case Activation::sine:
        return slope = a * std::cos(a * z), std::sin(a * z);
    case Activation::softplus:
        return slope = 1 / (1 + std::exp(-a * z)), std::max(z, 0.0) + std::log1p(std::exp(-a * std::abs(z))) / a;
    }
    return 0;
}

// A number and its slopes along x, y, z.
struct Dual {
    double value = 0;
    Vec3 slope = Vec3::Zero();
};

struct PlainResult {
    Sample sample;
    double kink = HUGE_VAL; // how near to 0 the argument of a relu came
};

// At a point in the network's own units.
inline PlainResult plain_result(const Network& network, const Vec3& q) {
    std::vector<Dual> point;
    if (network.encoding.point_first)
        for (int k = 0; k < 3; ++k) point.push_back({q[k], Vec3::Unit(k)});
    double factor = static_cast<double>(network.encoding.scale);
    for (int f = 0; f < network.encoding.frequencies; ++f, factor *= 2) {
        for (int k = 0; k < 3; ++k)
            point.push_back({std::sin(factor * q[k]), factor * std::cos(factor * q[k]) * Vec3::Unit(k)});
        for (int k = 0; k < 3; ++k)
            point.push_back({std::cos(factor * q[k]), -factor * std::sin(factor * q[k]) * Vec3::Unit(k)});
    }
    PlainResult result;
    std::vector<Dual> now = point;
    for (const DenseLayer& layer : network.layers) {
        if (layer.skip_input) now.insert(now.end(), point.begin(), point.end());
        std::vector<Dual> next;
        for (std::size_t o = 0; o < static_cast<std::size_t>(layer.outputs); ++o) {
            Dual sum{static_cast<double>(layer.biases[o])};
            for (std::size_t i = 0; i < now.size(); ++i) {
                const double weight = static_cast<double>(layer.weights[o * now.size() + i]);
                sum.value += weight * now[i].value;
                sum.slope += weight * now[i].slope;
            }
            if (layer.activation == Activation::relu) result.kink = std::min(result.kink, std::abs(sum.value));
            double slope = 0;
            const double value = activated(layer, sum.value, slope);
            next.push_back({value, slope * sum.slope});
        }
        now = std::move(next);
    }
    result.sample = {now.front().value, now.front().slope};
    return result;
}

inline double plain_value(const Network& network, const Vec3& q) { return plain_result(network, q).sample.distance; }

// At a point of the field's frame, which enters the network as a float.
inline PlainResult plain_sample(const Network& network, const Vec3& p) {
    PlainResult result = plain_result(network, ((p - network.center) / network.scale).cast<float>().cast<double>());
    result.sample.distance *= network.scale;
    return result;
}

} // namespace fathom::testing
