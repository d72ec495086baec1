// Bodies of a simulation: a shape with a pose, a mass and a material, and the state of a rigid body.
// Rigid bodies, static obstacles of deformable bodies and kinematic bodies are all a Body; a kinematic body follows its
// prescribed motion, which contacts do not change.
#pragma once

#include <fathom/base/motion.h>
#include <fathom/detect/query/shape.h>
#include <fathom/field/mesh/grid_builder.h>
#include <fathom/geometry/mesh/mass_properties.h>
#include <fathom/response/wrench.h>
#include <fathom/simulate/record/recording.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace fathom {

// Geometry of a body. Made once and shared by equal bodies; immutable and thread-safe.
struct BodyShape {
    Shape shape; // a mesh or a field
    std::optional<Shape>
        field{}; // the field beside a mesh that contacts use instead: its grid, or what it is a mesh of
    std::optional<Shape> shell{}; // points that touch the solids of others; absent: none of its points do
    std::vector<Vec3> normals{};  // of the points of the shell: unit, outward
    MassProperties mass{};        // for a density of 1 kg/m^3; of a shape without a mass only the centre
    double reach = 0;             // radius of the body about its centre of mass (m); infinity if unbounded

    [[nodiscard]] const Shape& solid() const { return field ? *field : shape; }
    // Its surface, for pictures, particles and tetrahedra; empty if the shape is a field.
    [[nodiscard]] const TriangleMesh& mesh() const;
    [[nodiscard]] std::span<const Vec3> points() const; // of the shell
};
using BodyShapePtr = std::shared_ptr<const BodyShape>;

struct BodyShapeOptions {
    GridOptions grid{.resolution = 96};
    std::size_t points = 0; // number of shell points, evenly distributed; 0: the vertices
    bool cached = false;    // keep the grid in the field cache (cached_grid() in grid_builder.h)
};

// A mesh with a grid, a shell and a mass, as rigid bodies need them. Throws Error as build_grid() and the shells do;
// Error{invalid_argument} if the mesh does not enclose a positive volume.
[[nodiscard]] BodyShapePtr make_body_shape(TriangleMesh mesh, const BodyShapeOptions& options = {});

// Without points and mass, for static and kinematic bodies, such as the ground.
[[nodiscard]] BodyShapePtr make_body_shape(Shape shape, std::optional<Shape> field = {});

struct MotionKey {
    double time = 0; // s
    Pose pose{};
};

// Key frames with linear interpolation of the translation and spherical interpolation of the rotation.
struct MotionPath {
    std::vector<MotionKey> keys; // times increase

    // Pose at a time (s). Before the first key it is that of the first, after the last key that of the last; the
    // identity without keys. O(log keys).
    [[nodiscard]] Pose at(double time) const;
};

// Error{invalid_argument} if the times do not increase, Error{non_finite}.
void check(const MotionPath& path);

// Definition of a body by the caller. The points of a rigid body have its stiffness and damping; the friction of a pair
// is the geometric mean.
struct Body {
    BodyShapePtr shape{};
    std::string name{};
    Pose pose{};                  // of the shape's frame, at time 0
    Vec3 velocity = Vec3::Zero(); // of the centre of mass (m/s, world)
    Vec3 spin = Vec3::Zero();     // rad/s, world; of a kinematic body about the origin of its frame
    double density = 1000;        // kg/m^3
    double stiffness = 1e4;       // N/m per point
    double damping = 10;          // N s/m per point
    double friction = 0.3;
    bool fixed = false; // static: never moves; velocities are ignored
    // Of a kinematic body:
    Vec3 sway = Vec3::Zero(); // amplitude of a sinusoidal oscillation (m)
    double sway_period = 1;   // s
    MotionPath path{};        // replaces pose, velocity, spin and sway if it has keys

    // As a kinematic body.
    [[nodiscard]] bool stationary() const;
    [[nodiscard]] Pose pose_at(double time) const;
};

// Of a kinematic body. Throws Error with its name: invalid_argument if it has no shape or no period, non_finite.
void check_motion(const Body& body);

[[nodiscard]] RecordedBody recorded(const Body& body);

struct PointInside {
    Index point = no_index;
    Vec3 separating_direction = Vec3::Zero(); // unit, separating direction of the point (world)
    double depth = 0;                         // m, > 0
};

// The points inside a solid, ordered by point. Points at which its field has no gradient are omitted, since they have
// no separating direction. O(points) field evaluations, in parallel; the same bytes for any number of threads.
[[nodiscard]] std::vector<PointInside> points_inside(const Shape& solid, const Pose& pose,
                                                     std::span<const Vec3> points);

// ---- The state of a rigid body. The angular momentum is the state variable and the spin is derived from it, so that
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
    explicit BodyMass(const Body& body);

    [[nodiscard]] Mat3 world_inertia(const Quat& rotation) const;
    [[nodiscard]] Vec3 spin(const Quat& rotation, const Vec3& angular_momentum) const;
    [[nodiscard]] double kinetic_energy(const BodyState& state) const; // J
};

[[nodiscard]] BodyState start_state(const Body& body, const BodyMass& mass);
[[nodiscard]] Pose pose_of(const BodyState& state, const BodyShape& shape);

// Moves the body for `step` seconds at its current velocity, and rotates it by the spin at the middle of the step, so
// that the energy error of a free top is of order step^2. The quaternion stays normalized.
void coast(BodyState& state, const BodyMass& mass, double step);

} // namespace fathom
