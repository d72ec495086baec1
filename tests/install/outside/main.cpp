// An outside program, as a user would write it: only installed headers, one target.
#include <fathom/base/interval.h>
#include <fathom/base/version.h>
#include <fathom/geometry/mesh/tet_mesh.h>

#include <cstdio>

int main() {
    fathom::TetMesh mesh;
    mesh.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    mesh.tetrahedra = {{0, 2, 1, 3}};
    const std::size_t flipped = fathom::orient(mesh);
    const fathom::TriangleMesh surface = fathom::boundary(mesh);
    std::printf("fathom %s: flipped %zu, %zu boundary triangles\n", fathom::version, flipped, surface.triangles.size());
    return flipped == 1 && surface.triangles.size() == 4 ? 0 : 1;
}
