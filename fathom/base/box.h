// Axis-aligned boxes. An empty box has lower > upper; it contains nothing and extends to whatever it meets.
#pragma once

#include <fathom/base/vec.h>

#include <array>
#include <limits>

namespace fathom {

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

    // Grown by `margin` metres on every side; a negative margin shrinks and may leave the box empty.
    [[nodiscard]] Box grown(double margin) const {
        return {lower - Vec3::Constant(margin), upper + Vec3::Constant(margin)};
    }

    // Closed: a point or box that only touches the border counts.
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

[[nodiscard]] inline Box intersection(const Box& a, const Box& b) {
    return {a.lower.cwiseMax(b.lower), a.upper.cwiseMin(b.upper)};
}

[[nodiscard]] inline Box hull(Box a, const Box& b) {
    a.extend(b);
    return a;
}

} // namespace fathom
