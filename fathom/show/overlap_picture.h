// A picture of what two fields have in common: both bodies, and the octree of their overlap (Liu et al.
// 2024, figure 2). The bodies are translucent, so that nothing hides the cells: cells proven inside both are lime green
// boxes, cells on the border wireframes. O(pixels + cells + triangles of both surfaces); the same bytes on every run.
#pragma once

#include <fathom/detect/field_field/field_overlap.h>
#include <fathom/show/mesh_picture.h>

namespace fathom {

struct OverlapPictureOptions {
    View view{.mark = {40, 120, 10}, .mark_size = 0.5}; // marks are the edges of cells
    int resolution = 96;                                // cells of the surfaces along a body's longest side
    std::size_t max_cells = 20'000;                     // of either kind; past it only the largest are drawn
    double body_opacity = 0.75;                         // in [0,1]
    double cell_opacity = 0.9;
    Color color_a = {120, 170, 210}, color_b = {230, 160, 110};
    Color inside = {120, 230, 40};
};

// `overlap` as field_overlap() answered for the same fields and poses, with its cells kept.
// Throws Error{invalid_argument} where a field has no finite bounds, and as contour() does.
[[nodiscard]] Image draw_overlap(const Field& a, const Pose& pose_a, const Field& b, const Pose& pose_b,
                                 const field_field::FieldOverlap& overlap, const OverlapPictureOptions& options = {});

} // namespace fathom
