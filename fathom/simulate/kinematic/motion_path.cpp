// Looks between key frames.
#include <fathom/simulate/kinematic/motion_path.h>

#include <fathom/base/error.h>

#include <algorithm>
#include <cmath>

namespace fathom {

Pose MotionPath::at(double time) const {
    if (keys.empty()) return {};
    const auto next =
        std::upper_bound(keys.begin(), keys.end(), time, [](double t, const MotionKey& key) { return t < key.time; });
    if (next == keys.begin()) return next->pose;
    if (next == keys.end()) return keys.back().pose;
    const MotionKey &a = *std::prev(next), &b = *next;
    const double share = (time - a.time) / (b.time - a.time);
    return {a.pose.rotation.slerp(share, b.pose.rotation).normalized(),
            a.pose.translation + share * (b.pose.translation - a.pose.translation)};
}

void check(const MotionPath& path) {
    for (std::size_t k = 0; k < path.keys.size(); ++k) {
        const Place place{.element = "key frame", .index = static_cast<std::int64_t>(k)};
        if (!std::isfinite(path.keys[k].time) || !is_finite(path.keys[k].pose))
            throw Error(Cause::non_finite, "its time or pose", place);
        if (k > 0 && !(path.keys[k].time > path.keys[k - 1].time))
            throw Error(Cause::invalid_argument, "is not later than the one before", place);
    }
}

} // namespace fathom
