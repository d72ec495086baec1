// What happened: states, energies and contacts of a simulation, for files, plots and pictures. Knows
// what it needs of the bodies, and nothing of the world that made it (simulated_world.h): that fills it. Memory is
// bounded: every n-th step is kept, and where that would still be too many frames, every second one is dropped and n is
// doubled. The worst penetration and the highest energy are of all steps, kept or not.
#pragma once

#include <fathom/base/pose.h>
#include <fathom/detect/result/result.h>
#include <fathom/field/field.h>
#include <fathom/geometry/mesh/triangle_mesh.h>
#include <fathom/simulate/record/simulated_world.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace fathom {

struct RecordingOptions {
    std::size_t every = 1;           // steps; the first and each n-th after it
    std::size_t max_frames = 10'000; // at least 2
    bool contacts = true;            // keep each contact too, not only their number
};

// What does not change of a body.
struct RecordedBody {
    std::string name;
    std::shared_ptr<const TriangleMesh> mesh; // in the body's frame; without vertices for formulas
    FieldPtr formula{};                       // to be drawn where there is no mesh; may be null
    Vec3 center = Vec3::Zero();               // of mass, in the body's frame (m)
    bool fixed = false;
    bool cloud = false; // points without triangles, in each frame another number of them; the mesh is empty
};

struct BodyFrame {
    Pose pose;
    Vec3 velocity = Vec3::Zero(), spin = Vec3::Zero(); // world; of a body that deforms: of all its mass
    bool asleep = false;
    std::vector<Vec3f> vertices{}; // of a body that deforms: where its mesh has them now (m, world); of a cloud: its
                                   // points; else empty
    // Of a body that has broken: the triangles that it has now, over `vertices`, of which there may then be more or
    // fewer; else null.
    std::shared_ptr<const std::vector<Triangle>> triangles{};
    // Of a cloud, for each of `vertices`: m/s and s.
    std::vector<Vec3f> velocities{};
    std::vector<float> ages{};
};

struct RecordedContact {
    Index body = no_index, other = no_index; // the same for a body that touches itself
    Index point = no_index;                  // of the first body: which of its points or vertices
    Vec3 position = Vec3::Zero();            // m, world
    Vec3 normal = Vec3::Zero();              // unit, out of the other body
    double depth = 0;                        // m, >= 0
};

// The answer about two bodies that are asked, touching or not.
struct RecordedPair {
    Index body = no_index, other = no_index;
    Verdict verdict = Verdict::disjoint;
    double depth = 0; // m
};

// What is known of every step.
struct RecordedStep {
    std::size_t step = 0;
    double time = 0; // s
    Energy energy{};
    double deepest = 0; // as the bodies are at the end of this step (m)
    std::size_t contact_count = 0;
    double detect_seconds = 0, respond_seconds = 0; // wall time of this step
};

struct RecordedFrame : RecordedStep {
    std::vector<BodyFrame> bodies{};
    std::vector<RecordedContact> contacts{};
    std::vector<RecordedPair> pairs{}; // of worlds that are asked instead of simulated (moved_world.h)

    // Of a body's mesh as it is in this frame.
    [[nodiscard]] std::size_t vertex_count(std::size_t body, const TriangleMesh& mesh) const {
        return bodies[body].vertices.empty() ? mesh.vertices.size() : bodies[body].vertices.size();
    }
    [[nodiscard]] std::span<const Triangle> triangles(std::size_t body, const TriangleMesh& mesh) const {
        return bodies[body].triangles ? *bodies[body].triangles : mesh.triangles;
    }
    // Where vertex k of the body's mesh is (m, world).
    [[nodiscard]] Vec3 vertex(std::size_t body, const TriangleMesh& mesh, std::size_t k) const {
        const BodyFrame& b = bodies[body];
        return b.vertices.empty() ? b.pose * mesh.vertices[k] : Vec3(b.vertices[k].cast<double>());
    }
};

class Recording {
public:
    // Error{invalid_argument} names an option that is 0.
    explicit Recording(const RecordingOptions& options = {});

    // Once before the first step, and after each. The frame that is to be filled with bodies and contacts, or null
    // where this step is not kept; valid until the next call.
    [[nodiscard]] RecordedFrame* add(const RecordedStep& step);
    void set_bodies(std::vector<RecordedBody> bodies) { bodies_ = std::move(bodies); }

    [[nodiscard]] const RecordingOptions& options() const { return options_; }
    [[nodiscard]] std::span<const RecordedBody> bodies() const { return bodies_; }
    [[nodiscard]] std::span<const RecordedFrame> frames() const { return frames_; }
    [[nodiscard]] std::size_t every() const { return every_; }                    // as it is now
    [[nodiscard]] double worst_penetration() const { return worst_penetration_; } // m
    [[nodiscard]] double highest_energy() const { return highest_energy_; }       // of all bodies in sum (J)
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

// How far a recording reaches, and what its formulas (the ground) look like there: for files and
// pictures, which have an end.

// Of all bodies but formulas over the whole time (m, world), in a few hundred frames; of clouds three standard
// deviations about their middle. Places that are not finite do not count. Never empty: a cube of two metres where
// nothing is known.
[[nodiscard]] Box stage_of(const Recording& recording);

// The body's own mesh or, of a formula, its surface within the stage, in the body's frame where it is at first.
[[nodiscard]] TriangleMesh mesh_on_stage(const Recording& recording, std::size_t body, const Box& stage);

// Every pose and vertex of it is a number.
[[nodiscard]] bool all_finite(const RecordedFrame& frame);

} // namespace fathom
