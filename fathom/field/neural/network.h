// A multilayer perceptron as plain data; it is read from files, evaluated by kernels and changed by fitting.
// It maps a point of three coordinates to one value, negative inside. Davies et al. 2021 (8 layers of 32), DeepSDF (8
// of 512 with a skip), NeRF-like encodings and SIREN all have this form. Not supported: convolutions, hash grids,
// variable latent codes (fold a fixed code into the biases of the first layer).
#pragma once

#include <fathom/base/primitives.h>

#include <cstddef>
#include <string_view>
#include <vector>

namespace fathom {

enum class Activation : unsigned char {
    none,
    relu,    // max(0, x)
    elu,     // x where x > 0, else parameter * (e^x - 1)
    tanh,    // tanh(x)
    sine,    // sin(parameter * x)
    softplus // log(1 + e^(parameter * x)) / parameter
};

[[nodiscard]] std::string_view name(Activation activation);

struct DenseLayer {
    int inputs = 0, outputs = 0;
    std::vector<float> weights{}; // outputs x inputs, row-major
    std::vector<float> biases{};  // outputs
    Activation activation = Activation::none;
    float parameter = 1;     // parameter of the activation, see Activation; positive
    bool skip_input = false; // append the encoded point to the previous layer's outputs as inputs of this layer
};

// Input of the first layer: the point itself, then for k = 0 .. frequencies - 1 the six numbers sin(2^k scale x),
// cos(2^k scale x), each for x, y, z: sines first.
struct PositionalEncoding {
    int frequencies = 0;
    bool point_first = true; // false: sines and cosines only (then frequencies > 0)
    float scale = 3.14159265358979F;

    [[nodiscard]] int outputs() const { return (point_first ? 3 : 0) + 6 * frequencies; }
};

// distance(p) = scale * net((p - center) / scale) for p in `domain`. Networks are usually trained in about a unit
// sphere.
struct Network {
    static constexpr int max_layers = 64;
    static constexpr int max_width = 8192;
    static constexpr int max_frequencies = 16;
    static constexpr std::size_t max_weights = std::size_t{1} << 28;

    PositionalEncoding encoding;
    std::vector<DenseLayer> layers;
    Vec3 center = Vec3::Zero(); // m
    double scale = 1;           // length of one unit of the network (m)
    // Region in which the network was trained (m). It contains the whole inside; the network is not evaluated beyond
    // it.
    Box domain = Box::around(Vec3::Zero(), Vec3::Ones());

    [[nodiscard]] std::size_t weight_count() const; // including biases
    [[nodiscard]] int width() const;                // outputs of the widest layer
};

// Throws Error{invalid_argument, non_finite, too_large} and names the layer: sizes of consecutive layers do not match,
// an array has another length than stated, a number is not finite, the last layer has more than one output, or the
// domain is empty or infinite.
void check(const Network& network);

// Error bounds of the activations that the float kernels compute; a proof has to add them.

// |computed - exact| <= activation_error * max(1, |exact|) for elu, tanh, sine and softplus at every finite float,
// where `exact` is the function of that float and of the layer's parameter without rounding. The same holds for the
// sines and cosines of the positional encoding. relu is exact. Tested over the whole range of floats.
inline constexpr double activation_error = 0x1p-21;

// Sines satisfy the bound while |parameter * x| is at most this; beyond it they stay within [-1, 1].
inline constexpr double largest_sine_argument = 0x1p26;

// Parameters of elu, sine and softplus outside of these limits are rejected (Error{invalid_argument}).
inline constexpr float min_parameter = 0x1p-20F;
inline constexpr float max_parameter = 0x1p20F;

} // namespace fathom
