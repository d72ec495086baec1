#include <fathom/base/random.h>
#include <fathom/field/neural/network_range.h>
#include <support/test_counts.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <type_traits>

namespace fathom {
namespace network_range_test {

using namespace testing;

template <class T>
T activate(T x, Activation activation, T p) {
    switch (activation) {
    case Activation::none:
        return x;
    case Activation::relu:
        return std::max(x, T(0));
    case Activation::elu:
        return x > 0 ? x : p * std::expm1(x);
    case Activation::tanh:
        return std::tanh(x);
    case Activation::sine:
        return static_cast<T>(std::sin(static_cast<double>(p) * static_cast<double>(x)));
    case Activation::softplus: {
        const double k = static_cast<double>(p), z = static_cast<double>(x);
        return static_cast<T>(std::max(z, 0.0) + std::log1p(std::exp(-std::abs(k * z))) / k);
    }
    }
    return x;
}

enum class Order { forward, backward };

// The network as written down, in T, with its sums in one order or the other.
template <class T>
double evaluate(const Network& network, const Vec3& point, Order order = Order::forward) {
    const Vec3 unit = (point - network.center) / network.scale;
    std::vector<T> encoded;
    const auto coordinate = [&](int axis) { return static_cast<T>(unit[axis]); };
    if (network.encoding.point_first)
        for (int axis = 0; axis < 3; ++axis) encoded.push_back(coordinate(axis));
    for (int k = 0; k < network.encoding.frequencies; ++k)
        for (const bool cosine : {false, true})
            for (int axis = 0; axis < 3; ++axis) {
                const double phase =
                    std::ldexp(static_cast<double>(network.encoding.scale), k) * static_cast<double>(coordinate(axis));
                encoded.push_back(static_cast<T>(cosine ? std::cos(phase) : std::sin(phase)));
            }
    std::vector<T> inputs = encoded, outputs;
    for (const DenseLayer& layer : network.layers) {
        if (layer.skip_input) inputs.insert(inputs.end(), encoded.begin(), encoded.end());
        outputs.clear();
        for (std::size_t o = 0; o < static_cast<std::size_t>(layer.outputs); ++o) {
            T sum = order == Order::forward ? static_cast<T>(layer.biases[o]) : T(0);
            for (std::size_t i = 0; i < inputs.size(); ++i) {
                const std::size_t j = order == Order::forward ? i : inputs.size() - 1 - i;
                const T w = static_cast<T>(layer.weights[o * inputs.size() + j]);
                sum = order == Order::forward ? sum + w * inputs[j] : std::fma(w, inputs[j], sum);
            }
            if (order == Order::backward) sum += static_cast<T>(layer.biases[o]);
            outputs.push_back(activate<T>(sum, layer.activation, static_cast<T>(layer.parameter)));
        }
        inputs = outputs;
    }
    return static_cast<double>(inputs[0]) * network.scale;
}

struct NetworkKind {
    Activation activation = Activation::relu;
    float parameter = 1;
    int layers = 4, width = 24, frequencies = 0, skip = -1;
    bool point_first = true;
    Activation last = Activation::none;
    double scale = 1, gain = 1.4;
};

Network random_network(const NetworkKind& kind, Random& random) {
    Network network;
    network.encoding.frequencies = kind.frequencies;
    network.encoding.point_first = kind.point_first;
    network.scale = kind.scale;
    network.center = kind.scale * Vec3(0.3, -0.2, 0.1);
    network.domain = Box::around(network.center, Vec3::Constant(kind.scale));
    int arriving = network.encoding.outputs();
    for (int k = 0; k <= kind.layers; ++k) {
        DenseLayer layer;
        layer.skip_input = k == kind.skip;
        layer.inputs = arriving + (layer.skip_input ? network.encoding.outputs() : 0);
        layer.outputs = k == kind.layers ? 1 : kind.width;
        layer.activation = k == kind.layers ? kind.last : kind.activation;
        layer.parameter = kind.parameter;
        const double size = kind.gain * std::sqrt(3.0 / layer.inputs) /
                            (kind.activation == Activation::sine ? static_cast<double>(kind.parameter) : 1);
        for (int i = 0; i < layer.inputs * layer.outputs; ++i)
            layer.weights.push_back(static_cast<float>(random.uniform(-size, size)));
        for (int i = 0; i < layer.outputs; ++i) layer.biases.push_back(static_cast<float>(random.uniform(-0.3, 0.3)));
        arriving = layer.outputs;
        network.layers.push_back(std::move(layer));
    }
    return network;
}

std::vector<NetworkKind> kinds() {
    using A = Activation;
    return {
        {.activation = A::relu, .layers = 8, .width = 32},
        {.activation = A::relu, .layers = 3, .width = 17, .last = A::tanh},
        {.activation = A::relu, .layers = 5, .width = 33, .frequencies = 4, .skip = 3},
        {.activation = A::elu, .layers = 6, .width = 40},
        {.activation = A::elu, .parameter = 2.5F, .layers = 3, .width = 9, .skip = 1, .last = A::elu},
        {.activation = A::elu, .parameter = 0.3F, .layers = 3, .width = 70},
        {.activation = A::tanh, .layers = 4, .width = 31, .last = A::tanh},
        {.activation = A::tanh, .layers = 2, .width = 1},
        {.activation = A::sine, .parameter = 30, .layers = 3, .width = 21},
        {.activation = A::sine, .parameter = 3, .layers = 4, .width = 20, .last = A::sine},
        {.activation = A::softplus, .parameter = 5, .layers = 4, .width = 19, .last = A::softplus},
        {.activation = A::softplus, .parameter = 100, .layers = 3, .width = 25, .frequencies = 6, .point_first = false},
        {.activation = A::softplus, .parameter = 0.1F, .layers = 3, .width = 16},
        {.activation = A::none, .layers = 3, .width = 12},
        {.activation = A::relu, .layers = 0, .width = 1, .last = A::relu}};
}

// From the whole domain to a millionth of it; some flat, some a single point.
Box random_box(const Box& domain, Random& random) {
    const double shrink = random.chance(0.1) ? 0.0 : std::exp2(-20.0 * random.uniform());
    Vec3 half = 0.5 * shrink * domain.size();
    for (int k = 0; k < 3; ++k) half[k] *= random.chance(0.1) ? 0.0 : random.uniform();
    return intersection(Box::around(random.in_box(domain), half), domain);
}

// Looks for the largest sign * value by walking along the axes in ever smaller steps.
Vec3 extreme_by_search(const Network& network, const Box& box, double sign, Random& random) {
    Vec3 best = box.closest(random.in_box(box)), step = box.half();
    double value = sign * evaluate<double>(network, best);
    for (int round = 0; round < 8; ++round, step *= 0.5)
        for (int axis = 0; axis < 3; ++axis)
            for (const double direction : {-1.0, 1.0}) {
                const Vec3 trial = box.closest(best + direction * step[axis] * Vec3::Unit(axis));
                const double v = sign * evaluate<double>(network, trial);
                if (v > value) value = v, best = trial;
            }
    return best;
}

::testing::AssertionResult holds(const Interval& range, const Network& network, const Vec3& p) {
    const double exact = evaluate<double>(network, p), one = evaluate<float>(network, p),
                 other = evaluate<float>(network, p, Order::backward);
    if (range.contains(exact) && range.contains(one) && range.contains(other)) return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << exact << " (float " << one << ", " << other << ") is not in ["
                                         << range.lower << ", " << range.upper << "]";
}

std::vector<Vec3> points_of(const Network& network, const Box& box, bool search, Random& random) {
    std::vector<Vec3> points{box.corner(0), box.corner(7), box.corner(static_cast<int>(random.below(8))),
                             box.closest(random.in_box(box))};
    if (search)
        for (const double sign : {-1.0, 1.0}) points.push_back(extreme_by_search(network, box, sign, random));
    return points;
}

Interval range_of(const NetworkRange& ranges, const Box& box, const RangeOptions& options = {}) {
    Interval result;
    ranges.ranges({&box, 1}, {&result, 1}, options);
    return result;
}

TEST(NetworkRange, encloses_exact_and_float_values_in_boxes_of_every_size) {
    Random random(11);
    std::size_t outside = 0, inside = 0, mixed = 0;
    const std::size_t boxes = count_of(2400, 1000000) / (3 * kinds().size());
    for (NetworkKind kind : kinds())
        for (const double scale : {1e-3, 1.0, 1e3}) {
            kind.scale = scale;
            const Network network = random_network(kind, random);
            const NetworkRange ranges(network);
            for (std::size_t i = 0; i < boxes; ++i) {
                const Box box = random_box(network.domain, random);
                const Interval full = range_of(ranges, box, {.every_box = true}), usual = range_of(ranges, box);
                const Interval quick = range_of(ranges, box, {RangeEffort::affine}),
                               back = range_of(ranges, box, {RangeEffort::backward});
                ASSERT_TRUE(quick.contains(back) && back.contains(usual) && usual.contains(full));
                ++(full.lower > 0 ? outside : full.upper < 0 ? inside : mixed);
                for (const Vec3& p : points_of(network, box, i % 8 == 0, random))
                    ASSERT_TRUE(holds(full, network, p))
                        << name(kind.activation) << " of width " << kind.width << " scale " << scale << " over "
                        << box.lower.transpose() << " .. " << box.upper.transpose();
            }
        }
    EXPECT_GT(outside, boxes);
    EXPECT_GT(inside, boxes);
    EXPECT_GT(mixed, boxes);
}

TEST(NetworkRange, planes_lie_over_all_that_is_inside_in_a_box) {
    Random random(17);
    std::size_t inside = 0, telling = 0, silent = 0;
    const std::size_t boxes = count_of(1200, 100000) / (3 * kinds().size());
    for (NetworkKind kind : kinds())
        for (const double scale : {1e-3, 1.0, 1e3}) {
            kind.scale = scale;
            const Network network = random_network(kind, random);
            const NetworkRange ranges(network);
            for (std::size_t i = 0; i < boxes; ++i) {
                const Box box = random_box(network.domain, random);
                Interval range;
                PlaneOver plane;
                ranges.ranges({&box, 1}, {&range, 1},
                              {.effort = i % 2 == 0 ? RangeEffort::backward : RangeEffort::affine,
                               .facing = i % 4 == 0 ? random.direction() : Vec3(Vec3::Zero())},
                              {&plane, 1});
                if (plane.offset == HUGE_VAL) {
                    ++silent;
                    continue;
                }
                EXPECT_NEAR(plane.normal.norm(), 1, 1e-12);
                telling += plane.offset < 0.5 * box.half().norm() && range.contains(0.0);
                for (int k = 0; k < 24; ++k) {
                    const Vec3 p = k < 8 ? box.corner(k) : box.closest(random.in_box(box));
                    const double least = std::min({evaluate<double>(network, p), evaluate<float>(network, p),
                                                   evaluate<float>(network, p, Order::backward)});
                    if (least > 0) continue;
                    ++inside;
                    ASSERT_LE(plane.normal.dot(p - box.center()), plane.offset + 1e-12 * scale)
                        << name(kind.activation) << " of width " << kind.width << " scale " << scale;
                }
            }
        }
    EXPECT_GT(inside, 2 * boxes);
    EXPECT_GT(telling, boxes / 4);
    EXPECT_GT(silent, 0u) << "activations that do not keep the sign tell nothing";
}

TEST(NetworkRange, encloses_for_every_width) {
    Random random(12);
    for (int width = 1; width <= 70; ++width) {
        const Network network = random_network(
            {.activation = width % 2 ? Activation::relu : Activation::elu, .layers = 2, .width = width, .skip = 1},
            random);
        const NetworkRange ranges(network);
        for (int i = 0; i < 12; ++i) {
            const Box box = random_box(network.domain, random);
            for (const Vec3& p : points_of(network, box, false, random))
                ASSERT_TRUE(holds(range_of(ranges, box), network, p)) << "width " << width;
        }
    }
}

TEST(NetworkRange, encloses_every_bend_of_each_activation) {
    Random random(13);
    using A = Activation;
    for (const A activation : {A::relu, A::elu, A::tanh, A::sine, A::softplus})
        for (std::size_t i = 0; i < count_of(1500, 300000); ++i) {
            const float parameter = activation == A::relu || activation == A::tanh
                                        ? 1.0F
                                        : static_cast<float>(std::exp2(random.uniform(-6, 6)));
            Network network =
                random_network({.activation = activation, .parameter = parameter, .layers = 1, .width = 1}, random);
            network.layers[0].weights = {static_cast<float>(std::exp2(random.uniform(-10, 6))), 0, 0};
            network.layers[0].biases = {static_cast<float>(random.uniform(-8, 8))};
            network.layers[1].weights = {1}, network.layers[1].biases = {0};
            const NetworkRange ranges(network);
            const Box box = random_box(network.domain, random);
            const Interval range = range_of(ranges, box);
            for (int k = 0; k <= 16; ++k) {
                const Vec3 p = box.closest(box.lower + k / 16.0 * box.size());
                ASSERT_TRUE(holds(range, network, p)) << name(activation) << " with " << parameter;
            }
        }
}

TEST(NetworkRange, is_exact_but_for_rounding_where_no_unit_bends) {
    Random random(14);
    Network network = random_network({.activation = Activation::relu, .layers = 3, .width = 20}, random);
    for (DenseLayer& layer : network.layers)
        if (layer.outputs > 1) std::fill(layer.biases.begin(), layer.biases.end(), 10.0F);
    for (float& w : network.layers[1].weights) w = std::abs(w);
    for (float& w : network.layers[2].weights) w = std::abs(w);
    const NetworkRange ranges(network);
    for (int i = 0; i < 100; ++i) {
        const Box box = random_box(network.domain, random);
        double low = evaluate<double>(network, box.corner(0)), high = low;
        for (int k = 1; k < 8; ++k)
            low = std::min(low, evaluate<double>(network, box.corner(k))),
            high = std::max(high, evaluate<double>(network, box.corner(k)));
        const double rounding = range_of(ranges, {box.center(), box.center()}, {.every_box = true}).width();
        EXPECT_LT(rounding, 1e-3 * std::abs(low));
        EXPECT_LT(range_of(ranges, box, {.every_box = true}).width(), (high - low) * (1 + 1e-5) + 1.1 * rounding);
    }
}

TEST(NetworkRange, tightens_to_rounding_as_the_box_shrinks) {
    Random random(15);
    for (NetworkKind kind : kinds()) {
        kind.gain = 1; // steeper random networks pass on more rounding than this bound allows
        const Network network = random_network(kind, random);
        const NetworkRange ranges(network);
        for (int i = 0; i < 20; ++i) {
            const Vec3 p = random.in_box(Box::around(network.center, Vec3::Constant(0.9 * kind.scale)));
            const double noise = range_of(ranges, {p, p}, {.every_box = true}).width();
            EXPECT_LT(noise, 2e-3 * kind.scale) << name(kind.activation) << " of width " << kind.width;
            const double small =
                range_of(ranges, Box::around(p, Vec3::Constant(1e-4 * kind.scale)), {.every_box = true}).width();
            EXPECT_LT(small - noise, 2.5 * ranges.lipschitz() * 1e-4 * kind.scale * std::sqrt(3.0) + noise)
                << name(kind.activation);
        }
    }
}

TEST(NetworkRange, of_a_box_alone_has_the_bits_of_a_batch) {
    Random random(16);
    for (const NetworkKind& kind : kinds()) {
        const Network network = random_network(kind, random);
        const NetworkRange ranges(network);
        for (const std::size_t count : {0U, 1U, 3U, 4U, 5U, 8U, 9U, 17U, 24U, 25U, 61U}) {
            std::vector<Box> boxes(count);
            for (Box& b : boxes) b = random_box(network.domain, random);
            std::vector<Interval> together(count);
            ranges.ranges(boxes, together);
            for (std::size_t i = 0; i < count; ++i)
                EXPECT_EQ(together[i], range_of(ranges, boxes[i])) << name(kind.activation);
            ranges.ranges(boxes, together, {RangeEffort::affine});
            for (std::size_t i = 0; i < count; ++i)
                EXPECT_EQ(together[i], range_of(ranges, boxes[i], {RangeEffort::affine})) << name(kind.activation);
        }
    }
}

TEST(NetworkRange, is_valid_for_numbers_that_overflow_vanish_or_are_empty) {
    Random random(17);
    Network network = random_network({.layers = 3, .width = 8}, random);
    EXPECT_TRUE(range_of(NetworkRange(network), Box{}).empty());
    for (DenseLayer& layer : network.layers)
        for (float& w : layer.weights) w *= 1e20F;
    EXPECT_EQ(range_of(NetworkRange(network), network.domain), Interval::all());
    EXPECT_EQ(NetworkRange(network).lipschitz(), NetworkRange(network).lipschitz());
    network = random_network({.layers = 3, .width = 8}, random);
    for (DenseLayer& layer : network.layers)
        for (float& w : layer.weights) w *= 1e-30F;
    const Interval tiny = range_of(NetworkRange(network), network.domain);
    EXPECT_TRUE(holds(tiny, network, network.center));
    EXPECT_LT(tiny.width(), 1e-3);
    network.domain = Box::around(Vec3::Zero(), Vec3::Constant(1e300));
    EXPECT_EQ(range_of(NetworkRange(network), network.domain), Interval::all());
}

TEST(NetworkRange, the_lipschitz_bound_is_valid_and_tight) {
    Random random(19);
    for (NetworkKind kind : kinds()) {
        kind.scale = 10;
        const Network network = random_network(kind, random);
        const NetworkRange ranges(network);
        double max_slope = 0;
        for (std::size_t i = 0; i < count_of(300, 20000); ++i) {
            const Vec3 p = random.in_box(network.domain), q = network.domain.closest(p + 1e-4 * random.in_ball());
            max_slope = std::max(max_slope, std::abs(evaluate<double>(network, p) - evaluate<double>(network, q)) /
                                                (p - q).norm());
        }
        EXPECT_LE(max_slope, ranges.lipschitz() * (1 + 1e-6)) << name(kind.activation) << " of width " << kind.width;
        EXPECT_LE(ranges.lipschitz(), 5000 * max_slope + 1e-3) << name(kind.activation) << " of width " << kind.width;
    }
}

} // namespace network_range_test
} // namespace fathom
