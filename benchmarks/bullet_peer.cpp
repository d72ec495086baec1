// Benchmarks: the only file that knows Bullet.
#include <benchmarks/bullet_peer.h>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wextra"
#include <BulletCollision/Gimpact/btGImpactCollisionAlgorithm.h>
#include <BulletCollision/Gimpact/btGImpactShape.h>
#include <btBulletCollisionCommon.h>
#pragma GCC diagnostic pop

#include <algorithm>
#include <limits>
#include <vector>

namespace fathom::bench {

namespace {

btVector3 vector(const Vec3& p) {
    return btVector3(static_cast<float>(p.x()), static_cast<float>(p.y()), static_cast<float>(p.z()));
}

// A mesh as Bullet's arrays want it.
struct Arrays {
    std::vector<float> points;
    std::vector<int> corners;
    btTriangleIndexVertexArray arrays;

    explicit Arrays(const TriangleMesh& mesh) {
        for (const Vec3& v : mesh.vertices)
            for (int k = 0; k < 3; ++k) points.push_back(static_cast<float>(v[k]));
        for (const Triangle& t : mesh.triangles)
            for (const Index corner : t) corners.push_back(static_cast<int>(corner));
        btIndexedMesh part;
        part.m_numTriangles = static_cast<int>(mesh.triangles.size());
        part.m_triangleIndexBase = reinterpret_cast<const unsigned char*>(corners.data());
        part.m_triangleIndexStride = 3 * sizeof(int);
        part.m_numVertices = static_cast<int>(mesh.vertices.size());
        part.m_vertexBase = reinterpret_cast<const unsigned char*>(points.data());
        part.m_vertexStride = 3 * sizeof(float);
        arrays.addIndexedMesh(part, PHY_INTEGER);
    }
};

} // namespace

struct BulletScene::State {
    Arrays mesh;
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broadphase;
    btCollisionWorld world{&dispatcher, &broadphase, &configuration};
    std::unique_ptr<btBvhTriangleMeshShape> shape;
    btCollisionObject object;

    explicit State(const TriangleMesh& given) : mesh(given) {}
    ~State() { world.removeCollisionObject(&object); }
};

BulletScene::BulletScene(const TriangleMesh& mesh) : state_(std::make_unique<State>(mesh)) {
    State& s = *state_;
    s.shape = std::make_unique<btBvhTriangleMeshShape>(&s.mesh.arrays, true);
    s.object.setCollisionShape(s.shape.get());
    s.world.addCollisionObject(&s.object);
    s.world.updateAabbs();
}

BulletScene::~BulletScene() = default;

void BulletScene::first_hits(std::span<const Segment> segments, std::span<double> out) const {
    for (std::size_t k = 0; k < segments.size(); ++k) {
        const btVector3 from = vector(segments[k].start), to = vector(segments[k].end);
        btCollisionWorld::ClosestRayResultCallback result(from, to);
        state_->world.rayTest(from, to, result);
        out[k] = result.hasHit() ? static_cast<double>(result.m_closestHitFraction)
                                 : std::numeric_limits<double>::infinity();
    }
}

struct BulletMesh::State {
    Arrays mesh;
    btGImpactMeshShape shape;

    explicit State(const TriangleMesh& given) : mesh(given), shape(&mesh.arrays) {
        shape.setMargin(0); // by default surfaces 8 cm apart touch
        shape.updateBound();
    }
};

BulletMesh::BulletMesh(const TriangleMesh& mesh) : state_(std::make_unique<State>(mesh)) {}
BulletMesh::~BulletMesh() = default;

void BulletMesh::move(std::span<const Vec3> vertices) {
    for (std::size_t k = 0; k < vertices.size(); ++k)
        for (int axis = 0; axis < 3; ++axis)
            state_->mesh.points[3 * k + static_cast<std::size_t>(axis)] = static_cast<float>(vertices[k][axis]);
    state_->shape.postUpdate();
    state_->shape.updateBound();
}

struct BulletWorld::State {
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broadphase;
    btCollisionWorld world{&dispatcher, &broadphase, &configuration};
    btGImpactCollisionAlgorithm::CreateFunc create;

