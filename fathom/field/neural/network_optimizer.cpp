// Adam in the eigenbasis of the gradients. The products are compiled for every instruction set of the machine.
#include <fathom/field/neural/network_optimizer.h>

#include <fathom/base/parallel.h>

#include <Eigen/Eigenvalues>
#include <Eigen/QR>

#include <algorithm>
#include <cmath>
#include <numeric>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fathom/field/neural/network_optimizer.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fathom::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::CappedTag<float, 8>;
using V = hn::Vec<D>;
constexpr D d;

// Four rows (or one) by two vectors (or one) of a product: element (i, k) of the first factor is a[i * row + k *
// column].
template <int Rows, int Vectors>
HWY_INLINE void product_block(const float* a, std::size_t row, std::size_t column, const float* b, std::size_t depth,
                              std::size_t stride, float* out, std::size_t out_stride) {
    V sum[Rows][Vectors];
    for (auto& r : sum)
        for (V& s : r) s = hn::Zero(d);
    for (std::size_t k = 0; k < depth; ++k, b += stride, a += column) {
        V x[Vectors];
        for (int v = 0; v < Vectors; ++v) x[v] = hn::LoadU(d, b + static_cast<std::size_t>(v) * hn::Lanes(d));
        for (int r = 0; r < Rows; ++r)
            for (int v = 0; v < Vectors; ++v)
                sum[r][v] = hn::MulAdd(hn::Set(d, a[static_cast<std::size_t>(r) * row]), x[v], sum[r][v]);
    }
    for (int r = 0; r < Rows; ++r)
        for (int v = 0; v < Vectors; ++v)
            hn::StoreU(sum[r][v], d,
                       out + static_cast<std::size_t>(r) * out_stride + static_cast<std::size_t>(v) * hn::Lanes(d));
}

template <int Rows>
HWY_INLINE void product_rows(const float* a, std::size_t row, std::size_t column, const float* b, std::size_t depth,
                             std::size_t width, float* out) {
    std::size_t c = 0;
    for (; c + 2 * hn::Lanes(d) <= width; c += 2 * hn::Lanes(d))
        product_block<Rows, 2>(a, row, column, b + c, depth, width, out + c, width);
    for (; c < width; c += hn::Lanes(d)) product_block<Rows, 1>(a, row, column, b + c, depth, width, out + c, width);
}

// `width`: width of the padded rows of b and out.
HWY_ATTR void product_for_target(const float* a, std::size_t row, std::size_t column, const float* b, std::size_t rows,
                                 std::size_t depth, std::size_t width, float* out) {
    std::size_t r = 0;
    for (; r + 4 <= rows; r += 4) product_rows<4>(a + r * row, row, column, b, depth, width, out + r * width);
    for (; r < rows; ++r) product_rows<1>(a + r * row, row, column, b, depth, width, out + r * width);
}

} // namespace
} // namespace fathom::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fathom {

namespace {

HWY_EXPORT(product_for_target);

constexpr std::size_t vector_floats = 8;

void blend(std::span<float> mean, std::span<const float> value, double keep) {
    const float k = static_cast<float>(keep);
    for (std::size_t i = 0; i < mean.size(); ++i) mean[i] = value[i] + k * (mean[i] - value[i]);
}

} // namespace

NetworkOptimizer::Matrix::Matrix(std::size_t row_count, std::size_t column_count)
    : rows(row_count), columns(column_count),
      stride((column_count + vector_floats - 1) / vector_floats * vector_floats), values(rows * stride) {}

NetworkOptimizer::Matrix NetworkOptimizer::product(const Matrix& a, bool transposed, const Matrix& b) {
    Matrix out(transposed ? a.columns : a.rows, b.columns);
    const std::size_t row = transposed ? 1 : a.stride, column = transposed ? a.stride : 1;
    HWY_DYNAMIC_DISPATCH(product_for_target)
    (a.values.data(), row, column, b.values.data(), out.rows, b.rows, b.stride, out.values.data());
    return out;
}

