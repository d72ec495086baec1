// Signed distance of a mesh on a grid: build the grid, evaluate it, prove that a box is free, and extract an
// isosurface.
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
    std::printf("at the corner: distance %.3f m, direction to the surface (%.2f, %.2f, %.2f)\n", at.distance,
                -at.gradient.x(), -at.gradient.y(), -at.gradient.z());

    const fathom::Box corner{field.domain().upper - fathom::Vec3::Constant(0.02), field.domain().upper};
    const bool free = field.range(corner).lower > field.error_bound();
    std::printf("the 2 cm cube at the corner of the grid is free: %s\n", free ? "proven" : "not proven");

    const fathom::TriangleMesh grown = fathom::contour(field, {.level = 0.02});
    std::printf("isosurface at 2 cm: %zu triangles\n", grown.triangles.size());
    return at.distance > 0 && !grown.triangles.empty() ? 0 : 1;
}
