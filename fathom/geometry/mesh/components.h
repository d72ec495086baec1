// The connected parts of a surface: triangles that share vertices, after those at exactly equal
// positions are merged. Parts are numbered by their first triangle. O(n); the same result for any number of threads.
#pragma once

#include <fathom/geometry/mesh/surface_topology.h>

#include <cstddef>
#include <optional>
#include <vector>

namespace fathom {

struct Component {
    Index first_triangle = no_index;
    std::size_t triangle_count = 0;
    Box bounds{};
    bool closed = false; // every edge joins two triangles that agree about the outside
    double area = 0;     // m^2
    double volume = 0;   // m^3, signed; 0 unless closed, and where it is below rounding
    std::optional<Index>
        genus{}; // handles, of closed parts; surfaces that touch in a vertex are counted as pulled apart
};

struct Components {
    std::vector<Component> parts;
    std::vector<Index> part_of_triangle; // no_index for a triangle that names a vertex twice
    Lists triangles_of_part;
};

[[nodiscard]] Components components(const TriangleMesh& mesh);
[[nodiscard]] Components components(const TriangleMesh& mesh, const SurfaceTopology& topology);

// Closed parts of negative volume, but for cavities: those that lie where the other closed parts wind at least once
// round, so that taking their inside away leaves nothing negative. Increasing. O(n) and a little more for each such
// part.
[[nodiscard]] std::vector<Index> inside_out_parts(const TriangleMesh& mesh, const Components& components);

} // namespace fathom
