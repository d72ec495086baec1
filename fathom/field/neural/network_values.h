// The numbers of a network at points: values, and gradients by reverse mode, in float, many points at a
// time. Cost on one AVX2 core: 8 layers of 32 take about 0.2 us a point in batches, with gradient about twice that; a
// single point costs as much as three or four of a batch. Weights are kept twice more, packed for both directions. On
// one machine a point has the same bits in any batch and on any thread. Between CPU families the last bits may differ:
// sums are fused multiply-adds where the CPU has them. Errors of single operations: activation_error.h; dot products
// are rounded as any float sum of that length. Immutable and thread-safe once built; scratch memory belongs to the
// thread and is allocated only when it must grow.
#pragma once

#include <fathom/field/field.h>
#include <fathom/field/neural/network.h>

#include <memory>
#include <span>

namespace fathom {

struct PackedNetwork;

class NetworkValues {
public:
    // Error as check(); Error{invalid_argument} for a parameter past the limits of activation_error.h.
    explicit NetworkValues(const Network& network);

    // distance(p) = scale * net((p - center) / scale): the argument is rounded to float once. The network is asked
    // wherever p is, in its domain or not. Spans of equal length. NaN in, NaN out.
    void values(std::span<const Vec3> points, std::span<double> out) const;
    void samples(std::span<const Vec3> points, std::span<Sample> out) const; // values as above, bit for bit

    [[nodiscard]] std::size_t bytes() const; // of the packed weights

private:
    std::shared_ptr<const PackedNetwork> packed_;
};

// A network packed for the loops that run it; network_kernels.cpp alone knows the SIMD library.
// Layers lie as tiles of 16 outputs, input by input, so that one loop serves points side by side, single points, and,
// with the layer transposed, gradients. Not for users: network_values.h is the face.

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
