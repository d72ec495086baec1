// Oriented boxes: do two meet, how far apart are they at least, and a small one round a cloud of
// points. Metres; boxes closed, flat ones too. Thread-safe. Method: separating axes (Gottschalk et al. 1996): three of
// each box and the nine products of their edges. Any direction may serve as a proof, so an axis is used as it comes
// out, its rounding bounded: nearly parallel edges need no special case.
#pragma once

#include <fathom/base/primitives.h>

#include <array>
#include <span>

namespace fathom {

// "false" is a proof. "true" is also said of boxes that are apart by less than their rounding, 1e-14 of their size and
// of the way between their centres. Under 100 ns.
[[nodiscard]] bool boxes_overlap(const OrientedBox& a, const OrientedBox& b);
[[nodiscard]] bool boxes_overlap(const Box& a, const OrientedBox& b); // an empty box meets nothing

// No two points of the boxes are nearer than this (m): the widest gap along the 15 axes. Exact where a face or two
// edges are nearest, less than the distance where a corner is; 0 exactly where boxes_overlap().
[[nodiscard]] double gap_between(const OrientedBox& a, const OrientedBox& b);

[[nodiscard]] OrientedBox oriented(const Box& box); // not empty
[[nodiscard]] std::array<Vec3, 8>
corners_of(const OrientedBox& box); // bit k of the index picks the upper end of axis k

// Is all of `inner` in `outer`, rounding counted against it?
[[nodiscard]] bool certainly_contains(const OrientedBox& outer, const Box& inner);

// The smallest box with these axes (a rotation), grown by the rounding: OrientedBox::contains() is true for every
// point. Throws Error{empty} without points, Error{non_finite}.
[[nodiscard]] OrientedBox box_along(const Quat& axes, std::span<const Vec3> points);

// The axes of a spread, a sum of outer products; those of the frame where it is 0 or not finite.
[[nodiscard]] Quat axes_of(const Mat3& spread);

enum class BoxFit {
    principal, // axes of the points' spread; O(n)
    refined    // then turned about each axis in turn to the least area of its shadow (rotating calipers): O(n log n) a
               // turn
};
// A small box, not the smallest: principal axes and the frame's own axes compete, refined or not. Flat and straight
// clouds give flat boxes. The same box for the same points. Throws as box_along() does.
[[nodiscard]] OrientedBox fitted_box(std::span<const Vec3> points, BoxFit fit = BoxFit::refined);

} // namespace fathom
