// The part of a solid in a box, for decompositions into convex hulls.
// The extreme points of solid and box together are corners of the surface triangles clipped to the box, or corners of
// the box that are inside the solid. Their hull is therefore exact, and no mesh has to be cut. A plane of a cut that
// lies in a flat face of the solid gives the face to the side on which the solid is; points within `on_plane` of a
// plane lie on it. Coordinates of about unit size, as hull_decomposition.cpp makes them.
#pragma once

#include <fathom/base/primitives.h>
#include <fathom/field/field.h>
#include <fathom/geometry/mesh/triangle_mesh.h>
#include <fathom/geometry/surface_tree/surface_tree.h>

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace fathom::decomposition {

inline constexpr double on_plane = 0x1p-22; // rounding of float coordinates

// A key for sorting in which rounding rarely decides, so that a mesh in other units gives the same order.
[[nodiscard]] constexpr float coarse(double key) { return static_cast<float>(key); }

// A level edge of the surface around which the solid turns inward: cuts through it separate convex parts exactly.
struct ReflexEdge {
    int axis = 0;      // across which it is level
    double level = 0;  // its coordinate on this axis
    double weight = 0; // length times angle
    Box bounds{};
};

// A closed surface with what cuts need to know about it. Immutable; thread-safe.
class PieceSurface {
public:
    // `solid`: the field of the surface; null if the surface is only a piece of a solid.
    PieceSurface(TriangleMesh mesh, const Field* solid);

    [[nodiscard]] const TriangleMesh& mesh() const { return mesh_; }
    [[nodiscard]] std::span<const ReflexEdge> reflex_edges() const { return reflex_; }
    [[nodiscard]] bool contains(const Vec3& p) const {
        return solid_ ? solid_->distance(p) <= 0 : tree_.winding(p) > 0;
    }

private:
    TriangleMesh mesh_;
    const Field* solid_;
    SurfaceTree tree_; // empty if there is a field
    std::vector<ReflexEdge> reflex_;
};

// Convex polygons, clipped from triangles.
struct Polygons {
    std::vector<Vec3> corners;
    std::vector<Index> vertices; // per corner: the vertex of the mesh, no_index for a point made by a cut
    std::vector<Index> first = {0};
    std::vector<Vec3> normals; // per polygon: unit, outward

    [[nodiscard]] std::size_t size() const { return normals.size(); }
    [[nodiscard]] static Polygons of(const TriangleMesh& mesh);
};

// Both sides of a plane: the lower one first.
[[nodiscard]] std::array<Polygons, 2> split(const Polygons& polygons, int axis, double plane);

// The corners of the polygons clipped to the slabs between ascending planes: one list more than planes. A corner that
// several polygons share is listed about once.
[[nodiscard]] std::vector<std::vector<Vec3>> sliced(const Polygons& polygons, std::size_t vertex_count, int axis,
                                                    std::span<const double> planes);

// Appends the corners of the box near which the interior of the box is inside the surface.
void append_inside_corners(const PieceSurface& surface, const Box& box, std::vector<Vec3>& out);

} // namespace fathom::decomposition
