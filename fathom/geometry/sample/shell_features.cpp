// The corners and creases of a surface as points of its shell.
#include <fathom/geometry/sample/shell_surface.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace fathom {

namespace {

// The creases at each vertex: edge number and the vertex at its other end.
struct CreaseEnd {
    std::size_t crease;
    Index other;
};
using CreaseEnds = std::map<Index, std::vector<CreaseEnd>>;

CreaseEnds ends_of(const ShellSurface& surface) {
    CreaseEnds ends;
    const auto& creases = surface.creases();
    for (std::size_t i = 0; i < creases.size(); ++i) {
        ends[creases[i].start].push_back({i, creases[i].end});
        ends[creases[i].end].push_back({i, creases[i].start});
    }
    return ends;
}

// Creases meet or end here, or the one that passes turns sharply.
bool is_corner(const ShellSurface& surface, Index vertex, const std::vector<CreaseEnd>& ends) {
    if (ends.size() != 2) return true;
    const Vec3& p = surface.mesh().vertices[vertex];
    const Vec3 in = p - surface.mesh().vertices[ends[0].other], out = surface.mesh().vertices[ends[1].other] - p;
    return in.dot(out) < surface.crease_cosine() * std::sqrt(in.squaredNorm() * out.squaredNorm());
}

// One run of creases between corners, or around a loop without any.
struct Chain {
    std::vector<Index> vertices;
    std::vector<Index> triangles; // one fewer: beside each edge
};

Chain follow(const ShellSurface& surface, const CreaseEnds& ends, Index start, CreaseEnd next,
             std::vector<char>& used) {
    Chain chain{{start}, {}};
    while (!used[next.crease]) {
        used[next.crease] = 1;
        chain.vertices.push_back(next.other);
        chain.triangles.push_back(surface.creases()[next.crease].triangle);
        const auto& onward = ends.at(next.other);
        if (is_corner(surface, next.other, onward)) break;
        next = onward[onward[0].crease == next.crease ? 1 : 0];
    }
    return chain;
}

// Even steps along the chain, its ends left out; a loop has its start as its first point.
void add_along(const ShellSurface& surface, const Chain& chain, bool loop, double spacing,
               std::vector<SurfaceSpot>& spots) {
    const auto& vertices = surface.mesh().vertices;
    std::vector<double> length{0};
    for (std::size_t i = 0; i + 1 < chain.vertices.size(); ++i)
        length.push_back(length.back() +
                         std::sqrt((vertices[chain.vertices[i + 1]] - vertices[chain.vertices[i]]).squaredNorm()));
    const double steps = std::max(1.0, std::floor(length.back() / spacing + 0.5));
    std::size_t i = 0;
    for (double k = loop ? 0 : 1; k < steps; ++k) {
        const double target = length.back() * k / steps;
        while (i + 2 < length.size() && length[i + 1] <= target) ++i;
        const double t = (target - length[i]) / (length[i + 1] - length[i]);
        const Vec3 &a = vertices[chain.vertices[i]], &b = vertices[chain.vertices[i + 1]];
        spots.push_back({a + t * (b - a), chain.triangles[i]});
    }
}

} // namespace

std::vector<SurfaceSpot> corner_spots(const ShellSurface& surface) {
    std::vector<SurfaceSpot> spots;
    for (const auto& [vertex, ends] : ends_of(surface))
        if (is_corner(surface, vertex, ends))
            spots.push_back({surface.mesh().vertices[vertex], surface.around(vertex).front()});
    return spots;
}

std::vector<SurfaceSpot> crease_spots(const ShellSurface& surface, double spacing) {
    const CreaseEnds ends = ends_of(surface);
    std::vector<SurfaceSpot> spots = corner_spots(surface);
    std::vector<char> used(surface.creases().size(), 0);
    for (const bool corners : {true, false}) // what is left after the runs from corners are loops
        for (const auto& [vertex, from] : ends)
            for (const CreaseEnd& first : from)
                if (!used[first.crease] && (!corners || is_corner(surface, vertex, from)))
                    add_along(surface, follow(surface, ends, vertex, first, used), !corners, spacing, spots);
    return spots;
}

} // namespace fathom
