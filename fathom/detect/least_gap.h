// Room: detect. How far apart two shapes are at least, with little effort: pairs of balls of both trees, the nearest first, until the answer is enough.
// Balls over triangles (mesh_contacts.h) or over the inside of a field (solid.h); a half-space is one by itself. It does not see one shape inside the surface of
// another. const and thread-safe. Cost: some micro-seconds with the usual effort; to the size of the finest balls with much.
#pragma once

#include <fathom/detect/shape.h>

namespace fathom {

// No point of one is nearer to the other than this (m); not looked for beyond `enough`. 0 where nothing is known, as of shapes without end that are no half-spaces.
// At most `effort` pairs of balls are opened.
[[nodiscard]] double least_gap(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b, double enough, std::size_t effort = 64);

} // namespace fathom
