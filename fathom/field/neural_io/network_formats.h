// One reader and one writer a format; read_network_file() and write_network() pick. Readers believe
// nothing and throw Error; what they return still has to pass check(). Writers take networks that have.
#pragma once

#include <fathom/base/encode/text_scanner.h>
#include <fathom/field/neural_io/network_file.h>

namespace fathom {

[[nodiscard]] NetworkFile read_npz_network(const Source& source, const NetworkFileOptions& options);
[[nodiscard]] NetworkFile read_keras_network(const Source& source, const NetworkFileOptions& options);
[[nodiscard]] NetworkFile read_onnx_network(const Source& source, const NetworkFileOptions& options);
[[nodiscard]] NetworkFile read_fnet(const Source& source);

// The bytes of the whole file.
[[nodiscard]] std::string written_npz_network(const Network& network);
[[nodiscard]] std::string written_onnx_network(const Network& network);
[[nodiscard]] std::string written_fnet(const Network& network, std::string_view note);

[[nodiscard]] bool is_fnet(std::span<const std::byte> bytes);
[[nodiscard]] bool is_hdf5(std::span<const std::byte> bytes);
[[nodiscard]] bool is_npz(std::span<const std::byte> bytes); // a zip file that starts with a .npy array

// An array of a foreign file on its way into a layer.
struct FloatArray {
    std::vector<std::uint64_t> shape;
    std::vector<float> values; // the last index runs fastest
};

// y = x kernel + bias, the kernel of shape (inputs, outputs); without a bias, zeros. Error{count_mismatch, too_large}
// at `place` where the shapes do not fit.
[[nodiscard]] DenseLayer dense_layer(const FloatArray& kernel, const FloatArray* bias, const Place& place);

} // namespace fathom
