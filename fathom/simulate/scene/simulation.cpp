// Steps a scene to its end.
#include <fathom/simulate/scene/simulation.h>

#include <fathom/simulate/scene/scene.h>

namespace fathom {

Simulation::Simulation(Scene scene, Progress* progress)
    : scene_(std::make_unique<const Scene>(std::move(scene))),
      world_(std::make_unique<SimulationWorld>(make_world(*scene_, progress))), recording_(scene_->recording) {
    world_->record(recording_);
}

Simulation::Simulation(const std::filesystem::path& scene_file, Progress* progress)
    : Simulation(read_scene(scene_file), progress) {}

Simulation::~Simulation() = default;
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;

const SimulatedWorld& Simulation::world() const { return *world_; }
bool Simulation::finished() const { return world_->steps() >= scene_->step_count(); }

void Simulation::step() {
    world_->step();
    world_->record(recording_);
}

void Simulation::run(Progress* progress) {
    const std::size_t all = scene_->step_count();
    Stage stage(progress, "simulating", all - std::min(all, world_->steps()));
    while (!finished()) {
        step();
        stage.step();
    }
}

} // namespace fathom
