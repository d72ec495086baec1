// Separating axes of two boxes with bounds on their rounding; principal axes and rotating calipers.
#include <fathom/geometry/primitive/oriented_box.h>

#include <fathom/base/error.h>
#include <fathom/base/rounding.h>

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace fathom {

namespace {

// Every sum below has fewer than 20 terms, with factors that each have errors of a few units in the last place.
constexpr double axis_rounding = rounding_error(128);

// Box b in the frame of box a.
struct BoxPair {
    Mat3 turn; // columns: axes of b in the frame of a
    Mat3 size; // absolute values of the entries
    Vec3 way;  // vector between the centres, in the frame of a
    Vec3 half_a;
    Vec3 half_b;
    double slack; // bound on the error of any projection on a unit vector

    BoxPair(const OrientedBox& a, const OrientedBox& b)
        : turn((a.pose.rotation.conjugate() * b.pose.rotation).toRotationMatrix()), size(turn.cwiseAbs()),
          way(a.pose.rotate_to_local(b.pose.translation - a.pose.translation)), half_a(a.half), half_b(b.half),
          slack(axis_rounding * (way.norm() + half_a.sum() + half_b.sum())) {}

    [[nodiscard]] double gap_on_a(int i) const {
        return std::abs(way[i]) - (half_a[i] + size.row(i).dot(half_b)) - slack;
    }
    [[nodiscard]] double gap_on_b(int j) const {
        return std::abs(way.dot(turn.col(j))) - (half_b[j] + size.col(j).dot(half_a)) - slack;
    }
    // Gap along the cross product of edge i of a and edge j of b, multiplied by the length of that vector.
    [[nodiscard]] double gap_on_edges(int i, int j) const {
        const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
        const double reach_a = half_a[i1] * size(i2, j) + half_a[i2] * size(i1, j);
        const double reach_b = half_b[j1] * size(i, j2) + half_b[j2] * size(i, j1);
        return std::abs(way[i2] * turn(i1, j) - way[i1] * turn(i2, j)) - (reach_a + reach_b) - slack;
    }

    [[nodiscard]] bool apart() const {
        for (int i = 0; i < 3; ++i)
            if (gap_on_a(i) > 0) return true;
        for (int j = 0; j < 3; ++j)
            if (gap_on_b(j) > 0) return true;
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
                if (gap_on_edges(i, j) > 0) return true;
        return false;
    }

    [[nodiscard]] double widest_gap() const {
        double widest = 0;
        for (int k = 0; k < 3; ++k) widest = std::max({widest, gap_on_a(k), gap_on_b(k)});
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) {
                const double gap = gap_on_edges(i, j);
                if (!(gap > 0)) continue;
                const double length = std::hypot(turn((i + 1) % 3, j), turn((i + 2) % 3, j));
                widest = std::max(widest, gap / (length * (1 + axis_rounding) + axis_rounding));
            }
        return widest;
    }
};

void check_points(std::span<const Vec3> points) {
    if (points.empty()) throw Error(Cause::empty, "there are no points to enclose");
    for (std::size_t k = 0; k < points.size(); ++k)
        if (!is_finite(points[k]))
            throw Error(Cause::non_finite, "a coordinate is not finite",
                        {.element = "point", .index = static_cast<std::int64_t>(k)});
}

OrientedBox box_round(const Quat& axes, std::span<const Vec3> points) {
    const Mat3 to_local = axes.conjugate().toRotationMatrix();
    const Vec3& origin = points.front(); // near the points, so that distant points keep their precision
    Box local;
    for (const Vec3& p : points) local.extend(Vec3(to_local * (p - origin)));
    const Vec3 center = origin + axes * local.center();
    const double spare = axis_rounding * (local.diagonal() + center.cwiseAbs().maxCoeff());
    return {{axes, center}, local.half() + Vec3::Constant(spare)};
}

// The objective of a fit: volume, or area and length for planar and collinear points, which have no volume.
double bulk(const OrientedBox& box) {
    const double thin = 1e-6 * box.half.maxCoeff();
    return (box.half + Vec3::Constant(thin)).prod();
}

Quat principal_axes(std::span<const Vec3> points) {
    const Vec3 origin = points.front();
    Vec3 mean = Vec3::Zero();
    for (const Vec3& p : points) mean += p - origin;
    mean = origin + mean / static_cast<double>(points.size());
    Mat3 spread = Mat3::Zero();
    for (const Vec3& p : points) spread += (p - mean) * (p - mean).transpose();
    return axes_of(spread);
}

double cross(const Vec2& a, const Vec2& b) { return a.x() * b.y() - a.y() * b.x(); }

// The convex hull, counter-clockwise without repeated points (Andrew's monotone chain).
std::vector<Vec2> hull_of(std::vector<Vec2> points) {
    std::sort(points.begin(), points.end(),
              [](const Vec2& a, const Vec2& b) { return a.x() != b.x() ? a.x() < b.x() : a.y() < b.y(); });
    points.erase(std::unique(points.begin(), points.end()), points.end());
    if (points.size() < 3) return points;
    std::vector<Vec2> hull;
    const auto add = [&](const Vec2& p, std::size_t keep) {
        while (hull.size() > keep && cross(hull.back() - hull[hull.size() - 2], p - hull.back()) <= 0) hull.pop_back();
        hull.push_back(p);
    };
    for (const Vec2& p : points) add(p, 1);
    const std::size_t lower = hull.size();
    for (std::size_t k = points.size() - 1; k-- > 0;) add(points[k], lower);
    hull.pop_back();
    return hull;
}

// The angle of the side of the hull on which the rectangle of smallest area lies (the smallest has a side on the hull:
// Freeman & Shapira 1975).
double best_angle(const std::vector<Vec2>& hull) {
    double best = 0, least = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < hull.size(); ++k) {
        const Vec2 side = hull[(k + 1) % hull.size()] - hull[k];
        if (side.squaredNorm() == 0) continue;
        const Vec2 along = side.normalized(), across(-along.y(), along.x());
        Vec2 low = Vec2::Constant(HUGE_VAL), high = -low;
        for (const Vec2& p : hull) {
            const Vec2 q(along.dot(p), across.dot(p));
            low = low.cwiseMin(q);
            high = high.cwiseMax(q);
        }
        const double area = (high - low).prod();
        if (area < least) least = area, best = std::atan2(along.y(), along.x());
    }
    return best;
}

