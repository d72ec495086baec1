// FCL in double, as Debian builds it: the peer of convex pairs.
#pragma once

#include <benchmarks/convex_peer.h>

#include <memory>
#include <vector>

namespace fathom::bench {

// Its two solvers: libccd and its own. Without depths in distance(), which are off by default.
[[nodiscard]] std::vector<std::unique_ptr<ConvexPeer>> fcl_convex_peers(const ConvexScene& scene);

} // namespace fathom::bench
