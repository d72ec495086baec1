// How far a recording reaches, and what its formulas (the ground) look like there: for files and
// pictures, which have an end.
#pragma once

#include <fathom/simulate/record/recording.h>

namespace fathom {

// Of all bodies but formulas over the whole time (m, world), in a few hundred frames; of clouds three standard
// deviations about their middle. Places that are not finite do not count. Never empty: a cube of two metres where
// nothing is known.
[[nodiscard]] Box stage_of(const Recording& recording);

// The body's own mesh or, of a formula, its surface within the stage, in the body's frame where it is at first.
[[nodiscard]] TriangleMesh mesh_on_stage(const Recording& recording, std::size_t body, const Box& stage);

// Every pose and vertex of it is a number.
[[nodiscard]] bool all_finite(const RecordedFrame& frame);

} // namespace fathom
