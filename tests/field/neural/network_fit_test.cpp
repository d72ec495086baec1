#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/base/random.h>
#include <fathom/field/neural/network_fit.h>
#include <fathom/field/neural/network_optimizer.h>
#include <fathom/field/neural/network_training.h>
#include <fathom/geometry/generate/generate.h>
#include <fathom/geometry/io/mesh_file.h>
#include <support/models.h>
#include <support/test_counts.h>

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <limits>

namespace fathom {
namespace network_fit_test {

using testing::count_of;

constexpr Activation all_activations[] = {Activation::relu, Activation::elu, Activation::tanh, Activation::sine,
                                          Activation::softplus};

struct AnalyticExpression {
    Activation activation = Activation::relu;
    int layers = 3, width = 6, frequencies = 0, skip_at = 0;
    bool point_first = true;
    Activation output = Activation::none;
};

Network random_network(const AnalyticExpression& shape, std::uint64_t seed) {
    Random random(seed);
    Network network;
    network.encoding = {.frequencies = shape.frequencies, .point_first = shape.point_first, .scale = 1.5F};
    int arriving = network.encoding.outputs();
    for (int i = 0; i <= shape.layers; ++i) {
        DenseLayer layer{.inputs = arriving,
                         .outputs = i < shape.layers ? shape.width : 1,
                         .activation = i < shape.layers ? shape.activation : shape.output};
        layer.skip_input = shape.skip_at > 0 && i == shape.skip_at;
        if (layer.skip_input) layer.inputs += network.encoding.outputs();
        if (layer.activation == Activation::elu) layer.parameter = 0.7F;
        if (layer.activation == Activation::sine) layer.parameter = 2.5F;
        if (layer.activation == Activation::softplus) layer.parameter = 3;
        for (int k = 0; k < layer.inputs * layer.outputs; ++k)
            layer.weights.push_back(static_cast<float>(random.uniform(-1, 1) * std::sqrt(3.0 / layer.inputs)));
        for (int k = 0; k < layer.outputs; ++k) layer.biases.push_back(static_cast<float>(random.uniform(-0.5, 0.5)));
        arriving = layer.outputs;
        network.layers.push_back(std::move(layer));
    }
    check(network);
    return network;
}

TrainingPoints random_points(std::size_t count, std::uint64_t seed) {
    Random random(seed);
    TrainingPoints points;
    for (std::size_t i = 0; i < count; ++i) {
        const Vec3 p = random.in_box(Box::around(Vec3::Zero(), Vec3::Ones()));
        points.x.push_back(static_cast<float>(p.x()));
        points.y.push_back(static_cast<float>(p.y()));
        points.z.push_back(static_cast<float>(p.z()));
        points.value.push_back(static_cast<float>(random.uniform(-1, 1)));
    }
    return points;
}

double applied(const DenseLayer& layer, double x) {
    const double parameter = static_cast<double>(layer.parameter);
    switch (layer.activation) {
    case Activation::none:
        return x;
    case Activation::relu:
        return std::max(x, 0.0);
    case Activation::elu:
        return x > 0 ? x : parameter * std::expm1(x);
    case Activation::tanh:
        return std::tanh(x);
    case Activation::sine:
        return std::sin(parameter * x);
    case Activation::softplus:
        return std::log1p(std::exp(parameter * x)) / parameter;
    }
    return x;
}

std::vector<double> encoded(const PositionalEncoding& encoding, const Vec3& p) {
    std::vector<double> row;
    if (encoding.point_first) row.assign(p.data(), p.data() + 3);
    for (int k = 0; k < encoding.frequencies; ++k) {
        const double factor = std::ldexp(static_cast<double>(encoding.scale), k);
        for (int axis = 0; axis < 3; ++axis) row.push_back(std::sin(factor * p[axis]));
        for (int axis = 0; axis < 3; ++axis) row.push_back(std::cos(factor * p[axis]));
    }
    return row;
}

// The plain reading of network.h, in double.
double reference_value(const Network& shape, const std::vector<double>& parameters, const Vec3& p) {
    const std::vector<double> input = encoded(shape.encoding, p);
    std::vector<double> row = input;
    auto at = parameters.begin();
    for (const DenseLayer& layer : shape.layers) {
        if (layer.skip_input) row.insert(row.end(), input.begin(), input.end());
        std::vector<double> next;
        auto bias = at + layer.inputs * layer.outputs;
        for (int o = 0; o < layer.outputs; ++o) {
            double sum = *bias++;
            for (const double x : row) sum += *at++ * x;
            next.push_back(applied(layer, sum));
        }
        at = bias;
        row = std::move(next);
    }
    return row[0];
}

Vec3 point_at(const TrainingPoints& points, std::size_t i) {
    return Eigen::Vector3f(points.x[i], points.y[i], points.z[i]).cast<double>();
}

double reference_loss(const Network& shape, const std::vector<double>& parameters, const TrainingPoints& points,
                      double width) {
    double sum = 0;
    for (std::size_t i = 0; i < training_chunk; ++i) {
        const double error =
            std::abs(reference_value(shape, parameters, point_at(points, i)) - static_cast<double>(points.value[i]));
        sum += error < width ? error * error / (2 * width) : error - width / 2;
    }
    return sum;
}

void expect_slopes_of_differences(const AnalyticExpression& shape, const std::string& what) {
    const Network network = random_network(shape, 3);
    const TrainingPoints points = random_points(training_chunk, 4);
    const std::vector<float> parameters = parameters_of(network);
    std::vector<double> exact(parameters.begin(), parameters.end());
    std::vector<float> gradient(parameters.size());
    constexpr double width = 0.125, step = 1e-6;
    const double loss = chunk_gradient(network, parameters, points, 0, {.width = static_cast<float>(width)}, gradient);
    EXPECT_NEAR(loss, reference_loss(network, exact, points, width), 1e-5 * loss) << what;
    double largest = 0, worst = 0;
    const std::size_t stride = exact.size() / count_of(25, exact.size()) + 1;
    for (std::size_t i = 0; i < exact.size(); i += stride) {
        const double here = exact[i];
        exact[i] = here + step;
        const double above = reference_loss(network, exact, points, width);
        exact[i] = here - step;
        const double below = reference_loss(network, exact, points, width);
        exact[i] = here;
        const double slope = (above - below) / (2 * step);
        largest = std::max(largest, std::abs(slope));
        worst = std::max(worst, std::abs(slope - static_cast<double>(gradient[i])));
    }
    EXPECT_GT(largest, 0.1) << what;
    EXPECT_LT(worst, 2e-5 * largest) << what;
}

TEST(NetworkTraining, slopes_of_the_loss_are_those_of_differences_for_every_activation) {
    for (const Activation activation : all_activations) {
        const std::string what(name(activation));
        expect_slopes_of_differences({.activation = activation}, what);
        expect_slopes_of_differences({.activation = activation, .layers = 4, .width = 5, .skip_at = 2},
                                     what + " with a skip");
        expect_slopes_of_differences({.activation = activation, .layers = 2, .frequencies = 2},
                                     what + " with an encoding");
        expect_slopes_of_differences({.activation = activation, .frequencies = 1, .skip_at = 1, .point_first = false},
                                     what + " with both");
        expect_slopes_of_differences({.activation = activation, .layers = 1, .width = 1}, what + " alone");
        expect_slopes_of_differences({.activation = Activation::relu, .output = activation}, what + " at the end");
    }
}

TEST(NetworkTraining, values_are_those_of_a_plain_evaluation) {
    for (const Activation activation : all_activations) {
        const Network network =
            random_network({.activation = activation, .layers = 8, .width = 33, .frequencies = 3, .skip_at = 4}, 5);
        const std::vector<float> parameters = parameters_of(network);
        const std::vector<double> exact(parameters.begin(), parameters.end());
        const TrainingPoints points = random_points(500, 6); // no multiple of a chunk
        std::vector<float> values(points.size());
        training_values(network, parameters, points, values);
        for (std::size_t i = 0; i < points.size(); ++i)
            EXPECT_NEAR(static_cast<double>(values[i]), reference_value(network, exact, point_at(points, i)), 1e-4)
                << name(activation) << " at " << i;
    }
}

TEST(NetworkTraining, parameters_round_trip) {
    const Network network = random_network({.layers = 2, .skip_at = 1}, 7);
    Network copy = random_network({.layers = 2, .skip_at = 1}, 8);
    const std::vector<float> parameters = parameters_of(network);
    EXPECT_EQ(parameters.size(), network.weight_count());
    EXPECT_NE(parameters_of(copy), parameters);
    set_parameters(copy, parameters);
    EXPECT_EQ(parameters_of(copy), parameters);
    EXPECT_EQ(copy.layers[1].biases, network.layers[1].biases);
}

// The distance left after `steps` steps towards the minimum of |A (W - target) B|^2, whose axes are neither those of W
// nor alike.
double left_of_a_skewed_valley(const OptimizerOptions& options, std::size_t steps) {
    constexpr int rows = 6, columns = 5; // with the biases as a column
    Network shape;
    shape.layers = {{.inputs = columns - 1,
                     .outputs = rows,
                     .weights = std::vector<float>(rows * (columns - 1)),
                     .biases = std::vector<float>(rows)}};
    Random random(9);
    const auto skewed = [&](int size) {
        Eigen::MatrixXd m = Eigen::MatrixXd::NullaryExpr(size, size, [&] { return random.uniform(-1, 1); });
        const Eigen::MatrixXd turn = m.householderQr().householderQ();
        const Eigen::VectorXd sizes =
            Eigen::VectorXd::LinSpaced(size, 0, -1.5).unaryExpr([](double x) { return std::pow(10, x); });
        return Eigen::MatrixXd(turn * sizes.asDiagonal() * turn.transpose());
    };
    const Eigen::MatrixXd left = skewed(rows), right = skewed(columns);
    const Eigen::MatrixXd target = Eigen::MatrixXd::NullaryExpr(rows, columns, [&] { return random.uniform(-1, 1); });
    std::vector<float> parameters(rows * columns), gradient(rows * columns);
    const auto at = [](int r, int c) {
        return static_cast<std::size_t>(c < columns - 1 ? r * (columns - 1) + c : rows * (columns - 1) + r);
    };
    NetworkOptimizer optimizer(shape, options);
    Eigen::MatrixXd here(rows, columns);
    for (std::size_t step = 0; step <= steps; ++step) {
        for (int r = 0; r < rows; ++r)
            for (int c = 0; c < columns; ++c) here(r, c) = static_cast<double>(parameters[at(r, c)]);
        const Eigen::MatrixXd slopes = left * left * (here - target) * right * right;
        for (int r = 0; r < rows; ++r)
            for (int c = 0; c < columns; ++c) gradient[at(r, c)] = static_cast<float>(slopes(r, c));
        optimizer.step(parameters, gradient, 1,
                       0.05 * (1 - static_cast<double>(step) / static_cast<double>(steps + 1)));
    }
    return (here - target).norm();
}

TEST(NetworkOptimizer, converges_faster_than_adam_in_a_skewed_valley) {
    const double turned = left_of_a_skewed_valley({}, 300), plain = left_of_a_skewed_valley({.widest = 1}, 300);
    EXPECT_LT(turned, 0.1);
    EXPECT_GT(plain, 3 * turned);
}

TEST(NetworkOptimizer, stays_where_there_is_no_slope) {
    const Network shape = random_network({}, 10);
    std::vector<float> parameters = parameters_of(shape);
    const std::vector<float> before = parameters, gradient(parameters.size());
    NetworkOptimizer optimizer(shape);
    for (int step = 0; step < 25; ++step) optimizer.step(parameters, gradient, 1, 0.1);
    EXPECT_EQ(parameters, before);
}

FitOptions short_fit(int steps) { return {.layers = 4, .width = 16, .steps = steps, .samples = 1 << 14}; }

double share(const FitReport& report, double error) { return error / report.longest_side; }

struct FieldSphereTree {
    const char* name;
    TriangleMesh mesh;
    double mean; // expected, as a share of the longest side
    double overlap;
};
std::vector<FieldSphereTree> solids() {
    return {{"sphere", make_sphere({.resolution = 6}), 0.003, 0.98},
            {"torus", make_torus({.segments = 32, .tube_segments = 16}), 0.004, 0.95},
            {"box", make_box({.size = {1, 0.6, 0.4}}), 0.004, 0.95}};
}

TEST(NetworkFit, few_hundred_steps_learn_a_simple_solid) {
    for (const FieldSphereTree& solid : solids()) {
        const FittedNetwork fit = fit_network(solid.mesh, short_fit(static_cast<int>(count_of(400, 4000))));
        check(fit.network);
        const FitReport& report = fit.report;
        EXPECT_LT(share(report, report.mean_error), solid.mean) << solid.name;
        EXPECT_LT(share(report, report.max_error), 20 * solid.mean) << solid.name;
        EXPECT_GT(report.max_error, report.mean_error) << solid.name;
        EXPECT_GT(report.overlap, solid.overlap) << solid.name;
        EXPECT_LT(report.sign_errors, report.near_sign_errors) << solid.name;
        EXPECT_EQ(report.steps, static_cast<int>(count_of(400, 4000)));
        EXPECT_FALSE(report.reached || report.cut_short);
        ASSERT_GT(report.course.size(), 4u);
        EXPECT_GT(report.course.front().error, 2 * report.course.back().error) << solid.name;
        EXPECT_TRUE(fit.network.domain.contains(bounds(solid.mesh.vertices).grown(0.14 * report.longest_side)));
    }
}

// The report judges the weights by the kernels that made them; here by network.h alone.
TEST(NetworkFit, the_reported_error_is_that_of_the_network) {
    const TriangleMesh sphere = make_sphere({.radius = 2, .resolution = 12});
    const FittedNetwork fit = fit_network(sphere, short_fit(300));
    const std::vector<float> floats = parameters_of(fit.network);
    const std::vector<double> parameters(floats.begin(), floats.end());
    Random random(11);
    double sum = 0;
    constexpr int count = 4000;
    for (int i = 0; i < count; ++i) {
        const double distance = random.uniform(-1, 1) * fit_near * fit.report.longest_side;
        const Vec3 p = (2 + distance) * random.direction();
        const double value =
            fit.network.scale * reference_value(fit.network, parameters, (p - fit.network.center) / fit.network.scale);
        sum += std::abs(value - distance);
    }
    EXPECT_NEAR(fit.report.longest_side, 4, 0.1);
    EXPECT_NEAR(sum / count, fit.report.mean_error, 0.4 * fit.report.mean_error); // the mesh is no sphere
}

TEST(NetworkFit, every_activation_learns) {
    const TriangleMesh mesh = make_torus({.segments = 32, .tube_segments = 16});
    for (const Activation activation : all_activations) {
        FitOptions options = short_fit(static_cast<int>(count_of(300, 2000)));
        options.activation = activation;
        const FitReport report = fit_network(mesh, options).report;
        EXPECT_LT(share(report, report.mean_error), testing::long_run() ? 0.005 : 0.012) << name(activation);
        EXPECT_GT(report.overlap, testing::long_run() ? 0.95 : 0.8) << name(activation);
    }
}

TEST(NetworkFit, is_the_same_to_the_bit_for_any_number_of_threads_and_on_every_run) {
    const TriangleMesh mesh = make_torus({.segments = 32, .tube_segments = 16});
    const FitOptions options = short_fit(static_cast<int>(count_of(100, 1000)));
    std::vector<float> first;
    for (const std::size_t threads : {1u, 2u, 5u, 2u}) {
        set_thread_count(threads);
        const std::vector<float> parameters = parameters_of(fit_network(mesh, options).network);
        if (first.empty()) first = parameters;
        EXPECT_EQ(first, parameters) << threads << " threads";
    }
    set_thread_count(0);
    FitOptions other = options;
    other.seed = 2;
    EXPECT_NE(parameters_of(fit_network(mesh, other).network), first);
}

TEST(NetworkFit, a_timed_fit_is_reproduced_by_its_number_of_steps) {
    const TriangleMesh mesh = make_sphere({.resolution = 6});
    FitOptions options = short_fit(0);
    options.seconds = 0.6;
    const FittedNetwork timed = fit_network(mesh, options);
    if (timed.report.cut_short) GTEST_SKIP() << "the machine is too busy to keep a pace";
    EXPECT_GE(timed.report.steps, 128);
    options.steps = timed.report.steps;
    EXPECT_EQ(parameters_of(fit_network(mesh, options).network), parameters_of(timed.network));
}

TEST(NetworkFit, ends_when_time_is_over) {
    const TriangleMesh mesh = make_sphere({.resolution = 6});
    for (const double seconds : {1e-6, 0.5}) {
        FitOptions options = short_fit(0);
        options.layers = 8;
        options.width = 32;
        options.seconds = seconds;
        const auto start = std::chrono::steady_clock::now();
        const FitReport report = fit_network(mesh, options).report;
        EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
                  seconds + 5); // machines may be busy
        EXPECT_GE(report.steps, 1);
        EXPECT_TRUE(report.cut_short || seconds > 0.1);
    }
}

TEST(NetworkFit, ends_when_the_error_is_small_enough) {
    const TriangleMesh mesh = make_torus({.segments = 32, .tube_segments = 16});
    FitOptions options = short_fit(5000);
    options.error = 0.01;
    const FitReport report = fit_network(mesh, options).report;
    EXPECT_TRUE(report.reached);
    EXPECT_LT(report.steps, 2000);
    EXPECT_LT(share(report, report.mean_error), 0.01);
    EXPECT_GT(share(report, report.course.front().error), 0.01);
}

TEST(NetworkFit, does_not_care_about_size) {
    const TriangleMesh mesh = make_torus({.segments = 32, .tube_segments = 16});
    const auto fitted = [&](double scale, const Vec3& shift) {
        return fit_network(mapped(mesh, [&](const Vec3& v) -> Vec3 { return scale * v + shift; }), short_fit(150));
    };
    const FittedNetwork one = fitted(1, Vec3::Zero());
    for (const double scale : {1.0 / 1024, 1024.0})
        EXPECT_EQ(parameters_of(fitted(scale, Vec3::Zero()).network), parameters_of(one.network)) << scale;
    for (const double scale : {1e-3, 1e3}) {
        const FitReport report = fitted(scale, scale * Vec3(3, -2, 1)).report;
        EXPECT_NEAR(share(report, report.mean_error), share(one.report, one.report.mean_error),
                    0.3 * share(one.report, one.report.mean_error))
            << scale;
        EXPECT_GT(report.overlap, 0.9 * one.report.overlap) << scale;
    }
}

TEST(NetworkFit, learns_the_inside_of_an_open_mesh_by_its_winding_number) {
    TriangleMesh mesh = make_sphere({.resolution = 5});
    std::erase_if(mesh.triangles, [&](const Triangle& t) { return mesh.vertices[t[0]].z() > 0.45; });
    const FitReport report = fit_network(mesh, short_fit(200)).report;
    EXPECT_EQ(report.sign.substr(0, 7), "winding");
    EXPECT_GT(report.overlap, 0.85);
}

Cause cause_of(const TriangleMesh& mesh, const FitOptions& options) {
    try {
        (void)fit_network(mesh, options);
    } catch (const Error& error) {
        return error.cause();
    }
    return Cause::cancelled;
}

TEST(NetworkFit, rejects_fields_it_cannot_fit) {
    const TriangleMesh good = make_box();
    EXPECT_EQ(cause_of({}, short_fit(1)), Cause::empty);
    TriangleMesh bad = good;
    bad.vertices[2].y() = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(cause_of(bad, short_fit(1)), Cause::non_finite);
    bad = good;
    bad.triangles[0][1] = 1000;
    EXPECT_EQ(cause_of(bad, short_fit(1)), Cause::index_out_of_range);
    bad = {{Vec3(1, 1, 1), Vec3(1, 1, 1), Vec3(1, 1, 1)}, {{0, 1, 2}}};
    EXPECT_NE(cause_of(bad, short_fit(1)), Cause::cancelled);
    bad = mapped(good, [](const Vec3& v) -> Vec3 { return 1e300 * v; });
    EXPECT_NE(cause_of(bad, short_fit(1)), Cause::cancelled);
}

TEST(NetworkFit, refuses_a_soup_that_has_no_inside) {
    const TriangleMesh soup{{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1), Vec3(0, 0, -1)},
                            {{0, 1, 2}, {0, 1, 3}, {0, 1, 4}}};
    EXPECT_EQ(cause_of(soup, short_fit(1)), Cause::invalid_argument);
}