NetworkOptimizer::Matrix NetworkOptimizer::transposed(const Matrix& a) {
    Matrix out(a.columns, a.rows);
    for (std::size_t r = 0; r < a.rows; ++r)
        for (std::size_t c = 0; c < a.columns; ++c) out.values[c * out.stride + r] = a.values[r * a.stride + c];
    return out;
}

NetworkOptimizer::Matrix NetworkOptimizer::into_basis(const Layer& layer, Matrix a) {
    if (layer.left.basis.rows > 0) a = product(layer.left.basis, true, a);
    if (layer.right.basis.rows > 0) a = product(a, false, layer.right.basis);
    return a;
}

NetworkOptimizer::Matrix NetworkOptimizer::out_of_basis(const Layer& layer, Matrix a) {
    if (layer.right.basis.rows > 0) a = product(a, false, layer.right.turned);
    if (layer.left.basis.rows > 0) a = product(layer.left.basis, false, a);
    return a;
}

NetworkOptimizer::NetworkOptimizer(const Network& shape, const OptimizerOptions& options) : options_(options) {
    std::size_t at = 0;
    const auto side = [&](std::size_t size) {
        return size > 1 && size <= options_.widest ? Matrix(size, size) : Matrix();
    };
    for (const DenseLayer& l : shape.layers) {
        const std::size_t rows = static_cast<std::size_t>(l.outputs), columns = static_cast<std::size_t>(l.inputs) + 1;
        Layer& layer = layers_.emplace_back();
        layer.begin = at;
        layer.mean = layer.square = Matrix(rows, columns);
        layer.left.moment = layer.left.basis = layer.left.turned = side(rows);
        layer.right.moment = layer.right.basis = layer.right.turned = side(columns);
        at += rows * columns;
    }
}

NetworkOptimizer::Matrix NetworkOptimizer::gradient_of(const Layer& layer, std::span<const float> gradients,
                                                       std::size_t parameters, float share) {
    Matrix sum(layer.mean.rows, layer.mean.columns);
    const std::size_t inputs = sum.columns - 1;
    for (std::size_t chunk = 0; chunk < gradients.size(); chunk += parameters) {
        const float* weights = gradients.data() + chunk + layer.begin;
        const float* const biases = weights + sum.rows * inputs;
        for (std::size_t r = 0; r < sum.rows; ++r, weights += inputs) {
            float* const out = sum.values.data() + r * sum.stride;
            for (std::size_t c = 0; c < inputs; ++c) out[c] += weights[c];
            out[inputs] += biases[r];
        }
    }
    for (float& x : sum.values) x *= share;
    return sum;
}

void NetworkOptimizer::move(const Layer& layer, const Matrix& step, float rate, std::span<float> parameters) {
    const std::size_t inputs = step.columns - 1;
    float* weights = parameters.data() + layer.begin;
    float* const biases = weights + step.rows * inputs;
    for (std::size_t r = 0; r < step.rows; ++r, weights += inputs) {
        const float* const row = step.values.data() + r * step.stride;
        for (std::size_t c = 0; c < inputs; ++c) weights[c] -= rate * row[c];
        biases[r] -= rate * row[inputs];
    }
}

void NetworkOptimizer::adapt(Layer& layer, std::span<float> gradient, float root) const {
    const float first = static_cast<float>(options_.first), second = static_cast<float>(options_.second),
                tiny = static_cast<float>(options_.tiny);
    for (std::size_t i = 0; i < gradient.size(); ++i) {
        const float g = gradient[i], s = g * g;
        float &mean = layer.mean.values[i], &square = layer.square.values[i];
        mean = g + first * (mean - g);
        square = s + second * (square - s);
        gradient[i] = mean / (root * std::sqrt(square) + tiny);
    }
}

