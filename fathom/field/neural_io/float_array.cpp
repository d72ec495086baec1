// Kernels that multiply from the right become rows of weights.
#include <fathom/field/neural_io/float_array.h>

#include <fmt/format.h>

namespace fathom {

namespace {

std::string text_of(const std::vector<std::uint64_t>& shape) { return fmt::format("({})", fmt::join(shape, ", ")); }

} // namespace

DenseLayer dense_layer(const FloatArray& kernel, const FloatArray* bias, const Place& place) {
    if (kernel.shape.size() != 2)
        throw Error(Cause::count_mismatch, fmt::format("a kernel of shape {} is no matrix", text_of(kernel.shape)),
                    place);
    const std::uint64_t inputs = kernel.shape[0], outputs = kernel.shape[1];
    constexpr std::uint64_t widest_input = 2 * Network::max_width;
    if (inputs < 1 || outputs < 1 || inputs > widest_input || outputs > Network::max_width)
        throw Error(Cause::too_large,
                    fmt::format("a kernel of shape {}; layers of 1 to {} outputs are possible", text_of(kernel.shape),
                                Network::max_width),
                    place);
    if (bias && bias->shape != std::vector{outputs})
        throw Error(Cause::count_mismatch,
                    fmt::format("a bias of shape {} for {} outputs", text_of(bias->shape), outputs), place);
    DenseLayer layer{.inputs = static_cast<int>(inputs), .outputs = static_cast<int>(outputs)};
    layer.biases = bias ? bias->values : std::vector<float>(outputs);
    layer.weights.resize(kernel.values.size());
    for (std::size_t i = 0; i < inputs; ++i)
        for (std::size_t o = 0; o < outputs; ++o) layer.weights[o * inputs + i] = kernel.values[i * outputs + o];
    return layer;
}

} // namespace fathom
