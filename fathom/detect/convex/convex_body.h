// Convex bodies for the kernels of this folder: a core (point, segment, box, frustum, ellipsoid or hull), and a radius
// of a sphere that is swept over the core.
// A body is described by its support function: h(n) is the maximum of n . p over its points. The support function of a
// core is the maximum of a few smooth pieces: vertices, the two rims of a frustum, or an ellipsoid. Kernels use pieces
// for iterations that converge quadratically.
// Immutable and thread-safe. Metres; the core is in its own frame, which `placement` maps to the frame of the shape.
#pragma once

#include <fathom/base/pose.h>
#include <fathom/base/primitives.h>
#include <fathom/detect/convex/hull.h>

#include <cstdint>
#include <memory>

namespace fathom::convex {

enum class Core : std::uint8_t {
    point,     // at the origin
    segment,   // along z
    box,       // about the origin
    frustum,   // a cylinder, cone or capped cone about z; with a height of 0 a disk
    ellipsoid, // about the origin
    hull       // a convex polyhedron, which may be flat
};

struct Body {
    Core core = Core::point;
    // box: half sizes; ellipsoid: semi-axes; segment: (0, 0, half length); frustum: (bottom radius, top radius, half
    // height), the bottom at negative z
    Vec3 half = Vec3::Zero();
    double radius = 0; // of the swept sphere
    std::shared_ptr<const Hull> hull{};
    Pose placement{};    // of the core, in the frame of the shape
    bool placed = false; // placement is not the identity
    double extent = 0;   // largest distance of a point of the core from the origin of its frame, rounded up (m)

    [[nodiscard]] bool is_polyhedron() const { return core != Core::frustum && core != Core::ellipsoid; }
    // Bounding box in the frame of the shape, radius included, rounded outward.
    [[nodiscard]] Box bounds() const;
};

// Numbers must be finite and not negative, as shape.h checks.
[[nodiscard]] Body sphere(double radius);
[[nodiscard]] Body capsule(double length, double radius); // length of the segment, along z
[[nodiscard]] Body box(const Vec3& size);
[[nodiscard]] Body frustum(double bottom_radius, double top_radius, double height);
[[nodiscard]] Body ellipsoid(const Vec3& radii);
[[nodiscard]] Body polyhedron(std::shared_ptr<const Hull> hull);

// A point of the core that is farthest in a direction, and the piece of the support function that it belongs to.
struct Support {
    Vec3 point = Vec3::Zero();
    int piece = 0; // box: corner as Box::corner(); segment, frustum: 0 bottom, 1 top; hull: vertex
};
inline constexpr std::size_t max_scanned_vertices = 32; // of a hull; more are searched along the edges
// The direction need not be a unit vector. `hint`: a piece that is probably near. Cost: O(1); hulls of more than
// max_scanned_vertices by hill climbing along the edges.
[[nodiscard]] Support support(const Body& body, const Vec3& direction, int hint = -1);
// As support(), for hulls by a scan of all vertices: a result that a proof may rest on.
[[nodiscard]] Support certain_support(const Body& body, const Vec3& direction);

// The support point of one piece in the direction of a unit vector, and its derivative with respect to the direction
// (m). The piece must be smooth there.
struct PiecePoint {
    Vec3 point;
    Mat3 derivative;
};
[[nodiscard]] PiecePoint piece_point(const Body& body, int piece, const Vec3& direction);
} // namespace fathom::convex
