// Conjugate gradients on blocks, and the factorisation; the only file that uses Eigen's sparse solvers.
#include <fathom/simulate/springs/spring_solve.h>

#include <fathom/base/error.h>
#include <fathom/base/parallel.h>

#include <Eigen/LU>
#include <Eigen/SparseCholesky>

#include <optional>

namespace fathom {

namespace {

constexpr std::size_t solve_chunk = 2048;

double dot(std::span<const Vec3> a, std::span<const Vec3> b) {
    const auto some = [&](std::size_t begin, std::size_t end) {
        double sum = 0;
        for (std::size_t k = begin; k < end; ++k) sum += a[k].dot(b[k]);
        return sum;
    };
    return parallel_reduce(a.size(), solve_chunk, 0.0, some, [](double sum, double part) { return sum + part; });
}

using Sparse = Eigen::SparseMatrix<double>;

// The lower triangle, column by column; block (i, j) of a symmetric matrix is the transposed (j, i).
Sparse lower_triangle(const SpringMatrix& matrix) {
    const auto n = static_cast<Eigen::Index>(3 * matrix.size());
    std::vector<int> outer = {0}, inner;
    std::vector<double> values;
    for (Index i = 0; i < matrix.size(); ++i)
        for (int c = 0; c < 3; ++c) {
            for (std::size_t k = 0; k < matrix.columns(i).size(); ++k) {
                const Index j = matrix.columns(i)[k];
                for (int r = j == i ? c : 0; j >= i && r < 3; ++r)
                    inner.push_back(static_cast<int>(3 * j) + r), values.push_back(matrix.values(i)[k](c, r));
            }
            outer.push_back(static_cast<int>(inner.size()));
        }
    return Eigen::Map<const Sparse>(n, n, static_cast<Eigen::Index>(inner.size()), outer.data(), inner.data(),
                                    values.data());
}

Sparse contact_triangle(const SpringMatrix& matrix) {
    std::vector<Eigen::Triplet<double>> entries;
    const auto add = [&](Index i, Index j, const Mat3& block) {
        for (int r = 0; r < 3; ++r)
            for (int c = 0; c < 3; ++c)
                if (j < i || (j == i && c <= r))
                    entries.emplace_back(static_cast<int>(3 * i) + r, static_cast<int>(3 * j) + c, block(r, c));
    };
    for (const auto& [contact, block] : matrix.contacts())
        for (std::size_t i = 0; i < contact->count; ++i)
            for (std::size_t j = 0; j < contact->count; ++j)
                if (!matrix.is_fixed(contact->points[i]) && !matrix.is_fixed(contact->points[j]))
                    add(contact->points[i], contact->points[j], contact->weights[i] * contact->weights[j] * block);
    const auto n = static_cast<Eigen::Index>(3 * matrix.size());
    Sparse lower(n, n);
    lower.setFromTriplets(entries.begin(), entries.end());
    return lower;
}

bool same_pattern(const Sparse& a, const Sparse& b) {
    return a.cols() == b.cols() && a.nonZeros() == b.nonZeros() &&
           std::equal(a.outerIndexPtr(), a.outerIndexPtr() + a.outerSize() + 1, b.outerIndexPtr()) &&
           std::equal(a.innerIndexPtr(), a.innerIndexPtr() + a.nonZeros(), b.innerIndexPtr());
}

} // namespace

struct SpringSolve::State {
    std::vector<Mat3> inverses;
    std::vector<Vec3> residual, smoothed, direction, product;
    Sparse before; // the matrix whose pattern was analysed
    std::optional<Eigen::SimplicialLDLT<Sparse, Eigen::Lower>> factors;

