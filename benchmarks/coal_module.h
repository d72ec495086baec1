// Coal 3, in double: the peer of convex pairs. It is loaded at run time: its Assimp and OctoMap are other versions than
// those of Fathom and FCL, and their symbols must not meet.
#pragma once

#include <benchmarks/convex_peer.h>

#include <memory>
#include <vector>

namespace fathom::bench {

// Its settings of GJK, and contact patches; none if it was not there when the benchmarks were built.
[[nodiscard]] std::vector<std::unique_ptr<ConvexPeer>> coal_convex_peers(const ConvexScene& scene);

} // namespace fathom::bench
