// A point of a triangle as shares of its corners.
#pragma once

#include <fathom/base/vec.h>

#include <array>

namespace fathom {

// Of the point of the triangle's plane nearest to `point`, drawn into the triangle by cutting off what is below 0;
// sum 1. A third each where it has no area.
[[nodiscard]] inline Vec3 triangle_shares(const std::array<Vec3, 3>& corners, const Vec3& point) {
    const Vec3 e = corners[1] - corners[0], f = corners[2] - corners[0], d = point - corners[0];
    const double ee = e.dot(e), ef = e.dot(f), ff = f.dot(f), de = d.dot(e), df = d.dot(f), det = ee * ff - ef * ef;
    if (!(det > 0)) return Vec3::Constant(1.0 / 3);
    const double s = (ff * de - ef * df) / det, t = (ee * df - ef * de) / det;
    const Vec3 shares = Vec3(1 - s - t, s, t).cwiseMax(0);
    return shares / shares.sum();
}

} // namespace fathom
