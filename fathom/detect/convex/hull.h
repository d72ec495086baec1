// Convex polyhedra: the hull of points with its faces, edges and neighbours.
// Method: Quickhull (Barber, Dobkin, Huhdanpaa 1996) as implemented by Qhull. Immutable; thread-safe. Metres.
#pragma once

#include <fathom/base/vec.h>
#include <fathom/geometry/mesh/triangle_mesh.h>

#include <span>
#include <vector>

namespace fathom::convex {

struct HullPlane {
    Vec3 normal = Vec3::Zero(); // unit, outward
    double offset = 0;          // largest value of normal . p over all vertices (m)
};

struct Hull {
    std::vector<Vec3> vertices;
    // Neighbours of vertex v along edges: neighbors[first_neighbor[v]] up to neighbors[first_neighbor[v + 1]].
    std::vector<Index> first_neighbor, neighbors;
    // Corners of face f, counter-clockwise seen from outside: corners[first_corner[f]] up to corners[first_corner[f +
    // 1]]. A flat hull has two faces with opposite normals, a segment or a point has none.
    std::vector<Index> first_corner, corners;
    std::vector<HullPlane> planes; // one per face
    int dimension = 3;             // 0: point, 1: segment, 2: flat polygon
    Index starts[8] = {};          // vertex far in the direction of octant k: bit 0 for positive x, 1 for y, 2 for z

    [[nodiscard]] std::size_t face_count() const { return planes.size(); }
    [[nodiscard]] std::span<const Index> face(std::size_t f) const {
        return {corners.data() + first_corner[f], corners.data() + first_corner[f + 1]};
    }
    [[nodiscard]] std::span<const Index> neighbors_of(std::size_t v) const {
        return {neighbors.data() + first_neighbor[v], neighbors.data() + first_neighbor[v + 1]};
    }
    // Number of the edge between two neighbouring vertices, the same for both orders; no_index if there is none.
    [[nodiscard]] Index edge_number(Index a, Index b) const;
};

// The hull of points. Points within 1e-12 of the size of a common plane give a flat polygon, within that of a line a
// segment, and of a point a point. Points inside the hull, or on it up to rounding, are left out. Cost: O(n log n).
// Error{empty} without points; Error as check_vertices() and check_size() throw.
[[nodiscard]] Hull make_hull(std::span<const Vec3> points);

// The hull as triangles that face outward. A flat polygon has two layers.
[[nodiscard]] TriangleMesh triangles_of(const Hull& hull);

} // namespace fathom::convex
