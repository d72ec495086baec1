// Building blocks of surfaces of revolution: profiles of lines and arcs, and the vertex rings of the generated mesh.
#pragma once

#include <fathom/geometry/generate/generate.h>

#include <string_view>

namespace fathom {

// The vertices of one profile point: `count` consecutive vertices from `first` on, around the axis from +x towards +y.
// A pole has one vertex.
struct Ring {
    Index first;
    std::size_t count;

    [[nodiscard]] Index vertex(std::size_t k) const { return first + static_cast<Index>(k % count); }
};

// Returns the same surface as lathe(profile, options), and the ring of each profile point in `rings`.
[[nodiscard]] TriangleMesh lathe(std::span<const Vec2> profile, const LatheOptions& options, std::vector<Ring>& rings);

// A profile sampled at distances of about `edge` (m). Its corners are always included.
class Profile {
public:
    Profile(const Vec2& start, double edge) : edge_(edge) { points_.push_back(start); }

    Profile& line_to(const Vec2& end);

    // Adds an arc around `center` from the last point. The angles are in hundredths of a full turn, >= 0, measured from
    // the direction of increasing radius towards +z.
    Profile& arc(const Vec2& center, double radius, int from, int to);

    Profile& end_on_axis(); // sets the radius of the last point to exactly 0, which removes rounding errors

    [[nodiscard]] const std::vector<Vec2>& points() const { return points_; }

private:
    double edge_;
    std::vector<Vec2> points_;
};

// Length of one edge of a circle of `segments` edges (m).
[[nodiscard]] double edge_around(double radius, std::size_t segments);

// Throws Error{too_large} before any work if a surface of this area with edges of length `edge` has too many triangles.
void check_area(std::string_view shape, double area, double edge);

} // namespace fathom