    State() {
        btGImpactCollisionAlgorithm::registerAlgorithm(&dispatcher);
        // contactPairTest asks the table of closest points, which the call above leaves empty: it would find nothing.
        dispatcher.registerClosestPointsCreateFunc(GIMPACT_SHAPE_PROXYTYPE, GIMPACT_SHAPE_PROXYTYPE, &create);
    }
};

BulletWorld::BulletWorld() : state_(std::make_unique<State>()) {}
BulletWorld::~BulletWorld() = default;

namespace {

struct Counter final : btCollisionWorld::ContactResultCallback {
    BulletContacts found;

    btScalar addSingleResult(btManifoldPoint& point, const btCollisionObjectWrapper*, int, int,
                             const btCollisionObjectWrapper*, int, int) override {
        if (point.getDistance() <= 0) {
            ++found.count;
            found.depth = std::max(found.depth, -static_cast<double>(point.getDistance()));
        }
        return 0;
    }
};

struct PairCollector final : btCollisionWorld::ContactResultCallback {
    std::vector<std::array<Index, 2>> pairs;

    btScalar addSingleResult(btManifoldPoint& point, const btCollisionObjectWrapper*, int, int a,
                             const btCollisionObjectWrapper*, int, int b) override {
        if (point.getDistance() <= 0) pairs.push_back({static_cast<Index>(a), static_cast<Index>(b)});
        return 0;
    }
};

btTransform placed(const Pose& pose) {
    const Quat& q = pose.rotation;
    return btTransform(btQuaternion(static_cast<float>(q.x()), static_cast<float>(q.y()), static_cast<float>(q.z()),
                                    static_cast<float>(q.w())),
                       vector(pose.translation));
}

} // namespace

BulletContacts BulletWorld::contacts(const BulletMesh& a, const Pose& pose_a, const BulletMesh& b,
                                     const Pose& pose_b) const {
    btCollisionObject first, second;
    first.setCollisionShape(&a.state().shape);
    first.setWorldTransform(placed(pose_a));
    second.setCollisionShape(&b.state().shape);
    second.setWorldTransform(placed(pose_b));
    Counter counter;
    state_->world.contactPairTest(&first, &second, counter);
    return counter.found;
}

std::vector<std::array<Index, 2>> BulletWorld::crossing_triangles(const BulletMesh& a, const BulletMesh& b) const {
    btCollisionObject first, second;
    first.setCollisionShape(&a.state().shape);
    second.setCollisionShape(&b.state().shape);
    PairCollector collector;
    state_->world.contactPairTest(&first, &second, collector);
    std::sort(collector.pairs.begin(), collector.pairs.end());
    collector.pairs.erase(std::unique(collector.pairs.begin(), collector.pairs.end()), collector.pairs.end());
    return std::move(collector.pairs);
}

struct BulletBroadPhase::State {
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broadphase;
    std::vector<btBroadphaseProxy*> proxies;

    ~State() {
        for (btBroadphaseProxy* proxy : proxies) broadphase.destroyProxy(proxy, &dispatcher);
    }
};

BulletBroadPhase::BulletBroadPhase(std::span<const Box> boxes) : state_(std::make_unique<State>()) {
    State& s = *state_;
    s.broadphase.m_deferedcollide = true;
    for (const Box& box : boxes)
        s.proxies.push_back(s.broadphase.createProxy(vector(box.lower), vector(box.upper), BOX_SHAPE_PROXYTYPE, nullptr,
                                                     btBroadphaseProxy::DefaultFilter, btBroadphaseProxy::AllFilter,
                                                     &s.dispatcher));
}

BulletBroadPhase::~BulletBroadPhase() = default;

std::size_t BulletBroadPhase::step(std::span<const Box> boxes) {
    State& s = *state_;
    for (std::size_t k = 0; k < boxes.size(); ++k)
        s.broadphase.setAabb(s.proxies[k], vector(boxes[k].lower), vector(boxes[k].upper), &s.dispatcher);
    s.broadphase.calculateOverlappingPairs(&s.dispatcher);
    return static_cast<std::size_t>(s.broadphase.getOverlappingPairCache()->getNumOverlappingPairs());
}

} // namespace fathom::bench
