// What was drawn into a view: for each pixel the depth of the first surface, or of the last, and what it
// belongs to.
#pragma once

#include <fathom/detect/depth/depth_view.h>

#include <vector>

namespace fathom {

enum class Keep { nearest, farthest };

// Which primitive of which body; no_index twice where there is nothing.
struct DepthId {
    Index body = no_index;
    Index primitive = no_index;

    friend bool operator==(const DepthId&, const DepthId&) = default;
};

// Row by row. A nearest map reads 1 where there is nothing, a farthest map 0: what lies exactly there is not drawn.
struct DepthMap {
    DepthView view{};
    Keep keep = Keep::nearest;
    std::vector<float> depth; // see depth_view.h
    std::vector<DepthId> ids; // empty unless asked for
    std::vector<Vec3f>
        normals; // unit, world, on the side from which corners run counter-clockwise; empty unless asked for

    [[nodiscard]] float nothing() const { return keep == Keep::nearest ? 1.0f : 0.0f; }
    [[nodiscard]] bool covered(std::size_t pixel) const { return depth[pixel] != nothing(); }
};

} // namespace fathom
