// Writer of networks as ONNX files of opset 13: from an array of points (N, 3) to values (N, 1), in the units of the
// network. The field numbers are those of onnx.proto.
#include <fathom/field/neural_io/network_formats.h>
#include <fathom/field/neural_io/protobuf_wire.h>

#include <fmt/format.h>

#include <cmath>

namespace fathom {

namespace {

constexpr std::uint64_t ir_version = 8, opset = 13, float_type = 1;
constexpr std::uint64_t float_attribute = 1, whole_attribute = 2;

std::string pair_of(std::string_view first, std::string_view second) {
    std::string out;
    append_wire(out, 1, first);
    append_wire(out, 2, second);
    return out;
}

std::string array_info(std::string_view name, std::uint64_t columns) {
    std::string points, count, shape, tensor, type;
    append_wire(points, 2, std::string_view("N"));
    append_wire(count, 1, columns);
    append_wire(shape, 1, points);
    append_wire(shape, 1, count);
    append_wire(tensor, 1, float_type);
    append_wire(tensor, 2, shape);
    append_wire(type, 1, tensor);
    return pair_of(name, type);
}

class GraphWriter {
public:
    std::string write(const Network& network) {
        const std::string encoded = encode(network.encoding);
        std::string value = encoded;
        for (std::size_t k = 0; k < network.layers.size(); ++k) {
            const DenseLayer& layer = network.layers[k];
            const std::string name = fmt::format("layer{}", k);
            if (layer.skip_input) value = concatenate(fmt::format("{}.input", name), {value, encoded});
            value = dense(name, layer, value);
            value = activate(name, layer, value);
        }
        node("Identity", "answer", {value}, "distance");
        append_wire(graph_, 2, std::string_view("field"));
        append_wire(graph_, 11, array_info("point", 3));
        append_wire(graph_, 12, array_info("distance", 1));
        return std::move(graph_);
    }

private:
    static std::string attribute(std::string_view name, std::uint64_t value) {
        std::string out;
        append_wire(out, 1, name);
        append_wire(out, 3, value);
        append_wire(out, 20, whole_attribute);
        return out;
    }
    static std::string attribute(std::string_view name, float value) {
        std::string out;
        append_wire(out, 1, name);
        append_wire(out, 2, value);
        append_wire(out, 20, float_attribute);
        return out;
    }

    void node(std::string_view kind, std::string_view name, const std::vector<std::string>& inputs,
              std::string_view output, std::string_view with = {}) {
        std::string out;
        for (const std::string& input : inputs) append_wire(out, 1, input);
        append_wire(out, 2, output);
        append_wire(out, 3, name);
        append_wire(out, 4, kind);
        if (!with.empty()) append_wire(out, 5, with);
        append_wire(graph_, 1, out);
    }
    std::string step(std::string_view kind, const std::string& name, const std::vector<std::string>& inputs,
                     std::string_view with = {}) {
        node(kind, name, inputs, name, with);
        return name;
    }
    std::string concatenate(const std::string& name, const std::vector<std::string>& inputs) {
        return step("Concat", name, inputs, attribute("axis", std::uint64_t{1}));
    }

    std::string constant(const std::string& name, std::initializer_list<std::size_t> shape,
                         std::span<const float> values) {
        std::string out;
        for (const std::size_t n : shape) append_wire(out, 1, std::uint64_t{n});
        append_wire(out, 2, float_type);
        append_wire(out, 8, name);
        append_wire(out, 9, {reinterpret_cast<const char*>(values.data()), values.size_bytes()});
        append_wire(graph_, 5, out);
        return name;
    }

    std::string encode(const PositionalEncoding& encoding) {
        if (encoding.frequencies == 0) return "point";
        std::vector<std::string> parts;
        if (encoding.point_first) parts.emplace_back("point");
        for (int k = 0; k < encoding.frequencies; ++k) {
            const float frequency = std::ldexp(encoding.scale, k);
            const std::string name = fmt::format("wave{}", k);
            const std::string scaled =
                step("Mul", name, {"point", constant(name + ".frequency", {1}, {&frequency, 1})});
            parts.push_back(step("Sin", name + ".sine", {scaled}));
            parts.push_back(step("Cos", name + ".cosine", {scaled}));
        }
        return concatenate("encoded", parts);
    }

    std::string dense(const std::string& name, const DenseLayer& layer, const std::string& value) {
        const auto inputs = static_cast<std::size_t>(layer.inputs), outputs = static_cast<std::size_t>(layer.outputs);
        const std::string weights = constant(name + ".weight", {outputs, inputs}, layer.weights);
        const std::string biases = constant(name + ".bias", {outputs}, layer.biases);
        return step("Gemm", name, {value, weights, biases}, attribute("transB", std::uint64_t{1}));
    }

    std::string activate(const std::string& name, const DenseLayer& layer, std::string value) {
        const std::string parameter = name + ".parameter", active = name + ".active";
        const bool scaled =
            layer.parameter != 1 && (layer.activation == Activation::sine || layer.activation == Activation::softplus);
        if (scaled) value = step("Mul", name + ".scaled", {value, constant(parameter, {1}, {&layer.parameter, 1})});
        switch (layer.activation) {
        case Activation::none:
            return value;
        case Activation::relu:
            return step("Relu", active, {value});
        case Activation::elu:
            return step("Elu", active, {value}, attribute("alpha", layer.parameter));
        case Activation::tanh:
            return step("Tanh", active, {value});
        case Activation::sine:
            return step("Sin", active, {value});
        case Activation::softplus:
            value = step("Softplus", active, {value});
            return scaled ? step("Div", name + ".divided", {value, parameter}) : value;
        }
        return value;
    }

    std::string graph_;
};

} // namespace

// The graph comes last, so that every truncated file is detected.
std::string written_onnx_network(const Network& network) {
    const Vec3 &c = network.center, &l = network.domain.lower, &u = network.domain.upper;
    std::string out, operators;
    append_wire(operators, 2, opset);
    append_wire(out, 1, ir_version);
    append_wire(out, 2, std::string_view("fathom"));
    append_wire(out, 8, operators);
    append_wire(out, 14, pair_of(onnx_center_key, fmt::format("{} {} {}", c.x(), c.y(), c.z())));
    append_wire(out, 14, pair_of(onnx_scale_key, fmt::format("{}", network.scale)));
    append_wire(out, 14,
                pair_of(onnx_domain_key, fmt::format("{} {} {} {} {} {}", l.x(), l.y(), l.z(), u.x(), u.y(), u.z())));
    append_wire(out, 7, GraphWriter().write(network));
    return out;
}

} // namespace fathom
