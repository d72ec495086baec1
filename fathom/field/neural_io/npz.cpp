// Reader and writer of networks in the format of neural-implicit-queries: a zip of NumPy arrays, where
// "0002.dense.A.npy" is the array A of the third operation, a dense layer. Operations are applied in order; y = x A +
// b.
#include <fathom/base/encode/text.h>
#include <fathom/field/file/npy_file.h>
#include <fathom/field/neural_io/network_formats.h>
#include <fathom/field/neural_io/zip_archive.h>

#include <Eigen/LU>
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <map>

namespace fathom {

namespace {

constexpr std::size_t max_operations = 4 * Network::max_layers;
constexpr std::string_view ending = ".npy";

struct Operation {
    std::string name;
    std::map<std::string, FloatArray, std::less<>> arrays;
};

struct NamedActivation {
    std::string_view name;
    Activation activation;
};
// tanh and softplus are not from that project, but from others that adopted its files.
constexpr std::array<NamedActivation, 5> activations = {{{"relu", Activation::relu},
                                                         {"elu", Activation::elu},
                                                         {"sin", Activation::sine},
                                                         {"tanh", Activation::tanh},
                                                         {"softplus", Activation::softplus}}};

FloatArray read_array(const Source& source) {
    const NpyHead head = read_npy_head(source);
    if (head.shape.size() > 2)
        throw Error(Cause::unsupported, fmt::format("unsupported array of {} dimensions", head.shape.size()),
                    {.file = source.name, .element = "shape"});
    FloatArray array{head.shape, std::vector<float>(head.count)};
    const auto columns = static_cast<std::size_t>(head.shape.size() < 2 ? 1 : head.shape[1]);
    visit_npy_table(source, head, [&](std::size_t row, std::size_t column, double value) {
        array.values[row * columns + column] = static_cast<float>(value);
    });
    return array;
}

class Builder {
public:
    Builder(const Source& source, const NetworkFileOptions& options) : source_(source) {
        network_.center = options.center;
        network_.scale = options.scale;
        network_.domain = options.domain;
    }

    Network build() {
        const std::vector<ZipEntry> entries = zip_entries(source_);
        for (const ZipEntry& entry : entries) take(entry);
        for (index_ = 0; index_ < operations_.size(); ++index_) {
            const auto found = operations_.find(index_);
            if (found == operations_.end()) fail(Cause::malformed, "is missing");
            apply(found->second);
        }
        return std::move(network_);
    }

private:
    [[nodiscard]] Place place() const {
        return {.file = source_.name, .element = "operation", .index = static_cast<std::int64_t>(index_)};
    }
    [[noreturn]] void fail(Cause cause, std::string reason) const { throw Error(cause, std::move(reason), place()); }

    // "0002.dense.A.npy"
    void take(const ZipEntry& entry) {
        const std::string_view key = entry.name;
        const char* const end = key.data() + key.size();
        const auto [after, error] = std::from_chars(key.data(), end, index_);
        const std::string_view words(after, static_cast<std::size_t>(end - after));
        const std::size_t dot = words.find('.', 1);
        if (error != std::errc() || !words.starts_with('.') || !words.ends_with(ending) ||
            dot == std::string_view::npos || dot + 1 + ending.size() >= words.size())
            throw Error(
                Cause::malformed,
                fmt::format("'{}' is not an array of a network; expected a name like 0002.dense.A.npy", printable(key)),
                {.file = source_.name});
        if (index_ >= max_operations)
            fail(Cause::too_large, fmt::format("the maximum is {} operations", max_operations));
        const std::string_view name = words.substr(1, dot - 1);
        const std::string_view array = words.substr(dot + 1, words.size() - dot - 1 - ending.size());
        Operation& operation = operations_[index_];
        if (operation.arrays.empty()) operation.name = name;
        if (operation.name != name)
            fail(Cause::malformed,
                 fmt::format("has two names, '{}' and '{}'", printable(operation.name), printable(name)));
        const Bytes bytes = unpacked(entry, source_);
        const bool first = operation.arrays.emplace(array, read_array({bytes.span(), inner_name(key)})).second;
        if (!first) fail(Cause::malformed, fmt::format("contains '{}' twice", printable(array)));
    }
    [[nodiscard]] std::string inner_name(std::string_view key) const {
        return fmt::format("{}({})", source_.name, printable(key));
    }

