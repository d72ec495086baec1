// A mesh in the frame of a field: descent on its triangles, and proofs that they stay clear.
#include <fathom/detect/mesh_field/mesh_in_field_frame.h>

#include <fathom/base/rounding.h>
#include <fathom/geometry/primitive/closest_point.h>
#include <fathom/geometry/surface_tree/surface_tree.h>

#include <algorithm>
#include <cmath>

namespace fathom::mesh_field {

namespace {

constexpr std::size_t min_cuts = 64; // evaluations granted to every open triangle, whatever the limit
constexpr double longest_range = 4;  // in FieldTraits::cheap_range

} // namespace

MeshInFieldFrame::MeshInFieldFrame(const TriangleSphereTree& mesh, const Pose& mesh_pose, const Field& field,
                                   const Pose& field_pose, double margin, double tolerance)
    : mesh_(mesh), field_(field), mesh_field_(dynamic_cast<const MeshField*>(&field)), field_pose_(field_pose),
      clear_(field, margin) {
    const Pose pose = relative(field_pose, mesh_pose);
    rotation_ = pose.rotation.toRotationMatrix();
    move_ = pose.translation;
    const Sphere all = mesh.tree().sphere(mesh.tree().nodes()[0]);
    error_ = position_rounding(move_.norm(), all.center.norm(), mesh.reach(0), field_pose.translation.norm(),
                               mesh_pose.translation.norm());
    tolerance_ = tolerance > 0 ? tolerance : 2e-6 * mesh.reach(0);
    longest_range_ = longest_range * field.traits().cheap_range;
    depth_error_ = field.near_error_bound();
}

TriangleMinimum MeshInFieldFrame::least(std::size_t place, const Vec3& start, double value) const {
    const Corners at = corners(place);
    if (!mesh_field_) return minimum_on_triangle(field_, at, start, value);
    std::array<MeshEvaluation, 4> known;
    known[0] = {start, mesh_field_->nearest(start)};
    for (std::size_t k = 0; k < 3; ++k) known[k + 1] = {at[k], mesh_field_->nearest(at[k], known[k].reach(at[k]))};
    TriangleMinimum result = minimum_on_triangle(*mesh_field_, at, known);
    result.evaluations += known.size();
    return result;
}

void MeshInFieldFrame::set_minimum(TriangleInFieldFrame& triangle, const TriangleMinimum& least) const {
    triangle.least = least;
    triangle.descended = true;
    triangle.touches = least.sample.distance <= margin();
}

void MeshInFieldFrame::descend(TriangleInFieldFrame& triangle) const {
    set_minimum(triangle, least(triangle.place, triangle.center, triangle.value));
}

void MeshInFieldFrame::descend(TriangleInFieldFrame& triangle, const std::array<MeshEvaluation, 4>& known) const {
    set_minimum(triangle, minimum_on_triangle(*mesh_field_, corners(triangle.place), known));
}

void MeshInFieldFrame::prove(std::span<TriangleInFieldFrame* const> open, double level,
                             std::size_t max_evaluations) const {
    if (open.empty()) return;
    const ClearanceRadius clear = level == margin() ? clear_ : ClearanceRadius(field_, level);
    const std::size_t share = std::max(min_cuts, max_evaluations / open.size());
    each_triangle(open.size(), [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) prove(*open[k], clear, share);
    });
}

void MeshInFieldFrame::prove(TriangleInFieldFrame& triangle, const ClearanceRadius& clear,
                             std::size_t max_evaluations) const {
    std::vector<Corners> open = {corners(triangle.place)};
    const auto spend = [&](std::size_t evaluations) {
        triangle.least.evaluations += evaluations;
        max_evaluations -= std::min(max_evaluations, evaluations);
    };
    while (!open.empty()) {
        const Corners piece = open.back();
        open.pop_back();
        const Sphere sphere = enclosing_sphere(piece);
        const double value = field_.distance(sphere.center);
        spend(1);
        if (value <= clear.level()) {
            const std::size_t before = triangle.least.evaluations;
            triangle.least = least(triangle.place, sphere.center, value);
            triangle.least.evaluations += before;
            triangle.touches = true;
            return;
        }
        if (clear(value) > sphere.radius + error_) continue;
        Box box;
        for (const Vec3& corner : piece) box.extend(corner);
        if (box.diagonal() <= longest_range_) {
            spend(1);
            if (field_.range(box.grown(error_)).lower > clear.level()) continue;
        }
        const std::size_t k = longest_edge(piece);
        const Vec3 &p = piece[k], &q = piece[(k + 1) % 3], &apex = piece[(k + 2) % 3];
        if (max_evaluations == 0 || !((p - q).norm() > tolerance_)) return; // stays open
        const Vec3 middle = 0.5 * p + 0.5 * q;
        open.push_back({p, middle, apex});
        open.push_back({middle, q, apex});
    }
    triangle.cleared = true;
}

MeshContact MeshInFieldFrame::contact(const TriangleInFieldFrame& triangle) const {
    const Corners at = corners(triangle.place);
    MeshContact result;
    result.triangle = mesh_.triangle(triangle.place);
    result.barycentric = closest_point(triangle.least.point, at).barycentric;
    result.point = field_pose_ * triangle.least.point;
    result.depth = -triangle.least.sample.distance;
    Vec3 out = triangle.least.sample.gradient;
    if (!(out.norm() > 0)) out = -area_vector(at); // the gradient is zero: use the normal of the triangle
    if (!(out.norm() > 0)) out = -Vec3::UnitZ();
    result.normal = field_pose_.rotate(-out.normalized());
    return result;
}

} // namespace fathom::mesh_field
