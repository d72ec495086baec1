// Table `neural`: networks asked for values, gradients and ranges on one thread, beside Eigen's matrix products.
#include <benchmarks/eigen_peer.h>
#include <benchmarks/report.h>
#include <fathom/base/random.h>
#include <fathom/field/neural/network_range.h>
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
        for (int i = 0; i < layer.inputs * layer.outputs; ++i)
            layer.weights.push_back(static_cast<float>(random.uniform(-largest, largest)));
        for (int i = 0; i < layer.outputs; ++i) layer.biases.push_back(static_cast<float>(random.uniform(-0.1, 0.1)));
        inputs = layer.outputs;
        network.layers.push_back(std::move(layer));
    }
    return network;
}

EigenNetwork peer_of(const Network& network) {
    std::vector<EigenLayer> layers;
    for (const DenseLayer& layer : network.layers)
        layers.push_back({layer.inputs, layer.outputs, layer.weights.data(), layer.biases.data(),
                          layer.activation != Activation::none});
    return {layers,
            network.layers.front().activation == Activation::relu ? EigenNetwork::Unit::relu : EigenNetwork::Unit::elu};
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
    return fmt::format("values at most {:.1g}, gradients on average {:.1g} of their usual size from Eigen's",
                       apart / usual, slopes_apart / usual_slope);
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
    const std::function<void()> rivals[] = {[&] { ours.values(points, answers.values); },
                                            [&] { peer.values(plain, count, values.data()); },
                                            [&] { ours.samples(points, answers.samples); },
                                            [&] { peer.gradients(plain, count, values.data(), gradients.data()); },
                                            [&] {
                                                for (std::size_t k = 0; k < count; ++k)
                                                    ours.values({&points[k], 1}, {&answers.single[k], 1});
                                            }};
    const auto seconds = race(rivals, 7);
    const std::string words = agreement(answers, values, gradients),
                      shape = fmt::format("8x{} {}", width, name(activation));
    const auto rate = [&](std::size_t k) { return 1e-6 * static_cast<double>(count) / seconds[k]; };
    const auto add = [&](const char* id, const std::string& work, std::size_t mine, std::size_t yours,
                         const std::string& error) {
        report.add({fmt::format("neural-{}-8x{}-{}", id, width, name(activation)), work, "M/s", rate(mine),
                    "Eigen, batch 256", rate(yours), ratio(rate(mine), rate(yours), Better::larger), error,
                    1e-6 * static_cast<double>(ours.bytes())});
    };
    if (width == 32 && activation == Activation::relu) // the row that has a target
        report.add({"neural-values", shape + ", values", "M/s", rate(0), "Eigen, batch 256", rate(1),
                    ratio(rate(0), rate(1), Better::larger), words, 1e-6 * static_cast<double>(ours.bytes())});
    add("values", shape + ", values", 0, 1, words);
    add("gradients", shape + ", values and gradients", 2, 3,
        fmt::format("{:.2f} times the time of a value", seconds[2] / seconds[0]));
    add("single", shape + ", values one by one", 4, 1,
        answers.single == answers.values ? "the same bits as the batch" : "UNLIKE the batch");
}

constexpr std::size_t box_batch = 64;

void range_rows(Report& report, int width, Activation activation, double half) {
    const Network network = started_network(width, activation);
    const NetworkValues values(network);
    const NetworkRange ranges(network);
    const std::size_t count = box_batch * (width > 100 ? 2 : 60);
    Random random(3);
    std::vector<Vec3> points(count);
    std::vector<Box> boxes(count);
    for (std::size_t k = 0; k < count; ++k) {
        points[k] = random.in_box(network.domain);
        boxes[k] = Box::around(points[k], Vec3::Constant(half));
    }
    std::vector<double> at_points(count);
    std::vector<Interval> forward(count), both(count);
    const auto in_batches = [&](std::vector<Interval>& out, const RangeOptions& options) {
        for (std::size_t k = 0; k < count; k += box_batch)
            ranges.ranges(std::span(boxes).subspan(k, box_batch), std::span(out).subspan(k, box_batch), options);
    };
    const std::function<void()> rivals[] = {[&] { values.values(points, at_points); },
                                            [&] { in_batches(forward, {RangeEffort::affine}); },
                                            [&] {
                                                in_batches(both, {RangeEffort::backward, true});
                                            }};
    const auto seconds = race(rivals, 7);
    const auto rate = [&](std::size_t k) { return 1e-6 * static_cast<double>(count) / seconds[k]; };
    std::size_t missed = 0;
    double narrower = 0;
    for (std::size_t k = 0; k < count; ++k) {
        missed += forward[k].contains(at_points[k]) && both[k].contains(at_points[k]) ? 0 : 1;
        narrower += std::log(forward[k].width() / both[k].width()) / static_cast<double>(count);
    }
    const char* const size = half < 0.01 ? "-small" : "";
    const auto add = [&](const char* id, const char* how, std::size_t k, const std::string& words) {
        report.add({fmt::format("neural-{}-8x{}-{}{}", id, width, name(activation), size),
                    fmt::format("8x{} {}, {}, boxes of +-{}", width, name(activation), how, half), "M/s", rate(k),
                    "a value of the same", rate(0), ratio(rate(k), rate(0), Better::larger), words, 0});
    };
    add("range", "range forward", 1,
        fmt::format("{:.2f} times the time of a value; {} of {} values missed", seconds[1] / seconds[0], missed,
                    count));
    add("range-back", "range forward and back", 2,
        fmt::format("{:.2f} times the time of a value; {:.1f} times narrower", seconds[2] / seconds[0],
                    std::exp(narrower)));
}

void run(Report& report) {
    for (const int width : {32, 64, 512})
        for (const Activation activation : {Activation::relu, Activation::elu}) {
            rows(report, width, activation);
            for (const double half : {0.02, 0.002}) range_rows(report, width, activation, half);
        }
    report.note("one thread; millions of points or boxes a second, boxes in batches of 64; Eigen is compiled for this "
                "CPU and always gets 256 points at once");
}

const Registration registration("neural/points", "networks asked, one thread", run);

} // namespace

} // namespace fathom::bench
