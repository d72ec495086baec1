// The peer of networks: Eigen's matrix products in float, 256 points at a time, as a careful user writes them: weights
// and storage made once, no temporaries. Knows nothing of the library, so that it can be compiled for this very CPU.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace fathom::bench {

struct EigenLayer {
    int inputs, outputs;
    const float* weights; // rows of outputs
    const float* biases;
    bool activated;
};

class EigenNetwork {
public:
    enum class Unit { relu, elu };

    EigenNetwork(std::span<const EigenLayer> layers, Unit unit);
    ~EigenNetwork();

    // x, y, z of point after point.
    void values(const double* points, std::size_t count, double* out);
    void gradients(const double* points, std::size_t count, double* values, double* gradients); // reverse mode

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace fathom::bench
