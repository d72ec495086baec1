// The least value of a field on a triangle, by descent: projected gradients with steps that fit the
// curvature (Birgin, Martinez & Raydan 2000), and where slopes meet in creases, cutting planes (Kelley 1960). Convex
// bodies, round or sharp: true to 1e-9 of the triangle, but for one in 10^4 that ends 1e-3 short of it. Other fields
// have valleys, and this finds one.
// Cost: four look-ups, and on smooth fields one or two more, on blocks about ten. Thread-safe.
#pragma once

#include <fathom/field/field.h>

#include <array>

namespace fathom {

struct TriangleLeast {
    Vec3 point = Vec3::Zero();
    Sample sample; // there
    std::size_t look_ups = 0;
};

// In the field's frame. `start` is a point of the triangle and `value` the field there; the corners are tried too, so
// that the answer is never above any of them.
[[nodiscard]] TriangleLeast least_on_triangle(const Field& field, const std::array<Vec3, 3>& corners, const Vec3& start,
                                              double value);

} // namespace fathom
