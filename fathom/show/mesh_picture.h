// A shaded picture of a mesh, drawn on the CPU: for reports and demos, where a look says more than a table.
// Orthographic, z up, two-sided; back faces are tinted so that inside-out parts and holes are seen at once.
// O(pixels + triangles); the same bytes on every run.
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
    double azimuth = 0.6;                          // of the eye about z, from +x (radians)
    double elevation = 0.45;                       // of the eye above the horizon (radians)
    double margin = 0.06;                          // free border, as a fraction of the picture
    double crease = 35.0 * std::numbers::pi / 180; // edges sharper than this stay sharp (radians)
    Color surface = {120, 170, 210};
    Color back = {205, 110, 90};
    Color background = {250, 250, 248};
    Color mark = {200, 30, 40};
    double mark_size = 3;          // pixels: radius of points, half width of lines
    std::span<const Vec3> frame{}; // what the picture must hold, where not empty (m); else everything drawn
};

// What is drawn on top of the surface where it is not hidden by it: points, and segments.
struct Marks {
    std::span<const Vec3> points;
    std::span<const std::array<Vec3, 2>> segments;
    std::span<const Vec3f> dots{};       // a pixel each
    std::span<const Color> dot_colors{}; // of each dot; of all alike where there is but one
};

[[nodiscard]] Image draw(const TriangleMesh& mesh, const View& view = {}, const Marks& marks = {});

// One of several meshes in a picture, placed and coloured.
struct PlacedMesh {
    const TriangleMesh* mesh = nullptr;
    Pose pose;
    Color color = {120, 170, 210};
};
[[nodiscard]] Image draw(std::span<const PlacedMesh> meshes, const View& view = {}, const Marks& marks = {});

} // namespace fathom
