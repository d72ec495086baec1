// Collision detection between an object and its environment by depth maps. The environment is drawn in the boxes of the
// object's maps, and only where the object is solid: every drawn pixel is a hit, with body, triangle and normal.
// Method: Fabrizio, "Easy real-time collision detection", extended for a case that it misses: if the object is inside a
// closed body (figure 2c, or partly inside with the border seen edge-on), the first surface behind the object is seen
// from its inside.
// Guarantee: if the intersection of the object, filled as its maps fill it, and a closed body contains a sphere of
// radius `tolerance`, it is found. A hit is a point of a surface of the environment that is at most `rounding` outside
// the filled object. If the object is compliant (depth_directions.h) or drawn in layers, both statements hold for the
// object itself. Surfaces without an interior are found where they cross the line through the centre of a pixel.
// When not to use it: for objects with many concavities along a direction, or when every triangle counts
// (surface_contacts.h). Cost: one drawing of the environment for each projection, layer and body whose box overlaps;
// without hits, up to two more for each closed body. Thread rule: as DepthObject.
#pragma once

#include <fathom/detect/depth/depth_object.h>
#include <fathom/detect/result/result.h>

namespace fathom {

enum class DepthGoal {
    status, // stops at the first hit pixel and does not count others
    bodies, // hits by body
    pixels  // also every pixel
};

struct DepthCollideOptions {
    DepthGoal goal = DepthGoal::bodies;
    // Draw each body separately, so that no body hides another and a negative result of a projection refers to one
    // body. Otherwise all bodies are drawn at once: cheaper with many bodies, with the same or a more conservative
    // status, but a body behind another may not be reported.
    bool separate_bodies = true;
    bool enclosed = true;      // test for closed bodies that contain the object, with separate bodies or without
    bool conservative = false; // "disjoint" is proven; the object must have been made conservative
    std::size_t max_pixels = 1'000'000; // limit of the list of pixels
};

// A point of the environment's surface inside the object, at the centre of a pixel.
struct DepthHit {
    Vec3 point = Vec3::Zero(); // m, world
    // Unit normal of the environment, on the side from which corners run counter-clockwise (world).
    Vec3 surface_normal = Vec3::Zero();
    double depth = 0;     // depth in the object along the projection (m)
    DepthId id{};         // body and triangle
    Index part = 0;       // of the object
    Index projection = 0; // of the part
    Index pixel = 0;      // of the map
};

// Hits of a part on a body, as seen by the projection with the fewest hits.
struct DepthBodyHit {
    Index body = no_index; // DrawnBody::id
    Index part = 0;
    Index projection = 0;
    std::size_t pixels = 0; // hits, over all layers
    double area = 0;        // area of those pixels (m^2), as seen along the projection
    double depth = 0; // of the deepest hit: after a translation of the object by it along separating_direction, the
                      // point is on its surface (m)
    Vec3 point = Vec3::Zero();                // the deepest hit (m, world)
    Vec3 separating_direction = Vec3::Zero(); // separating direction (unit, world), along the projection or against it
    Vec3 surface_normal = Vec3::Zero();       // mean over the hits, unit; zero where they cancel
    Index primitive = no_index;               // triangle of the deepest hit
};

// Pixels of the object that are inside a closed body without intersecting its surface.
struct DepthEnclosure {
    Index body = no_index;
    Index part = 0;
    Index projection = 0;
    std::size_t pixels = 0;    // 0: thinner than a pixel, found by a proof that failed
    bool whole = false;        // every pixel of the part
    Vec3 point = Vec3::Zero(); // on the far side of the object in one of these pixels, or a vertex (m, world)
};

struct DepthCollision {
    // overlapping: hits were found in every projection of a part. disjoint: no hits were found; this is a proof only if
    // `proven`. undecided: something may be in the pixels but not at their centres, or a pose is not finite.
    Status status = Status::disjoint;
    // disjoint, and no point of the environment's surface is deeper than `rounding` in the object, nor is the object
    // inside a closed body.
    bool proven = false;
    double tolerance = 0; // half the diagonal of a pixel plus rounding: resolution of a result without a proof (m)
    double rounding = 0;  // bound on the error of positions drawn in float (m)
    // Layers or pixels were dropped: gaps of the object may count as solid, the list of pixels is incomplete.
    bool truncated = false;
    std::size_t pixels = 0;             // hits of all bodies
    std::size_t open_pixels = 0;        // conservative: pixels that may contain something
    std::vector<DepthBodyHit> bodies{}; // by part, then in the order of the environment
    std::vector<DepthEnclosure> enclosed_by{};
    std::vector<DepthHit> hits{}; // DepthGoal::pixels
    std::size_t drawings = 0;
};

// Throws Error{invalid_argument} for a body without a mesh or with the id no_index, and for `conservative` with an
// object that is not conservative.
[[nodiscard]] DepthCollision collide(DepthObject& object, const Pose& pose, std::span<const DrawnBody> environment,
                                     const DepthCollideOptions& options = {});

} // namespace fathom
