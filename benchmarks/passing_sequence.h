// Benchmarks: a scan at rest and a shape that passes over it, frame by frame (Liu et al. 2024, figures 11 to 13), and
// what is true of every frame.
#pragma once

#include <benchmarks/pair_models.h>
#include <fathom/detect/decomposition/decomposition.h>
#include <fathom/detect/field_field/dual_gradient.h>
#include <fathom/field/analytic/analytic_field.h>
#include <tests/support/mesh_oracle.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace fathom::bench {

struct PassingSequence {
    std::string name;
    const PairBody& scan; // at rest
    std::shared_ptr<const AnalyticField> shape;
    TriangleMesh shape_mesh;
    double plain_step; // m: table 1 of the paper
};

[[nodiscard]] PassingSequence bunny_cone(const PairBody& bunny);
[[nodiscard]] PassingSequence armadillo_cylinder(const PairBody& armadillo);

// Of the shape: it comes down on the scan, goes across it while it turns, and leaves.
[[nodiscard]] std::vector<Pose> passing_over(const PairBody& scan);

// A body as one box.
[[nodiscard]] Decomposition whole(const Field& field);

struct Answer {
    bool touches = false;
    double depth = 0;
    bool undecided = false;
};

struct Rival {
    std::string name;
    std::function<Answer(const Pose&)> method;
    double megabytes = 0;
    bool one_way = false; // only points of the scan are asked how deep they are
};

// Milliseconds a frame of each rival, and what it answered.
struct Race {
    std::vector<double> milliseconds;
    std::vector<std::vector<Answer>> answers;
};
[[nodiscard]] Race race_over(const std::vector<Rival>& rivals, const std::vector<Pose>& poses);

// The paper's whole way with its own step, the scan as any field in these parts.
[[nodiscard]] Answer by_paper(const PassingSequence& s, const Field& scan, const Decomposition& parts,
                              const Decomposition& shape_box, std::size_t max_points, const Pose& pose);

// What is true of a frame: by exact triangles, and by every vertex of either body in the other.
struct FrameTruth {
    testing::Truth truth;
    double depth;   // of the deepest vertex of either in the other (m)
    double one_way; // of the scan's in the shape
};

// Frames that hang on less than `scan_error` (m) are taken for either.
[[nodiscard]] std::vector<FrameTruth> truths_of(const PassingSequence& s, const std::vector<Pose>& poses,
                                                double scan_error);

// Frames that a method gets wrong, and how far its depth is from the truth.
[[nodiscard]] std::string judged(const std::vector<Answer>& answers, const std::vector<FrameTruth>& truths,
                                 bool one_way);

} // namespace fathom::bench
