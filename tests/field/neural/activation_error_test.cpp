#include <fathom/base/random.h>
#include <fathom/field/neural/network.h>
#include <fathom/field/neural/network_values.h>
#include <field/neural/network_examples.h>
#include <support/test_counts.h>

#include <gtest/gtest.h>

#include <bit>

namespace fathom {
namespace activation_error_test {

// One layer of one unit that passes x through: its value is the activation of x.
NetworkValues lone_activation(Activation activation, float parameter) {
    Network network;
    network.layers.push_back({.inputs = 3,
                              .outputs = 1,
                              .weights = {1, 0, 0},
                              .biases = {0},
                              .activation = activation,
                              .parameter = parameter,
                              .skip_input = false});
    return NetworkValues(network);
}

// The plain functions of the oracle lose digits where these do not.
long double exact(Activation activation, float parameter, float x) {
    const long double a = parameter, z = x;
    switch (activation) {
    case Activation::elu:
        return z > 0 ? z : a * std::expm1(z);
    case Activation::tanh:
        return std::tanh(z);
    case Activation::sine:
        return std::sin(a * z);
    case Activation::softplus:
        return std::max(z, 0.0L) + std::log1p(std::exp(-a * std::abs(z))) / a;
    default:
        return std::max(z, 0.0L);
    }
}

// Every finite float with the same chance, or even over an interval.
std::vector<Vec3> arguments(Random& random, std::size_t count) {
    std::vector<Vec3> points(count, Vec3::Zero());
    for (std::size_t i = 0; i < count; ++i) {
        float x = std::bit_cast<float>(static_cast<std::uint32_t>(random.bits()));
        if (i % 2 == 0 || !std::isfinite(x))
            x = static_cast<float>(random.uniform(-1, 1) * std::exp2(random.uniform(-4, 8)));
        points[i].x() = x;
    }
    return points;
}

double largest_error(Activation activation, float parameter, std::uint64_t seed) {
    Random random(seed);
    const NetworkValues network = lone_activation(activation, parameter);
    const std::vector<Vec3> points = arguments(random, testing::count_of(20000, 4000000));
    std::vector<double> values(points.size());
    network.values(points, values);
    long double worst = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const float x = static_cast<float>(points[i].x());
        const long double truth = exact(activation, parameter, x);
        EXPECT_TRUE(activation != Activation::sine || std::abs(values[i]) <= 1) << x;
        if (activation == Activation::sine &&
            std::abs(static_cast<double>(parameter) * points[i].x()) > largest_sine_argument)
            continue;
        worst =
            std::max(worst, std::abs(static_cast<long double>(values[i]) - truth) / std::max(1.0L, std::abs(truth)));
        EXPECT_TRUE(std::isfinite(values[i])) << x;
    }
    return static_cast<double>(worst);
}

TEST(ActivationError, holds_for_every_activation_over_all_floats) {
    for (const Activation activation : testing::all_activations)
        for (const float parameter : {0.01F, 0.3F, 1.0F, 30.0F, 100.0F}) {
            const double error = largest_error(activation, parameter, 7);
            EXPECT_LE(error, activation == Activation::relu ? 0.0 : activation_error)
                << name(activation) << " with parameter " << parameter;
            RecordProperty(std::string(name(activation)) + std::to_string(parameter),
                           std::to_string(error / activation_error));
        }
}

TEST(ActivationError, holds_at_the_ends_of_the_parameters) {
    for (const Activation activation : {Activation::elu, Activation::sine, Activation::softplus})
        for (const float parameter : {min_parameter, max_parameter})
            EXPECT_LE(largest_error(activation, parameter, 8), activation_error)
                << name(activation) << " with parameter " << parameter;
}

TEST(ActivationError, holds_where_the_functions_change_their_form) {
    for (const Activation activation : {Activation::elu, Activation::tanh, Activation::sine, Activation::softplus}) {
        const NetworkValues network = lone_activation(activation, 1);
        for (const float center :
             {0.0F, 0.34657359F, 0.69314718F, 0.78539816F, 1.5707963F, 3.1415927F, 20.0F, 87.3F, 88.7F, 103.9F})
            for (int step = -200; step <= 200; ++step)
                for (const float sign : {-1.0F, 1.0F}) {
                    const float x = sign * (center + static_cast<float>(step) * 0x1p-23F * std::max(center, 1e-20F));
                    const Vec3 p(x, 0, 0);
                    double value = 0;
                    network.values({&p, 1}, {&value, 1});
                    const double truth = static_cast<double>(exact(activation, 1, x));
                    ASSERT_NEAR(value, truth, activation_error * std::max(1.0, std::abs(truth)))
                        << name(activation) << " at " << x;
                }
    }
}

} // namespace activation_error_test
} // namespace fathom
