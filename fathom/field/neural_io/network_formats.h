// One reader and one writer a format; read_network_file() and write_network() pick. Readers believe
// nothing and throw Error; what they return still has to pass check(). Writers take networks that have.
#pragma once

#include <fathom/field/neural_io/network_file.h>
#include <fathom/base/encode/source.h>

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

} // namespace fathom
