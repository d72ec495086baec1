// The hello of the README: make a shape, check it, ask it questions.
#include <fathom/geometry/generate.h>
#include <fathom/geometry/mesh_report.h>
#include <fathom/geometry/surface_tree.h>

#include <cmath>
#include <cstdio>

int main() {
    const fathom::TriangleMesh mesh = fathom::make_torus();
    const fathom::MeshReport report = fathom::mesh_report(mesh);
    std::printf("%zu triangles, %s, genus %zu, volume %.4f m3\n", report.triangles, report.watertight ? "closed" : "open",
                report.genus.value_or(0), report.volume.value_or(0));

    const fathom::SurfaceTree tree(mesh);
    const fathom::Vec3 point(0.2, 0.1, 0.6);
    const fathom::ClosestPoint closest = tree.closest(point);
    std::printf("nearest triangle %u at %.4f m; the point is %s\n", closest.triangle, std::sqrt(closest.squared_distance),
                tree.contains(point) ? "inside" : "outside");
}
