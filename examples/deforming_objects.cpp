// Collision of two deformable balls: vertices inside, intersecting triangles and time of impact; then a simulation with
// springs in which the balls bounce.
#include <fathom/detect/world/surface_pairs.h>
#include <fathom/geometry/generate/generate.h>
#include <fathom/simulate/surface/deforming_world.h>

#include <cstdio>

using namespace fathom;

namespace {

TriangleMesh ball_at(double x) {
    return mapped(make_sphere({0.5, 8}), [&](const Vec3& v) { return Vec3(v + Vec3(x, 0, 0)); });
}

} // namespace

int main() {
    // Detection only: the caller moves the vertices.
    deformable::SurfacePairs pairs({.vertices = deformable::CollidingVertexOptions{},
                                    .sweep = deformable::SurfaceSweepOptions{.goal = deformable::ImpactGoal::first}});
    const TriangleMesh left = ball_at(-0.6), right = ball_at(0.6), moved = ball_at(0.3);
    World bodies;
    std::vector<deformable::DeformingSurface> surfaces;
    for (const TriangleMesh& mesh : {left, right}) {
        surfaces.emplace_back(mesh);
        bodies.add(Box{}); // find() sets the bounds
    }
    surfaces[1].place(right.vertices, moved.vertices); // motion during one step
    pairs.find(bodies, surfaces);
    for (const deformable::BodyContacts& pair : pairs.contacts())
        std::printf("bodies %u and %u: %zu vertices inside, %zu intersecting triangle pairs, first contact at %.3f of "
                    "the step\n",
                    pair.bodies[0], pair.bodies[1], pair.vertices.vertices.size(), pair.triangles.contacts.size(),
                    pair.sweep.time);

    // The same with springs that deform the balls and penalty forces that separate them.
    DeformingOptions options;
    options.springs.step = 2e-3;
    options.springs.gravity = Vec3::Zero();
    options.springs.unstable = UnstableStep::divide;
    options.springs.contact.damping_ratio = 0.05;
    const SurfaceMaterial rubber{.stretch = 2000, .bending = 2000, .area = 2000};
    DeformingWorld world({{.name = "left", .mesh = left, .material = rubber, .velocity = {0.5, 0, 0}},
                          {.name = "right", .mesh = right, .material = rubber, .velocity = {-0.5, 0, 0}}},
                         {}, options);
    const double energy = world.energy().total();
    std::size_t touching = 0;
    for (int k = 0; k < 500; ++k) {
        world.step();
        touching += world.contacts().empty() ? 0 : 1;
    }
    const double apart = (bounds(world.vertices(1)).center() - bounds(world.vertices(0)).center()).x();
    std::printf(
        "in contact for %zu of 500 steps; distance of the centres %.2f m; energy %.3f J initially, %.3f J finally\n",
        touching, apart, energy, world.energy().total());
    return touching > 0 && world.energy().total() < 1.01 * energy ? 0 : 1;
}
