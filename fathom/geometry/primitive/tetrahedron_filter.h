// The fast first answer to whether two tetrahedra meet: proved, or unsure. tetrahedron_tetrahedron.h is
// the whole answer. Method: the edges of each are clipped by the planes of the other; two convex solids meet exactly
// when an edge of one meets the other. Four faces at a time where the CPU can. Thread-safe.
#pragma once

#include <fathom/base/vec.h>

#include <array>

namespace fathom {

enum class FilterAnswer { no, yes, unsure };

// Any finite input. Unsure where the two touch or nearly touch, where one is flat or nearly flat, where numbers are
// huge or tiny.
[[nodiscard]] FilterAnswer tetrahedra_filter(const std::array<Vec3, 4>& a, const std::array<Vec3, 4>& b);

} // namespace fathom
