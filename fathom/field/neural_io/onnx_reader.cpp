// Reader of networks from ONNX files. It visits the nodes in order; each is an operation of onnx_layers.h or is
// rejected by name.
#include <fathom/base/encode/text.h>
#include <fathom/field/neural_io/network_formats.h>
#include <fathom/field/neural_io/onnx_graph.h>
#include <fathom/field/neural_io/onnx_layers.h>
#include <fathom/field/neural_io/protobuf_wire.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <variant>

namespace fathom {

namespace {

using Constant = std::shared_ptr<const OnnxTensor>;
using Affine = std::shared_ptr<const AffineValue>;
using Value = std::variant<Constant, Affine>;

class GraphReader {
public:
    GraphReader(const Source& source, OnnxGraph graph)
        : source_(source), graph_(std::move(graph)), budget_(4 * source.bytes.size() + 65536), builder_(budget_) {}

    Network read() {
        for (auto& [name, constant] : graph_.constants) values_.emplace(name, constant);
        read_input();
        for (const OnnxNode& node : graph_.nodes) {
            node_ = &node;
            try {
                step();
            } catch (const Error& error) { // of the builder, which has no file position
                if (!error.place().file.empty()) throw;
                fail(error.cause(), error.reason());
            }
        }
        return answer();
    }

private:
    using Step = void (GraphReader::*)();
    struct NamedStep {
        std::string_view kind;
        Step step;
        std::size_t min_inputs, max_inputs;
        std::string_view attributes; // known ones, between spaces
    };

    [[nodiscard]] Place place() const {
        std::string element = "graph";
        if (node_) element = fmt::format("node '{}' ({})", printable(node_->name), printable(node_->kind));
        return {.file = source_.name, .element = std::move(element)};
    }
    [[noreturn]] void fail(Cause cause, std::string reason) const { throw Error(cause, std::move(reason), place()); }

    void read_input() {
        if (graph_.inputs.size() != 1)
            fail(Cause::unsupported,
                 fmt::format("the graph has {} inputs; expected the point alone", graph_.inputs.size()));
        const auto& shape = graph_.inputs[0].shape;
        if (shape && (shape->empty() || (shape->back() != 3 && shape->back() != -1)))
            fail(Cause::unsupported, "its input is not an array of points of 3 coordinates");
        const int rank = shape ? static_cast<int>(std::min<std::size_t>(shape->size(), 64)) : -1;
        values_.insert_or_assign(graph_.inputs[0].name, std::make_shared<const AffineValue>(LayerBuilder::point(rank)));
    }

    Network answer() {
        node_ = nullptr;
        if (graph_.outputs.size() != 1)
            fail(Cause::unsupported, fmt::format("the graph has {} outputs; expected one", graph_.outputs.size()));
        const auto found = values_.find(graph_.outputs[0]);
        if (found == values_.end()) fail(Cause::malformed, "no node produces its output");
        const auto* affine = std::get_if<Affine>(&found->second);
        if (!affine) fail(Cause::unsupported, "its output does not depend on the point");
        return std::move(builder_).finish(**affine);
    }

