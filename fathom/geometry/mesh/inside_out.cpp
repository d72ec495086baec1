// Which closed parts are inside-out: signed crossings of a ray from each candidate with all other
// parts. One pass over the triangles, with the rays in a grid of columns; no tree is needed for a few points and all
// triangles.
#include <fathom/base/parallel.h>
#include <fathom/geometry/mesh/components.h>
#include <fathom/geometry/exact/predicates.h>

#include <algorithm>
#include <atomic>
#include <cmath>

namespace fathom {

namespace {

constexpr std::size_t chunk = 4096;

// A point on each closed part of negative volume, from which a ray goes up along z.
struct PartPoints {
    std::vector<Index> part; // ascending
    std::vector<Vec3> point;
};

PartPoints points_on_negative_parts(const TriangleMesh& mesh, const Components& components) {
    PartPoints points;
    for (Index p = 0; p < components.parts.size(); ++p) {
        if (!components.parts[p].closed || !(components.parts[p].volume < 0)) continue;
        // The middle of the largest triangle: parts that touch in a vertex or along an edge do not meet there.
        Index largest = components.parts[p].first_triangle;
        double area = -1;
        for (const Index t : components.triangles_of_part[p]) {
            const double a = area_vector(mesh.corners(t)).squaredNorm();
            if (a > area) largest = t, area = a;
        }
        const auto [a, b, c] = mesh.corners(largest);
        points.part.push_back(p);
        points.point.push_back((a + b + c) / 3.0);
    }
    return points;
}

// Columns along z over the points' bounds, about as many as there are points.
class ColumnGrid {
public:
    explicit ColumnGrid(const std::vector<Vec3>& points) : box_(bounds(points)) {
        side_ =
            std::clamp<std::size_t>(static_cast<std::size_t>(std::sqrt(static_cast<double>(points.size()))), 1, 4096);
        std::vector<Index> column(points.size());
        for (std::size_t i = 0; i < points.size(); ++i)
            column[i] = static_cast<Index>(cell(points[i].x(), 0) * side_ + cell(points[i].y(), 1));
        columns_ = grouped(column, side_ * side_);
    }

    template <class Visit>
    void visit_overlapping(const Box& box, Visit&& visit) const {
        if (!box_.overlaps(
                {{box.lower.x(), box.lower.y(), box_.lower.z()}, {box.upper.x(), box.upper.y(), box_.upper.z()}}))
            return;
        for (std::size_t x = cell(box.lower.x(), 0); x <= cell(box.upper.x(), 0); ++x)
            for (std::size_t y = cell(box.lower.y(), 1); y <= cell(box.upper.y(), 1); ++y)
                for (const Index i : columns_[x * side_ + y]) visit(i);
    }

private:
    [[nodiscard]] std::size_t cell(double value, int axis) const {
        const double size = box_.size()[axis];
        const double share = size > 0 ? (value - box_.lower[axis]) / size * static_cast<double>(side_) : 0.0;
        return static_cast<std::size_t>(std::clamp(share, 0.0, static_cast<double>(side_ - 1)));
    }

    Box box_;
    std::size_t side_ = 1;
    Lists columns_;
};

// How often the outline of the triangle, seen from +z, winds round p: -1, 0 or 1. A vertex at p's height counts as
// below, so that a ray through an edge or a vertex meets exactly one of the triangles there.
int winding_seen_from_above(const Vec3& p, const std::array<Vec3, 3>& c) {
    int winding = 0;
    for (std::size_t k = 0; k < 3; ++k) {
        const Vec3 &a = c[k], &b = c[(k + 1) % 3];
        if (a.y() <= p.y() && b.y() > p.y() && orient2d(p, a, b, 2) > 0) ++winding;
        if (a.y() > p.y() && b.y() <= p.y() && orient2d(p, a, b, 2) < 0) --winding;
    }
    return winding;
}

// Signed crossing of the ray from p towards +z with a triangle: 1 where it leaves, -1 where it enters.
int crossing(const Vec3& p, const std::array<Vec3, 3>& corners) {
    if (std::max({corners[0].z(), corners[1].z(), corners[2].z()}) < p.z()) return 0;
    const int winding = winding_seen_from_above(p, corners);
    const bool below = winding != 0 && orient3d(corners[0], corners[1], corners[2], p) == -winding;
    return below ? winding : 0;
}

// The winding number of all other closed parts round each point.
std::vector<int> windings(const TriangleMesh& mesh, const Components& components, const PartPoints& points) {
    const ColumnGrid grid(points.point);
    std::vector<std::atomic<int>> counts(points.point.size());
    parallel_for(mesh.triangles.size(), chunk, [&](std::size_t begin, std::size_t end) {
        for (std::size_t t = begin; t < end; ++t) {
            const Index part = components.part_of_triangle[t];
            if (part == no_index || !components.parts[part].closed) continue;
            const auto corners = mesh.corners(t);
            grid.visit_overlapping(mesh.bounds(t), [&](Index i) {
                if (points.part[i] == part || !components.parts[part].bounds.contains(points.point[i])) return;
                if (const int c = crossing(points.point[i], corners)) counts[i].fetch_add(c, std::memory_order_relaxed);
            });
        }
    });
    return {counts.begin(), counts.end()};
}

} // namespace

std::vector<Index> inside_out_parts(const TriangleMesh& mesh, const Components& components) {
    const PartPoints points = points_on_negative_parts(mesh, components);
    if (points.part.empty()) return {};
    const auto outside = windings(mesh, components, points);
    std::vector<Index> found;
    for (std::size_t i = 0; i < points.part.size(); ++i)
        if (outside[i] < 1) found.push_back(points.part[i]);
    return found;
}

} // namespace fathom
