// Triangle mesh as a field: exact distance and gradient through its bounding volume hierarchy. Slower than a grid (one
// or two microseconds per query) but exact, so it is the reference for the other fields; use it for few queries.
#pragma once

#include <fathom/field/field.h>
#include <fathom/field/mesh/mesh_sign.h>

namespace fathom {

struct MeshFieldOptions {
    // `wrap` needs a grid and is rejected here; soups become sheets instead.
    SignMethod sign = SignMethod::automatic;
    double thickness = 0; // thickness of sheets (m); half of it is subtracted from the distance
};

class MeshField final : public Field {
public:
    // Keeps its own welded copy. Throws Error as check(mesh) and check_size() do, and Error{empty} if there are no
    // triangles.
    explicit MeshField(const TriangleMesh& mesh, const MeshFieldOptions& options = {});
    // Shares a mesh, in which triangles use only one of the vertices at a position (weld.h), and the tree of this mesh.
    MeshField(std::shared_ptr<const TriangleMesh> mesh, std::shared_ptr<const SurfaceTree> tree,
              const MeshFieldOptions& options = {});
    ~MeshField() override;
    MeshField(MeshField&&) noexcept;
    MeshField& operator=(MeshField&&) noexcept;

    [[nodiscard]] double distance(const Vec3& p) const override;
    [[nodiscard]] Sample sample(const Vec3& p) const override;
    // Sphere bound: distance at the centre -+ half the diagonal. If the sign does not depend on the surface alone (open
    // meshes), the interval contains both signs.
    [[nodiscard]] Interval range(const Box& box) const override;
    [[nodiscard]] double lipschitz() const override;
    [[nodiscard]] double error_bound() const override;
    [[nodiscard]] Box domain() const override;
    [[nodiscard]] Box bounds() const override;
    [[nodiscard]] FieldTraits traits() const override;
    [[nodiscard]] Index feature_at(const Vec3& p) const override; // the closest triangle
    [[nodiscard]] std::shared_ptr<const TriangleMesh> surface() const override {
        return sign_.sealed && half_thickness_ == 0 ? mesh_ : nullptr;
    }

    // Sample and closest point of the surface. Faster if the caller knows an upper bound `within` on the distance (m).
    struct Nearest {
        Sample sample{};
        Vec3 point = Vec3::Zero();
    };
    [[nodiscard]] Nearest nearest(const Vec3& p, double within = infinity) const;

    [[nodiscard]] double thickness() const { return 2 * half_thickness_; }
    [[nodiscard]] const TriangleMesh& mesh() const { return *mesh_; }
    [[nodiscard]] const SurfaceTree& tree() const { return *tree_; }
    [[nodiscard]] const SignChoice& sign() const { return sign_; }
    [[nodiscard]] const InsideTest& inside() const { return *inside_; }
    [[nodiscard]] std::size_t memory_bytes() const; // without the mesh and the tree

private:
    std::shared_ptr<const TriangleMesh> mesh_;
    std::shared_ptr<const SurfaceTree> tree_;
    SignChoice sign_;
    std::unique_ptr<const InsideTest> inside_;
    double half_thickness_ = 0;
};

} // namespace fathom