    void apply(const Operation& operation) {
        if (ended_) fail(Cause::unsupported, fmt::format("'{}' follows squeeze_last", printable(operation.name)));
        const std::string_view name = operation.name;
        for (const NamedActivation& known : activations)
            if (name == known.name) return activate(known);
        if (name == "dense") {
            only(operation, {"A", "b"});
            append(dense_layer(array(operation, "A"), optional_array(operation, "b"), place()));
        } else if (name == "pow2_frequency_encode") {
            only(operation, {"coefs", "shift"});
            encode(array(operation, "coefs"), optional_array(operation, "shift"));
        } else if (name == "spatial_transformation") {
            only(operation, {"R", "t"});
            transform(array(operation, "R"), array(operation, "t"));
        } else if (name == "squeeze_last") {
            ended_ = true;
        } else {
            fail(Cause::unsupported, fmt::format("unsupported operation '{}'", printable(name)));
        }
    }

    void only(const Operation& operation, std::initializer_list<std::string_view> known) const {
        for (const auto& [name, array] : operation.arrays)
            if (std::find(known.begin(), known.end(), name) == known.end())
                fail(Cause::unsupported,
                     fmt::format("'{}' has an unknown array '{}'", printable(operation.name), printable(name)));
    }
    [[nodiscard]] const FloatArray* optional_array(const Operation& operation, std::string_view name) const {
        const auto found = operation.arrays.find(name);
        return found == operation.arrays.end() ? nullptr : &found->second;
    }
    [[nodiscard]] const FloatArray& array(const Operation& operation, std::string_view name) const {
        const FloatArray* found = optional_array(operation, name);
        if (!found) fail(Cause::malformed, fmt::format("'{}' has no array '{}'", printable(operation.name), name));
        return *found;
    }

    [[nodiscard]] int arriving() const { return network_.layers.empty() ? 3 : network_.layers.back().outputs; }

    void append(DenseLayer layer) {
        if (layer.inputs != arriving())
            fail(Cause::count_mismatch, fmt::format("expects {} inputs, got {}", layer.inputs, arriving()));
        if (network_.layers.size() == Network::max_layers)
            fail(Cause::too_large, fmt::format("the maximum is {} layers", Network::max_layers));
        network_.layers.push_back(std::move(layer));
        activated_ = false;
    }

    void activate(const NamedActivation& known) {
        if (network_.layers.empty() || activated_)
            fail(Cause::unsupported, fmt::format("'{}' does not follow a dense layer", known.name));
        network_.layers.back().activation = known.activation;
        activated_ = true;
    }

    // Despite its name the operation is linear, x c + s for every coordinate and coefficient; a sine follows.
    void encode(const FloatArray& coefficients, const FloatArray* shift) {
        const std::size_t count = coefficients.values.size();
        if (arriving() != 3) fail(Cause::unsupported, "'pow2_frequency_encode' must be applied to the point");
        if (count == 0 || count > Network::max_width / 3)
            fail(Cause::too_large, fmt::format("{} frequencies; expected 1 to {}", count, Network::max_width / 3));
        if (shift && shift->values.size() != count)
            fail(Cause::count_mismatch, fmt::format("got {} shifts for {} frequencies", shift->values.size(), count));
        DenseLayer layer{.inputs = 3, .outputs = static_cast<int>(3 * count)};
        layer.weights.resize(9 * count);
        for (std::size_t axis = 0; axis < 3; ++axis)
            for (std::size_t k = 0; k < count; ++k) {
                layer.weights[(axis * count + k) * 3 + axis] = coefficients.values[k];
                layer.biases.push_back(shift ? shift->values[k] : 0.F);
            }
        append(std::move(layer));
    }

