// The GJK iteration, and closest points of simplices to the origin.
#include <fathom/detect/convex/gjk.h>

#include <fathom/geometry/primitive/closest_point.h>

#include <array>
#include <cmath>

namespace fathom::convex {

namespace {

// Points of a simplex that the closest point lies between, with their shares.
struct Part {
    int at[4];
    double shares[4];
    int count = 0;
    double squared = HUGE_VAL;

    void keep(int point, double share) {
        if (!(share > 0)) return;
        at[count] = point;
        shares[count++] = share;
    }
};

Part closest_of_segment(const Simplex& s) {
    const Vec3 &p = s.points[0].w, along = s.points[1].w - p;
    const double squared = along.squaredNorm();
    const double t = squared > 0 ? std::min(std::max(-p.dot(along) / squared, 0.0), 1.0) : 1.0;
    Part part;
    part.keep(0, 1 - t);
    part.keep(1, t);
    part.squared = (p + t * along).squaredNorm();
    return part;
}

// By the regions of a triangle's plane (Ericson 2005, section 5.1.5), which is inaccurate for thin triangles.
Part quickly_closest_of_triangle(const Simplex& s, int i, int j, int k) {
    const Vec3 &a = s.points[i].w, &b = s.points[j].w, &c = s.points[k].w;
    const Vec3 ab = b - a, ac = c - a;
    const double ab_a = -ab.dot(a), ac_a = -ac.dot(a), ab_b = -ab.dot(b), ac_b = -ac.dot(b), ab_c = -ab.dot(c),
                 ac_c = -ac.dot(c);
    double shares[3] = {0, 0, 0};
    const double of_c = ab_a * ac_b - ab_b * ac_a, of_b = ab_c * ac_a - ab_a * ac_c, of_a = ab_b * ac_c - ab_c * ac_b;
    if (ab_a <= 0 && ac_a <= 0) {
        shares[0] = 1;
    } else if (ab_b >= 0 && ac_b <= ab_b) {
        shares[1] = 1;
    } else if (ac_c >= 0 && ab_c <= ac_c) {
        shares[2] = 1;
    } else if (of_c <= 0 && ab_a >= 0 && ab_b <= 0) {
        shares[1] = ab_a / (ab_a - ab_b), shares[0] = 1 - shares[1];
    } else if (of_b <= 0 && ac_a >= 0 && ac_c <= 0) {
        shares[2] = ac_a / (ac_a - ac_c), shares[0] = 1 - shares[2];
    } else if (of_a <= 0 && ac_b >= ab_b && ab_c >= ac_c) {
        shares[2] = (ac_b - ab_b) / ((ac_b - ab_b) + (ab_c - ac_c)), shares[1] = 1 - shares[2];
    } else {
        const double sum = of_a + of_b + of_c;
        shares[1] = of_b / sum, shares[2] = of_c / sum, shares[0] = 1 - shares[1] - shares[2];
    }
    Part part;
    part.keep(i, shares[0]);
    part.keep(j, shares[1]);
    part.keep(k, shares[2]);
    part.squared = (shares[0] * a + shares[1] * b + shares[2] * c).squaredNorm();
    if (!(part.squared < HUGE_VAL)) part.squared = HUGE_VAL;
    return part;
}

Part closest_of_triangle(const Simplex& s, int i, int j, int k, bool quickly) {
    if (quickly) return quickly_closest_of_triangle(s, i, j, k);
    const ClosestOnTriangle found =
        closest_point(Vec3::Zero(), std::array<Vec3, 3>{s.points[i].w, s.points[j].w, s.points[k].w});
    Part part;
    part.keep(i, found.barycentric[0]);
    part.keep(j, found.barycentric[1]);
    part.keep(k, found.barycentric[2]);
    part.squared = found.squared_distance;
    return part;
}

// Signs of volumes that are within rounding of 0 do not count: such faces are compared by distance.
Part closest_of_tetrahedron(const Simplex& s, double rounding, bool quickly) {
    constexpr int faces[3][3] = {{1, 2, 0}, {2, 0, 1}, {0, 1, 2}}; // two corners beside point 3, and the opposite one
    const Vec3& top = s.points[3].w;
    double shares[3];
    Part best;
    bool inside = true;
    for (int f = 0; f < 3; ++f) {
        const int i = faces[f][0], j = faces[f][1], opposite = faces[f][2];
        const Vec3 normal = (s.points[i].w - top).cross(s.points[j].w - top);
        const double side = normal.dot(s.points[opposite].w - top), origin = -normal.dot(top);
        const bool flat = std::abs(side) <= rounding * normal.norm();
        shares[f] = side != 0 ? origin / side : -1;
        if (!flat && shares[f] > 0) continue;
        inside = false;
        const Part part = closest_of_triangle(s, 3, i, j, quickly);
        if (part.squared < best.squared) best = part;
    }
    if (!inside) return best;
    Part all;
    const double last = 1 - shares[0] - shares[1] - shares[2];
    if (!(last > 0)) return closest_of_triangle(s, 0, 1, 2, quickly);
    for (int k = 0; k < 3; ++k) all.keep(k, shares[k]);
    all.keep(3, last);
    Vec3 rest = last * top;
    for (int k = 0; k < 3; ++k) rest += shares[k] * s.points[k].w;
    all.squared = 0;
    if (rest.norm() <= 4 * rounding) return all;
    for (const auto& f : faces) // the shares are wrong by rounding: the simplex is nearly flat
        if (const Part part = closest_of_triangle(s, 3, f[0], f[1], quickly); part.squared < best.squared) best = part;
    return best;
}

// Keeps the points of the part, in their order.
void reduce(Simplex& s, const Part& part) {
    double shares[4] = {};
    for (int k = 0; k < part.count; ++k) shares[part.at[k]] = part.shares[k];
    int count = 0;
    for (int k = 0; k < 4; ++k) {
        if (!(shares[k] > 0)) continue;
        if (count != k) s.points[count] = s.points[k];
        s.shares[count++] = shares[k];
    }
    s.count = count;
}

Part closest(const Simplex& s, double rounding, bool quickly) {
    if (s.count == 2) return closest_of_segment(s);
    return s.count == 3 ? closest_of_triangle(s, 0, 1, 2, quickly) : closest_of_tetrahedron(s, rounding, quickly);
}

bool contains(const Simplex& s, const DifferencePoint& p) {
    for (int k = 0; k < s.count; ++k)
        if (s.points[k].w == p.w) return true;
    return false;
}

} // namespace

void gjk(const Difference& difference, const GjkLimits& limits, GjkResult& result) {
    Simplex& s = result.simplex;
    if (s.count == 0) {
        const Vec3 start = difference.move.squaredNorm() > 0 ? difference.move : Vec3(Vec3::UnitX());
        s.points[0] = difference.farthest(start);
        s.shares[0] = 1, s.count = 1;
        result.upper = s.points[0].w.norm();
    }
    Vec3 at = s.mean();
    for (int k = 0; k < limits.max_iterations; ++k) {
        if (result.upper <= std::max(limits.below, difference.rounding)) return;
        const Vec3 normal = at / -result.upper;
        const DifferencePoint& last = s.points[s.count - 1];
        const DifferencePoint next = difference.farthest(normal, last.piece_a, last.piece_b);
        if (const double lower = -next.w.dot(normal); lower > result.lower)
            result.lower = lower, result.normal = normal;
        if (result.lower > limits.above) return;
        result.stopped = result.upper - result.lower <= 1e-15 * result.upper || contains(s, next);
        if (result.stopped || result.upper - result.lower <= limits.gap * result.upper) return;
        s.points[s.count++] = next;
        Part part = closest(s, difference.rounding, true);
        if (!(std::sqrt(part.squared) < result.upper)) part = closest(s, difference.rounding, false);
        const double distance = std::sqrt(part.squared);
        result.stopped = !(distance < result.upper);
        if (result.stopped) {
            --s.count;
            return;
        }
        reduce(s, part);
        at = s.mean();
        result.upper = s.count == 4 ? 0 : at.norm();
        if (s.count == 4) return;
    }
}

} // namespace fathom::convex
