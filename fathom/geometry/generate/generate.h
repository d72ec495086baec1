// Generators of triangle and tetrahedral meshes, for tests, benchmarks and the demo.
// Closed shapes are indexed meshes that face outward: every edge has two triangles of opposite direction; there are no
// duplicate vertices, no triangles of zero area and no self-intersections. Sheets and open terrain have a border.
// Shapes are centred on the origin, z is up, lengths are in metres. Arguments are checked: Error{invalid_argument}
// names the option and its range, Error{too_large} reports a shape of more than max_generated_elements. The result has
// the same bytes for any thread count and, since no function of libm is used, on any platform.
#pragma once

#include <fathom/geometry/mesh/tet_mesh.h>

#include <cstdint>

namespace fathom {

// Limit on the number of triangles or tetrahedra: a result of 2.4 GB; generation needs up to three times as much.
inline constexpr std::size_t max_generated_elements = 100'000'000;
inline constexpr double min_generated_length = 1e-9; // m
inline constexpr double max_generated_length = 1e9;  // m

// ---- Solids. `segments` is the number of edges around the widest circle; triangles are nearly equilateral.

struct BoxOptions {
    Vec3 size = {1, 1, 1};                        // m
    std::array<std::size_t, 3> cells = {1, 1, 1}; // subdivisions along x, y, z
};
[[nodiscard]] TriangleMesh make_box(const BoxOptions& options = {});

struct SphereOptions {
    double radius = 0.5;
    std::size_t resolution = 16; // subdivisions of each edge of an icosahedron; gives 20 resolution^2 triangles
};
[[nodiscard]] TriangleMesh make_sphere(const SphereOptions& options = {});

struct EllipsoidOptions {
    Vec3 radii = {0.5, 0.35, 0.25};
    std::size_t resolution = 16; // as for the sphere
};
[[nodiscard]] TriangleMesh make_ellipsoid(const EllipsoidOptions& options = {});

struct CapsuleOptions {
    double radius = 0.25;
    double length = 0.5; // length of the cylindrical part along z; 0 gives a sphere
    std::size_t segments = 48;
};
[[nodiscard]] TriangleMesh make_capsule(const CapsuleOptions& options = {});

struct CylinderOptions {
    double radius = 0.3;
    double height = 1;
    std::size_t segments = 48;
};
[[nodiscard]] TriangleMesh make_cylinder(const CylinderOptions& options = {});

struct ConeOptions {
    double radius = 0.4;
    double height = 1;
    std::size_t segments = 48;
};
[[nodiscard]] TriangleMesh make_cone(const ConeOptions& options = {}); // apex at +z; origin at half the height

struct TorusOptions {
    double radius = 0.35;           // from the axis to the centre of the tube
    double tube = 0.15;             // radius of the tube; at most 0.999 `radius`
    std::size_t segments = 64;      // around the axis
    std::size_t tube_segments = 32; // around the tube
};
[[nodiscard]] TriangleMesh make_torus(const TorusOptions& options = {});

// The surface (x^2 + 9/4 y^2 + z^2 - 1)^3 = x^2 z^3 + 9/80 y^2 z^3 (Taubin 1994), scaled so that it is `size` wide.
struct HeartOptions {
    double size = 1;
    std::size_t resolution = 24; // as for the sphere; at most 400
};
[[nodiscard]] TriangleMesh make_heart(const HeartOptions& options = {});

// ---- Surfaces of revolution: a profile rotated about the z axis.

struct LatheOptions {
    std::size_t segments = 48;
    // Use fewer vertices on narrower rings. This gives better triangles if the profile points are about as close as the
    // vertices around a ring. If false, the surface intersects itself only if the profile does.
    bool even = false;
};
// Profile points are (radius, height). The profile starts and ends on the axis (radius 0), or is a loop off the axis
// whose last point repeats the first. Either direction is allowed. O(points * segments).
[[nodiscard]] TriangleMesh lathe(std::span<const Vec2> profile, const LatheOptions& options = {});

struct BowlOptions {
    double radius = 0.5;     // outer radius
    double thickness = 0.05; // wall thickness; the rim is rounded
    std::size_t segments = 64;
};
[[nodiscard]] TriangleMesh make_bowl(const BowlOptions& options = {}); // hollow hemisphere, open to +z

struct PawnOptions {
    double height = 1;
    std::size_t segments = 48;
};
[[nodiscard]] TriangleMesh make_pawn(const PawnOptions& options = {}); // stands on z = -height/2

struct SkilletOptions {
    double radius = 0.15; // radius of the pan's rim
    double handle = 0.2;  // length of the handle, along +x
    std::size_t segments = 64;
};
[[nodiscard]] TriangleMesh make_skillet(const SkilletOptions& options = {}); // connected; bottom of the pan at z = 0

// ---- Organic shapes: blended implicit surfaces (Wyvill 1986), meshed to a given number of triangles.

// A four-legged creature as a substitute for a scan: a smooth body with fine relief down to the size of its triangles.
// Genus 0. The triangle count is met within 0.5 %. Takes about 1 s per million triangles on one core.
struct CreatureOptions {
    std::size_t triangles = 20'000; // at least 1,000
    double length = 1;              // nose to tail, along x
    std::uint64_t seed = 1;         // determines proportions and relief
    double relief = 1;              // 0: smooth, 1: like skin; at most 2
};
[[nodiscard]] TriangleMesh make_creature(const CreatureOptions& options = {});

struct SpaceshipOptions {
    std::size_t triangles = 20'000; // at least 4,000; met within 0.5 %
    double length = 1;              // along x, nose at +x
};
// Body, wings, fins and hollow engines; genus 0.
[[nodiscard]] TriangleMesh make_spaceship(const SpaceshipOptions& options = {});

// ---- Scenery.

struct TunnelOptions {
    double length = 4;         // along x
    double radius = 0.5;       // inner radius
    double wall = 0.1;         // wall thickness
    std::size_t obstacles = 6; // closed components inside that touch neither the wall nor each other
    std::size_t segments = 48;
    std::uint64_t seed = 1;
};
[[nodiscard]] TriangleMesh make_tunnel(const TunnelOptions& options = {});

struct TerrainOptions {
    double size = 10;       // side of the square
    double height = 2;      // upper bound on the difference between the highest and the lowest point
    std::size_t cells = 64; // cells along a side
    std::uint64_t seed = 1;
    bool closed = false; // add walls and a flat base, half the height below the lowest possible point
};
[[nodiscard]] TriangleMesh make_terrain(const TerrainOptions& options = {});

struct ClothOptions {
    Vec2 size = {1, 1}; // in the plane z = 0, facing +z
    std::array<std::size_t, 2> cells = {32, 32};
};
[[nodiscard]] TriangleMesh make_cloth(const ClothOptions& options = {});

// ---- Tetrahedral meshes; all tetrahedra have positive volume.

struct TetBoxOptions {
    Vec3 size = {1, 1, 1};
    std::array<std::size_t, 3> cells = {4, 4, 4};
    bool five = false; // five tetrahedra per cell, in alternating orientation, instead of Kuhn's six
};
[[nodiscard]] TetMesh make_tet_box(const TetBoxOptions& options = {});

struct TetBallOptions {
    double radius = 0.5;
    std::size_t resolution = 6; // number of layers; gives 20 resolution^3 tetrahedra
};
[[nodiscard]] TetMesh make_tet_ball(const TetBallOptions& options = {});

struct TetCylinderOptions {
    double radius = 0.3;
    double height = 1;
    std::size_t rings = 4;   // rings of the disc
    std::size_t layers = 12; // layers along z; gives 18 rings^2 layers tetrahedra
};
[[nodiscard]] TetMesh make_tet_cylinder(const TetCylinderOptions& options = {});

struct TetTorusOptions {
    double radius = 0.35;    // from the z axis to the centre of the tube
    double tube = 0.15;      // radius of the tube, less than `radius`
    std::size_t rings = 3;   // rings of the tube's disc
    std::size_t layers = 24; // layers around the axis; gives 18 rings^2 layers tetrahedra
};
[[nodiscard]] TetMesh make_tet_torus(const TetTorusOptions& options = {});

} // namespace fathom
