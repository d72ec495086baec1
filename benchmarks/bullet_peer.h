// Bullet, in float: the peer of segments (rayTest on its triangle tree, closest hit) and of two meshes (GImpact).
#pragma once

#include <fathom/base/pose.h>
#include <fathom/base/primitives.h>
#include <fathom/geometry/mesh/triangle_mesh.h>

#include <array>
#include <memory>
#include <span>
#include <vector>

namespace fathom::bench {

class BulletScene {
public:
    explicit BulletScene(const TriangleMesh& mesh);
    ~BulletScene();

    // The first hit of each segment as a fraction; infinity for none.
    void first_hits(std::span<const Segment> segments, std::span<double> out) const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

class BulletMesh {
public:
    explicit BulletMesh(const TriangleMesh& mesh);
    ~BulletMesh();

    void move(std::span<const Vec3> vertices); // and fits its tree anew

    struct State;
    [[nodiscard]] State& state() const { return *state_; }

private:
    std::unique_ptr<State> state_;
};

// What contactPairTest says of two GImpact meshes.
struct BulletContacts {
    std::size_t count = 0;
    double depth = 0; // of the deepest (m)
};
class BulletWorld {
public:
    BulletWorld();
    ~BulletWorld();

    [[nodiscard]] BulletContacts contacts(const BulletMesh& a, const Pose& pose_a, const BulletMesh& b,
                                          const Pose& pose_b) const;
    // The pairs of triangles that it has contacts for, where the meshes are; sorted.
    [[nodiscard]] std::vector<std::array<Index, 2>> crossing_triangles(const BulletMesh& a, const BulletMesh& b) const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

// btDbvtBroadphase, which collides when all boxes are moved: the quickest way to move all.
class BulletBroadPhase {
public:
    explicit BulletBroadPhase(std::span<const Box> boxes);
    ~BulletBroadPhase();

    std::size_t step(std::span<const Box> boxes); // how many pairs of its fattened boxes overlap

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace fathom::bench
