// Collision of two fields: contacts, penetration depth and separating direction; and their distance when disjoint.
#include <fathom/detect/query/query.h>
#include <fathom/field/analytic/analytic_field.h>
#include <fathom/field/analytic/primitives.h>
#include <fathom/field/mesh/grid_builder.h>
#include <fathom/geometry/generate/generate.h>

#include <cstdio>

int main() {
    using namespace fathom;
    const Shape creature(
        std::make_shared<GridField>(build_grid(make_creature({.triangles = 20000}), {.resolution = 128})));
    const Shape ring(std::make_shared<AnalyticField>(shapes::torus(0.4, 0.12)));

    const Pose here, there = Pose::from_axis_angle(0.7, Vec3::UnitX(), {0.3, 0.1, 0.2});
    const CollideResult found = collide(creature, here, ring, there, {.goal = CollideGoal::separation});
    if (found.status != Status::overlapping || found.contacts.empty()) return 1;
    std::printf("overlapping, %zu contacts; the ring separates by %.4f m along (%.3f, %.3f, %.3f)\n",
                found.contacts.size(), found.depth, found.normal.x(), found.normal.y(), found.normal.z());
    for (const Contact& c : found.contacts)
        std::printf("  region %u: depth %.4f m at (%.3f, %.3f, %.3f), normal (%.3f, %.3f, %.3f)\n", c.region, c.depth,
                    c.point_a.x(), c.point_a.y(), c.point_a.z(), c.normal.x(), c.normal.y(), c.normal.z());

    // With the ring moved aside: proven disjoint, with a lower and an upper bound on the distance.
    const DistanceResult gap = distance(creature, here, ring, Pose::from_translation({1.5, 0, 0}));
    std::printf("moved aside: %s, distance between %.4f and %.4f m\n",
                gap.status == Status::disjoint ? "disjoint" : "not disjoint", gap.lower_bound, gap.upper_bound);
    return gap.status == Status::disjoint && gap.lower_bound <= gap.upper_bound ? 0 : 1;
}
