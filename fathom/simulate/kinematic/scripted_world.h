// Bodies that go where they are told, through each other, and are asked what they meet: sequences of
// queries as scenes, for the experiments of papers that simulate nothing (Liu et al. 2024: two fields passing;
// Fabrizio: a flight; Xu & Barbic 2014, tables 2 and 3). Every step asks each pair of bodies of which one moves, by one
// method, at the end of the step (`sweep`: over the step). What a "no" is worth is what the method says of itself:
// proven for `fields`, `meshes` and `sweep`; for `descent` a miss is undecided. O(pairs) queries a step. Not
// thread-safe; parallel inside where the methods are, the same bits for any number of threads.
#pragma once

#include <fathom/base/pose.h>
#include <fathom/detect/result/result.h>
#include <fathom/simulate/contact/obstacle.h>
#include <fathom/simulate/record/simulated_world.h>
#include <fathom/simulate/rigid/rigid_body.h>

#include <optional>
#include <vector>

namespace fathom {

// Where a body is told to be: key frames, even and straight between them, turning the shorter way.

struct MotionKey {
    double time = 0; // s
    Pose pose{};
};

struct MotionPath {
    std::vector<MotionKey> keys; // times increase

    // As in the first key before it, as in the last after it; the origin without keys. O(log keys).
    [[nodiscard]] Pose at(double time) const;
};

// Error{invalid_argument} where times do not increase, {non_finite}.
void check(const MotionPath& path);

enum class ScriptedMethod {
    fields,     // collide.h
    descent,    // dual_gradient.h: the whole way of Liu et al. 2024
    mesh_field, // mesh_contacts.h, both ways
    meshes,     // surface_contacts.h
    depth_maps, // depth_collide.h: the first bodies against all others
    sweep       // shell_sweep.h: points of each in the field of the other
};

struct ScriptedOptions {
    ScriptedMethod method = ScriptedMethod::fields;
    std::size_t max_contacts = 64; // of a pair
    int parts = 0;                 // descent: boxes of each body; 0: as many as pay
    double descent_step = 0;       // descent: m; 0: adaptive
    int pixels = 256;              // depth_maps: along the longer side
    std::size_t directions = 1;    // depth_maps: projections of an object
    std::size_t objects = 1; // depth_maps: so many of the first bodies are asked, each by maps of its own and not about
                             // each other: parts of one that moves
    bool tree = true;        // sweep
};

// What a method needs of each: a field (fields, descent), a field or a mesh (mesh_field), a mesh (meshes, depth_maps),
// a shape (sweep).
struct KinematicBody {
    KinematicObstacle told; // name, mesh (null: none; else also for pictures), and its motion where there is no path
    FieldPtr field{};
    BodyShapePtr shape{};
    MotionPath path{};

    [[nodiscard]] bool still() const { return path.keys.size() < 2 && told.fixed(); }
    [[nodiscard]] Pose at(double time) const { return path.keys.empty() ? told.pose_at(time) : path.at(time); }
};

struct ScriptedContact {
    Vec3 position = Vec3::Zero(); // m, world
    Vec3 normal = Vec3::Zero();   // unit, out of the second body
    double depth = 0;             // m
    Index point = no_index;       // of the first body: a vertex, triangle or point of its shell
};

struct ScriptedPair {
    Index a = no_index, b = no_index;
    Verdict verdict = Verdict::disjoint;
    double depth = 0;                        // of the deepest contact (m)
    std::vector<ScriptedContact> contacts{}; // at most ScriptedOptions::max_contacts
};

class ScriptedWorld final : public SimulatedWorld {
public:
    // Error{empty} without bodies; {invalid_argument} names the body that lacks what the method needs, or more objects
    // than bodies; else as the methods build.
    ScriptedWorld(std::vector<KinematicBody> bodies, double step, const ScriptedOptions& options = {});
    ~ScriptedWorld() override;
    ScriptedWorld(ScriptedWorld&&) noexcept;

    void step() override;
    [[nodiscard]] std::size_t steps() const override;
    [[nodiscard]] double time() const override;
    [[nodiscard]] Energy energy() const override { return {}; }
    [[nodiscard]] Fingerprint state_hash() const override; // poses, and what was answered in all steps
    [[nodiscard]] std::vector<RecordedBody> recorded_bodies() const override;
    [[nodiscard]] RecordedStep recorded_step() const override;
    void fill(RecordedFrame& frame, bool contacts) const override;

    [[nodiscard]] std::span<const KinematicBody> bodies() const;
    [[nodiscard]] const Pose& pose(Index body) const;
    [[nodiscard]] std::span<const ScriptedPair> pairs() const; // as of the last step
    [[nodiscard]] double query_seconds() const;                // wall time of its queries

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace fathom
