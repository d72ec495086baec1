// A program outside the project, as a user would write it: installed public headers only, one target.
#include <fathom/fathom.h>
#include <fathom/simulate/scene/simulation.h>

#include <cstdio>
#include <fstream>

int main() {
    using namespace fathom;
    TetMesh mesh;
    mesh.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    mesh.tetrahedra = {{0, 2, 1, 3}};
    const std::size_t flipped = orient(mesh);
    const TriangleMesh surface = boundary(mesh);
    std::printf("fathom %s: flipped %zu, %zu boundary triangles\n", version, flipped, surface.triangles.size());

    const Shape tetrahedron(mesh), ball(std::make_shared<AnalyticField>(shapes::sphere(0.5)));
    const bool near = collide(tetrahedron, {}, ball, {}).status == Status::overlapping;
    const DistanceResult far = distance(tetrahedron, {}, ball, Pose::from_translation({0, 0, 3}));
    std::printf("overlapping %d; at a distance in [%.4f, %.4f] m\n", near, far.lower_bound, far.upper_bound);

    std::ofstream("scene.toml") << "duration = 0.01\n[[body]]\nshape = \"box\"\nposition = [0, 0, 2]\n";
    Simulation simulation(std::filesystem::path("scene.toml"));
    simulation.run();
    std::printf("simulated %zu steps\n", simulation.world().steps());

    const bool expected = flipped == 1 && surface.triangles.size() == 4 && near && far.lower_bound <= 1.5 &&
                          far.upper_bound >= 1.5 - 1e-9 && simulation.finished() && simulation.world().steps() > 0;
    return expected ? 0 : 1;
}
