// The peer of moving meshes: FCL's collide() at sampled times. (Its conservative advancement misses contacts between meshes,
// and its own sampling reads a centre of rotation that was never set, so the poses are ours.)
#pragma once

#include <fathom/base/motion.h>
#include <fathom/geometry/triangle_mesh.h>

#include <memory>

namespace fathom::bench {

class FclMesh {
public:
    explicit FclMesh(const TriangleMesh& mesh); // oriented boxes with rectangle-swept spheres, in float
    ~FclMesh();

    struct State;
    [[nodiscard]] const State& state() const { return *state_; }

private:
    std::unique_ptr<State> state_;
};

// The first of `steps` + 1 evenly spaced times at which the surfaces cross, on screws; infinity for none.
[[nodiscard]] double first_sampled_contact(const FclMesh& a, const Motion& motion_a, const FclMesh& b, const Motion& motion_b, int steps);

} // namespace fathom::bench