    void prepare(const SpringMatrix& matrix, std::span<const Vec3> right);
    double smooth();
    SolveReport iterate(const SpringMatrix& matrix, std::span<const Vec3> right, std::span<Vec3> solution,
                        const SolveOptions& options);
    SolveReport factorise(const SpringMatrix& matrix, std::span<const Vec3> right, std::span<Vec3> solution);
};

void SpringSolve::State::prepare(const SpringMatrix& matrix, std::span<const Vec3> right) {
    inverses = matrix.diagonals();
    parallel_for(inverses.size(), solve_chunk, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) inverses[k] = Mat3(inverses[k].inverse());
    });
    residual.assign(right.begin(), right.end());
    smoothed.resize(right.size());
    product.resize(right.size());
}

// smoothed = inverses * residual; returns their dot product.
double SpringSolve::State::smooth() {
    const auto some = [&](std::size_t begin, std::size_t end) {
        double sum = 0;
        for (std::size_t k = begin; k < end; ++k) {
            smoothed[k] = inverses[k] * residual[k];
            sum += residual[k].dot(smoothed[k]);
        }
        return sum;
    };
    return parallel_reduce(residual.size(), solve_chunk, 0.0, some, [](double sum, double part) { return sum + part; });
}

SolveReport SpringSolve::State::iterate(const SpringMatrix& matrix, std::span<const Vec3> right,
                                        std::span<Vec3> solution, const SolveOptions& options) {
    prepare(matrix, right);
    std::fill(solution.begin(), solution.end(), Vec3::Zero());
    const double start = smooth();
    direction = smoothed;
    SolveReport report;
    double now = start;
    for (; now > options.tolerance * options.tolerance * start && report.iterations < options.max_iterations;
         ++report.iterations) {
        matrix.multiply(direction, product);
        const double length = now / dot(direction, product);
        if (!std::isfinite(length)) break;
        parallel_for(direction.size(), solve_chunk, [&](std::size_t begin, std::size_t end) {
            for (std::size_t k = begin; k < end; ++k)
                solution[k] += length * direction[k], residual[k] -= length * product[k];
        });
        const double before = std::exchange(now, smooth());
        parallel_for(direction.size(), solve_chunk, [&](std::size_t begin, std::size_t end) {
            for (std::size_t k = begin; k < end; ++k) direction[k] = smoothed[k] + now / before * direction[k];
        });
    }
    report.residual = start > 0 ? std::sqrt(now / start) : 0;
    report.converged = report.residual <= options.tolerance;
    return report;
}

SolveReport SpringSolve::State::factorise(const SpringMatrix& matrix, std::span<const Vec3> right,
                                          std::span<Vec3> solution) {
    Sparse lower = lower_triangle(matrix);
    if (!matrix.contacts().empty()) lower = Sparse(lower + contact_triangle(matrix));
    lower.makeCompressed();
    if (!factors || !same_pattern(lower, before)) factors.emplace().analyzePattern(lower);
    factors->factorize(lower);
    before.swap(lower);
    const bool good = factors->info() == Eigen::Success;
    Eigen::Map<Eigen::VectorXd> out(solution.data()->data(), static_cast<Eigen::Index>(3 * solution.size()));
    if (good) out = factors->solve(Eigen::Map<const Eigen::VectorXd>(right.data()->data(), out.size()));
    return {.converged = good};
}

SpringSolve::SpringSolve() : state_(std::make_unique<State>()) {}
SpringSolve::~SpringSolve() = default;
SpringSolve::SpringSolve(SpringSolve&&) noexcept = default;
SpringSolve& SpringSolve::operator=(SpringSolve&&) noexcept = default;

SolveReport SpringSolve::operator()(const SpringMatrix& matrix, std::span<const Vec3> right, std::span<Vec3> solution,
                                    const SolveOptions& options) {
    if (right.empty()) return {};
    return options.solver == SpringSolver::factorisation ? state_->factorise(matrix, right, solution)
                                                         : state_->iterate(matrix, right, solution, options);
}

void check(const SolveOptions& options) {
    require(options.tolerance > 0 && options.tolerance < 1, options.tolerance, "in (0,1)",
            {.element = "option tolerance"});
    require(options.max_iterations > 0, 0, "above 0", {.element = "option max_iterations"});
}

} // namespace fathom
