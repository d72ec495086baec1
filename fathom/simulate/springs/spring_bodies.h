// What worlds of bodies made of springs have in common: how a body starts, is named in errors, and
// looks in a frame.
#pragma once

#include <fathom/base/error.h>
#include <fathom/simulate/record/recording.h>
#include <fathom/simulate/springs/spring_world.h>

namespace fathom {

// The same error, told of a body.
[[nodiscard]] Error named(const Error& error, const std::string& body);

// Holds all points, or the vertices that are listed. Error{index_out_of_range} names the first that is not there.
void fix_points(SpringNetwork& network, bool all, std::span<const Index> vertices);

// Of all points, held ones too; the origin where nothing weighs.
[[nodiscard]] Vec3 center_of_mass(const SpringNetwork& network);

// Of each point: that of the body and its spin (rad/s) about the centre of mass; 0 for points that are held.
[[nodiscard]] std::vector<Vec3> rigid_velocities(const SpringNetwork& network, const Vec3& velocity, const Vec3& spin);

// Of the points that are listed, in their order.
[[nodiscard]] SpringState state_at(const SpringWorld& springs, std::span<const Index> points);

// Calls set(k, length) for the rest lengths of the springs that are listed, where they creep.
void take_rest_lengths(const SpringWorld& springs, std::span<const Index> listed,
                       const std::function<void(Index, double)>& set);

// Pose in the centre of mass, and mean velocity, of the points of a body. Without vertices.
[[nodiscard]] BodyFrame mass_frame(const SpringWorld& springs, std::span<const Index> points);

} // namespace fathom
