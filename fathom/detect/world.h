// Room: detect. Many bodies of any shape: who touches whom now, what began and what ended. Knows no forces and no time.
// A step is update(): the broad phase finds pairs (index/broad_phase.h), filters drop some, and query.h asks the rest. A pair that was found apart is not asked
// again until its bodies have moved by as much as they were apart (warm start: the same answers, proven). Bodies without end meet all others.
// Rays, nearest bodies and single shapes are asked of the world as it was moved last; many poses of one body in parallel (planning).
// One caller changes it at a time; const calls are thread-safe. Answers do not depend on threads nor on the order of adding. Metres, world frame.
#pragma once

#include <fathom/detect/query.h>
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
    std::uint32_t groups = 1;           // that it belongs to, a bit each
    std::uint32_t meets = 0xffff'ffffu; // groups that it may touch; both of a pair must allow it
    bool fixed = false;                 // two fixed bodies are no pair
};

struct WorldOptions {
    QueryOptions query{};
    BroadPhaseOptions broad{};
    bool warm_start = true;
};

// Two bodies that touch (or are not proven apart), a < b.
struct WorldPair {
    Index a = no_index, b = no_index;
    Collision collision{};

    [[nodiscard]] bool touching() const { return collision.verdict != Verdict::disjoint; }
};

// Of the last update(). Sorted by a, then b.
struct WorldStep {
    std::vector<WorldPair> pairs{};             // that touch or are undecided
    std::vector<IdPair> began{}, stayed{}, ended{}; // of those
    std::size_t tested = 0;                     // pairs that were asked
    std::size_t spared = 0;                     // by the warm start
};

struct RayHit {
    Index body = no_index; // none: nothing hit
    double distance = std::numeric_limits<double>::infinity(); // m along the ray
    Vec3 point = Vec3::Zero(), normal = Vec3::Zero();          // unit, out of the body
    Verdict verdict = Verdict::disjoint;
};

class World {
public:
    // May they touch? Asked beside the groups, for pairs of the broad phase; must answer alike for (a, b) and (b, a).
    using Filter = std::function<bool(Index a, Index b)>;

    explicit World(const WorldOptions& options = {});
    ~World();
    World(World&&) noexcept;
    World& operator=(World&&) noexcept;

    // Ids stay; that of a removed body is given again after the next update(). Error: index_out_of_range, non_finite, and as Shape throws.
    Index add(Shape shape, const Pose& pose = {}, const BodyOptions& options = {});
    void move(Index id, const Pose& pose);
    void move(std::span<const Index> ids, std::span<const Pose> poses);
    void deform(Index id, std::span<const Vec3> vertices); // in the body's frame, see Shape::deformed()
    void replace(Index id, Shape shape);
    void remove(Index id);
    void set_groups(Index id, std::uint32_t groups, std::uint32_t meets);
    void set_filter(Filter filter);

    // A step. The reference holds until the next.
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
    [[nodiscard]] std::vector<WorldPair> collide(const Shape& shape, const Pose& pose, const QueryOptions& options = {}) const; // `a` is no_index, `b` the body
    // The nearest body within `limit`, and how far.
    struct Nearest {
        Index body = no_index;
        Distance distance{};
    };
    [[nodiscard]] Nearest nearest(const Shape& shape, const Pose& pose, double limit = std::numeric_limits<double>::infinity(), const DistanceOptions& options = {}) const;
    [[nodiscard]] RayHit cast(const Ray& ray, double limit = std::numeric_limits<double>::infinity()) const;
    // The first body that a moving shape touches; the others stand.
    struct SweptBody {
        Index body = no_index;
        Sweep sweep{};
    };
    [[nodiscard]] SweptBody sweep(const Shape& shape, const Motion& motion, const MotionOptions& options = {}) const;
    // Would body `id` touch any other at each of these poses? In parallel, out[k] answers poses[k]: disjoint only where proven.
    [[nodiscard]] std::vector<Verdict> try_poses(Index id, std::span<const Pose> poses) const;
    // How far body `id` would be from the nearest other at each pose: the proven bound below (m); 0 where it may touch.
    [[nodiscard]] std::vector<double> clearances(Index id, std::span<const Pose> poses) const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace fathom
