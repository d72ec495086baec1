// Benchmarks: FCL's primitives and convex polyhedra.
#include <benchmarks/fcl_convex_peer.h>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wdeprecated-copy"
#include <fcl/geometry/shape/box.h>
#include <fcl/geometry/shape/capsule.h>
#include <fcl/geometry/shape/convex.h>
#include <fcl/geometry/shape/cylinder.h>
#include <fcl/geometry/shape/sphere.h>
#include <fcl/narrowphase/collision.h>
#include <fcl/narrowphase/distance.h>
#pragma GCC diagnostic pop

#include <algorithm>

namespace fathom::bench {

namespace {

constexpr std::size_t most_contacts = 16; // as Fathom's default

std::unique_ptr<fcl::CollisionGeometryd> hull_of(const TriangleMesh& mesh) {
    const auto points = std::make_shared<std::vector<fcl::Vector3d>>(mesh.vertices.begin(), mesh.vertices.end());
    const auto faces = std::make_shared<std::vector<int>>();
    for (const auto& t : mesh.triangles) {
        faces->push_back(3);
        for (const Index corner : t) faces->push_back(static_cast<int>(corner));
    }
    // Only a checked polyhedron climbs along its edges.
    return std::make_unique<fcl::Convexd>(points, static_cast<int>(mesh.triangles.size()), faces, true);
}

std::unique_ptr<fcl::CollisionGeometryd> made(const ConvexShape& shape) {
    switch (shape.kind) {
    case ConvexKind::sphere:
        return std::make_unique<fcl::Sphered>(shape.radius);
    case ConvexKind::box:
        return std::make_unique<fcl::Boxd>(shape.size);
    case ConvexKind::capsule:
        return std::make_unique<fcl::Capsuled>(shape.radius, shape.length);
    case ConvexKind::cylinder:
        return std::make_unique<fcl::Cylinderd>(shape.radius, shape.length);
    case ConvexKind::hull:
        return hull_of(shape.hull);
    }
    return nullptr;
}

fcl::Transform3d placed(const Pose& pose) {
    fcl::Transform3d result = fcl::Transform3d::Identity();
    result.linear() = pose.rotation.toRotationMatrix();
    result.translation() = pose.translation;
    return result;
}

class FclConvexPeer final : public ConvexPeer {
public:
    FclConvexPeer(const ConvexScene& scene, const char* name, fcl::GJKSolverType solver)
        : name_(name), a_(made(scene.a)), b_(made(scene.b)) {
        for (const PosePair& pair : scene.poses) poses_.push_back({placed(pair.a), placed(pair.b)});
        contacts_.num_max_contacts = most_contacts;
        contacts_.enable_contact = true;
        status_.gjk_solver_type = contacts_.gjk_solver_type = distance_.gjk_solver_type = solver;
    }

    [[nodiscard]] std::string name() const override { return name_; }
    [[nodiscard]] bool takes_part(ConvexQuestion) const override { return true; }

    void collide(std::span<ConvexAnswer> out) override {
        for (std::size_t k = 0; k < out.size(); ++k) out[k] = {.touching = collide_at(k, status_) > 0};
    }

    void contacts(std::span<ConvexAnswer> out) override {
        for (std::size_t k = 0; k < out.size(); ++k) {
            const std::size_t count = collide_at(k, contacts_);
            out[k] = {.touching = count > 0, .points = static_cast<std::uint32_t>(count)};
            if (count == 0) continue;
            double depth = 0;
            for (std::size_t j = 0; j < count; ++j) depth = std::max(depth, collided_.getContact(j).penetration_depth);
            out[k].distance = -depth;
        }
    }

    void distance(std::span<ConvexAnswer> out) override {
        for (std::size_t k = 0; k < out.size(); ++k) {
            measured_.clear();
            const double d = fcl::distance(a_.get(), poses_[k].a, b_.get(), poses_[k].b, distance_, measured_);
            out[k] = {.touching = d <= 0};
            if (d > 0) out[k].distance = d;
        }
    }

private:
    struct Placed {
        fcl::Transform3d a, b;
    };

    std::size_t collide_at(std::size_t k, const fcl::CollisionRequestd& request) {
        collided_.clear();
        return fcl::collide(a_.get(), poses_[k].a, b_.get(), poses_[k].b, request, collided_);
    }

    std::string name_;
    std::unique_ptr<fcl::CollisionGeometryd> a_, b_;
    std::vector<Placed> poses_;
    fcl::CollisionRequestd status_, contacts_;
    fcl::CollisionResultd collided_;
    fcl::DistanceRequestd distance_;
    fcl::DistanceResultd measured_;
};

} // namespace

std::vector<std::unique_ptr<ConvexPeer>> fcl_convex_peers(const ConvexScene& scene) {
    std::vector<std::unique_ptr<ConvexPeer>> peers;
    peers.push_back(std::make_unique<FclConvexPeer>(scene, "FCL (libccd)", fcl::GST_LIBCCD));
    peers.push_back(std::make_unique<FclConvexPeer>(scene, "FCL (indep)", fcl::GST_INDEP));
    return peers;
}

} // namespace fathom::bench
