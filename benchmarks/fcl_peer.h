// The peer of meshes against meshes: FCL's templates in float and in double, yes or no, contacts and distance; and of
// moving meshes, its collide() at sampled times. (Its conservative advancement misses contacts between meshes, and its
// own sampling reads a centre of rotation that was never set, so the poses are ours.)
#pragma once

#include <fathom/base/motion.h>
#include <fathom/geometry/mesh/triangle_mesh.h>

#include <array>
#include <memory>
#include <span>
#include <vector>

namespace fathom::bench {

// Oriented boxes with rectangle-swept spheres, in float or double.
template <class Scalar>
class FclMeshOf {
public:
    explicit FclMeshOf(const TriangleMesh& mesh);
    ~FclMeshOf();

    // The vertices have moved: its volumes are fitted from the bottom up, or its tree is rebuilt.
    void move(std::span<const Vec3> vertices, bool refit);

    struct State;
    [[nodiscard]] const State& state() const { return *state_; }
    [[nodiscard]] std::size_t bytes() const;

private:
    std::unique_ptr<State> state_;
};
using FclMesh = FclMeshOf<float>;
using FclMeshDouble = FclMeshOf<double>;

// What it says of two surfaces; one inside the other is "no" to it.
struct FclContacts {
    std::size_t count = 0; // at most as many as asked for
    double depth = 0;      // of the deepest (m)
};
template <class Scalar>
[[nodiscard]] bool surfaces_cross(const FclMeshOf<Scalar>& a, const Pose& pose_a, const FclMeshOf<Scalar>& b,
                                  const Pose& pose_b);
template <class Scalar>
[[nodiscard]] FclContacts contacts(const FclMeshOf<Scalar>& a, const Pose& pose_a, const FclMeshOf<Scalar>& b,
                                   const Pose& pose_b, std::size_t most = 1000);
// All pairs of triangles that it says cross, sorted.
template <class Scalar>
[[nodiscard]] std::vector<std::array<Index, 2>> crossing_triangles(const FclMeshOf<Scalar>& a,
                                                                   const FclMeshOf<Scalar>& b);
template <class Scalar>
[[nodiscard]] double surface_distance(const FclMeshOf<Scalar>& a, const Pose& pose_a, const FclMeshOf<Scalar>& b,
                                      const Pose& pose_b);

// The first of `steps` + 1 evenly spaced times at which the surfaces cross, on screws; infinity for none.
[[nodiscard]] double first_sampled_contact(const FclMesh& a, const Motion& motion_a, const FclMesh& b,
                                           const Motion& motion_b, int steps);

// DynamicAABBTreeCollisionManager over boxes that move but keep their sizes.
class FclBroadPhase {
public:
    explicit FclBroadPhase(std::span<const Box> boxes);
    ~FclBroadPhase();

    void place(std::span<const Box> boxes); // tells the objects, not yet the manager
    [[nodiscard]] std::size_t step();       // update() and collide(): how many pairs overlap

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace fathom::bench