    // Points are mapped as in that project: x inv(R) - inv(R) t, with the point as a row. For rotations that is not the
    // inverse motion, but it is the mapping used with its networks.
    void transform(const FloatArray& matrix, const FloatArray& shift) {
        if (!network_.layers.empty()) fail(Cause::unsupported, "'spatial_transformation' must be applied to the point");
        if (matrix.shape != std::vector<std::uint64_t>{3, 3} || shift.values.size() != 3)
            fail(Cause::count_mismatch, "'spatial_transformation' requires a 3 x 3 matrix R and a vector t of 3");
        const Eigen::Map<const Eigen::Matrix<float, 3, 3, Eigen::RowMajor>> stated(matrix.values.data());
        const Eigen::Matrix3d turn = stated.cast<double>();
        const Eigen::Matrix3d inverse = turn.inverse();
        const Vec3 t(shift.values[0], shift.values[1], shift.values[2]);
        if (!inverse.allFinite() || !t.allFinite()) fail(Cause::malformed, "'spatial_transformation' has no inverse");
        if (turn.isIdentity(0) && t.isZero(0)) return;
        const Vec3 offset = -inverse * t;
        DenseLayer layer{.inputs = 3, .outputs = 3};
        for (int row = 0; row < 3; ++row) {
            for (int column = 0; column < 3; ++column)
                layer.weights.push_back(static_cast<float>(inverse(column, row)));
            layer.biases.push_back(static_cast<float>(offset[row]));
        }
        append(std::move(layer));
        Box moved;
        for (int k = 0; k < 8; ++k) moved.extend(turn.transpose() * (network_.domain.corner(k) - offset));
        network_.domain = moved;
    }

    const Source& source_;
    Network network_;
    std::map<std::size_t, Operation> operations_;
    std::size_t index_ = 0; // of the current operation
    bool activated_ = false, ended_ = false;
};

std::string written_array(const std::vector<std::uint64_t>& shape, std::span<const float> values) {
    std::string bytes = written_npy_head(false, false, shape);
    return bytes.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
}

void check_fits(const DenseLayer& layer, std::size_t index) {
    const Activation a = layer.activation;
    const bool known = a == Activation::none || a == Activation::relu || a == Activation::elu || a == Activation::sine;
    const bool plain = layer.parameter == 1 || a == Activation::none || a == Activation::relu;
    if (layer.skip_input || !known || !plain)
        throw Error(
            Cause::unsupported,
            ".npz of neural-implicit-queries supports only relu, elu and sine of parameter 1, without skip connections",
            {.element = "layer", .index = static_cast<std::int64_t>(index)});
}

} // namespace

bool is_npz(std::span<const std::byte> bytes) {
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (!text.starts_with("PK\x03\x04") || text.size() < 30) return false;
    const std::size_t name_size = static_cast<unsigned char>(text[26]) + 256U * static_cast<unsigned char>(text[27]);
    return text.substr(30, name_size).ends_with(ending);
}

NetworkFile read_npz_network(const Source& source, const NetworkFileOptions& options) {
    return {Builder(source, options).build(), "npz", {}, {}};
}

std::string written_npz_network(const Network& network) {
    if (network.encoding.frequencies > 0)
        throw Error(Cause::unsupported, ".npz of neural-implicit-queries does not support this positional encoding");
    std::vector<std::pair<std::string, std::string>> files;
    std::size_t operation = 0;
    const auto add = [&](std::string_view name, const std::vector<std::uint64_t>& shape,
                         std::span<const float> values) {
        files.emplace_back(fmt::format("{:04}.{}{}", operation, name, ending), written_array(shape, values));
    };
    for (std::size_t k = 0; k < network.layers.size(); ++k) {
        const DenseLayer& layer = network.layers[k];
        check_fits(layer, k);
        const auto inputs = static_cast<std::size_t>(layer.inputs), outputs = static_cast<std::size_t>(layer.outputs);
        std::vector<float> kernel(layer.weights.size());
        for (std::size_t i = 0; i < inputs; ++i)
            for (std::size_t o = 0; o < outputs; ++o) kernel[i * outputs + o] = layer.weights[o * inputs + i];
        add("dense.A", {inputs, outputs}, kernel);
        add("dense.b", {outputs}, layer.biases);
        ++operation;
        for (const NamedActivation& known : activations)
            if (known.activation == layer.activation) {
                add(fmt::format("{}._", known.name), {0}, {});
                ++operation;
            }
    }
    add("squeeze_last._", {0}, {});
    return written_zip(files);
}

} // namespace fathom
