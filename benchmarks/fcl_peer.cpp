// FCL behind one file: its headers are heavy.
#include <benchmarks/fcl_peer.h>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wdeprecated-copy"
#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/narrowphase/collision.h>
#pragma GCC diagnostic pop

namespace fathom::bench {

struct FclMesh::State {
    fcl::BVHModel<fcl::OBBRSS<float>> model;
};

FclMesh::FclMesh(const TriangleMesh& mesh) : state_(std::make_unique<State>()) {
    std::vector<fcl::Vector3<float>> vertices;
    std::vector<fcl::Triangle> triangles;
    for (const Vec3& v : mesh.vertices) vertices.push_back(v.cast<float>());
    for (const auto& t : mesh.triangles) triangles.emplace_back(t[0], t[1], t[2]);
    state_->model.beginModel(static_cast<int>(triangles.size()), static_cast<int>(vertices.size()));
    state_->model.addSubModel(vertices, triangles);
    state_->model.endModel();
}

FclMesh::~FclMesh() = default;

namespace {

fcl::Transform3<float> placed(const Pose& pose) {
    fcl::Transform3<float> result = fcl::Transform3<float>::Identity();
    result.linear() = pose.rotation.toRotationMatrix().cast<float>();
    result.translation() = pose.translation.cast<float>();
    return result;
}

} // namespace

double first_sampled_contact(const FclMesh& a, const Motion& motion_a, const FclMesh& b, const Motion& motion_b, int steps) {
    const Mover mover_a({motion_a.start, motion_a.end, Path::screw}), mover_b({motion_b.start, motion_b.end, Path::screw});
    const fcl::CollisionRequest<float> request(1, false);
    for (int k = 0; k <= steps; ++k) {
        const double t = static_cast<double>(k) / steps;
        fcl::CollisionResult<float> result;
        if (fcl::collide(&a.state().model, placed(mover_a.pose(t)), &b.state().model, placed(mover_b.pose(t)), request, result) > 0) return t;
    }
    return HUGE_VAL;
}

} // namespace fathom::bench
