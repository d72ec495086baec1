// Values of a network at points, and gradients by reverse mode, in float, many points at a time. Cost on one AVX2 core:
// 8 layers of 32 take about 0.2 us per point in batches, with gradient about twice that; a single point costs as much
// as three or four of a batch. Two more copies of the weights are stored, packed for both directions. On one machine a
// point has the same bits in any batch and on any thread. Between CPU families the last bits may differ: sums are fused
// multiply-adds where the CPU has them. Errors of single operations: activation_error in network.h; dot products are
// rounded as any float sum of that length. Immutable and thread-safe once built; scratch memory belongs to the thread
// and is allocated only when it must grow.
#pragma once

#include <fathom/field/field.h>
#include <fathom/field/neural/network.h>

#include <memory>
#include <span>

namespace fathom {

struct PackedNetwork;

class NetworkValues {
public:
    // Throws Error as check() does, and Error{invalid_argument} for a parameter outside the limits in network.h.
    explicit NetworkValues(const Network& network);

    // distance(p) = scale * net((p - center) / scale): the argument is rounded to float once. The network is evaluated
    // at any p, inside or outside its domain. Spans of equal length. NaN in, NaN out.
    void values(std::span<const Vec3> points, std::span<double> out) const;
    // The values are the same as above, bit for bit.
    void samples(std::span<const Vec3> points, std::span<Sample> out) const;

    [[nodiscard]] std::size_t bytes() const; // of the packed weights

private:
    std::shared_ptr<const PackedNetwork> packed_;
};

// A network packed for evaluation; only network_kernels.cpp uses the SIMD library.
// Layers are stored as tiles of 16 outputs, input by input, so that one loop serves batches of points, single points,
// and, with the layer transposed, gradients. Internal: users call network_values.h.

inline constexpr std::size_t network_tile = 16;
// Points at a time: whole panels of three vectors on every instruction set.
inline constexpr std::size_t network_block = 96;

[[nodiscard]] inline std::size_t whole_tiles(std::size_t count) {
    return (count + network_tile - 1) / network_tile * network_tile;
}

// outputs = biases + weights * inputs. Tile t of the weights has inputs x network_tile numbers, padded with zeros.
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
    std::size_t rows = 0;       // rows of the widest layer boundary, in whole tiles
    std::size_t slope_rows = 0; // rows of all layers together, in whole tiles
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
