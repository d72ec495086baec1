// Dual gradient descent on two fields (Liu et al. 2024, sections 4.3 and 4.4): a point descends B's field and is
// projected back into A, until it is in both bodies or cannot move further.
// It is the paper's method, to compare with field_field.h: fast, local and without proof. Fields need not be distances,
// but must have gradients. Points are in world coordinates, in metres. const and thread-safe; the results are the same
// for any number of threads.
// A projected point is on the surface only up to rounding, which the paper does not discuss: here a point counts as
// inside A up to 1e-14 of A's size and coordinates; otherwise the paper's loop would end at its first step along a
// surface.
// When not to use it: to prove that bodies are disjoint. A descent that ends outside proves nothing.
#pragma once

#include <fathom/base/pose.h>
#include <fathom/detect/result/result.h>
#include <fathom/field/field.h>

#include <optional>
#include <span>
#include <vector>

namespace fathom::field_field {

struct PlacedField {
    const Field* field = nullptr; // must outlive the query
    Pose pose{};

    [[nodiscard]] Sample sample(const Vec3& world) const {
        const Sample local = field->sample(pose.to_local(world));
        return {local.distance, pose.rotate(local.gradient)};
    }
};

enum class StepRule {
    // Algorithms 2 and 3 as printed: steps of length s along the gradient, for distances.
    fixed,
    // Without parameters: the length of the first step is the field value, then Barzilai & Borwein 1988 along A's
    // surface; a step that does not fall below the largest of the last values is shortened (Grippo et al. 1986).
    adaptive
};

struct DualDescentOptions {
    StepRule rule = StepRule::adaptive;
    double step = 0; // fixed: the step length s (m); 0: a hundredth of the diagonal of the smaller bounds
    // Descent stops at shorter steps (m). 0: 1e-13 of the smaller diagonal, 1e-5 of it with the fixed rule.
    double tolerance = 0;
    int max_steps = 200;
};

struct DescentEnd {
    Vec3 point = Vec3::Zero();
    double distance_a = 0, distance_b = 0; // values of the fields at `point` (m)
    int steps = 0;
    bool common = false; // the point is in both bodies: overlap is proven up to the error of the fields
};

// Algorithm 2 from one point. This and the following functions throw Error{invalid_argument} for options out of range.
[[nodiscard]] DescentEnd dual_descent(const PlacedField& a, const PlacedField& b, const Vec3& start,
                                      const DualDescentOptions& options = {});

// Algorithm 2 from every start simultaneously, with batch evaluations of the fields. Spans of equal length.
void dual_descents(const PlacedField& a, const PlacedField& b, std::span<const Vec3> starts, std::span<DescentEnd> out,
                   const DualDescentOptions& options = {});

// The common point that the start with the lowest index reaches; later starts are abandoned as soon as it is known.
[[nodiscard]] std::optional<DescentEnd> first_common_point(const PlacedField& a, const PlacedField& b,
                                                           std::span<const Vec3> starts,
                                                           const DualDescentOptions& options = {});

// The same without stopping at common points: a local minimum of B's field over the points of A. If the bodies are
// disjoint, it is the distance from A to B; if they overlap, minus the depth of A's deepest point (algorithm 3).
[[nodiscard]] DescentEnd nearest_to(const PlacedField& b, const PlacedField& a, const Vec3& start,
                                    const DualDescentOptions& options = {});

// Both normals are unit and point from A to B: moving B along them, or A against them, separates the bodies. (The
// paper's equation 10 and algorithm 3 differ on which gradient to use. Here it is that of the field which the point
// penetrates: its gradient is the separating direction.)
struct DualContact {
    Vec3 point_a = Vec3::Zero();                // point of A that is deepest in B
    Vec3 point_b = Vec3::Zero();                // point of B that is deepest in A
    double depth_a = 0, depth_b = 0;            // their depths: minus the value of the other field (m)
    Vec3 normal_a = Vec3::Zero();               // minus the gradient of B's field at point_a
    Vec3 normal_b = Vec3::Zero();               // the gradient of A's field at point_b
    Index part_a = no_index, part_b = no_index; // parts whose boxes contained the starting point
};

// Algorithm 3 from a point in both bodies.
[[nodiscard]] DualContact deepest_points(const PlacedField& a, const PlacedField& b, const Vec3& common,
                                         const DualDescentOptions& options = {});

} // namespace fathom::field_field
