// Scripted flights of a ship past obstacles, for tests, benchmarks and demos. Poses are pure functions of the frame
// number. Nothing is simulated: the ship passes through obstacles.
#pragma once

#include <fathom/simulate/contact/obstacle.h>

#include <span>
#include <vector>

namespace fathom {

struct Flight {
    std::shared_ptr<const TriangleMesh> ship; // nose along +x
    std::vector<KinematicObstacle> obstacles;
    std::size_t frames = 800;
    double frame_seconds = 1.0 / 60;                // duration of a frame (s), for moving obstacles
    Vec3 start = Vec3::Zero(), end = Vec3::UnitX(); // ends of the centre line of the flight (m)
    Vec3 weave = Vec3::Zero();                      // amplitude of the oscillation about the centre line (m)
    Vec3 weaves = Vec3::Zero();                     // number of oscillations over the flight
    double roll = 0;                                // amplitude of the roll angle (rad)

    // The nose points along the direction of flight. Frames after the last have the pose of the last.
    [[nodiscard]] Pose ship_pose(std::size_t frame) const;
    [[nodiscard]] Pose obstacle_pose(std::size_t obstacle, std::size_t frame) const;
    [[nodiscard]] std::size_t obstacle_triangles() const; // total of all obstacles

private:
    [[nodiscard]] Vec3 place(double share) const;
};

// Flight through a tunnel (length 40 m, radius 2 m) with obstacles: a ship of about 9,700 triangles, surroundings of
// about 70,000, 800 frames, about two thirds of which collide (Fabrizio: 9,716, 69,842, 515 of 800).
[[nodiscard]] Flight make_tunnel_flight();

// Flight over hills of 320,000 triangles, past towers and through a rotating wheel: a ship of about 16,800 triangles,
// 600 frames (Fabrizio: "more than 315,000", 16,792, "around 600"). The fireworks of that experiment are the scene
// `fireworks`.
[[nodiscard]] Flight make_valley_flight();

} // namespace fathom
