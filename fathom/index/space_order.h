// The order of points along a space-filling curve: neighbours in the order are neighbours in space, so
// queries asked in it find the tree still in the cache. Method: Morton codes of 10 bits an axis, sorted by radix. O(n).
// The same order for any number of threads.
#pragma once

#include <fathom/base/vec.h>

#include <span>
#include <vector>

namespace fathom {

// A permutation of {0, ..., n-1}. Points that are not finite come first or last. Throws Error{too_large} past 2^32 - 2
// points.
[[nodiscard]] std::vector<Index> order_in_space(std::span<const Vec3> points);

} // namespace fathom