    void step() {
        static constexpr std::array<NamedStep, 22> steps = {{
            {"Gemm", &GraphReader::gemm, 2, 3, " alpha beta transA transB "},
            {"MatMul", &GraphReader::matrix_product, 2, 2, ""},
            {"Add", &GraphReader::add, 2, 2, ""},
            {"Sub", &GraphReader::subtract, 2, 2, ""},
            {"Mul", &GraphReader::multiply, 2, 2, ""},
            {"Div", &GraphReader::divide, 2, 2, ""},
            {"Neg", &GraphReader::negate, 1, 1, ""},
            {"Relu", &GraphReader::relu, 1, 1, ""},
            {"Elu", &GraphReader::elu, 1, 1, " alpha "},
            {"Tanh", &GraphReader::tanh, 1, 1, ""},
            {"Sin", &GraphReader::sine, 1, 1, ""},
            {"Cos", &GraphReader::cosine, 1, 1, ""},
            {"Softplus", &GraphReader::softplus, 1, 1, ""},
            {"Concat", &GraphReader::concatenate, 1, 256, " axis "},
            {"Constant", &GraphReader::constant, 0, 0, " value value_float value_floats value_int value_ints "},
            {"Identity", &GraphReader::identity, 1, 1, ""},
            {"Cast", &GraphReader::cast, 1, 1, " to saturate "},
            {"Transpose", &GraphReader::transpose, 1, 1, " perm "},
            {"Flatten", &GraphReader::flatten, 1, 1, " axis "},
            {"Reshape", &GraphReader::reshape, 2, 2, " allowzero "},
            {"Squeeze", &GraphReader::squeeze, 1, 2, " axes "},
            {"Unsqueeze", &GraphReader::unsqueeze, 1, 2, " axes "},
        }};
        for (const NamedStep& known : steps) {
            if (known.kind != node_->kind) continue;
            if (node_->inputs.size() < known.min_inputs || node_->inputs.size() > known.max_inputs ||
                node_->outputs.size() != 1)
                fail(Cause::malformed, fmt::format("unsupported number of inputs ({}) and outputs ({})",
                                                   node_->inputs.size(), node_->outputs.size()));
            for (const auto& [name, attribute] : node_->attributes)
                if (known.attributes.find(fmt::format(" {} ", name)) == std::string_view::npos)
                    fail(Cause::unsupported, fmt::format("unsupported attribute '{}'", printable(name)));
            return (this->*known.step)();
        }
        fail(Cause::unsupported, fmt::format("unsupported operator '{}'", printable(node_->kind)));
    }

    [[nodiscard]] const Value& input(std::size_t k) const {
        const auto found = values_.find(node_->inputs[k]);
        if (found == values_.end())
            fail(Cause::malformed,
                 fmt::format("its input '{}' is not produced before it", printable(node_->inputs[k])));
        return found->second;
    }
    [[nodiscard]] const AffineValue& affine(std::size_t k) const {
        const auto* value = std::get_if<Affine>(&input(k));
        if (!value) fail(Cause::unsupported, "all operands are constants");
        return **value;
    }
    [[nodiscard]] bool is_constant(std::size_t k) const { return std::holds_alternative<Constant>(input(k)); }
    [[nodiscard]] const OnnxTensor& tensor(std::size_t k) const {
        const auto* value = std::get_if<Constant>(&input(k));
        if (!value) fail(Cause::unsupported, "both operands depend on the point");
        return **value;
    }
    [[nodiscard]] const OnnxAttribute* attribute(std::string_view name) const {
        const auto found = node_->attributes.find(name);
        return found == node_->attributes.end() ? nullptr : &found->second;
    }
    [[nodiscard]] float number(std::string_view name, float otherwise) const {
        const OnnxAttribute* const found = attribute(name);
        return found ? found->number : otherwise;
    }
    [[nodiscard]] std::int64_t whole(std::string_view name, std::int64_t otherwise) const {
        const OnnxAttribute* const found = attribute(name);
        return found ? found->whole : otherwise;
    }

    void use_budget(std::size_t numbers) {
        if (numbers > budget_) fail(Cause::too_large, "the graph creates more numbers than the file can contain");
        budget_ -= numbers;
    }
    void put(Value value) {
        if (!values_.emplace(node_->outputs[0], std::move(value)).second)
            fail(Cause::malformed, fmt::format("'{}' is produced twice", printable(node_->outputs[0])));
    }
    void put(AffineValue value) {
        use_budget(value.entries.size() + value.biases.size());
        put(Value(std::make_shared<const AffineValue>(std::move(value))));
    }

    // Constant with as many numbers as the value has components, or one.
    [[nodiscard]] std::span<const float> fitting(const OnnxTensor& constant, const AffineValue& value) const {
        const FloatArray& floats = constant.floats;
        const bool wide =
            !floats.shape.empty() && floats.shape.back() == value.width() && floats.values.size() == value.width();
        if (floats.values.size() != 1 && (!wide || value.loose))
            fail(Cause::count_mismatch,
                 fmt::format("a constant has {} numbers; the value has {}", floats.values.size(), value.width()));
        return floats.values;
    }

