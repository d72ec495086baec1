// Optimizer of network weights: Adam (Kingma & Ba 2015), run for every weight matrix in the eigenbasis of the left and
// right second moments of its gradients (SOAP: Vyas et al. 2024, after Shampoo). Sides of a matrix longer than `widest`
// are not rotated; where both are longer, the method is plain Adam. For 8 x 32 a step costs about a tenth more than
// Adam's, and a third of the steps reach the same error. Floats; same bits for any thread count, on AVX2 and wider.
#pragma once

#include <fathom/field/neural/network.h>

#include <span>

namespace fathom {

struct OptimizerOptions {
    double first = 0.9;       // decay of the mean gradient
    double second = 0.95;     // decay of the mean square
    double factors = 0.95;    // decay of the second moments that define the basis
    double tiny = 1e-8;       // added to the root of the mean square
    std::size_t refresh = 20; // steps between two updates of the basis
    std::size_t widest = 256; // longest side that is rotated: the update costs the cube of a side
};

class NetworkOptimizer {
public:
    // For networks with the same layers as `shape`.
    explicit NetworkOptimizer(const Network& shape, const OptimizerOptions& options = {});

    // Both spans have the layout of parameters_of. `gradients` holds the gradients of chunks, one after another; they
    // are summed in that order, over `points` points. The first step only initializes the basis.
    void step(std::span<float> parameters, std::span<const float> gradients, std::size_t points, double rate);

private:
    // Rows are padded with zeros to whole vectors.
    struct Matrix {
        Matrix() = default;
        Matrix(std::size_t row_count, std::size_t column_count);

        std::size_t rows = 0, columns = 0, stride = 0;
        std::vector<float> values{};
    };
    struct Side { // left or right factor of a matrix
        Matrix moment, basis;
        Matrix turned; // the basis, transposed
    };
    struct Layer {
        std::size_t begin = 0; // first parameter of the layer
        Matrix mean, square;   // of the gradient, in the basis; the biases are the last column
        Side left, right;      // empty where the basis is not rotated
    };
    struct Pace { // coefficients of one step
        float share = 0, rate = 0, root = 0;
    };

    static Matrix product(const Matrix& a, bool transposed, const Matrix& b);
    static Matrix transposed(const Matrix& a);
    static Matrix into_basis(const Layer& layer, Matrix a);
    static Matrix out_of_basis(const Layer& layer, Matrix a);
    static Matrix gradient_of(const Layer& layer, std::span<const float> gradients, std::size_t parameters,
                              float share);
    static void move(const Layer& layer, const Matrix& step, float rate, std::span<float> parameters);
    void step_layer(Layer& layer, std::span<float> parameters, std::span<const float> gradients,
                    const Pace& pace) const;
    // Updates mean and mean square with the gradient, and replaces the gradient by the step for a learning rate of 1.
    void adapt(Layer& layer, std::span<float> gradient, float root) const;
    void refresh(Layer& layer) const;

    OptimizerOptions options_;
    std::vector<Layer> layers_;
    std::size_t steps_ = 0;
    double first_power_ = 1, second_power_ = 1;
};

} // namespace fathom
