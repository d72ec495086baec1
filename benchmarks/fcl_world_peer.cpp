// FCL's manager behind one file: its headers are heavy, and must align as Debian's library does.
#define EIGEN_MAX_ALIGN_BYTES 16
#include <benchmarks/fcl_world_peer.h>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wdeprecated-copy"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <fcl/broadphase/broadphase_dynamic_AABB_tree.h>
#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/narrowphase/collision.h>

#include <algorithm>

namespace fathom::bench {

using Object = fcl::CollisionObject<float>;
using Model = fcl::BVHModel<fcl::OBBRSS<float>>;

struct FclWorld::State {
    std::vector<std::unique_ptr<Object>> objects;
    fcl::DynamicAABBTreeCollisionManager<float> manager;
    bool registered = false;
};

namespace {

std::shared_ptr<Model> model_of(const TriangleMesh& mesh) {
    std::vector<fcl::Vector3<float>> vertices;
    std::vector<fcl::Triangle> triangles;
    for (const Vec3& v : mesh.vertices) vertices.push_back(v.cast<float>());
    for (const auto& t : mesh.triangles) triangles.emplace_back(t[0], t[1], t[2]);
    auto model = std::make_shared<Model>();
    model->beginModel(static_cast<int>(triangles.size()), static_cast<int>(vertices.size()));
    model->addSubModel(vertices, triangles);
    model->endModel();
    return model;
}

struct Visit {
    std::size_t max_contacts;
    std::vector<IdPair> pairs{};
};

Index number_of(const Object* object) {
    return static_cast<Index>(reinterpret_cast<std::uintptr_t>(object->getUserData()));
}

bool ask(Object* a, Object* b, void* data) {
    Visit& visit = *static_cast<Visit*>(data);
    const fcl::CollisionRequest<float> request(visit.max_contacts, visit.max_contacts > 1);
    fcl::CollisionResult<float> result;
    if (fcl::collide(a, b, request, result) > 0)
        visit.pairs.push_back({std::min(number_of(a), number_of(b)), std::max(number_of(a), number_of(b))});
    return false;
}

} // namespace

FclWorld::FclWorld(std::span<const TriangleMesh> meshes, std::span<const std::size_t> mesh_of)
    : state_(std::make_unique<State>()) {
    std::vector<std::shared_ptr<Model>> models;
    for (const TriangleMesh& mesh : meshes) models.push_back(model_of(mesh));
    for (std::size_t k = 0; k < mesh_of.size(); ++k) {
        state_->objects.push_back(std::make_unique<Object>(models[mesh_of[k]]));
        state_->objects.back()->setUserData(reinterpret_cast<void*>(std::uintptr_t{k}));
    }
}

FclWorld::~FclWorld() = default;

std::vector<IdPair> FclWorld::step(std::span<const Pose> poses, std::size_t max_contacts) {
    for (std::size_t k = 0; k < poses.size(); ++k) {
        fcl::Transform3<float> placed = fcl::Transform3<float>::Identity();
        placed.linear() = poses[k].rotation.toRotationMatrix().cast<float>();
        placed.translation() = poses[k].translation.cast<float>();
        state_->objects[k]->setTransform(placed);
        state_->objects[k]->computeAABB();
    }
    if (!state_->registered) {
        std::vector<Object*> all;
        for (const auto& object : state_->objects) all.push_back(object.get());
        state_->manager.registerObjects(all);
        state_->manager.setup();
        state_->registered = true;
    }
    state_->manager.update();
    Visit visit{max_contacts};
    state_->manager.collide(&visit, ask);
    std::ranges::sort(visit.pairs);
    return visit.pairs;
}

} // namespace fathom::bench

#pragma GCC diagnostic pop
