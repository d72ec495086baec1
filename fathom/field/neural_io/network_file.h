// Reading and writing of network files. Input is treated as hostile: an Error names file, element and reason, and
// nothing is allocated that the size of the file does not justify. Contents by format:
//   .fnet  our own format: everything, with a note and a checksum; bit for bit
//   .onnx  everything; frame and domain are metadata that other programs ignore, so they read the bare network
//   .npz   of neural-implicit-queries (Sharp & Jacobson 2022): bare networks of ReLU, ELU and sine
//   .h5    Keras (Davies et al. 2021), read only
#pragma once

#include <fathom/field/neural/network.h>

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fathom {

// Values for properties that a file does not state; those in the file take precedence.
struct NetworkFileOptions {
    Activation hidden = Activation::relu; // of hidden layers of Keras weights, which do not name their activations
    Activation output = Activation::tanh; // of the last layer of Keras weights
    // Frame and domain (m), which only .fnet and our own .onnx files contain. If a network contains its own placement
    // (a spatial_transformation in .npz), the domain is transformed with it.
    Vec3 center = Vec3::Zero();
    double scale = 1;
    Box domain = Box::around(Vec3::Zero(), Vec3::Ones());
};

struct NetworkFile {
    Network network;
    std::string format;               // "npz", "keras", "onnx", "fnet"
    std::string note;                 // of a .fnet file
    std::vector<std::string> remarks; // assumptions made, a sentence each
};

// The format is detected from the content, for ONNX from the file extension. The network has passed check(). Throws
// Error: cannot_open, unknown_format, truncated, malformed, count_mismatch, too_large, or unsupported, which names the
// operation that a Network cannot represent.
[[nodiscard]] NetworkFile read_network_file(const std::filesystem::path& path, const NetworkFileOptions& options = {});
// Reads from memory; `name` is used in messages and for the choice of format.
[[nodiscard]] NetworkFile read_network_file(std::span<const std::byte> bytes, std::string_view name,
                                            const NetworkFileOptions& options = {});

[[nodiscard]] Network read_network(const std::filesystem::path& path, const NetworkFileOptions& options = {});

struct NetworkWriteOptions {
    std::string note; // .fnet only: any text, by convention JSON that describes how the network was made
};

// The file extension selects the format. Throws Error as check() does; Error{unsupported} if the format cannot
// represent the network. Atomic. Reading the file gives the same bits, but .npz drops frame and domain.
void write_network(const std::filesystem::path& path, const Network& network, const NetworkWriteOptions& options = {});

// Whether read_network() would try to read the file: by the first bytes, else by the extension. False if it cannot be
// opened.
[[nodiscard]] bool is_network_file(const std::filesystem::path& path);

} // namespace fathom
