// Proven bounding box of the inside of a network.
#include <fathom/field/neural/network_bounds.h>

#include <fathom/base/parallel.h>
#include <fathom/field/neural/network.h>
#include <fathom/field/neural/network_range.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

namespace fathom {

// Bound on the difference between the float arithmetic of a network and its exact value.

namespace {

constexpr double unit = 0x1p-24;             // unit roundoff of float
constexpr double above = 1 + 1e-9;           // covers the rounding of this analysis
constexpr double smallest = 0x1p-126;        // possible loss below the normal floats, per operation
constexpr Eigen::Index largest_square = 256; // largest matrix whose spectral norm is bounded by products

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

// Bound on the spectral norm: |W| <= (sum of the n eighth powers of its singular values)^(1/8), from W W^T squared.
double spectral_bound(const Matrix& weights) {
    const double plain = std::min(weights.norm(), std::sqrt(weights.cwiseAbs().rowwise().sum().maxCoeff() *
                                                            weights.cwiseAbs().colwise().sum().maxCoeff()));
    if (std::min(weights.rows(), weights.cols()) > largest_square || !(plain > 0)) return plain;
    const Matrix scaled = weights / plain;
    const Matrix square =
        weights.rows() < weights.cols() ? Matrix(scaled * scaled.transpose()) : Matrix(scaled.transpose() * scaled);
    const Matrix fourth = square * square;
    // The rounding errors of the products are far below the number added here.
    return plain * std::pow(fourth.norm() + 1e-12 * static_cast<double>(weights.size()), 0.25);
}

double max_slope(const DenseLayer& layer) {
    const double parameter = static_cast<double>(layer.parameter);
    if (layer.activation == Activation::sine) return parameter;
    return layer.activation == Activation::elu ? std::max(1.0, parameter) : 1.0;
}

// Bound on |activation(z)| for |z| up to this value.
double largest_value(const DenseLayer& layer, double z) {
    const double parameter = static_cast<double>(layer.parameter);
    switch (layer.activation) {
    case Activation::tanh:
    case Activation::sine:
        return 1;
    case Activation::elu:
        return std::max(z, parameter * std::min(z, 1.0));
    case Activation::softplus:
        return z + std::log(2.0) / parameter;
    default:
        return z;
    }
}

double own_error(const DenseLayer& layer, double value) {
    if (layer.activation == Activation::none || layer.activation == Activation::relu) return 0;
    return activation_error * std::max(1.0, value);
}

// Numbers between two layers: a bound on each magnitude, and bounds on the Euclidean norms of the values and of their
// errors.
struct State {
    Vector largest;
    double length = 0;
    double error = 0;
};

State encoded(const Network& network) {
    const PositionalEncoding& e = network.encoding;
    const Vec3 far = ((network.domain.lower - network.center)
                          .cwiseAbs()
                          .cwiseMax((network.domain.upper - network.center).cwiseAbs()) /
                      network.scale) *
                     above;
    const Vec3 moved = (unit * above * far).array() + smallest; // displacement by rounding to float
    State state{Vector::Ones(e.outputs())};
    double squares = e.point_first ? moved.squaredNorm() : 0.0;
    if (e.point_first) state.largest.head<3>() = far;
    double factor = static_cast<double>(e.scale);
    for (int k = 0; k < e.frequencies; ++k, factor *= 2) {
        for (int axis = 0; axis < 3; ++axis) {
            if (!(factor * far[axis] * above <= largest_sine_argument))
                squares = std::numeric_limits<double>::infinity();
            squares += 2 * std::pow(factor * moved[axis] + activation_error, 2);
        }
    }
    state.length = state.largest.norm();
    state.error = std::sqrt(squares) * above;
    return state;
}

State joined(const State& a, const State& b) {
    State both{Vector(a.largest.size() + b.largest.size()), std::hypot(a.length, b.length),
               std::hypot(a.error, b.error)};
    both.largest << a.largest, b.largest;
    return both;
}

State through(const DenseLayer& layer, const State& in) {
    const Eigen::Map<const Eigen::Matrix<float, -1, -1, Eigen::RowMajor>> stored(layer.weights.data(), layer.outputs,
                                                                                 layer.inputs);
    const Matrix weights = stored.cast<double>();
    const Vector biases = Eigen::Map<const Eigen::VectorXf>(layer.biases.data(), layer.outputs).cast<double>();
    const double stretch = spectral_bound(weights) * above, terms = layer.inputs + 2;
    const double gamma = terms * unit / (1 - terms * unit);
    State out{Vector(layer.outputs)};
    double squares = 0;
    for (Eigen::Index o = 0; o < layer.outputs; ++o) {
        const Vector row = weights.row(o).cwiseAbs();
        // Sum of magnitudes.
        const double sum = (std::min(row.dot(in.largest), row.norm() * in.length) + std::abs(biases[o])) * above;
        const double rounding = gamma * (sum + row.norm() * in.error) + terms * smallest;
        const double reached = sum + rounding + row.norm() * in.error; // bound on the computed sum
        const bool lost = !(reached < 1e38) || (layer.activation == Activation::sine &&
                                                !(reached * max_slope(layer) <= largest_sine_argument));
        out.largest[o] = largest_value(layer, sum);
        const double local = max_slope(layer) * rounding + own_error(layer, largest_value(layer, reached));
        squares += lost ? std::numeric_limits<double>::infinity() : local * local;
    }
    out.length = out.largest.norm() * above;
    // All other activations are 0 at 0.
    if (layer.activation != Activation::softplus)
        out.length = std::min(out.length, max_slope(layer) * (stretch * in.length + biases.norm()) * above);
    out.error = (max_slope(layer) * stretch * in.error + std::sqrt(squares)) * above;
    return out;
}

} // namespace

double rounding_bound(const Network& network) {
    const State point = encoded(network);
    State now = point;
    for (const DenseLayer& layer : network.layers) now = through(layer, layer.skip_input ? joined(now, point) : now);
    return network.scale * now.error * above;
}

namespace {

constexpr double min_share = 1.0 / 64; // share of the domain
constexpr double thin = 2;             // aspect ratio of cells: thinner perpendicular to the searched side
constexpr std::size_t at_once = 12;    // cells halved together: their halves fill a batch

// About half a second on two cores. Ranges take longer for activations that are nonlinear everywhere.
std::size_t budget_of_side(const Network& network) {
    const double afforded = network.layers.front().activation == Activation::relu ? 1e9 : 3e8;
    return static_cast<std::size_t>(
               std::clamp(afforded / static_cast<double>(network.weight_count()), 150.0, 150000.0)) /
           6;
}

struct Cell {
    Box box;
    // Upper bound on the position of the inside in the cell, along the side's direction (m).
    double reach = 0;
    bool inside = false;
};

// Cells closer to the side come first; among equals the smaller, so that one of them is decided soon.
bool later(const Cell& a, const Cell& b) {
    return a.reach != b.reach ? a.reach < b.reach : a.box.volume() > b.box.volume();
}

class SideSearch {
public:
    SideSearch(const Network& network, const NetworkRange& range, int axis, double direction)
        : domain_(network.domain), range_(range), axis_(axis), direction_(direction), left_(budget_of_side(network)) {}

