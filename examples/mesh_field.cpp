// From a mesh to a grid of distances: build it, ask it, prove something with it, mesh it again.
#include <fathom/field/grid/contour.h>
#include <fathom/field/mesh/grid_builder.h>
#include <fathom/geometry/generate/generate.h>

#include <cstdio>

int main() {
    const fathom::TriangleMesh creature = fathom::make_creature({.triangles = 20000});
    fathom::GridReport report;
    const fathom::GridField field = fathom::build_grid(creature, {.resolution = 128}, &report);
    std::printf("%zu bricks stored, %.1f MB; sign: %s\n", report.stored_bricks,
                1e-6 * static_cast<double>(report.bytes), report.sign.reason.c_str());

    const fathom::Sample at = field.sample(field.bounds().upper);
    std::printf("from the corner: %.3f m to go, along (%.2f, %.2f, %.2f)\n", at.distance, -at.gradient.x(),
                -at.gradient.y(), -at.gradient.z());

    const fathom::Box corner{field.domain().upper - fathom::Vec3::Constant(0.02), field.domain().upper};
    const bool free = field.range(corner).lower > field.error_bound();
    std::printf("the last 2 cm of the grid's corner are free: %s\n", free ? "proven" : "not proven");

    const fathom::TriangleMesh grown = fathom::contour(field, {.level = 0.02});
    std::printf("2 cm outside of it: %zu triangles\n", grown.triangles.size());
    return at.distance > 0 && !grown.triangles.empty() ? 0 : 1;
}
