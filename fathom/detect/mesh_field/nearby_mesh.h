// A mesh's field, asked by one thread at places near each other: each look-up begins with the surface
// point that the one before found, and the first few answers are kept. The same answers as the field's, to the bit, at
// half the cost. Private to seen_mesh.cpp and spread_contacts.cpp. Made for one triangle and thrown away; not
// thread-safe. The mesh must outlive it.
#pragma once

#include <fathom/field/mesh/mesh_field.h>

#include <algorithm>
#include <array>

namespace fathom {

struct MeshLook {
    Vec3 at = Vec3::Zero();
    MeshField::Nearest found{};

    // A bound on how far the surface is from p (m).
    [[nodiscard]] double reach(const Vec3& p) const { return (p - found.point).norm() * (1 + 1e-12); }
};

class NearbyMesh final : public Field {
public:
    // `known`: look-ups that were made, at most as many as are kept.
    explicit NearbyMesh(const MeshField& mesh, std::span<const MeshLook> known = {}) : mesh_(mesh) {
        for (const MeshLook& look : known) keep(look);
    }

    [[nodiscard]] double distance(const Vec3& p) const override { return sample(p).distance; }
    [[nodiscard]] Sample sample(const Vec3& p) const override {
        const auto same =
            std::find_if(kept_.begin(), kept_.begin() + count_, [&](const MeshLook& look) { return look.at == p; });
        if (same != kept_.begin() + count_) return same->found.sample;
        last_ = {p, mesh_.nearest(p, count_ > 0 ? last_.reach(p) : SurfaceTree::no_limit)};
        keep(last_);
        return last_.found.sample;
    }
    [[nodiscard]] Interval range(const Box& box) const override { return mesh_.range(box); }
    [[nodiscard]] double lipschitz() const override { return mesh_.lipschitz(); }
    [[nodiscard]] double error_bound() const override { return mesh_.error_bound(); }
    [[nodiscard]] Box domain() const override { return mesh_.domain(); }
    [[nodiscard]] Box bounds() const override { return mesh_.bounds(); }

private:
    void keep(const MeshLook& look) const {
        if (count_ < kept_.size()) kept_[count_++] = look;
        last_ = look;
    }

    const MeshField& mesh_;
    mutable std::array<MeshLook, 5> kept_{}; // the middle and the corners of a triangle are asked again and again
    mutable std::size_t count_ = 0;
    mutable MeshLook last_;
};

} // namespace fathom
