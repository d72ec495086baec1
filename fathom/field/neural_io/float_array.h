// An array of a foreign file on its way into a layer.
#pragma once

#include <fathom/base/error.h>
#include <fathom/field/neural/network.h>

#include <cstdint>

namespace fathom {

struct FloatArray {
    std::vector<std::uint64_t> shape;
    std::vector<float> values; // the last index runs fastest
};

// y = x kernel + bias, the kernel of shape (inputs, outputs); without a bias, zeros. Error{count_mismatch, too_large}
// at `place` where the shapes do not fit.
[[nodiscard]] DenseLayer dense_layer(const FloatArray& kernel, const FloatArray* bias, const Place& place);

} // namespace fathom
