// World: collision queries on many bodies of any shape, with contact events. A World has no forces and no time.
// update() is one step: the broad phase (index/broad_phase.h) finds candidate pairs, filters remove some of them, and
// collide() of query.h tests the rest in parallel. Unbounded bodies are tested against all others.
// Warm start: a pair that was found disjoint is not tested again until its bodies have moved by its proven distance.
// The results are the same and remain proven.
// Ray casts, nearest-body, box, point and shape queries and sweeps use the current poses and take a filter;
// check_poses() and clearances() evaluate many poses of one body in parallel, for motion planning. Threads: one thread
// may change a world at a time; const functions are thread-safe. Results have the same bytes for any number of threads.
// Unit: metres, world frame. Poses must be finite (else Error{non_finite}), and rotations must be unit quaternions: a
// length that deviates from 1 by more than 1e-3 is Error{invalid_argument}; a smaller deviation is normalized. It is
// the only broad phase of the library: a caller with a narrow phase of its own (simulations, deforming surfaces) adds
// bodies by their bounds, sets the bounds over its step, and asks for the candidates(). When not to use it: for two
// shapes, use query.h.
#pragma once

#include <fathom/detect/query/derivatives.h>
#include <fathom/detect/query/query.h>
#include <fathom/index/broad_phase_options.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace fathom {

struct BodyOptions {
    std::string name{};
    std::uint32_t category = 1;        // categories of the body, one bit each
    std::uint32_t mask = 0xffff'ffffu; // categories that it may touch; both bodies of a pair must allow the other
    bool is_static = false;            // two static bodies never form a pair
    std::uint64_t user = 0;            // a value of the caller
};

// Which bodies a query of a world considers: those whose mask contains a category of the query, that have a category of
// the mask, and that `accept` admits. By default all bodies but those whose own mask is 0.
struct WorldFilter {
    std::uint32_t category = 0xffff'ffffu; // categories of the query, one bit each
    std::uint32_t mask = 0xffff'ffffu;     // categories of bodies that it finds
    // Called on the calling thread, for bodies whose bounds are near and whose categories match. Empty: admits all.
    std::function<bool(Index body)> accept{};
};

struct WorldOptions {
    CollideOptions query{};    // for all pairs of update(), check_poses()
    BroadPhaseOptions broad{}; // for update()
    // Skip pairs that cannot have changed, while query.method is automatic. The results keep the same bytes, with one
    // exception: a pair that would be undecided may be proven disjoint.
    bool warm_start = true;
};

// Two bodies, a < b, that touch or are not proven disjoint.
struct WorldPair {
    Index a = no_index, b = no_index;
    CollideResult collision{};

    [[nodiscard]] bool touching() const { return collision.touching(); }
};

// Result of an update(). All lists are sorted by a, then b.
struct WorldStep {
    std::vector<WorldPair> pairs{};                 // pairs that touch or are undecided; all others are disjoint
    std::vector<IdPair> began{}, stayed{}, ended{}; // changes of `pairs` since the previous step
    std::size_t tested = 0;                         // pairs that were tested by collide()
    std::size_t cached = 0;                         // pairs that the warm start did not test
};

struct RayHit {
    Index body = no_index;                                     // no_index: nothing was hit
    Index part = no_index;                                     // of a compound shape (Shape::parts())
    double distance = std::numeric_limits<double>::infinity(); // along the ray (m); 0 if the origin is inside
    double error = 0;                 // overlapping: the ray enters the body in [distance, distance + error] (m)
    Vec3 point = Vec3::Zero();        // ray point at `distance` (m, world)
    Vec3 normal = Vec3::Zero();       // unit, outward from the body (world)
    Status status = Status::disjoint; // undecided: a hit is not excluded

    [[nodiscard]] bool touching() const { return status != Status::disjoint; }
};

// A body that contains a point.
struct PointHit {
    Index body = no_index;
    Index part = no_index; // of a compound shape: the one that contains it deepest
    double distance = 0;   // value of the body's signed distance field at the point, <= 0 (m)
};

class World {
public:
    // Returns whether a pair may touch, in addition to categories and masks. It is called with a < b on the calling
    // thread: by update() for candidate pairs, by check_poses() and clearances() once for every other body.
    using Filter = std::function<bool(Index a, Index b)>;

    explicit World(const WorldOptions& options = {});
    ~World();
    World(World&&) noexcept;
    World& operator=(World&&) noexcept;

    // Ids are stable. The id of a removed body may be reused after the next update(). Error{index_out_of_range},
    // Error{non_finite}, Error{count_mismatch}, and as Shape throws; the world is then unchanged.
    Index add(Shape shape, const Pose& pose = {}, const BodyOptions& options = {});
    void move(Index id, const Pose& pose);
    void move(std::span<const Index> ids, std::span<const Pose> poses);
    void deform(Index id, std::span<const Vec3> vertices); // in the body's frame, see Shape::deformed()
    void replace(Index id, Shape shape);
    void remove(Index id);
    // A body without a shape, given by its bounds (m, world): only candidates() lists it. Infinite bounds overlap
    // everything, empty bounds nothing. Error{non_finite} for NaN.
    Index add(const Box& bounds, const BodyOptions& options = {});
    // The bounds of a body in candidates() over the coming step, for example those of its motion, until it is moved,
    // deformed or replaced. A body with an unbounded shape stays unbounded.
    void set_bounds(Index id, const Box& bounds);
    void set_static(Index id, bool is_static); // for example of a body that sleeps
    void set_category(Index id, std::uint32_t category, std::uint32_t mask);
    void set_user(Index id, std::uint64_t user);
    void set_filter(Filter filter);

