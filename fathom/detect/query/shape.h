// Shape: one handle for every kind of geometry, used by query.h and world.h.
// Solids have an interior: analytic expressions, grids, neural and other fields, closed meshes, tetrahedra, height
// fields and half-spaces. Surfaces have no interior: open meshes and point shells overlap a solid if a part of them is
// inside it, and another surface if the two intersect. A compound is a set of parts of any of these kinds; it touches
// whatever one of its parts touches.
// Whether a triangle mesh is a solid is decided by the rules of geometry/inspect/seal.h, and interior() says how and
// why: small defects are repaired, small holes are closed by caps (the interior is then a guess, and no result that
// depends on it is proven), and all other meshes are surfaces.
// Data that a method needs in addition (a tree, a field, a surface mesh) is built once, at first use, and kept;
// prepare() builds it in advance. A Shape refers to shared immutable data: it is cheap to copy and thread-safe.
// Unit: metres, in the shape's own frame.
#pragma once

#include <fathom/field/field.h>
#include <fathom/geometry/inspect/mesh_report.h>
#include <fathom/geometry/mesh/tet_mesh.h>
#include <fathom/geometry/mesh/triangle_mesh.h>

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fathom {

class DrawnMesh;
class FieldSphereTree;
class SegmentCaster;
class SurfaceTree;
class TriangleSphereTree;
struct Compound;
struct CompoundPart;
struct DetectionParts;
struct SharedDepthObject;
namespace convex {
struct Body;
}
namespace point_field {
struct SweepShell;
}
namespace tet {
class TetTopology;
}

enum class ShapeKind {
    analytic,     // a field given by an analytic expression
    convex,       // a sphere, box, capsule, cylinder, cone, ellipsoid or convex hull, also if it is given as a field
    grid,         // a field sampled on a grid
    neural,       // a field given by a neural network
    other_field,  // any other field
    closed_mesh,  // a triangle mesh and its interior
    open_mesh,    // a triangle mesh without an interior
    point_shell,  // a set of points
    tetrahedra,   // the union of tetrahedra
    height_field, // the solid below a height field
    half_space,   // all points on one side of a plane
    compound      // the union of parts, each a shape in a pose
};
inline constexpr std::array all_shape_kinds = {ShapeKind::analytic,     ShapeKind::convex,      ShapeKind::grid,
                                               ShapeKind::neural,       ShapeKind::other_field, ShapeKind::closed_mesh,
                                               ShapeKind::open_mesh,    ShapeKind::point_shell, ShapeKind::tetrahedra,
                                               ShapeKind::height_field, ShapeKind::half_space,  ShapeKind::compound};
[[nodiscard]] std::string_view name(ShapeKind kind); // for example "closed_mesh"

// Properties of a kind: it has no interior; it has a triangle surface (points count as triangles without size); it has
// a signed distance field. A compound has none of the three: queries ask its parts.
[[nodiscard]] constexpr bool is_surface(ShapeKind kind) {
    return kind == ShapeKind::open_mesh || kind == ShapeKind::point_shell;
}
[[nodiscard]] constexpr bool has_surface(ShapeKind kind) {
    return is_surface(kind) || kind == ShapeKind::closed_mesh || kind == ShapeKind::tetrahedra;
}
[[nodiscard]] constexpr bool has_field(ShapeKind kind) { return !is_surface(kind) && kind != ShapeKind::compound; }

// Whether a mesh has an interior.
enum class MeshInside {
    automatic, // as seal.h decides: closed, sealed and capped meshes have one
    closed,    // it must have a certain one: the mesh is closed or can be sealed
    open       // it has none: the caller wants the surface
};

class Shape {
public:
    // The solid {field <= 0}. The kind follows from the type of the field: analytic (a single plane becomes
    // half_space; a sphere, box, rounded box, capsule, cylinder, cone, capped cone or ellipsoid becomes convex, also if
    // it is moved, turned, scaled or rounded), grid, neural, height_field, otherwise other_field. For a mesh or
    // tetrahedra, pass the mesh itself: MeshField and TetField become other_field. Error{invalid_argument} if `field`
    // is null.
    explicit Shape(FieldPtr field);
    // Error as check(mesh) and check_size() throw; Error{empty} if there are no triangles; Error{invalid_argument} if
    // `closed` is requested and the mesh is neither closed nor can be sealed.
    explicit Shape(TriangleMesh mesh, MeshInside inside = MeshInside::automatic);
    explicit Shape(TetMesh mesh);             // Error as check(mesh), check_size() and TetField throw; Error{empty}
    explicit Shape(std::vector<Vec3> points); // a point shell; Error as check_vertices(), check_size(); Error{empty}
    // The half-space of all points p with normal . p / |normal| <= offset (m).
    [[nodiscard]] static Shape half_space(const Vec3& normal, double offset);
    // The union of parts. A nested compound is replaced by its parts. Error{empty} without parts; Error{too_large}
    // above 2^20; Error{non_finite} or {invalid_argument} for a pose that is not finite or whose quaternion is not
    // unit.
    [[nodiscard]] static Shape compound(std::vector<CompoundPart> parts);

    // ---- Convex shapes about the origin, with an axis of symmetry along z, and sizes as in
    // field/analytic/primitives.h: full sizes, and the tip of a cone up. `radius` is that of a sphere that is swept
    // over the shape, which grows by it. Error{invalid_argument} for sizes out of the range of analytic shapes.
    [[nodiscard]] static Shape sphere(double radius);
    [[nodiscard]] static Shape box(const Vec3& size, double radius = 0);
    [[nodiscard]] static Shape capsule(double radius, double length); // length of the straight part
    [[nodiscard]] static Shape cylinder(double cylinder_radius, double height, double radius = 0);
    [[nodiscard]] static Shape cone(double base_radius, double height, double radius = 0);
    [[nodiscard]] static Shape ellipsoid(const Vec3& semi_axes, double radius = 0);
    // The convex hull of points, by Qhull. Points on a plane or line, up to 1e-12 of their size, and single points give
    // a flat hull, which has no interior if the radius is 0. Error{empty}; Error as check_vertices() and check_size().
    [[nodiscard]] static Shape convex_hull(std::span<const Vec3> points, double radius = 0);
    // The same of a mesh that is checked to be closed and convex: no vertex is farther than 1e-9 of the size in front
    // of the plane of a triangle. Error{invalid_argument} otherwise.
    [[nodiscard]] static Shape convex_mesh(const TriangleMesh& mesh, double radius = 0);

    [[nodiscard]] ShapeKind kind() const;
    [[nodiscard]] bool bounded() const {
        return kind() != ShapeKind::half_space && bounds().diagonal() < std::numeric_limits<double>::infinity();
    }
    // Bounding box of the shape; empty if the interior is empty, infinite if the shape is unbounded.
    [[nodiscard]] const Box& bounds() const;
    [[nodiscard]] double radius() const; // of a bounding sphere about the centre of bounds() (m)
    // Bound on |field - true distance| near the surface (m). Infinity if the field is not a distance; 0 for points,
    // tetrahedra and meshes, except that a sealed mesh differs from the given one by its repairs.
    [[nodiscard]] double error_bound() const;

    // How the interior of a mesh was determined, and why (one sentence). Other solids are `closed`, point shells are
    // sheets, both without a reason. Of a compound: the least certain one of its parts.
    [[nodiscard]] MeshInterior interior() const;
    [[nodiscard]] const std::string& interior_reason() const;
    // A mesh that was taken for a surface without the caller's request: it may be meant as a solid.
    [[nodiscard]] bool is_doubtful_sheet() const;
    // The given triangles as a surface without caps and interior, if mesh() has caps; otherwise the shape itself.
    [[nodiscard]] const Shape& without_caps() const;

    // A shape with the same topology and interior() and new vertex positions: for open and closed meshes, point shells
    // and tetrahedra. O(n) if the tree of a mesh is refitted; other trees are built again when they are needed, O(n log
    // n). Error{count_mismatch}, Error{non_finite}; Error{invalid_argument} if vertices of a closed mesh that coincided
    // have separated; Error{unsupported} for fields.
    [[nodiscard]] Shape deformed(std::span<const Vec3> vertices) const;

    // Whether surface(), tree() and mesh() exist: for kinds with has_surface(), and fields that know their triangles.
    [[nodiscard]] bool has_triangles() const;

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
    // The mesh (a closed one as seal.h leaves it, with its caps), the boundary of tetrahedra, or points as triangles
    // without size.
    [[nodiscard]] const TriangleMesh& mesh() const;
    // One vertex of every connected component of mesh(); used for containment tests.
    [[nodiscard]] std::span<const Vec3> component_samples() const;
    [[nodiscard]] const TetMesh& tetrahedra() const;
    [[nodiscard]] const tet::TetTopology& tet_topology() const;
    [[nodiscard]] const DetectionParts& detection_parts() const;         // of a bounded solid
    [[nodiscard]] const std::shared_ptr<const DrawnMesh>& drawn() const; // mesh(), to be drawn into depth maps
    // Depth maps of mesh() along its three axes, of 512 pixels.
    [[nodiscard]] const std::shared_ptr<SharedDepthObject>& depth_object() const;
    // The body of a convex shape; null for other shapes.
    [[nodiscard]] const convex::Body* convex_body() const { return convex_body_; }
    using HalfSpace = FieldHalfSpace;
    [[nodiscard]] const HalfSpace& half_space() const; // of a half-space
    // The parts of a compound, as given but without nesting: Feature::part is an index into this list.
    [[nodiscard]] std::span<const CompoundPart> parts() const;
    [[nodiscard]] const Compound& compound() const; // the parts and their tree

    // Builds the data that the methods of query.h need for this kind.
    void prepare() const;
    // Of the data built so far. Complete for meshes and points; a field that the caller made is not included.
    [[nodiscard]] std::size_t memory_bytes() const;

private:
    [[nodiscard]] static Shape of_body(convex::Body body);
    void set_convex();

    struct State;
    explicit Shape(std::shared_ptr<State> state) : state_(std::move(state)) {}
    [[nodiscard]] static std::size_t bytes_of_parts(std::span<const CompoundPart> parts);

    std::shared_ptr<State> state_;
    const convex::Body* convex_body_ = nullptr; // of the state
};

// Part of a compound shape.
struct CompoundPart {
    Shape shape;
    Pose pose{};        // of the part in the frame of the compound
    std::string name{}; // of a part of a nested compound: the names of both, joined by "/"
    std::uint64_t user = 0;
    // Categories of the part, and those that it may touch, one bit each; both parts of a pair must allow the other. A
    // shape that is not a compound has category 1 and allows all. A part of a nested compound has the categories of
    // both, and allows what both allow.
    std::uint32_t category = 1;
    std::uint32_t mask = 0xffff'ffffu;
};

} // namespace fathom
