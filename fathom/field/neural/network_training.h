// Loss of a network over a set of points, and its gradient with respect to every weight (reverse mode: activations are
// kept during the forward pass). For the values of a finished network use its field. Floats, eight points at a time;
// points are stored coordinate by coordinate. Same bits for any thread count; AVX2 and wider agree, plain SSE2, which
// has no fused multiply-add, differs in the last digits. Thread-safe.
#pragma once

#include <fathom/field/neural/network.h>

#include <span>

namespace fathom {

// A batch is divided into chunks of this many points, whatever the number of threads. It is a multiple of the kernels'
// blocks of 24, and all activations of 8 x 32 fit in a second-level cache.
inline constexpr std::size_t training_chunk = 192;

// In the network's frame: points ((p - center) / scale) and target values (distance / scale).
struct TrainingPoints {
    std::vector<float> x, y, z, value;

    [[nodiscard]] std::size_t size() const { return value.size(); }
};

// Huber loss of an error e: |e| - width / 2 beyond `width`, e^2 / (2 width) within.
struct TrainingLoss {
    float width = 3e-3F; // in units of the network; positive
};

// Returns the sum of the loss over the chunk of points that begins at `begin`, and stores (does not add) its gradient.
// `parameters` and `gradient` have the layout of parameters_of. The points must extend to begin + training_chunk.
double chunk_gradient(const Network& shape, std::span<const float> parameters, const TrainingPoints& points,
                      std::size_t begin, const TrainingLoss& loss, std::span<float> gradient);

// Values of the network at all points, in parallel. Spans of equal length, any number of points.
void training_values(const Network& shape, std::span<const float> parameters, const TrainingPoints& points,
                     std::span<float> values);

// Layer by layer: weights, then biases.
[[nodiscard]] std::vector<float> parameters_of(const Network& network);
void set_parameters(Network& network, std::span<const float> parameters);

// Arguments of the kernels in network_training.cpp, which are compiled once for every instruction set.

// The rows of one chunk (a row: one feature of every point): the inputs of each layer, and the numbers kept for the
// backward pass.
struct ChunkPass {
    const Network& shape;
    const float* parameters;
    std::vector<const float*> weights; // of each layer, followed by its biases
    std::vector<float*> inputs;        // of each layer, and one more: the value
    std::vector<float*> kept;          // derivatives of each layer's activation where its value does not determine them
    float* slopes[2];                  // derivatives of the loss by the sums of two consecutive layers
};

} // namespace fathom
