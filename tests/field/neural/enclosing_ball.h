// The frame that published networks were trained in: a mesh is placed by the smallest ball about it.
#pragma once

#include <fathom/base/primitives.h>

#include <algorithm>
#include <vector>

namespace fathom::testing {

struct Sphere {
    Vec3 center;
    double radius;
};

// Bădoiu & Clarkson 2003: towards the farthest point by ever smaller steps.
[[nodiscard]] inline Sphere enclosing_ball(const std::vector<Vec3>& points) {
    Vec3 center = points[0];
    const auto farthest = [&] {
        return *std::max_element(points.begin(), points.end(), [&](const Vec3& a, const Vec3& b) {
            return (a - center).squaredNorm() < (b - center).squaredNorm();
        });
    };
    for (int k = 1; k <= 1000; ++k) center += (farthest() - center) / (k + 1);
    return {center, (farthest() - center).norm()};
}

} // namespace fathom::testing
