// Closest points of two shapes that are replaced by planes over their last points: one step of the proximal bundle
// method (Kelley 1960, Kiwiel 1990). Metres; no allocation.
#pragma once

#include <fathom/field/plane_over.h>

#include <algorithm>
#include <array>

namespace fathom::field_field {

// The last planes of a shape, with their multipliers.
struct PlaneBundle {
    std::array<PlaneOver, 8> planes{};
    std::array<double, 8> weights{};
    std::size_t count = 0;

    void add(const PlaneOver& plane) {
        if (!(plane.offset < HUGE_VAL)) return;
        std::size_t place = count;
        if (count < planes.size())
            ++count;
        else // instead of the first inactive one
            place = static_cast<std::size_t>(std::min_element(weights.begin(), weights.end()) - weights.begin());
        std::rotate(planes.begin() + static_cast<std::ptrdiff_t>(place),
                    planes.begin() + static_cast<std::ptrdiff_t>(std::min(place + 1, count - 1)),
                    planes.begin() + static_cast<std::ptrdiff_t>(count));
        planes[count - 1] = plane;
    }
    // Moves planes beyond a point of the shape: where it is not convex, they cut it off.
    void admit(const Vec3& x) {
        for (std::size_t k = 0; k < count; ++k) planes[k].offset = std::max(planes[k].offset, planes[k].normal.dot(x));
    }
};

// Minimizes |a - b|^2 + stay (|a - near_a|^2 + |b - near_b|^2) below the planes, by Hildreth's method: ascent in one
// multiplier at a time.
void closest_of_planes(PlaneBundle& of_a, PlaneBundle& of_b, const Vec3& near_a, const Vec3& near_b, double stay,
                       Vec3& a, Vec3& b);

} // namespace fathom::field_field
