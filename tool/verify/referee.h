// Checks whether all methods agree about a pair of shapes, with one another and with random points of both shapes.
// Each claim of a result is tested against the claims of the other methods and against the shapes: "disjoint" against
// every point of one shape that is inside the other, "overlapping" against its witness, bounds on a distance against
// one another and against points, times against poses before, at and after them; and both orders of the pair against
// each other. Results without a claim (undecided, not proven) contradict nothing and are counted.
#pragma once

#include <fathom/base/progress.h>
#include <fathom/base/random.h>
#include <fathom/detect/query/query.h>
#include <fathom/detect/query/shape.h>

#include <string>
#include <vector>

namespace fathom {

// ---- Small random shapes of every kind, on which `fathom verify`, `fathom matrix` and the tests run the methods. The
// same random numbers give the same shape on every machine. About a millisecond each, except for grids and trees.

// About `size` large (m), around the origin. Half-spaces: the plane passes through a point within size / 2 of the
// origin.
[[nodiscard]] Shape random_shape(ShapeKind kind, Random& random, double size = 1);

// Poses with random rotations at which two shapes touch about half of the time.
struct RandomPoses {
    Pose a, b;
};
[[nodiscard]] RandomPoses random_poses(const Shape& a, const Shape& b, Random& random);

struct RefereeOptions {
    std::size_t samples = 100; // points per shape
    std::size_t times = 12;    // sampled times of a motion
    bool distances = true;
    bool sweeps = true;
    bool sampling = true; // also run depth_maps and dual_gradient, which prepare shapes for every query: some ms
    bool slow = true;     // also run conservative advancement if a better method exists: seconds with neural fields
};

struct RefereeReport {
    std::size_t claims = 0;                        // tested claims
    std::size_t touching = 0, apart = 0, open = 0; // pairs, according to the first method
    std::size_t contacts_in_motion = 0;            // sweeps that found a contact
    std::size_t unproven = 0;                      // results without a claim
    double worst_bound_gap = 0; // largest gap between the bounds of a distance, as a fraction of the smaller shape
    std::vector<std::string> contradictions{};

    void add(const RefereeReport& other);
};

// Both orders, every applicable method. World frame, metres; the motion takes b from pose_b to pose_b_end.
[[nodiscard]] RefereeReport judge(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b,
                                  const Pose& pose_b_end, Random& random, const RefereeOptions& options = {});

// ---- Measured table of all pairs of shape kinds: the method that is used, its guarantee, its time and the width of
// its bounds. `fathom matrix` prints it, and docs/matrix.md contains it.

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
