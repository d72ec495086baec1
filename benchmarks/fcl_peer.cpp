// FCL behind one file: its headers are heavy.
#include <benchmarks/fcl_peer.h>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wdeprecated-copy"
#include <fcl/broadphase/broadphase_dynamic_AABB_tree.h>
#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/geometry/shape/box.h>
#include <fcl/narrowphase/collision.h>
#include <fcl/narrowphase/distance.h>
#pragma GCC diagnostic pop

#include <algorithm>
#include <limits>

namespace fathom::bench {

template <class Scalar>
struct FclMeshOf<Scalar>::State {
    fcl::BVHModel<fcl::OBBRSS<Scalar>> model;
};

template <class Scalar>
FclMeshOf<Scalar>::FclMeshOf(const TriangleMesh& mesh) : state_(std::make_unique<State>()) {
    std::vector<fcl::Vector3<Scalar>> vertices;
    std::vector<fcl::Triangle> triangles;
    for (const Vec3& v : mesh.vertices) vertices.push_back(v.cast<Scalar>());
    for (const auto& t : mesh.triangles) triangles.emplace_back(t[0], t[1], t[2]);
    state_->model.beginModel(static_cast<int>(triangles.size()), static_cast<int>(vertices.size()));
    state_->model.addSubModel(vertices, triangles);
    state_->model.endModel();
}

template <class Scalar>
FclMeshOf<Scalar>::~FclMeshOf() = default;

template <class Scalar>
void FclMeshOf<Scalar>::move(std::span<const Vec3> vertices, bool refit) {
    auto& model = state_->model;
    model.beginReplaceModel();
    for (const Vec3& v : vertices) model.replaceVertex(v.cast<Scalar>());
    model.endReplaceModel(refit, true);
}

template <class Scalar>
std::size_t FclMeshOf<Scalar>::bytes() const {
    const auto& model = state_->model;
    return static_cast<std::size_t>(model.getNumBVs()) * sizeof(fcl::BVNode<fcl::OBBRSS<Scalar>>) +
           static_cast<std::size_t>(model.num_vertices) * sizeof(fcl::Vector3<Scalar>) +
           static_cast<std::size_t>(model.num_tris) * (sizeof(fcl::Triangle) + sizeof(unsigned));
}

namespace {

template <class Scalar>
fcl::Transform3<Scalar> placed(const Pose& pose) {
    fcl::Transform3<Scalar> result = fcl::Transform3<Scalar>::Identity();
    result.linear() = pose.rotation.toRotationMatrix().template cast<Scalar>();
    result.translation() = pose.translation.template cast<Scalar>();
    return result;
}

} // namespace

template <class Scalar>
bool surfaces_cross(const FclMeshOf<Scalar>& a, const Pose& pose_a, const FclMeshOf<Scalar>& b, const Pose& pose_b) {
    const fcl::CollisionRequest<Scalar> request(1, false);
    fcl::CollisionResult<Scalar> result;
    return fcl::collide(&a.state().model, placed<Scalar>(pose_a), &b.state().model, placed<Scalar>(pose_b), request,
                        result) > 0;
}

template <class Scalar>
FclContacts contacts(const FclMeshOf<Scalar>& a, const Pose& pose_a, const FclMeshOf<Scalar>& b, const Pose& pose_b,
                     std::size_t most) {
    const fcl::CollisionRequest<Scalar> request(most, true);
    fcl::CollisionResult<Scalar> result;
    fcl::collide(&a.state().model, placed<Scalar>(pose_a), &b.state().model, placed<Scalar>(pose_b), request, result);
    FclContacts answer{result.numContacts(), 0};
    for (std::size_t k = 0; k < answer.count; ++k)
        answer.depth = std::max(answer.depth, static_cast<double>(result.getContact(k).penetration_depth));
    return answer;
}

template <class Scalar>
std::vector<std::array<Index, 2>> crossing_triangles(const FclMeshOf<Scalar>& a, const FclMeshOf<Scalar>& b) {
    const fcl::CollisionRequest<Scalar> request(std::numeric_limits<std::size_t>::max(), false);
    fcl::CollisionResult<Scalar> result;
    const auto here = fcl::Transform3<Scalar>::Identity();
    fcl::collide(&a.state().model, here, &b.state().model, here, request, result);
    std::vector<std::array<Index, 2>> pairs(result.numContacts());
    for (std::size_t k = 0; k < pairs.size(); ++k)
        pairs[k] = {static_cast<Index>(result.getContact(k).b1), static_cast<Index>(result.getContact(k).b2)};
    std::sort(pairs.begin(), pairs.end());
    return pairs;
}

template <class Scalar>
double surface_distance(const FclMeshOf<Scalar>& a, const Pose& pose_a, const FclMeshOf<Scalar>& b,
                        const Pose& pose_b) {
    const fcl::DistanceRequest<Scalar> request(true);
    fcl::DistanceResult<Scalar> result;
    return static_cast<double>(fcl::distance(&a.state().model, placed<Scalar>(pose_a), &b.state().model,
                                             placed<Scalar>(pose_b), request, result));
}

double first_sampled_contact(const FclMesh& a, const Motion& motion_a, const FclMesh& b, const Motion& motion_b,
                             int steps) {
    const Mover mover_a(motion_a), mover_b(motion_b);
    for (int k = 0; k <= steps; ++k) {
        const double t = static_cast<double>(k) / steps;
        if (surfaces_cross(a, mover_a.pose(t), b, mover_b.pose(t))) return t;
    }
    return HUGE_VAL;
}

struct FclBroadPhase::State {
    std::vector<std::unique_ptr<fcl::CollisionObject<float>>> objects;
    fcl::DynamicAABBTreeCollisionManager<float> manager;
};

FclBroadPhase::FclBroadPhase(std::span<const Box> boxes) : state_(std::make_unique<State>()) {
    std::vector<fcl::CollisionObject<float>*> all;
    for (const Box& box : boxes) {
        const auto shape = std::make_shared<fcl::Box<float>>(box.size().cast<float>());
        state_->objects.push_back(std::make_unique<fcl::CollisionObject<float>>(shape));
        all.push_back(state_->objects.back().get());
    }
    place(boxes);
    state_->manager.registerObjects(all);
    state_->manager.setup();
}

FclBroadPhase::~FclBroadPhase() = default;

void FclBroadPhase::place(std::span<const Box> boxes) {
    for (std::size_t k = 0; k < boxes.size(); ++k) {
        state_->objects[k]->setTranslation(boxes[k].center().cast<float>());
        state_->objects[k]->computeAABB();
    }
}

std::size_t FclBroadPhase::step() {
    std::size_t count = 0;
    state_->manager.update();
    state_->manager.collide(&count, [](fcl::CollisionObject<float>* a, fcl::CollisionObject<float>* b, void* data) {
        *static_cast<std::size_t*>(data) += a->getAABB().overlap(b->getAABB()) ? 1u : 0u;
        return false;
    });
    return count;
}

#define FATHOM_FCL_IN(Scalar)                                                                                          \
    template class FclMeshOf<Scalar>;                                                                                  \
    template bool surfaces_cross(const FclMeshOf<Scalar>&, const Pose&, const FclMeshOf<Scalar>&, const Pose&);        \
    template FclContacts contacts(const FclMeshOf<Scalar>&, const Pose&, const FclMeshOf<Scalar>&, const Pose&,        \
                                  std::size_t);                                                                        \
    template std::vector<std::array<Index, 2>> crossing_triangles(const FclMeshOf<Scalar>&, const FclMeshOf<Scalar>&); \
    template double surface_distance(const FclMeshOf<Scalar>&, const Pose&, const FclMeshOf<Scalar>&, const Pose&)
FATHOM_FCL_IN(float);
FATHOM_FCL_IN(double);
#undef FATHOM_FCL_IN

} // namespace fathom::bench
