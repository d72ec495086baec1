// Functions shared by worlds whose bodies are made of springs: initial states, names in errors, and recorded frames.
#pragma once

#include <fathom/base/error.h>
#include <fathom/simulate/record/recording.h>
#include <fathom/simulate/springs/spring_world.h>

namespace fathom {

// The same error with the name of the body.
[[nodiscard]] Error named(const Error& error, const std::string& body);

// Fixes all points, or the listed vertices. Error{index_out_of_range} names the first vertex that does not exist.
void fix_points(SpringNetwork& network, bool all, std::span<const Index> vertices);

// Centre of mass of all points, including fixed ones (m); the origin if the total mass is 0.
[[nodiscard]] Vec3 center_of_mass(const SpringNetwork& network);

// Velocity of each point (m/s): `velocity` plus the rotation by `spin` (rad/s) about the centre of mass; 0 for fixed
// points.
[[nodiscard]] std::vector<Vec3> rigid_velocities(const SpringNetwork& network, const Vec3& velocity, const Vec3& spin);

// State of the listed points, in their order.
[[nodiscard]] SpringState state_at(const SpringWorld& springs, std::span<const Index> points);

// Calls set(k, length) for the rest length of each listed spring, if springs creep.
void take_rest_lengths(const SpringWorld& springs, std::span<const Index> listed,
                       const std::function<void(Index, double)>& set);

// Pose at the centre of mass, and mean velocity, of the points of a body. Without vertices.
[[nodiscard]] BodyFrame mass_frame(const SpringWorld& springs, std::span<const Index> points);

} // namespace fathom
