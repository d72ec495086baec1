// Order of points along a space-filling curve. Neighbours in the order are close in space, so queries in this order
// find the tree nodes still in the cache. Method: Morton codes of 10 bits per axis, radix sort. O(n). The order is the
// same for any number of threads.
#pragma once

#include <fathom/base/vec.h>

#include <span>
#include <vector>

namespace fathom {

// A permutation of {0, ..., n-1}. Non-finite points come first or last. Throws Error{too_large} for more than 2^32 - 2
// points.
[[nodiscard]] std::vector<Index> order_in_space(std::span<const Vec3> points);

} // namespace fathom
