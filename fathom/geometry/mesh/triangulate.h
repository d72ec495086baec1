// Triangulation of polygons in space, including concave polygons and polygons with holes connected by bridge edges.
// Method: ear clipping (Meisters 1975) on the polygon projected along the largest axis of its area vector, with exact
// orientation tests. An ear that is blocked by a vertex is tested again only after that vertex has been removed; in
// large polygons a k-d tree finds the blocking vertex. Cost: about O(n log n). The work is bounded by O(n); beyond the
// bound the rest is triangulated as a fan. Polygons are triangulated one at a time.
#pragma once

#include <fathom/geometry/mesh/triangle_mesh.h>

#include <memory>

namespace fathom {

// Every polygon of n >= 3 corners becomes exactly n - 2 triangles of the same winding, whatever its shape. Repeated and
// collinear corners may give triangles of zero area (only if the corners allow no other triangulation), and a
// self-intersecting polygon gives overlapping triangles. A quadrilateral with two inner diagonals is split along the
// shorter one, or, if they are of equal length, along the one through its smallest vertex index. Equal quadrilaterals
// are therefore split in the same way, whichever corner comes first.
class PolygonTriangulator {
public:
    // Polygons with more corners are triangulated as a fan, which is correct for convex polygons only.
    static constexpr std::size_t max_corners = std::size_t{1} << 20;

    PolygonTriangulator();
    ~PolygonTriangulator();

    // Appends the triangles. Returns false if no valid triangulation was found: the polygon intersects itself, or the
    // bound on the work was reached. With fewer than three corners nothing is appended. Not thread-safe: use one object
    // per thread, and reuse it, since it keeps its memory.
    bool triangulate(std::span<const Vec3> vertices, std::span<const Index> corners, std::vector<Triangle>& triangles);

private:
    class EarClipper;
    std::unique_ptr<EarClipper> clipper_;
    std::uint64_t allowance_; // remaining work for polygons without a valid triangulation
};

} // namespace fathom
