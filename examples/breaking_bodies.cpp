// A tetrahedral ball falls on a membrane that is fixed at its border. A weak membrane tears and lets the ball through,
// a strong one makes it bounce.
#include <fathom/geometry/generate/generate.h>
#include <fathom/simulate/tets/tet_world.h>

#include <cstdio>

using namespace fathom;

namespace {

TetWorldBody ball() {
    TetWorldBody body{.name = "ball", .mesh = make_tet_ball({.radius = 0.25, .resolution = 3})};
    for (Vec3& v : body.mesh.vertices) v += Vec3(0.01, 0.02, 0.3);
    body.material = {.density = 500, .stretch = 2e5, .volume = 2e5, .damping_time = 1e-3};
    body.velocity = {0, 0, -3};
    return body;
}

TetWorldMembrane sheet(double strain_limit) {
    TetWorldMembrane membrane;
    membrane.surface.name = "sheet";
    membrane.surface.mesh = make_cloth({.size = {1.2, 1.2}, .cells = {14, 14}});
    membrane.surface.material = {.density = 2, .stretch = 6e3, .bending = 100, .area = 1e3, .damping_time = 2e-3};
    for (Index v = 0; v < membrane.surface.mesh.vertices.size(); ++v)
        if (membrane.surface.mesh.vertices[v].cwiseAbs().maxCoeff() > 0.599)
            membrane.surface.fixed_vertices.push_back(v);
    membrane.breaking = MembraneBreakOptions{.strain = strain_limit};
    return membrane;
}

// Height of the ball after 0.3 s (m).
double drop(double strain_limit) {
    TetWorldOptions options;
    options.springs.step = 2e-3;
    options.springs.stepping = SpringStepping::backward_euler;
    options.springs.contact = {.scaling = ContactScaling::area, .stiffness = 2e6, .damping_ratio = 0.1};
    TetWorld world({ball()}, {sheet(strain_limit)}, {}, options);
    for (int k = 0; k < 150; ++k) world.step();
    const double height = bounds(world.body(0)).center().z();
    std::printf(
        "strain limit %5.1f: height of the ball %5.2f m; %zu springs broken, membrane in %zu pieces; %.0f %% of the "
        "time in collision detection\n",
        strain_limit, height, world.statistics().broken, world.pieces(1), 100 * world.statistics().collision_share());
    return height;
}

} // namespace

int main() {
    const double through = drop(0.2), held = drop(100);
    return through < -0.4 && held > through ? 0 : 1;
}
