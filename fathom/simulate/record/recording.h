// Recording of a simulation: states, energies and contacts, for files, plots and images. It stores the necessary data
// of the bodies and does not depend on the kind of world that fills it. Memory is bounded: every
// n-th step is kept; if the number of frames reaches its limit, every second frame is dropped and n is doubled. The
// worst penetration and the highest energy are those of all steps, whether kept or not.
#pragma once

#include <fathom/base/hash.h>
#include <fathom/base/pose.h>
#include <fathom/base/vec.h>
#include <fathom/detect/result/result.h>
#include <fathom/field/field.h>
#include <fathom/geometry/mesh/triangle_mesh.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace fathom {

// ---- Interface of all simulated worlds: stepping, energy, state hash and recording.

// Energy of a world (J). Without damping and friction the total is conserved up to the error of the time step.
struct Energy {
    double kinetic = 0;
    double potential = 0; // of gravity, 0 at the origin
    double stored = 0;    // in the contact springs at the end of the step

    [[nodiscard]] double total() const { return kinetic + potential + stored; }
};

class Recording;
struct RecordedBody;
struct RecordedFrame;
struct RecordedStep;

class SimulatedWorld {
public:
    virtual ~SimulatedWorld() = default;

    virtual void step() = 0; // throws Error if the simulation has diverged
    [[nodiscard]] virtual std::size_t steps() const = 0;
    [[nodiscard]] virtual double time() const = 0; // s
    [[nodiscard]] virtual Energy energy() const = 0;
    [[nodiscard]] virtual Fingerprint state_hash() const = 0; // of every number that the next step depends on

    // Adds the present state to a recording. To be called after each step, and once before the first.
    void record(Recording& recording) const;
    // The data of a recording. fill() adds all bodies to the frame, in order, and the contacts if `with_contacts` is
    // true.
    [[nodiscard]] virtual std::vector<RecordedBody> recorded_bodies() const = 0;
    [[nodiscard]] virtual RecordedStep recorded_step() const = 0;
    virtual void fill(RecordedFrame& frame, bool with_contacts) const = 0;

protected:
    SimulatedWorld() = default;
    SimulatedWorld(SimulatedWorld&&) = default;
    SimulatedWorld& operator=(SimulatedWorld&&) = default;
};

// ---- Contact of two bodies: the one record that all worlds, recordings, tables and the viewer use.

struct BodyContact {
    Index a = no_index, b = no_index; // numbers of the bodies; equal for a self-contact
    // Vertex, shell point, edge or triangle of each body, as the function that lists the contacts says; no_index:
    // unknown.
    Index feature_a = no_index, feature_b = no_index;
    Vec3 position = Vec3::Zero(); // m, world
    Vec3 normal = Vec3::Zero();   // unit, from a to b (world); zero if it is unknown
    double depth = 0;             // penetration depth (m), >= 0
};

struct RecordingOptions {
    std::size_t every = 1;           // interval in steps; the first frame is the initial state
    std::size_t max_frames = 10'000; // at least 2
    bool contacts = true;            // keep the contacts, not only their number
};

// Constant data of a body.
struct RecordedBody {
    std::string name;
    std::shared_ptr<const TriangleMesh> mesh; // in the body's frame; empty for analytic bodies
    FieldPtr field{};                         // field to draw if there is no mesh; may be null
    Vec3 center = Vec3::Zero();               // centre of mass in the body's frame (m)
    bool fixed = false;
    bool cloud = false; // points without triangles, whose number may change in each frame; the mesh is empty
};

struct BodyFrame {
    Pose pose;
    // Linear and angular velocity (m/s, rad/s, world); of a deformable body: of its whole mass.
    Vec3 velocity = Vec3::Zero(), spin = Vec3::Zero();
    bool asleep = false;
    // Present vertices of a deformable body (m, world), or the points of a cloud; otherwise empty.
    std::vector<Vec3f> vertices{};
    // Present triangles of a body that has broken, over `vertices`, whose number may differ from that of the mesh;
    // otherwise null.
    std::shared_ptr<const std::vector<Triangle>> triangles{};
    std::vector<Vec3f> velocities{}; // of the points of a cloud (m/s)
    std::vector<float> ages{};       // of the points of a cloud (s)
};