    // Runs one step. The reference is valid until the next update(). Error as collide() throws: Error{unsupported} if a
    // forced method does not accept a pair.
    const WorldStep& update();
    [[nodiscard]] const WorldStep& last() const;
    // Broad phase and filters alone: the pairs {a, b}, a < b, whose bounds overlap, sorted. The span is valid until the
    // next call or update(). Without allocation once its memory suffices.
    std::span<const IdPair> candidates();

    [[nodiscard]] std::size_t size() const;
    [[nodiscard]] std::size_t id_limit() const; // upper bound on ids: all ids are smaller
    [[nodiscard]] bool contains(Index id) const;
    [[nodiscard]] bool is_static(Index id) const;
    [[nodiscard]] const Shape& shape(Index id) const; // Error{unsupported} if the body has none
    [[nodiscard]] const Pose& pose(Index id) const;
    [[nodiscard]] const std::string& name(Index id) const;
    [[nodiscard]] const BodyOptions& body_options(Index id) const; // categories, mask, user value; as set last
    [[nodiscard]] const WorldOptions& options() const;

    // ---- Queries at the current poses. They do not need an update(). Each takes its own filter; set_filter(), and the
    // categories of a pair of bodies, apply to check_poses() and clearances() only.
    // The bodies that a shape would touch, sorted by id: `a` is no_index, `b` the body.
    [[nodiscard]] std::vector<WorldPair> collide(const Shape& shape, const Pose& pose,
                                                 const CollideOptions& options = {},
                                                 const WorldFilter& filter = {}) const;
    // The bodies whose bounding boxes overlap a box (m, world), ascending; an unbounded body unless its field is
    // positive in the box. For the shapes themselves use collide() with a box.
    [[nodiscard]] std::vector<Index> overlapping_box(const Box& box, const WorldFilter& filter = {}) const;
    // The solids that contain a point, sorted by id, by the value of their field. Error{non_finite}.
    [[nodiscard]] std::vector<PointHit> containing(const Vec3& point, const WorldFilter& filter = {}) const;
    // The nearest body within `limit` (m), compared by DistanceResult::upper_bound; of bodies that overlap the shape,
    // the deepest. Error{unsupported} if the shape and a body are both unbounded.
    struct Nearest {
        Index body = no_index;
        DistanceResult distance{};
    };
    [[nodiscard]] Nearest nearest(const Shape& shape, const Pose& pose,
                                  double limit = std::numeric_limits<double>::infinity(),
                                  const DistanceOptions& options = {}, const WorldFilter& filter = {}) const;
    // The first body that a ray hits within `limit` (m, whatever the length of its direction). A ray hits the interior
    // of solids; it hits open surfaces from both sides, with the normal against the ray; it never hits points.
    // Unbounded fields are searched up to 1e9 m. Error{non_finite}; Error{invalid_argument} if the direction is zero or
    // the limit negative.
    [[nodiscard]] RayHit cast(const Ray& ray, double limit = std::numeric_limits<double>::infinity(),
                              const WorldFilter& filter = {}) const;
    // Any hit, not necessarily the first one: for lines of sight. An undecided one only if no other was found.
    [[nodiscard]] RayHit cast_any(const Ray& ray, double limit = std::numeric_limits<double>::infinity(),
                                  const WorldFilter& filter = {}) const;
    // Where the ray hits each body first, sorted by distance, then id.
    [[nodiscard]] std::vector<RayHit> cast_all(const Ray& ray, double limit = std::numeric_limits<double>::infinity(),
                                               const WorldFilter& filter = {}) const;
    // The first body that a moving shape touches or may touch, while the bodies are stationary: the one with the
    // smallest SweepResult::time, then the smallest id.
    struct SweptBody {
        Index body = no_index;
        SweepResult sweep{};
    };
    [[nodiscard]] SweptBody sweep(const Shape& shape, const Motion& motion, const SweepOptions& options = {},
                                  const WorldFilter& filter = {}) const;
    // Whether body `id` would touch any other body at each pose; result k belongs to poses[k]. "disjoint" is proven.
    // Runs in parallel.
    [[nodiscard]] std::vector<Status> check_poses(Index id, std::span<const Pose> poses) const;
    // Clearance of body `id` at each pose: a proven lower bound on the distance to the nearest other body (m), minus
    // the error bound of the shapes. It is 0 if the body may touch another, infinity if there is no other body. Runs in
    // parallel.
    [[nodiscard]] std::vector<double> clearances(Index id, std::span<const Pose> poses) const;
    // The signed distance of body `id` to the nearest other body at each pose, and its derivative with respect to a
    // displacement of body `id` (derivatives.h), for planners that follow gradients: minus the penetration depth of the
    // deepest overlap where it touches bodies. Runs in parallel; a pose where bodies overlap costs a search of the
    // separating translation.
    struct PoseClearance {
        double distance =
            std::numeric_limits<double>::infinity(); // upper bound; infinite if there is no other body (m)
        Index nearest = no_index;                    // the body that is nearest, or deepest
        PoseDerivative derivative{};
        bool unique = false; // the derivative exists, and no other body is as near
    };
    [[nodiscard]] std::vector<PoseClearance> clearance_derivatives(Index id, std::span<const Pose> poses) const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace fathom
