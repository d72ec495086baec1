// The table of all pairs of kinds, measured: which method answers, what it guarantees, how long it takes
// and how far apart its bounds are. What `fathom matrix` prints and docs/matrix.md holds.
#pragma once

#include <fathom/base/progress.h>
#include <fathom/detect/query/query.h>

#include <string>
#include <vector>

namespace fathom {

struct MatrixCell {
    Question question = Question::collide;
    std::vector<PairMethod> methods{}; // the first was measured
    double microseconds = 0;           // median of the poses, one thread asking
    double error = 0; // distance: largest gap between the bounds, in shares of the smaller shape. sweeps: largest
                      // `error` of the time
    std::size_t undecided = 0; // of the poses
};

struct MatrixRow {
    ShapeKind a, b;
    std::vector<MatrixCell> cells{}; // by question
};

struct MatrixOptions {
    std::size_t poses = 10; // of each pair; 0: nothing is measured
    std::uint64_t seed = 1;
    Progress* progress = nullptr;
};

// Pairs with a <= b, in the order of their kinds.
[[nodiscard]] std::vector<MatrixRow> measure_matrix(const MatrixOptions& options = {});

// As a table for people; with `measured` false only what the dispatch knows.
[[nodiscard]] std::string matrix_markdown(const std::vector<MatrixRow>& rows, bool measured = true);

} // namespace fathom
