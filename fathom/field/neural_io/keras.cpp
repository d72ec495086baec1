// Reader of Keras weights in HDF5 (Davies, Nowrouzezahrai & Jacobson 2021): one group per layer, with arrays kernel:0
// (inputs x outputs) and bias:0. Weight files do not name activations; files of whole models do, as JSON.
#include <fathom/base/encode/gltf_json.h>
#include <fathom/base/encode/text.h>
#include <fathom/field/neural_io/hdf5_tree.h>
#include <fathom/field/neural_io/network_formats.h>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace fathom {

namespace {

constexpr int deepest = 6;                // group levels below the group of a layer
constexpr std::size_t max_objects = 1024; // maximum number of objects read from one file
constexpr std::string_view first_name = "dense";

struct LayerPlan {
    std::string name; // of its group
    Activation activation = Activation::none;
    float parameter = 1;
};

// "dense" is 0, "dense_7" is 7.
std::optional<unsigned> dense_number(std::string_view name) {
    if (name == first_name) return 0;
    if (!name.starts_with("dense_")) return std::nullopt;
    name.remove_prefix(first_name.size() + 1);
    unsigned number = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (error != std::errc() || end != name.data() + name.size()) return std::nullopt;
    return number;
}

// The layers of a model as described by its JSON.
class ModelConfig {
public:
    ModelConfig(const Source& source, const std::string& text)
        : source_(source), json_(parse_gltf_json(source, text)) {}

    std::vector<LayerPlan> plans() {
        const Json& config = GltfTable(source_, json_, "model_config").at("config");
        const Json& layers = config.is_array() ? config : GltfTable(source_, config, "model_config").at("layers");
        if (!layers.is_array()) fail(Cause::malformed, "its layers are not a list");
        for (std::size_t k = 0; k < layers.size(); ++k) {
            const GltfTable layer(source_, layers, k, "layer of model_config");
            const Json& settings = layer.at("config");
            if (!settings.is_object()) fail(Cause::malformed, "a layer has no config");
            add(layer.text("class_name"), settings);
        }
        return std::move(plans_);
    }

private:
    [[noreturn]] void fail(Cause cause, std::string reason) const {
        throw Error(cause, std::move(reason), {.file = source_.name, .element = "model_config"});
    }

    void add(const std::string& kind, const Json& settings) {
        const GltfTable table(source_, settings, "layer of model_config");
        if (kind == "Dense") {
            plans_.push_back({.name = table.text("name")});
            activated_ = false;
            if (table.has("activation")) activate(activation_of(table.at("activation")), 1);
        } else if (kind == "Activation") {
            activate(activation_of(table.at("activation")), 1);
        } else if (kind == "ELU") {
            activate(Activation::elu, number(settings, "alpha", 1));
        } else if (kind == "ReLU") {
            if (number(settings, "max_value", 0) != 0 || number(settings, "negative_slope", 0) != 0 ||
                number(settings, "threshold", 0) != 0)
                fail(Cause::unsupported, "a ReLU with a slope, threshold or maximum value is not supported");
            activate(Activation::relu, 1);
        } else if (kind != "InputLayer" && kind != "Dropout") { // neither changes a point
            fail(Cause::unsupported, fmt::format("unsupported layer of kind '{}'", printable(kind)));
        }
    }

    void activate(Activation activation, float parameter) {
        if (activation == Activation::none) return;
        if (plans_.empty() || activated_)
            fail(Cause::unsupported, fmt::format("'{}' does not follow a dense layer", fathom::name(activation)));
        plans_.back().activation = activation;
        plans_.back().parameter = parameter;
        activated_ = true;
    }

    [[nodiscard]] Activation activation_of(const Json& value) const {
        if (value.is_null()) return Activation::none;
        if (!value.is_string()) fail(Cause::unsupported, "an activation is not given by name");
        const auto& word = value.get_ref<const std::string&>();
        if (word == "linear") return Activation::none;
        if (word == "sin") return Activation::sine;
        for (const Activation a : {Activation::relu, Activation::elu, Activation::tanh, Activation::softplus})
            if (word == fathom::name(a)) return a;
        fail(Cause::unsupported, fmt::format("unsupported activation '{}'", printable(word)));
    }

    [[nodiscard]] float number(const Json& settings, const char* key, float otherwise) const {
        const auto found = settings.find(key);
        if (found == settings.end() || found->is_null()) return otherwise;
        if (!found->is_number()) fail(Cause::malformed, fmt::format("its {} is not a number", key));
        return found->get<float>();
    }

    const Source& source_;
    Json json_;
    std::vector<LayerPlan> plans_;
    bool activated_ = false;
};

class KerasReader {
public:
    KerasReader(const Source& source, const NetworkFileOptions& options)
        : source_(source), options_(options), file_(source) {}