    void dense(AffineValue value, std::shared_ptr<const FloatArray> matrix, bool outputs_first) {
        if (matrix->shape.size() != 2 || matrix->values.empty())
            fail(Cause::count_mismatch, "its constant is not a matrix");
        if (value.matrix) value = builder_.close(std::move(value), Activation::none);
        const std::uint64_t inputs = matrix->shape[outputs_first ? 1 : 0],
                            outputs = matrix->shape[outputs_first ? 0 : 1];
        if (value.loose || inputs != value.width())
            fail(Cause::count_mismatch, fmt::format("expects {} inputs, got {}", inputs, value.width()));
        if (outputs > Network::max_width)
            fail(Cause::too_large, fmt::format("{} outputs; the maximum is {}", outputs, Network::max_width));
        use_budget(2 * static_cast<std::size_t>(outputs));
        value.matrix = std::move(matrix);
        value.outputs_first = outputs_first;
        value.row_factors.assign(static_cast<std::size_t>(outputs), 1);
        value.biases.assign(static_cast<std::size_t>(outputs), 0);
        result_ = std::move(value);
    }
    [[nodiscard]] std::shared_ptr<const FloatArray> matrix(std::size_t k) const {
        static_cast<void>(tensor(k));
        const Constant& constant = std::get<Constant>(input(k));
        return {constant, &constant->floats};
    }

    void gemm() {
        if (whole("transA", 0) != 0) fail(Cause::unsupported, "transA is not supported");
        dense(affine(0), matrix(1), whole("transB", 0) != 0);
        const double alpha = static_cast<double>(number("alpha", 1));
        for (double& factor : result_.row_factors) factor = alpha;
        if (node_->inputs.size() == 3 && !node_->inputs[2].empty()) {
            const std::span<const float> biases = fitting(tensor(2), result_);
            const double beta = static_cast<double>(number("beta", 1));
            for (std::size_t k = 0; k < result_.biases.size(); ++k)
                result_.biases[k] = beta * static_cast<double>(biases[biases.size() == 1 ? 0 : k]);
        }
        put(std::move(result_));
    }
    void matrix_product() {
        dense(affine(0), matrix(1), false);
        put(std::move(result_));
    }

    // The operand that depends on the point, and the one that does not.
    struct Operands {
        AffineValue value;
        std::span<const float> constant;
        bool constant_first;
    };
    [[nodiscard]] Operands operands() const {
        const bool first = is_constant(0);
        const AffineValue& value = affine(first ? 1 : 0);
        return {value, fitting(tensor(first ? 0 : 1), value), first};
    }
    void add() {
        Operands o = operands();
        o.value.add(o.constant, 1);
        put(std::move(o.value));
    }
    void subtract() {
        Operands o = operands();
        if (o.constant_first) o.value.multiply(minus_one);
        o.value.add(o.constant, o.constant_first ? 1 : -1);
        put(std::move(o.value));
    }
    void multiply() {
        Operands o = operands();
        o.value.multiply(o.constant);
        put(std::move(o.value));
    }
    void divide() {
        Operands o = operands();
        if (o.constant_first) fail(Cause::unsupported, "the divisor depends on the point");
        o.value.divide(o.constant);
        put(std::move(o.value));
    }
    void negate() {
        AffineValue value = affine(0);
        value.multiply(minus_one);
        put(std::move(value));
    }

    void relu() { put(builder_.close(affine(0), Activation::relu)); }
    void elu() { put(builder_.close(affine(0), Activation::elu, static_cast<double>(number("alpha", 1)))); }
    void tanh() { put(builder_.close(affine(0), Activation::tanh)); }
    void sine() { put(builder_.sine(affine(0))); }
    void cosine() { put(builder_.cosine(affine(0))); }
    void softplus() { put(builder_.close(affine(0), Activation::softplus)); }

