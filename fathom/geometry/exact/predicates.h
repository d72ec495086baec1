// Exact orientation predicates: the side of a line or a plane on which a point lies. The sign is exact for all finite
// coordinates, also where products overflow or underflow.
// Method: a floating-point filter (bounds in the manner of Shewchuk 1997), and integers of fixed size where the filter
// is inconclusive. Cost: about 15 ns if the filter decides, 85 ns if not, 0.9 us if the coordinates together span more
// than 60 bits, and more if their exponents are far apart. Requires the default rounding mode (to nearest, with
// subnormals). NaN and infinity give an arbitrary sign, never a crash. Thread-safe.
#pragma once

#include <fathom/base/vec.h>

#include <cmath>

namespace fathom {

// +1: a, b, c are in counter-clockwise order; -1: clockwise; 0: collinear.
[[nodiscard]] int orient2d(const Vec2& a, const Vec2& b, const Vec2& c);

// The same in the projection along `axis` (0, 1, 2): the sign of that component of the area vector (b - a) x (c - a).
[[nodiscard]] int orient2d(const Vec3& a, const Vec3& b, const Vec3& c, int axis);

// The sign of (b - a) x (c - a) . (d - a). +1: the tetrahedron has positive volume, d lies above the plane from which
// a, b, c are seen counter-clockwise; 0: the four points are coplanar.
[[nodiscard]] int orient3d(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d);

// The value itself (six times the volume), with a relative error below 1e-12 at any magnitude; 0 only if the exact
// value is 0 or below the smallest double, infinity if it is above the largest (edges above 1e100).
[[nodiscard]] double orient3d_value(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d);

// The same signs, always computed exactly without the filter.
[[nodiscard]] int orient2d_exact(const Vec2& a, const Vec2& b, const Vec2& c);
[[nodiscard]] int orient3d_exact(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d);

// orient3d of many points and one plane: products that depend only on the plane are stored. Keeps references to a, b,
// c.
class PlaneSide {
public:
    PlaneSide(const Vec3& a, const Vec3& b, const Vec3& c) : a_(a), b_(b), c_(c) {
        const Vec3 u = b - a;
        const Vec3 v = c - a;
        for (int i = 0; i < 3; ++i) {
            const int j = (i + 1) % 3;
            const int k = (i + 2) % 3;
            const double first = u[j] * v[k];
            const double second = u[k] * v[j];
            normal_[i] = first - second;
            magnitude_[i] = std::abs(first) + std::abs(second) + underflow_pad;
        }
    }

    [[nodiscard]] int operator()(const Vec3& p) const {
        const double x = p[0] - a_[0];
        const double y = p[1] - a_[1];
        const double z = p[2] - a_[2];
        const double value = normal_[0] * x + normal_[1] * y + normal_[2] * z;
        const double bound = error_of(x, y, z);
        if (value > bound) return 1;
        if (value < -bound) return -1;
        return orient3d_exact(a_, b_, c_, p);
    }

    // The value in double, and a bound on its error.
    struct Estimate {
        double value;
        double bound;
    };
    [[nodiscard]] Estimate estimate(const Vec3& p) const {
        const Vec3 d = p - a_;
        return {normal_[0] * d[0] + normal_[1] * d[1] + normal_[2] * d[2], error_of(d[0], d[1], d[2])};
    }

private:
    // Each of the six products passes through at most eight roundings (differences, two products, three sums), so the
    // error is below 8u/(1 - 8u) of the sum of magnitudes; 9u also covers the rounding of that sum. The pads exceed
    // every underflow. Overflow makes the bound infinite or NaN, and then every comparison with it fails.
    [[nodiscard]] double error_of(double x, double y, double z) const {
        return error_factor * (magnitude_[0] * std::abs(x) + magnitude_[1] * std::abs(y) + magnitude_[2] * std::abs(z) +
                               underflow_pad);
    }

    static constexpr double error_factor = 9 * 0x1p-53;
    static constexpr double underflow_pad = 0x1p-1000;

    const Vec3& a_;
    const Vec3& b_;
    const Vec3& c_;
    double normal_[3];
    double magnitude_[3];
};

} // namespace fathom
