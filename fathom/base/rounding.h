// Rounding slack: bounds on the errors of double arithmetic, each with its derivation.
// A proof ("disjoint", "contains", a lower bound) is enlarged by one of these values, so that the rounding of the
// numbers it was computed from cannot make it false. Metres where a length is given. All functions are constexpr.
//
// Let u = 2^-53: a sum, product, quotient or square root of doubles has a relative error of at most u (no overflow, no
// underflow). n roundings one after the other have a relative error of at most (1 + u)^n - 1 < (n + 1) u for n < 2^26.
// Sums of terms with different signs have that error relative to the sum of the terms' magnitudes.
#pragma once

namespace fathom {

inline constexpr double unit_roundoff = 0x1p-53;

// Relative error of fewer than n roundings, for formulas whose operations are counted at the call.
[[nodiscard]] constexpr double rounding_error(int n) { return n * unit_roundoff; }

// Relative slack for formulas of up to a few hundred operations that are not counted one by one: 9007 u. Radii of
// boxes (half sizes, three squares, two sums, a root) need 5 u, bounds by slopes about 20 u, and so do quotients of
// lengths and speeds; the longest chains, such as offsets of planes, stay below 100 u. It covers relative errors only:
// for a difference of coordinates, whose error depends on their magnitude, see position_rounding().
inline constexpr double relative_rounding = 1e-12;

// x >= 0, enlarged or reduced by relative_rounding. Infinity stays.
[[nodiscard]] constexpr double outward(double x) { return x * (1 + relative_rounding); }
[[nodiscard]] constexpr double inward(double x) { return x * (1 - relative_rounding); }

// Bound on the error (m) of a point p that is transformed between the frames of two bodies, by their poses a and b,
// through the world: position_rounding(|p|, |translation of a|, |translation of b|). The sum has a factor of 90 u.
//
// - A normalized quaternion has length 1 + d with |d| <= 4 u: the squared length has an error of 4 u, its root 3 u, the
//   quotient 4 u. Rotating by it as if d were 0 has an error of 4 |d| |p| = 16 u |p|.
// - v + 2 w (s x v) + 2 s x (s x v), the rotation of v by the quaternion (w, s), has an error of 20 u |v|: 2.9 u |v| in
//   the first cross product, which enters twice in both terms, 5.7 u in the second, 2 u in the product with w, and 4 u
//   in the sums. The matrix of the rotation and its product with v have an error of 17 u |v|. With d: 36 u |v|.
// - A pose times p: 37 u |p| + u |translation|.
// - relative(a, b): the product of the quaternions has an error of 8 u and turns vectors by 16 u more; the translation
//   is the difference of two rotated ones, with an error of 37 u (|a| + |b|), however near the bodies are. A point
//   transformed by it: 53 u |p| + 38 u (|a| + |b|).
// - The inverse of that pose, to go back: 36 u (|a| + |b|) more, together 53 u |p| + 74 u (|a| + |b|).
//
// The rest, 16 u, is for the difference from another point and its length. A point on a segment, start + t (end -
// start), has an error of 3 u in each coordinate, relative to the sum of the ends' largest coordinates, 6 u in all.
// Points on screws have sines and cosines (u each) and two rotations: below 74 u as well. The magnitudes may be largest
// coordinates instead of lengths where one rotation or none is involved (36 u * sqrt(3) < 90 u).
template <class... Magnitudes>
[[nodiscard]] constexpr double position_rounding(Magnitudes... magnitudes) {
    return 1e-14 * (... + magnitudes); // from left to right
}

// A quaternion counts as unit, and is used as it is, if its length differs from 1 by at most this.
inline constexpr double unit_tolerance = 1e-12;

// Bound on the error (m) of points of a body, at most `extent` from the origin of its frame, where rotations are unit
// only up to unit_tolerance: they move the points by 4 unit_tolerance * extent, and position_rounding() is added. The
// factor 10 also covers two such rotations. `distances` are the magnitudes of the translations.
template <class... Distances>
[[nodiscard]] constexpr double pose_rounding(double extent, Distances... distances) {
    return 10 * unit_tolerance * extent + position_rounding(0.0, distances...);
}

} // namespace fathom
