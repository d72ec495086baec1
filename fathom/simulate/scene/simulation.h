// A running scene: world and recording together.
#pragma once

#include <fathom/base/progress.h>
#include <fathom/simulate/record/recording.h>

#include <filesystem>
#include <memory>

namespace fathom {

struct Scene;
class SimulationWorld;

class Simulation {
public:
    // Builds the bodies. Throws Error as make_world() does.
    explicit Simulation(Scene scene, Progress* progress = nullptr);
    // Reads a scene file (docs/scenes.md) and builds the bodies. Throws Error as read_scene() and make_world() do.
    explicit Simulation(const std::filesystem::path& scene_file, Progress* progress = nullptr);
    ~Simulation();
    Simulation(Simulation&&) noexcept;
    Simulation& operator=(Simulation&&) noexcept;

    void step(); // also records; throws Error if an energy guard stops it
    void run(Progress* progress =
                 nullptr); // to the end of the scene's duration; Error{cancelled} keeps the steps done so far
    [[nodiscard]] bool finished() const;

    [[nodiscard]] const Scene& scene() const { return *scene_; }
    [[nodiscard]] const SimulatedWorld& world() const;
    [[nodiscard]] const SimulationWorld& systems() const { return *world_; } // the same, with the systems of its bodies
    [[nodiscard]] const Recording& recording() const { return recording_; }

private:
    std::unique_ptr<const Scene> scene_;
    std::unique_ptr<SimulationWorld> world_;
    Recording recording_;
};

} // namespace fathom
