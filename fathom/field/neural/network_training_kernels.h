// What network_training.cpp hands to its kernels, once for every instruction set.
#pragma once

#include <fathom/field/neural/network_training.h>

namespace fathom {

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
