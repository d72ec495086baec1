// A network packed for the loops that run it; network_kernels.cpp alone knows the SIMD library.
// Layers lie as tiles of 16 outputs, input by input, so that one loop serves points side by side, single points, and,
// with the layer transposed, gradients. Not for users: network_values.h is the face.
#pragma once

#include <fathom/field/neural/network.h>

#include <span>

namespace fathom {

inline constexpr std::size_t network_tile = 16;
inline constexpr std::size_t network_block =
    96; // points at a time: whole panels of three vectors on every instruction set

[[nodiscard]] inline std::size_t whole_tiles(std::size_t count) {
    return (count + network_tile - 1) / network_tile * network_tile;
}

// outputs = biases + weights * inputs. Tile t of the weights: inputs x network_tile numbers, padded with zeros.
struct PackedMatrix {
    const float* weights = nullptr;
    const float* biases = nullptr; // whole tiles; nullptr: zeros
    std::size_t inputs = 0, outputs = 0;
};

struct PackedLayer {
    PackedMatrix forward;
    PackedMatrix backward; // transposed
    Activation activation = Activation::none;
    float parameter = 1;
    bool skip_input = false;
};

struct NetworkView {
    std::span<const PackedLayer> layers;
    PositionalEncoding encoding;
    std::size_t rows = 0;       // of the largest set of numbers between two layers, in whole tiles
    std::size_t slope_rows = 0; // of all layers together, in whole tiles
};

// One block: at most network_block points, in the network's frame. Gradients are optional.
struct NetworkBlock {
    const float* points; // x, y, z: rows of network_block
    std::size_t count;
    float* values;
    float* gradients; // x, y, z: rows of network_block; or nullptr
    float* scratch;   // network_scratch() floats, aligned to 64 bytes
};

[[nodiscard]] std::size_t network_scratch(const NetworkView& network, bool gradients);
void run_network(const NetworkView& network, const NetworkBlock& block);

} // namespace fathom
