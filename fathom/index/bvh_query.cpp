// Chooses the frame of a tree, and brings a ray into it.
#include <fathom/index/bvh_query.h>

namespace fathom {

namespace {

constexpr double cube = 1 + 0x1p-10; // half side of what holds every node box, with room to spare

// Where o + t d enters the cube; infinity where it never does.
double entry(const Vec3& o, const Vec3& d) {
    if (o.cwiseAbs().maxCoeff() <= cube) return 0;
    double enter = 0, leave = std::numeric_limits<double>::infinity();
    for (int axis = 0; axis < 3; ++axis) {
        if (std::abs(d[axis]) < 0x1p-60) {
            if (std::abs(o[axis]) > cube) return std::numeric_limits<double>::infinity();
            continue;
        }
        const double a = (-cube - o[axis]) / d[axis], b = (cube - o[axis]) / d[axis];
        enter = std::max(enter, std::min(a, b));
        leave = std::min(leave, std::max(a, b));
    }
    return enter <= leave ? enter : std::numeric_limits<double>::infinity();
}

} // namespace

BvhFrame frame_of(const Box& bounds) {
    // Halves first: the size of a box may overflow where its corners do not.
    const Vec3 half = 0.5 * bounds.upper - 0.5 * bounds.lower;
    int exponent = 0;
    std::frexp(half.maxCoeff(), &exponent);
    // Past these limits the square of the scale would leave the doubles.
    exponent = half.maxCoeff() > 0 ? std::clamp(exponent, -500, 1023) : 0;
    return {0.5 * bounds.upper + 0.5 * bounds.lower, std::ldexp(1.0, -std::min(exponent, 1022))};
}

LocalRay::LocalRay(const BvhFrame& frame, const Ray& ray) {
    const double longest = ray.direction.cwiseAbs().maxCoeff();
    if (!(longest > 0) || !ray.direction.allFinite() || !ray.origin.allFinite()) return;
    const Vec3 o = frame.to_local(ray.origin), d = ray.direction / longest;
    start_ = entry(o, d);
    if (!(start_ < std::numeric_limits<double>::infinity())) return;
    misses = false;
    rate_ = longest * frame.scale;
    // A rate that left the doubles says nothing of where a parameter lies: never pass over a box for it.
    if (!(rate_ > 1e-290)) rate_ = std::numeric_limits<double>::infinity();
    margin = 0x1p-22 + 0x1p-49 * (o.cwiseAbs().maxCoeff() + start_);
    for (int axis = 0; axis < 3; ++axis) {
        const double entered = o[axis] + start_ * d[axis];
        const double signed_margin = d[axis] < 0 ? -margin : margin;
        backward[axis] = d[axis] < 0;
        near_origin[axis] = static_cast<float>(entered + signed_margin);
        far_origin[axis] = static_cast<float>(entered - signed_margin);
        const double steep = std::max(std::abs(d[axis]), 0x1p-60);
        inverse[axis] = static_cast<float>(d[axis] < 0 ? -1 / steep : 1 / steep);
        origin[axis] = static_cast<float>(entered);
        direction[axis] = static_cast<float>(d[axis]);
    }
}

} // namespace fathom
