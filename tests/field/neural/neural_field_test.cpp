#include <contract/field_contract.h>
#include <fathom/field/neural/neural_field.h>
#include <field/neural/network_examples.h>

#include <gtest/gtest.h>

namespace fathom {
namespace neural_field_test {

using testing::all_activations;
using testing::FieldContract;
using testing::NetworkShape;
using testing::placed;
using testing::random_network;

// max(|x|, |y|, |z|) - half: a cube.
Network cube_network(float half) {
    Network network;
    const auto add = [&](int inputs, int outputs, std::vector<float> weights, std::vector<float> biases,
                         Activation activation) {
        network.layers.push_back({.inputs = inputs,
                                  .outputs = outputs,
                                  .weights = std::move(weights),
                                  .biases = std::move(biases),
                                  .activation = activation,
                                  .parameter = 1,
                                  .skip_input = false});
    };
    // |x|, |y|, |z| from six units; max(a, b) = b + relu(a - b).
    add(3, 6, {1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1}, std::vector<float>(6, 0), Activation::relu);
    add(6, 3, {1, 1, -1, -1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 1, 1}, {0, 0, 0}, Activation::relu); // a - b, b, c
    add(3, 2, {1, 1, -1, 0, 0, 1}, {0, 0}, Activation::relu); // max(a, b) - c, c
    add(2, 1, {1, 1}, {-half}, Activation::none);
    return network;
}

// |x| + |y| + |z| - size.
Network octahedron_network(float size) {
    Network network = cube_network(0);
    network.layers.resize(1);
    network.layers.push_back({.inputs = 6,
                              .outputs = 1,
                              .weights = std::vector<float>(6, 1),
                              .biases = {-size},
                              .activation = Activation::none,
                              .parameter = 1,
                              .skip_input = false});
    return network;
}

void expect_contract(const Network& network, const std::string& name, std::size_t boxes) {
    const NeuralField field(network);
    FieldContract contract{.name = name, .region = network.domain.grown(0.2 * network.domain.diagonal())};
    contract.boxes = boxes;
    contract.rounding =
        4 * field.rounding_bound(); // of the kernels, up and down, and as much again of the range itself
    contract.difference_step = 1e-3;
    contract.gradient_tolerance = 5e-3;
    check_field_contract(field, contract);
}

TEST(NeuralField, keeps_the_contract_for_every_activation) {
    for (const Activation activation : all_activations)
        expect_contract(random_network({.widths = {12, 12}, .activation = activation}, 31),
                        std::string(name(activation)), testing::count_of(400, 100000));
}

TEST(NeuralField, keeps_the_contract_with_encoding_skipped_point_and_bounded_output) {
    const NetworkShape shape{.widths = {12, 12},
                             .activation = Activation::softplus,
                             .parameter = 4,
                             .encoding = {.frequencies = 2, .scale = 1},
                             .skip_at = 1,
                             .output = Activation::tanh};
    expect_contract(random_network(shape, 32), "encoded", testing::count_of(400, 100000));
}

TEST(NeuralField, keeps_the_contract_at_every_scale_and_place) {
    for (const double scale : {1e-3, 1.0, 1e3})
        expect_contract(placed(random_network({.widths = {12, 12}}, 33), scale * Vec3(2, 3, -1), scale),
                        std::to_string(scale), testing::count_of(300, 100000));
}

TEST(NeuralField, keeps_the_contract_for_a_shape_and_decides_boxes_both_ways) {
    const NeuralField field(cube_network(0.5F));
    FieldContract contract{.name = "cube", .region = Box::around(Vec3::Zero(), Vec3::Constant(1.5))};
    contract.difference_step = 1e-3;
    contract.gradient_tolerance = 1e-3;
    const testing::ContractCounts counts = check_field_contract(field, contract);
    EXPECT_GT(counts.outside, contract.boxes / 10);
    EXPECT_GT(counts.inside, contract.boxes / 100);
    EXPECT_GT(counts.mixed, contract.boxes / 100);
}

TEST(NeuralField, is_bounded_closely_by_a_proven_box) {
    const NeuralField octahedron(octahedron_network(0.5F));
    EXPECT_TRUE(octahedron.bounds().contains(Box::around(Vec3::Zero(), Vec3::Constant(0.5))));
    EXPECT_TRUE(Box::around(Vec3::Zero(), Vec3::Constant(0.5 + 2.1 / 64)).contains(octahedron.bounds()));
    const NeuralField cube(cube_network(0.5F));
    EXPECT_TRUE(cube.bounds().contains(Box::around(Vec3::Zero(), Vec3::Constant(0.5))));
    EXPECT_TRUE(Box::around(Vec3::Zero(), Vec3::Constant(0.95)).contains(cube.bounds()))
        << cube.bounds().lower.transpose();
    EXPECT_TRUE(NeuralField(cube_network(-0.5F)).bounds().empty()); // nowhere below 0.5
}

TEST(NeuralField, is_bounded_beyond_its_domain_if_its_border_is_inside) {
    Network network = cube_network(0.5F);
    network.domain = Box::around(Vec3(0.4, 0, 0), Vec3::Constant(0.4));
    const NeuralField field(network);
    Random random(3);
    std::size_t beyond = 0;
    for (int i = 0; i < 20000; ++i) {
        const Vec3 p = random.in_box(network.domain.grown(1));
        if (!(field.distance(p) <= 0)) continue;
        beyond += network.domain.contains(p) ? 0 : 1;
        ASSERT_TRUE(field.bounds().contains(p)) << p.transpose();
    }
    EXPECT_GT(beyond, 100U);
}

TEST(NeuralField, answers_from_the_border_beyond_its_domain) {
    const NeuralField field(cube_network(0.5F));
    EXPECT_NEAR(field.distance(Vec3(4, 0, 0)), std::hypot(3, 0.5), 1e-6);
    EXPECT_NEAR(field.distance(Vec3(4, 5, 1)), std::hypot(5, 0.5), 1e-6);
    EXPECT_EQ(field.distance(Vec3(HUGE_VAL, 0, 0)), HUGE_VAL);
    EXPECT_TRUE(std::isnan(field.distance(Vec3(0, NAN, 0))));
    EXPECT_TRUE(std::isnan(field.sample(Vec3(0, NAN, 0)).distance));
    EXPECT_TRUE(field.sample(Vec3(0, NAN, 0)).gradient.array().isNaN().all());
    EXPECT_EQ(field.range({Vec3(0, NAN, 0), Vec3(1, 1, 1)}), Interval::all());
}

TEST(NeuralField, is_nowhere_further_from_the_exact_network_than_it_states) {
    double loosest = 0;
    for (const Activation activation : all_activations) {
        const Network network = random_network(
            {.widths = {16, 16, 16}, .activation = activation, .encoding = {.frequencies = 1}, .skip_at = 1}, 41);
        const NeuralField field(network);
        Random random(5);
        double largest = 0;
        for (int i = 0; i < 2000; ++i) {
            const Vec3 p = random.in_box(network.domain);
            largest =
                std::max(largest, std::abs(field.distance(p) - testing::plain_sample(network, p).sample.distance));
        }
        EXPECT_LE(largest, field.rounding_bound()) << name(activation);
        EXPECT_LT(field.rounding_bound(), 1e-2) << name(activation);
        EXPECT_GT(largest, 0) << name(activation);
        loosest = std::max(loosest, field.rounding_bound() / largest);
    }
    RecordProperty("loosest", std::to_string(loosest));
}

TEST(NeuralField, distinguishes_distances_from_other_values) {
    const NetworkReport cube = measure(NeuralField(cube_network(0.5F)));
    EXPECT_TRUE(cube.distance_like);
    EXPECT_NEAR(cube.gradient_median, 1, 1e-6);
    EXPECT_NEAR(cube.gradient_largest, 1, 1e-6);
    EXPECT_NEAR(cube.values.lower, -0.5, 0.1);
    EXPECT_NEAR(cube.values.upper, 0.5, 0.01);

    Network steep = cube_network(0.5F);
    for (float& w : steep.layers.back().weights) w *= 3000;
    steep.layers.back().biases[0] *= 3000;
    EXPECT_FALSE(measure(NeuralField(steep)).distance_like);
    Network bounded = steep;
    bounded.layers.back().activation = Activation::tanh;
    const NetworkReport report = measure(NeuralField(bounded));
    EXPECT_FALSE(report.distance_like);
    EXPECT_GE(report.values.lower, -1);
    EXPECT_LE(report.values.upper, 1);
}

TEST(NeuralField, estimates_depth_for_values_of_any_meaning) {
    for (const float steepness : {1e-3F, 1.0F, 3000.0F}) {
        Network network = cube_network(0.5F);
        for (float& w : network.layers.back().weights) w *= steepness;
        network.layers.back().biases[0] *= steepness;
        const NeuralField field(network);
        EXPECT_NEAR(depth_estimate(field.sample(Vec3(0.4, 0.1, 0.2))), 0.1, 1e-6);
        EXPECT_EQ(field.error_bound(), HUGE_VAL);
        EXPECT_LT(field.distance(Vec3(0.4, 0.1, 0.2)), 0);
    }
    EXPECT_EQ(depth_estimate({0, Vec3::Zero()}), 0);
    EXPECT_EQ(depth_estimate({1, Vec3::Zero()}), HUGE_VAL);
}

} // namespace neural_field_test
} // namespace fathom
