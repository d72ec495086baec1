// The peer of worlds: FCL's DynamicAABBTreeCollisionManager over meshes, in float, with its collide() for every pair
// that it visits.
#pragma once

#include <fathom/base/pose.h>
#include <fathom/geometry/mesh/triangle_mesh.h>
#include <fathom/index/bvh.h>

#include <memory>
#include <span>
#include <vector>

namespace fathom::bench {

class FclWorld {
public:
    // Body k has the mesh meshes[mesh_of[k]].
    FclWorld(std::span<const TriangleMesh> meshes, std::span<const std::size_t> mesh_of);
    ~FclWorld();

    // Places the bodies, updates the manager and asks: pairs of bodies whose surfaces cross, sorted. At most so many
    // contacts a pair; 1 without its place and depth.
    [[nodiscard]] std::vector<IdPair> step(std::span<const Pose> poses, std::size_t max_contacts);

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace fathom::bench
