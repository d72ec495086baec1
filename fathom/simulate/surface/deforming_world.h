// Simulation of deforming objects that move, touch and bounce off each other: mass-spring systems move them
// (spring_world.h), surface_pairs.h finds the contacts, and penalty forces by depth are the response
// (weighted_contact.h), in every step. Method: Madera et al. 2006, with the contact determination and the response that
// the paper leaves open. Forces act on
// - a vertex inside a closed body, by its depth there, along the outward normal at the closest point;
// - crossing triangles without a corner inside (edge through edge, open sheets), along the separating direction of the
// two;
// - where `thickness` is not 0 and two surfaces do not cross: features closer than that, by the missing distance;
// - a vertex inside an obstacle, which is a field and never moves.
// The penalty acts on the compression accumulated since first contact, never on the depth at which a contact was found
// (contact_cache.h), so that no energy is created. Penalties are compliant: fast thin sheets can pass through each
// other in one step (surface_sweep() detects it, a smaller step prevents it). O(points + springs + contacts) per step.
// Not thread-safe; parallel inside, the same bits for any number of threads.
#pragma once

#include <fathom/detect/world/surface_pairs.h>
#include <fathom/simulate/contact/body.h>
#include <fathom/simulate/springs/spring_world.h>

#include <memory>
#include <optional>

namespace fathom {

struct DeformingBody {
    std::string name{};
    TriangleMesh mesh; // initial shape and rest shape (m, world)
    SurfaceMaterial material{};
    Vec3 velocity = Vec3::Zero(); // m/s
    Vec3 spin = Vec3::Zero();     // rad/s, about the centre of mass
    bool fixed = false;           // none of its points move
    std::vector<Index> fixed_vertices{};
};

struct DeformingOptions {
    SpringOptions springs{};
    bool respond = true;                  // false: contacts are found and reported, without a response
    bool self = false;                    // bodies may touch themselves
    double thickness = 0;                 // m
    double recovery_time = 0.5;           // s, for contacts that are first found deep (contact_cache.h)
    std::optional<RandomMotion> motion{}; // added to the initial velocities
    BroadPhaseOptions broad{};
};

class DeformingWorld final : public SimulatedWorld {
public:
    // Throws Error as SpringWorld, SurfacePairs and the meshes do, with the name of the body; Error{empty} without
    // bodies.
    explicit DeformingWorld(std::vector<DeformingBody> bodies, std::vector<Body> obstacles = {},
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
    void fill(RecordedFrame& frame, bool with_contacts) const override;

    // See SpringMotion. Points of all bodies are in one array, those of a body from first_point() on.
    void set_motion(MotionHook hook);

    [[nodiscard]] std::span<const DeformingBody> bodies() const;
    [[nodiscard]] std::span<const Body> obstacles() const;
    [[nodiscard]] Index first_point(Index body) const;
    [[nodiscard]] std::span<const Vec3> vertices(Index body) const; // current positions (m, world)
    [[nodiscard]] const SpringWorld& springs() const;
    [[nodiscard]] double detect_seconds() const;                     // wall time of contact detection in the last step
    [[nodiscard]] const deformable::SurfacePairs& detection() const; // results of the last step
    // Contacts of the bodies at their current positions; obstacles are numbered after the bodies. Features: a vertex of
    // a and a triangle of b; unknown for crossing triangles, two edges, and the side of an obstacle.
    [[nodiscard]] std::span<const BodyContact> contacts() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace fathom
