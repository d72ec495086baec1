// Folds the operations of a graph into layers.
#include <fathom/field/neural_io/onnx_layers.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace fathom {

namespace {

constexpr std::size_t max_features = 3 + 6 * Network::max_frequencies;

double number(std::span<const float> constant, std::size_t k) {
    return static_cast<double>(constant.size() == 1 ? constant[0] : constant[k]);
}

template <class Change>
void change(AffineValue& value, std::span<const float> constant, Change by) {
    if (value.matrix && constant.size() == 1) return by(value.scale, number(constant, 0));
    for (std::size_t k = 0; k < value.width(); ++k) {
        by(value.matrix ? value.row_factors[k] : value.entries[k].factor, number(constant, k));
        by(value.matrix ? value.biases[k] : value.entries[k].offset, number(constant, k));
    }
}

bool is_coordinate(const AffineEntry& entry) {
    return entry.of == AffineEntry::Of::feature && entry.index < 3 && entry.factor != 0 && entry.offset == 0;
}

// Exponent of the power of two that is the ratio; -1 if it is not one that an encoding can have.
int octave(double frequency, double lowest) {
    const double k = std::round(std::log2(frequency / lowest));
    if (!(k >= 0) || k >= Network::max_frequencies) return -1;
    const int whole = static_cast<int>(k);
    return std::abs(frequency - std::ldexp(lowest, whole)) <= 1e-6 * frequency ? whole : -1;
}

} // namespace

void AffineValue::multiply(std::span<const float> constant) {
    change(*this, constant, [](double& value, double by) { value *= by; });
}

// Divides instead of multiplying by the reciprocal, so that dividing by a number undoes multiplying by it.
void AffineValue::divide(std::span<const float> constant) {
    change(*this, constant, [](double& value, double by) { value /= by; });
}

void AffineValue::add(std::span<const float> constant, double sign) {
    fold_scale();
    for (std::size_t k = 0; k < width(); ++k) (matrix ? biases[k] : entries[k].offset) += sign * number(constant, k);
}

void AffineValue::fold_scale() {
    if (scale == 1) return;
    for (double& factor : row_factors) factor *= scale;
    for (double& bias : biases) bias *= scale;
    scale = 1;
}

AffineValue LayerBuilder::point(int rank) {
    AffineValue value;
    for (int axis = 0; axis < 3; ++axis) value.entries.push_back({AffineEntry::Of::feature, axis, 1, 0});
    value.rank = rank;
    return value;
}

int LayerBuilder::feature(const PointFeature& wanted) {
    const auto found = std::find(features_.begin(), features_.end(), wanted);
    const auto index = static_cast<int>(found - features_.begin());
    if (found == features_.end()) {
        if (features_.size() == max_features)
            throw Error(Cause::unsupported, "too many sines and cosines of the point for a positional encoding");
        features_.push_back(wanted);
    }
    return index;
}

AffineValue LayerBuilder::waves(const AffineValue& value, PointFeature::Kind kind) {
    AffineValue result = value;
    for (AffineEntry& entry : result.entries) {
        const double sign = kind == PointFeature::Kind::sine && entry.factor < 0 ? -1 : 1;
        entry.index = feature({kind, features_[static_cast<std::size_t>(entry.index)].axis, std::abs(entry.factor)});
        entry.factor = sign;
    }
    return result;
}

AffineValue LayerBuilder::sine(const AffineValue& value) {
    const bool encodes = !value.matrix && std::all_of(value.entries.begin(), value.entries.end(), is_coordinate);
    return encodes ? waves(value, PointFeature::Kind::sine) : close(value, Activation::sine);
}

AffineValue LayerBuilder::cosine(const AffineValue& value) {
    if (value.matrix || !std::all_of(value.entries.begin(), value.entries.end(), is_coordinate))
        throw Error(Cause::unsupported, "a cosine is applied to something other than multiples of the point");
    return waves(value, PointFeature::Kind::cosine);
}

// weights = row_factors * matrix * factors, biases = row_factors * matrix * offsets + biases. Written so that factors
// of 1 and offsets of 0 preserve every bit, including signs of zeros.
void LayerBuilder::fill(const AffineValue& value, Layer& layer) const {
    const std::size_t inputs = value.entries.size(), outputs = value.width();
    const auto columns = static_cast<std::size_t>(layer.dense.inputs), features = layer.features.size();
    std::vector<double> row(columns + features);
    std::vector<bool> used(row.size());
    for (std::size_t o = 0; o < outputs; ++o) {
        std::fill(row.begin(), row.end(), 0.);
        std::fill(used.begin(), used.end(), false);
        double bias = value.matrix ? value.biases[o] : 0.;
        for (std::size_t i = value.matrix ? 0 : o; i < (value.matrix ? inputs : o + 1); ++i) {
            const AffineEntry& entry = value.entries[i];
            double weight = 1;
            if (value.matrix) {
                const std::size_t at = value.outputs_first ? o * inputs + i : i * outputs + o;
                weight = value.row_factors[o] * static_cast<double>(value.matrix->values[at]);
            }
            if (entry.offset != 0) bias += weight * entry.offset;
            if (entry.of == AffineEntry::Of::nothing) continue;
            std::size_t column = static_cast<std::size_t>(entry.index);
            if (entry.of == AffineEntry::Of::feature)
                column = columns +
                         static_cast<std::size_t>(std::find(layer.features.begin(), layer.features.end(), entry.index) -
                                                  layer.features.begin());
            row[column] = used[column] ? row[column] + weight * entry.factor : weight * entry.factor;
            used[column] = true;
        }
        layer.dense.biases[o] = static_cast<float>(bias);
        for (std::size_t c = 0; c < columns; ++c) layer.dense.weights[o * columns + c] = static_cast<float>(row[c]);
        for (std::size_t f = 0; f < features; ++f)
            layer.of_features[o * features + f] = static_cast<float>(row[columns + f]);
    }
}

