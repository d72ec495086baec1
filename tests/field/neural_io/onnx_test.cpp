#include <fathom/field/neural_io/network_file.h>
#include <fathom/field/neural_io/network_formats.h>
#include <field/neural/network_examples.h>
#include <field/neural/network_samples.h>
#include <field/neural_io/onnx_bytes.h>
#include <support/sources.h>

#include <fmt/format.h>

#include <functional>

namespace fathom {
namespace onnx_test {

using testing::bytes_of;
using testing::error_of;
using testing::OnnxBytes;
using testing::plain_value;

NetworkFile read_bytes(const std::string& bytes) { return read_network_file(bytes_of(bytes), "a.onnx"); }
Network read(const OnnxBytes& model) { return read_bytes(model.bytes()).network; }
Error refusal(const std::string& bytes) {
    const Error error = error_of([&] { static_cast<void>(read_bytes(bytes)); });
    EXPECT_EQ(error.place().file, "a.onnx") << error.what();
    return error;
}
Cause cause_of(const OnnxBytes& model) { return refusal(model.bytes()).cause(); }

void expect_function(const Network& network, const std::function<double(const Vec3&)>& expected,
                     double tolerance = 1e-6) {
    Random random(5);
    for (int k = 0; k < 50; ++k) {
        const Vec3 p = random.in_box(Box::around(Vec3::Zero(), Vec3::Ones()));
        EXPECT_NEAR(plain_value(network, p), expected(p), tolerance);
    }
}

// Two rows of weights on the point, shape (3, 2).
const std::vector<float> two = {1, 2, 3, 4, 5, 6};
double row_one(const Vec3& p) { return p.dot(Vec3(1, 3, 5)); }
double row_two(const Vec3& p) { return p.dot(Vec3(2, 4, 6)); }
OnnxBytes model() {
    OnnxBytes m;
    m.floats("A", {3, 2}, two).floats("b", {2}, {0.5, -0.5}).floats("sum", {2, 1}, {1, 1});
    return m;
}

TEST(Onnx, products_and_sums_become_layers) {
    const auto expected = [](const Vec3& p) { return std::max(0., row_one(p) + 0.5) + std::max(0., row_two(p) - 0.5); };
    const auto tail = [](OnnxBytes m) { return read(m.node("Relu", {"h"}, "r").node("MatMul", {"r", "sum"}, "y")); };
    expect_function(tail(model().node("MatMul", {"x", "A"}, "m").node("Add", {"m", "b"}, "h")), expected);
    expect_function(tail(model().node("MatMul", {"x", "A"}, "m").node("Add", {"b", "m"}, "h")), expected);
    expect_function(tail(model().node("Gemm", {"x", "A", "b"}, "h")), expected);
    expect_function(tail(model()
                             .floats("At", {2, 3}, {1, 3, 5, 2, 4, 6})
                             .node("Gemm", {"x", "At", "b"}, "h", {OnnxBytes::whole("transB", 1)})),
                    expected);
    expect_function(tail(model()
                             .node("Transpose", {"A"}, "At")
                             .node("Gemm", {"x", "At", "b"}, "h", {OnnxBytes::whole("transB", 1)})),
                    expected);
    expect_function(tail(model()
                             .floats("half", {3, 2}, {.5, 1, 1.5, 2, 2.5, 3})
                             .floats("twice", {1, 2}, {1, -1})
                             .node("Gemm", {"x", "half", "twice"}, "h",
                                   {OnnxBytes::number("alpha", 2), OnnxBytes::number("beta", 0.5)})),
                    expected);
    expect_function(
        tail(model().node("Identity", {"x"}, "i").node("Gemm", {"i", "A"}, "m").node("Add", {"m", "b"}, "h")),
        expected);
    const Network network = tail(model().node("Gemm", {"x", "A", "b"}, "h"));
    ASSERT_EQ(network.layers.size(), 2u);
    EXPECT_EQ(network.layers[0].weights, (std::vector<float>{1, 3, 5, 2, 4, 6}));
    EXPECT_EQ(network.layers[0].activation, Activation::relu);
    EXPECT_EQ(network.layers[1].activation, Activation::none);
}

TEST(Onnx, every_activation_is_read) {
    struct Known {
        const char* kind;
        Activation activation;
    };
    for (const Known& known :
         {Known{"Relu", Activation::relu}, Known{"Elu", Activation::elu}, Known{"Tanh", Activation::tanh},
          Known{"Sin", Activation::sine}, Known{"Softplus", Activation::softplus}}) {
        const Network network =
            read(model().node("Gemm", {"x", "A"}, "h").node(known.kind, {"h"}, "a").node("MatMul", {"a", "sum"}, "y"));
        EXPECT_EQ(network.layers[0].activation, known.activation);
        expect_function(network, [&](const Vec3& p) {
            const DenseLayer layer{.activation = known.activation};
            double slope = 0;
            return testing::activated(layer, row_one(p), slope) + testing::activated(layer, row_two(p), slope);
        });
    }
    const Network network = read(model()
                                     .node("Gemm", {"x", "A"}, "h")
                                     .node("Elu", {"h"}, "a", {OnnxBytes::number("alpha", 0.25)})
                                     .node("MatMul", {"a", "sum"}, "y"));
    EXPECT_EQ(network.layers[0].parameter, 0.25F);
}

TEST(Onnx, constant_factors_become_parameters_or_weights) {
    const auto start = [] {
        return model().floats("w", {}, {30}).floats("each", {2}, {2, -3}).node("Gemm", {"x", "A", "b"}, "h");
    };
    const auto h0 = [](const Vec3& p) { return row_one(p) + 0.5; };
    const auto h1 = [](const Vec3& p) { return row_two(p) - 0.5; };
    Network network =
        read(start().node("Mul", {"w", "h"}, "m").node("Sin", {"m"}, "s").node("MatMul", {"s", "sum"}, "y"));
    EXPECT_EQ(network.layers[0].parameter, 30.F);
    EXPECT_EQ(network.layers[0].weights, (std::vector<float>{1, 3, 5, 2, 4, 6}));
    expect_function(network, [&](const Vec3& p) { return std::sin(30 * h0(p)) + std::sin(30 * h1(p)); });
    network = read(start()
                       .node("Mul", {"h", "w"}, "m")
                       .node("Softplus", {"m"}, "s")
                       .node("Div", {"s", "w"}, "d")
                       .node("MatMul", {"d", "sum"}, "y"));
    EXPECT_EQ(network.layers[0].parameter, 30.F);
    EXPECT_EQ(network.layers[1].weights, (std::vector<float>{1, 1})) << "multiplied and divided by the same";
    expect_function(read(start()
                             .node("Mul", {"h", "each"}, "m")
                             .node("Tanh", {"m"}, "t")
                             .node("Mul", {"t", "each"}, "n")
                             .node("MatMul", {"n", "sum"}, "y")),
                    [&](const Vec3& p) { return 2 * std::tanh(2 * h0(p)) - 3 * std::tanh(-3 * h1(p)); });
    expect_function(read(start()
                             .node("Sub", {"each", "h"}, "m")
                             .node("Relu", {"m"}, "t")
                             .node("Sub", {"t", "each"}, "n")
                             .node("Neg", {"n"}, "o")
                             .node("MatMul", {"o", "sum"}, "y")),
                    [&](const Vec3& p) { return -(std::max(0., 2 - h0(p)) - 2) - (std::max(0., -3 - h1(p)) + 3); });
    // What is done to the answer becomes a layer of one weight.
    network = read(model()
                       .node("Gemm", {"x", "A"}, "h")
                       .node("MatMul", {"h", "sum"}, "s")
                       .node("Tanh", {"s"}, "t")
                       .floats("c", {1}, {-0.5})
                       .node("Mul", {"t", "c"}, "y"));
    ASSERT_EQ(network.layers.size(), 3u);
    EXPECT_EQ(network.layers[0].activation, Activation::none);
    expect_function(network, [&](const Vec3& p) { return -0.5 * std::tanh(row_one(p) + row_two(p)); });
    // Scaled points, as networks of normalised shapes have them.
    expect_function(
        read(model()
                 .floats("c", {3}, {1, 2, 3})
                 .floats("s", {1}, {0.5})
                 .node("Sub", {"x", "c"}, "m")
                 .node("Mul", {"m", "s"}, "n")
                 .node("Gemm", {"n", "A"}, "h")
                 .node("MatMul", {"h", "sum"}, "y")),
        [&](const Vec3& p) {
            const Vec3 q = 0.5 * (p - Vec3(1, 2, 3));
            return row_one(q) + row_two(q);
        },
        1e-5);
}

TEST(Onnx, points_may_skip_on_either_side) {
    const auto start = [] {
        return model()
            .floats("five", {5, 1}, {1, 2, 3, 4, 5})
            .node("Gemm", {"x", "A", "b"}, "h")
            .node("Relu", {"h"}, "r");
    };
    const auto r = [](const Vec3& p) {
        return std::array{std::max(0., row_one(p) + 0.5), std::max(0., row_two(p) - 0.5)};
    };
    Network network =
        read(start().node("Concat", {"r", "x"}, "c", {OnnxBytes::whole("axis", 1)}).node("MatMul", {"c", "five"}, "y"));
    EXPECT_TRUE(network.layers[1].skip_input);
    EXPECT_EQ(network.layers[1].weights, (std::vector<float>{1, 2, 3, 4, 5}));
    expect_function(network, [&](const Vec3& p) { return r(p)[0] + 2 * r(p)[1] + 3 * p.x() + 4 * p.y() + 5 * p.z(); });
    network = read(
        start().node("Concat", {"x", "r"}, "c", {OnnxBytes::whole("axis", -1)}).node("MatMul", {"c", "five"}, "y"));
    EXPECT_EQ(network.layers[1].weights, (std::vector<float>{4, 5, 1, 2, 3})) << "the point comes last";
    expect_function(network, [&](const Vec3& p) { return p.x() + 2 * p.y() + 3 * p.z() + 4 * r(p)[0] + 5 * r(p)[1]; });
    // A constant beside the point, such as a latent code, goes into the biases.
    network = read(model()
                       .floats("code", {1, 2}, {7, 8})
                       .floats("five", {5, 1}, {1, 2, 3, 4, 5})
                       .node("Concat", {"code", "x"}, "c", {OnnxBytes::whole("axis", 1)})
                       .node("MatMul", {"c", "five"}, "y"));
    EXPECT_EQ(network.layers[0].weights, (std::vector<float>{3, 4, 5}));
    EXPECT_EQ(network.layers[0].biases, (std::vector<float>{23}));
}

TEST(Onnx, sines_and_cosines_of_the_point_are_an_encoding) {
    const auto start = [](float third) {
        return OnnxBytes()
            .floats("f1", {1}, {1.5})
            .floats("f2", {1}, {third})
            .floats("A", {9, 1}, {1, 2, 3, 4, 5, 6, 7, 8, 9})
            .node("Mul", {"x", "f1"}, "m1")
            .node("Mul", {"x", "f2"}, "m2")
            .node("Cos", {"m2"}, "c")
            .node("Sin", {"m1"}, "s")
            .node("Concat", {"c", "x", "s"}, "e", {OnnxBytes::whole("axis", -1)})
            .node("MatMul", {"e", "A"}, "y");
    };
    const Network network = read(start(6));
    EXPECT_EQ(network.encoding.frequencies, 3) << "1.5, 3, 6";
    EXPECT_EQ(network.encoding.scale, 1.5F);
    expect_function(network, [](const Vec3& p) {
        double sum = 0;
        for (int axis = 0; axis < 3; ++axis)
            sum += (1 + axis) * std::cos(6 * p[axis]) + (4 + axis) * p[axis] + (7 + axis) * std::sin(1.5 * p[axis]);
        return sum;
    });
    EXPECT_EQ(cause_of(start(7)), Cause::unsupported) << "no power of two";
    EXPECT_EQ(cause_of(model().node("Gemm", {"x", "A"}, "h").node("Cos", {"h"}, "c").node("MatMul", {"c", "sum"}, "y")),
              Cause::unsupported);
}

TEST(Onnx, shapes_may_change_where_the_features_stay) {
    const auto start = [](std::vector<std::int64_t> shape = {-1, 3}) {
        return OnnxBytes(std::move(shape))
            .floats("A", {3, 2}, two)
            .floats("sum", {2, 1}, {1, 1})
            .wholes_constant("one", {1})
            .wholes_constant("zero", {0})
            .wholes_constant("last", {-1})
            .wholes_constant("rows", {-1, 3})
            .wholes_constant("flat", {-1});
    };
    const auto rest = [](OnnxBytes m, const char* from) {
        return m.node("MatMul", {from, "A"}, "h").node("MatMul", {"h", "sum"}, "y");
    };
    const auto expected = [](const Vec3& p) { return row_one(p) + row_two(p); };
    expect_function(read(rest(start().node("Flatten", {"x"}, "f"), "f")), expected);
    expect_function(read(rest(start().node("Reshape", {"x", "rows"}, "f"), "f")), expected);
    expect_function(read(rest(start().node("Unsqueeze", {"x", "zero"}, "f"), "f")), expected);
    expect_function(read(rest(start({1, -1, 3}).node("Squeeze", {"x", "zero"}, "f"), "f")), expected);
    expect_function(read(rest(start({1, -1, 3}).node("Squeeze", {"x"}, "f", {OnnxBytes::wholes("axes", {0})}), "f")),
                    expected);
    const auto ended = [&](const char* kind, std::vector<std::string> more) {
        more.insert(more.begin(), "s");
        return start()
            .node("MatMul", {"x", "A"}, "h")
            .node("MatMul", {"h", "sum"}, "s")
            .node(kind, more, "q")
            .node("Tanh", {"q"}, "y");
    };
    for (const char* axes : {"last", "one"})
        expect_function(read(ended("Squeeze", {axes})), [&](const Vec3& p) { return std::tanh(expected(p)); });
    expect_function(read(ended("Squeeze", {})), [&](const Vec3& p) { return std::tanh(expected(p)); });
    expect_function(read(ended("Reshape", {"flat"})), [&](const Vec3& p) { return std::tanh(expected(p)); });
    EXPECT_EQ(cause_of(rest(start().node("Reshape", {"x", "flat"}, "f"), "f")), Cause::unsupported);
    EXPECT_EQ(cause_of(rest(start().node("Squeeze", {"x", "last"}, "f"), "f")), Cause::unsupported);
    EXPECT_EQ(cause_of(rest(start().node("Unsqueeze", {"x", "last"}, "f"), "f")), Cause::unsupported);
    EXPECT_EQ(cause_of(rest(start().node("Flatten", {"x"}, "f", {OnnxBytes::whole("axis", 0)}), "f")),
              Cause::unsupported);
    EXPECT_EQ(cause_of(start()
                           .floats("B", {1, 1}, {1})
                           .node("MatMul", {"x", "A"}, "h")
                           .node("MatMul", {"h", "sum"}, "s")
                           .node("Squeeze", {"s", "last"}, "q")
                           .node("MatMul", {"q", "B"}, "y")),
              Cause::count_mismatch)
        << "its features are gone";
}

TEST(Onnx, constants_of_every_form_are_read) {
    const auto with_matrix = [](const std::string& tensor) {
        return OnnxBytes().initializer(tensor).node("MatMul", {"x", "A"}, "y");
    };
    const auto expect_123 = [](const OnnxBytes& m) {
        EXPECT_EQ(read(m).layers[0].weights, (std::vector<float>{1, 2, 3}));
    };
    expect_123(with_matrix(OnnxBytes::tensor("A", {3, 1}, OnnxBytes::raw<double>({1, 2, 3}), 11)));
    expect_123(
        with_matrix(OnnxBytes::tensor("A", {3, 1}, OnnxBytes::raw<std::uint16_t>({0x3c00, 0x4000, 0x4200}), 10)));
    const auto head = [](std::uint64_t type) {
        std::string out;
        for (const std::uint64_t n : {3U, 1U}) append_wire(out, 1, n);
        append_wire(out, 2, type);
        append_wire(out, 8, std::string_view("A"));
        return out;
    };
    std::string packed = head(1), loose = head(1), halves = head(10), doubles = head(11);
    append_wire(packed, 4, OnnxBytes::raw<float>({1, 2, 3}));
    for (const float x : {1.F, 2.F, 3.F}) append_wire(loose, 4, x);
    for (const std::uint64_t x : {0x3c00U, 0x4000U, 0x4200U}) append_wire(halves, 5, x);
    append_wire(doubles, 10, OnnxBytes::raw<double>({1, 2, 3}));
    for (const std::string& tensor : {packed, loose, halves, doubles}) expect_123(with_matrix(tensor));
    expect_123(OnnxBytes()
                   .node("Constant", {}, "A", {OnnxBytes::with_tensor("value", packed)})
                   .node("MatMul", {"x", "A"}, "y"));
    expect_123(OnnxBytes()
                   .initializer(packed)
                   .input("A", {3, 1})
                   .node("Cast", {"A"}, "B", {OnnxBytes::whole("to", 1)})
                   .node("MatMul", {"x", "B"}, "y"));
    const Network network = read(OnnxBytes()
                                     .initializer(packed)
                                     .node("Constant", {}, "c", {OnnxBytes::number("value_float", 4)})
                                     .node("MatMul", {"x", "A"}, "h")
                                     .node("Add", {"h", "c"}, "y"));
    EXPECT_EQ(network.layers[0].biases, (std::vector<float>{4}));
}

TEST(Onnx, inconsistent_tensors_are_rejected) {
    const auto cause = [](const std::string& tensor) {
        return cause_of(OnnxBytes().initializer(tensor).node("MatMul", {"x", "A"}, "y"));
    };
    const std::string three = OnnxBytes::raw<float>({1, 2, 3});
    EXPECT_EQ(cause(OnnxBytes::tensor("A", {3, 2}, three)), Cause::count_mismatch);
    EXPECT_EQ(cause(OnnxBytes::tensor("A", {std::uint64_t{1} << 62, 4, 3}, three)), Cause::count_mismatch);
    EXPECT_EQ(cause(OnnxBytes::tensor("A", {~std::uint64_t{0}, 1}, three)), Cause::count_mismatch);
    EXPECT_EQ(cause(OnnxBytes::tensor("A", {3, 1}, three + "x")), Cause::malformed);
    EXPECT_EQ(cause(OnnxBytes::tensor("A", {3, 1}, three, 6)), Cause::unsupported) << "int32";
    EXPECT_EQ(cause(OnnxBytes::tensor("A", {1, 3}, three)), Cause::count_mismatch) << "one input";
    EXPECT_EQ(cause(OnnxBytes::tensor("A", {3}, three)), Cause::count_mismatch) << "no matrix";
    EXPECT_EQ(cause(OnnxBytes::tensor("A", {3, 1}, OnnxBytes::raw<float>({1, NAN, 3}))), Cause::non_finite);
    std::string outside = OnnxBytes::tensor("A", {3, 1}, three);
    append_wire(outside, 14, std::uint64_t{1});
    EXPECT_EQ(cause(outside), Cause::unsupported);
    EXPECT_EQ(
        cause_of(
            OnnxBytes().floats("A", {3, 1}, {1, 2, 3}).floats("A", {3, 1}, {1, 2, 3}).node("MatMul", {"x", "A"}, "y")),
        Cause::malformed);
}

TEST(Onnx, graphs_that_are_not_networks_are_rejected_by_name_and_node) {
    Error error = refusal(
        model().node("Gemm", {"x", "A"}, "h").node("Sigmoid", {"h"}, "s").node("MatMul", {"s", "sum"}, "y").bytes());
    EXPECT_EQ(error.cause(), Cause::unsupported);
    EXPECT_NE(error.reason().find("'Sigmoid'"), std::string::npos);
    EXPECT_NE(error.place().element.find("'make s'"), std::string::npos);
    const auto h = [] { return model().node("Gemm", {"x", "A"}, "h"); };
    const auto u = Cause::unsupported;
    EXPECT_EQ(cause_of(h().node("Relu", {"h"}, "s", {}, "com.microsoft").node("MatMul", {"s", "sum"}, "y")), u);
    EXPECT_EQ(
        cause_of(
            model().node("Gemm", {"x", "A"}, "h", {OnnxBytes::whole("transA", 1)}).node("MatMul", {"h", "sum"}, "y")),
        u);
    EXPECT_EQ(
        cause_of(model().node("Gemm", {"x", "A"}, "h", {OnnxBytes::whole("odd", 1)}).node("MatMul", {"h", "sum"}, "y")),
        u);
    EXPECT_EQ(cause_of(h().node("Relu", {"h"}, "r").node("Add", {"r", "h"}, "s").node("MatMul", {"s", "sum"}, "y")), u)
        << "residual";
    EXPECT_EQ(cause_of(h().node("Relu", {"h"}, "r").node("Tanh", {"h"}, "t").node("MatMul", {"t", "sum"}, "y")), u)
        << "two branches";
    EXPECT_EQ(cause_of(h().node("Div", {"b", "h"}, "s").node("MatMul", {"s", "sum"}, "y")), u);
    EXPECT_EQ(cause_of(model().node("MatMul", {"A", "x"}, "y")), u);
    EXPECT_EQ(cause_of(model().node("Add", {"b", "b"}, "y")), u);
    EXPECT_EQ(cause_of(model().node("Identity", {"b"}, "y")), u) << "an answer without the point";
    EXPECT_EQ(
        cause_of(h().node("Concat", {"h", "x"}, "s", {OnnxBytes::whole("axis", 0)}).node("MatMul", {"s", "sum"}, "y")),
        u);
    EXPECT_EQ(cause_of(model().input("z", {1, 256}).node("Gemm", {"x", "A"}, "y")), u) << "two inputs";
    EXPECT_EQ(cause_of(OnnxBytes({-1, 4}).floats("A", {4, 1}, {1, 2, 3, 4}).node("MatMul", {"x", "A"}, "y")), u)
        << "points of four";
    EXPECT_EQ(cause_of(h().node("Identity", {"h"}, "y")), Cause::invalid_argument) << "two answers";
    EXPECT_EQ(cause_of(model().node("Gemm", {"q", "A"}, "y")), Cause::malformed) << "a value that nobody makes";
    EXPECT_EQ(cause_of(h()), Cause::malformed) << "no answer";
    EXPECT_EQ(cause_of(h().node("Relu", {"h"}, "h").node("MatMul", {"h", "sum"}, "y")), Cause::malformed)
        << "made twice";
    EXPECT_EQ(cause_of(h().node("Relu", {}, "r").node("MatMul", {"r", "sum"}, "y")), Cause::malformed);
    EXPECT_EQ(
        cause_of(h().floats("long", {3}, {1, 2, 3}).node("Add", {"h", "long"}, "s").node("MatMul", {"s", "sum"}, "y")),
        Cause::count_mismatch);
    EXPECT_EQ(refusal("\x08").cause(), Cause::truncated);
    EXPECT_EQ(refusal("\x08\x08").cause(), Cause::malformed) << "no graph";
    EXPECT_EQ(refusal("\x0b").cause(), Cause::malformed) << "a group";
    EXPECT_EQ(refusal(std::string(11, '\xff')).cause(), Cause::malformed) << "a number without end";
}

TEST(Onnx, small_files_cannot_request_much_memory) {
    OnnxBytes doubling;
    std::string value = "x";
    for (int k = 0; k < 40; ++k) {
        const std::string next = fmt::format("d{}", k);
        doubling.node("Concat", {value, value}, next, {OnnxBytes::whole("axis", 1)});
        value = next;
    }
    EXPECT_EQ(cause_of(doubling.node("Relu", {value}, "y")), Cause::too_large);
    OnnxBytes wide;
    wide.floats("A", {3, 8000}, std::vector<float>(24000)).node("MatMul", {"x", "A"}, "h0");
    for (int k = 0; k < 60; ++k) wide.node("Relu", {fmt::format("h{}", k)}, fmt::format("h{}", k + 1));
    EXPECT_EQ(cause_of(wide.node("Relu", {"h60"}, "y")), Cause::too_large) << "8000 x 8000 that no file holds";
    OnnxBytes many;
    for (int k = 0; k < 5000; ++k) many.node("Identity", {"x"}, fmt::format("i{}", k));
    EXPECT_EQ(cause_of(many.node("Relu", {"x"}, "y")), Cause::too_large);
}

TEST(Onnx, the_widest_layers_are_read) {
    const std::size_t n = Network::max_width;
    const Network network = read(OnnxBytes()
                                     .floats("A", {3, n}, std::vector<float>(3 * n, 1))
                                     .floats("B", {n, 1}, std::vector<float>(n, 1))
                                     .node("MatMul", {"x", "A"}, "h")
                                     .node("Tanh", {"h"}, "t")
                                     .node("MatMul", {"t", "B"}, "y"));
    EXPECT_EQ(network.width(), Network::max_width);
    EXPECT_EQ(
        cause_of(OnnxBytes().floats("A", {3, n + 1}, std::vector<float>(3 * n + 3)).node("MatMul", {"x", "A"}, "y")),
        Cause::too_large);
}

TEST(Onnx, changed_anywhere_it_is_an_error_or_a_network) {
    const std::string whole = written_onnx_network(testing::rich_network());
    int refused = 0;
    for (std::size_t at = 0; at < whole.size(); ++at)
        for (const int flip : {1, 0xff}) {
            std::string bytes = whole;
            bytes[at] = static_cast<char>(bytes[at] ^ flip);
            try {
                check(read_bytes(bytes).network);
            } catch (const Error& error) {
                ++refused;
                ASSERT_EQ(error.place().file, "a.onnx");
            }
        }
    EXPECT_GT(refused, 1000);
}

} // namespace onnx_test
} // namespace fathom