    void concatenate() {
        const std::int64_t axis = whole("axis", -1);
        AffineValue result;
        for (std::size_t k = 0; k < node_->inputs.size(); ++k) append(k, axis, result);
        if (result.entries.empty()) fail(Cause::unsupported, "has no operands");
        put(std::move(result));
    }
    void append(std::size_t k, std::int64_t axis, AffineValue& result) {
        if (is_constant(k)) {
            const std::vector<float>& numbers = tensor(k).floats.values;
            const auto& shape = tensor(k).floats.shape;
            if (shape.empty() || shape.back() != numbers.size())
                fail(Cause::unsupported, "a constant operand is not a row");
            use_budget(numbers.size());
            for (const float x : numbers)
                result.entries.push_back({AffineEntry::Of::nothing, 0, 0, static_cast<double>(x)});
            return;
        }
        AffineValue value = affine(k);
        if (value.matrix) value = builder_.close(std::move(value), Activation::none);
        if (value.loose || (axis != -1 && axis != value.rank - 1))
            fail(Cause::unsupported, "the axis is not the last one");
        if (value.layers != 0 && result.layers != 0 && value.layers != result.layers)
            fail(Cause::unsupported, "the operands are outputs of two layers");
        result.layers = std::max(result.layers, value.layers);
        result.rank = value.rank;
        use_budget(value.entries.size());
        result.entries.insert(result.entries.end(), value.entries.begin(), value.entries.end());
    }

    void constant() {
        if (node_->attributes.size() != 1) fail(Cause::unsupported, "must have exactly one value");
        const OnnxAttribute& value = node_->attributes.begin()->second;
        const std::string_view name = node_->attributes.begin()->first;
        if (name == "value" && !value.tensor) fail(Cause::malformed, "its tensor is missing");
        if (name == "value") return put(Value(value.tensor));
        OnnxTensor made;
        if (name == "value_float") made.floats = {{}, {value.number}};
        if (name == "value_floats") made.floats = {{value.numbers.size()}, value.numbers};
        if (name == "value_int") made.wholes = {value.whole};
        if (name == "value_ints") made.wholes = value.wholes;
        put(Value(std::make_shared<const OnnxTensor>(std::move(made))));
    }
    void identity() { put(input(0)); }
    void cast() {
        constexpr std::int64_t to_float = 1, to_double = 11;
        const std::int64_t to = whole("to", to_float);
        if (to != to_float && to != to_double)
            fail(Cause::unsupported, fmt::format("conversion to type {} is not supported", to));
        if (is_constant(0) && !tensor(0).wholes.empty()) fail(Cause::unsupported, "the operand is an integer tensor");
        put(input(0));
    }
    void transpose() {
        if (!is_constant(0)) fail(Cause::unsupported, "the operand depends on the point");
        const FloatArray& from = tensor(0).floats;
        const OnnxAttribute* const order = attribute("perm");
        if (from.shape.size() != 2 || !tensor(0).wholes.empty() ||
            (order && order->wholes != std::vector<std::int64_t>{1, 0}))
            fail(Cause::unsupported, "the operand is not a matrix");
        use_budget(from.values.size());
        const auto rows = static_cast<std::size_t>(from.shape[0]), columns = static_cast<std::size_t>(from.shape[1]);
        OnnxTensor turned;
        turned.floats.shape = {columns, rows};
        for (std::size_t c = 0; c < columns && rows > 0; ++c)
            for (std::size_t r = 0; r < rows; ++r) turned.floats.values.push_back(from.values[r * columns + c]);
        put(Value(std::make_shared<const OnnxTensor>(std::move(turned))));
    }

