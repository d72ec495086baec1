// Under a name of its own, or else the linker would mix these templates, made for this CPU, with the library's.
#define Eigen EigenOfThisCpu // NOLINT
#include <benchmarks/eigen_peer.h>

#include <Eigen/Core>

#include <algorithm>
#include <vector>

namespace fathom::bench {

namespace {

using Matrix = Eigen::MatrixXf;
constexpr Eigen::Index batch = 256;

struct Layer {
    Matrix weights;
    Matrix transposed;
    Eigen::VectorXf biases;
    bool activated;
    Matrix values; // outputs x batch
    Matrix slopes; // by its inputs
};

} // namespace

struct EigenNetwork::State {
    std::vector<Layer> layers;
    Unit unit;
    Matrix points = Matrix(3, batch);
    Matrix ones = Matrix::Ones(1, batch);

    void activate(Matrix& z) const {
        if (unit == Unit::relu)
            z = z.cwiseMax(0.0F);
        else
            z = z.array().max(0.0F) + (z.array().min(0.0F).exp() - 1.0F); // select() would not use vectors
    }

    void forward() {
        const Matrix* in = &points;
        for (Layer& layer : layers) {
            layer.values.noalias() = layer.weights * *in;
            layer.values.colwise() += layer.biases;
            if (layer.activated) activate(layer.values);
            in = &layer.values;
        }
    }

    void backward() {
        const Matrix* slope = &ones;
        for (std::size_t k = layers.size(); k-- > 0;) {
            Layer& layer = layers[k];
            layer.slopes.noalias() = layer.transposed * *slope;
            slope = &layer.slopes;
            if (k == 0) break;
            const auto value = layers[k - 1].values.array();
            if (unit == Unit::relu)
                layer.slopes.array() = (value > 0.0F).select(layer.slopes.array(), 0.0F);
            else
                layer.slopes.array() *= value.min(0.0F) + 1.0F;
        }
    }

    template <class Store>
    void run(const double* p, std::size_t count, bool slopes, Store store) {
        for (std::size_t first = 0; first < count; first += batch) {
            const Eigen::Index here = std::min<Eigen::Index>(batch, static_cast<Eigen::Index>(count - first));
            points.leftCols(here) = Eigen::Map<const Eigen::MatrixXd>(p + 3 * first, 3, here).cast<float>();
            forward();
            if (slopes) backward();
            store(first, here);
        }
    }
};

EigenNetwork::EigenNetwork(std::span<const EigenLayer> layers, Unit unit) : state_(std::make_unique<State>()) {
    state_->unit = unit;
    for (const EigenLayer& from : layers) {
        Layer layer;
        layer.weights =
            Eigen::Map<const Eigen::Matrix<float, -1, -1, Eigen::RowMajor>>(from.weights, from.outputs, from.inputs);
        layer.transposed = layer.weights.transpose();
        layer.biases = Eigen::Map<const Eigen::VectorXf>(from.biases, from.outputs);
        layer.activated = from.activated;
        layer.values.resize(from.outputs, batch);
        layer.slopes.resize(from.inputs, batch);
        state_->layers.push_back(std::move(layer));
    }
}

EigenNetwork::~EigenNetwork() = default;

void EigenNetwork::values(const double* points, std::size_t count, double* out) {
    state_->run(points, count, false, [&](std::size_t first, Eigen::Index here) {
        Eigen::Map<Eigen::RowVectorXd>(out + first, here) =
            state_->layers.back().values.row(0).head(here).cast<double>();
    });
}

void EigenNetwork::gradients(const double* points, std::size_t count, double* values, double* gradients) {
    state_->run(points, count, true, [&](std::size_t first, Eigen::Index here) {
        Eigen::Map<Eigen::RowVectorXd>(values + first, here) =
            state_->layers.back().values.row(0).head(here).cast<double>();
        Eigen::Map<Eigen::MatrixXd>(gradients + 3 * first, 3, here) =
            state_->layers.front().slopes.leftCols(here).cast<double>();
    });
}

} // namespace fathom::bench
