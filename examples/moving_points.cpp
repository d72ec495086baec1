// Contact intervals of a moving point in a field, and time of impact of a moving body.
#include <fathom/detect/point_field/shell_sweep.h>
#include <fathom/field/mesh/grid_builder.h>
#include <fathom/geometry/generate/generate.h>
#include <fathom/geometry/sample/point_shell.h>

#include <cstdio>

int main() {
    using namespace fathom;
    const TriangleMesh mesh = make_creature({.triangles = 20000});
    const auto field = std::make_shared<GridField>(build_grid(mesh, {.resolution = 128}));
    const Box box = field->bounds();
    const SegmentCaster caster(field);

    std::vector<ContactInterval> times;
    caster.all({box.center() - 2 * box.half(), box.center() + 2 * box.half()}, times);
    for (const ContactInterval& t : times)
        std::printf("the point on the diagonal is inside from time %.4f to %.4f\n", t.start, t.end);

    const point_field::SweepShell shell(vertex_shell(mesh).points); // a second creature falls on the first and rotates
    const Vec3 above(0, 0, 1.2 * box.size().z());
    const Motion fall{Pose::from_translation(above), Pose::from_axis_angle(1.0, Vec3::UnitX(), -0.5 * above)};
    point_field::ShellSweepResult result;
    sweep(shell, fall, caster, Motion::stationary({}), result, {.path = Path::screw});
    std::printf("time of impact %.6f, point %u; %zu of %zu points have contact\n", result.first.time,
                result.first.point, result.contacts.size(), shell.points.size());
    return times.empty() || result.first.status != Status::overlapping ? 1 : 0;
}
