// The world of a simulation: systems of bodies of one kind, side by side. A scene of one kind is a world with one
// system. Systems: rigid bodies, tetrahedral solids and membranes, spring surfaces, particles around them, and
// kinematic bodies on scripted paths. Each system moves by itself (rigid_world.h, tet_world.h, deforming_world.h,
// particles.h, scripted_world.h); contacts between the first three push both sides equally (coupling.h), so that
// momentum is conserved to rounding. Particles collide with all bodies of these, at their positions and velocities at
// the end of the step, and push none. Kinematic bodies push nothing and are not pushed. A step: the forces found before
// act, all systems step, the forces are computed again, particles step, the energy guard is checked. Limits: those of
// the systems and of coupling.h; all systems must use the same step. Static analytic fields are passed to each world as
// an obstacle of its own and are recorded once. Particles do not collide with them, nor with the ground: they collide
// with meshes. Not thread-safe; parallel inside, the same bits for any number of threads.
#pragma once

#include <fathom/simulate/kinematic/scripted_world.h>
#include <fathom/simulate/particles/particles.h>
#include <fathom/simulate/world/coupling.h>

#include <optional>

namespace fathom {

struct ParticleSystem {
    std::vector<ParticleEmitter> emitters;
    std::vector<Body> obstacles{}; // for particles only
    ParticleOptions options{};
    std::shared_ptr<DepthBackend> backend{}; // null: the CPU backend
};

// At least one. If contact between systems is possible, it replaces their motion hooks.
struct SimulationSystems {
    std::optional<RigidWorld> rigid{};
    std::optional<TetWorld> solids{};
    std::optional<DeformingWorld> surfaces{};
    std::optional<ParticleSystem> particles{};
    std::optional<ScriptedWorld> scripted{};
};

struct SimulationOptions {
    CouplingOptions coupling{};
    double energy_limit = 10; // limit of the energy guard: see SimulationWorld::step()
};

class SimulationWorld final : public SimulatedWorld {
public:
    // Throws Error{empty} without any system, {invalid_argument} if the steps differ or an option is out of range; else
    // as ParticleWorld.
    explicit SimulationWorld(SimulationSystems parts, const SimulationOptions& options = {});
    ~SimulationWorld() override;
    SimulationWorld(SimulationWorld&&) noexcept;

    // Throws Error as the systems do. If contact between systems is possible, also Error{too_large} if the energy of
    // everything except the particles has grown by more than energy_limit times the initial energy: motion, springs,
    // and for each body the height of its own size. The work of push() is excluded.
    void step() override;

    // Sets the force and torque on a rigid body for every step from now on; it replaces the previous one. Throws
    // Error{index_out_of_range}, {non_finite}.
    void push(Index rigid_body, const Wrench& wrench);

    [[nodiscard]] std::size_t steps() const override;
    [[nodiscard]] double time() const override;
    [[nodiscard]] Energy energy() const override; // of all; the stored energy includes contacts between the kinds
    [[nodiscard]] Vec3 momentum() const;          // of all except the particles (kg m/s)
    [[nodiscard]] Fingerprint state_hash() const override; // of one system alone: that of the system
    // Rigid bodies, solids, membranes, surfaces, obstacles that are not among the rigid bodies, obstacles of particles
    // only, the particles, and last kinematic bodies.
    [[nodiscard]] std::vector<RecordedBody> recorded_bodies() const override;
    [[nodiscard]] RecordedStep recorded_step() const override;
    void fill(RecordedFrame& frame, bool with_contacts) const override;

    // Null for a kind that is absent.
    [[nodiscard]] const RigidWorld* rigid() const;
    [[nodiscard]] const TetWorld* solids() const;
    [[nodiscard]] const DeformingWorld* surfaces() const;
    [[nodiscard]] const ParticleWorld* particles() const;
    [[nodiscard]] const ScriptedWorld* scripted() const;
    [[nodiscard]] const Coupling& coupling() const; // current contacts between the kinds

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace fathom
