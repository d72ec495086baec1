#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/field/neural/network_values.h>
#include <field/neural/network_examples.h>

#include <gtest/gtest.h>

namespace fathom {
namespace network_values_test {

using testing::all_activations;
using testing::NetworkShape;
using testing::placed;
using testing::plain_sample;
using testing::random_network;

std::vector<Vec3> random_points(const Box& box, std::size_t count, std::uint64_t seed) {
    Random random(seed);
    std::vector<Vec3> points(count);
    for (Vec3& p : points) p = random.in_box(box);
    return points;
}

// Values and gradients to 1e-5 of their usual size; where a relu may switch, the gradient has no one right value.
void expect_equals_plain(const Network& network, std::size_t count, const std::string& what) {
    const std::vector<Vec3> points = random_points(network.domain, count, 3);
    const NetworkValues values(network);
    std::vector<Sample> samples(count);
    values.samples(points, samples);
    std::vector<testing::PlainResult> truth;
    double usual_value = 0, usual_slope = 0;
    for (const Vec3& p : points) {
        truth.push_back(plain_sample(network, p));
        usual_value += std::abs(truth.back().sample.distance) / static_cast<double>(count);
        usual_slope += truth.back().sample.gradient.norm() / static_cast<double>(count);
    }
    std::size_t smooth = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const Sample& plain = truth[i].sample;
        ASSERT_NEAR(samples[i].distance, plain.distance, 1e-5 * std::max(usual_value, std::abs(plain.distance)))
            << what;
        if (truth[i].kink < 1e-5) continue;
        ++smooth;
        ASSERT_LE((samples[i].gradient - plain.gradient).norm(), 1e-5 * std::max(usual_slope, plain.gradient.norm()))
            << what;
    }
    EXPECT_GT(2 * smooth, count) << what;
    EXPECT_GT(usual_slope, 0) << what;
}

TEST(NetworkValues, equal_plain_loops_in_double_for_every_activation) {
    for (const Activation activation : all_activations)
        for (const float parameter : {0.5F, 1.0F, 3.0F})
            expect_equals_plain(
                random_network({.widths = {32, 32, 32}, .activation = activation, .parameter = parameter}, 11), 300,
                std::string(name(activation)) + " " + std::to_string(parameter));
}

TEST(NetworkValues, equal_plain_loops_in_double_at_every_width) {
    for (int width = 1; width <= 70; ++width)
        expect_equals_plain(random_network({.widths = {width, 71 - width}, .activation = Activation::tanh},
                                           static_cast<std::uint64_t>(width)),
                            40, std::to_string(width));
}

TEST(NetworkValues, equal_plain_loops_in_double_with_encoding_and_skipped_point) {
    for (const int frequencies : {0, 1, 5})
        for (const bool point_first : {true, false})
            for (const int skip_at : {-1, 1, 2, 3}) {
                if (frequencies == 0 && !point_first) continue;
                const NetworkShape shape{
                    .widths = {20, 33, 7},
                    .activation = Activation::softplus,
                    .parameter = 2,
                    .encoding = {.frequencies = frequencies, .point_first = point_first, .scale = 1.5F},
                    .skip_at = skip_at};
                expect_equals_plain(random_network(shape, 5), 60,
                                    std::to_string(frequencies) + " " + std::to_string(skip_at));
            }
}

TEST(NetworkValues, equal_plain_loops_in_double_for_a_wide_and_deep_network) {
    for (const Activation activation : {Activation::elu, Activation::relu})
        expect_equals_plain(
            random_network({.widths = std::vector<int>(8, 512), .activation = activation, .skip_at = 4}, 2), 30,
            "8 x 512");
    expect_equals_plain(random_network({.widths = {300, 257, 700}, .activation = Activation::tanh}, 2), 30,
                        "past the cut of the inputs");
}

TEST(NetworkValues, are_those_of_the_network_at_every_scale_and_place) {
    for (const double scale : {1e-3, 1.0, 1e3})
        expect_equals_plain(placed(random_network({.widths = {32, 32}}, 4), scale * Vec3(7, -3, 2), scale), 200,
                            std::to_string(scale));
}

TEST(NetworkValues, end_in_an_activation_where_the_last_layer_has_one) {
    expect_equals_plain(random_network({.widths = {24, 24}, .output = Activation::tanh}, 6), 200, "tanh at the end");
    expect_equals_plain(random_network({.widths = {}, .output = Activation::sine}, 6), 200, "one layer");
}

TEST(NetworkValues, have_gradients_that_are_the_slopes_of_the_plain_network) {
    for (const Activation activation : {Activation::elu, Activation::tanh, Activation::sine, Activation::softplus}) {
        const Network network = random_network({.widths = {24, 24, 24}, .activation = activation, .skip_at = 2}, 9);
        const NetworkValues values(network);
        constexpr double step = 0x1p-10; // a power of two: the points stay floats
        for (const Vec3& any : random_points(network.domain, 100, 4)) {
            const Vec3 p = any.unaryExpr([](double x) { return std::round(x * 0x1p12) * 0x1p-12; });
            Sample sample;
            values.samples({&p, 1}, {&sample, 1});
            Vec3 slope;
            for (int k = 0; k < 3; ++k)
                slope[k] = (plain_sample(network, p + step * Vec3::Unit(k)).sample.distance -
                            plain_sample(network, p - step * Vec3::Unit(k)).sample.distance) /
                           (2 * step);
            ASSERT_LE((slope - sample.gradient).norm(), 1e-3 * (1 + sample.gradient.norm())) << name(activation);
        }
    }
}

TEST(NetworkValues, have_the_same_bits_in_any_batch) {
    for (const Activation activation : all_activations) {
        const NetworkShape shape{
            .widths = {37, 300, 5}, .activation = activation, .encoding = {.frequencies = 2}, .skip_at = 1};
        const Network network = random_network(shape, 21);
        const NetworkValues values(network);
        const std::vector<Vec3> points = random_points(network.domain, 250, 6);
        std::vector<Sample> alone(points.size());
        for (std::size_t i = 0; i < points.size(); ++i) values.samples({&points[i], 1}, {&alone[i], 1});
        for (std::size_t count = 0; count <= points.size(); count += count < 100 ? 1 : 50) {
            const std::span<const Vec3> some = std::span(points).last(count);
            std::vector<Sample> samples(count);
            std::vector<double> distances(count);
            values.samples(some, samples);
            values.values(some, distances);
            for (std::size_t i = 0; i < count; ++i) {
                const Sample& one = alone[points.size() - count + i];
                ASSERT_EQ(samples[i].distance, one.distance) << name(activation) << ", point " << i << " of " << count;
                ASSERT_EQ(samples[i].gradient, one.gradient) << name(activation) << ", point " << i << " of " << count;
                ASSERT_EQ(distances[i], one.distance) << name(activation) << ", point " << i << " of " << count;
            }
        }
    }
}

TEST(NetworkValues, have_the_same_bits_on_any_number_of_threads) {
    const Network network = random_network({.widths = {32, 32}}, 22);
    const NetworkValues values(network);
    const std::vector<Vec3> points = random_points(network.domain, 5000, 7);
    const auto with_threads = [&](std::size_t threads, std::size_t chunk) {
        set_thread_count(threads);
        std::vector<double> out(points.size());
        parallel_for(points.size(), chunk, [&](std::size_t begin, std::size_t end) {
            values.values(std::span(points).subspan(begin, end - begin), std::span(out).subspan(begin, end - begin));
        });
        set_thread_count(0);
        return out;
    };
    const std::vector<double> one = with_threads(1, 5000);
    EXPECT_EQ(with_threads(2, 77), one);
    EXPECT_EQ(with_threads(8, 13), one);
}

TEST(NetworkValues, are_nan_where_the_point_is_nan) {
    for (const Activation activation : all_activations) {
        const NetworkValues values(random_network({.widths = {9, 9}, .activation = activation}, 1));
        for (int axis = 0; axis < 3; ++axis) {
            std::vector<Vec3> points(30, Vec3::Zero());
            points[4][axis] = NAN;
            std::vector<double> out(points.size());
            values.values(points, out);
            for (std::size_t i = 0; i < points.size(); ++i) EXPECT_EQ(std::isnan(out[i]), i == 4) << name(activation);
        }
    }
}

TEST(NetworkValues, refuse_parameters_whose_error_is_not_known) {
    for (const float parameter : {1e-9F, 1e9F}) {
        Network network = random_network({.activation = Activation::softplus}, 1);
        network.layers[1].parameter = parameter;
        EXPECT_THROW(NetworkValues{network}, Error);
        network.layers[1].activation = Activation::tanh; // has none
        EXPECT_NO_THROW(NetworkValues{network});
    }
}

} // namespace network_values_test
} // namespace fathom
