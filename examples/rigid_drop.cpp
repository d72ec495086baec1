// Rigid body simulation: a torus falls on the ground, bounces and comes to rest.
#include <fathom/field/analytic/analytic_expression.h>
#include <fathom/field/analytic/analytic_field.h>
#include <fathom/geometry/generate/generate.h>
#include <fathom/simulate/rigid/rigid_world.h>

#include <cstdio>

int main() {
    using namespace fathom;
    RigidWorld world({.step = 1e-3});
    const auto ground = std::make_shared<AnalyticField>(parse_shape("plane(0, 0, 1, 0)"));
    world.add({.shape = make_body_shape(Shape(ground)), .name = "ground", .fixed = true});
    const Index torus = world.add({.shape = make_body_shape(make_torus(), {.grid = {.resolution = 48}, .points = 500}),
                                   .name = "torus",
                                   .pose = Pose::from_axis_angle(0.5, Vec3::UnitX(), {0, 0, 1.5}),
                                   .damping = 80});
    for (int k = 0; k < 2400; ++k) {
        world.step();
        if (k % 400 == 0)
            std::printf("%.2f s: height %.3f m, %zu contacts, energy %.1f J\n", world.time(),
                        world.pose(torus).translation.z(), world.contacts().size(), world.energy().total());
    }
    return world.contacts().empty() ? 1 : 0;
}
