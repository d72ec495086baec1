// One rigid body: its shape, mass and state.
#pragma once

#include <fathom/base/motion.h>
#include <fathom/detect/point_field/shell_sweep.h>
#include <fathom/field/mesh/grid_builder.h>
#include <fathom/geometry/mesh/triangle_mesh.h>
#include <fathom/response/contact_path.h>
#include <fathom/response/wrench.h>

#include <memory>
#include <string>
#include <vector>

namespace fathom {

// Geometry of a rigid body: points for contact, a field for contact with points of others, and mass properties.
// Made once and shared by equal bodies; immutable and thread-safe.

struct BodyShape {
    std::unique_ptr<const point_field::SweepShell> shell; // null: no points, so it cannot touch other fields
    std::vector<Vec3> normals;                            // of the points: unit, outward
    std::unique_ptr<const SegmentCaster> caster; // of the field at level 0; null: no field, so points cannot touch it
    TriangleMesh mesh;                           // for pictures; empty for analytic fields
    double area = 0;                             // m^2
    double volume = 0;                           // m^3
    Vec3 center = Vec3::Zero();                  // centre of mass in the frame of points and field (m)
    Mat3 inertia = Mat3::Zero();                 // about the centre, for a density of 1 kg/m^3 (m^5)
    double reach = 0;                            // radius of the body about its centre (m); infinity if unbounded

    [[nodiscard]] std::size_t point_count() const { return shell ? shell->points.size() : 0; }
};
using BodyShapePtr = std::shared_ptr<const BodyShape>;

struct BodyShapeOptions {
    GridOptions grid{.resolution = 96};
    std::size_t points = 0; // number of shell points, evenly distributed; 0: the vertices
    bool cached = false;    // keep the grid in the field cache (cached_grid() in grid_builder.h)
};

// Throws Error as build_grid() and the shells do; Error{invalid_argument} if the mesh does not enclose a positive
// volume.
[[nodiscard]] BodyShapePtr make_body_shape(TriangleMesh mesh, const BodyShapeOptions& options = {});

// For static bodies: a field alone, such as the ground.
[[nodiscard]] BodyShapePtr make_field_shape(FieldPtr field);

// Definition of a body by the caller. The points of a body have its stiffness and damping; the friction of a pair is
// the geometric mean.
struct RigidBody {
    BodyShapePtr shape;
    std::string name{};
    Pose pose{};                  // of the shape's frame
    Vec3 velocity = Vec3::Zero(); // of the centre of mass (m/s, world)
    Vec3 spin = Vec3::Zero();     // rad/s, world
    double density = 1000;        // kg/m^3
    double stiffness = 1e4;       // N/m per point
    double damping = 10;          // N s/m per point
    double friction = 0.3;
    bool fixed = false; // static: never moves; velocities are ignored
};

// State of a body in a simulation. The angular momentum is the state variable and the spin is derived from it, so that
// free bodies preserve it to the last digit and the gyroscopic term needs no separate step.
struct BodyState {
    Vec3 center = Vec3::Zero(); // centre of mass (m, world)
    Quat rotation = Quat::Identity();
    Vec3 velocity = Vec3::Zero();
    Vec3 spin = Vec3::Zero();
    Vec3 angular_momentum = Vec3::Zero(); // about the centre (kg m^2/s, world)
    bool asleep = false;
    int calm_steps = 0;
};

// Mass and inertia with their inverses.
struct BodyMass {
    double mass = 0;                                             // kg; 0 for fixed bodies
    Mat3 inertia = Mat3::Zero(), inverse_inertia = Mat3::Zero(); // body axes

    BodyMass() = default;
    explicit BodyMass(const RigidBody& body);

    [[nodiscard]] Mat3 world_inertia(const Quat& rotation) const;
    [[nodiscard]] Vec3 spin(const Quat& rotation, const Vec3& angular_momentum) const;
    [[nodiscard]] double kinetic_energy(const BodyState& state) const; // J
};

[[nodiscard]] BodyState start_state(const RigidBody& body, const BodyMass& mass);
[[nodiscard]] Pose pose_of(const BodyState& state, const BodyShape& shape);

// Moves the body for `step` seconds at its current velocity, and rotates it by the spin at the middle of the step, so
// that the energy error of a free top is of order step^2. The quaternion stays normalized.
void coast(BodyState& state, const BodyMass& mass, double step);

} // namespace fathom
