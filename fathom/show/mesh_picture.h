// Shaded images of meshes, rendered on the CPU, for reports and demos.
// Orthographic projection, z up, two-sided; back faces have another colour, so that inverted parts and holes are
// visible. O(pixels + triangles); the same bytes on every run.
#pragma once

#include <fathom/base/pose.h>
#include <fathom/geometry/mesh/triangle_mesh.h>
#include <fathom/show/image.h>

#include <numbers>
#include <span>

namespace fathom {

struct View {
    int width = 640;                               // pixels
    int height = 480;                              // pixels
    double azimuth = 0.6;                          // of the camera about z, from +x (rad)
    double elevation = 0.45;                       // of the camera above the horizon (rad)
    double margin = 0.06;                          // empty border as a fraction of the image
    double crease = 35.0 * std::numbers::pi / 180; // edges with a larger dihedral turn are not smoothed (rad)
    Color surface = {120, 170, 210};
    Color back = {205, 110, 90};
    Color background = {250, 250, 248};
    Color mark = {200, 30, 40};
    double mark_size = 3;          // radius of points, half width of lines (pixels)
    std::span<const Vec3> frame{}; // points that the image must contain (m); empty: everything that is drawn
};

// Points and segments that are drawn over the surface unless it hides them.
struct Marks {
    std::span<const Vec3> points;
    std::span<const std::array<Vec3, 2>> segments;
    std::span<const Vec3f> dots{};       // points of one pixel each
    std::span<const Color> dot_colors{}; // one for each dot, or one for all dots
};

[[nodiscard]] Image draw(const TriangleMesh& mesh, const View& view = {}, const Marks& marks = {});

// One of several meshes of an image, with its pose and colour.
struct PlacedMesh {
    const TriangleMesh* mesh = nullptr;
    Pose pose;
    Color color = {120, 170, 210};
};
[[nodiscard]] Image draw(std::span<const PlacedMesh> meshes, const View& view = {}, const Marks& marks = {});

} // namespace fathom
