// How far the float arithmetic of a network can be from its exact value.
// Forward error analysis (Higham 2002, chapter 3) with norms: sound in any order of summation, fused or not, and loose
// by the product of the layers' norms over the network's true slope. Not for users: NetworkField::rounding_bound().
#pragma once

#include <fathom/field/neural/network.h>

namespace fathom {

// |computed - exact| (m) at every point of the domain; infinity where floats may overflow. `exact` is the network in
// real numbers on the point in double.
[[nodiscard]] double rounding_bound(const Network& network);

} // namespace fathom
