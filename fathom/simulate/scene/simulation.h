// A running scene: world and recording together.
#pragma once

#include <fathom/simulate/scene/scene.h>

#include <memory>

namespace fathom {

class Simulation {
public:
    // Builds the bodies. Throws Error as make_world() does.
    explicit Simulation(Scene scene, Progress* progress = nullptr);

    void step(); // also records; throws Error if the energy guard of RigidWorld::step() stops it
    void run(Progress* progress =
                 nullptr); // to the end of the scene's duration; Error{cancelled} keeps the steps done so far
    [[nodiscard]] bool finished() const { return world_->steps() >= scene_.step_count(); }

    [[nodiscard]] const Scene& scene() const { return scene_; }
    [[nodiscard]] const SimulatedWorld& world() const { return *world_; }
    [[nodiscard]] const Recording& recording() const { return recording_; }

private:
    Scene scene_;
    std::unique_ptr<SimulatedWorld> world_;
    Recording recording_;
};

// Writes all results of a run to a folder: frames.pvd for ParaView, animation.glb for Blender and browsers, energy.csv,
// states.csv, contacts.csv, summary.json; for a scene with particles also points.csv with the final state.
void write_results(const Simulation& simulation, const std::filesystem::path& folder, Progress* progress = nullptr);

} // namespace fathom
