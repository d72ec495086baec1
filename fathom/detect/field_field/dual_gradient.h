// Two fields by their gradients (Liu et al. 2024, sections 4.3 and 4.4): a point goes downhill in B's
// field and is brought back into A, until it is in both, or can go no further. What collide.h is measured against:
// fast, local, unproven. Not for: "no". A point that ends outside says only that this point found nothing. Fields need
// not be distances, but must have gradients. All places in world coordinates, metres. const, thread-safe; the same
// answers for any number of threads. A projected point is on a surface only up to rounding, which the paper leaves
// open: here a point counts as kept inside A up to 1e-14 of its size and coordinates, or the paper's loop would end at
// its first step along a surface.
#pragma once

#include <fathom/base/pose.h>
#include <fathom/detect/decomposition/decomposition.h>
#include <fathom/detect/result/result.h>
#include <fathom/field/field.h>

#include <optional>
#include <span>
#include <vector>

namespace fathom::field_field {

struct PlacedField {
    const Field* field = nullptr; // outlives the query
    Pose pose{};

    [[nodiscard]] Sample sample(const Vec3& world) const {
        const Sample local = field->sample(pose.to_local(world));
        return {local.distance, pose.rotate(local.gradient)};
    }
};

enum class StepRule {
    fixed,   // algorithms 2 and 3 as printed: steps of length s along the gradient, for distances
    adaptive // nothing to set: the first step is the value itself, then Barzilai & Borwein 1988 along A's surface; a
             // step that does not lower the largest of the last values is shortened (Grippo et al. 1986)
};

struct DualDescentOptions {
    StepRule rule = StepRule::adaptive;
    double step = 0;      // s, where fixed (m); 0: a hundredth of the smaller bounds' diagonal
    double tolerance = 0; // a shorter step is the last (m); 0: 1e-13 of the smaller diagonal, 1e-5 of it where fixed
    int max_steps = 200;
};

struct DescentEnd {
    Vec3 point = Vec3::Zero();
    double distance_a = 0, distance_b = 0; // of the fields there (m)
    int steps = 0;
    bool common = false; // in both: they overlap, proven but for the fields' own error
};

// Algorithm 2 from one point. Throws Error{invalid_argument} for options out of range, as all below.
[[nodiscard]] DescentEnd dual_descent(const PlacedField& a, const PlacedField& b, const Vec3& start,
                                      const DualDescentOptions& options = {});

// Algorithm 2 from every start, side by side, with the fields' batch calls. Spans of equal length.
void dual_descents(const PlacedField& a, const PlacedField& b, std::span<const Vec3> starts, std::span<DescentEnd> out,
                   const DualDescentOptions& options = {});

// The common point of the lowest start that reaches one; the others are given up as soon as that is known.
[[nodiscard]] std::optional<DescentEnd> first_common_point(const PlacedField& a, const PlacedField& b,
                                                           std::span<const Vec3> starts,
                                                           const DualDescentOptions& options = {});

// The same without an end at common points: down to the least value of B's field that the way through A leads to.
// Apart, that is the distance from A to B; inside, minus the depth of A's deepest point (algorithm 3).
[[nodiscard]] DescentEnd nearest_to(const PlacedField& b, const PlacedField& a, const Vec3& start,
                                    const DualDescentOptions& options = {});

// Both normals are unit and point from A to B: moving B along them, or A against them, separates. (The paper's equation
// 10 and algorithm 3 differ on whose gradient counts; the field that the point is deep in knows the way out of itself.)
struct DualContact {
    Vec3 point_a = Vec3::Zero();                // of A, deepest in B
    Vec3 point_b = Vec3::Zero();                // of B, deepest in A
    double depth_a = 0, depth_b = 0;            // of them, minus the other field's value there (m)
    Vec3 normal_a = Vec3::Zero();               // minus the gradient of B's field at point_a
    Vec3 normal_b = Vec3::Zero();               // the gradient of A's field at point_b
    Index part_a = no_index, part_b = no_index; // whose boxes led there
};

// Algorithm 3 from a point in both.
[[nodiscard]] DualContact deepest_points(const PlacedField& a, const PlacedField& b, const Vec3& common,
                                         const DualDescentOptions& options = {});

// ---- The paper's whole way, as the measure of ours

struct PlainBody {
    PlacedField placed{};
    const Decomposition* parts = nullptr; // of the field; outlives the query
    std::span<const Vec3> protrusions{};  // of the field, in its frame; may be none
};

struct PlainOptions {
    DualDescentOptions descent{.rule = StepRule::fixed};
    bool all = true;             // contacts of every pair of parts; else the first
    int octree_depth = 0;        // of detection points in common boxes, as CommonPointOptions::depth
    std::size_t max_points = 64; // of each pair of parts
};

struct PlainResult {
    // overlapping: a common point was found. disjoint: no boxes meet, and they hold the bodies for certain. Else
    // undecided: the paper would say disjoint.
    Verdict verdict = Verdict::undecided;
    Vec3 common = Vec3::Zero();        // overlapping: one such point
    std::vector<DualContact> contacts; // deepest first; those that end together are one
    std::size_t pairs = 0;             // of parts that may touch
    std::size_t starts = 0;            // detection points
    std::size_t steps = 0;
};

// Boxes -> pairs -> detection points -> algorithm 2 -> algorithm 3.
[[nodiscard]] PlainResult plain_field_collision(const PlainBody& a, const PlainBody& b,
                                                const PlainOptions& options = {});

} // namespace fathom::field_field
