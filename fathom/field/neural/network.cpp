// Checks of networks.
#include <fathom/field/neural/network.h>

#include <fathom/base/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace fathom {

namespace {

[[noreturn]] void refuse(Cause cause, std::string reason, std::size_t layer) {
    throw Error(cause, std::move(reason), {.element = "layer", .index = static_cast<std::int64_t>(layer)});
}

void check_sizes(const DenseLayer& layer, std::size_t index, int expected_inputs) {
    if (layer.outputs < 1 || layer.outputs > Network::max_width)
        refuse(Cause::too_large, fmt::format("{} outputs; expected 1 to {}", layer.outputs, Network::max_width), index);
    if (layer.inputs != expected_inputs)
        refuse(Cause::invalid_argument, fmt::format("expects {} inputs, got {}", layer.inputs, expected_inputs), index);
    const std::size_t outputs = static_cast<std::size_t>(layer.outputs);
    const std::size_t weights = outputs * static_cast<std::size_t>(layer.inputs);
    if (layer.weights.size() != weights || layer.biases.size() != outputs)
        refuse(Cause::invalid_argument,
               fmt::format("has {} weights and {} biases; {} x {} requires {} and {}", layer.weights.size(),
                           layer.biases.size(), layer.outputs, layer.inputs, weights, outputs),
               index);
}

void check_numbers(const DenseLayer& layer, std::size_t index) {
    const auto finite = [](float x) { return std::isfinite(x); };
    if (!std::ranges::all_of(layer.weights, finite)) refuse(Cause::non_finite, "a weight is not finite", index);
    if (!std::ranges::all_of(layer.biases, finite)) refuse(Cause::non_finite, "a bias is not finite", index);
    if (!(layer.parameter > 0) || !finite(layer.parameter))
        refuse(Cause::invalid_argument, "the parameter of its activation is not a positive number", index);
}

void check_frame(const Network& network) {
    const auto fail = [](const char* reason) { throw Error(Cause::invalid_argument, reason); };
    const PositionalEncoding& e = network.encoding;
    if (e.frequencies < 0 || e.frequencies > Network::max_frequencies || e.outputs() == 0)
        fail("the positional encoding must have 0 to 16 frequencies, and at least one without the point");
    if (!std::isfinite(e.scale) || !(e.scale > 0))
        fail("the scale of the positional encoding is not a positive number");
    if (!network.center.allFinite()) fail("the centre of the network is not finite");
    if (!std::isfinite(network.scale) || !(network.scale > 0))
        fail("the scale of the network is not a positive number");
    const Box& d = network.domain;
    if (d.empty() || !d.lower.allFinite() || !d.upper.allFinite())
        fail("the domain of the network is empty or infinite");
}

} // namespace

std::string_view name(Activation activation) {
    switch (activation) {
    case Activation::none:
        return "none";
    case Activation::relu:
        return "relu";
    case Activation::elu:
        return "elu";
    case Activation::tanh:
        return "tanh";
    case Activation::sine:
        return "sine";
    case Activation::softplus:
        return "softplus";
    }
    return "unknown";
}

std::size_t Network::weight_count() const {
    std::size_t count = 0;
    for (const DenseLayer& layer : layers) count += layer.weights.size() + layer.biases.size();
    return count;
}

int Network::width() const {
    int widest = 0;
    for (const DenseLayer& layer : layers) widest = std::max(widest, layer.outputs);
    return widest;
}

void check(const Network& network) {
    if (network.layers.empty()) throw Error(Cause::empty, "the network has no layers");
    if (network.layers.size() > Network::max_layers)
        throw Error(Cause::too_large,
                    fmt::format("{} layers; the maximum is {}", network.layers.size(), Network::max_layers));
    check_frame(network);
    int arriving = network.encoding.outputs();
    if (network.layers.front().skip_input)
        refuse(Cause::invalid_argument, "the first layer cannot have a skip connection", 0);
    for (std::size_t i = 0; i < network.layers.size(); ++i) {
        const DenseLayer& layer = network.layers[i];
        check_sizes(layer, i, arriving + (layer.skip_input ? network.encoding.outputs() : 0));
        check_numbers(layer, i);
        arriving = layer.outputs;
    }
    if (arriving != 1)
        refuse(Cause::invalid_argument, fmt::format("the last layer has {} outputs; expected one", arriving),
               network.layers.size() - 1);
    if (network.weight_count() > Network::max_weights)
        throw Error(Cause::too_large,
                    fmt::format("{} weights; the maximum is {}", network.weight_count(), Network::max_weights));
}

} // namespace fathom
