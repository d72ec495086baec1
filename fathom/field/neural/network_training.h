// What fitting asks of a network again and again: its loss over some points, and the slope of that loss in
// every weight (reverse mode: activations are kept on the way forward). For the values of a finished network, see its
// field. Floats, eight points at a time; points lie coordinate by coordinate. Same bits for any thread count; AVX2 and
// wider agree, plain SSE2, which has no fused multiply-add, differs in the last digits. Thread-safe.
#pragma once

#include <fathom/field/neural/network.h>

#include <span>

namespace fathom {

// The fixed piece of work: a batch is cut into chunks of this many points, whatever the number of threads. Divides into
// the blocks of 24 of the kernels, and keeps all activations of 8 x 32 in a second-level cache.
inline constexpr std::size_t training_chunk = 192;

// In the network's frame: points ((p - center) / scale) and wanted values (distance / scale).
struct TrainingPoints {
    std::vector<float> x, y, z, value;

    [[nodiscard]] std::size_t size() const { return value.size(); }
};

// Huber's loss of an error e: |e| - width / 2 past `width`, e^2 / (2 width) within.
struct TrainingLoss {
    float width = 3e-3F; // in units of the network; positive
};

// Sum of the loss over a chunk of points that begins at `begin`, and its slopes, which are stored (not added).
// `parameters` and `gradient` as in parameters_of. The points must reach to begin + training_chunk.
double chunk_gradient(const Network& shape, std::span<const float> parameters, const TrainingPoints& points,
                      std::size_t begin, const TrainingLoss& loss, std::span<float> gradient);

// Values of the network at all points, in parallel. Spans of equal length, any number of points.
void training_values(const Network& shape, std::span<const float> parameters, const TrainingPoints& points,
                     std::span<float> values);

// Layer after layer: weights, then biases.
[[nodiscard]] std::vector<float> parameters_of(const Network& network);
void set_parameters(Network& network, std::span<const float> parameters);

// What network_training.cpp hands to its kernels, once for every instruction set.

// The rows of one chunk (a row: one feature of every point): what enters each layer, and what is kept for the way back.
struct ChunkPass {
    const Network& shape;
    const float* parameters;
    std::vector<const float*> weights; // of each layer, its biases behind them
    std::vector<float*> inputs;        // of each layer, and one more: the value
    std::vector<float*> kept;          // slopes of the activation of each layer, where its value does not tell them
    float* slopes[2];                  // of the loss, in the sums of two layers that follow one another
};

} // namespace fathom
