#include <fathom/base/error.h>
#include <fathom/field/neural/network.h>

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace fathom {
namespace network_test {

DenseLayer layer(int inputs, int outputs, Activation activation) {
    DenseLayer result{.inputs = inputs, .outputs = outputs, .activation = activation};
    result.weights.assign(static_cast<std::size_t>(inputs * outputs), 0.5F);
    result.biases.assign(static_cast<std::size_t>(outputs), 0.25F);
    return result;
}

Network small_network() {
    Network network;
    network.layers = {layer(3, 4, Activation::relu), layer(7, 4, Activation::elu), layer(4, 1, Activation::none)};
    network.layers[1].skip_input = true;
    return network;
}

Cause cause_after(const std::function<void(Network&)>& spoil) {
    Network network = small_network();
    spoil(network);
    try {
        check(network);
    } catch (const Error& error) {
        return error.cause();
    }
    ADD_FAILURE() << "was taken as sound";
    return Cause::cancelled;
}

TEST(Network, is_sound_when_its_layers_follow_one_another) {
    EXPECT_NO_THROW(check(small_network()));
    EXPECT_EQ(small_network().weight_count(), 12U + 4 + 28 + 4 + 4 + 1);
    EXPECT_EQ(small_network().width(), 4);
}

TEST(Network, invalid_networks_are_rejected_with_a_reason) {
    EXPECT_EQ(cause_after([](Network& n) { n.layers.clear(); }), Cause::empty);
    EXPECT_EQ(cause_after([](Network& n) { n.layers[1].skip_input = false; }), Cause::invalid_argument);
    EXPECT_EQ(cause_after([](Network& n) { n.layers[0].skip_input = true; }), Cause::invalid_argument);
    EXPECT_EQ(cause_after([](Network& n) { n.layers.pop_back(); }), Cause::invalid_argument);
    EXPECT_EQ(cause_after([](Network& n) { n.layers[1].weights.pop_back(); }), Cause::invalid_argument);
    EXPECT_EQ(cause_after([](Network& n) { n.layers[1].weights[3] = NAN; }), Cause::non_finite);
    EXPECT_EQ(cause_after([](Network& n) { n.layers[2].biases[0] = INFINITY; }), Cause::non_finite);
    EXPECT_EQ(cause_after([](Network& n) { n.layers[0].outputs = -1; }), Cause::too_large);
    EXPECT_EQ(cause_after([](Network& n) { n.layers[0].parameter = 0; }), Cause::invalid_argument);
    EXPECT_EQ(cause_after([](Network& n) { n.layers.resize(100); }), Cause::too_large);
    EXPECT_EQ(cause_after([](Network& n) { n.scale = 0; }), Cause::invalid_argument);
    EXPECT_EQ(cause_after([](Network& n) { n.domain = Box{}; }), Cause::invalid_argument);
    EXPECT_EQ(cause_after([](Network& n) { n.encoding.frequencies = 17; }), Cause::invalid_argument);
    EXPECT_EQ(cause_after([](Network& n) { n.encoding = {.frequencies = 0, .point_first = false}; }),
              Cause::invalid_argument);
}

} // namespace network_test
} // namespace fathom
