// Many bodies of any shape: who touches whom now, what began and what ended. Knows no forces and no time.
// A step is update(): the broad phase finds pairs (index/broad_phase.h), filters drop some, and query.h asks the rest.
// A pair that was found apart is not asked again until its bodies have moved by as much as they were apart (warm start:
// the same answers, proven). Bodies without end are tried against all others. Rays, nearest bodies and single shapes
// are asked of the world as it was moved last; many poses of one body in parallel (planning). One caller changes it at
// a time; const calls are thread-safe. Answers are the same bytes for any number of threads. Metres, world frame. Poses
// must be finite (Error{non_finite}) and their rotations unit: off by more than 1e-3 is Error{invalid_argument}, by
// less is made unit. When not: two shapes (query.h); hundreds of bodies that deform in every step (deforming_scene.h).
#pragma once

#include <fathom/detect/query/query.h>
#include <fathom/index/broad_phase.h>

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
    std::uint32_t category = 1;        // that it belongs to, a bit each
    std::uint32_t mask = 0xffff'ffffu; // groups that it may touch; both of a pair must allow it
    bool is_static = false;            // two fixed bodies are no pair
};

struct WorldOptions {
    CollideOptions query{};
    BroadPhaseOptions broad{};
    bool warm_start = true; // for pairs that `query.method` leaves automatic. Undecided pairs aside, which it may know
                            // to be apart, no byte changes
};

// Two bodies that touch (or are not proven apart), a < b.
struct WorldPair {
    Index a = no_index, b = no_index;
    CollideResult collision{};

    [[nodiscard]] bool touching() const { return collision.verdict != Verdict::disjoint; }
};

// Of the last update(). Sorted by a, then b.
struct WorldStep {
    std::vector<WorldPair> pairs{};                 // that touch or are undecided
    std::vector<IdPair> began{}, stayed{}, ended{}; // of those
    std::size_t tested = 0;                         // pairs that were asked
    std::size_t cached = 0;                         // by the warm start
};

struct RayHit {
    Index body = no_index;                                     // none: nothing hit
    double distance = std::numeric_limits<double>::infinity(); // along the ray; 0 where it starts inside (m)
    double error = 0; // overlapping: the body begins in [distance, distance + error] (m)
    Vec3 point = Vec3::Zero(), normal = Vec3::Zero(); // unit, out of the body
    Verdict verdict = Verdict::disjoint;
};

class World {
public:
    // May they touch? Asked beside the groups, with a < b, on the thread that calls: by update() for pairs of the broad
    // phase, by check_poses() and clearances() for every other body, once.
    using Filter = std::function<bool(Index a, Index b)>;

    explicit World(const WorldOptions& options = {});
    ~World();
    World(World&&) noexcept;
    World& operator=(World&&) noexcept;

    // Ids stay; that of a removed body is given again after the next update(). Error: index_out_of_range, non_finite,
    // count_mismatch, and as Shape throws; then nothing has changed.
    Index add(Shape shape, const Pose& pose = {}, const BodyOptions& options = {});
    void move(Index id, const Pose& pose);
    void move(std::span<const Index> ids, std::span<const Pose> poses);
    void deform(Index id, std::span<const Vec3> vertices); // in the body's frame, see Shape::deformed()
    void replace(Index id, Shape shape);
    void remove(Index id);
    void set_category(Index id, std::uint32_t category, std::uint32_t mask);
    void set_filter(Filter filter);

    // A step. The reference holds until the next. Error as collide() throws: unsupported, where a forced method does
    // not fit a pair.
    const WorldStep& update();
    [[nodiscard]] const WorldStep& last() const;

    [[nodiscard]] std::size_t size() const;
    [[nodiscard]] std::size_t id_limit() const; // all ids are smaller
    [[nodiscard]] bool contains(Index id) const;
    [[nodiscard]] const Shape& shape(Index id) const;
    [[nodiscard]] const Pose& pose(Index id) const;
    [[nodiscard]] const std::string& name(Index id) const;
    [[nodiscard]] const WorldOptions& options() const;

    // ---- Questions to the world as it stands (also before update())
    // Bodies that a shape would touch, by id.
    [[nodiscard]] std::vector<WorldPair>
    collide(const Shape& shape, const Pose& pose,
            const CollideOptions& options = {}) const; // `a` is no_index, `b` the body
    // The nearest body within `limit` (m), by Distance::upper, and how far; of those that overlap, the deepest.
    // Error{unsupported} where neither has an end.
    struct Nearest {
        Index body = no_index;
        DistanceResult distance{};
    };
    [[nodiscard]] Nearest nearest(const Shape& shape, const Pose& pose,
                                  double limit = std::numeric_limits<double>::infinity(),
                                  const DistanceOptions& options = {}) const;
    // The first body that a ray meets within `limit` (m, whatever the length of its direction). Solids by their inside,
    // open surfaces from both sides with the normal against the ray, points never; fields without end up to 1e9 m.
    // Error: non_finite, invalid_argument without a direction.
    [[nodiscard]] RayHit cast(const Ray& ray, double limit = std::numeric_limits<double>::infinity()) const;
    // The first body that a moving shape touches, or is not proven not to; they stand. The least Sweep::time counts,
    // then the id.
    struct SweptBody {
        Index body = no_index;
        SweepResult sweep{};
    };
    [[nodiscard]] SweptBody sweep(const Shape& shape, const Motion& motion, const SweepOptions& options = {}) const;
    // Would body `id` touch any other at each of these poses? In parallel, out[k] answers poses[k]: disjoint only where
    // proven.
    [[nodiscard]] std::vector<Verdict> check_poses(Index id, std::span<const Pose> poses) const;
    // How far body `id` would be from the nearest other at each pose: the proven bound below (m), less the error of the
    // shapes; 0 where it may touch, infinity where there is no other.
    [[nodiscard]] std::vector<double> clearances(Index id, std::span<const Pose> poses) const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace fathom
