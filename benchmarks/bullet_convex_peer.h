// Bullet, in float: the peer of convex pairs. It has no question for yes or no alone: collide() makes contacts.
#pragma once

#include <benchmarks/convex_peer.h>

#include <memory>

namespace fathom::bench {

[[nodiscard]] std::unique_ptr<ConvexPeer> bullet_convex_peer(const ConvexScene& scene);

} // namespace fathom::bench
