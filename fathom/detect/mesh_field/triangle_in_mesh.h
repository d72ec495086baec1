// The deepest point of a triangle in a solid mesh, of all its points: where a descent
// (triangle_descent.h) takes dozens of look-ups about a crease, or ends in a valley, this takes about six. Method:
// every look-up tells balls in which nothing is deeper than d. Inside, no point q is deeper than |q - c|, with c the
// surface point that was found; outside, at p, none is deeper than |q - p| - distance(p). Where all these balls leave
// the most room is looked next, until there is none: as cutting planes (Kelley 1960), with spheres. It is exact for any
// solid and converges quadratically. |q - c|^2 - r^2 less |q|^2 is linear in q, so the most room is at a corner, or
// where two or three of the balls leave the same. Where fourteen look-ups do not settle it (triangles much larger than
// they are deep), a descent does. Thread-safe.
#pragma once

#include <fathom/field/field.h>
#include <fathom/field/mesh/mesh_field.h>

#include <algorithm>
#include <array>

namespace fathom::mesh_field {

// The least value of a field on a triangle, by descent: projected gradients with steps that fit the
// curvature (Birgin, Martinez & Raydan 2000), and where slopes meet in creases, cutting planes (Kelley 1960). Convex
// bodies, round or sharp: true to 1e-9 of the triangle, but for one in 10^4 that ends 1e-3 short of it. Other fields
// have valleys, and this finds one.
// Cost: four look-ups, and on smooth fields one or two more, on blocks about ten. Thread-safe.

struct TriangleLeast {
    Vec3 point = Vec3::Zero();
    Sample sample; // there
    std::size_t evaluations = 0;
};

// In the field's frame. `start` is a point of the triangle and `value` the field there; the corners are tried too, so
// that the answer is never above any of them.
[[nodiscard]] TriangleLeast least_on_triangle(const Field& field, const std::array<Vec3, 3>& corners, const Vec3& start,
                                              double value);

// A mesh's field, asked by one thread at places near each other: each look-up begins with the surface
// point that the one before found, and the first few answers are kept. The same answers as the field's, to the bit, at
// half the cost. Private to seen_mesh.cpp and reduce_contacts.cpp. Made for one triangle and thrown away; not
// thread-safe. The mesh must outlive it.

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

// In the mesh's frame. `looks`: at a point of the triangle and at its corners, whose look-ups are not counted.
[[nodiscard]] TriangleLeast least_on_triangle(const MeshField& mesh, const std::array<Vec3, 3>& corners,
                                              const std::array<MeshLook, 4>& looks);

// Whether the field is proven to stay above `level` on the triangle. No: that took too long, or a point was found that
// is not.
[[nodiscard]] bool stays_above(const MeshField& mesh, const std::array<Vec3, 3>& corners,
                               const std::array<MeshLook, 4>& looks, double level);

} // namespace fathom::mesh_field
