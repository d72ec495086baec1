// Quadratic program over the planes of two shapes, by ascent in one multiplier at a time.
#include <fathom/detect/field_field/plane_bundle.h>

#include <cmath>

namespace fathom::field_field {

void closest_of_planes(PlaneBundle& of_a, PlaneBundle& of_b, const Vec3& near_a, const Vec3& near_b, double stay,
                       Vec3& a, Vec3& b) {
    const double other = 1 / (stay * (2 + stay)), own = (1 + stay) * other;
    a = stay * (own * near_a + other * near_b);
    b = stay * (other * near_a + own * near_b);
    of_a.weights.fill(0);
    of_b.weights.fill(0);
    const auto pass = [&](PlaneBundle& bundle, Vec3& x, Vec3& y) {
        double change = 0;
        for (std::size_t k = 0; k < bundle.count; ++k) {
            const PlaneOver& plane = bundle.planes[k];
            const double over = plane.normal.dot(x) - plane.offset,
                         weight = std::max(0.0, bundle.weights[k] + over / own), step = weight - bundle.weights[k];
            bundle.weights[k] = weight;
            x -= own * step * plane.normal;
            y -= other * step * plane.normal;
            change = std::max(change, std::abs(step));
        }
        return change;
    };
    const double small = 1e-12 * (a - b).norm() + 1e-300;
    for (int k = 0; k < 80; ++k)
        if (const double of_first = pass(of_a, a, b); of_first + pass(of_b, b, a) < small) break;
}

} // namespace fathom::field_field
