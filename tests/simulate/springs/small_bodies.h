// Bodies for the tests of simulation: built in milliseconds.
#pragma once

#include <fathom/base/random.h>
#include <fathom/field/analytic/analytic_field.h>
#include <fathom/field/analytic/primitives.h>
#include <fathom/geometry/generate/generate.h>
#include <fathom/simulate/rigid/rigid_world.h>
#include <support/small_meshes.h>

namespace fathom::testing {

[[nodiscard]] inline BodyShapePtr box_shape(const Vec3& size, int resolution = 16) {
    return make_body_shape(make_box({size, {2, 2, 2}}), {.grid = {.resolution = resolution}});
}

[[nodiscard]] inline BodyShapePtr ball_shape(double radius) {
    return make_body_shape(mapped(sphere_mesh(3), [&](const Vec3& v) { return Vec3(radius * v); }),
                           {.grid = {.resolution = 32}});
}

[[nodiscard]] inline Body ground(double friction = 0.3) {
    return {.shape = make_body_shape(Shape::half_space({0, 0, 1}, 0)),
            .name = "ground",
            .friction = friction,
            .fixed = true};
}

[[nodiscard]] inline Vec3 momentum(const RigidWorld& world) {
    Vec3 sum = Vec3::Zero();
    for (std::size_t k = 0; k < world.bodies().size(); ++k)
        sum += BodyMass(world.bodies()[k]).mass * world.states()[k].velocity;
    return sum;
}

// About the origin of the world.
[[nodiscard]] inline Vec3 angular_momentum(const RigidWorld& world) {
    Vec3 sum = Vec3::Zero();
    for (std::size_t k = 0; k < world.bodies().size(); ++k) {
        const BodyState& s = world.states()[k];
        sum += s.angular_momentum + BodyMass(world.bodies()[k]).mass * s.center.cross(s.velocity);
    }
    return sum;
}

} // namespace fathom::testing
