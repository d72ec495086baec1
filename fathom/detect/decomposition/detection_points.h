// Detection points: starting points of dual gradient descent (Liu et al. 2024, section 4.2), in the intersection of two
// boxes and in the protrusions of a field.
// The parameters that the paper sets by hand (octree depth, distance n, boundary value) follow from the sizes of the
// boxes or from the field. The points prove nothing: more points miss fewer contacts, but a contact may always be
// missed. Unit: metres; thread-safe.
#pragma once

#include <fathom/base/primitives.h>
#include <fathom/detect/decomposition/decomposition.h>
#include <fathom/detect/field_field/dual_gradient.h>
#include <fathom/field/field.h>

#include <vector>

namespace fathom {

struct CommonPointOptions {
    // Subdivisions of the common region, 1 to 8. 0: until cells are half as thick as the thinner box, at most 5.
    int depth = 0;
    // Limit on points, at least 1: no deeper level is started above it, and surplus points are removed.
    std::size_t max_points = 64;
};

// Centres of the octree cells in both boxes, in order: the paper's algorithm 1 on the distances of two boxes; of the
// cells at the last level, those whose centre is in both boxes. At least one point if boxes_overlap(), otherwise none.
// Boxes and points are in the same frame. Throws Error{invalid_argument} for options out of range.
void common_points(const OrientedBox& a, const OrientedBox& b, std::vector<Vec3>& out,
                   const CommonPointOptions& options = {});

// Interval that encloses the signed distance to a box over all points of an axis-aligned box; exact if `box` is not
// rotated.
[[nodiscard]] Interval box_distance_range(const OrientedBox& box, const Box& over);

struct ProtrusionOptions {
    // Spacing of the lattice of candidates (m). 0: a grid's cell, for other fields 1/128 of the bounds, or coarser
    // because of `max_candidates`.
    double spacing = 0;
    double reach = 0;                       // the paper's distance n (m); 0: four spacings
    std::size_t max_candidates = 2'000'000; // limit on lattice points near the surface
};

struct ProtrusionPoints {
    std::vector<Vec3> points; // all inside, no two closer than `reach` (m, field's frame)
    double spacing = 0;       // the spacing that was used (m)
    double reach = 0;         // the distance n that was used (m)
    double boundary = 0;      // points are below this value, four of their six neighbours above it (m)
};

// Points below the boundary value for which at least four of the six points at distance n are above it. Of points
// closer to each other than n, one is kept: the one with most neighbours outside, and of these the deepest.
// With the default n, every protrusion that is not blunter than a sphere of radius n^2 / (2 spacing) = 8 spacings
// contains a lattice point that qualifies (the rule reaches n^2 / (2r) deep into a sphere of radius r). The boundary
// value is minus the field's error near its surface, so that points are proven to be inside. Points whose value is
// below it by more than lipschitz * n cannot qualify and are not tested.
// Error{invalid_argument} for an unbounded field and for options out of range. Runs in parallel; the result is the same
// for any number of threads.
[[nodiscard]] ProtrusionPoints protrusion_points(const Field& field, const ProtrusionOptions& options = {});

// The preparation of one body for the pipeline below.
struct DetectionParts {
    Decomposition decomposition;
    std::vector<Vec3> protrusions; // in the field's frame
};

// ---- The complete pipeline of the paper

struct PlainBody {
    field_field::PlacedField placed{};
    const Decomposition* parts = nullptr; // of the field; must outlive the query
    std::span<const Vec3> protrusions{};  // of the field, in its frame; may be empty
};

struct PlainOptions {
    field_field::DualDescentOptions descent{.rule = field_field::StepRule::fixed};
    bool all = true;             // contacts of every pair of parts; false: only the first
    int octree_depth = 0;        // for detection points in the common part of two boxes, as CommonPointOptions::depth
    std::size_t max_points = 64; // for each pair of parts
};

struct PlainResult {
    // overlapping: a common point was found. disjoint: no boxes intersect, and they are proven to contain the bodies.
    // Otherwise undecided, where the paper reports disjoint.
    Status status = Status::undecided;
    Vec3 common = Vec3::Zero();                     // overlapping: a common point
    std::vector<field_field::DualContact> contacts; // deepest first; contacts at the same point are merged
    std::size_t pairs = 0;                          // pairs of parts that may touch
    std::size_t starts = 0;                         // detection points
    std::size_t steps = 0;
};

// Boxes -> pairs -> detection points -> algorithm 2 -> algorithm 3.
[[nodiscard]] PlainResult plain_field_collision(const PlainBody& a, const PlainBody& b,
                                                const PlainOptions& options = {});

} // namespace fathom
