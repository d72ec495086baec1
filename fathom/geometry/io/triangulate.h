// Cuts polygons in space into triangles, concave ones and ones with holes on keyhole bridges too.
// Method: ear clipping (Meisters 1975) on the polygon seen along the largest axis of its area vector, with exact
// orientation tests. An ear that a vertex blocks waits for that vertex to be cut off, so that ears are not asked for
// again and again; in large polygons a k-d tree finds the blocking vertex. Cost: about O(n log n); the work is bounded
// by O(n), after which a fan ends it. Polygons are cut one by one.
#pragma once

#include <fathom/geometry/mesh/triangle_mesh.h>

#include <memory>

namespace fathom {

// Every polygon of n >= 3 corners becomes exactly n - 2 triangles of its own winding, whatever its shape: repeated
// corners and corners on a line may give triangles without area (only where the corners allow no other cut), and a
// polygon that crosses itself gives triangles that overlap. A quadrilateral with two inner diagonals is cut along the
// shorter one; along that through its smallest vertex index where both are as long. So equal quadrilaterals are cut
// equally, whichever corner they begin with.
class PolygonTriangulator {
public:
    // Polygons of more corners are cut as a fan, which is right for convex ones only.
    static constexpr std::size_t max_corners = std::size_t{1} << 20;

    PolygonTriangulator();
    ~PolygonTriangulator();

    // Appends the triangles. False where no clean cut was found: the polygon crosses itself, or the bound on the work
    // was met. Fewer than three corners append nothing. One object a thread; reuse it, it keeps its memory.
    bool triangulate(std::span<const Vec3> vertices, std::span<const Index> corners, std::vector<Triangle>& triangles);

private:
    class EarClipper;
    std::unique_ptr<EarClipper> clipper_;
    std::uint64_t allowance_; // of work in vain
};

} // namespace fathom
