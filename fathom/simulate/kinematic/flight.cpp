// Poses of the flights, and their meshes.
#include <fathom/simulate/kinematic/flight.h>

#include <fathom/geometry/generate/generate.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace fathom {

namespace {

using std::numbers::pi;

std::shared_ptr<const TriangleMesh> shared(TriangleMesh mesh) {
    return std::make_shared<const TriangleMesh>(std::move(mesh));
}

} // namespace

Vec3 Flight::place(double share) const {
    Vec3 p = start + share * (end - start);
    for (int k = 0; k < 3; ++k) p[k] += weave[k] * std::sin(2 * pi * weaves[k] * share + k);
    return p;
}

Pose Flight::ship_pose(std::size_t frame) const {
    const double last = static_cast<double>(std::max<std::size_t>(frames, 2) - 1);
    const double share = std::min(static_cast<double>(frame), last) / last;
    const Vec3 forward = (place(share + 1e-4) - place(share - 1e-4)).normalized();
    const Quat ahead = Quat(Eigen::Quaterniond::FromTwoVectors(Vec3::UnitX(), forward));
    const Quat rolled(Eigen::AngleAxisd(roll * std::sin(4 * pi * share), Vec3::UnitX()));
    return {Quat(ahead * rolled).normalized(), place(share)};
}

Pose Flight::obstacle_pose(std::size_t obstacle, std::size_t frame) const {
    return obstacles.at(obstacle).pose_at(static_cast<double>(frame) * frame_seconds);
}

std::size_t Flight::obstacle_triangles() const {
    std::size_t count = 0;
    for (const KinematicObstacle& o : obstacles) count += o.mesh->triangles.size();
    return count;
}

Flight make_tunnel_flight() {
    Flight flight;
    flight.ship = shared(make_spaceship({.triangles = 9'716, .length = 2.3}));
    flight.obstacles.push_back(
        {.name = "tunnel",
         .mesh = shared(
             make_tunnel({.length = 40, .radius = 2, .wall = 0.2, .obstacles = 20, .segments = 60, .seed = 4}))});
    flight.start = {-18, 0, 0};
    flight.end = {18, 0, 0};
    flight.weave = {0, 0.7, 0.6};
    flight.weaves = {0, 3, 5};
    flight.roll = 0.6;
    return flight;
}

Flight make_valley_flight() {
    Flight flight;
    flight.ship = shared(make_spaceship({.triangles = 16'792, .length = 2}));
    flight.frames = 600;
    flight.obstacles.push_back(
        {.name = "hills", .mesh = shared(make_terrain({.size = 40, .height = 6, .cells = 400, .seed = 3}))});
    const auto tower = shared(make_capsule({.radius = 0.6, .length = 8, .segments = 48}));
    for (int k = 0; k < 6; ++k)
        flight.obstacles.push_back({.name = "tower",
                                    .mesh = tower,
                                    .pose = Pose::from_translation({-15.0 + 6 * k, k % 2 == 0 ? 1.2 : -1.2, 3})});
    const auto wheel = shared(make_torus({.radius = 2, .tube = 0.4, .segments = 160, .tube_segments = 48}));
    flight.obstacles.push_back({.name = "wheel",
                                .mesh = wheel,
                                .pose = Pose::from_axis_angle(pi / 2, Vec3::UnitX(), {0, 0, 4}),
                                .spin = {0, 0, 0.7},
                                .sway = {0, 1.5, 0},
                                .sway_period = 4});
    flight.start = {-18, 0, 4};
    flight.end = {18, 0, 4};
    flight.weave = {0, 2, 1.5};
    flight.weaves = {0, 3, 4};
    flight.roll = 0.8;
    return flight;
}

} // namespace fathom
