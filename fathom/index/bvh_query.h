// Points, boxes and rays as a wide tree sees them: floats in its frame, widened so that the float tests of
// the nodes can be wrong only towards a visit. For walks of one's own over Bvh::nodes().
#pragma once

#include <fathom/base/interval.h>
#include <fathom/index/bvh.h>
#include <fathom/index/bvh_build.h>

#include <cfloat>

namespace fathom {

// Entries that a depth-first visit may have to keep: seven a level, and the children of the last node.
inline constexpr int stack_size = 7 * deepest_level + 8;

// The frame that brings a box that is not empty into [-1, 1].
[[nodiscard]] BvhFrame frame_of(const Box& bounds);

struct LocalBox {
    float lower[3], upper[3];

    LocalBox() = default;
    LocalBox(const BvhFrame& frame, const Box& box) {
        const Vec3 low = frame.to_local(box.lower), high = frame.to_local(box.upper);
        for (int axis = 0; axis < 3; ++axis) {
            // Finite, so that the infinite corners of an unused slot stay outside.
            lower[axis] = std::max(float_down(next_down(low[axis])), -FLT_MAX);
            upper[axis] = std::min(float_up(next_up(high[axis])), FLT_MAX);
        }
    }
};

struct LocalPoint {
    float lower[3], upper[3]; // the point, rounded down and up

    LocalPoint(const BvhFrame& frame, const Vec3& point) : scale(frame.scale) {
        constexpr double far = 0x1p60; // squares stay finite; a point that is moved in to here only looks nearer
        const Vec3 local = frame.to_local(point);
        for (int axis = 0; axis < 3; ++axis) {
            const float x = static_cast<float>(std::clamp(local[axis], -far, far));
            const float margin =
                std::abs(x) * 0x1p-22f + FLT_MIN; // twice what it must be, and quicker than the next float
            lower[axis] = x - margin;
            upper[axis] = x + margin;
        }
    }

    // A box at a true squared distance (world) of at most this has a computed one (local) of at most the answer: three
    // squares and two sums, each off by at most 2^-24, the float itself, and what underflows.
    [[nodiscard]] float limit(double squared_distance) const {
        const double local = squared_distance * scale * scale * (1 + 0x1p-20) + FLT_MIN;
        return static_cast<float>(std::min<double>(local, FLT_MAX));
    }

private:
    double scale;
};

// How boxes of a small tree read in the frame of a large one: local = box * ratio + shift, then widened.
struct Placement {
    float ratio, shift_lower[3], shift_upper[3];

    Placement(const BvhFrame& large, const BvhFrame& small) : ratio(static_cast<float>(large.scale / small.scale)) {
        const Vec3 shift = large.to_local(small.origin);
        for (int axis = 0; axis < 3; ++axis) {
            shift_lower[axis] = float_down(next_down(shift[axis]));
            shift_upper[axis] = float_up(next_up(shift[axis]));
        }
    }
};

// Parametrised by the longest component of its direction, from where it enters the frame's cube on. That leaves every
// parameter that matters below 2.01, and rounding of the origin below the margin by which each slab is widened.
struct LocalRay {
    static constexpr float slack = 1 + 0x1p-20f; // covers the four roundings of an entry and of an exit

    bool misses = true; // the whole tree, or it is not a ray: no direction, or not finite
    bool backward[3];
    float near_origin[3], far_origin[3]; // widened towards an early entry and a late exit
    float inverse[3];                    // 1 / direction, never zero and never infinite
    float origin[3], direction[3];       // to nearest
    double margin = 0;                   // each component of the origin is off by at most this

    LocalRay(const BvhFrame& frame, const Ray& ray);

    // The local parameter for a parameter of the ray, rounded up.
    [[nodiscard]] float limit(double t) const {
        const double from_origin = t * rate_;
        const double local = from_origin - start_ + 0x1p-22 * (from_origin + start_);
        return local < FLT_MAX ? static_cast<float>(local) : FLT_MAX; // also where it is not a number
    }

private:
    double rate_ = 0;  // local parameters in one of the ray
    double start_ = 0; // where the ray enters the cube
};

} // namespace fathom
