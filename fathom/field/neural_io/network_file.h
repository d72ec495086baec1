// Files of networks, in and out. Every byte read is taken for hostile: an Error names file, element and
// reason, and nothing is allocated that the size of the file does not justify. What each format keeps:
//   .fnet  our own: everything, with a note and a checksum; bit for bit
//   .onnx  everything; frame and domain as metadata, which other programs pass over: to them it is the bare network
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

// What a file may leave open; what it states itself counts more.
struct NetworkFileOptions {
    Activation hidden = Activation::relu; // of Keras weights, which do not name their activations
    Activation output = Activation::tanh; // the same, of the last layer
    // Frame and domain (m), which only .fnet and our own .onnx carry. Networks that place themselves (a
    // spatial_transformation of .npz) take the domain with them.
    Vec3 center = Vec3::Zero();
    double scale = 1;
    Box domain = Box::around(Vec3::Zero(), Vec3::Ones());
};

struct NetworkFile {
    Network network;
    std::string format;               // "npz", "keras", "onnx", "fnet"
    std::string note;                 // of a .fnet file
    std::vector<std::string> remarks; // what was assumed, a sentence each
};

// The content decides the format, for ONNX the ending of the name. The network has passed check(). Throws Error:
// cannot_open, unknown_format, truncated, malformed, count_mismatch, too_large, or unsupported, which names the
// operation that is no part of a Network.
[[nodiscard]] NetworkFile read_network_file(const std::filesystem::path& path, const NetworkFileOptions& options = {});
// The same from memory; `name` serves the messages and the choice of format.
[[nodiscard]] NetworkFile read_network_file(std::span<const std::byte> bytes, std::string_view name,
                                            const NetworkFileOptions& options = {});

[[nodiscard]] Network read_network(const std::filesystem::path& path, const NetworkFileOptions& options = {});

struct NetworkWriteOptions {
    std::string note; // .fnet only: any text, by custom JSON that tells how the network was made
};

// The ending of the name decides. Throws what check() throws; Error{unsupported} where the format cannot hold the
// network. Atomic. Reading back gives the same bits, but .npz drops frame and domain.
void write_network(const std::filesystem::path& path, const Network& network, const NetworkWriteOptions& options = {});

// Whether read_network() would try it: by the first bytes, else by the ending. False where it cannot be opened.
[[nodiscard]] bool is_network_file(const std::filesystem::path& path);

} // namespace fathom
