// Distance of a point and intersection of a ray with a triangle, in double.
#include <fathom/geometry/surface_tree/triangle_exact.h>

#include <cmath>

namespace fathom {

namespace {

bool before(const Vec3& a, const Vec3& b) {
    if (a.x() != b.x()) return a.x() < b.x();
    return a.y() != b.y() ? a.y() < b.y() : a.z() < b.z();
}

// Squared distance to an edge, always measured from its lower end, so that two triangles agree bit for bit on a shared
// edge. Infinite if the closest point is not between the ends.
double edge_distance(const Vec3& point, const Vec3& a, const Vec3& b) {
    const bool turn = before(b, a);
    const Vec3 &start = turn ? b : a, &end = turn ? a : b;
    const Vec3 edge = end - start, offset = point - start;
    const double along = offset.dot(edge), length = edge.squaredNorm();
    const double squared = (offset - along / length * edge).squaredNorm();
    return along > 0 && along < length ? squared : infinity;
}

// Squared distance to the foot of the perpendicular given by its weights, not to the plane: the distance of a sliver
// whose normal is mostly rounding error may be overestimated where its boundary is as close, but is never
// underestimated. Infinite if the foot is outside.
double face_distance(const Vec3& point, const std::array<Vec3, 3>& corners) {
    const Vec3 ab = corners[1] - corners[0], ac = corners[2] - corners[0], ap = point - corners[0];
    const Vec3 normal = ab.cross(ac);
    const double whole = normal.squaredNorm(), b = normal.dot(ap.cross(ac)), c = normal.dot(ab.cross(ap));
    const double squared = (ap - b / whole * ab - c / whole * ac).squaredNorm();
    return b > 0 && c > 0 && b + c < whole ? squared : infinity;
}

// a b - c d with the exact sign, and zero only if it is zero (or too small for a double).
double difference_of_products(double a, double b, double c, double d) {
    const double first = a * b, second = c * d;
    if (first != second) return first - second; // rounding is monotone, so the sign is correct
    return std::fma(a, b, -first) - std::fma(c, d, -second);
}

} // namespace

double squared_distance(const Vec3& point, const std::array<Vec3, 3>& corners) {
    double best = face_distance(point, corners);
    for (std::size_t k = 0; k < 3; ++k) {
        best = std::min(best, (point - corners[k]).squaredNorm());
        best = std::min(best, edge_distance(point, corners[k], corners[(k + 1) % 3]));
    }
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

RayIntersection ShearedRay::intersect(const std::array<Vec3, 3>& corners, double t_max) const {
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
    RayIntersection result;
    if ((u < 0 || v < 0 || w < 0) && (u > 0 || v > 0 || w > 0)) return result;
    const double whole = u + v + w; // of one sign: no cancellation
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
