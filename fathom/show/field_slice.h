// Image of a field on a plane: colours by sign, contour lines, and optionally the bricks of a grid.
// The inside is blue, the outside orange, paler towards the surface, which is the thick line. The colours are
// perceptually uniform (OKLab, Ottosson 2020). The colour scale is in metres. Pixels outside the field's domain keep
// the background colour. O(pixels) field evaluations, in parallel; the same bytes on every run and for any thread
// count.
#pragma once

#include <fathom/base/pose.h>
#include <fathom/field/field.h>
#include <fathom/show/image.h>

#include <optional>

namespace fathom {

struct SliceOptions {
    // Region to show (m); empty: the field's bounds enlarged by an eighth of their size, clipped to its domain.
    Box box{};
    int axis = 2;                     // normal of the slice: x (0), y (1) or z (2)
    std::optional<double> position{}; // of the slice along that axis (m); unset: the middle of the box
    std::optional<Pose> plane{};      // replaces axis and position: frame with x to the right, y up, z to the viewer
    int size = 800;                   // longer side of the slice without the scale (pixels)
    double spacing = 0;               // of contour lines (m); 0: a round number that gives about twenty lines
    bool lines = true;                // contour lines; the zero line is always drawn
    bool cells = false; // outlines of the bricks and cells of a grid; faint for bricks that store only their corners
    bool scale = true;  // colour scale on the right
    Color background = {250, 250, 248};
};

// Position of a slice image in space.
struct SliceFrame {
    Vec3 corner = Vec3::Zero(); // top left corner of the image (m)
    Vec3 right = Vec3::UnitX(); // displacement of one pixel to the right (m)
    Vec3 down = -Vec3::UnitY(); // displacement of one pixel down (m)
    int width = 0;              // pixels, without the scale
    int height = 0;             // pixels
    double spacing = 0;         // of contour lines (m)

    // Point at image coordinates (x, y) in pixels; the centre of pixel (0, 0) is at (0.5, 0.5).
    [[nodiscard]] Vec3 point(double x, double y) const { return corner + x * right + y * down; }
    // Image coordinates of a point, or of its projection onto the plane.
    [[nodiscard]] Vec2 pixel(const Vec3& p) const;
};

// The frame that draw_slice() uses. Error{invalid_argument} for options out of range and for a field without finite
// bounds.
[[nodiscard]] SliceFrame slice_frame(const Field& field, const SliceOptions& options = {});

[[nodiscard]] Image draw_slice(const Field& field, const SliceOptions& options = {});

} // namespace fathom
