// A depth map: for each pixel of a view the depth of the nearest or of the farthest surface, and the primitive to which
// it belongs.
#pragma once

#include <fathom/base/pose.h>
#include <fathom/base/primitives.h>
#include <fathom/field/height/height_field.h>

#include <array>
#include <vector>

namespace fathom {

// An orthographic box into which surfaces are drawn, with the pixels on its near side.
// The frame of a view: x along the columns of pixels, y along the rows, z along the viewing direction; right-handed, so
// that an image whose first row is at the top shows the world unmirrored. Depth is the fraction of the distance from
// the near side (0) to the far side (1): linear.

struct DepthView {
    Pose pose{};              // pose of the frame in the world; its origin is the centre of the near side
    Vec3 size = Vec3::Ones(); // width, height and depth of the box (m)
    int width = 256;          // pixels
    int height = 256;

    [[nodiscard]] Vec3 direction() const { return pose.rotate(Vec3::UnitZ()); } // unit viewing direction, world
    [[nodiscard]] Vec2 pixel_size() const { return {size.x() / width, size.y() / height}; } // m
    [[nodiscard]] std::size_t pixel_count() const {
        return static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
    }

    // World to column, row and depth, and back. Pixel (i, j) covers [i, i+1] x [j, j+1].
    [[nodiscard]] Vec3 to_map(const Vec3& world) const {
        const Vec3 p = pose.to_local(world).cwiseQuotient(size);
        return {(p.x() + 0.5) * width, (p.y() + 0.5) * height, p.z()};
    }
    [[nodiscard]] Vec3 to_world(const Vec3& map) const {
        return pose * Vec3((map.x() / width - 0.5) * size.x(), (map.y() / height - 0.5) * size.y(), map.z() * size.z());
    }
    // At the centre of a pixel.
    [[nodiscard]] Vec3 to_world(std::size_t pixel, double depth) const {
        const auto columns = static_cast<std::size_t>(width);
        const std::size_t column = pixel % columns, row = pixel / columns;
        return to_world({static_cast<double>(column) + 0.5, static_cast<double>(row) + 0.5, depth});
    }
};

// Transform from a frame to -1..1 in x and y and 0..1 in z, by rows, as floats: x = ((m[0] px + m[1] py) + m[2] pz) +
// m[3], and so on. Both backends use these numbers in this order, so that they compute the same corners.
using ClipMatrix = std::array<float, 12>;
[[nodiscard]] ClipMatrix clip_matrix(const DepthView& view, const Pose& frame);

struct ViewOptions {
    int pixels = 256;     // along the longer side; pixels are square
    double margin = 0.02; // beyond the box on every side, as a fraction of its diagonal, and at least one pixel
};

// A view of the whole of `box`, placed in the world by `pose`, along `direction` (any length, in the frame of `box`).
// The same direction always gives the same columns and rows. Throws Error{invalid_argument, empty, non_finite}.
[[nodiscard]] DepthView view_of(const Box& box, const Pose& pose, const Vec3& direction,
                                const ViewOptions& options = {});

// Throws Error: non_finite, invalid_argument if a size is not positive or not 1 to 16,384 pixels.
void check(const DepthView& view);

enum class Keep { nearest, farthest };

// A primitive of a body; both are no_index where nothing was drawn.
struct DepthId {
    Index body = no_index;
    Index primitive = no_index;

    friend bool operator==(const DepthId&, const DepthId&) = default;
};

// Stored row by row. Where nothing was drawn, a nearest map is 1 and a farthest map 0; geometry at exactly that depth
// is not drawn.
struct DepthMap {
    DepthView view{};
    Keep keep = Keep::nearest;
    std::vector<float> depth; // see DepthView
    std::vector<DepthId> ids; // empty unless requested
    // Unit, world, on the side from which corners run counter-clockwise; empty unless requested.
    std::vector<Vec3f> normals;

    [[nodiscard]] float nothing() const { return keep == Keep::nearest ? 1.0f : 0.0f; }
    [[nodiscard]] bool covered(std::size_t pixel) const { return depth[pixel] != nothing(); }
};

// ---- A depth map as a field over its box, for methods that take fields.
// A nearest map is the solid from the first surface to the far side of the box; a farthest map is the solid from the
// near side to the last surface. Where nothing was drawn there is no solid. The surface is bilinear between the centres
// of pixels: across a silhouette it is a steep wall one pixel wide. See field/height/height_field.h for the meaning of
// the values. O(pixels).

// In the frame of map.view.pose (m). Throws Error{invalid_argument} for a map smaller than 2 x 2 pixels, and as
// HeightField does.
[[nodiscard]] HeightField depth_field(const DepthMap& map);

} // namespace fathom
