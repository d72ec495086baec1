// Flights of the scenes (scenes/flight_*.toml): the first body is the ship, the others are obstacles.
#pragma once

#include <fathom/simulate/scene/scene.h>

#include <string>
#include <vector>

namespace fathom::bench {

struct Flight {
    std::size_t frames = 0;
    double step = 0; // s
    std::vector<Body> bodies;

    explicit Flight(const std::string& name) {
        const Scene scene = read_scene(std::filesystem::path(FATHOM_SOURCE_DIR) / "scenes" / (name + ".toml"));
        const ScriptedWorld world = make_moved_world(scene);
        frames = scene.step_count() + 1;
        step = world.step_size();
        bodies.assign(world.bodies().begin(), world.bodies().end());
    }
    [[nodiscard]] const TriangleMesh& mesh(std::size_t body) const { return bodies[body].shape->mesh(); }
    [[nodiscard]] const TriangleMesh& ship() const { return mesh(0); }
    [[nodiscard]] Pose pose(std::size_t body, std::size_t frame) const {
        return bodies[body].pose_at(step * static_cast<double>(frame));
    }
    [[nodiscard]] Pose ship_pose(std::size_t frame) const { return pose(0, frame); }
    [[nodiscard]] std::size_t obstacle_triangles() const {
        std::size_t count = 0;
        for (std::size_t b = 1; b < bodies.size(); ++b) count += mesh(b).triangles.size();
        return count;
    }
};

} // namespace fathom::bench
