// The five queries of docs/porting.md in FCL 0.7.
#include <fcl/broadphase/broadphase_dynamic_AABB_tree.h>
#include <fcl/geometry/shape/box.h>
#include <fcl/geometry/shape/sphere.h>
#include <fcl/narrowphase/collision.h>
#include <fcl/narrowphase/distance.h>

#include <cstdio>

int main() {
    // [queries]
    const auto box = std::make_shared<fcl::Boxd>(1, 1, 1);
    const auto ball = std::make_shared<fcl::Sphered>(0.5);
    const fcl::Transform3d here = fcl::Transform3d::Identity(), beside(fcl::Translation3d(0.9, 0.1, 0.05)),
                           apart(fcl::Translation3d(2, 0, 0.2));

    fcl::CollisionResultd result;
    const bool touching = fcl::collide(box.get(), here, box.get(), beside, fcl::CollisionRequestd(), result) > 0;
    std::printf("touching: %s\n", touching ? "yes" : "no");

    fcl::CollisionResultd contacts;
    fcl::collide(box.get(), here, box.get(), beside, fcl::CollisionRequestd(1, true), contacts);
    const fcl::Contactd& found = contacts.getContact(0);
    std::printf("depth: %.3f, normal x: %.3f\n", found.penetration_depth, found.normal.x());

    fcl::DistanceResultd gap;
    fcl::distance(box.get(), here, ball.get(), apart, fcl::DistanceRequestd(true), gap);
    std::printf("distance: %.3f\n", gap.min_distance);
    std::printf("closest points: x %.3f and %.3f\n", gap.nearest_points[0].x(), gap.nearest_points[1].x());

    std::vector<std::unique_ptr<fcl::CollisionObjectd>> objects;
    fcl::DynamicAABBTreeCollisionManagerd manager;
    for (int k = 0; k < 10; ++k) {
        objects.push_back(
            std::make_unique<fcl::CollisionObjectd>(box, fcl::Transform3d(fcl::Translation3d(0.95 * k, 0, 0))));
        manager.registerObject(objects.back().get());
    }
    manager.setup();
    std::size_t pairs = 0;
    manager.collide(&pairs, [](fcl::CollisionObjectd* a, fcl::CollisionObjectd* b, void* count) {
        fcl::CollisionResultd one;
        if (fcl::collide(a, b, fcl::CollisionRequestd(), one) > 0) ++*static_cast<std::size_t*>(count);
        return false;
    });
    std::printf("touching pairs: %zu\n", pairs);
    // [end]
}