// Result of a collision query of two bodies, in contact or not.
struct RecordedPair {
    Index a = no_index, b = no_index;
    Status status = Status::disjoint;
    double depth = 0; // m
};

// Data of every step.
struct RecordedStep {
    std::size_t step = 0;
    double time = 0; // s
    Energy energy{};
    double deepest = 0; // largest penetration depth at the end of this step (m)
    std::size_t contact_count = 0;
    double detect_seconds = 0, respond_seconds = 0; // wall time of this step
};

struct RecordedFrame : RecordedStep {
    std::vector<BodyFrame> bodies{};
    std::vector<BodyContact> contacts{};
    std::vector<RecordedPair> pairs{}; // of worlds with queries instead of simulation (scripted_world.h)

    // Vertices and triangles of a body in this frame. `mesh` is the mesh of the body.
    [[nodiscard]] std::size_t vertex_count(std::size_t body, const TriangleMesh& mesh) const {
        return bodies[body].vertices.empty() ? mesh.vertices.size() : bodies[body].vertices.size();
    }
    [[nodiscard]] std::span<const Triangle> triangles(std::size_t body, const TriangleMesh& mesh) const {
        return bodies[body].triangles ? *bodies[body].triangles : mesh.triangles;
    }
    // Position of vertex k of the body's mesh (m, world).
    [[nodiscard]] Vec3 vertex(std::size_t body, const TriangleMesh& mesh, std::size_t k) const {
        const BodyFrame& b = bodies[body];
        return b.vertices.empty() ? b.pose * mesh.vertices[k] : Vec3(b.vertices[k].cast<double>());
    }
};

class Recording {
public:
    // Error{invalid_argument} names an option that is 0.
    explicit Recording(const RecordingOptions& options = {});

    // To be called once before the first step, and after each step. Returns the frame to be filled with bodies and
    // contacts, or null if this step is not kept. The pointer is valid until the next call.
    [[nodiscard]] RecordedFrame* add(const RecordedStep& step);
    void set_bodies(std::vector<RecordedBody> bodies) { bodies_ = std::move(bodies); }

    [[nodiscard]] const RecordingOptions& options() const { return options_; }
    [[nodiscard]] std::span<const RecordedBody> bodies() const { return bodies_; }
    [[nodiscard]] std::span<const RecordedFrame> frames() const { return frames_; }
    [[nodiscard]] std::size_t every() const { return every_; }                    // present interval in steps
    [[nodiscard]] double worst_penetration() const { return worst_penetration_; } // m
    [[nodiscard]] double highest_energy() const { return highest_energy_; }       // highest total energy (J)
    [[nodiscard]] double detect_seconds() const { return detect_seconds_; }       // of all steps
    [[nodiscard]] double respond_seconds() const { return respond_seconds_; }

private:
    void thin_out();

    RecordingOptions options_;
    std::size_t every_;
    bool begun_ = false;
    double worst_penetration_ = 0, highest_energy_ = 0, detect_seconds_ = 0, respond_seconds_ = 0;
    std::vector<RecordedBody> bodies_;
    std::vector<RecordedFrame> frames_;
};

// ---- Extent of a recording, and meshes of analytic bodies (the ground) within it, for files and images.

// Bounds of all bodies except analytic ones over the whole time (m, world), sampled in up to a few hundred frames. A
// cloud counts with three standard deviations about its mean. Positions that are not finite are ignored. Never empty: a
// cube of two metres if nothing is known.
[[nodiscard]] Box stage_of(const Recording& recording);

// The body's own mesh or, for an analytic body, its surface within the stage at its first pose; in the body's frame.
[[nodiscard]] TriangleMesh mesh_on_stage(const Recording& recording, std::size_t body, const Box& stage);

// True if every pose and vertex is finite.
[[nodiscard]] bool all_finite(const RecordedFrame& frame);

} // namespace fathom
