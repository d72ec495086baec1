// Collision detection with depth maps: a ship flies past obstacles, with projection directions chosen for the ship;
// then particles bounce off its hull.
#include <fathom/detect/depth/depth_backend.h>
#include <fathom/detect/depth/depth_collide.h>
#include <fathom/detect/depth/depth_directions.h>
#include <fathom/geometry/generate/generate.h>
#include <fathom/simulate/particles/particles.h>

#include <cstdio>

using namespace fathom;

int main() {
    const auto backend = make_depth_backend(); // OpenGL on a graphics card, else the CPU
    const TriangleMesh ship = make_spaceship({.triangles = 4'000, .length = 2});

    // Once per object: choose the directions and check whether depth maps represent the object.
    const DirectionReport report = choose_directions(*backend, ship);
    std::printf("rendered by %s; %zu directions, %.1f %% of the hull visible: %s\n", backend->name().c_str(),
                report.chosen.size(), 100 * report.seen,
                report.compliant ? "compliant" : "not compliant, some concavities count as solid");
    DepthObject object(*backend, ship, report.projections());

    // Every frame: the maps of the ship are reused; the obstacles are rendered relative to the ship.
    const auto ring = std::make_shared<DrawnMesh>(make_torus({.radius = 1, .tube = 0.2})),
               rock = std::make_shared<DrawnMesh>(make_sphere({0.8, 12}));
    const std::vector<DrawnBody> obstacles = {
        {.mesh = ring, .pose = Pose::from_axis_angle(1.57, Vec3::UnitY(), {1, 0.4, 0}), .id = 1},
        {.mesh = rock, .pose = Pose::from_translation({4, 0.9, 0}), .id = 2}};
    std::size_t met = 0;
    for (double x = -4; x <= 8; x += 1) {
        const DepthCollision found = collide(object, Pose::from_translation({x, 0, 0}), obstacles);
        met += found.status == Status::overlapping;
        for (const DepthBodyHit& hit : found.bodies)
            std::printf(
                "  x = %4.1f m: body %u, %4zu pixels, %.3f m deep, normal (%5.2f, %5.2f, %5.2f), within %.4f m\n", x,
                hit.body, hit.pixels, hit.depth, hit.surface_normal.x(), hit.surface_normal.y(), hit.surface_normal.z(),
                found.tolerance);
    }

    // Proof of "disjoint" between the two obstacles by conservative rasterization, which only the CPU backend supports.
    const auto cpu = make_cpu_depth_backend();
    DepthObject careful(*cpu, ship, report.projections(), {.conservative = true});
    const bool proven = collide(careful, Pose::from_translation({3, 0, 0}), obstacles, {.conservative = true}).proven;
    std::printf("collisions at %zu of 13 positions; disjoint at x = 3 m: %s\n", met, proven ? "proven" : "not proven");

    // All particles share one depth map of the hull.
    ParticleWorld sparks(
        {{.center = {0, 0, 1.5}, .direction = -Vec3::UnitZ(), .radius = 0.5, .rate = 20'000, .speed = 2}},
        {{.shape = make_body_shape(Shape(ship)), .name = "hull"}},
        {.restitution = 0.6, .view_direction = -Vec3::UnitZ(), .pixels = 256});
    std::size_t bounces = 0;
    for (int k = 0; k < 60; ++k) {
        sparks.step();
        bounces += sparks.report().bounces;
    }
    std::printf("%zu particles, %zu bounces in one second\n", sparks.positions().size(), bounces);
    return met > 2 && met < 13 && proven && bounces > 100 ? 0 : 1;
}
