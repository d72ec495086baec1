// Steps a scene to its end and writes the results.
#include <fathom/simulate/scene/simulation.h>

#include <fathom/base/error.h>
#include <fathom/simulate/record/recording_files.h>
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

void write_results(const Simulation& simulation, const std::filesystem::path& folder, Progress* progress) {
    std::error_code failed;
    std::filesystem::create_directories(folder, failed);
    if (failed) throw Error(Cause::cannot_write, failed.message(), {.file = folder.string()});
    const Recording& recording = simulation.recording();
    write_energy_csv(folder / "energy.csv", recording);
    write_states_csv(folder / "states.csv", recording);
    write_contacts_csv(folder / "contacts.csv", recording);
    Recording end;
    simulation.world().record(end);
    write_summary_json(folder / "summary.json", recording, end.frames().back(), simulation.world().state_hash());
    if (simulation.scene().particles) write_points_csv(folder / "points.csv", end.frames().back());
    write_vtk(folder / "frames.pvd", recording, progress);
    write_glb(folder / "animation.glb", recording);
}

} // namespace fathom