    // Operators that change the shape do not affect a point as long as its features stay the last dimension; if there
    // is one feature, its dimension does not matter.
    void reshaped(int rank, bool keeps_features) {
        AffineValue value = affine(0);
        if (!keeps_features && value.width() != 1) fail(Cause::unsupported, "the dimension of features changes");
        value.loose = value.loose || !keeps_features;
        value.rank = rank;
        put(std::move(value));
    }
    void flatten() {
        const std::int64_t axis = whole("axis", 1);
        const int rank = affine(0).rank;
        reshaped(2, axis == -1 || (rank > 0 && axis == rank - 1));
    }
    void reshape() {
        const std::vector<std::int64_t>& shape = tensor(1).wholes;
        const bool keeps = !shape.empty() && shape.back() == static_cast<std::int64_t>(affine(0).width());
        reshaped(static_cast<int>(std::min<std::size_t>(shape.size(), 64)), keeps && !affine(0).loose);
    }
    [[nodiscard]] std::vector<std::int64_t> axes() const {
        if (const OnnxAttribute* const stated = attribute("axes")) return stated->wholes;
        return node_->inputs.size() == 2 ? tensor(1).wholes : std::vector<std::int64_t>{};
    }
    void squeeze() {
        const int rank = affine(0).rank;
        const std::vector<std::int64_t> gone = axes();
        const bool keeps = std::none_of(gone.begin(), gone.end(),
                                        [&](std::int64_t axis) { return axis == -1 || rank < 0 || axis == rank - 1; });
        const bool countable = rank >= 0 && !gone.empty() && gone.size() < static_cast<std::size_t>(rank);
        reshaped(countable ? rank - static_cast<int>(gone.size()) : -1,
                 keeps && (!gone.empty() || affine(0).width() > 1));
    }
    void unsqueeze() {
        const int rank = affine(0).rank;
        const std::vector<std::int64_t> made = axes();
        const std::int64_t last = rank + static_cast<std::int64_t>(made.size()) - 1;
        const bool keeps = std::none_of(made.begin(), made.end(), [&](std::int64_t axis) {
            return axis == -1 || (axis > 0 && rank < 0) || axis >= last;
        });
        reshaped(rank >= 0 && made.size() < 8 ? static_cast<int>(last) + 1 : -1, keeps);
    }

    static constexpr std::array<float, 1> minus_one = {-1};

    const Source& source_;
    OnnxGraph graph_;
    std::size_t budget_; // numbers that may still be created
    LayerBuilder builder_;
    std::map<std::string, Value, std::less<>> values_;
    const OnnxNode* node_ = nullptr;
    AffineValue result_; // of the current dense step
};

// Reads exactly N finite numbers, in the format of our writer.
template <std::size_t N>
bool read_metadata(const OnnxGraph& graph, std::string_view key, std::array<double, N>& out, const Source& source) {
    const auto found = graph.metadata.find(key);
    if (found == graph.metadata.end()) return false;
    const char *at = found->second.data(), *const end = at + found->second.size();
    for (double& number : out) {
        while (at != end && *at == ' ') ++at;
        const auto [after, error] = std::from_chars(at, end, number);
        if (error != std::errc())
            throw Error(Cause::malformed, fmt::format("expected {} numbers as metadata", N),
                        {.file = source.name, .element = std::string(key)});
        at = after;
    }
    return true;
}

} // namespace

NetworkFile read_onnx_network(const Source& source, const NetworkFileOptions& options) {
    OnnxGraph graph = read_onnx_graph(source);
    std::array<double, 3> center = {options.center.x(), options.center.y(), options.center.z()};
    std::array<double, 1> scale = {options.scale};
    const Vec3 &l = options.domain.lower, &u = options.domain.upper;
    std::array<double, 6> domain = {l.x(), l.y(), l.z(), u.x(), u.y(), u.z()};
    read_metadata(graph, onnx_center_key, center, source);
    read_metadata(graph, onnx_scale_key, scale, source);
    read_metadata(graph, onnx_domain_key, domain, source);
    NetworkFile file{GraphReader(source, std::move(graph)).read(), "onnx", {}, {}};
    file.network.center = {center[0], center[1], center[2]};
    file.network.scale = scale[0];
    file.network.domain = {{domain[0], domain[1], domain[2]}, {domain[3], domain[4], domain[5]}};
    return file;
}

} // namespace fathom
