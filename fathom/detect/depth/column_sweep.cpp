// Room: detect. Triangles clipped to the columns of pixels.
#include <fathom/detect/depth/column_sweep.h>

#include <fathom/base/interval.h>

#include <algorithm>
#include <cmath>

namespace fathom {

namespace {

// At most three corners and one more for each of four cuts.
struct Polygon {
    std::array<Vec3, 8> corners;
    std::size_t count = 0;
    void add(const Vec3& p) { corners[count++] = p; }
};

// The part with sign * p[axis] <= sign * limit (Sutherland & Hodgman 1974).
Polygon cut(const Polygon& polygon, int axis, double sign, double limit) {
    Polygon kept;
    for (std::size_t k = 0; k < polygon.count; ++k) {
        const Vec3 &a = polygon.corners[k], &b = polygon.corners[(k + 1) % polygon.count];
        const double over_a = sign * (a[axis] - limit), over_b = sign * (b[axis] - limit);
        if (over_a <= 0) kept.add(a);
        if ((over_a < 0 && over_b > 0) || (over_a > 0 && over_b < 0)) kept.add(a + over_a / (over_a - over_b) * (b - a));
    }
    return kept;
}

Interval depths_in(const Polygon& triangle, double left, double right, double top, double bottom) {
    const Polygon part = cut(cut(cut(cut(triangle, 0, -1, left), 0, 1, right), 1, -1, top), 1, 1, bottom);
    Interval depths = Interval::none();
    for (std::size_t k = 0; k < part.count; ++k) depths = hull(depths, part.corners[k].z());
    return depths;
}

} // namespace

std::vector<bool> columns_met(const DepthView& view, const DrawnBody& body, const std::vector<bool>& open, const DepthMap& lower, const DepthMap& upper,
                              double margin) {
    std::vector<bool> met(open.size(), false);
    const double grow_x = margin / view.pixel_size().x(), grow_y = margin / view.pixel_size().y(), grow_z = margin / view.size.z();
    const Pose frame = body.pose * Pose::at(body.mesh->origin());
    std::vector<Vec3> places;
    places.reserve(body.mesh->positions().size());
    for (const Vec3f& p : body.mesh->positions()) places.push_back(view.to_map(frame * p.cast<double>()));
    for (const Triangle& t : body.mesh->triangles()) {
        Polygon triangle;
        Box box;
        for (const Index corner : t) triangle.add(places[corner]), box.extend(places[corner]);
        if (!is_finite(box.lower) || !is_finite(box.upper)) return open; // too far away for doubles
        if (box.upper.z() < -grow_z || box.lower.z() > 1 + grow_z) continue;
        const auto first = [](double edge) { return static_cast<int>(std::clamp(std::floor(edge), 0.0, 16384.0)); };
        const auto last = [](double edge, int count) { return static_cast<int>(std::clamp(std::floor(edge), -1.0, count - 1.0)); };
        for (int j = first(box.lower.y() - grow_y); j <= last(box.upper.y() + grow_y, view.height); ++j)
            for (int i = first(box.lower.x() - grow_x); i <= last(box.upper.x() + grow_x, view.width); ++i) {
                const auto pixel = static_cast<std::size_t>(j) * static_cast<std::size_t>(view.width) + static_cast<std::size_t>(i);
                if (!open[pixel] || met[pixel]) continue;
                const Interval depths = depths_in(triangle, i - grow_x, i + 1 + grow_x, j - grow_y, j + 1 + grow_y);
                met[pixel] = depths.lower <= static_cast<double>(upper.depth[pixel]) + grow_z && depths.upper >= static_cast<double>(lower.depth[pixel]) - grow_z;
            }
    }
    return met;
}

} // namespace fathom
