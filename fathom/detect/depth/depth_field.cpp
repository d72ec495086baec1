// Depth maps as fields.
#include <fathom/detect/depth/depth_field.h>

namespace fathom {

HeightField depth_field(const DepthMap& map) {
    check(map.view);
    HeightSamples samples{.columns = map.view.width, .rows = map.view.height};
    samples.spacing = map.view.pixel_size();
    samples.origin = 0.5 * (samples.spacing - map.view.size.head<2>());
    samples.ceiling = map.view.size.z();
    samples.solid = map.keep == Keep::nearest ? SolidSide::above : SolidSide::below;
    samples.heights.reserve(map.depth.size());
    for (const float depth : map.depth)
        samples.heights.push_back(static_cast<float>(static_cast<double>(depth) * map.view.size.z()));
    return HeightField(std::move(samples));
}

} // namespace fathom
