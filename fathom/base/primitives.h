// The plain shapes that every room speaks of: sphere, segment, ray, oriented box.
// All closed: touching counts as overlap. Metres.
#pragma once

#include <fathom/base/box.h>
#include <fathom/base/pose.h>

#include <algorithm>

namespace fathom {

struct Sphere {
    Vec3 center = Vec3::Zero();
    double radius = 0;

    [[nodiscard]] bool contains(const Vec3& p) const { return (p - center).squaredNorm() <= radius * radius; }
    [[nodiscard]] Box bounds() const { return Box::around(center, Vec3::Constant(radius)); }
};

struct Segment {
    Vec3 start = Vec3::Zero();
    Vec3 end = Vec3::Zero();

    [[nodiscard]] Vec3 at(double t) const { return start + t * (end - start); } // t in [0,1]
    [[nodiscard]] double length() const { return (end - start).norm(); }
    [[nodiscard]] Box bounds() const { return {start.cwiseMin(end), start.cwiseMax(end)}; }

    // Fraction in [0,1] of the point nearest to p; 0 for a segment without length.
    [[nodiscard]] double closest_fraction(const Vec3& p) const {
        const Vec3 d = end - start;
        const double dd = d.squaredNorm();
        return dd > 0 ? std::clamp((p - start).dot(d) / dd, 0.0, 1.0) : 0.0;
    }
};

struct Ray {
    Vec3 origin = Vec3::Zero();
    Vec3 direction = Vec3::UnitX(); // need not be unit; parameters are in its lengths

    [[nodiscard]] Vec3 at(double t) const { return origin + t * direction; }
};

// A box with half extents `half` about the origin of its own frame, placed by `pose`.
struct OrientedBox {
    Pose pose;
    Vec3 half = Vec3::Zero();

    [[nodiscard]] bool contains(const Vec3& p) const {
        return (pose.to_local(p).cwiseAbs().array() <= half.array()).all();
    }
    [[nodiscard]] Vec3 closest(const Vec3& p) const { return pose * pose.to_local(p).cwiseMax(-half).cwiseMin(half); }
    [[nodiscard]] double volume() const { return 8.0 * half.prod(); }
    [[nodiscard]] Box bounds() const {
        return Box::around(pose.translation, pose.rotation.toRotationMatrix().cwiseAbs() * half);
    }
};

} // namespace fathom
