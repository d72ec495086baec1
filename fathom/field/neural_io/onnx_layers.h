// Between an ONNX graph and the layers of a Network: values on their way, and what they become.
// A value is affine in the outputs of the last layer and in features of the point; an activation closes it into a
// layer. So scales, shifts and concatenations fold into weights, and nothing is multiplied out: products of matrices
// become layers of their own.
#pragma once

#include <fathom/field/neural_io/network_formats.h>

#include <memory>
#include <span>

namespace fathom {

// One number of a value: factor * source + offset.
struct AffineEntry {
    enum class Of : unsigned char { nothing, layer, feature };
    Of of = Of::nothing;
    int index = 0; // of the layer's output, or of the feature
    double factor = 0, offset = 0;
};

// scale * (row_factors * (matrix entries) + biases), or the entries themselves where there is no matrix.
struct AffineValue {
    std::vector<AffineEntry> entries;
    std::shared_ptr<const FloatArray> matrix{};
    bool outputs_first = false; // the matrix is of shape (outputs, inputs)
    std::vector<double> row_factors{}, biases{};
    double scale = 1;       // kept apart: it may become the parameter of an activation
    std::size_t layers = 0; // closed before it, and needed to compute it; 0: of the point alone
    int rank = -1;          // dimensions of the array; -1: not known
    bool loose = false;     // its last dimension is no longer the one of features

    [[nodiscard]] std::size_t width() const { return matrix ? biases.size() : entries.size(); }
    void multiply(std::span<const float> constant); // one number, or one for each of the width
    void divide(std::span<const float> constant);
    void add(std::span<const float> constant, double sign);
    void fold_scale(); // into the matrix and the biases
};

// What of the point enters: a coordinate, or the sine or cosine of it times a frequency.
struct PointFeature {
    enum class Kind : unsigned char { coordinate, sine, cosine };
    Kind kind = Kind::coordinate;
    int axis = 0;
    double frequency = 0;

    friend bool operator==(const PointFeature&, const PointFeature&) = default;
};

// Collects layers, one after another. Throws Error without a file: the caller knows where it is.
class LayerBuilder {
public:
    explicit LayerBuilder(std::size_t max_weights) : max_weights_(max_weights) {}

    [[nodiscard]] static AffineValue point(int rank);
    // The value, if it consists of coordinates alone, as features of its sines or cosines; else Error{unsupported} for
    // cosines, and the layer that sines close.
    [[nodiscard]] AffineValue sine(const AffineValue& value);
    [[nodiscard]] AffineValue cosine(const AffineValue& value);
    // The outputs of the layer that the value becomes.
    [[nodiscard]] AffineValue close(AffineValue value, Activation activation, double parameter = 1);
    // Everything, where `value` is the answer.
    [[nodiscard]] Network finish(const AffineValue& value) &&;

private:
    struct Layer {
        DenseLayer dense;               // inputs: the outputs of the layer before
        std::vector<int> features;      // and these
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