TEST(NetworkFit, refuses_options_out_of_range) {
    const TriangleMesh mesh = make_box();
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const auto refused = [&](auto change) {
        FitOptions options = short_fit(1);
        change(options);
        EXPECT_EQ(cause_of(mesh, options), Cause::invalid_argument);
    };
    refused([](FitOptions& o) { o.width = 0; });
    refused([](FitOptions& o) { o.width = 1'000'000'000; });
    refused([](FitOptions& o) { o.width = -3; });
    refused([](FitOptions& o) { o.layers = 0; });
    refused([](FitOptions& o) { o.layers = 17; });
    refused([](FitOptions& o) { o.steps = -1; });
    refused([](FitOptions& o) { o.samples = 0; });
    refused([](FitOptions& o) { o.samples = std::size_t{1} << 40; });
    refused([](FitOptions& o) { o.activation = Activation::none; });
    refused([](FitOptions& o) { o.activation = static_cast<Activation>(77); });
    refused([&](FitOptions& o) { o.error = nan; });
    refused([](FitOptions& o) { o.error = -1; });
    refused([&](FitOptions& o) { o.steps = 0, o.seconds = nan; });
    refused([](FitOptions& o) { o.steps = 0, o.seconds = 0; });
}

class Watcher final : public Progress {
public:
    bool update(std::string_view stage, double fraction) override {
        stages.emplace_back(stage);
        largest = std::max(largest, fraction);
        return stage.substr(0, stop_at.size()) != stop_at || stop_at.empty();
    }
    std::vector<std::string> stages;
    std::string stop_at;
    double largest = 0;
};

TEST(NetworkFit, reports_its_error_while_running_and_can_be_cancelled) {
    const TriangleMesh mesh = make_box();
    Watcher watcher;
    FitOptions options = short_fit(200);
    options.progress = &watcher;
    (void)fit_network(mesh, options);
    EXPECT_EQ(watcher.largest, 1);
    EXPECT_TRUE(std::ranges::any_of(
        watcher.stages, [](const std::string& s) { return s.starts_with("fitting: error ") && s.ends_with(" %"); }));
    EXPECT_EQ(watcher.stages.back(), "fitting");
    for (const char* stage : {"measuring", "fitting"}) {
        watcher.stop_at = stage;
        EXPECT_EQ(cause_of(mesh, options), Cause::cancelled);
        EXPECT_TRUE(watcher.stages.back().starts_with(stage));
    }
}

TEST(NetworkFit, bunny_is_learned_to_three_thousandths_of_its_size) {
    FATHOM_NEEDS_MODELS();
    const TriangleMesh mesh = read_triangle_mesh(testing::models() / "bunny.obj");
    const FitReport report = fit_network(mesh, {.steps = static_cast<int>(count_of(450, 20000))}).report;
    EXPECT_LT(share(report, report.mean_error), testing::long_run() ? 0.001 : 0.003);
    EXPECT_GT(report.overlap, testing::long_run() ? 0.985 : 0.95);
}

} // namespace network_fit_test
} // namespace fathom
