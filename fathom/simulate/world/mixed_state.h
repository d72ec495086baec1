// The inside of a MixedWorld, for mixed_world.cpp and mixed_recording.cpp alone.
#pragma once

#include <fathom/simulate/world/mixed_world.h>
#include <fathom/simulate/world/thickened_sheet.h>

namespace fathom {

// Numbers of one world's bodies among all that are recorded.
struct RecordedRow {
    std::vector<Index> number; // of each of its bodies
    std::vector<char> first;   // whether it is the one that is recorded
};

// What particles see of a body that is an open sheet.
struct ShownBody {
    std::optional<SheetHull> hull{};
    std::shared_ptr<const std::vector<Triangle>> torn{}, torn_hull{}; // null: as it began
};

struct MixedWorld::State {
    std::optional<RigidWorld> rigid;
    std::optional<TetWorld> solids;
    std::optional<DeformingWorld> surfaces;
    std::optional<ParticleWorld> particles;
    MixedOptions options;
    std::optional<Coupling> coupling;
    std::vector<Wrench> pushes;   // from outside, on rigid bodies
    std::vector<ShownBody> shown; // to particles, in their order
    std::size_t seen = 0;         // bodies of the other worlds among the obstacles of the particles
    double step = 0;
    std::size_t steps = 0;
    double coupling_seconds = 0;
    double first_energy = 0, energy_scale = 0, given = 0;

    [[nodiscard]] CoupledWorlds worlds();
    [[nodiscard]] bool matters(Index rigid_body) const {
        return !rigid->bodies()[rigid_body].shape->mesh.vertices.empty();
    }
    void take_step();
    void begin_hooks();
    void begin_particles(MixedParticles&& particles);
    void show_to_particles();
    void show(std::size_t obstacle, std::span<const Vec3> vertices, std::span<const Vec3> velocities,
              const std::shared_ptr<const std::vector<Triangle>>& triangles);
    void count_pushes();
    void begin_guard();
    void guard() const;
    [[nodiscard]] Energy energy_of_bodies() const;

    // The worlds in the order of recording, and where their bodies are recorded.
    [[nodiscard]] std::vector<const SimulatedWorld*> all() const;
    [[nodiscard]] std::vector<RecordedRow> rows() const;
};

} // namespace fathom
