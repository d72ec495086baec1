// The mesh itself as a field: exact distance and gradient through its tree. Slow beside a grid (a
// microsecond or two a query), exact, and the oracle of the rest; the choice when few queries are asked.
#pragma once

#include <fathom/field/field.h>
#include <fathom/field/mesh/mesh_sign.h>

namespace fathom {

struct MeshFieldOptions {
    SignMethod sign = SignMethod::automatic; // `wrap` needs a grid and is refused here; soups become sheets instead
    double thickness = 0;                    // of sheets (m): half of it is taken off the distance
};

class MeshField final : public Field {
public:
    // Keeps its own welded copy. Throws Error as check(mesh) does, and Error{empty} without triangles.
    explicit MeshField(const TriangleMesh& mesh, const MeshFieldOptions& options = {});

    [[nodiscard]] double distance(const Vec3& p) const override;
    [[nodiscard]] Sample sample(const Vec3& p) const override;
    // The ball bound: distance at the centre -+ half the diagonal. Where the sign does not hang on the surface alone
    // (open meshes), both signs.
    [[nodiscard]] Interval range(const Box& box) const override;
    [[nodiscard]] double lipschitz() const override;
    [[nodiscard]] double error_bound() const override;
    [[nodiscard]] Box domain() const override;
    [[nodiscard]] Box bounds() const override;

    // A sample, and the point of the surface that is nearest. Quicker where the caller knows how far that is at most
    // (m).
    struct Nearest {
        Sample sample{};
        Vec3 point = Vec3::Zero();
    };
    [[nodiscard]] Nearest nearest(const Vec3& p, double within = SurfaceTree::no_limit) const;

    [[nodiscard]] double thickness() const { return 2 * half_thickness_; }
    [[nodiscard]] const TriangleMesh& mesh() const { return *mesh_; }
    [[nodiscard]] const SurfaceTree& tree() const { return *tree_; }
    [[nodiscard]] const SignChoice& sign() const { return sign_; }
    [[nodiscard]] const InsideTest& inside() const { return *inside_; }

private:
    std::unique_ptr<const TriangleMesh> mesh_;
    std::unique_ptr<const SurfaceTree> tree_;
    SignChoice sign_;
    std::unique_ptr<const InsideTest> inside_;
    double half_thickness_ = 0;
};

} // namespace fathom
