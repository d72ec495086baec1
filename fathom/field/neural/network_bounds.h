// A proven box around everything that a network calls inside. Not for users: NeuralField::bounds().
// Method: for each of the six sides, branch and bound with ranges: the outermost cell that is not yet proven outside is
// halved.
#pragma once

#include <fathom/field/neural/network.h>

namespace fathom {

// How far the float arithmetic of a network can be from its exact value.
// Forward error analysis (Higham 2002, chapter 3) with norms: sound in any order of summation, fused or not, and loose
// by the product of the layers' norms over the network's true slope. Not for users: NeuralField::rounding_bound().

// |computed - exact| (m) at every point of the domain; infinity where floats may overflow. `exact` is the network in
// real numbers on the point in double.
[[nodiscard]] double rounding_bound(const Network& network);

class NetworkRange;

// Holds the zero surface and everything inside, beyond the domain too, as beyond_domain.h answers there. To 1/64 of the
// domain, unless some ten thousand ranges (fewer for large networks) do not suffice. Empty where nothing is inside. The
// sides are searched on all threads; the result is the same for any number of them.
[[nodiscard]] Box inside_bounds(const Network& network, const NetworkRange& range);

} // namespace fathom
