// One view of shared particle maps: its columns of pixels, and the way of a step through them.
#pragma once

#include <fathom/detect/depth/particle_maps.h>

#include <algorithm>

namespace fathom {

// Layer by layer: where solids are entered, and left (null: never).
struct ColumnLayer {
    std::unique_ptr<DepthTarget> entry_target, exit_target;
    const DepthMap *entry = nullptr, *exit = nullptr;
};

class ParticleColumns {
public:
    // Draws anew; keeps its targets.
    void draw(DepthBackend& backend, const DepthView& view, std::span<const DrawnBody> bodies,
              const ParticleMapOptions& options);

    [[nodiscard]] const DepthView& view() const { return view_; }
    [[nodiscard]] std::span<const ColumnLayer> layers() const { return layers_; }

    // May the way meet anything at all? Never wrong where it says no; no for NaN.
    [[nodiscard]] bool near(const Vec3& from, const Vec3& to) const {
        bool meets = true;
        for (int k = 0; k < 3; ++k)
            meets &=
                std::min(from[k], to[k]) <= world_reach_.upper[k] && std::max(from[k], to[k]) >= world_reach_.lower[k];
        return meets && near_in_map(scaled_ * from + shift_, scaled_ * to + shift_);
    }
    // Fills `hit` and says true where there is one.
    [[nodiscard]] bool first_hit(const Vec3& from, const Vec3& motion, ParticleHit& hit) const;

private:
    struct Way;
    struct Span;
    struct Surface;

    // Depths between which something is in a square of pixels.
    struct Tile {
        float low = 1, high = 0;
    };

    void find_reach(std::span<const DrawnBody> bodies, bool exits);
    void fill_tiles();
    void fill_tile_row(int row);
    [[nodiscard]] bool near_in_map(const Vec3& a, const Vec3& b) const;
    [[nodiscard]] Surface surface(const DepthMap& map, const Span& span, std::size_t pixel, bool entry) const;
    [[nodiscard]] bool in_pixel(const Way& way, const Span& span, ParticleHit& hit) const;
    [[nodiscard]] bool in_layer(const Way& way, const Span& span, std::size_t pixel, const ColumnLayer& layer,
                                ParticleHit& hit) const;
    [[nodiscard]] ParticleHit left_from_inside(const Way& way, const Surface& entry, const Surface& exit) const;
    [[nodiscard]] Vec3 opposing(const Way& way, const Surface& surface, int wall) const;

    DepthView view_{};
    Mat3 scaled_ = Mat3::Identity(), turn_ = Mat3::Identity(); // world to map; world to the frame of the view
    Vec3 shift_ = Vec3::Zero();
    Box reach_{}, world_reach_{}; // where something may be: in the map, and in the world
    int tile_columns_ = 0, tile_rows_ = 0;
    std::vector<Tile> tiles_;
    double slack_ = 0; // of depth: how far planes may reach beyond the depth in the middle of a pixel
    std::vector<ColumnLayer> layers_;
};

} // namespace fathom
