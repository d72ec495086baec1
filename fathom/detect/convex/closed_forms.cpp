// Points, segments and boxes.
#include <fathom/detect/convex/closed_forms.h>

#include <fathom/geometry/primitive/closest_point.h>

#include <algorithm>
#include <cmath>

namespace fathom::convex {

namespace {

constexpr int max_projections = 8;

// The direction from a point of A to a point of B; `otherwise` if they coincide.
CoreDistance between_points(const Vec3& a, const Vec3& b, const Vec3& otherwise) {
    const Vec3 d = b - a;
    const double length = d.norm();
    if (length > 0) return {{d / length, -length, a, b}, -length};
    return {{otherwise, 0, a, b}, 0, false};
}

// A box about the origin and a point.
CoreDistance box_and_point(const Vec3& half, const Vec3& p, double size) {
    const Vec3 nearest = p.cwiseMax(-half).cwiseMin(half);
    if (nearest != p) return between_points(nearest, p, Vec3::UnitX());
    const Vec3 depth = half - p.cwiseAbs();
    int axis = 0;
    depth.minCoeff(&axis);
    const Vec3 normal = p[axis] < 0 ? Vec3(-Vec3::Unit(axis)) : Vec3(Vec3::Unit(axis));
    CoreDistance result{{normal, depth[axis], p + depth[axis] * normal, p}, depth[axis]};
    const double tie = tie_share * size;
    for (int k = 0; k < 3; ++k)
        result.unique = result.unique && (k == axis ? std::abs(p[k]) > tie : depth[k] - depth[axis] > tie);
    return result;
}

// The root x > 0 of sum of (ratios_i scaled_i / (x + ratios_i - 1))^2 = 1, where the least ratio is 1 (Eberly 2013,
// "Distance from a point to an ellipse, an ellipsoid, or a hyperellipsoid"). The left side is convex and decreases, so
// that Newton's method from the left never passes the root. 0 if there is none: the point is on the plane of symmetry
// across the shortest axis, near the centre.
double ellipsoid_root(const Vec3& ratios, const Vec3& scaled) {
    constexpr int max_steps = 100;
    double x = 0;
    for (int k = 0; k < 3; ++k) x = std::max(x, ratios[k] * scaled[k] - (ratios[k] - 1));
    for (int step = 0; step < max_steps; ++step) {
        double value = -1, slope = 0;
        for (int k = 0; k < 3; ++k) {
            if (scaled[k] == 0) continue;
            const double below = x + (ratios[k] - 1), part = ratios[k] * scaled[k] / below;
            value += part * part;
            slope -= 2 * part * part / below;
        }
        if (!(value > 0) || !(slope < 0)) break;
        const double next = x - value / slope;
        if (!(next > x)) break;
        x = next;
    }
    return x;
}

// The point of the surface of an ellipsoid about the origin that is closest to a point.
Vec3 closest_on_ellipsoid(const Vec3& axes, const Vec3& p) {
    int least = 0;
    const double shortest = axes.minCoeff(&least);
    const Vec3 ratios = (axes / shortest).cwiseAbs2(), scaled = p.cwiseAbs().cwiseQuotient(axes);
    const double x = ellipsoid_root(ratios, scaled);
    Vec3 closest = Vec3::Zero();
    for (int k = 0; k < 3; ++k)
        if (const double below = x + (ratios[k] - 1); scaled[k] != 0 && below > 0)
            closest[k] = ratios[k] * p[k] / below;
    const double rest = 1 - closest.cwiseQuotient(axes).squaredNorm();
    if (scaled[least] == 0 && rest > 0) closest[least] = axes[least] * std::sqrt(rest);
    return closest;
}

CoreDistance ellipsoid_and_point(const Difference& d, const Vec3& axes, const Vec3& p) {
    const Vec3 closest = closest_on_ellipsoid(axes, p);
    const double longest = axes.maxCoeff();
    const Vec3 normal = (longest * closest).cwiseQuotient(axes).cwiseQuotient(axes).stableNormalized();
    const double height = axes.cwiseProduct(normal).norm() - normal.dot(p);
    CoreDistance result{{normal, height, closest, p}, height};
    if (height > 0) result.direction.on_a = p + height * normal;
    result.lower = height > 0 ? height : -(closest - p).norm();
    const double tie = tie_share * d.size;
    for (int k = 0; k < 3; ++k) // the mirrored normal
        if (height > 0 && std::abs(normal[k]) > 0.008 && 2 * std::abs(normal[k] * p[k]) <= tie) result.unique = false;
    return result;
}

CoreDistance segment_and_point(double half, const Vec3& p) {
    const Vec3 nearest(0, 0, std::clamp(p.z(), -half, half));
    return between_points(nearest, p, Vec3::UnitX());
}

CoreDistance segments(const Difference& d) {
    const double half_a = d.a.half.z(), half_b = d.b.half.z();
    const Vec3 &center = d.move, along = d.turn.col(2);
    const Segment a{{0, 0, -half_a}, {0, 0, half_a}}, b{center - half_b * along, center + half_b * along};
    const ClosestOnSegments near = closest_points(a, b);
    const Vec3 across = Vec3::UnitZ().cross(along);
    const double length = across.norm();
    CoreDistance result = between_points(near.point_a, near.point_b, Vec3::UnitX());
    if (-result.direction.height > 1e-6 * d.size) return result;
    // Segments that cross: the difference of two points has no accurate direction.
    Direction& r = result.direction;
    r.height = d.height(r.normal);
    for (const double sign : {1.0, -1.0}) {
        const Vec3 normal = length > 1e-12 ? Vec3(sign / length * across) : Vec3(sign * Vec3::UnitX());
        if (const double height = d.height(normal); height < r.height) r.normal = normal, r.height = height;
    }
    return result;
}

// The result for B and A in the frame of B's core, as one for A and B in the frame of A's core.
void turn_round(const Difference& d, CoreDistance& result) {
    Direction& r = result.direction;
    const Vec3 on_b = d.turn * r.on_a + d.move;
    r.on_a = d.turn * r.on_b + d.move;
    r.on_b = on_b;
    r.normal = -(d.turn * r.normal);
}

} // namespace

bool closed_form(const Difference& d, CoreDistance& result) {
    const Core a = d.a.core, b = d.b.core;
    if (b == Core::point) {
        if (a == Core::point)
            result = between_points(Vec3::Zero(), d.move, Vec3::UnitX());
        else if (a == Core::segment)
            result = segment_and_point(d.a.half.z(), d.move);
        else if (a == Core::box)
            result = box_and_point(d.a.half, d.move, d.size);
        else if (a == Core::ellipsoid)
            result = ellipsoid_and_point(d, d.a.half, d.move);
        else
            return false;
        return true;
    }
    if (a == Core::point) {
        const Vec3 center = -(d.turn.transpose() * d.move);
        if (b == Core::segment)
            result = segment_and_point(d.b.half.z(), center);
        else if (b == Core::box)
            result = box_and_point(d.b.half, center, d.size);
        else if (b == Core::ellipsoid)
            result = ellipsoid_and_point(d, d.b.half, center);
        else
            return false;
        turn_round(d, result);
        return true;
    }
    if (a != Core::segment || b != Core::segment) return false;
    result = segments(d);
    return true;
}

bool box_faces_separate(const Difference& d, double margin) {
    const Vec3 &a = d.a.half, &b = d.b.half;
    const Mat3 size = d.turn.cwiseAbs();
    const Vec3 of_a = d.move.cwiseAbs() - a - size * b;
    if (of_a.maxCoeff() > margin) return true;
    const Vec3 of_b = (d.turn.transpose() * d.move).cwiseAbs() - b - size.transpose() * a;
    return of_b.maxCoeff() > margin;
}

bool box_common_point(const Difference& d, Vec3& point) {
    const Vec3 &a = d.a.half, &b = d.b.half;
    Vec3 p = 0.5 * d.move;
    for (int step = 0; step < max_projections; ++step) {
        p = p.cwiseMax(-a).cwiseMin(a);
        const Vec3 q = d.turn.transpose() * (p - d.move), inside = q.cwiseMax(-b).cwiseMin(b);
        if (inside == q) {
            point = p;
            return true;
        }
        p.noalias() = d.turn * inside + d.move;
    }
    return false;
}

CoreDistance box_penetration(const Difference& d) {
    const Vec3 &a = d.a.half, &b = d.b.half;
    const double tie = tie_share * d.size;
    CoreDistance best;
    double second = HUGE_VAL;
    const auto consider = [&](const Vec3& axis) {
        const double along = axis.dot(d.move),
                     reach = a.dot(axis.cwiseAbs()) + b.dot((d.turn.transpose() * axis).cwiseAbs());
        const double height = reach - std::abs(along);
        const bool same = std::abs(best.direction.normal.dot(axis)) > 0.9998;
        if (height < best.direction.height) {
            if (!same) second = std::min(second, best.direction.height);
            best.direction.height = height;
            best.direction.normal = along < 0 ? Vec3(-axis) : axis;
            best.unique = std::abs(along) > 0.5 * tie;
        } else if (!same) {
            second = std::min(second, height);
        }
    };
    for (int k = 0; k < 3; ++k) consider(Vec3::Unit(k));
    for (int k = 0; k < 3; ++k) consider(d.turn.col(k));
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k) {
            const Vec3 axis = Vec3::Unit(i).cross(d.turn.col(k));
            const double length = axis.norm();
            if (length > 1e-12) consider(axis / length);
        }
    best.lower = best.direction.height;
    best.unique = best.unique && second > best.direction.height + tie;
    return best;
}

} // namespace fathom::convex
