// Flights of a ship past obstacles, as data: poses are pure functions of the frame, so that tests,
// benchmarks and demos see the same. Nothing is simulated: the ship flies on through what it meets.
#pragma once

#include <fathom/simulate/contact/obstacle.h>

#include <span>
#include <vector>

namespace fathom {

struct Flight {
    std::shared_ptr<const TriangleMesh> ship; // nose along +x
    std::vector<KinematicObstacle> obstacles;
    std::size_t frames = 800;
    double frame_seconds = 1.0 / 60;                // for obstacles that move
    Vec3 start = Vec3::Zero(), end = Vec3::UnitX(); // m: of the middle of the way
    Vec3 weave = Vec3::Zero();                      // m: how far to its sides
    Vec3 weaves = Vec3::Zero();                     // how often, in all
    double roll = 0;                                // rad to both sides

    // The ship looks where it flies; of frames beyond the last: as in the last.
    [[nodiscard]] Pose ship_pose(std::size_t frame) const;
    [[nodiscard]] Pose obstacle_pose(std::size_t obstacle, std::size_t frame) const;
    [[nodiscard]] std::size_t obstacle_triangles() const; // of all

private:
    [[nodiscard]] Vec3 place(double share) const;
};

// Through a tunnel (length 40 m, radius 2 m) with obstacles: a ship of about 9,700 triangles, surroundings of about
// 70,000, 800 frames of which some two thirds collide (Fabrizio: 9,716, 69,842, 515 of 800).
[[nodiscard]] Flight make_tunnel_flight();

// Over hills of 320,000 triangles, past towers and through a wheel that turns: a ship of about 16,800 triangles, 600
// frames (Fabrizio: "more than 315,000", 16,792, "around 600"). Fireworks above it are the scene `fireworks`.
[[nodiscard]] Flight make_valley_flight();

} // namespace fathom
