// Solvers for the matrix of an implicit step: conjugate gradients, or a sparse factorisation.
// Conjugate gradients, preconditioned with the inverse 3x3 diagonal blocks, are the default: contacts change without a
// new pattern, they run in parallel, and they are faster for surfaces (1,000 points: 2 ms against 15 ms, 10,000 points:
// 0.1 s against 1.2 s, one thread). The factorisation (Eigen's SimplicialLDLT, ordered by AMD, its symbolic part kept
// while the pattern stays) does not depend on the stiffness of the system. Both give the same bits for any number of
// threads.
#pragma once

#include <fathom/simulate/springs/spring_matrix.h>

#include <memory>

namespace fathom {

enum class SpringSolver { conjugate_gradients, factorisation };

struct SolveOptions {
    SpringSolver solver = SpringSolver::conjugate_gradients;
    double tolerance = 1e-6; // residual over right side, in the norm of the preconditioner
    std::size_t max_iterations = 1000;
};

struct SolveReport {
    std::size_t iterations = 0;
    double residual = 0; // relative, as the tolerance; 0 for the factorisation
    // False if max_iterations did not suffice, or the factorisation found that the matrix is not positive definite.
    bool converged = true;
};

// Keeps buffers and the symbolic factorisation from solve to solve. Not thread-safe.
class SpringSolve {
public:
    SpringSolve();
    ~SpringSolve();
    SpringSolve(SpringSolve&&) noexcept;
    SpringSolve& operator=(SpringSolve&&) noexcept;

    // matrix * solution = right. Entries of fixed points of `right` must be 0.
    SolveReport operator()(const SpringMatrix& matrix, std::span<const Vec3> right, std::span<Vec3> solution,
                           const SolveOptions& options = {});

private:
    struct State;
    std::unique_ptr<State> state_;
};

// Error{invalid_argument} names the option out of range.
void check(const SolveOptions& options);

} // namespace fathom