    // Upper bound on the coordinate of the inside; empty if there is no inside.
    std::optional<double> run() {
        add({domain_});
        while (!cells_.empty()) {
            if (left_ < 2 * at_once || settled(cells_.front())) return direction_ * cells_.front().reach;
            std::vector<Box> halves;
            for (std::size_t k = 0; k < at_once && !cells_.empty() && !settled(cells_.front()); ++k) {
                std::pop_heap(cells_.begin(), cells_.end(), later);
                halve(cells_.back().box, halves);
                cells_.pop_back();
            }
            left_ -= halves.size();
            add(halves);
        }
        return std::nullopt;
    }

private:
    [[nodiscard]] Vec3 share(const Box& box) const { return box.size().cwiseQuotient(domain_.size().cwiseMax(1e-300)); }
    [[nodiscard]] bool settled(const Cell& cell) const {
        return cell.inside || share(cell.box).maxCoeff() <= min_share;
    }

    void halve(const Box& box, std::vector<Box>& out) const {
        Vec3 length = share(box);
        length[axis_] *= length[axis_] > min_share ? thin : 1.0;
        Eigen::Index longest = 0;
        length.maxCoeff(&longest);
        const double middle = box.center()[longest];
        out.insert(out.end(), 2, box);
        out[out.size() - 2].upper[longest] = middle;
        out.back().lower[longest] = middle;
    }

    void add(const std::vector<Box>& boxes) {
        std::vector<Interval> values(boxes.size());
        range_.ranges(boxes, values);
        for (std::size_t k = 0; k < boxes.size(); ++k) {
            if (values[k].lower > 0) continue;
            cells_.push_back({boxes[k], reach_of(boxes[k], values[k]), values[k].upper <= 0});
            std::push_heap(cells_.begin(), cells_.end(), later);
        }
    }

    // Beyond the domain a negative value at the border grows by the gap.
    [[nodiscard]] double reach_of(const Box& box, const Interval& values) const {
        const double border = direction_ > 0 ? domain_.upper[axis_] : -domain_.lower[axis_];
        const double reach = direction_ > 0 ? box.upper[axis_] : -box.lower[axis_];
        return reach < border ? reach : next_up(border - std::min(values.lower, 0.0) * (1 + 1e-12));
    }

    Box domain_;
    const NetworkRange& range_;
    int axis_;
    double direction_;
    std::size_t left_;
    std::vector<Cell> cells_; // a heap
};

} // namespace

Box inside_bounds(const Network& network, const NetworkRange& range) {
    std::array<std::optional<double>, 6> ends;
    parallel_tasks(ends.size(), [&](std::size_t k) {
        ends[k] = SideSearch(network, range, static_cast<int>(k / 2), k % 2 == 0 ? -1.0 : 1.0).run();
    });
    Box bounds;
    if (std::any_of(ends.begin(), ends.end(), [](const auto& end) { return !end; })) return bounds;
    for (int axis = 0; axis < 3; ++axis) {
        bounds.lower[axis] = *ends[2 * static_cast<std::size_t>(axis)];
        bounds.upper[axis] = *ends[2 * static_cast<std::size_t>(axis) + 1];
    }
    return bounds;
}

} // namespace fathom
