// Small networks of springs that the tests share.
#pragma once

#include <fathom/base/random.h>
#include <fathom/simulate/springs/spring_forces.h>

#include <cmath>

namespace fathom::testing {

[[nodiscard]] inline SpringNetwork loose_points(std::vector<Vec3> points, double mass = 1) {
    SpringNetwork network;
    network.masses.assign(points.size(), mass);
    network.fixed.assign(points.size(), 0);
    network.part.assign(points.size(), 0);
    network.points = std::move(points);
    return network;
}

// Two masses on one spring along x, of length 1 at rest.
[[nodiscard]] inline SpringNetwork two_masses(double stiffness = 100, double damping = 0) {
    SpringNetwork network = loose_points({{0, 0, 0}, {1, 0, 0}});
    network.springs.push_back({.points = {0, 1}, .rest = 1, .stiffness = stiffness, .damping = damping});
    return network;
}

// Every point somewhere within `size` of where it was, and as fast.
[[nodiscard]] inline SpringState shaken(const SpringNetwork& network, double size, double speed,
                                        std::uint64_t seed = 1) {
    Random random(seed);
    SpringState state = start_state(network);
    for (Vec3& p : state.positions) p += size * random.in_ball();
    for (Vec3& v : state.velocities) v += speed * random.in_ball();
    return state;
}

} // namespace fathom::testing
