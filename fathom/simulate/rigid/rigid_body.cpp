// Mass and free motion of one body.
#include <fathom/simulate/rigid/rigid_body.h>

#include <fathom/base/error.h>
#include <fathom/field/mesh/grid_builder.h>
#include <fathom/geometry/mesh/mass_properties.h>
#include <fathom/geometry/sample/point_shell.h>

#include <Eigen/LU>
#include <fmt/format.h>

namespace fathom {

// Combines shell, field and mass of a mesh.

namespace {

std::shared_ptr<const GridField> grid_of(const TriangleMesh& mesh, const BodyShapeOptions& options) {
    if (options.cached) return std::make_shared<GridField>(cached_grid(mesh, options.grid).file.field);
    return std::make_shared<GridField>(build_grid(mesh, options.grid));
}

double reach_of(std::span<const Vec3> vertices, const Vec3& center) {
    double square = 0;
    for (const Vec3& v : vertices) square = std::max(square, (v - center).squaredNorm());
    return std::sqrt(square);
}

} // namespace

BodyShapePtr make_body_shape(TriangleMesh mesh, const BodyShapeOptions& options) {
    check(mesh);
    auto shape = std::make_shared<BodyShape>();
    const MassProperties mass = mass_properties(mesh);
    if (!(mass.volume > 0))
        throw Error(Cause::invalid_argument,
                    fmt::format("the mesh encloses a volume of {} m^3; a positive volume is required", mass.volume),
                    {.element = "mesh"});
    shape->area = mass.area;
    shape->volume = mass.volume;
    shape->center = mass.center;
    shape->inertia = mass.inertia;
    PointShell points = options.points > 0 ? repelled_shell(mesh, {.count = options.points}) : vertex_shell(mesh);
    const auto grid = grid_of(mesh, options);
    shape->reach = reach_of(mesh.vertices, mass.center) + grid->near_error_bound();
    shape->normals = std::move(points.normals);
    shape->shell = std::make_unique<point_field::SweepShell>(std::move(points.points));
    shape->caster = std::make_unique<SegmentCaster>(grid);
    shape->mesh = std::move(mesh);
    return shape;
}

BodyShapePtr make_field_shape(FieldPtr field) {
    if (!field) throw Error(Cause::invalid_argument, "the field is missing", {.element = "field"});
    auto shape = std::make_shared<BodyShape>();
    const Box bounds = field->bounds();
    if (!bounds.empty() && bounds.size().allFinite()) shape->center = bounds.center();
    shape->reach = bounds.empty() ? 0 : 0.5 * bounds.size().norm();
    shape->caster = std::make_unique<SegmentCaster>(std::move(field));
    return shape;
}

BodyMass::BodyMass(const RigidBody& body) {
    if (body.fixed) return;
    mass = body.density * body.shape->volume;
    inertia = body.density * body.shape->inertia;
    inverse_inertia = inertia.inverse();
}

Mat3 BodyMass::world_inertia(const Quat& rotation) const {
    const Mat3 r = rotation.toRotationMatrix();
    return r * inertia * r.transpose();
}

Vec3 BodyMass::spin(const Quat& rotation, const Vec3& angular_momentum) const {
    return rotation * (inverse_inertia * (rotation.conjugate() * angular_momentum));
}

double BodyMass::kinetic_energy(const BodyState& state) const {
    return 0.5 * mass * state.velocity.squaredNorm() + 0.5 * state.angular_momentum.dot(state.spin);
}

BodyState start_state(const RigidBody& body, const BodyMass& mass) {
    BodyState state;
    state.rotation = body.pose.rotation.normalized();
    state.center = body.pose.translation + state.rotation * body.shape->center;
    if (body.fixed) return state;
    state.velocity = body.velocity;
    state.spin = body.spin;
    state.angular_momentum = mass.world_inertia(state.rotation) * body.spin;
    return state;
}

Pose pose_of(const BodyState& state, const BodyShape& shape) {
    return {state.rotation, state.center - state.rotation * shape.center};
}

void coast(BodyState& state, const BodyMass& mass, double step) {
    state.center += step * state.velocity;
    const Quat middle = turned(state.rotation, 0.5 * step * mass.spin(state.rotation, state.angular_momentum));
    state.rotation = turned(state.rotation, step * mass.spin(middle, state.angular_momentum));
    state.spin = mass.spin(state.rotation, state.angular_momentum);
}

} // namespace fathom
