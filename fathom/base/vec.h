// Vectors, matrices and quaternions: Eigen's types in double.
// Lengths in metres, angles in radians. Quat is unaligned so that its layout does not depend on the CPU flags of the
// user.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <array>
#include <cstdint>
#include <limits>

namespace fathom {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

using Vec2 = Eigen::Vector2d;
using Vec3 = Eigen::Vector3d;
using Vec3f = Eigen::Vector3f;
using Mat3 = Eigen::Matrix3d;
using Quat = Eigen::Quaternion<double, Eigen::DontAlign>;

using Index = std::uint32_t; // index of a vertex, triangle, tetrahedron or box
inline constexpr Index no_index = ~Index{0};
using IdPair = std::array<Index, 2>; // two ids or indices, normally the lower one first

[[nodiscard]] inline bool is_finite(const Vec3& v) { return v.allFinite(); }

// A unit vector perpendicular to the unit vector n; the same one for the same n.
[[nodiscard]] inline Vec3 any_perpendicular(const Vec3& n) {
    int smallest = 0;
    n.cwiseAbs().minCoeff(&smallest);
    return n.cross(Vec3::Unit(smallest)).normalized();
}

} // namespace fathom
