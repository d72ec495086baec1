// Generated shapes: what tests, benchmarks and the demo run on when no scan is at hand.
// Closed shapes share their vertices, have every edge in two triangles of opposite direction, no doubled vertex, no
// triangle without area and no self-intersection, and face outward. Sheets and open terrain have a border. Centred on
// the origin, z up, metres. Arguments are checked: Error{invalid_argument} names the option and its range,
// Error{too_large} a shape of more than max_generated_elements. Same bytes for any thread count; no function of libm is
// used, so also on any platform.
#pragma once

#include <fathom/geometry/mesh/tet_mesh.h>

#include <cstdint>

namespace fathom {

// Triangles or tetrahedra: 2.4 GB, while working up to three times that.
inline constexpr std::size_t max_generated_elements = 100'000'000;
inline constexpr double min_generated_length = 1e-9; // m
inline constexpr double max_generated_length = 1e9;  // m

// ---- Solids. `segments` counts the edges around the widest circle; triangles stay near equilateral.

struct BoxOptions {
    Vec3 size = {1, 1, 1};
    std::array<std::size_t, 3> cells = {1, 1, 1}; // along x, y, z
};
[[nodiscard]] TriangleMesh make_box(const BoxOptions& options = {});

struct SphereOptions {
    double radius = 0.5;
    std::size_t resolution = 16; // pieces of each edge of an icosahedron: 20 resolution^2 triangles
};
[[nodiscard]] TriangleMesh make_sphere(const SphereOptions& options = {});

struct EllipsoidOptions {
    Vec3 radii = {0.5, 0.35, 0.25};
    std::size_t resolution = 16; // as for the sphere
};
[[nodiscard]] TriangleMesh make_ellipsoid(const EllipsoidOptions& options = {});

struct CapsuleOptions {
    double radius = 0.25;
    double length = 0.5; // of the straight part, along z; 0 makes a sphere
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
[[nodiscard]] TriangleMesh make_cone(const ConeOptions& options = {}); // apex up; the origin halfway up

struct TorusOptions {
    double radius = 0.35;           // of the circle in the middle of the tube
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

// ---- Lathe shapes: a profile turned about the z axis.

struct LatheOptions {
    std::size_t segments = 48;
    bool even = false; // fewer vertices on narrower rings: better triangles, for profiles with points as close as the
                       // edges around. Without it the surface never crosses itself unless the profile does.
};
// Profile points are (radius, height). The profile starts and ends on the axis (radius 0), or is a loop off the axis
// whose last point repeats the first. The way it runs does not matter. O(points * segments).
[[nodiscard]] TriangleMesh lathe(std::span<const Vec2> profile, const LatheOptions& options = {});

struct BowlOptions {
    double radius = 0.5;     // outer
    double thickness = 0.05; // of the wall; the rim is rounded
    std::size_t segments = 64;
};
[[nodiscard]] TriangleMesh make_bowl(const BowlOptions& options = {}); // half a hollow ball, open to +z

struct PawnOptions {
    double height = 1;
    std::size_t segments = 48;
};
[[nodiscard]] TriangleMesh make_pawn(const PawnOptions& options = {}); // stands on z = -height/2

struct SkilletOptions {
    double radius = 0.15; // of the pan's rim
    double handle = 0.2;  // length of the handle, along +x
    std::size_t segments = 64;
};
[[nodiscard]] TriangleMesh make_skillet(const SkilletOptions& options = {}); // one surface; the pan's bottom on z = 0

// ---- Organic shapes: blended blobs (Wyvill 1986), meshed to a triangle count.

// A four-legged creature that stands in for a scan: smooth body, and fine relief down to the size of its triangles.
// Genus 0. The count is met within 0.5 %. About 1 s a million triangles on one core.
struct CreatureOptions {
    std::size_t triangles = 20'000; // from 1,000
    double length = 1;              // nose to tail, along x
    std::uint64_t seed = 1;         // proportions and relief
    double relief = 1;              // 0 smooth, 1 like skin, at most 2
};
[[nodiscard]] TriangleMesh make_creature(const CreatureOptions& options = {});

struct SpaceshipOptions {
    std::size_t triangles = 20'000; // from 4,000; met within 0.5 %
    double length = 1;              // along x, nose at +x
};
[[nodiscard]] TriangleMesh
make_spaceship(const SpaceshipOptions& options = {}); // body, wings, fins, hollow engines; genus 0

// ---- Scenery.

struct TunnelOptions {
    double length = 4;         // along x
    double radius = 0.5;       // inner
    double wall = 0.1;         // thickness
    std::size_t obstacles = 6; // inside, apart from the wall and from each other, each a closed part
    std::size_t segments = 48;
    std::uint64_t seed = 1;
};
[[nodiscard]] TriangleMesh make_tunnel(const TunnelOptions& options = {});

struct TerrainOptions {
    double size = 10;       // of the square
    double height = 2;      // lowest to highest is at most this
    std::size_t cells = 64; // along a side
    std::uint64_t seed = 1;
    bool closed = false; // with walls and a flat base, half the height below the lowest possible point
};
[[nodiscard]] TriangleMesh make_terrain(const TerrainOptions& options = {});

struct ClothOptions {
    Vec2 size = {1, 1}; // in the plane z = 0, facing +z
    std::array<std::size_t, 2> cells = {32, 32};
};
[[nodiscard]] TriangleMesh make_cloth(const ClothOptions& options = {});

// ---- Tetrahedra, all of positive volume.

struct TetBoxOptions {
    Vec3 size = {1, 1, 1};
    std::array<std::size_t, 3> cells = {4, 4, 4};
    bool five = false; // five tetrahedra a cell, mirrored in turn, instead of Kuhn's six
};
[[nodiscard]] TetMesh make_tet_box(const TetBoxOptions& options = {});

struct TetBallOptions {
    double radius = 0.5;
    std::size_t resolution = 6; // layers: 20 resolution^3 tetrahedra
};
[[nodiscard]] TetMesh make_tet_ball(const TetBallOptions& options = {});

struct TetCylinderOptions {
    double radius = 0.3;
    double height = 1;
    std::size_t rings = 4;   // of the disk
    std::size_t layers = 12; // 18 rings^2 layers tetrahedra
};
[[nodiscard]] TetMesh make_tet_cylinder(const TetCylinderOptions& options = {});

struct TetTorusOptions {
    double radius = 0.35;    // from the axis z to the middle of the tube
    double tube = 0.15;      // radius of the tube, below `radius`
    std::size_t rings = 3;   // of the tube's disk
    std::size_t layers = 24; // round the axis: 18 rings^2 layers tetrahedra
};
[[nodiscard]] TetMesh make_tet_torus(const TetTorusOptions& options = {});

} // namespace fathom
