// Collision queries between two shapes of any kind: collide(), distance() and sweep().
// A table (method_table.cpp, printed by `fathom matrix`) selects the method from the kinds of the two shapes and the
// query. The result names the method, and the caller may force another one.
// Guarantee: the status "disjoint" is a proof about the shapes as they are represented (a grid as it interpolates).
// `error_bound` bounds the deviation of the representation from the true shape. A method that samples (depth_maps,
// dual_gradient, point_field for meshes) must be forced; it reports "undecided" where it finds no contact.
// Meshes: exact tests of triangles are proofs about any mesh. Where a result depends on caps that close the holes of a
// mesh (MeshInterior::capped), it is not proven. `note` says so, and also where a mesh without an inside is a surface.
// Symmetry: swapping the two shapes swaps the points and negates the normal.
// All queries are const, thread-safe and deterministic. Unit: metres, world frame. Costs: docs/matrix.md. The first
// query of a shape also builds the data that its method needs; Shape::prepare() builds it in advance.
// When not to use it: for many bodies, use World (world.h).
#pragma once

#include <fathom/base/motion.h>
#include <fathom/detect/query/shape.h>
#include <fathom/detect/result/result.h>

#include <array>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

namespace fathom {

// Methods that query a pair of shapes. docs/matrix.md lists which pairs each method accepts.
enum class Method {
    automatic,   // the first method of the table that accepts the pair
    closed_form, // half-spaces against half-spaces or triangle surfaces
    convex, // two convex shapes, or one and a half-space: closed forms, GJK and expanding polytopes (detect/convex)
    field_field, // branch and bound: bounding spheres of one solid in the other's field (field_field.h, field_sweep.h)
    octree,      // octree of cells, bounded by the ranges of both fields (field_overlap.h)
    mesh_field,  // triangles or points in a field (mesh_contacts.h)
    point_field, // paths of moving points or vertices in a field (shell_sweep.h)
    mesh_mesh,   // triangles against triangles, exact predicates (mesh_mesh.h)
    tetrahedra,  // tetrahedra against tetrahedra, exact predicates (detect/tet)
    depth_maps,  // rasterized depth maps, accurate to a pixel, not a proof (detect/depth)
    dual_gradient,            // descent from detection points, not a proof (decomposition/detection_points.h)
    conservative_advancement, // time steps bounded by distance / speed (conservative_advancement.h)
    compound                  // queries of the parts of compound shapes whose bounding boxes are near (compound.h)
};
inline constexpr std::array all_methods = {Method::closed_form,
                                           Method::convex,
                                           Method::field_field,
                                           Method::octree,
                                           Method::mesh_field,
                                           Method::point_field,
                                           Method::mesh_mesh,
                                           Method::tetrahedra,
                                           Method::depth_maps,
                                           Method::dual_gradient,
                                           Method::conservative_advancement,
                                           Method::compound};
[[nodiscard]] std::string_view name(Method method); // for example "mesh_field"

// What collide() computes; each includes those before it.
enum class CollideGoal {
    status,    // whether the shapes overlap
    contacts,  // contact points with local normals and depths, for solvers; between meshes some hundred times as costly
    separation // the shortest separating translation found: depth and normal. Some hundred queries of the status
};

struct CollideOptions {
    CollideGoal goal = CollideGoal::status;
    Method method = Method::automatic; // Error{unsupported} if a forced method does not accept the pair
    // Shapes closer than this count as touching (m). Error{unsupported} if a forced method does not support a margin.
    double margin = 0;
    // Contact reduction: the deepest contact is kept first, then always the contact farthest from those already kept.
    std::size_t max_contacts = 16;
    double effort = 1; // multiplies the limit on evaluations before "undecided"; from 1e-3 to 1e6
};

// The status of a pair is `status`: disjoint, overlapping (touching included) or undecided.
struct CollideResult {
    Status status = Status::disjoint;
    [[nodiscard]] bool touching() const { return status != Status::disjoint; } // not proven disjoint
    // "disjoint" is proven for the shapes as represented, or "overlapping" has a `witness`. False also if contacts were
    // found whose depth is below the error of the shapes, or if the result depends on the caps of a mesh.
    bool proven = true;
    Method method = Method::automatic; // the method that was used
    Vec3 witness = Vec3::Zero();       // overlapping: a point of both shapes, up to the margin (m, world)
    // Goal separation (closed forms: always): B moved by depth * normal is disjoint from A, with the margin of the
    // query. Closed forms give the shortest such translation, other methods the best one of a search. No translation
    // shorter than local_depth - error_bound separates the shapes. NaN: not computed. Infinity: there is none.
    double depth = std::numeric_limits<double>::quiet_NaN(); // penetration depth (m)
    Vec3 normal = Vec3::Zero();                              // unit, from A to B (world)
    Separates separates = Separates::unknown;                // whether the moved pair was proven disjoint
    bool unique = true; // no other direction was found that separates by a translation as short
    // Goal contacts: depth of the deepest contact found: how far a point of one shape is inside the other (m). Between
    // convex shapes it is measured along the normal.
    double local_depth = 0;
    // Goal separation of two solids by their fields, and convex shapes: no point of one shape is deeper in the other
    // (m, up to error_bound); within 1e-3 of the size of the smaller shape of local_depth unless the evaluation limit
    // was reached. Infinity: unknown.
    double local_depth_bound = std::numeric_limits<double>::infinity();
    // Bound on the error of depths (m). Infinity if a field is not a distance: its depths are then only field values.
    double error_bound = 0;
    bool more_contacts = false;      // more contacts exist than are listed
    bool budget_exhausted = false;   // undecided: the evaluation limit was reached
    std::vector<Contact> contacts{}; // goal contacts: deepest first, in a deterministic order
    // What the result does not say about a mesh whose interior is not certain (Shape::interior()): a fixed sentence
    // with A and B for the shapes, or empty. It lives as long as the program.
    std::string_view note{};
};

// Tests whether two shapes overlap; with options.goal it also finds their contacts, or the translation that separates
// them. Touching counts as overlap. The result is undecided if a pose is not finite. Throws Error{invalid_argument} for
// a negative or non-finite margin, Error{unsupported} for an unsuitable method.
[[nodiscard]] CollideResult collide(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b,
                                    const CollideOptions& options = {});

struct DistanceOptions {
    Method method = Method::automatic;
    double tolerance = 0; // requested difference of the bounds (m); 0: 1e-3 of the size of the smaller shape
    double effort = 1;    // multiplies the limit on evaluations before the bounds are returned as they are
    bool depth = false;   // overlapping shapes: find the separating translation too, as CollideGoal::separation does
};

// Signed distance of two shapes: the distance if they are disjoint, minus the penetration depth if they overlap.
struct DistanceResult {
    Status status = Status::disjoint; // of the bounds: overlapping if upper_bound <= 0, disjoint if lower_bound > 0
    [[nodiscard]] bool touching() const { return status != Status::disjoint; } // not proven disjoint
    bool proven = true; // the status is proven, and the bound that it rests on is not below the error of the shapes
    // The distance lies between these bounds, up to error_bound (m). If the shapes overlap, upper_bound <= 0 is minus
    // the local depth of the deepest point found, and lower_bound minus the length of the separating translation, or
    // -infinity if that was not requested. Closed forms always give both.
    double lower_bound = 0, upper_bound = 0;
    // Witness points whose distance is upper_bound (m, world). On a solid that is evaluated by its field they are
    // accurate to error_bound.
    Vec3 point_a = Vec3::Zero(), point_b = Vec3::Zero();
    Vec3 normal = Vec3::Zero();        // unit, from A to B (world)
    Method method = Method::automatic; // the method that was used
    double error_bound = 0;            // deviation of the shapes, or of their depths, from the true shapes (m)
    bool converged = true;             // the bounds are as close as requested
    std::string_view note{};           // as in CollideResult
};
// Finds the signed distance and the closest points of two shapes. Both bounds are infinity if a shape is empty.
// If a pose is not finite, the bounds are -infinity and infinity.
// Throws Error{invalid_argument} for a negative or non-finite tolerance, Error{unsupported} for an unsuitable method or
// for a half-space and another unbounded solid that is not a half-space.
[[nodiscard]] DistanceResult distance(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b,
                                      const DistanceOptions& options = {});

struct SweepOptions {
    SweepGoal goal = SweepGoal::first; // any, first: fill `time`; all: fills `intervals` too
    Method method = Method::automatic;
    Path path = Path::screw;       // straight: each point moves on its own line; only for Method::point_field
    double tolerance = 1e-6;       // of the start and end times of contact (time)
    double resolution = 1.0 / 512; // all: a separation shorter than this between two contacts may be missed (time)
    double margin = 0;             // shapes closer than this count as touching (m)
    double effort = 1;             // multiplies the limit on evaluations before the result is returned as it is
};

struct SweepResult {
    Status status = Status::disjoint;                                          // over the whole motion
    [[nodiscard]] bool touching() const { return status != Status::disjoint; } // not proven disjoint
    // False: undecided, or (point_field for meshes) `time` holds for the vertices only: edges may touch earlier.
    bool proven = true;
    // Lower bound on the time of impact. If overlapping, contact occurs in [time, time + error]: it was observed at
    // time + error or, for points that pass through an open surface, is proven to lie in the interval.
    double time = 1;
    double error = 0;                         // of the time of impact (time)
    Vec3 point = Vec3::Zero();                // of the first contact (m, world)
    Vec3 normal = Vec3::Zero();               // of the first contact: unit, from A to B (world)
    std::vector<ContactInterval> intervals{}; // SweepGoal::all: contain every contact; ascending and disjoint
    Method method = Method::automatic;        // the method that was used
    double error_bound = 0;                   // deviation of the shapes from the true shapes (m)
    bool budget_exhausted = false; // the evaluation limit was reached: error or intervals are wider than requested
    std::string_view note{};       // as in CollideResult
};
// Finds the time of impact of two moving shapes, or all their contact intervals. Time runs in [0, 1].
// options.path selects the path between the poses.
// Throws Error{invalid_argument} for a negative or non-finite option, Error{unsupported} for an unsuitable method,
// margin or path.
[[nodiscard]] SweepResult sweep(const Shape& a, const Motion& motion_a, const Shape& b, const Motion& motion_b,
                                const SweepOptions& options = {});

// ---- The table of methods: which methods support a query for a pair of kinds, in order of preference. It is the same
// for both orders of a pair. `fathom matrix` prints it.

enum class Question { collide, distance, sweep_first, sweep_all };
inline constexpr std::array all_questions = {Question::collide, Question::distance, Question::sweep_first,
                                             Question::sweep_all};
[[nodiscard]] std::string_view name(Question question); // for example "sweep_first"

struct PairMethod {
    Method method;
    std::string_view guarantee; // a phrase, for example "proof or witness; exact triangles"
};

// All methods for the pair, never empty. Method::automatic selects the first.
[[nodiscard]] std::vector<PairMethod> methods_for(ShapeKind a, ShapeKind b, Question question);

// The method that is used if `requested` is requested. Error{unsupported} names the pair and the methods that support
// it.
[[nodiscard]] Method choose(ShapeKind a, ShapeKind b, Question question, Method requested);

} // namespace fathom
