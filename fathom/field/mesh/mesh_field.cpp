// Triangle mesh as a field.
#include <fathom/base/error.h>
#include <fathom/base/rounding.h>
#include <fathom/field/mesh/mesh_field.h>
#include <fathom/geometry/mesh/normals.h>
#include <fathom/geometry/mesh/weld.h>
#include <fathom/geometry/surface_tree/surface_tree.h>

#include <cmath>

namespace fathom {

namespace {

std::shared_ptr<const TriangleMesh> welded_copy(const TriangleMesh& mesh) {
    return std::make_shared<TriangleMesh>(weld(mesh, {.drop_collapsed = false, .drop_duplicates = true}).mesh);
}

} // namespace

MeshField::MeshField(const TriangleMesh& mesh, const MeshFieldOptions& options)
    : MeshField(welded_copy(mesh), nullptr, options) {}

MeshField::MeshField(std::shared_ptr<const TriangleMesh> mesh, std::shared_ptr<const SurfaceTree> tree,
                     const MeshFieldOptions& options)
    : mesh_(std::move(mesh)), tree_(std::move(tree)) {
    if (mesh_->triangles.empty()) throw Error(Cause::empty, "the mesh has no triangles");
    check_size(mesh_->vertices);
    if (!(options.thickness >= 0))
        throw Error(Cause::invalid_argument, "must not be negative", {.element = "option thickness"});
    if (options.sign == SignMethod::wrap)
        throw Error(Cause::invalid_argument, "'wrap' requires a grid field", {.element = "option sign"});
    if (!tree_) tree_ = std::make_shared<SurfaceTree>(*mesh_);
    sign_ = choose_sign(*mesh_, *tree_, options.sign);
    if (sign_.method == SignMethod::wrap) {
        sign_.method = SignMethod::thickness;
        sign_.reason = "triangle soup: treated as sheets, since 'wrap' requires a grid";
    }
    half_thickness_ = 0.5 * options.thickness;
    inside_ = std::make_unique<InsideTest>(*mesh_, *tree_, sign_);
}

std::size_t MeshField::memory_bytes() const { return sizeof(MeshField) + inside_->memory_bytes(); }

double MeshField::distance(const Vec3& p) const { return nearest(p).sample.distance; }

Sample MeshField::sample(const Vec3& p) const { return nearest(p).sample; }

MeshField::~MeshField() = default;
MeshField::MeshField(MeshField&&) noexcept = default;
MeshField& MeshField::operator=(MeshField&&) noexcept = default;

MeshField::Nearest MeshField::nearest(const Vec3& p, double within) const {
    const ClosestPoint closest = tree_->closest(p, within);
    if (!closest.found() && within < HUGE_VAL) return nearest(p); // the bound `within` was too small by rounding
    if (!closest.found()) return {{std::nan(""), Vec3::Constant(std::nan(""))}, p};
    const double unsigned_distance = std::sqrt(closest.squared_distance);
    const double sign = (*inside_)(p, closest) ? -1.0 : 1.0;
    Vec3 gradient = Vec3::Zero();
    if (unsigned_distance > 0)
        gradient = sign * (p - closest.point) / unsigned_distance;
    else
        gradient = (sign_.flipped ? -1.0 : 1.0) * unit_normal(mesh_->corners(closest.triangle));
    return {{sign * unsigned_distance - half_thickness_, gradient}, closest.point};
}

Interval MeshField::range(const Box& box) const {
    if (box.empty()) return Interval::none();
    const double radius = outward(0.5 * box.diagonal());
    const double value = distance(box.center());
    // Allowance for the rounding of positions, relative to the size of the scene.
    const double slack = 1e-13 * (std::abs(value) + radius + box.center().cwiseAbs().maxCoeff() + bounds().diagonal());
    Interval result{value - radius - slack, value + radius + slack};
    if (!sign_.sealed) {
        const double most = std::abs(value + half_thickness_) + radius + slack;
        result = hull(result, Interval{-most - half_thickness_, most - half_thickness_});
    }
    return result;
}

double MeshField::lipschitz() const { return sign_.sealed ? 1.0 : HUGE_VAL; }

double MeshField::error_bound() const { return 1e-13 * (bounds().diagonal() + bounds().center().norm()); }

Box MeshField::domain() const { return {Vec3::Constant(-HUGE_VAL), Vec3::Constant(HUGE_VAL)}; }

Box MeshField::bounds() const { return tree_->tree().bounds().grown(half_thickness_); }

FieldTraits MeshField::traits() const {
    return {.cost = EvaluationCost::search, .distance_like = true, .range_is_by_value = true};
}

Index MeshField::feature_at(const Vec3& p) const { return tree_->closest(p).triangle; }

} // namespace fathom
