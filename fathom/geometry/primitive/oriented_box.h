// Oriented boxes: overlap test, lower bound on the distance, and a small box around a set of points. Metres; boxes are
// closed and may be flat. Thread-safe.
// Method: separating axes (Gottschalk et al. 1996), three of each box and the nine cross products of their edges. Any
// direction can serve as a proof, so a computed axis is used as it is, with a bound on its rounding: nearly parallel
// edges need no special case.
#pragma once

#include <fathom/base/primitives.h>

#include <array>
#include <span>

namespace fathom {

// "false" is a proof. "true" is also returned for boxes whose distance is below rounding, 1e-14 of their size and of
// the distance of their centres. Below 100 ns.
[[nodiscard]] bool boxes_overlap(const OrientedBox& a, const OrientedBox& b);
[[nodiscard]] bool boxes_overlap(const Box& a, const OrientedBox& b); // an empty box overlaps nothing

// Lower bound on the distance of the boxes (m): the largest gap along the 15 axes. Exact if a face or two edges are
// closest, below the distance if a corner is; 0 if and only if boxes_overlap().
[[nodiscard]] double gap_between(const OrientedBox& a, const OrientedBox& b);

[[nodiscard]] OrientedBox oriented(const Box& box); // `box` must not be empty
// Bit k of the index selects the upper end of axis k.
[[nodiscard]] std::array<Vec3, 8> corners_of(const OrientedBox& box);

// Whether `inner` is certainly inside `outer`, with rounding taken into account.
[[nodiscard]] bool certainly_contains(const OrientedBox& outer, const Box& inner);

// The principal axes of a scatter matrix (a sum of outer products); the axes of the frame if it is 0 or not finite.
[[nodiscard]] Quat axes_of(const Mat3& spread);

enum class BoxFit {
    principal, // principal axes of the points; O(n)
    // Then rotated about each axis in turn to the smallest area of the projection (rotating calipers); O(n log n) per
    // rotation.
    refined
};
// A small box, not the smallest: the better of the principal axes and the axes of the frame, refined or not. Planar and
// collinear points give flat boxes. It is grown by the rounding: OrientedBox::contains() is true for every point.
// Deterministic. Throws Error{empty} without points, Error{non_finite}.
[[nodiscard]] OrientedBox fitted_box(std::span<const Vec3> points, BoxFit fit = BoxFit::refined);

} // namespace fathom
