// Values of a network at points: packing, blocks, the frame.
#include <fathom/field/neural/network_values.h>

#include <fathom/base/error.h>
#include <fathom/field/neural/network.h>

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <limits>

namespace fathom {

// Moving a vector keeps its storage, so the views stay valid.
struct PackedNetwork {
    std::vector<std::vector<float>> storage;
    std::vector<PackedLayer> layers;
    NetworkView view;
    Vec3 center;
    double scale = 1;
};

namespace {

constexpr std::size_t alignment = 64;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// Thread-local memory; grows to the largest network evaluated.
float* value_scratch(std::size_t count) {
    thread_local std::vector<float> mine;
    const std::size_t slack = alignment / sizeof(float);
    if (mine.size() < count + slack) mine.resize(count + slack);
    const std::size_t past = reinterpret_cast<std::uintptr_t>(mine.data()) % alignment;
    return mine.data() + (past == 0 ? 0 : (alignment - past) / sizeof(float));
}

std::size_t size(int count) { return static_cast<std::size_t>(count); }

// weight(output, input) of the layer, or of its transpose.
template <class Weight>
std::vector<float> tiles(std::size_t outputs, std::size_t inputs, Weight weight) {
    std::vector<float> packed(whole_tiles(outputs) * inputs, 0.0F);
    for (std::size_t o = 0; o < outputs; ++o)
        for (std::size_t i = 0; i < inputs; ++i)
            packed[(o / network_tile * inputs + i) * network_tile + o % network_tile] = weight(o, i);
    return packed;
}

void pack(const DenseLayer& layer, PackedNetwork& out) {
    const std::size_t inputs = size(layer.inputs), outputs = size(layer.outputs);
    const auto keep = [&](std::vector<float> numbers) { return out.storage.emplace_back(std::move(numbers)).data(); };
    std::vector<float> biases = layer.biases;
    biases.resize(whole_tiles(outputs), 0.0F);
    PackedLayer packed;
    packed.activation = layer.activation;
    packed.parameter = layer.parameter;
    packed.skip_input = layer.skip_input;
    packed.forward = {
        keep(tiles(outputs, inputs, [&](std::size_t o, std::size_t i) { return layer.weights[o * inputs + i]; })),
        keep(std::move(biases)), inputs, outputs};
    packed.backward = {
        keep(tiles(inputs, outputs, [&](std::size_t i, std::size_t o) { return layer.weights[o * inputs + i]; })),
        nullptr, outputs, inputs};
    out.layers.push_back(packed);
}

bool uses_parameter(Activation a) { return a == Activation::elu || a == Activation::sine || a == Activation::softplus; }

void check_parameters(const Network& network) {
    for (std::size_t i = 0; i < network.layers.size(); ++i) {
        const DenseLayer& layer = network.layers[i];
        if (!uses_parameter(layer.activation) || (layer.parameter >= min_parameter && layer.parameter <= max_parameter))
            continue;
        throw Error(Cause::invalid_argument,
                    fmt::format("the parameter {} of its activation is not between 2^-20 and 2^20", layer.parameter),
                    {.element = "layer", .index = static_cast<std::int64_t>(i)});
    }
}

std::shared_ptr<const PackedNetwork> packed(const Network& network) {
    check(network);
    check_parameters(network);
    auto out = std::make_shared<PackedNetwork>();
    out->center = network.center;
    out->scale = network.scale;
    std::size_t rows = whole_tiles(size(network.encoding.outputs())), slope_rows = 0;
    for (const DenseLayer& layer : network.layers) {
        pack(layer, *out);
        rows = std::max({rows, whole_tiles(size(layer.inputs)), whole_tiles(size(layer.outputs))});
        slope_rows += whole_tiles(size(layer.inputs));
    }
    slope_rows += network_tile; // the inputs of every layer except the first, and the last output
    out->view = {out->layers, network.encoding, rows, slope_rows};
    return out;
}

// The points of a block in the network's frame.
void set_points(const PackedNetwork& network, std::span<const Vec3> points, float* rows) {
    for (std::size_t i = 0; i < points.size(); ++i) {
        const Vec3 q = (points[i] - network.center) / network.scale;
        for (std::size_t axis = 0; axis < 3; ++axis)
            rows[axis * network_block + i] = static_cast<float>(q[static_cast<int>(axis)]);
    }
}

using Rows = std::array<float, 3 * network_block>;

Vec3 slope_at(const float* gradients, std::size_t i) {
    if (!gradients) return Vec3::Zero();
    return {static_cast<double>(gradients[i]), static_cast<double>(gradients[network_block + i]),
            static_cast<double>(gradients[2 * network_block + i])};
}

template <class Store>
void in_blocks(const PackedNetwork& network, std::span<const Vec3> points, float* gradients, const Store& store) {
    Rows coordinates;
    std::array<float, network_block> values;
    float* const memory = value_scratch(network_scratch(network.view, gradients != nullptr));
    for (std::size_t first = 0; first < points.size(); first += network_block) {
        const std::size_t count = std::min(network_block, points.size() - first);
        set_points(network, points.subspan(first, count), coordinates.data());
        run_network(network.view, {coordinates.data(), count, values.data(), gradients, memory});
        for (std::size_t i = 0; i < count; ++i) {
            // A maximum of vectors may lose NaN.
            if (points[first + i].hasNaN())
                store(first + i, Sample{nan, Vec3::Constant(nan)});
            else
                store(first + i, Sample{network.scale * static_cast<double>(values[i]), slope_at(gradients, i)});
        }
    }
}

} // namespace

NetworkValues::NetworkValues(const Network& network) : packed_(packed(network)) {}

void NetworkValues::values(std::span<const Vec3> points, std::span<double> out) const {
    in_blocks(*packed_, points, nullptr, [&](std::size_t k, const Sample& sample) { out[k] = sample.distance; });
}

void NetworkValues::samples(std::span<const Vec3> points, std::span<Sample> out) const {
    Rows slopes;
    in_blocks(*packed_, points, slopes.data(), [&](std::size_t k, const Sample& sample) { out[k] = sample; });
}

std::size_t NetworkValues::bytes() const {
    std::size_t total = 0;
    for (const std::vector<float>& numbers : packed_->storage) total += numbers.size() * sizeof(float);
    return total;
}

} // namespace fathom
