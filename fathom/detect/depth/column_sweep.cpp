// Triangles clipped to the columns of pixels.
#include <fathom/detect/depth/column_sweep.h>

#include <fathom/base/interval.h>

#include <algorithm>
#include <cmath>

namespace fathom {

namespace {

// At most three corners, plus one for each of four cuts.
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
        if ((over_a < 0 && over_b > 0) || (over_a > 0 && over_b < 0))
            kept.add(a + over_a / (over_a - over_b) * (b - a));
    }
    return kept;
}

Interval depths_in(const Polygon& triangle, const Box& column) {
    Polygon part = triangle;
    for (int axis = 0; axis < 2; ++axis)
        part = cut(cut(part, axis, -1, column.lower[axis]), axis, 1, column.upper[axis]);
    Interval depths = Interval::none();
    for (std::size_t k = 0; k < part.count; ++k) depths = hull(depths, part.corners[k].z());
    return depths;
}

// Calls visit(pixel, depth range of a triangle in its column) for the pixels with want(pixel); triangles are enlarged
// by the margin. Returns false if a position of the body is too far away for doubles.
template <class Want, class Visit>
bool visit_columns(const DepthView& view, const DrawnBody& body, double margin, const Want& want, const Visit& visit) {
    const Vec3 grow(margin / view.pixel_size().x(), margin / view.pixel_size().y(), margin / view.size.z());
    const Pose frame = body.pose * Pose::from_translation(body.mesh->origin());
    std::vector<Vec3> places;
    places.reserve(body.mesh->positions().size());
    for (const Vec3f& p : body.mesh->positions()) places.push_back(view.to_map(frame * p.cast<double>()));
    if (!std::ranges::all_of(places, [](const Vec3& p) { return is_finite(p); })) return false;
    const auto pixel_of = [](double edge, int count) {
        return static_cast<int>(std::clamp(std::floor(edge), -1.0, static_cast<double>(count)));
    };
    for (const Triangle& t : body.mesh->triangles()) {
        Polygon triangle;
        Box box;
        for (const Index corner : t) triangle.add(places[corner]), box.extend(places[corner]);
        if (box.upper.z() < -grow.z() || box.lower.z() > 1 + grow.z()) continue;
        const int left = std::max(0, pixel_of(box.lower.x() - grow.x(), view.width)),
                  right = std::min(view.width - 1, pixel_of(box.upper.x() + grow.x(), view.width));
        const int top = std::max(0, pixel_of(box.lower.y() - grow.y(), view.height)),
                  bottom = std::min(view.height - 1, pixel_of(box.upper.y() + grow.y(), view.height));
        for (int j = top; j <= bottom; ++j)
            for (int i = left; i <= right; ++i) {
                const auto pixel =
                    static_cast<std::size_t>(j) * static_cast<std::size_t>(view.width) + static_cast<std::size_t>(i);
                if (!want(pixel)) continue;
                const Interval depths =
                    depths_in(triangle, {{i - grow.x(), j - grow.y(), 0}, {i + 1 + grow.x(), j + 1 + grow.y(), 1}});
                if (!depths.empty()) visit(pixel, Interval(depths.lower - grow.z(), depths.upper + grow.z()));
            }
    }
    return true;
}

} // namespace

ColumnGaps gaps_of(const DepthView& view, const DrawnBody& body, double margin,
                   const std::function<bool(std::size_t, double)>& solid) {
    struct Piece {
        std::size_t pixel;
        Interval depths;
    };
    std::vector<Piece> pieces;
    ColumnGaps gaps;
    gaps.first.assign(view.pixel_count() + 1, 0);
    if (!visit_columns(
            view, body, margin, [](std::size_t) { return true; },
            [&](std::size_t pixel, const Interval& depths) {
                pieces.push_back({pixel, depths});
            }))
        return gaps;
    std::ranges::sort(pieces, {}, [](const Piece& piece) { return std::pair(piece.pixel, piece.depths.lower); });
    for (std::size_t k = 0; k < pieces.size();) {
        const std::size_t pixel = pieces[k].pixel;
        double end = pieces[k].depths.upper; // end of the depths covered by the triangles so far
        for (; k < pieces.size() && pieces[k].pixel == pixel; ++k) {
            const double next = pieces[k].depths.lower;
            if (next > end && !solid(pixel, 0.5 * (end + next)))
                gaps.stretches.push_back({float_up(end), float_down(next)});
            end = std::max(end, pieces[k].depths.upper);
        }
        gaps.first[pixel + 1] = gaps.stretches.size();
    }
    for (std::size_t k = 0; k + 1 < gaps.first.size(); ++k)
        gaps.first[k + 1] = std::max(gaps.first[k], gaps.first[k + 1]);
    return gaps;
}

std::vector<bool> columns_touched(const DrawnBody& body, const std::vector<bool>& open, const DepthMap& lower,
                                  const DepthMap& upper, const ColumnGaps* gaps, double margin) {
    if (body.mesh->triangles().empty()) return open; // drawn, but not by triangles
    std::vector<bool> met(open.size(), false);
    const auto in_gap = [&](std::size_t pixel, const Interval& depths) {
        for (std::size_t k = gaps ? gaps->first[pixel] : 0; gaps && k < gaps->first[pixel + 1]; ++k)
            if (depths.lower > static_cast<double>(gaps->stretches[k].lower) &&
                depths.upper < static_cast<double>(gaps->stretches[k].upper))
                return true;
        return false;
    };
    const bool complete = visit_columns(
        lower.view, body, margin, [&](std::size_t pixel) { return open[pixel] && !met[pixel]; },
        [&](std::size_t pixel, const Interval& depths) {
            met[pixel] = depths.lower <= static_cast<double>(upper.depth[pixel]) &&
                         depths.upper >= static_cast<double>(lower.depth[pixel]) && !in_gap(pixel, depths);
        });
    return complete ? met : open;
}

} // namespace fathom
