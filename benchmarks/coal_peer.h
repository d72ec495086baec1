// What the module that knows Coal exports.
#pragma once

#include <benchmarks/convex_peer.h>

#include <memory>
#include <vector>

namespace fathom::bench {

using AddCoalConvexPeers = void(const ConvexScene& scene, std::vector<std::unique_ptr<ConvexPeer>>& peers);
inline constexpr const char* add_coal_convex_peers_name = "add_coal_convex_peers";

} // namespace fathom::bench
