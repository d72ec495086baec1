// The five queries of docs/porting.md in Bullet 3.
#include <BulletCollision/NarrowPhaseCollision/btGjkEpaPenetrationDepthSolver.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkPairDetector.h>
#include <BulletCollision/NarrowPhaseCollision/btPointCollector.h>
#include <btBulletCollisionCommon.h>

#include <cstdio>
#include <memory>
#include <vector>

int main() {
    // [queries]
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher(&configuration);
    btDbvtBroadphase broad_phase;
    btCollisionWorld world(&dispatcher, &broad_phase, &configuration);
    btBoxShape box(btVector3(0.5, 0.5, 0.5)); // half sizes
    btSphereShape ball(0.5);
    const auto at = [](btScalar x, btScalar y, btScalar z) {
        return btTransform(btQuaternion::getIdentity(), btVector3(x, y, z));
    };

    struct Deepest : btCollisionWorld::ContactResultCallback {
        btManifoldPoint point;
        bool touching = false;
        btScalar addSingleResult(btManifoldPoint& p, const btCollisionObjectWrapper*, int, int,
                                 const btCollisionObjectWrapper*, int, int) override {
            if (p.getDistance() <= 0 && (!touching || p.getDistance() < point.getDistance()))
                point = p, touching = true;
            return 0;
        }
    } found;
    btCollisionObject a, b;
    a.setCollisionShape(&box), a.setWorldTransform(at(0, 0, 0));
    b.setCollisionShape(&box), b.setWorldTransform(at(0.9f, 0.1f, 0.05f));
    world.contactPairTest(&a, &b, found);
    std::printf("touching: %s\n", found.touching ? "yes" : "no");
    // The normal is that on B and points to A.
    std::printf("depth: %.3f, normal x: %.3f\n", -found.point.getDistance(), -found.point.m_normalWorldOnB.x());

    btVoronoiSimplexSolver simplex;
    btGjkEpaPenetrationDepthSolver depth;
    btGjkPairDetector detector(&box, &ball, &simplex, &depth);
    btGjkPairDetector::ClosestPointInput input;
    input.m_transformA = at(0, 0, 0), input.m_transformB = at(2, 0, 0.2f);
    btPointCollector gap;
    detector.getClosestPoints(input, gap, nullptr);
    const btVector3 on_a = gap.m_pointInWorld + gap.m_distance * gap.m_normalOnBInWorld;
    std::printf("distance: %.3f\n", gap.m_distance);
    std::printf("closest points: x %.3f and %.3f\n", on_a.x(), gap.m_pointInWorld.x());

    std::vector<std::unique_ptr<btCollisionObject>> objects;
    for (int k = 0; k < 10; ++k) {
        objects.push_back(std::make_unique<btCollisionObject>());
        objects.back()->setCollisionShape(&box);
        objects.back()->setWorldTransform(at(0.95f * static_cast<btScalar>(k), 0, 0));
        world.addCollisionObject(objects.back().get());
    }
    world.performDiscreteCollisionDetection();
    int pairs = 0;
    for (int k = 0; k < dispatcher.getNumManifolds(); ++k)
        pairs += dispatcher.getManifoldByIndexInternal(k)->getNumContacts() > 0;
    std::printf("touching pairs: %d\n", pairs);
    for (const auto& object : objects) world.removeCollisionObject(object.get());
    // [end]
}
