// The network in double: values against plain loops, bounds and planes of small boxes against points in them.
#include <fathom/field/neural/neural_field.h>
#include <fathom/field/plane_over.h>
#include <field/neural/network_examples.h>
#include <support/test_counts.h>

#include <gtest/gtest.h>

namespace fathom {
namespace exact_neural_field_test {

using testing::all_activations;
using testing::NetworkShape;
using testing::plain_result;
using testing::random_network;

std::vector<NetworkShape> examples() {
    std::vector<NetworkShape> shapes;
    for (const Activation activation : all_activations)
        for (const float parameter : {1.0F, 3.0F})
            shapes.push_back({.widths = {12, 12}, .activation = activation, .parameter = parameter});
    shapes.push_back({.widths = {16, 16},
                      .activation = Activation::softplus,
                      .parameter = 4,
                      .encoding = {.frequencies = 2, .scale = 1},
                      .skip_at = 1,
                      .output = Activation::tanh});
    shapes.push_back({.widths = {10},
                      .activation = Activation::relu,
                      .encoding = {.frequencies = 1, .point_first = false, .scale = 2}});
    return shapes;
}

// The surface passes near a point: its value becomes the bias of the result.
Network through(Network network, const Vec3& p) {
    const Activation last = network.layers.back().activation;
    network.layers.back().activation = Activation::none;
    network.layers.back().biases[0] -=
        static_cast<float>(plain_result(network, (p - network.center) / network.scale).sample.distance);
    network.layers.back().activation = last;
    return network;
}

TEST(ExactNeuralField, computes_the_network_in_double) {
    Random random(1);
    std::uint64_t seed = 10;
    for (const NetworkShape& shape : examples()) {
        const Network network = testing::placed(random_network(shape, ++seed), Vec3(1, -2, 0.5), 3);
        const NeuralField field(network);
        const std::shared_ptr<const Field> exact = field.in_double();
        ASSERT_TRUE(exact);
        for (int k = 0; k < 200; ++k) {
            const Vec3 p = random.in_box(network.domain);
            const testing::PlainResult plain = plain_result(network, (p - network.center) / network.scale);
            const Sample s = exact->sample(p);
            EXPECT_NEAR(s.distance, network.scale * plain.sample.distance, 1e-12);
            EXPECT_EQ(s.distance, exact->distance(p));
            EXPECT_LE(std::abs(s.distance - field.distance(p)), field.rounding_bound());
            if (!(plain.kink > 1e-12)) continue; // the slope jumps
            EXPECT_NEAR((s.gradient - plain.sample.gradient).norm(), 0, 1e-10);
        }
        const Vec3 beyond = network.domain.upper + Vec3(1, 2, 3);
        EXPECT_NEAR(exact->distance(beyond), field.distance(beyond), 2 * field.rounding_bound());
        EXPECT_TRUE(std::isnan(exact->distance(Vec3(0, NAN, 0))));
    }
}

// Boxes of all sizes about a point of the surface, within the domain and across its border.
TEST(ExactNeuralField, planes_and_ranges_bound_the_inside_of_boxes) {
    Random random(2);
    std::uint64_t seed = 50;
    std::size_t inside = 0, planes = 0;
    for (const NetworkShape& shape : examples())
        for (std::size_t k = 0; k < testing::count_of(40, 1000); ++k) {
            const Vec3 at = k % 4 == 0 ? Vec3(1, random.uniform(-1, 1), random.uniform(-1, 1))
                                       : random.in_box(Box::around(Vec3::Zero(), Vec3::Ones()));
            const NeuralField field(through(random_network(shape, ++seed), at));
            const std::shared_ptr<const Field> exact = field.in_double();
            const double size = std::pow(10.0, random.uniform(-9, -0.3));
            const Box box = Box::around(at + 0.5 * size * random.in_ball(), size * (Vec3::Ones() + random.in_ball()));
            Interval range;
            PlaneOver plane;
            ASSERT_TRUE(exact->plane_ranges({&box, 1}, {&range, 1}, {&plane, 1},
                                            k % 2 == 0 ? Vec3(Vec3::Zero()) : random.direction()));
            planes += !plane.normal.isZero();
            for (int i = 0; i < 100; ++i) {
                const Vec3 p = random.in_box(box);
                const double value = exact->distance(p);
                EXPECT_GE(value, range.lower);
                EXPECT_LE(value, range.upper);
                if (value > 0) continue;
                ++inside;
                EXPECT_LE(plane.normal.dot(p - box.center()), plane.offset);
            }
        }
    EXPECT_GT(inside, 4000u);
    EXPECT_GT(planes, 200u);
}

TEST(ExactNeuralField, planes_of_small_boxes_are_accurate_to_second_order) {
    Random random(3);
    std::uint64_t seed = 90;
    for (const NetworkShape& shape : examples()) {
        const Vec3 at = 0.5 * random.in_ball();
        const NeuralField field(through(random_network(shape, ++seed), at));
        const std::shared_ptr<const Field> exact = field.in_double();
        if (shape.output != Activation::none) continue;
        const Box box = Box::around(at, Vec3::Constant(1e-6));
        Interval range;
        PlaneOver plane;
        exact->plane_ranges({&box, 1}, {&range, 1}, {&plane, 1}, Vec3::Zero());
        const Sample s = exact->sample(at);
        EXPECT_NEAR(plane.offset, -s.distance / s.gradient.norm(), 1e-9) << name(shape.activation);
    }
}

} // namespace exact_neural_field_test
} // namespace fathom
