// The deepest point of a triangle in a solid mesh, as a global minimum. It takes about six evaluations, where descent
// takes dozens near a crease or ends in a local minimum.
// Method: every evaluation bounds the depth of other points. From inside, no point q is deeper than |q - c|, where c is
// the closest surface point found; from a point p outside, none is deeper than |q - p| - distance(p). The next
// evaluation is at the point where the combination of these bounds is largest, until the bound is reached: cutting
// planes (Kelley 1960), with spheres. The method is exact for any solid and converges quadratically. |q - c|^2 - r^2
// minus |q|^2 is linear in q, so the largest bound is at a corner, or where two or three of the bounds are equal. If
// fourteen evaluations do not suffice (triangles much larger than their depth), descent is used. Thread-safe.
#pragma once

#include <fathom/base/rounding.h>
#include <fathom/field/field.h>
#include <fathom/field/mesh/mesh_field.h>
#include <fathom/geometry/surface_tree/surface_tree.h>

#include <algorithm>
#include <array>

namespace fathom::mesh_field {

// ---- The minimum of a field on a triangle, by descent: spectral projected gradients (Birgin, Martinez & Raydan 2000),
// and cutting planes (Kelley 1960) at creases.
// Accuracy: for convex bodies, smooth or sharp, 1e-9 of the triangle size, except for one in 10^4 that ends 1e-3 from
// the minimum. Other fields have several local minima, and this finds one of them.
// Cost: four field evaluations, plus one or two on smooth fields, about ten on boxes. Thread-safe.

struct TriangleMinimum {
    Vec3 point = Vec3::Zero();
    Sample sample; // of the field at `point`
    std::size_t evaluations = 0;
};

// In the field's frame. `start` is a point of the triangle and `value` the field there. The corners are evaluated too,
// so the result is never larger than the value at any of them.
[[nodiscard]] TriangleMinimum minimum_on_triangle(const Field& field, const std::array<Vec3, 3>& corners,
                                                  const Vec3& start, double value);

// ---- A MeshField with a cache for evaluations at nearby points: each evaluation starts with the surface point that
// the previous one found, and the first few results are kept. Values are those of the field, to the bit, at half the
// cost.
// Private to this folder. One object serves one triangle; it is not thread-safe.
// The mesh must outlive it.

// One evaluation of a MeshField.
struct MeshEvaluation {
    Vec3 at = Vec3::Zero();
    MeshField::Nearest found{};

    // Upper bound on the distance of the surface from p (m).
    [[nodiscard]] double reach(const Vec3& p) const { return outward((p - found.point).norm()); }
};

class NearbyMesh final : public Field {
public:
    // `known`: earlier evaluations, at most as many as the cache holds.
    explicit NearbyMesh(const MeshField& mesh, std::span<const MeshEvaluation> known = {}) : mesh_(mesh) {
        for (const MeshEvaluation& evaluation : known) keep(evaluation);
    }

    [[nodiscard]] double distance(const Vec3& p) const override { return sample(p).distance; }
    [[nodiscard]] Sample sample(const Vec3& p) const override {
        const auto same = std::find_if(kept_.begin(), kept_.begin() + count_,
                                       [&](const MeshEvaluation& evaluation) { return evaluation.at == p; });
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
    void keep(const MeshEvaluation& evaluation) const {
        if (count_ < kept_.size()) kept_[count_++] = evaluation;
        last_ = evaluation;
    }

    const MeshField& mesh_;
    mutable std::array<MeshEvaluation, 5> kept_{}; // the centre and the corners of a triangle are evaluated repeatedly
    mutable std::size_t count_ = 0;
    mutable MeshEvaluation last_;
};

// In the mesh's frame. `known`: evaluations at a point of the triangle and at its corners; they are not counted again.
[[nodiscard]] TriangleMinimum minimum_on_triangle(const MeshField& mesh, const std::array<Vec3, 3>& corners,
                                                  const std::array<MeshEvaluation, 4>& known);

// Whether the field is proven to stay above `level` on the triangle. False: the evaluation limit was reached, or a
// point at or below the level was found.
[[nodiscard]] bool stays_above(const MeshField& mesh, const std::array<Vec3, 3>& corners,
                               const std::array<MeshEvaluation, 4>& known, double level);

} // namespace fathom::mesh_field
