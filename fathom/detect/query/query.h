// The one call: any shape against any shape, in both orders. Do they touch, how deep and where; how far
// apart; when? One table (query_table.h) picks the method by what the shapes are and what is asked; the answer says
// which it was, and the caller may force another. "Disjoint" is always a proof about the shapes as they are given (a
// grid as it interpolates); `error_bound` says how far those may be from what they stand for. Only depth maps, which
// must be asked for by name, look at pixels: their "disjoint" is not `proven`. Swapping the shapes swaps the points and
// turns the normal. const and thread-safe; the same answer on every run. Metres, world frame. Costs: docs/matrix.md.
// The first query of a shape also makes what its method needs (Shape::prepare()).
#pragma once

#include <fathom/base/motion.h>
#include <fathom/detect/field_field/field_field.h>
#include <fathom/detect/query/shape.h>
#include <fathom/detect/result/result.h>

#include <array>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

namespace fathom {

enum class Method {
    automatic,
    closed_form,             // half-spaces
    field_field,             // the tree of one solid through the other's field, best first (collide.h, field_sweep.h)
    octree,                  // cells of both fields' ranges (field_overlap.h)
    mesh_field,              // triangles or points in a field (mesh_contacts.h)
    point_field,             // paths of points in a field (shell_sweep.h)
    mesh_mesh,               // triangles against triangles, exactly (mesh_pair.h)
    tetrahedra,              // tetrahedra against tetrahedra, exactly (detect/tet)
    depth_maps,              // drawn and compared (detect/depth)
    conservative_advancement // in time by as much as the distance allows (time_search.h)
};
inline constexpr std::array all_methods = {Method::closed_form, Method::field_field, Method::octree,
                                           Method::mesh_field,  Method::point_field, Method::mesh_mesh,
                                           Method::tetrahedra,  Method::depth_maps,  Method::conservative_advancement};
[[nodiscard]] std::string_view name(Method method); // "surface_in_field"

enum class CollideGoal {
    verdict,  // whether
    contacts, // where, how deep, which way is out
    proof     // whether, at a hundred times the usual effort before "undecided"
};

struct CollideOptions {
    CollideGoal goal = CollideGoal::contacts;
    Method method = Method::automatic; // else Error{unsupported} where it does not fit the pair
    double margin =
        0; // shapes nearer than this count as touching (m). Error{unsupported} where a forced method knows none
    std::size_t max_contacts = 16; // the deepest, then those farthest from the ones before
};

struct CollideResult {
    Verdict verdict = Verdict::disjoint;
    bool proven = true; // of "disjoint": nothing was left to chance. "overlapping" always has a witness, `witness`
    Method method = Method::automatic;
    Vec3 witness = Vec3::Zero(); // overlapping: a point of both, but for the margin (m, world)
    double depth = 0;            // of the deepest contact found (m)
    double error_bound = 0; // of depths (m); infinity where a field is no distance, whose depths are then only values
    bool more_contacts = false;      // there are more contacts
    std::vector<Contact> contacts{}; // deepest first, the same order on every run; QueryGoal::contacts
};
[[nodiscard]] CollideResult collide(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b,
                                    const CollideOptions& options = {});

struct DistanceOptions {
    Method method = Method::automatic;
    double tolerance = 0; // wanted between the bounds (m); 0: 1e-3 of the smaller shape
};

// Signed: the distance when apart, minus the depth when not.
struct DistanceResult {
    // The distance lies between these, but for error_bound (m). Overlapping: upper <= 0 is minus the depth of the
    // deepest point found, lower is -infinity.
    double lower_bound = 0, upper_bound = 0;
    Vec3 point_a = Vec3::Zero(),
         point_b =
             Vec3::Zero(); // that reach `upper` (m, world); of a solid that is asked by its field, good to error_bound
    Vec3 normal = Vec3::Zero(); // unit, from A to B
    Method method = Method::automatic;
    double error_bound = 0;
    bool converged = true; // the bounds are as close as requested
};
[[nodiscard]] DistanceResult distance(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b,
                                      const DistanceOptions& options = {});

struct SweepOptions {
    SweepGoal goal = SweepGoal::first; // any and first fill `time`; all: `intervals` too
    Method method = Method::automatic;
    Path path = Path::screw;       // straight: each point on its own line, for points_in_field alone
    double tolerance = 1e-6;       // of time, for the ends of contact
    double resolution = 1.0 / 512; // of time: apart for less than this between two contacts may not be seen (all)
    double margin = 0;             // m
};

struct SweepResult {
    Verdict verdict = Verdict::disjoint; // over the whole motion
    double time = 1; // no contact is before this; overlapping: one was seen at time + error, or (points through a
                     // sheet) is proven to lie between
    double error = 0;
    Vec3 point = Vec3::Zero();                // of that contact (m, world)
    Vec3 normal = Vec3::Zero();               // unit, from A to B
    std::vector<ContactInterval> intervals{}; // SweepGoal::all: every contact is in one of these; ascending, apart
    Method method = Method::automatic;
    double error_bound = 0; // of the shapes (m)
    bool truncated = false; // effort ended it: error or intervals are wider than asked
};
// Time runs in [0,1]; the `path` of the motions is not looked at.
[[nodiscard]] SweepResult sweep(const Shape& a, const Motion& motion_a, const Shape& b, const Motion& motion_b,
                                const SweepOptions& options = {});

// Which method answers which question about which pair of kinds, best first: the one table that query.h
// picks from and `fathom matrix` prints. The same for both orders of a pair.

enum class Question { collide, distance, sweep_first, sweep_all };
inline constexpr std::array all_questions = {Question::collide, Question::distance, Question::sweep_first,
                                             Question::sweep_all};
[[nodiscard]] std::string_view name(Question question); // "sweep_first"

struct PairMethod {
    Method method;
    std::string_view guarantee; // in words: "proof or witness; exact triangles"
};

// The first is what `automatic` takes; never empty.
[[nodiscard]] std::vector<PairMethod> methods_for(ShapeKind a, ShapeKind b, Question question);

// The method to take. Error{unsupported} names the pair and what would fit.
[[nodiscard]] Method choose(ShapeKind a, ShapeKind b, Question question, Method asked);

} // namespace fathom
