// Images of depth maps.
#include <fathom/show/depth_picture.h>

#include <fathom/base/error.h>

#include <algorithm>
#include <cmath>

namespace fathom {

namespace {

constexpr std::array<Color, 5> ramp = {{{48, 62, 148}, {38, 122, 168}, {56, 168, 130}, {150, 204, 78}, {250, 228, 84}}};

std::uint8_t byte_of(double value) { return static_cast<std::uint8_t>(std::lround(std::clamp(value, 0.0, 255.0))); }

Color shade(double share, bool color) {
    if (!color) {
        const std::uint8_t grey = byte_of(245 - 185 * share);
        return {grey, grey, grey};
    }
    const double place = std::clamp(share, 0.0, 1.0) * (ramp.size() - 1);
    const auto below = std::min(static_cast<std::size_t>(place), ramp.size() - 2);
    const double part = place - static_cast<double>(below);
    Color mixed{};
    for (std::size_t k = 0; k < 3; ++k) mixed[k] = byte_of((1 - part) * ramp[below][k] + part * ramp[below + 1][k]);
    return mixed;
}

// Checks that every pixel has a depth; the map may have been filled by the caller.
void check_size(const DepthMap& map) {
    check(map.view);
    if (map.depth.size() != map.view.pixel_count())
        throw Error(Cause::invalid_argument, "the numbers of depths and pixels differ", {.element = "depth map"});
}

} // namespace

Image height_picture(const DepthMap& map, const DepthPictureOptions& options) {
    check_size(map);
    float low = 1, high = 0;
    for (std::size_t k = 0; k < map.depth.size(); ++k)
        if (map.covered(k)) low = std::min(low, map.depth[k]), high = std::max(high, map.depth[k]);
    if (!options.stretch || low >= high) low = 0, high = 1;
    Image image(map.view.width, map.view.height, options.nothing);
    for (std::size_t k = 0; k < map.depth.size(); ++k)
        if (map.covered(k))
            image.pixels[k] = shade(static_cast<double>((map.depth[k] - low) / (high - low)), options.color);
    return image;
}

Image hit_picture(const DepthMap& object, const DepthMap& environment, const DepthPictureOptions& options) {
    check_size(environment);
    Image image = height_picture(object, options);
    if (object.view.width != environment.view.width || object.view.height != environment.view.height)
        throw Error(Cause::invalid_argument, "must have the size of the object's map", {.element = "environment"});
    for (std::size_t k = 0; k < object.depth.size(); ++k)
        if (object.covered(k) && environment.covered(k) && environment.depth[k] <= object.depth[k])
            image.pixels[k] = options.hit;
    return image;
}

Image normal_picture(const DepthMap& map, const DepthPictureOptions& options) {
    check_size(map);
    if (map.normals.size() != map.depth.size())
        throw Error(Cause::invalid_argument, "has no normals", {.element = "depth map"});
    Image image(map.view.width, map.view.height, options.nothing);
    for (std::size_t k = 0; k < map.depth.size(); ++k) {
        if (!map.covered(k)) continue;
        const Vec3 n = map.view.pose.rotate_to_local(map.normals[k].cast<double>());
        image.pixels[k] = {byte_of(127.5 + 127.5 * n.x()), byte_of(127.5 + 127.5 * n.y()),
                           byte_of(127.5 - 127.5 * n.z())};
    }
    return image;
}

} // namespace fathom
