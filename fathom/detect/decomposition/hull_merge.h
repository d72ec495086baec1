// Joins convex parts as long as their common hull stays near the solid, and drops parts that lie in others.
// Method: greedy, the pair whose common hull adds least volume first; Wei, Liu, Ling & Su 2022 (CoACD) take the one of
// least concavity, which makes hulls that overlap much.
#pragma once

#include <fathom/detect/decomposition/hull_cut.h>

namespace fathom::decomposition {

// Joins pairs whose common hull is within `limit` of the solid and adds little volume. If more than `most` parts remain
// (0: any number), the limit is raised until they are not.
void merge(std::vector<HullPart>& parts, const GapTree& gaps, double limit, std::size_t most);

// Sorts parts by volume, the largest first, and removes those that lie in another one up to rounding; those almost
// without volume also if they only touch it.
void drop_contained(std::vector<HullPart>& parts);

} // namespace fathom::decomposition
