// How far the activations that the float kernels compute are from the exact ones: what a proof must add.
#pragma once

namespace fathom {

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
