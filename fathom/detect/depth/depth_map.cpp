// Views of depth maps, and depth maps as fields.
#include <fathom/detect/depth/depth_map.h>

#include <fathom/base/error.h>

#include <algorithm>
#include <cmath>

namespace fathom {

// ---- Views: positions of pixels, and the matrix with which both backends draw

ClipMatrix clip_matrix(const DepthView& view, const Pose& frame) {
    const Pose from = relative(view.pose, frame);
    const Mat3 rotation = from.rotation.toRotationMatrix();
    const Vec3 scale(2 / view.size.x(), 2 / view.size.y(), 1 / view.size.z());
    ClipMatrix m{};
    for (int row = 0; row < 3; ++row) {
        for (int column = 0; column < 3; ++column)
            m[static_cast<std::size_t>(4 * row + column)] = static_cast<float>(rotation(row, column) * scale[row]);
        m[static_cast<std::size_t>(4 * row + 3)] = static_cast<float>(from.translation[row] * scale[row]);
    }
    return m;
}

DepthView view_of(const Box& box, const Pose& pose, const Vec3& direction, const ViewOptions& options) {
    if (box.empty()) throw Error(Cause::empty, "the box of the view is empty");
    if (!is_finite(box.lower) || !is_finite(box.upper) || !is_finite(pose))
        throw Error(Cause::non_finite, "box or pose is not finite");
    if (!is_finite(direction) || !(direction.norm() > 0))
        throw Error(Cause::invalid_argument, "direction must be finite and not zero");
    if (options.pixels < 1 || options.pixels > 16384)
        throw Error(Cause::invalid_argument, "must be 1 to 16,384", {.element = "option pixels"});
    if (!(options.margin >= 0) || !std::isfinite(options.margin))
        throw Error(Cause::invalid_argument, "must be finite and at least 0", {.element = "option margin"});

    const Vec3 z = direction.normalized(), x = any_perpendicular(z), y = z.cross(x);
    Mat3 axes;
    axes << x, y, z;
    const Vec3 half = axes.transpose().cwiseAbs() * box.half();
    const double diagonal = std::max(box.diagonal(), 1e-300);
    Vec3 grown = half + Vec3::Constant(options.margin * diagonal);
    const double pixel = 2 * std::max(grown.x(), grown.y()) / std::max(1, options.pixels - 2);
    grown = grown.cwiseMax(Vec3::Constant(1e-6 * diagonal));

    DepthView view;
    view.width = std::clamp(static_cast<int>(std::ceil(2 * grown.x() / pixel)) + 2, 1, options.pixels);
    view.height = std::clamp(static_cast<int>(std::ceil(2 * grown.y() / pixel)) + 2, 1, options.pixels);
    view.size = {view.width * pixel, view.height * pixel, 2 * grown.z()};
    view.pose = pose * Pose{Quat(axes), box.center() - grown.z() * z};
    return view;
}

void check(const DepthView& view) {
    if (!is_finite(view.pose) || !is_finite(view.size))
        throw Error(Cause::non_finite, "pose or size of the view is not finite");
    if (!(view.size.minCoeff() > 0))
        throw Error(Cause::invalid_argument, "must be positive", {.element = "size of a view"});
    if (std::min(view.width, view.height) < 1 || std::max(view.width, view.height) > 16384)
        throw Error(Cause::invalid_argument, "must be 1 to 16,384 along each side", {.element = "pixels of a view"});
}

// ---- Depth maps as fields

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
