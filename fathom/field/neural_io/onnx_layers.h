// Conversion of an ONNX graph into the layers of a Network.
// A value is affine in the outputs of the last layer and in features of the point; an activation turns it into a layer.
// So scales, shifts and concatenations are folded into weights, and matrices are never multiplied: a product of
// matrices becomes separate layers.
#pragma once

#include <fathom/field/neural_io/network_formats.h>

#include <memory>
#include <span>

namespace fathom {

// One component of a value: factor * source + offset.
struct AffineEntry {
    enum class Of : unsigned char { nothing, layer, feature };
    Of of = Of::nothing;
    int index = 0; // index of the layer's output, or of the feature
    double factor = 0, offset = 0;
};

// scale * (row_factors * (matrix entries) + biases), or the entries themselves if there is no matrix.
struct AffineValue {
    std::vector<AffineEntry> entries;
    std::shared_ptr<const FloatArray> matrix{};
    bool outputs_first = false; // the matrix is of shape (outputs, inputs)
    std::vector<double> row_factors{}, biases{};
    double scale = 1;       // separate, since it may become the parameter of an activation
    std::size_t layers = 0; // number of layers needed to compute it; 0: depends on the point alone
    int rank = -1;          // dimensions of the array; -1: unknown
    bool loose = false;     // its last dimension is no longer that of the features

    [[nodiscard]] std::size_t width() const { return matrix ? biases.size() : entries.size(); }
    void multiply(std::span<const float> constant); // one number, or one for each component
    void divide(std::span<const float> constant);
    void add(std::span<const float> constant, double sign);
    void fold_scale(); // into the matrix and the biases
};

// A feature of the point: a coordinate, or the sine or cosine of a coordinate times a frequency.
struct PointFeature {
    enum class Kind : unsigned char { coordinate, sine, cosine };
    Kind kind = Kind::coordinate;
    int axis = 0;
    double frequency = 0;

    friend bool operator==(const PointFeature&, const PointFeature&) = default;
};

// Collects layers in order. Throws Error without a file position; the caller adds it.
class LayerBuilder {
public:
    explicit LayerBuilder(std::size_t max_weights) : max_weights_(max_weights) {}

    [[nodiscard]] static AffineValue point(int rank);
    // If the value consists of coordinates alone, returns features of its sines or cosines. Otherwise sine() returns
    // the outputs of a new layer, and cosine() throws Error{unsupported}.
    [[nodiscard]] AffineValue sine(const AffineValue& value);
    [[nodiscard]] AffineValue cosine(const AffineValue& value);
    // Turns the value into a layer and returns its outputs.
    [[nodiscard]] AffineValue close(AffineValue value, Activation activation, double parameter = 1);
    // The complete network with `value` as its output.
    [[nodiscard]] Network finish(const AffineValue& value) &&;

private:
    struct Layer {
        DenseLayer dense;               // inputs: the outputs of the previous layer
        std::vector<int> features;      // further inputs
        std::vector<float> of_features; // outputs x features
    };

    [[nodiscard]] AffineValue waves(const AffineValue& value, PointFeature::Kind kind);
    [[nodiscard]] int feature(const PointFeature& wanted);
    void fill(const AffineValue& value, Layer& layer) const;
    void choose_encoding(PositionalEncoding& encoding) const;
    [[nodiscard]] std::size_t column(const PositionalEncoding& encoding, const PointFeature& feature) const;

    std::size_t max_weights_;
    std::size_t weights_ = 0;
    std::vector<Layer> layers_;
    std::vector<PointFeature> features_ = {{.axis = 0}, {.axis = 1}, {.axis = 2}};
};

} // namespace fathom
