// Images of depth maps: heights, hits and normals.
#pragma once

#include <fathom/detect/depth/depth_map.h>
#include <fathom/detect/field_field/field_overlap.h>
#include <fathom/show/image.h>
#include <fathom/show/mesh_picture.h>

namespace fathom {

struct DepthPictureOptions {
    bool color = false;           // colour map (blue near, yellow far) instead of greys (light near, dark far)
    bool stretch = true;          // the colour map covers the depths that occur; otherwise the whole box
    Color nothing = {32, 36, 48}; // pixels without a depth
    Color hit = {214, 40, 40};
};

// One pixel of the map is one pixel of the image; the first row is on top.
[[nodiscard]] Image height_picture(const DepthMap& map, const DepthPictureOptions& options = {});

// Marks the pixels where the environment (a nearest map) is not deeper than the object (a farthest map) on the heights
// of the object. Error{invalid_argument} if the maps differ in size.
[[nodiscard]] Image hit_picture(const DepthMap& object, const DepthMap& environment,
                                const DepthPictureOptions& options = {});

// Normals as colours: the components along the columns, along the rows and against the view direction are mapped from
// -1..1 to 0..255 of red, green and blue; surfaces that face the viewer are blue. Error{invalid_argument} if the map
// has no normals.
[[nodiscard]] Image normal_picture(const DepthMap& map, const DepthPictureOptions& options = {});

// ---- Image of the overlap of two fields: both bodies, and the octree of their overlap (Liu et al. 2024, figure 2).
// The bodies are translucent. Cells proven inside both fields are lime green boxes, cells on the boundary are
// wireframes. O(pixels + cells + triangles of both surfaces); the same bytes on every run.

struct OverlapPictureOptions {
    View view{.mark = {40, 120, 10}, .mark_size = 0.5}; // marks are the edges of cells
    int resolution = 96;                                // contouring cells along the longest side of a body
    std::size_t max_cells = 20'000;                     // of each kind; the largest are drawn if there are more
    double body_opacity = 0.75;                         // in [0,1]
    double cell_opacity = 0.9;
    Color color_a = {120, 170, 210}, color_b = {230, 160, 110};
    Color inside = {120, 230, 40};
};

// `overlap` is the result of field_overlap() for the same fields and poses, including its cells.
// Error{invalid_argument} if a field has no finite bounds; other errors as for contour().
[[nodiscard]] Image draw_overlap(const Field& a, const Pose& pose_a, const Field& b, const Pose& pose_b,
                                 const field_field::FieldOverlap& overlap, const OverlapPictureOptions& options = {});

} // namespace fathom
