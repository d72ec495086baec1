#include <fathom/field/neural_io/network_file.h>
#include <field/neural/network_samples.h>
#include <field/neural_io/hdf5_bytes.h>
#include <support/sources.h>

#include <fmt/format.h>

#include <functional>

namespace fathom {
namespace keras_test {

using testing::bytes_of;
using testing::error_of;
using testing::Hdf5Bytes;
using testing::same_network;

template <class T>
std::string numbers(std::initializer_list<double> values, std::endian order = std::endian::little) {
    std::string bytes;
    for (const double v : values) append_bytes(bytes, static_cast<T>(v), order);
    return bytes;
}

NetworkFile read_bytes(const std::string& bytes, const NetworkFileOptions& options = {}) {
    return read_network_file(bytes_of(bytes), "a.h5", options);
}
Error refusal(const std::string& bytes) {
    const Error error = error_of([&] { static_cast<void>(read_bytes(bytes)); });
    EXPECT_EQ(error.place().file, "a.h5") << error.what();
    return error;
}
Cause cause_of(const std::string& bytes) { return refusal(bytes).cause(); }

Network expected_network() {
    Network network;
    network.layers = {{3, 2, {1, 3, 5, 2, 4, 6}, {7, 8}, Activation::relu}, {2, 1, {1, -1}, {0.5}, Activation::tanh}};
    return network;
}

// What differs from a plain file of weights.
struct Variant {
    std::string first_kernel = numbers<float>({1, 2, 3, 4, 5, 6});
    std::vector<std::uint64_t> first_shape = {3, 2};
    std::string type = Hdf5Bytes::float_type();
    bool with_bias = true;
    std::vector<std::string> weight_names = {"dense/kernel:0", "dense/bias:0"};
    std::vector<std::string> layer_names = {"dense", "dense_1"};
    std::string config;
    bool config_in_heap = false;
    Hdf5Bytes::Links more_links; // of the group of the first layer
};

std::string keras_file(const Variant& v = {}) {
    Hdf5Bytes file;
    const auto layer = [&](const std::string& name, Hdf5Bytes::Links arrays) {
        return file.group({{name, file.group(arrays)}}, {Hdf5Bytes::text_attribute("weight_names", v.weight_names)});
    };
    Hdf5Bytes::Links first = {{"kernel:0", file.array(v.first_shape, v.first_kernel, v.type)}};
    if (v.with_bias) first["bias:0"] = file.array({2}, numbers<float>({7, 8}));
    first.insert(v.more_links.begin(), v.more_links.end());
    const Hdf5Bytes::Links second = {{"kernel:0", file.array({2, 1}, numbers<float>({1, -1}))},
                                     {"bias:0", file.array({1}, numbers<float>({0.5}))}};
    const Hdf5Bytes::Links layers = {{"dense", layer("dense", first)}, {"dense_1", layer("dense_1", second)}};
    std::vector<std::string> names;
    if (!v.layer_names.empty()) names = {Hdf5Bytes::text_attribute("layer_names", v.layer_names)};
    if (v.config.empty()) return file.finish(file.group(layers, names));
    const std::string config = v.config_in_heap ? file.heap_attribute("model_config", v.config)
                                                : Hdf5Bytes::text_attribute("model_config", {v.config}, false);
    return file.finish(file.group({{"model_weights", file.group(layers, names)}}, {config}));
}

TEST(Keras, weights_are_read_with_the_activations_that_the_caller_knows) {
    const NetworkFile file = read_bytes(keras_file());
    EXPECT_TRUE(same_network(file.network, expected_network()));
    EXPECT_EQ(file.format, "keras");
    EXPECT_EQ(file.remarks.size(), 1u) << "that they were assumed";
    NetworkFileOptions options;
    options.hidden = Activation::elu;
    options.output = Activation::none;
    options.scale = 2;
    const Network network = read_bytes(keras_file(), options).network;
    EXPECT_EQ(network.layers[0].activation, Activation::elu);
    EXPECT_EQ(network.layers[1].activation, Activation::none);
    EXPECT_EQ(network.scale, 2);
}

TEST(Keras, numbers_come_in_both_sizes_and_orders) {
    for (const auto order : {std::endian::little, std::endian::big}) {
        const bool big = order == std::endian::big;
        Variant v;
        v.first_kernel = numbers<float>({1, 2, 3, 4, 5, 6}, order);
        v.type = Hdf5Bytes::float_type(false, big);
        EXPECT_TRUE(same_network(read_bytes(keras_file(v)).network, expected_network()));
        v.first_kernel = numbers<double>({1, 2, 3, 4, 5, 6}, order);
        v.type = Hdf5Bytes::float_type(true, big);
        EXPECT_TRUE(same_network(read_bytes(keras_file(v)).network, expected_network()));
    }
}

TEST(Keras, layers_without_names_are_taken_by_their_numbers) {
    Hdf5Bytes file;
    Hdf5Bytes::Links layers;
    Random random(4);
    Network expected;
    for (int k = 0; k < 12; ++k) { // "dense_10" sorts before "dense_2", and 12 take two nodes
        const int inputs = k == 0 ? 3 : k, outputs = k == 11 ? 1 : k + 1;
        DenseLayer layer =
            testing::random_layer(random, inputs, outputs, k == 11 ? Activation::tanh : Activation::relu);
        std::string kernel, bias;
        for (int i = 0; i < inputs; ++i)
            for (int o = 0; o < outputs; ++o)
                append_little_endian(kernel, layer.weights[static_cast<std::size_t>(o * inputs + i)]);
        for (const float b : layer.biases) append_little_endian(bias, b);
        const auto rows = static_cast<std::uint64_t>(inputs), columns = static_cast<std::uint64_t>(outputs);
        layers[k == 0 ? "dense" : fmt::format("dense_{}", k)] =
            file.group({{"kernel:0", file.array({rows, columns}, kernel)}, {"bias:0", file.array({columns}, bias)}});
        expected.layers.push_back(std::move(layer));
    }
    const std::string bytes = file.finish(file.group(layers));
    EXPECT_TRUE(same_network(read_bytes(bytes).network, expected));
}

std::string config_of(std::string_view layers) {
    return fmt::format(R"({{"class_name": "Sequential", "config": {{"name": "m", "layers": [{}]}}}})", layers);
}
std::string dense_config(std::string_view name, std::string_view activation) {
    return fmt::format(R"({{"class_name": "Dense", "config": {{"name": "{}", "activation": "{}", "units": 2}}}})", name,
                       activation);
}

TEST(Keras, whole_models_name_their_activations) {
    for (const bool in_heap : {false, true}) {
        Variant v;
        v.config_in_heap = in_heap;
        v.config = config_of(dense_config("dense", "softplus") + "," + dense_config("dense_1", "linear"));
        NetworkFile file = read_bytes(keras_file(v));
        EXPECT_EQ(file.network.layers[0].activation, Activation::softplus);
        EXPECT_EQ(file.network.layers[1].activation, Activation::none);
        EXPECT_TRUE(file.remarks.empty());
        v.config = config_of(
            R"({"class_name": "InputLayer", "config": {"name": "i"}},)" + dense_config("dense", "linear") +
            R"(, {"class_name": "ELU", "config": {"alpha": 0.5}}, {"class_name": "Dropout", "config": {}},)" +
            dense_config("dense_1", "linear") + R"(, {"class_name": "Activation", "config": {"activation": "tanh"}})");
        file = read_bytes(keras_file(v));
        EXPECT_EQ(file.network.layers[0].activation, Activation::elu);
        EXPECT_EQ(file.network.layers[0].parameter, 0.5F);
        EXPECT_EQ(file.network.layers[1].activation, Activation::tanh);
    }
}

TEST(Keras, models_that_are_no_such_network_are_refused_by_name) {
    const auto with_config = [](std::string config) {
        Variant v;
        v.config = std::move(config);
        return refusal(keras_file(v));
    };
    Error error = with_config(config_of(dense_config("dense", "selu")));
    EXPECT_EQ(error.cause(), Cause::unsupported);
    EXPECT_NE(error.reason().find("'selu'"), std::string::npos);
    error = with_config(config_of(dense_config("dense", "relu") + R"(,{"class_name": "Concatenate", "config": {}})"));
    EXPECT_EQ(error.cause(), Cause::unsupported);
    EXPECT_NE(error.reason().find("'Concatenate'"), std::string::npos);
    EXPECT_EQ(
        with_config(config_of(dense_config("dense", "relu") + R"(,{"class_name": "ReLU", "config": {}})")).cause(),
        Cause::unsupported);
    EXPECT_EQ(with_config(config_of(dense_config("dense_7", "relu"))).cause(), Cause::malformed) << "no such group";
    EXPECT_EQ(with_config("{").cause(), Cause::malformed);
    EXPECT_EQ(with_config("[]").cause(), Cause::malformed);
    EXPECT_EQ(with_config(R"({"config": {"layers": 3}})").cause(), Cause::malformed);
    EXPECT_EQ(with_config(R"({"config": {"layers": [3]}})").cause(), Cause::malformed);
    EXPECT_EQ(with_config(config_of("")).cause(), Cause::empty);
    EXPECT_EQ(with_config(R"({"config": )" + std::string(100, '[') + std::string(100, ']') + "}").cause(),
              Cause::too_large);
}

TEST(Keras, a_bias_may_be_absent_unless_it_is_listed) {
    Variant v;
    v.with_bias = false;
    EXPECT_EQ(cause_of(keras_file(v)), Cause::malformed);
    v.weight_names = {"dense/kernel:0"};
    Network expected = expected_network();
    expected.layers[0].biases = {0, 0};
    EXPECT_TRUE(same_network(read_bytes(keras_file(v)).network, expected));
}

TEST(Keras, arrays_that_do_not_fit_are_refused) {
    const auto cause = [](const std::function<void(Variant&)>& spoil) {
        Variant v;
        spoil(v);
        return cause_of(keras_file(v));
    };
    EXPECT_EQ(cause([](Variant& v) { v.first_shape = {2, 3}; }), Cause::count_mismatch) << "the bias has two";
    EXPECT_EQ(cause([](Variant& v) { v.first_shape = {6}; }), Cause::count_mismatch);
    EXPECT_EQ(cause([](Variant& v) { v.first_shape = {1, 2}; }), Cause::invalid_argument) << "a point has three";
    EXPECT_EQ(cause([](Variant& v) { v.first_shape = {4, 2}; }), Cause::count_mismatch) << "more than stored";
    EXPECT_EQ(cause([](Variant& v) { v.first_shape = {std::uint64_t{1} << 63, 2}; }), Cause::count_mismatch);
    EXPECT_EQ(cause([](Variant& v) { v.first_shape = {1, 1, 1, 1, 1, 1, 1, 1, 6}; }), Cause::unsupported);
    EXPECT_EQ(cause([](Variant& v) { v.first_kernel = numbers<float>({1, 2, 3, 4, 5, NAN}); }), Cause::non_finite);
    EXPECT_EQ(cause([](Variant& v) { v.type[0] = 0x10; }), Cause::unsupported) << "whole numbers are no kernel";
    EXPECT_EQ(cause([](Variant& v) { v.layer_names = {"dense", "lstm"}; }), Cause::malformed);
    EXPECT_EQ(cause([](Variant& v) { v.more_links = {{"gamma:0", 96}}; }), Cause::malformed) << "no object there";
}

// The first object of the file that is an array gets other messages.
std::string with_array(const std::vector<std::string>& messages) {
    Hdf5Bytes file;
    const std::uint64_t kernel = file.object(messages);
    return file.finish(file.group({{"dense", file.group({{"kernel:0", kernel}})}}));
}

TEST(Keras, parts_of_hdf5_that_are_not_read_are_refused_by_name) {
    const std::string space = Hdf5Bytes::message(1, Hdf5Bytes::dataspace({3, 1}));
    const std::string type = Hdf5Bytes::message(3, Hdf5Bytes::float_type());
    const auto layout = [](std::uint8_t version, std::uint8_t kind) {
        return Hdf5Bytes::message(8, Hdf5Bytes::packed(version, kind, std::uint16_t{0}) + std::string(20, '\0'));
    };
    const auto reason = [&](const std::string& last, Cause cause = Cause::unsupported) {
        const Error error = refusal(with_array({space, type, last}));
        EXPECT_EQ(error.cause(), cause) << error.what();
        return error.reason();
    };
    EXPECT_NE(reason(layout(3, 2)).find("chunked"), std::string::npos);
    EXPECT_NE(reason(layout(4, 3)).find("virtual"), std::string::npos);
    EXPECT_NE(reason(layout(2, 1)).find("layout version 2"), std::string::npos);
    EXPECT_NE(reason(Hdf5Bytes::message(11, std::string(8, '\1'))).find("filtered"), std::string::npos);
    EXPECT_NE(reason(Hdf5Bytes::message(7, std::string(8, '\1'))).find("other files"), std::string::npos);
    EXPECT_NE(reason(Hdf5Bytes::message(2, std::string(24, '\0'))).find("dense links"), std::string::npos);
    EXPECT_NE(reason(Hdf5Bytes::message(21, std::string(24, '\0'))).find("dense attributes"), std::string::npos);
    EXPECT_EQ(refusal(with_array({type, Hdf5Bytes::message(8, std::string("\3\0\4\0abcd", 8))})).cause(),
              Cause::malformed)
        << "no shape";
    // Compact storage is read.
    const std::string compact = Hdf5Bytes::message(8, std::string("\3\0\x0c\0", 4) + numbers<float>({1, 2, 3}));
    const Network network = read_bytes(with_array({space, type, compact})).network;
    EXPECT_EQ(network.layers[0].weights, (std::vector<float>{1, 2, 3}));
    std::string other = keras_file();
    other[8] = 4;
    EXPECT_EQ(cause_of(other), Cause::unsupported) << "superblock";
    other = keras_file();
    other[13] = 4;
    EXPECT_EQ(cause_of(other), Cause::unsupported) << "addresses of 4 bytes";
}

// The new way: superblock 2, headers of version 2, links as messages. Checksums are not looked at.
std::string new_style_file() {
    std::string out = std::string("\x89HDF\r\n\x1a\n\2\x08\x08\0", 12) + std::string(36, '\0');
    const auto message = [](char type, const std::string& body) {
        return std::string(1, type) + Hdf5Bytes::packed(static_cast<std::uint16_t>(body.size()), std::uint8_t{0}) +
               body;
    };
    const auto object = [&](const std::string& messages) {
        const std::uint64_t address = out.size();
        out += std::string("OHDR\2\1", 6) + Hdf5Bytes::packed(static_cast<std::uint16_t>(messages.size())) + messages +
               "sum!";
        return address;
    };
    const auto array = [&](std::uint64_t rows, std::uint64_t columns, const std::string& data) {
        const std::string shape =
            columns ? Hdf5Bytes::packed(std::uint8_t{2}, std::uint8_t{2}, std::uint16_t{0x100}, rows, columns)
                    : Hdf5Bytes::packed(std::uint8_t{2}, std::uint8_t{1}, std::uint16_t{0x100}, rows);
        return object(
            message(1, shape) + message(3, Hdf5Bytes::float_type()) +
            message(8, Hdf5Bytes::packed(std::uint8_t{4}, std::uint8_t{0}, static_cast<std::uint16_t>(data.size())) +
                           data));
    };
    const auto link = [&](const std::string& name, std::uint64_t address) {
        return message(6, Hdf5Bytes::packed(std::uint8_t{1}, std::uint8_t{0}, static_cast<std::uint8_t>(name.size())) +
                              name + Hdf5Bytes::packed(address));
    };
    const std::uint64_t kernel = array(3, 1, numbers<float>({1, 2, 3})), bias = array(1, 0, numbers<float>({4}));
    // The second link lies in a continuation of the header.
    const std::string second = link("bias:0", bias);
    const std::uint64_t piece = out.size();
    out += "OCHK" + second + "sum!";
    const std::uint64_t layer =
        object(link("kernel:0", kernel) + message(16, Hdf5Bytes::packed(piece, std::uint64_t{second.size() + 8})));
    const std::uint64_t root = object(
        message(2, Hdf5Bytes::packed(std::uint16_t{0}, ~std::uint64_t{0}, ~std::uint64_t{0})) + link("dense", layer));
    const std::string places = Hdf5Bytes::packed(std::uint64_t{0}, ~std::uint64_t{0}, std::uint64_t{out.size()}, root);
    return out.replace(12, places.size(), places);
}

TEST(Keras, files_of_the_newer_kind_are_read) {
    const Network network = read_bytes(new_style_file()).network;
    EXPECT_EQ(network.layers[0].weights, (std::vector<float>{1, 2, 3}));
    EXPECT_EQ(network.layers[0].biases, (std::vector<float>{4}));
}

TEST(Keras, groups_that_contain_themselves_are_handled) {
    Hdf5Bytes loop; // a group whose only member is itself: its link is rewritten to its own address
    const std::uint64_t placeholder = 0x123456789a;
    const std::uint64_t ring = loop.group({{"a", placeholder}});
    std::string bytes = loop.finish(loop.group({{"dense", ring}}));
    const std::string wanted = Hdf5Bytes::packed(placeholder);
    bytes.replace(bytes.find(wanted), wanted.size(), Hdf5Bytes::packed(ring));
    EXPECT_EQ(cause_of(bytes), Cause::unsupported) << "nested too deep";
}

TEST(Keras, cut_off_or_changed_anywhere_it_is_an_error_or_a_network) {
    Variant v;
    v.config = config_of(dense_config("dense", "relu") + "," + dense_config("dense_1", "tanh"));
    v.config_in_heap = true;
    for (const std::string& whole : {keras_file(), keras_file(v), new_style_file()}) {
        for (std::size_t size = 0; size < whole.size(); ++size)
            ASSERT_THROW(static_cast<void>(read_bytes(whole.substr(0, size))), Error) << size;
        int refused = 0;
        for (std::size_t at = 0; at < whole.size(); ++at)
            for (const int flip : {1, 0xff}) {
                std::string bytes = whole;
                bytes[at] = static_cast<char>(bytes[at] ^ flip);
                try {
                    check(read_bytes(bytes).network);
                } catch (const Error& error) {
                    ++refused;
                    ASSERT_FALSE(error.place().file.empty());
                }
            }
        EXPECT_GT(refused, 100);
    }
}

} // namespace keras_test
} // namespace fathom
