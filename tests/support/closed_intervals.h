// When is a point that moves along a segment inside a ball, a block, a capsule or a torus? By formula: truths for
// casts.
#pragma once

#include <fathom/base/primitives.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace fathom::testing {

struct TimeSpan {
    double start, end;
};
using TimeSpans = std::vector<TimeSpan>; // ascending, apart

// Real roots in [0,1] of sum c[k] t^k, ascending: between two neighbouring roots of the derivative there is at most
// one.
[[nodiscard]] inline std::vector<long double> roots_in_unit(std::vector<long double> c) {
    while (c.size() > 1 && c.back() == 0) c.pop_back();
    if (c.size() < 2) return {};
    std::vector<long double> slope;
    for (std::size_t k = 1; k < c.size(); ++k) slope.push_back(static_cast<long double>(k) * c[k]);
    std::vector<long double> ends = roots_in_unit(slope), roots;
    ends.insert(ends.begin(), 0.0L);
    ends.push_back(1.0L);
    const auto value = [&](long double t) {
        long double sum = 0;
        for (std::size_t k = c.size(); k-- > 0;) sum = sum * t + c[k];
        return sum;
    };
    for (std::size_t k = 0; k + 1 < ends.size(); ++k) {
        long double a = ends[k], b = ends[k + 1];
        const bool rising = value(a) < 0;
        if (rising == (value(b) < 0)) continue;
        for (int step = 0; step < 80; ++step) {
            const long double m = (a + b) / 2;
            ((value(m) < 0) == rising ? a : b) = m;
        }
        roots.push_back((a + b) / 2);
    }
    return roots;
}

// Where the polynomial is <= 0 in [0,1].
[[nodiscard]] inline TimeSpans below_zero(const std::vector<long double>& c) {
    std::vector<long double> ends = roots_in_unit(c);
    ends.insert(ends.begin(), 0.0L);
    ends.push_back(1.0L);
    TimeSpans spans;
    for (std::size_t k = 0; k + 1 < ends.size(); ++k) {
        const long double m = (ends[k] + ends[k + 1]) / 2;
        long double sum = 0;
        for (std::size_t n = c.size(); n-- > 0;) sum = sum * m + c[n];
        if (sum > 0) continue;
        const double start = static_cast<double>(ends[k]), end = static_cast<double>(ends[k + 1]);
        if (!spans.empty() && spans.back().end == start)
            spans.back().end = end;
        else
            spans.push_back({start, end});
    }
    return spans;
}

[[nodiscard]] inline TimeSpans in_ball(const Segment& s, const Vec3& center, double radius) {
    using Wide = Eigen::Matrix<long double, 3, 1>;
    const Wide o = (s.start - center).cast<long double>(), d = s.end.cast<long double>() - s.start.cast<long double>();
    const long double r = radius;
    return below_zero({o.dot(o) - r * r, 2 * o.dot(d), d.dot(d)});
}

[[nodiscard]] inline TimeSpans in_block(const Segment& s, const Vec3& half) {
    double start = 0, end = 1;
    const Vec3 d = s.end - s.start;
    for (int k = 0; k < 3; ++k) {
        if (d[k] == 0) {
            if (std::abs(s.start[k]) > half[k]) return {};
            continue;
        }
        const double a = (-half[k] - s.start[k]) / d[k], b = (half[k] - s.start[k]) / d[k];
        start = std::max(start, std::min(a, b));
        end = std::min(end, std::max(a, b));
    }
    if (start > end) return {};
    return {{start, end}};
}

// The hull of spans whose union is known to be one.
[[nodiscard]] inline TimeSpans one_span(const TimeSpans& a, const TimeSpans& b) {
    if (a.empty()) return b;
    if (b.empty()) return a;
    return {{std::min(a[0].start, b[0].start), std::max(a[0].end, b[0].end)}};
}

// Along an axis, from -half to +half about `center`, round ends.
[[nodiscard]] inline TimeSpans in_capsule(const Segment& s, const Vec3& center, int axis, double half, double radius) {
    const Vec3 along = half * Vec3::Unit(axis);
    TimeSpans result = one_span(in_ball(s, center - along, radius), in_ball(s, center + along, radius));
    Segment flat = s;
    flat.start[axis] = flat.end[axis] = center[axis];
    const TimeSpans round = in_ball(flat, center, radius);
    const Segment moved{s.start - center, s.end - center};
    Vec3 slab = Vec3::Constant(1e30);
    slab[axis] = half;
    const TimeSpans between = in_block(moved, slab);
    if (round.empty() || between.empty()) return result;
    const TimeSpan both{std::max(round[0].start, between[0].start), std::min(round[0].end, between[0].end)};
    return both.start <= both.end ? one_span(result, {both}) : result;
}

// A block with half sizes `half`, grown by a ball.
[[nodiscard]] inline TimeSpans in_grown_block(const Segment& s, const Vec3& half, double radius) {
    TimeSpans result;
    for (int axis = 0; axis < 3; ++axis) {
        Vec3 longer = half;
        longer[axis] += radius;
        result = one_span(result, in_block(s, longer));
        for (int side = 0; side < 4; ++side) {
            Vec3 center = Vec3::Zero();
            center[(axis + 1) % 3] = (side & 1 ? 1 : -1) * half[(axis + 1) % 3];
            center[(axis + 2) % 3] = (side & 2 ? 1 : -1) * half[(axis + 2) % 3];
            result = one_span(result, in_capsule(s, center, axis, half[axis], radius));
        }
    }
    return result;
}

// About the z axis: (|p|^2 + ring^2 - tube^2)^2 <= 4 ring^2 (x^2 + y^2).
[[nodiscard]] inline TimeSpans in_torus(const Segment& s, double ring, double tube) {
    using Wide = Eigen::Matrix<long double, 3, 1>;
    const Wide o = s.start.cast<long double>(), d = s.end.cast<long double>() - o;
    const long double R = ring, r = tube;
    const long double a = o.dot(o) + R * R - r * r, b = 2 * o.dot(d), c = d.dot(d);
    const long double e = o.x() * o.x() + o.y() * o.y(), f = 2 * (o.x() * d.x() + o.y() * d.y()),
                      g = d.x() * d.x() + d.y() * d.y();
    return below_zero(
        {a * a - 4 * R * R * e, 2 * a * b - 4 * R * R * f, b * b + 2 * a * c - 4 * R * R * g, 2 * b * c, c * c});
}

} // namespace fathom::testing
