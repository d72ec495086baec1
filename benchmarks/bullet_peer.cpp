// Benchmarks: the only file that knows Bullet.
#include <benchmarks/bullet_peer.h>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wextra"
#include <btBulletCollisionCommon.h>
#pragma GCC diagnostic pop

#include <limits>
#include <vector>

namespace fathom::bench {

struct BulletScene::State {
    std::vector<float> points;
    std::vector<int> corners;
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broadphase;
    btCollisionWorld world{&dispatcher, &broadphase, &configuration};
    btTriangleIndexVertexArray arrays;
    std::unique_ptr<btBvhTriangleMeshShape> shape;
    btCollisionObject object;

    ~State() { world.removeCollisionObject(&object); }
};

BulletScene::BulletScene(const TriangleMesh& mesh) : state_(std::make_unique<State>()) {
    State& s = *state_;
    for (const Vec3& v : mesh.vertices)
        for (int k = 0; k < 3; ++k) s.points.push_back(static_cast<float>(v[k]));
    for (const Triangle& t : mesh.triangles)
        for (const Index corner : t) s.corners.push_back(static_cast<int>(corner));
    btIndexedMesh part;
    part.m_numTriangles = static_cast<int>(mesh.triangles.size());
    part.m_triangleIndexBase = reinterpret_cast<const unsigned char*>(s.corners.data());
    part.m_triangleIndexStride = 3 * sizeof(int);
    part.m_numVertices = static_cast<int>(mesh.vertices.size());
    part.m_vertexBase = reinterpret_cast<const unsigned char*>(s.points.data());
    part.m_vertexStride = 3 * sizeof(float);
    s.arrays.addIndexedMesh(part, PHY_INTEGER);
    s.shape = std::make_unique<btBvhTriangleMeshShape>(&s.arrays, true);
    s.object.setCollisionShape(s.shape.get());
    s.world.addCollisionObject(&s.object);
    s.world.updateAabbs();
}

BulletScene::~BulletScene() = default;

void BulletScene::first_hits(std::span<const Segment> segments, std::span<double> out) const {
    const auto vector = [](const Vec3& p) { return btVector3(static_cast<float>(p.x()), static_cast<float>(p.y()), static_cast<float>(p.z())); };
    for (std::size_t k = 0; k < segments.size(); ++k) {
        const btVector3 from = vector(segments[k].start), to = vector(segments[k].end);
        btCollisionWorld::ClosestRayResultCallback result(from, to);
        state_->world.rayTest(from, to, result);
        out[k] = result.hasHit() ? static_cast<double>(result.m_closestHitFraction) : std::numeric_limits<double>::infinity();
    }
}

} // namespace fathom::bench
