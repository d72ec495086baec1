// A shape is anything that can touch: one handle for every kind of geometry, for query.h and world.h.
// Solids have an inside: formulas, grids, networks and other fields, closed meshes, tetrahedra, depth maps,
// half-spaces. Surfaces have none: open meshes and point shells touch by being in a solid or on another surface. What a
// method needs beyond what it was given (a tree, a field, a surface) is made at first need, once, and kept: prepare()
// does it beforehand. A handle on shared immutable data: cheap to copy, thread-safe. Metres, in the shape's own frame.
#pragma once

#include <fathom/detect/mesh_field/mesh_contacts.h>
#include <fathom/detect/point_field/segment_caster.h>
#include <fathom/detect/point_field/shell_sweep.h>
#include <fathom/detect/tet/tet_body.h>
#include <fathom/detect/trees/field_sphere_tree.h>
#include <fathom/field/field.h>
#include <fathom/geometry/mesh/tet_mesh.h>
#include <fathom/geometry/mesh/triangle_mesh.h>
#include <fathom/geometry/surface_tree/surface_tree.h>

#include <array>
#include <limits>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace fathom {

enum class ShapeKind {
    analytic,
    grid,
    neural,
    other_field,
    closed_mesh,
    open_mesh,
    point_shell,
    tetrahedra,
    height_field,
    half_space
};
inline constexpr std::array all_shape_kinds = {ShapeKind::analytic,    ShapeKind::grid,        ShapeKind::neural,
                                               ShapeKind::other_field, ShapeKind::closed_mesh, ShapeKind::open_mesh,
                                               ShapeKind::point_shell, ShapeKind::tetrahedra,  ShapeKind::height_field,
                                               ShapeKind::half_space};
[[nodiscard]] std::string_view name(ShapeKind kind); // "closed_mesh"

// By what a kind can be asked.
[[nodiscard]] constexpr bool is_surface(ShapeKind kind) {
    return kind == ShapeKind::open_mesh || kind == ShapeKind::point_shell;
}
[[nodiscard]] constexpr bool has_surface(ShapeKind kind) {
    return is_surface(kind) || kind == ShapeKind::closed_mesh || kind == ShapeKind::tetrahedra;
}
[[nodiscard]] constexpr bool has_field(ShapeKind kind) { return !is_surface(kind); }

// Whether a mesh has an inside. automatic: it does where it is watertight and every part faces outward (mesh_report.h).
enum class MeshInside { automatic, closed, open };

class Shape {
public:
    // Of the kind that the field is of: formulas (a single half-space is a plane), grids, networks, height fields;
    // meshes and tetrahedra that are fields are other_field here: pass the mesh itself. Error{invalid_argument} without
    // a field.
    explicit Shape(FieldPtr field);
    // Error as check(mesh); empty without triangles; invalid_argument for `closed` where the mesh is not.
    explicit Shape(TriangleMesh mesh, MeshInside inside = MeshInside::automatic);
    explicit Shape(TetMesh mesh);             // Error as check(mesh) and TetField throw
    explicit Shape(std::vector<Vec3> points); // a point shell. Error: empty, non_finite
    [[nodiscard]] static Shape half_space(const Vec3& normal,
                                          double offset); // all points with normal . p / |normal| <= offset

    [[nodiscard]] ShapeKind kind() const;
    [[nodiscard]] bool bounded() const {
        return kind() != ShapeKind::half_space && bounds().diagonal() < std::numeric_limits<double>::infinity();
    }
    [[nodiscard]] const Box&
    bounds() const;                      // of all of it; empty where nothing is inside; infinite where there is no end
    [[nodiscard]] double radius() const; // no point is farther than this from the middle of bounds()
    // |what queries say - truth| near the surface (m): of a field that is only nearly the distance; infinity where it
    // is no distance. 0 for surfaces.
    [[nodiscard]] double error_bound() const;

    // The same topology elsewhere: for open and closed meshes, point shells and tetrahedra. O(n log n): what had been
    // made is made anew when needed. Error: count_mismatch, non_finite; unsupported for fields.
    [[nodiscard]] Shape deformed(std::span<const Vec3> vertices) const;

    // ---- What methods ask. Error{unsupported} where the kind has none.
    [[nodiscard]] const FieldPtr& field()
        const; // of solids; of closed meshes and tetrahedra the exact distance (with inverted ones, see tet_field.h)
    [[nodiscard]] const FieldSphereTree& solid() const; // of solids
    [[nodiscard]] const SegmentCaster& caster() const;  // of solids, at level 0
    [[nodiscard]] const TriangleSphereTree&
    surface() const; // of meshes, boundaries of tetrahedra, and points as triangles without size
    [[nodiscard]] const SurfaceTree& tree() const;  // of the same
    [[nodiscard]] const SweepShell& points() const; // of point shells; of meshes and tetrahedra the vertices
    [[nodiscard]] const TriangleMesh& mesh() const; // as surface()
    // Points of which at least one is on each part of the surface that hangs together.
    [[nodiscard]] std::span<const Vec3> component_samples() const;
    [[nodiscard]] const TetMesh& tetrahedra() const;
    [[nodiscard]] const TetTopology& tet_topology() const;
    struct HalfSpace {
        Vec3 normal = Vec3::UnitZ(); // unit, outward
        double offset = 0;           // m
    };
    [[nodiscard]] const HalfSpace& half_space() const; // of planes

    // Makes now what the methods of query.h ask of this kind.
    void prepare() const;
    [[nodiscard]] std::size_t memory_bytes() const; // of what has been made so far, as far as it is known

private:
    struct State;
    std::shared_ptr<State> state_;
};

} // namespace fathom