AffineValue LayerBuilder::close(AffineValue value, Activation activation, double parameter) {
    if (value.layers != layers_.size())
        throw Error(Cause::unsupported, "the layers are not consecutive: a branch or an inner skip connection");
    if (layers_.size() == Network::max_layers)
        throw Error(Cause::too_large, fmt::format("the maximum is {} layers", Network::max_layers));
    const bool keeps_scale = (activation == Activation::sine || activation == Activation::softplus) && value.scale > 0;
    if (keeps_scale)
        parameter = value.scale;
    else
        value.fold_scale();
    Layer layer;
    layer.dense = {.inputs = layers_.empty() ? 0 : layers_.back().dense.outputs,
                   .outputs = static_cast<int>(value.width()),
                   .activation = activation,
                   .parameter = static_cast<float>(parameter)};
    for (const AffineEntry& entry : value.entries)
        if (entry.of == AffineEntry::Of::feature &&
            std::find(layer.features.begin(), layer.features.end(), entry.index) == layer.features.end())
            layer.features.push_back(entry.index);
    const std::size_t outputs = value.width(), columns = static_cast<std::size_t>(layer.dense.inputs);
    weights_ += outputs * (columns + layer.features.size() + 1);
    if (weights_ > max_weights_)
        throw Error(Cause::too_large, "the network has more weights than the file can contain");
    layer.dense.biases.resize(outputs);
    layer.dense.weights.resize(outputs * columns);
    layer.of_features.resize(outputs * layer.features.size());
    fill(value, layer);
    layers_.push_back(std::move(layer));
    AffineValue result{.entries = std::vector<AffineEntry>(outputs)};
    // ONNX's softplus has no parameter: its result is `parameter` times that of the layer.
    const double factor = activation == Activation::softplus ? parameter : 1;
    for (std::size_t k = 0; k < outputs; ++k)
        result.entries[k] = {AffineEntry::Of::layer, static_cast<int>(k), factor, 0};
    result.layers = layers_.size();
    result.rank = value.rank;
    result.loose = value.loose;
    return result;
}

void LayerBuilder::choose_encoding(PositionalEncoding& encoding) const {
    double lowest = HUGE_VAL;
    encoding.point_first = false;
    for (const Layer& layer : layers_)
        for (const int index : layer.features) {
            const PointFeature& f = features_[static_cast<std::size_t>(index)];
            if (f.kind == PointFeature::Kind::coordinate)
                encoding.point_first = true;
            else
                lowest = std::min(lowest, f.frequency);
        }
    if (lowest == HUGE_VAL) return;
    encoding.scale = static_cast<float>(lowest);
    for (const Layer& layer : layers_)
        for (const int index : layer.features) {
            const PointFeature& f = features_[static_cast<std::size_t>(index)];
            if (f.kind == PointFeature::Kind::coordinate) continue;
            const int k = octave(f.frequency, lowest);
            if (k < 0)
                throw Error(Cause::unsupported,
                            fmt::format("the frequencies {} and {} of sines do not differ by a power of two", lowest,
                                        f.frequency));
            encoding.frequencies = std::max(encoding.frequencies, k + 1);
        }
}

std::size_t LayerBuilder::column(const PositionalEncoding& encoding, const PointFeature& feature) const {
    if (feature.kind == PointFeature::Kind::coordinate) return static_cast<std::size_t>(feature.axis);
    const int k = octave(feature.frequency, static_cast<double>(encoding.scale));
    const int wave = feature.kind == PointFeature::Kind::sine ? 0 : 3;
    return static_cast<std::size_t>((encoding.point_first ? 3 : 0) + 6 * std::max(k, 0) + wave + feature.axis);
}

Network LayerBuilder::finish(const AffineValue& value) && {
    const bool is_last_layer = !value.matrix && value.layers == layers_.size() && value.width() == 1 &&
                               value.entries[0].of == AffineEntry::Of::layer && value.entries[0].factor == 1 &&
                               value.entries[0].offset == 0;
    if (!is_last_layer) static_cast<void>(close(value, Activation::none));
    Network network;
    choose_encoding(network.encoding);
    const auto encoded = static_cast<std::size_t>(network.encoding.outputs());
    for (Layer& layer : layers_) {
        DenseLayer dense = std::move(layer.dense);
        const bool first = network.layers.empty();
        if (first || !layer.features.empty()) {
            const auto before = static_cast<std::size_t>(dense.inputs), inputs = before + encoded;
            const auto outputs = static_cast<std::size_t>(dense.outputs);
            std::vector<float> weights(outputs * inputs);
            for (std::size_t o = 0; o < outputs; ++o) {
                for (std::size_t c = 0; c < before; ++c) weights[o * inputs + c] = dense.weights[o * before + c];
                for (std::size_t f = 0; f < layer.features.size(); ++f) {
                    const PointFeature& feature = features_[static_cast<std::size_t>(layer.features[f])];
                    weights[o * inputs + before + column(network.encoding, feature)] =
                        layer.of_features[o * layer.features.size() + f];
                }
            }
            dense.weights = std::move(weights);
            dense.inputs = static_cast<int>(inputs);
            dense.skip_input = !first;
        }
        network.layers.push_back(std::move(dense));
    }
    return network;
}

} // namespace fathom
