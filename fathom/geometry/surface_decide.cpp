// Room: geometry. Closest point of a triangle and ray against triangle, in double.
#include <fathom/geometry/surface_decide.h>

#include <cmath>

namespace fathom {

namespace {

bool before(const Vec3& a, const Vec3& b) {
    return std::lexicographical_compare(a.data(), a.data() + 3, b.data(), b.data() + 3);
}

void take_corner(ClosestPoint& best, const Vec3& point, const std::array<Vec3, 3>& corners, int k) {
    const Vec3& corner = corners[static_cast<std::size_t>(k)];
    const double squared = (point - corner).squaredNorm();
    if (!(squared < best.squared_distance)) return;
    best.squared_distance = squared;
    best.point = corner;
    best.barycentric = Vec3::Unit(k);
    best.feature = static_cast<TriangleFeature>(k);
}

// Always from the lower end, so that two triangles agree to the last bit on the edge they share.
void take_edge(ClosestPoint& best, const Vec3& point, const std::array<Vec3, 3>& corners, int from) {
    int to = (from + 1) % 3;
    const auto feature = static_cast<TriangleFeature>(3 + from);
    if (before(corners[static_cast<std::size_t>(to)], corners[static_cast<std::size_t>(from)])) std::swap(from, to);
    const Vec3& start = corners[static_cast<std::size_t>(from)];
    const Vec3 edge = corners[static_cast<std::size_t>(to)] - start, offset = point - start;
    const double along = offset.dot(edge), length = edge.squaredNorm();
    if (!(along > 0)) return take_corner(best, point, corners, from);
    if (!(along < length)) return take_corner(best, point, corners, to);
    const double t = along / length;
    const double squared = (offset - t * edge).squaredNorm();
    if (!(squared < best.squared_distance)) return;
    best.squared_distance = squared;
    best.point = start + t * edge;
    best.barycentric = Vec3::Zero();
    best.barycentric[from] = 1 - t;
    best.barycentric[to] = t;
    best.feature = feature;
}

// A nearest point inside beats the border only when it is really nearer, so a sliver whose normal is mostly rounding error
// cannot spoil the answer.
void take_face(ClosestPoint& best, const Vec3& point, const std::array<Vec3, 3>& corners) {
    const Vec3 ab = corners[1] - corners[0], ac = corners[2] - corners[0], ap = point - corners[0];
    const Vec3 normal = ab.cross(ac);
    const double whole = normal.squaredNorm();
    const double b = normal.dot(ap.cross(ac)), c = normal.dot(ab.cross(ap));
    if (!(b > 0 && c > 0 && b + c < whole)) return;
    const double v = b / whole, w = c / whole;
    const double squared = (ap - v * ab - w * ac).squaredNorm();
    if (!(squared < best.squared_distance)) return;
    best.squared_distance = squared;
    best.point = corners[0] + v * ab + w * ac;
    best.barycentric = Vec3(1 - v - w, v, w);
    best.feature = TriangleFeature::face;
}

// a b - c d with the right sign, and zero only where it is zero (or too small for a double).
double difference_of_products(double a, double b, double c, double d) {
    const double first = a * b, second = c * d;
    if (first != second) return first - second; // rounding is monotone: never the wrong sign
    return std::fma(a, b, -first) - std::fma(c, d, -second);
}

} // namespace

ClosestPoint closest_on_triangle(const Vec3& point, const std::array<Vec3, 3>& corners) {
    ClosestPoint best;
    for (int k = 0; k < 3; ++k) take_edge(best, point, corners, k);
    take_face(best, point, corners);
    return best;
}

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
