// The peer of segments: Bullet's rayTest on its triangle tree, closest hit, in float.
#pragma once

#include <fathom/base/shapes.h>
#include <fathom/geometry/triangle_mesh.h>

#include <memory>
#include <span>

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

} // namespace fathom::bench
