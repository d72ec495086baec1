// Measured table of all pairs of shape kinds: the method that is used, its guarantee, its time and the width of its
// bounds. `fathom matrix` prints it, and docs/matrix.md contains it.
#pragma once

#include <fathom/base/progress.h>
#include <fathom/detect/query/query.h>

#include <string>
#include <vector>

namespace fathom {

struct MatrixCell {
    Question question = Question::collide;
    std::vector<PairMethod> methods{}; // the first was measured
    double microseconds = 0;           // median over the poses, one calling thread
    // Distance: largest gap between the bounds, as a fraction of the smaller shape. Sweeps: largest `error` of the
    // time.
    double error = 0;
    std::size_t undecided = 0; // number of undecided poses
};

struct MatrixRow {
    ShapeKind a, b;
    std::vector<MatrixCell> cells{}; // by question
};

struct MatrixOptions {
    std::size_t poses = 10; // per pair; 0: nothing is measured
    std::uint64_t seed = 1;
    Progress* progress = nullptr;
};

// Pairs with a <= b, in the order of their kinds.
[[nodiscard]] std::vector<MatrixRow> measure_matrix(const MatrixOptions& options = {});

// As a Markdown table; with `measured` false it contains only the methods and guarantees of the dispatch table.
[[nodiscard]] std::string matrix_markdown(const std::vector<MatrixRow>& rows, bool measured = true);

} // namespace fathom
