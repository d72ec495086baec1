// One reader and one writer per format; read_network_file() and write_network() select them. Readers do not trust their
// input and throw Error; their result still has to pass check(). Writers require networks that have passed it.
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

// An array of a foreign file, to be converted into a layer.
struct FloatArray {
    std::vector<std::uint64_t> shape;
    std::vector<float> values; // the last index runs fastest
};

// y = x kernel + bias, with a kernel of shape (inputs, outputs); without a bias, zeros. Throws Error{count_mismatch,
// too_large} at `place` if the shapes do not match.
[[nodiscard]] DenseLayer dense_layer(const FloatArray& kernel, const FloatArray* bias, const Place& place);

} // namespace fathom
