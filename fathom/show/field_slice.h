// A picture of a field on a plane: sign colours, contour lines, and on request the bricks of a grid.
// Blue is inside, orange outside, paler towards the surface, which is the thick line. Colours go evenly to the eye
// (OKLab, Ottosson 2020). Lengths on the colour scale are in metres. What lies outside the field's domain stays empty.
// O(pixels) queries, in parallel; the same bytes on every run and any number of threads.
#pragma once

#include <fathom/base/pose.h>
#include <fathom/field/field.h>
#include <fathom/show/image.h>

#include <optional>

namespace fathom {

struct SliceOptions {
    Box box{};    // what to show (m); empty: the field's bounds and an eighth of their size around them, in its domain
    int axis = 2; // the slice is at right angles to x (0), y (1) or z (2)
    std::optional<double> position{}; // of the slice along that axis (m); unset: the middle of the box
    std::optional<Pose> plane{};      // instead of axis and position: x of this frame runs right, y up, z to the eye
    int size = 800;                   // longer side of the slice, without the scale (pixels)
    double spacing = 0;               // between contour lines (m); 0: a round number, some twenty lines along the box
    bool lines = true;                // contour lines; the zero line is always drawn
    bool cells = false; // of a grid: outlines of bricks, faint where only their corners are stored, and of cells
    bool scale = true;  // colour scale at the right
    Color background = {250, 250, 248};
};

// Where the picture of a slice lies in space.
struct SliceFrame {
    Vec3 corner = Vec3::Zero(); // the top left corner of the picture (m)
    Vec3 right = Vec3::UnitX(); // one pixel to the right (m)
    Vec3 down = -Vec3::UnitY(); // one pixel down (m)
    int width = 0;              // pixels, without the scale
    int height = 0;
    double spacing = 0; // between contour lines (m)

    [[nodiscard]] Vec3 point(double x, double y) const {
        return corner + x * right + y * down;
    }                                              // pixel (0, 0) has its centre at (0.5, 0.5)
    [[nodiscard]] Vec2 pixel(const Vec3& p) const; // of a point, or of its projection onto the plane
};

// What draw_slice() will use. Throws Error{invalid_argument} for options out of range and a field without finite
// bounds.
[[nodiscard]] SliceFrame slice_frame(const Field& field, const SliceOptions& options = {});

[[nodiscard]] Image draw_slice(const Field& field, const SliceOptions& options = {});

} // namespace fathom
