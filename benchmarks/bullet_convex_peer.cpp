// Benchmarks: Bullet's convex shapes, by the algorithm that its dispatcher finds for the pair, and by its GJK.
#include <benchmarks/bullet_convex_peer.h>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wextra"
#include <BulletCollision/NarrowPhaseCollision/btGjkEpaPenetrationDepthSolver.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkPairDetector.h>
#include <BulletCollision/NarrowPhaseCollision/btPointCollector.h>
#include <btBulletCollisionCommon.h>
#pragma GCC diagnostic pop

#include <algorithm>
#include <vector>

namespace fathom::bench {

namespace {

btVector3 vector(const Vec3& p) {
    return {static_cast<float>(p.x()), static_cast<float>(p.y()), static_cast<float>(p.z())};
}

btTransform placed(const Pose& pose) {
    const Eigen::Quaternionf q = Eigen::Quaterniond(pose.rotation).cast<float>();
    return btTransform(btQuaternion(q.x(), q.y(), q.z(), q.w()), vector(pose.translation));
}

std::unique_ptr<btConvexShape> hull_of(const TriangleMesh& mesh) {
    auto hull = std::make_unique<btConvexHullShape>();
    for (const Vec3& v : mesh.vertices) hull->addPoint(vector(v), false);
    hull->recalcLocalAabb();
    return hull;
}

std::unique_ptr<btConvexShape> sharp(const ConvexShape& shape) {
    const auto radius = static_cast<float>(shape.radius), length = static_cast<float>(shape.length);
    switch (shape.kind) {
    case ConvexKind::sphere:
        return std::make_unique<btSphereShape>(radius);
    case ConvexKind::box:
        return std::make_unique<btBoxShape>(vector(0.5 * shape.size));
    case ConvexKind::capsule:
        return std::make_unique<btCapsuleShapeZ>(radius, length);
    case ConvexKind::cylinder:
        return std::make_unique<btCylinderShapeZ>(btVector3(radius, radius, 0.5f * length));
    case ConvexKind::hull:
        return hull_of(shape.hull);
    }
    return nullptr;
}

// The margins of spheres and capsules are their radii. The others would have rounded edges or grow.
std::unique_ptr<btConvexShape> made(const ConvexShape& shape) {
    auto result = sharp(shape);
    if (shape.kind != ConvexKind::sphere && shape.kind != ConvexKind::capsule) result->setMargin(0);
    return result;
}

class BulletConvexPeer final : public ConvexPeer {
public:
    explicit BulletConvexPeer(const ConvexScene& scene) : shape_a_(made(scene.a)), shape_b_(made(scene.b)) {
        for (const PosePair& pair : scene.poses) poses_.push_back({placed(pair.a), placed(pair.b)});
        a_.setCollisionShape(shape_a_.get());
        b_.setCollisionShape(shape_b_.get());
        algorithm_ = dispatcher_.findAlgorithm(&wrapped_a_, &wrapped_b_, nullptr, BT_CONTACT_POINT_ALGORITHMS);
    }
    ~BulletConvexPeer() override {
        algorithm_->~btCollisionAlgorithm();
        dispatcher_.freeCollisionAlgorithm(algorithm_);
    }

    [[nodiscard]] std::string name() const override { return "Bullet (float)"; }
    [[nodiscard]] bool takes_part(ConvexQuestion) const override { return true; }

    void collide(std::span<ConvexAnswer> out) override { contacts(out); }

    void contacts(std::span<ConvexAnswer> out) override {
        for (std::size_t k = 0; k < out.size(); ++k) {
            a_.setWorldTransform(poses_[k].a);
            b_.setWorldTransform(poses_[k].b);
            if (manifold_) manifold_->clearManifold(); // random poses have no contacts in common
            btManifoldResult result(&wrapped_a_, &wrapped_b_);
            algorithm_->processCollision(&wrapped_a_, &wrapped_b_, info_, &result);
            manifold_ = result.getPersistentManifold();
            out[k] = found();
        }
    }

    void distance(std::span<ConvexAnswer> out) override {
        for (std::size_t k = 0; k < out.size(); ++k) {
            btGjkPairDetector detector(shape_a_.get(), shape_b_.get(), &simplex_, &penetration_);
            btPointCollector nearest;
            input_.m_transformA = poses_[k].a;
            input_.m_transformB = poses_[k].b;
            detector.getClosestPoints(input_, nearest, nullptr);
            out[k] = {};
            if (!nearest.m_hasResult) continue;
            const double d = static_cast<double>(nearest.m_distance);
            out[k] = {.touching = d <= 0, .distance = d};
        }
    }

private:
    struct Placed {
        btTransform a, b;
    };

    // The manifold also keeps points that are a little apart.
    [[nodiscard]] ConvexAnswer found() const {
        ConvexAnswer answer;
        double deepest = 0;
        for (int j = 0; j < manifold_->getNumContacts(); ++j) {
            const auto distance = static_cast<double>(manifold_->getContactPoint(j).getDistance());
            if (distance > 0) continue;
            ++answer.points;
            deepest = std::min(deepest, distance);
        }
        answer.touching = answer.points > 0;
        if (answer.touching) answer.distance = deepest;
        return answer;
    }

    std::unique_ptr<btConvexShape> shape_a_, shape_b_;
    std::vector<Placed> poses_;
    btDefaultCollisionConfiguration configuration_;
    btCollisionDispatcher dispatcher_{&configuration_};
    btDispatcherInfo info_;
    btCollisionObject a_, b_;
    btCollisionObjectWrapper wrapped_a_{nullptr, shape_a_.get(), &a_, a_.getWorldTransform(), -1, -1};
    btCollisionObjectWrapper wrapped_b_{nullptr, shape_b_.get(), &b_, b_.getWorldTransform(), -1, -1};
    btCollisionAlgorithm* algorithm_ = nullptr;
    btPersistentManifold* manifold_ = nullptr; // of the algorithm
    btGjkPairDetector::ClosestPointInput input_;
    btVoronoiSimplexSolver simplex_;
    btGjkEpaPenetrationDepthSolver penetration_;
};

} // namespace

std::unique_ptr<ConvexPeer> bullet_convex_peer(const ConvexScene& scene) {
    return std::make_unique<BulletConvexPeer>(scene);
}

} // namespace fathom::bench
