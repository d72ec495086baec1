// A multilayer perceptron as plain data: what files hold, kernels run and fitting changes.
// From a point of three coordinates to one value, negative inside. Davies et al. 2021 (8 layers of 32), DeepSDF (8 of
// 512 with a skip), NeRF-like encodings and SIREN are all of this form. Not for: convolutions, hash grids, latent codes
// that vary (fold a fixed code into the biases of the first layer).
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
    std::vector<float> weights{}; // outputs x inputs; the row of an output lies side by side
    std::vector<float> biases{};  // outputs
    Activation activation = Activation::none;
    float parameter = 1;     // see Activation; positive
    bool skip_input = false; // the encoded point follows the previous layer's outputs, as inputs of this layer
};

// The point as it enters the first layer: the point itself, then for k = 0 .. frequencies - 1 the six numbers
// sin(2^k scale x), cos(2^k scale x), each for x, y, z: sines first.
struct PositionalEncoding {
    int frequencies = 0;
    bool point_first = true; // false: the sines and cosines alone (then frequencies > 0)
    float scale = 3.14159265358979F;

    [[nodiscard]] int outputs() const { return (point_first ? 3 : 0) + 6 * frequencies; }
};

// distance(p) = scale * net((p - center) / scale), for p in `domain`: networks are trained in a unit ball or so.
struct Network {
    static constexpr int max_layers = 64;
    static constexpr int max_width = 8192;
    static constexpr int max_frequencies = 16;
    static constexpr std::size_t max_weights = std::size_t{1} << 28;

    PositionalEncoding encoding;
    std::vector<DenseLayer> layers;
    Vec3 center = Vec3::Zero(); // m
    double scale = 1;           // m for one unit of the network
    // Where the network was trained (m). Everything inside lies in it: beyond it the network is not asked.
    Box domain = Box::around(Vec3::Zero(), Vec3::Ones());

    [[nodiscard]] std::size_t weight_count() const; // with biases
    [[nodiscard]] int width() const;                // of its widest layer
};

// Throws Error{invalid_argument, non_finite, too_large} naming the layer: sizes that do not follow one another, arrays
// of another length than stated, numbers that are not finite, a last layer of more than one output, an empty or
// infinite domain.
void check(const Network& network);

// How far the activations that the float kernels compute are from the exact ones: what a proof must add.

// |computed - exact| <= activation_error * max(1, |exact|) for elu, tanh, sine and softplus at every finite float,
// where `exact` is the function of that float and of the layer's parameter, both taken as they are. The same holds for
// the sines and cosines of the positional encoding. relu is exact. Tested over the whole range of floats.
inline constexpr double activation_error = 0x1p-21;

// Sines hold the bound while |parameter * x| is at most this; beyond it they stay within [-1, 1].
inline constexpr double largest_sine_argument = 0x1p26;

// Parameters of elu, sine and softplus outside of these are refused (Error{invalid_argument}).
inline constexpr float least_parameter = 0x1p-20F;
inline constexpr float largest_parameter = 0x1p20F;

} // namespace fathom
