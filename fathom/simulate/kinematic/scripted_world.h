// Kinematic bodies on scripted paths. Each step runs collision queries; there is no response, and bodies pass through
// each other. For the experiments of papers without simulation (Liu et al. 2024: two passing fields; Fabrizio: a
// flight; Xu & Barbic 2014, tables 2 and 3). Every step queries each pair of bodies of which at least one moves, by one
// method, at the end of the step (`sweep`: over the step). The status "disjoint" is as reliable as the method: it is
// proven for `fields`, `meshes` and `sweep`; `descent` returns undecided if it finds no contact. O(pairs) queries per
// step. Not thread-safe; parallel inside if the methods are, with the same bits for any number of threads.
#pragma once

#include <fathom/base/pose.h>
#include <fathom/detect/result/result.h>
#include <fathom/simulate/contact/obstacle.h>
#include <fathom/simulate/record/simulated_world.h>
#include <fathom/simulate/rigid/rigid_body.h>

#include <optional>
#include <vector>

namespace fathom {

struct MotionKey {
    double time = 0; // s
    Pose pose{};
};

// Key frames with linear interpolation of the translation and spherical interpolation of the rotation.
struct MotionPath {
    std::vector<MotionKey> keys; // times increase

    // Pose at a time (s). Before the first key it is that of the first, after the last key that of the last; the
    // identity without keys. O(log keys).
    [[nodiscard]] Pose at(double time) const;
};

// Error{invalid_argument} if the times do not increase, Error{non_finite}.
void check(const MotionPath& path);

enum class ScriptedMethod {
    fields,     // field_field.h
    descent,    // dual_gradient.h: the complete method of Liu et al. 2024
    mesh_field, // mesh_contacts.h, in both directions
    meshes,     // surface_contacts.h
    depth_maps, // depth_collide.h: the first bodies against all others
    sweep       // shell_sweep.h: points of each body in the field of the other
};

struct ScriptedOptions {
    ScriptedMethod method = ScriptedMethod::fields;
    std::size_t max_contacts = 64; // per pair
    int parts = 0;                 // descent: boxes of each body; 0: chosen automatically
    double descent_step = 0;       // descent: step length (m); 0: adaptive
    int pixels = 256;              // depth_maps: pixels along the longer side
    std::size_t directions = 1;    // depth_maps: number of projections of an object
    // depth_maps: the first `objects` bodies are tested against the others, each with its own maps, but not against
    // each other, since they are parts of one moving object.
    std::size_t objects = 1;
    bool tree = true; // sweep: use the tree of the points
};

// Each method needs certain members: a field (fields, descent), a field or a mesh (mesh_field), a mesh (meshes,
// depth_maps), a shape (sweep).
struct KinematicBody {
    KinematicObstacle obstacle; // name, mesh (may be null; also for images), and the motion of a body without a path
    FieldPtr field{};
    BodyShapePtr shape{};
    MotionPath path{};

    [[nodiscard]] bool stationary() const { return path.keys.size() < 2 && obstacle.stationary(); }
    [[nodiscard]] Pose at(double time) const { return path.keys.empty() ? obstacle.pose_at(time) : path.at(time); }
};

struct ScriptedPair {
    Index a = no_index, b = no_index;
    Status status = Status::disjoint;
    double depth = 0;                    // largest contact depth (m)
    std::vector<BodyContact> contacts{}; // at most ScriptedOptions::max_contacts
};

class ScriptedWorld final : public SimulatedWorld {
public:
    // Error{empty} without bodies; Error{invalid_argument} for a body that lacks a member that the method needs, and
    // for more objects than bodies; other errors as for the methods.
    ScriptedWorld(std::vector<KinematicBody> bodies, double step, const ScriptedOptions& options = {});
    ~ScriptedWorld() override;
    ScriptedWorld(ScriptedWorld&&) noexcept;

    void step() override;
    [[nodiscard]] std::size_t steps() const override;
    [[nodiscard]] double time() const override;
    [[nodiscard]] Energy energy() const override { return {}; }
    [[nodiscard]] Fingerprint state_hash() const override; // of the poses, and of the results of all steps
    [[nodiscard]] std::vector<RecordedBody> recorded_bodies() const override;
    [[nodiscard]] RecordedStep recorded_step() const override;
    void fill(RecordedFrame& frame, bool with_contacts) const override;

    [[nodiscard]] double step_size() const; // s
    [[nodiscard]] std::span<const KinematicBody> bodies() const;
    [[nodiscard]] const Pose& pose(Index body) const;
    [[nodiscard]] std::span<const ScriptedPair> pairs() const; // results of the last step
    [[nodiscard]] double query_seconds() const;                // wall time of the queries of the last step

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace fathom