void NetworkOptimizer::step(std::span<float> parameters, std::span<const float> gradients, std::size_t points,
                            double rate) {
    if (steps_ > 0) {
        first_power_ *= options_.first;
        second_power_ *= options_.second;
    }
    Pace pace{.share = static_cast<float>(1 / static_cast<double>(points))};
    if (steps_ > 0) {
        pace.rate = static_cast<float>(rate / (1 - first_power_));
        pace.root = static_cast<float>(1 / std::sqrt(1 - second_power_));
    }
    parallel_tasks(layers_.size(), [&](std::size_t i) { step_layer(layers_[i], parameters, gradients, pace); });
    ++steps_;
}

void NetworkOptimizer::step_layer(Layer& layer, std::span<float> parameters, std::span<const float> gradients,
                                  const Pace& pace) const {
    const Matrix gradient = gradient_of(layer, gradients, parameters.size(), pace.share);
    if (layer.left.basis.rows > 0)
        blend(layer.left.moment.values, product(gradient, false, transposed(gradient)).values, options_.factors);
    if (layer.right.basis.rows > 0)
        blend(layer.right.moment.values, product(gradient, true, gradient).values, options_.factors);
    if (steps_ == 0) return refresh(layer);
    Matrix step = into_basis(layer, gradient);
    adapt(layer, step.values, pace.root);
    move(layer, out_of_basis(layer, std::move(step)), pace.rate, parameters);
    if (steps_ % options_.refresh == 0) refresh(layer);
}

namespace {

using Plain = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Order = std::vector<Eigen::Index>;

// The axes of `basis` in descending order of `moment` along them.
Order by_size(const Plain& moment_times_basis, const Plain& basis) {
    const Eigen::VectorXf size = basis.cwiseProduct(moment_times_basis).colwise().sum().transpose();
    Order order(static_cast<std::size_t>(size.size()));
    std::iota(order.begin(), order.end(), Eigen::Index{0});
    std::ranges::stable_sort(order, [&](Eigen::Index a, Eigen::Index b) { return size[a] > size[b]; });
    return order;
}

Plain eigenvectors(const Plain& moment) {
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(moment.cast<double>());
    return solver.eigenvectors().rowwise().reverse().cast<float>();
}

// One step of orthogonal iteration, from the axes in their new order.
Plain turned_basis(const Plain& moment_times_basis, const Order& order) {
    const Eigen::HouseholderQR<Plain> decomposed(moment_times_basis(Eigen::all, order));
    return decomposed.householderQ() * Plain::Identity(moment_times_basis.rows(), moment_times_basis.cols());
}

} // namespace

void NetworkOptimizer::refresh(Layer& layer) const {
    const auto view = [](Matrix& m) {
        return Eigen::Map<Plain, 0, Eigen::OuterStride<>>(m.values.data(), static_cast<Eigen::Index>(m.rows),
                                                          static_cast<Eigen::Index>(m.columns),
                                                          Eigen::OuterStride<>(static_cast<Eigen::Index>(m.stride)));
    };
    Matrix mean = out_of_basis(layer, layer.mean);
    for (const bool left : {true, false}) {
        Side& side = left ? layer.left : layer.right;
        if (side.basis.rows == 0) continue;
        auto basis = view(side.basis);
        const Plain moment = view(side.moment);
        if (steps_ == 0) {
            basis = eigenvectors(moment);
        } else {
            const Plain seen = moment * basis;
            const Order order = by_size(seen, basis);
            basis = turned_basis(seen, order);
            auto square = view(layer.square);
            square = left ? Plain(square(order, Eigen::all)) : Plain(square(Eigen::all, order));
        }
        if (!basis.allFinite()) basis.setIdentity(); // vanishing or overflowing gradients define no axis
        side.turned = transposed(side.basis);
    }
    layer.mean = into_basis(layer, std::move(mean));
}

} // namespace fathom
#endif
