// Bodies of every kind in one world: rigid ones, solids of tetrahedra and membranes, surfaces of springs,
// and particles round them all. Each kind moves as it does alone (rigid_world.h, tet_world.h, deforming_world.h,
// particles.h); between kinds contacts push both sides alike (coupling.h), so momentum is kept to rounding. Particles
// see all bodies, where and as fast as they are at the end of the step, and push none. A step: pushes found before act,
// all worlds step, pushes are found anew, particles step, the guard looks. Limits: those of the kinds and of
// coupling.h; bodies of one kind must all take the same step. Formulas that never move are handed to each world as an
// obstacle of its own and recorded once. Particles do not see them, nor the ground: they meet meshes.
// Not thread-safe; parallel inside, the same bits for any number of threads.
#pragma once

#include <fathom/simulate/particles/particles.h>
#include <fathom/simulate/world/coupling.h>

#include <optional>

namespace fathom {

struct MixedParticles {
    std::vector<ParticleEmitter> emitters;
    std::vector<KinematicObstacle> obstacles{}; // that only particles meet
    ParticleOptions options{};
    std::shared_ptr<DepthBackend> backend{}; // null: the CPU's
};

// What it is made of: any but not none. Motion hooks of the worlds are taken.
struct MixedParts {
    std::optional<RigidWorld> rigid{};
    std::optional<TetWorld> solids{};
    std::optional<DeformingWorld> surfaces{};
    std::optional<MixedParticles> particles{};
};

struct MixedOptions {
    CouplingOptions coupling{};
    double energy_limit = 10; // the guard: see MixedWorld::step()
};

class MixedWorld final : public SimulatedWorld {
public:
    // Error{empty} without any world, {invalid_argument} where steps differ or an option is out of range; else as
    // ParticleWorld.
    explicit MixedWorld(MixedParts parts, const MixedOptions& options = {});
    ~MixedWorld() override;
    MixedWorld(MixedWorld&&) noexcept;

    // Error as the worlds throw; Error{too_large} where the energy of all but the particles has grown by more than
    // energy_limit times what there was at the start: motion, springs, and the height of each body's own size; what
    // push() gives apart.
    void step() override;

    // A force and torque on a rigid body in every step from now on, in place of the one before.
    // Error{index_out_of_range}, {non_finite}.
    void push(Index rigid_body, const Wrench& wrench);

    [[nodiscard]] std::size_t steps() const override;
    [[nodiscard]] double time() const override;
    [[nodiscard]] Energy energy() const override; // of all; stored: also between the kinds
    [[nodiscard]] Vec3 momentum() const;          // of all but the particles (kg m/s)
    [[nodiscard]] Fingerprint state_hash() const override;
    // Rigid bodies, solids, membranes, surfaces, obstacles that are not among the rigid bodies, those of particles
    // alone, and last the particles.
    [[nodiscard]] std::vector<RecordedBody> recorded_bodies() const override;
    [[nodiscard]] RecordedStep recorded_step() const override;
    void fill(RecordedFrame& frame, bool contacts) const override;

    // Null where there is none of the kind.
    [[nodiscard]] const RigidWorld* rigid() const;
    [[nodiscard]] const TetWorld* solids() const;
    [[nodiscard]] const DeformingWorld* surfaces() const;
    [[nodiscard]] const ParticleWorld* particles() const;
    [[nodiscard]] const Coupling& coupling() const; // contacts between the kinds, as the bodies are

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace fathom
