// How lathe shapes are put together: profiles grown piece by piece, and the rings that they leave.
#pragma once

#include <fathom/geometry/generate/generate.h>

#include <string_view>

namespace fathom {

// The vertices of one profile point: `count` of them from `first` on, around the axis from +x towards +y; a pole has
// one.
struct Ring {
    Index first;
    std::size_t count;

    [[nodiscard]] Index vertex(std::size_t k) const { return first + static_cast<Index>(k % count); }
};

// The same surface as lathe(profile, options), and the ring of each profile point.
[[nodiscard]] TriangleMesh lathe(std::span<const Vec2> profile, const LatheOptions& options, std::vector<Ring>& rings);

// A profile with points about `edge` apart, never fewer than its corners.
class Profile {
public:
    Profile(const Vec2& start, double edge) : edge_(edge) { points_.push_back(start); }

    Profile& line_to(const Vec2& end);

    // From the present point around `center`; the angles in hundredths of a turn >= 0, from growing radius towards +z.
    Profile& arc(const Vec2& center, double radius, int from, int to);

    Profile& end_on_axis(); // whatever rounding left of the last point's radius

    [[nodiscard]] const std::vector<Vec2>& points() const { return points_; }

private:
    double edge_;
    std::vector<Vec2> points_;
};

[[nodiscard]] double edge_around(double radius, std::size_t segments); // length of one edge of the circle (m)

// Refuses an even surface of this area before the work starts.
void check_area(std::string_view shape, double area, double edge);

} // namespace fathom
