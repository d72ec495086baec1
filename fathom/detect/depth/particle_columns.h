// Room: detect. One view of shared particle maps: its columns of pixels, and the way of a step through them.
#pragma once

#include <fathom/detect/depth/particle_maps.h>

namespace fathom {

// Layer by layer: where solids are entered, and left (null: never).
struct ColumnLayer {
    std::unique_ptr<DepthTarget> entry_target, exit_target;
    const DepthMap *entry = nullptr, *exit = nullptr;
};

class ParticleColumns {
public:
    // Draws anew; keeps its targets.
    void draw(DepthBackend& backend, const DepthView& view, std::span<const DrawnBody> bodies, const ParticleMapOptions& options);

    [[nodiscard]] const DepthView& view() const { return view_; }
    [[nodiscard]] std::span<const ColumnLayer> layers() const { return layers_; }

    // May the way meet anything at all? Never wrong where it says no.
    [[nodiscard]] bool near(const Vec3& from, const Vec3& motion) const {
        const Vec3 a = scaled_ * from + shift_, d = scaled_ * motion, b = a + d;
        return (a.cwiseMin(b).array() <= reach_.upper.array()).all() && (a.cwiseMax(b).array() >= reach_.lower.array()).all();
    }
    [[nodiscard]] std::optional<ParticleHit> first_hit(const Vec3& from, const Vec3& motion) const;

private:
    struct Way;
    struct Span;
    struct Surface;

    [[nodiscard]] Surface surface(const DepthMap& map, std::size_t pixel, bool entry) const;
    [[nodiscard]] std::optional<ParticleHit> in_pixel(const Way& way, const Span& span) const;
    [[nodiscard]] std::optional<ParticleHit> in_layer(const Way& way, const Span& span, std::size_t pixel, const ColumnLayer& layer) const;
    [[nodiscard]] ParticleHit left_from_inside(const Way& way, const Surface& entry, const Surface& exit) const;
    [[nodiscard]] Vec3 opposing(const Way& way, const Surface& surface, int wall) const;

    DepthView view_{};
    Mat3 scaled_ = Mat3::Identity(), turn_ = Mat3::Identity(); // world to map; world to the frame of the view
    Vec3 shift_ = Vec3::Zero();
    Box reach_{}; // in the map: where something may be
    double slack_ = 0; // of depth: how far planes may reach beyond the depth in the middle of a pixel
    std::vector<ColumnLayer> layers_;
};

} // namespace fathom