OrientedBox turned_about(const OrientedBox& box, int axis, std::span<const Vec3> points) {
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    std::vector<Vec2> shadow;
    shadow.reserve(points.size());
    for (const Vec3& p : points) {
        const Vec3 q = box.pose.to_local(p);
        shadow.emplace_back(q[u], q[v]);
    }
    const Quat turn(Eigen::AngleAxisd(best_angle(hull_of(std::move(shadow))), Vec3::Unit(axis)));
    return box_round(Quat(box.pose.rotation * turn).normalized(), points);
}

OrientedBox refined(OrientedBox box, std::span<const Vec3> points) {
    constexpr int max_turns = 12;
    int idle = 0;
    for (int turn = 0; turn < max_turns && idle < 3; ++turn) {
        const OrientedBox trial = turned_about(box, turn % 3, points);
        idle = bulk(trial) < (1 - 1e-3) * bulk(box) ? 0 : idle + 1;
        if (bulk(trial) < bulk(box)) box = trial;
    }
    return box;
}

} // namespace

bool boxes_overlap(const OrientedBox& a, const OrientedBox& b) { return !BoxPair(a, b).apart(); }

bool boxes_overlap(const Box& a, const OrientedBox& b) { return !a.empty() && boxes_overlap(oriented(a), b); }

double gap_between(const OrientedBox& a, const OrientedBox& b) { return BoxPair(a, b).widest_gap(); }

OrientedBox oriented(const Box& box) { return {Pose::from_translation(box.center()), box.half()}; }

std::array<Vec3, 8> corners_of(const OrientedBox& box) {
    const Box local{-box.half, box.half};
    std::array<Vec3, 8> corners;
    for (int k = 0; k < 8; ++k) corners[static_cast<std::size_t>(k)] = box.pose * local.corner(k);
    return corners;
}

bool certainly_contains(const OrientedBox& outer, const Box& inner) {
    const Mat3 turn = outer.pose.rotation.toRotationMatrix();
    const Vec3 center = inner.center();
    const Vec3 reach =
        (turn.transpose() * (center - outer.pose.translation)).cwiseAbs() + turn.cwiseAbs().transpose() * inner.half();
    const double spare =
        axis_rounding * (reach.sum() + center.cwiseAbs().maxCoeff() + outer.pose.translation.cwiseAbs().maxCoeff());
    return ((reach + Vec3::Constant(spare)).array() <= outer.half.array()).all();
}

Quat axes_of(const Mat3& spread) {
    const double size = spread.trace();
    if (!(size > 0) || !std::isfinite(size)) return Quat::Identity();
    Mat3 axes = Eigen::SelfAdjointEigenSolver<Mat3>(spread / size).eigenvectors();
    axes.col(2) = axes.col(0).cross(axes.col(1));
    return Quat(axes).normalized();
}

OrientedBox fitted_box(std::span<const Vec3> points, BoxFit fit) {
    check_points(points);
    const OrientedBox plain = box_round(Quat::Identity(), points),
                      principal = box_round(principal_axes(points), points);
    const auto smaller = [](const OrientedBox& a, const OrientedBox& b) { return bulk(a) <= bulk(b) ? a : b; };
    return fit == BoxFit::refined ? smaller(refined(plain, points), refined(principal, points))
                                  : smaller(plain, principal);
}

} // namespace fathom
