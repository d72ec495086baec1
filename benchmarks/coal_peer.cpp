// Benchmarks: the only file that knows Coal.
#include <benchmarks/coal_peer.h>

#include <coal/collision.h>
#include <coal/contact_patch.h>
#include <coal/distance.h>
#include <coal/shape/convex.h>
#include <coal/shape/geometric_shapes.h>

namespace fathom::bench {

namespace {

std::unique_ptr<coal::CollisionGeometry> hull_of(const TriangleMesh& mesh) {
    const auto points = std::make_shared<std::vector<coal::Vec3s>>(mesh.vertices.begin(), mesh.vertices.end());
    const auto triangles = std::make_shared<std::vector<coal::Triangle>>();
    for (const auto& t : mesh.triangles) triangles->emplace_back(t[0], t[1], t[2]);
    return std::make_unique<coal::Convex<coal::Triangle>>(points, static_cast<unsigned>(points->size()), triangles,
                                                          static_cast<unsigned>(triangles->size()));
}

std::unique_ptr<coal::CollisionGeometry> made(const ConvexShape& shape) {
    switch (shape.kind) {
    case ConvexKind::sphere:
        return std::make_unique<coal::Sphere>(shape.radius);
    case ConvexKind::box:
        return std::make_unique<coal::Box>(shape.size);
    case ConvexKind::capsule:
        return std::make_unique<coal::Capsule>(shape.radius, shape.length);
    case ConvexKind::cylinder:
        return std::make_unique<coal::Cylinder>(shape.radius, shape.length);
    case ConvexKind::hull:
        return hull_of(shape.hull);
    }
    return nullptr;
}

coal::Transform3s placed(const Pose& pose) { return {pose.rotation.toRotationMatrix(), pose.translation}; }

struct Setting {
    const char* name;
    coal::GJKInitialGuess guess = coal::GJKInitialGuess::DefaultGuess;
    coal::GJKVariant variant = coal::GJKVariant::DefaultGJK; // Nesterov's was slower for all pairs
    bool patch = false; // contacts: the whole patch, as Fathom gives it, not only its deepest point

    [[nodiscard]] bool only_for_gjk() const { return guess != coal::GJKInitialGuess::DefaultGuess; }
};

// Prepared calls (ComputeCollision) are faster than coal::collide(). All settings are the defaults, but that GJK stops
// when the shapes are proven apart.
class CoalConvexPeer final : public ConvexPeer {
public:
    CoalConvexPeer(const ConvexScene& scene, const Setting& setting)
        : setting_(setting), a_(made(scene.a)), b_(made(scene.b)), collision_(a_.get(), b_.get()),
          patches_(a_.get(), b_.get()), distances_(a_.get(), b_.get()) {
        for (const PosePair& pair : scene.poses) poses_.push_back({placed(pair.a), placed(pair.b)});
        a_->computeLocalAABB(); // for guesses
        b_->computeLocalAABB();
        status_.enable_contact = false;
        status_.distance_upper_bound = contacts_.distance_upper_bound = 0;
        for (coal::QueryRequest* request :
             {static_cast<coal::QueryRequest*>(&status_), static_cast<coal::QueryRequest*>(&contacts_),
              static_cast<coal::QueryRequest*>(&distance_)}) {
            request->gjk_initial_guess = setting.guess;
            request->gjk_variant = setting.variant;
        }
    }

    [[nodiscard]] std::string name() const override { return setting_.name; }
    [[nodiscard]] bool takes_part(ConvexQuestion question) const override {
        return !setting_.patch || question == ConvexQuestion::contacts;
    }

    void collide(std::span<ConvexAnswer> out) override {
        for (std::size_t k = 0; k < out.size(); ++k) {
            collided_.clear();
            out[k] = {.touching = collision_(poses_[k].a, poses_[k].b, status_, collided_) > 0};
        }
    }

    void contacts(std::span<ConvexAnswer> out) override {
        for (std::size_t k = 0; k < out.size(); ++k) {
            collided_.clear();
            out[k] = {};
            if (collision_(poses_[k].a, poses_[k].b, contacts_, collided_) == 0) continue;
            out[k] = {.touching = true, .points = 1, .distance = collided_.getContact(0).penetration_depth};
            if (setting_.patch) out[k].points = patch_size(poses_[k]);
        }
    }

    void distance(std::span<ConvexAnswer> out) override {
        for (std::size_t k = 0; k < out.size(); ++k) {
            measured_.clear();
            const double d = distances_(poses_[k].a, poses_[k].b, distance_, measured_);
            out[k] = {.touching = d <= 0, .distance = d};
        }
    }

private:
    struct Placed {
        coal::Transform3s a, b;
    };

    std::uint32_t patch_size(const Placed& at) {
        patch_result_.clear();
        patches_(at.a, at.b, collided_, patch_request_, patch_result_);
        return static_cast<std::uint32_t>(patch_result_.getContactPatch(0).size());
    }

    Setting setting_;
    std::unique_ptr<coal::CollisionGeometry> a_, b_;
    coal::ComputeCollision collision_;
    coal::ComputeContactPatch patches_;
    coal::ComputeDistance distances_;
    std::vector<Placed> poses_;
    coal::CollisionRequest status_, contacts_;
    coal::CollisionResult collided_;
    coal::ContactPatchRequest patch_request_;
    coal::ContactPatchResult patch_result_{patch_request_};
    coal::DistanceRequest distance_;
    coal::DistanceResult measured_;
};

// Without a closed form in Coal.
bool needs_gjk(const ConvexScene& scene) {
    const auto is_round = [](const ConvexShape& shape) {
        return shape.kind == ConvexKind::sphere || shape.kind == ConvexKind::capsule;
    };
    const auto one_is = [&](ConvexKind kind) { return scene.a.kind == kind || scene.b.kind == kind; };
    const bool with_ball = one_is(ConvexKind::sphere) && (one_is(ConvexKind::box) || one_is(ConvexKind::cylinder));
    return !with_ball && !(is_round(scene.a) && is_round(scene.b));
}

} // namespace

extern "C" __attribute__((visibility("default"))) void
add_coal_convex_peers(const ConvexScene& scene, std::vector<std::unique_ptr<ConvexPeer>>& peers) {
    constexpr auto boxes = coal::GJKInitialGuess::BoundingVolumeGuess;
    const Setting settings[] = {
        {.name = "Coal"},
        {.name = "Coal (guess)", .guess = boxes},
        {.name = "Coal (guess, Polyak)", .guess = boxes, .variant = coal::GJKVariant::PolyakAcceleration},
        {.name = "Coal (patch)", .patch = true}};
    for (const Setting& setting : settings)
        if (!setting.only_for_gjk() || needs_gjk(scene))
            peers.push_back(std::make_unique<CoalConvexPeer>(scene, setting));
}

} // namespace fathom::bench
