// Room: geometry. A ray against a triangle, in double.
#include <fathom/geometry/surface_decide.h>

#include <cmath>

namespace fathom {

namespace {

// a b - c d with the right sign, and zero only where it is zero (or too small for a double).
double difference_of_products(double a, double b, double c, double d) {
    const double first = a * b, second = c * d;
    if (first != second) return first - second; // rounding is monotone: never the wrong sign
    return std::fma(a, b, -first) - std::fma(c, d, -second);
}

} // namespace

ShearedRay::ShearedRay(const Ray& ray) : origin_(ray.origin) {
    ray.direction.cwiseAbs().maxCoeff(&z_);
    x_ = (z_ + 1) % 3;
    y_ = (z_ + 2) % 3;
    mirrored_ = ray.direction[z_] < 0;
    shear_x_ = ray.direction[x_] / ray.direction[z_];
    shear_y_ = ray.direction[y_] / ray.direction[z_];
    shear_z_ = 1 / ray.direction[z_];
}

RayMeeting ShearedRay::meet(const std::array<Vec3, 3>& corners, double t_max) const {
    double x[3], y[3], z[3];
    for (std::size_t k = 0; k < 3; ++k) {
        const Vec3 v = corners[k] - origin_;
        x[k] = v[x_] - shear_x_ * v[z_];
        y[k] = v[y_] - shear_y_ * v[z_];
        z[k] = v[z_];
    }
    const double u = difference_of_products(x[2], y[1], y[2], x[1]);
    const double v = difference_of_products(x[0], y[2], y[0], x[2]);
    const double w = difference_of_products(x[1], y[0], y[1], x[0]);
    RayMeeting result;
    if ((u < 0 || v < 0 || w < 0) && (u > 0 || v > 0 || w > 0)) return result;
    const double whole = u + v + w; // of one sign: nothing cancels
    result.on_border = u == 0 || v == 0 || w == 0;
    if (whole == 0) return result;
    const Vec3 weights = Vec3(u, v, w) / whole;
    const double t = (weights[0] * z[0] + weights[1] * z[1] + weights[2] * z[2]) * shear_z_;
    if (!(t >= 0 && t <= t_max)) {
        result.on_border = false;
        return result;
    }
    result.hit = true;
    result.where.t = t;
    result.where.barycentric = weights;
    result.where.from_behind = (whole > 0) == mirrored_;
    return result;
}

} // namespace fathom
