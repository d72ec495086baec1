// Room: field. A proven box around everything that a network calls inside. Not for users: NetworkField::bounds().
#pragma once

#include <fathom/field/neural/network.h>

namespace fathom {

class NetworkRange;

// Cells of the domain that reach the outermost still undecided ones are halved, down to 1/64 of the domain or until some
// thousand ranges are spent (fewer for large networks). Holds the zero surface and everything inside, beyond the domain too,
// as beyond_domain.h answers there. Empty where nothing is inside. Uses all threads; the same for any number of them.
[[nodiscard]] Box inside_bounds(const Network& network, const NetworkRange& range);

} // namespace fathom
