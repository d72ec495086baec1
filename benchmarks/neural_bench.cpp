// Table `neural`: networks asked for values and gradients on one thread, beside Eigen's matrix products.
#include <benchmarks/eigen_peer.h>
#include <benchmarks/report.h>
#include <fathom/base/random.h>
#include <fathom/field/neural/network_values.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace fathom::bench {

namespace {

// Weights as networks are started: the numbers between layers stay near 1.
Network started_network(int width, Activation activation) {
    constexpr int layers = 8;
    Random random(1);
    Network network;
    int inputs = 3;
    for (int k = 0; k <= layers; ++k) {
        DenseLayer layer;
        layer.inputs = inputs;
        layer.outputs = k < layers ? width : 1;
        layer.activation = k < layers ? activation : Activation::none;
        const double largest = std::sqrt(6.0 / inputs);
        for (int i = 0; i < layer.inputs * layer.outputs; ++i) layer.weights.push_back(static_cast<float>(random.uniform(-largest, largest)));
        for (int i = 0; i < layer.outputs; ++i) layer.biases.push_back(static_cast<float>(random.uniform(-0.1, 0.1)));
        inputs = layer.outputs;
        network.layers.push_back(std::move(layer));
    }
    return network;
}

EigenNetwork peer_of(const Network& network) {
    std::vector<EigenLayer> layers;
    for (const DenseLayer& layer : network.layers)
        layers.push_back({layer.inputs, layer.outputs, layer.weights.data(), layer.biases.data(), layer.activation != Activation::none});
    return {layers, network.layers.front().activation == Activation::relu ? EigenNetwork::Unit::relu : EigenNetwork::Unit::elu};
}

struct Answers {
    std::vector<double> values;
    std::vector<Sample> samples;
    std::vector<double> single;
};

// Typical sizes set the measure: a value near 0 has no relative error.
std::string agreement(const Answers& ours, const std::vector<double>& values, const std::vector<double>& gradients) {
    double apart = 0, usual = 0, slopes_apart = 0, usual_slope = 0;
    const double count = static_cast<double>(values.size());
    for (std::size_t k = 0; k < values.size(); ++k) {
        const Vec3 slope(gradients[3 * k], gradients[3 * k + 1], gradients[3 * k + 2]);
        usual += std::abs(values[k]) / count;
        usual_slope += slope.norm() / count;
        apart = std::max(apart, std::abs(ours.values[k] - values[k]));
        slopes_apart += (ours.samples[k].gradient - slope).norm() / count;
    }
    return fmt::format("values at most {:.1g}, gradients on average {:.1g} of their usual size from Eigen's", apart / usual, slopes_apart / usual_slope);
}

void rows(Report& report, int width, Activation activation) {
    const Network network = started_network(width, activation);
    const NetworkValues ours(network);
    EigenNetwork peer = peer_of(network);
    const std::size_t count = width > 100 ? 1920 : 96000;
    Random random(2);
    std::vector<Vec3> points(count);
    for (Vec3& p : points) p = random.in_box(network.domain);
    Answers answers{std::vector<double>(count), std::vector<Sample>(count), std::vector<double>(count)};
    std::vector<double> values(count), gradients(3 * count);
    const double* const plain = points.front().data();
    const std::function<void()> rivals[] = {
        [&] { ours.values(points, answers.values); },
        [&] { peer.values(plain, count, values.data()); },
        [&] { ours.samples(points, answers.samples); },
        [&] { peer.gradients(plain, count, values.data(), gradients.data()); },
        [&] { for (std::size_t k = 0; k < count; ++k) ours.values({&points[k], 1}, {&answers.single[k], 1}); }};
    const auto seconds = race(rivals, 7);
    const std::string words = agreement(answers, values, gradients), shape = fmt::format("8x{} {}", width, name(activation));
    const auto rate = [&](std::size_t k) { return 1e-6 * static_cast<double>(count) / seconds[k]; };
    const auto add = [&](const char* id, const std::string& work, std::size_t mine, std::size_t yours, const std::string& error) {
        report.add({fmt::format("neural-{}-8x{}-{}", id, width, name(activation)), work, "M/s", rate(mine), "Eigen, batch 256", rate(yours),
                    ratio(rate(mine), rate(yours), Better::larger), error, 1e-6 * static_cast<double>(ours.bytes())});
    };
    add("values", shape + ", values", 0, 1, words);
    add("gradients", shape + ", values and gradients", 2, 3, fmt::format("{:.2f} times the time of a value", seconds[2] / seconds[0]));
    add("single", shape + ", values one by one", 4, 1, answers.single == answers.values ? "the same bits as the batch" : "UNLIKE the batch");
}

void run(Report& report) {
    for (const int width : {32, 64, 512})
        for (const Activation activation : {Activation::relu, Activation::elu}) rows(report, width, activation);
    report.note("one thread; millions of points a second; Eigen is compiled for this CPU and always gets 256 points at once");
}

const Registration registration("neural/points", "networks asked, one thread", run);

} // namespace

} // namespace fathom::bench