    NetworkFile read() {
        const Hdf5Object root = open(file_.root(), "the root group");
        const auto inner = root.links.find("model_weights");
        const Hdf5Object weights = inner == root.links.end() ? root : open(inner->second, inner->first);
        const auto config = root.texts.find("model_config");
        const bool described = config != root.texts.end() && !config->second.empty();
        std::vector<LayerPlan> plans =
            described ? ModelConfig(source_, config->second.front()).plans() : assumed_plans(weights);
        if (plans.size() > Network::max_layers)
            fail(Cause::too_large, fmt::format("{} layers; the maximum is {}", plans.size(), Network::max_layers));
        NetworkFile result{.network = {}, .format = "keras", .note = {}, .remarks = {}};
        result.network.center = options_.center;
        result.network.scale = options_.scale;
        result.network.domain = options_.domain;
        for (const LayerPlan& plan : plans) result.network.layers.push_back(read_layer(weights, plan));
        if (!described)
            result.remarks.push_back(
                fmt::format("the file does not name activations: assumed {}, and {} for the last layer",
                            fathom::name(options_.hidden), fathom::name(options_.output)));
        return result;
    }

private:
    [[noreturn]] void fail(Cause cause, std::string reason, std::string_view layer = {}) const {
        throw Error(cause, std::move(reason), {.file = source_.name, .element = printable(layer)});
    }

    Hdf5Object open(std::uint64_t address, std::string_view name) {
        if (++objects_ > max_objects) fail(Cause::too_large, "HDF5: too many objects", name);
        return file_.object(address);
    }

    // Layer names from the list in the file, else by number.
    [[nodiscard]] std::vector<LayerPlan> assumed_plans(const Hdf5Object& weights) const {
        std::vector<std::string> names;
        if (const auto listed = weights.texts.find("layer_names"); listed != weights.texts.end())
            names = listed->second;
        else
            names = numbered_names(weights);
        std::vector<LayerPlan> plans;
        // Neither changes a point.
        for (std::string& name : names)
            if (!name.starts_with("input") && !name.starts_with("dropout"))
                plans.push_back({.name = std::move(name), .activation = options_.hidden});
        if (!plans.empty()) plans.back().activation = options_.output;
        return plans;
    }

    [[nodiscard]] std::vector<std::string> numbered_names(const Hdf5Object& weights) const {
        std::vector<std::pair<unsigned, std::string>> numbered;
        for (const auto& [name, address] : weights.links) {
            const std::optional<unsigned> number = dense_number(name);
            if (!number) fail(Cause::unsupported, "is not a dense layer", name);
            numbered.emplace_back(*number, name);
        }
        std::sort(numbered.begin(), numbered.end());
        std::vector<std::string> names;
        names.reserve(numbered.size());
        for (auto& [number, name] : numbered) names.push_back(std::move(name));
        return names;
    }

    DenseLayer read_layer(const Hdf5Object& weights, const LayerPlan& plan) {
        const auto group = weights.links.find(plan.name);
        if (group == weights.links.end()) fail(Cause::malformed, "the group of this layer is missing", plan.name);
        kernel_.reset();
        bias_.reset();
        bias_listed_ = false;
        collect(group->second, plan.name, plan.name, 0);
        if (!kernel_) fail(Cause::unsupported, "has no kernel, so it is not a dense layer", plan.name);
        if (bias_listed_ && !bias_) fail(Cause::malformed, "lists a bias that is missing", plan.name);
        DenseLayer layer =
            dense_layer(*kernel_, bias_ ? &*bias_ : nullptr, {.file = source_.name, .element = printable(plan.name)});
        layer.activation = plan.activation;
        layer.parameter = plan.parameter;
        return layer;
    }

    // The arrays are one or more groups deeper, depending on the name of the model.
    void collect(std::uint64_t address, const std::string& name, const std::string& layer, int depth) {
        if (depth > deepest) fail(Cause::unsupported, "its groups are nested too deeply", layer);
        Hdf5Object object = open(address, layer);
        if (object.array) {
            std::optional<FloatArray>* const place = name == "kernel:0" || name == "kernel" ? &kernel_
                                                     : name == "bias:0" || name == "bias"   ? &bias_
                                                                                            : nullptr;
            if (!place)
                fail(Cause::unsupported,
                     fmt::format("contains '{}'; a dense layer has kernel and bias", printable(name)), layer);
            if (*place) fail(Cause::malformed, fmt::format("contains '{}' twice", printable(name)), layer);
            *place = std::move(object.array);
        }
        if (const auto listed = object.texts.find("weight_names"); listed != object.texts.end())
            for (const std::string& weight : listed->second) bias_listed_ |= weight.find("bias") != std::string::npos;
        for (const auto& [child, child_address] : object.links) collect(child_address, child, layer, depth + 1);
    }

    const Source& source_;
    const NetworkFileOptions& options_;
    Hdf5File file_;
    std::size_t objects_ = 0;
    std::optional<FloatArray> kernel_, bias_;
    bool bias_listed_ = false;
};

} // namespace

NetworkFile read_keras_network(const Source& source, const NetworkFileOptions& options) {
    return KerasReader(source, options).read();
}

} // namespace fathom
