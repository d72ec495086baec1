// Geometry, prescribed motion and free motion of bodies.
#include <fathom/simulate/contact/body.h>

#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/detect/point_field/shell_sweep.h>
#include <fathom/geometry/sample/point_shell.h>
#include <fathom/response/contact_path.h>

#include <Eigen/LU>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace fathom {

// ---- Geometry

namespace {

FieldPtr grid_of(const TriangleMesh& mesh, const BodyShapeOptions& options) {
    if (options.cached) return std::make_shared<GridField>(cached_grid(mesh, options.grid).file.field);
    return std::make_shared<GridField>(build_grid(mesh, options.grid));
}

double reach_of(std::span<const Vec3> vertices, const Vec3& center) {
    double square = 0;
    for (const Vec3& v : vertices) square = std::max(square, (v - center).squaredNorm());
    return std::sqrt(square);
}

} // namespace

const TriangleMesh& BodyShape::mesh() const {
    static const TriangleMesh none;
    return has_surface(shape.kind()) ? shape.mesh() : none;
}

std::span<const Vec3> BodyShape::points() const {
    return shell ? std::span<const Vec3>(shell->points().points) : std::span<const Vec3>();
}

BodyShapePtr make_body_shape(TriangleMesh mesh, const BodyShapeOptions& options) {
    check(mesh);
    const MassProperties mass = mass_properties(mesh);
    if (!(mass.volume > 0))
        throw Error(Cause::invalid_argument,
                    fmt::format("the mesh encloses a volume of {} m^3; a positive volume is required", mass.volume),
                    {.element = "mesh"});
    PointShell points = options.points > 0 ? repelled_shell(mesh, {.count = options.points}) : vertex_shell(mesh);
    const FieldPtr grid = grid_of(mesh, options);
    const double reach = reach_of(mesh.vertices, mass.center) + grid->near_error_bound();
    // The grid decides what is inside, so the mesh is a surface.
    return std::make_shared<BodyShape>(BodyShape{Shape(std::move(mesh), MeshInside::open), Shape(grid),
                                                 Shape(std::move(points.points)), std::move(points.normals), mass,
                                                 reach});
}

BodyShapePtr make_body_shape(Shape shape, std::optional<Shape> field) {
    const Box bounds = field ? field->bounds() : shape.bounds();
    MassProperties mass;
    if (!bounds.empty() && bounds.size().allFinite()) mass.center = bounds.center();
    const double reach = bounds.empty() ? 0 : 0.5 * bounds.size().norm();
    return std::make_shared<BodyShape>(
        BodyShape{.shape = std::move(shape), .field = std::move(field), .mass = mass, .reach = reach});
}

// ---- Prescribed motion

Pose MotionPath::at(double time) const {
    if (keys.empty()) return {};
    const auto next =
        std::upper_bound(keys.begin(), keys.end(), time, [](double t, const MotionKey& key) { return t < key.time; });
    if (next == keys.begin()) return next->pose;
    if (next == keys.end()) return keys.back().pose;
    const MotionKey &a = *std::prev(next), &b = *next;
    const double share = (time - a.time) / (b.time - a.time);
    return {a.pose.rotation.slerp(share, b.pose.rotation).normalized(),
            a.pose.translation + share * (b.pose.translation - a.pose.translation)};
}

void check(const MotionPath& path) {
    for (std::size_t k = 0; k < path.keys.size(); ++k) {
        const Place place{.element = "key frame", .index = static_cast<std::int64_t>(k)};
        if (!std::isfinite(path.keys[k].time) || !is_finite(path.keys[k].pose))
            throw Error(Cause::non_finite, "time or pose is not finite", place);
        if (k > 0 && !(path.keys[k].time > path.keys[k - 1].time))
            throw Error(Cause::invalid_argument, "time is not later than that of the previous key frame", place);
    }
}

bool Body::stationary() const {
    if (fixed || !path.keys.empty()) return path.keys.size() < 2;
    return velocity.isZero(0) && spin.isZero(0) && sway.isZero(0);
}

Pose Body::pose_at(double time) const {
    if (!path.keys.empty()) return path.at(time);
    if (fixed) return pose;
    Pose now = pose;
    now.translation += time * velocity + std::sin(2 * std::numbers::pi * time / sway_period) * sway;
    const double turned = spin.norm() * time;
    if (turned != 0) now.rotation = (Quat(Eigen::AngleAxisd(turned, spin.normalized())) * now.rotation).normalized();
    return now;
}

void check_motion(const Body& body) {
    const std::string name = fmt::format("body '{}'", body.name);
    if (!body.shape) throw Error(Cause::invalid_argument, "has no shape", {.element = name});
    if (!is_finite(body.pose) || !is_finite(body.velocity) || !is_finite(body.spin) || !is_finite(body.sway))
        throw Error(Cause::non_finite, "its pose or motion is not finite", {.element = name});
    if (!(body.sway_period > 0) || !std::isfinite(body.sway_period))
        throw Error(Cause::invalid_argument, "sway_period is not positive", {.element = name});
    check(body.path);
}

RecordedBody recorded(const Body& body) {
    const TriangleMesh& mesh = body.shape->mesh();
    return {body.name,
            {body.shape, &mesh},
            mesh.vertices.empty() ? body.shape->solid().field() : nullptr,
            body.shape->mass.center,
            body.fixed};
}

std::vector<PointInside> points_inside(const Shape& solid, const Pose& pose, std::span<const Vec3> points) {
    constexpr std::size_t chunk = 1024;
    std::vector<PointInside> all;
    const Field& field = *solid.field();
    parallel_append(points.size(), chunk, all, [&](std::size_t k, std::vector<PointInside>& found) {
        const Sample sample = field.sample(pose.to_local(points[k]));
        const double steepness = sample.gradient.norm();
        if (sample.distance < 0 && steepness > 0)
            found.push_back({static_cast<Index>(k), pose.rotate(sample.gradient / steepness), -sample.distance});
    });
    return all;
}

// ---- State

BodyMass::BodyMass(const Body& body) {
    if (body.fixed) return;
    mass = body.density * body.shape->mass.volume;
    inertia = body.density * body.shape->mass.inertia;
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

BodyState start_state(const Body& body, const BodyMass& mass) {
    BodyState state;
    state.rotation = body.pose.rotation.normalized();
    state.center = body.pose.translation + state.rotation * body.shape->mass.center;
    if (body.fixed) return state;
    state.velocity = body.velocity;
    state.spin = body.spin;
    state.angular_momentum = mass.world_inertia(state.rotation) * body.spin;
    return state;
}

Pose pose_of(const BodyState& state, const BodyShape& shape) {
    return {state.rotation, state.center - state.rotation * shape.mass.center};
}

void coast(BodyState& state, const BodyMass& mass, double step) {
    state.center += step * state.velocity;
    const Quat middle = turned(state.rotation, 0.5 * step * mass.spin(state.rotation, state.angular_momentum));
    state.rotation = turned(state.rotation, step * mass.spin(middle, state.angular_momentum));
    state.spin = mass.spin(state.rotation, state.angular_momentum);
}

} // namespace fathom
