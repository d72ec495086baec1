// Geometric primitives: box, sphere, segment, ray, oriented box.
// All are closed: touching counts as overlap. Metres.
#pragma once

#include <fathom/base/pose.h>
#include <fathom/base/vec.h>

#include <algorithm>
#include <array>
#include <limits>

namespace fathom {

// Axis-aligned box. An empty box has lower > upper; it contains nothing, and extend() gives it the extent of its
// argument.
struct Box {
    Vec3 lower = Vec3::Constant(std::numeric_limits<double>::infinity());
    Vec3 upper = Vec3::Constant(-std::numeric_limits<double>::infinity());

    [[nodiscard]] static Box around(const Vec3& center, const Vec3& half) { return {center - half, center + half}; }

    [[nodiscard]] bool empty() const { return (lower.array() > upper.array()).any(); }
    [[nodiscard]] Vec3 center() const { return 0.5 * (lower + upper); }
    [[nodiscard]] Vec3 size() const { return upper - lower; }
    [[nodiscard]] Vec3 half() const { return 0.5 * (upper - lower); }
    [[nodiscard]] double diagonal() const { return empty() ? 0.0 : size().norm(); }
    [[nodiscard]] double volume() const { return empty() ? 0.0 : size().prod(); }

    [[nodiscard]] double surface_area() const {
        if (empty()) return 0.0;
        const Vec3 s = size();
        return 2.0 * (s.x() * s.y() + s.y() * s.z() + s.z() * s.x());
    }

    void extend(const Vec3& p) {
        lower = lower.cwiseMin(p);
        upper = upper.cwiseMax(p);
    }
    void extend(const Box& other) {
        lower = lower.cwiseMin(other.lower);
        upper = upper.cwiseMax(other.upper);
    }

    // The box grown by `margin` metres on every side; a negative margin shrinks it and may leave it empty.
    [[nodiscard]] Box grown(double margin) const {
        return {lower - Vec3::Constant(margin), upper + Vec3::Constant(margin)};
    }

    // Closed: a point or box that touches the boundary counts.
    [[nodiscard]] bool contains(const Vec3& p) const {
        return (p.array() >= lower.array()).all() && (p.array() <= upper.array()).all();
    }
    [[nodiscard]] bool contains(const Box& other) const {
        return (other.lower.array() >= lower.array()).all() && (other.upper.array() <= upper.array()).all();
    }
    [[nodiscard]] bool overlaps(const Box& other) const {
        return (lower.array() <= other.upper.array()).all() && (other.lower.array() <= upper.array()).all();
    }

    [[nodiscard]] Vec3 closest(const Vec3& p) const { return p.cwiseMax(lower).cwiseMin(upper); }
    [[nodiscard]] double squared_distance(const Vec3& p) const { return (p - closest(p)).squaredNorm(); }

    // Corner k: bit 0 picks upper x, bit 1 upper y, bit 2 upper z.
    [[nodiscard]] Vec3 corner(int k) const {
        return {(k & 1) ? upper.x() : lower.x(), (k & 2) ? upper.y() : lower.y(), (k & 4) ? upper.z() : lower.z()};
    }
};

[[nodiscard]] inline bool is_finite(const Box& box) { return is_finite(box.lower) && is_finite(box.upper); }

[[nodiscard]] inline Box intersection(const Box& a, const Box& b) {
    return {a.lower.cwiseMax(b.lower), a.upper.cwiseMin(b.upper)};
}

[[nodiscard]] inline Box hull(Box a, const Box& b) {
    a.extend(b);
    return a;
}

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

    // Parameter in [0, 1] of the closest point to p; 0 for a segment of length 0.
    [[nodiscard]] double closest_fraction(const Vec3& p) const {
        const Vec3 d = end - start;
        const double dd = d.squaredNorm();
        return dd > 0 ? std::clamp((p - start).dot(d) / dd, 0.0, 1.0) : 0.0;
    }
};

struct Ray {
    Vec3 origin = Vec3::Zero();
    Vec3 direction = Vec3::UnitX(); // need not be a unit vector; parameters are multiples of it

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
