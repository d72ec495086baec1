// Deforming objects that drift, touch and bounce off each other: springs move them (spring_world.h),
// their own trees find what touches (deforming_scene.h), and penalties by depth answer (weighted_contact.h), all over
// again each step. Method: Madera et al. 2006, with the contact determination and the response that the paper leaves
// open. What pushes:
// - a vertex inside a closed body, by its depth there, along the outward normal at the nearest point;
// - triangles that cross with no corner inside (edge through edge, open sheets), by the way out of the two;
// - where `thickness` is not 0 and nothing of two surfaces crosses: features nearer than that, by what lacks;
// - a vertex inside an obstacle, which is a field and never moves.
// A contact pushes by the way it was pressed, never by a depth that it was found at (contact_memory.h): no energy comes
// from nowhere. Penalties give way: fast thin sheets can pass each other in one step (surface_sweep.h sees it, a
// smaller step prevents it). O(points + springs + contacts) a step. Not thread-safe; parallel inside, the same bits for
// any number of threads.
#pragma once

#include <fathom/detect/deformable/deforming_scene.h>
#include <fathom/simulate/contact/obstacle.h>
#include <fathom/simulate/record/simulated_world.h>
#include <fathom/simulate/springs/spring_world.h>

#include <memory>
#include <optional>

namespace fathom {

struct DeformingBody {
    std::string name{};
    TriangleMesh mesh; // as it starts and rests (m, world)
    SurfaceMaterial material{};
    Vec3 velocity = Vec3::Zero(); // m/s
    Vec3 spin = Vec3::Zero();     // rad/s, about the centre of mass
    bool fixed = false;           // all of its points stay where they are
    std::vector<Index> fixed_vertices{};
};

struct DeformingOptions {
    SpringOptions springs{};
    bool respond = true;                  // false: contacts are found and told, and nothing answers
    bool self = false;                    // bodies may touch themselves
    double thickness = 0;                 // m
    double recovery_time = 0.5;           // s, of contacts that were found deep all at once (contact_memory.h)
    std::optional<RandomMotion> motion{}; // added to the velocities at the start
    BroadPhaseOptions broad{};
};

// A place where two bodies push each other.
struct DeformingContact {
    Index body = no_index, other = no_index; // obstacles are numbered after the bodies
    Index vertex = no_index;                 // of the first body, where the contact is one vertex's
    Vec3 position = Vec3::Zero();            // m, world
    Vec3 normal = Vec3::Zero();              // unit, from the other to the first
    double depth = 0;                        // m
};

class DeformingWorld final : public SimulatedWorld {
public:
    // Error as SpringWorld, DeformingScene and the meshes throw, with the name of the body. Error{empty} without
    // bodies.
    explicit DeformingWorld(std::vector<DeformingBody> bodies, std::vector<StaticObstacle> obstacles = {},
                            const DeformingOptions& options = {});
    ~DeformingWorld() override;
    DeformingWorld(DeformingWorld&&) noexcept;

    void step() override; // as SpringWorld::step()
    [[nodiscard]] std::size_t steps() const override { return springs().steps(); }
    [[nodiscard]] double time() const override { return springs().time(); }
    [[nodiscard]] Energy energy() const override;
    [[nodiscard]] Fingerprint state_hash() const override;
    [[nodiscard]] std::vector<RecordedBody> recorded_bodies() const override;
    [[nodiscard]] RecordedStep recorded_step() const override;
    void fill(RecordedFrame& frame, bool contacts) const override;

    void set_motion(
        MotionHook hook); // see SpringMotion; points of all bodies in a row, those of a body from first_point() on

    [[nodiscard]] std::span<const DeformingBody> bodies() const;
    [[nodiscard]] std::span<const StaticObstacle> obstacles() const;
    [[nodiscard]] Index first_point(Index body) const;
    [[nodiscard]] std::span<const Vec3> vertices(Index body) const; // as they are (m, world)
    [[nodiscard]] const SpringWorld& springs() const;
    [[nodiscard]] double detect_seconds() const;                      // wall time of finding contacts in the last step
    [[nodiscard]] const DeformingScene& detection() const;            // what the last step found
    [[nodiscard]] std::span<const DeformingContact> contacts() const; // of the bodies as they are

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace fathom
