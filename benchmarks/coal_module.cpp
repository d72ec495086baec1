// Benchmarks: loads the module that knows Coal.
#include <benchmarks/coal_module.h>
#include <benchmarks/coal_peer.h>
#include <fathom/base/error.h>

#include <dlfcn.h>

namespace fathom::bench {

#ifdef FATHOM_BENCH_COAL_MODULE

std::vector<std::unique_ptr<ConvexPeer>> coal_convex_peers(const ConvexScene& scene) {
    static void* const module = dlopen(FATHOM_BENCH_COAL_MODULE, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
    if (!module) throw Error(Cause::cannot_open, dlerror(), {.file = FATHOM_BENCH_COAL_MODULE});
    const auto add = reinterpret_cast<AddCoalConvexPeers*>(dlsym(module, add_coal_convex_peers_name));
    if (!add) throw Error(Cause::cannot_open, dlerror(), {.file = FATHOM_BENCH_COAL_MODULE});
    std::vector<std::unique_ptr<ConvexPeer>> peers;
    add(scene, peers);
    return peers;
}

#else

std::vector<std::unique_ptr<ConvexPeer>> coal_convex_peers(const ConvexScene&) { return {}; }

#endif

} // namespace fathom::bench
