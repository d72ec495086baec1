// Shape: one handle for every kind of geometry, used by query.h and world.h.
// Solids have an interior: analytic expressions, grids, neural and other fields, closed meshes, tetrahedra, height
// fields and half-spaces. Surfaces have no interior: open meshes and point shells overlap a solid if a part of them is
// inside it, and another surface if the two intersect.
// Data that a method needs in addition (a tree, a field, a surface mesh) is built once, at first use, and kept;
// prepare() builds it in advance. A Shape refers to shared immutable data: it is cheap to copy and thread-safe.
// Unit: metres, in the shape's own frame.
#pragma once

#include <fathom/field/field.h>
#include <fathom/geometry/mesh/tet_mesh.h>
#include <fathom/geometry/mesh/triangle_mesh.h>

#include <array>
#include <limits>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace fathom {

class FieldSphereTree;
class SegmentCaster;
class SurfaceTree;
class TriangleSphereTree;
struct DetectionParts;
namespace point_field {
struct SweepShell;
}
namespace tet {
class TetTopology;
}

enum class ShapeKind {
    analytic,     // a field given by an analytic expression
    grid,         // a field sampled on a grid
    neural,       // a field given by a neural network
    other_field,  // any other field
    closed_mesh,  // a watertight triangle mesh and its interior
    open_mesh,    // a triangle mesh without an interior
    point_shell,  // a set of points
    tetrahedra,   // the union of tetrahedra
    height_field, // the solid below a height field
    half_space    // all points on one side of a plane
};
inline constexpr std::array all_shape_kinds = {ShapeKind::analytic,    ShapeKind::grid,        ShapeKind::neural,
                                               ShapeKind::other_field, ShapeKind::closed_mesh, ShapeKind::open_mesh,
                                               ShapeKind::point_shell, ShapeKind::tetrahedra,  ShapeKind::height_field,
                                               ShapeKind::half_space};
[[nodiscard]] std::string_view name(ShapeKind kind); // for example "closed_mesh"

// Properties of a kind: it has no interior; it has a triangle surface (points count as triangles without size); it has
// a signed distance field.
[[nodiscard]] constexpr bool is_surface(ShapeKind kind) {
    return kind == ShapeKind::open_mesh || kind == ShapeKind::point_shell;
}
[[nodiscard]] constexpr bool has_surface(ShapeKind kind) {
    return is_surface(kind) || kind == ShapeKind::closed_mesh || kind == ShapeKind::tetrahedra;
}
[[nodiscard]] constexpr bool has_field(ShapeKind kind) { return !is_surface(kind); }

// Whether a mesh has an interior. automatic: it has one if it is watertight and every component is oriented outward
// (mesh_report.h).
enum class MeshInside { automatic, closed, open };

class Shape {
public:
    // The solid {field <= 0}. The kind follows from the type of the field: analytic (a single plane becomes
    // half_space), grid, neural, height_field, otherwise other_field. For a mesh or tetrahedra, pass the mesh itself:
    // MeshField and TetField become other_field. Error{invalid_argument} if `field` is null.
    explicit Shape(FieldPtr field);
    // Error as check(mesh) throws; Error{empty} if there are no triangles; Error{invalid_argument} if `closed` is
    // requested and the mesh is not closed.
    explicit Shape(TriangleMesh mesh, MeshInside inside = MeshInside::automatic);
    explicit Shape(TetMesh mesh);             // Error as check(mesh) and TetField throw; Error{empty}
    explicit Shape(std::vector<Vec3> points); // a point shell; Error{empty}, Error{non_finite}
    // The half-space of all points p with normal . p / |normal| <= offset (m).
    [[nodiscard]] static Shape half_space(const Vec3& normal, double offset);

    [[nodiscard]] ShapeKind kind() const;
    [[nodiscard]] bool bounded() const {
        return kind() != ShapeKind::half_space && bounds().diagonal() < std::numeric_limits<double>::infinity();
    }
    // Bounding box of the shape; empty if the interior is empty, infinite if the shape is unbounded.
    [[nodiscard]] const Box& bounds() const;
    [[nodiscard]] double radius() const; // of a bounding sphere about the centre of bounds() (m)
    // Bound on |field - true distance| near the surface (m). Infinity if the field is not a distance; 0 for meshes,
    // points and tetrahedra.
    [[nodiscard]] double error_bound() const;

    // A shape with the same topology and new vertex positions: for open and closed meshes, point shells and tetrahedra.
    // O(n) if the tree of a mesh is refitted; other trees are built again when they are needed, O(n log n).
    // Error{count_mismatch}, Error{non_finite}; Error{unsupported} for fields.
    [[nodiscard]] Shape deformed(std::span<const Vec3> vertices) const;

    // ---- Data for the methods, built at first use. Error{unsupported} if the kind does not have it.
    // Signed distance field of a solid. For closed meshes and tetrahedra it is the exact distance (for inverted
    // tetrahedra, see tet_field.h).
    [[nodiscard]] const FieldPtr& field() const;
    [[nodiscard]] const FieldSphereTree& solid() const;      // bounding-sphere tree of a solid
    [[nodiscard]] const SegmentCaster& caster() const;       // segment queries in the field of a solid, at level 0
    [[nodiscard]] const TriangleSphereTree& surface() const; // bounding-sphere tree of mesh()
    [[nodiscard]] const SurfaceTree& tree() const;           // bounding volume hierarchy of mesh()
    // The points of a shell; the vertices of a mesh or of tetrahedra.
    [[nodiscard]] const point_field::SweepShell& points() const;
    // The mesh, the boundary of tetrahedra, or points as triangles without size.
    [[nodiscard]] const TriangleMesh& mesh() const;
    // One vertex of every connected component of mesh(); used for containment tests.
    [[nodiscard]] std::span<const Vec3> component_samples() const;
    [[nodiscard]] const TetMesh& tetrahedra() const;
    [[nodiscard]] const tet::TetTopology& tet_topology() const;
    [[nodiscard]] const DetectionParts& detection_parts() const; // of a bounded solid
    using HalfSpace = FieldHalfSpace;
    [[nodiscard]] const HalfSpace& half_space() const; // of a half-space

    // Builds the data that the methods of query.h need for this kind.
    void prepare() const;
    [[nodiscard]] std::size_t memory_bytes() const; // of the data built so far, as far as it is known

private:
    struct State;
    std::shared_ptr<State> state_;
};

} // namespace fathom
