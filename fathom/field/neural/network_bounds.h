// Proven bounding box of the inside of a network. Internal: users call NeuralField::bounds().
// Method: branch and bound with ranges for each of the six sides: the outermost cell that is not yet proven outside is
// halved.
#pragma once

#include <fathom/field/neural/network.h>

namespace fathom {

// Bound on the difference between the float arithmetic of a network and its exact value.
// Method: forward error analysis (Higham 2002, chapter 3) with norms. It is sound for any order of summation, fused or
// not, and loose by the product of the layers' norms over the network's true slope. Internal: users call
// NeuralField::rounding_bound().

// |computed - exact| (m) at every point of the domain; infinity where floats may overflow. `exact` is the network in
// real numbers, evaluated at the point in double.
[[nodiscard]] double rounding_bound(const Network& network);

class NetworkRange;

// The box contains the zero surface and the whole inside, also beyond the domain as beyond_domain() extends the field.
// Accurate to 1/64 of the domain unless some ten thousand ranges (fewer for large networks) do not suffice. Empty if
// nothing is inside. The sides are searched on all threads; the result does not depend on the number of threads.
[[nodiscard]] Box inside_bounds(const Network& network, const NetworkRange& range);

} // namespace fathom
