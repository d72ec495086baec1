// Does an object meet its environment, by depth maps? The environment is drawn in the boxes of the
// object's maps, and only where the object is solid: what shows is a hit, with its body, triangle and normal. Method:
// Fabrizio, "Easy real-time collision detection"; and what that misses: where the object is inside a closed body
// (figure 2c, or partly so and the border is seen edge on), the first surface behind the object is seen from its
// inside. What is found. Say the common part of the object, filled as its maps fill it, and of a closed body holds a
// ball of radius `tolerance`: it is found. A hit is a point of a surface of the environment that is no farther than
// `rounding` outside of the filled object. So where the object is compliant (depth_directions.h) or drawn in layers,
// both are about the object itself. Surfaces without inside are found where they cross the line through the middle of a
// pixel. When not: for objects full of concavities against one direction, or when every triangle counts
// (surface_contacts.h). Cost: a drawing of the environment for each projection, layer and body whose box meets it;
// where nothing was hit, up to two more for each closed body. Thread rule: as DepthObject.
#pragma once

#include <fathom/detect/depth/depth_object.h>
#include <fathom/detect/result/result.h>

namespace fathom {

enum class DepthGoal {
    verdict, // stops at the first pixel that is hit, and counts no others
    bodies,  // what was hit, and how
    pixels   // every pixel as well
};

struct DepthCollideOptions {
    DepthGoal goal = DepthGoal::bodies;
    // Each body in drawings of its own, so that none hides another and a "no" of a projection is about one body.
    // Otherwise all are drawn at once: cheaper with many bodies, the verdict the same or more careful, but a body
    // behind another may not be named.
    bool separate_bodies = true;
    bool enclosed = true;      // looks for closed bodies that the object is inside of, with separate bodies or without
    bool conservative = false; // "disjoint" with a proof; the object must have been made conservative
    std::size_t max_pixels = 1'000'000; // listed
};

// A point of the environment's surface inside the object: at the middle of a pixel.
struct DepthHit {
    Vec3 point = Vec3::Zero(); // m, world
    Vec3 normal =
        Vec3::Zero();     // unit, of the environment, on the side from which corners run counter-clockwise (world)
    double depth = 0;     // how deep it is in the object, along the projection (m)
    DepthId id{};         // body and triangle
    Index part = 0;       // of the object
    Index projection = 0; // of the part
    Index pixel = 0;      // of the map
};

// What was hit of a body by a part, as seen by the projection with the fewest hits.
struct DepthBodyHit {
    Index body = no_index; // DrawnBody::id
    Index part = 0;
    Index projection = 0;
    std::size_t pixels = 0; // and layers
    double area = 0;        // of those pixels (m^2), that is as seen along the projection
    double depth = 0;       // of the deepest hit: the object moved by it along way_out has the point on its surface (m)
    Vec3 point = Vec3::Zero();   // the deepest hit (m, world)
    Vec3 way_out = Vec3::Zero(); // unit, along the projection or against it (world)
    Vec3 normal = Vec3::Zero();  // mean of the hits, unit; zero where they cancel
    Index primitive = no_index;  // the triangle of the deepest hit
};

// Pixels of the object that are inside a closed body without meeting its surface.
struct DepthEnclosure {
    Index body = no_index;
    Index part = 0;
    Index projection = 0;
    std::size_t pixels = 0;    // 0: thinner than pixels, found by a proof that failed
    bool whole = false;        // every pixel of the part
    Vec3 point = Vec3::Zero(); // of the object's far side, in one of them; or a vertex (m, world)
};

struct DepthCollision {
    // overlapping: something was seen, in every projection of a part. disjoint: nothing was, which is a proof only
    // where `proven`. undecided: something may be in the pixels but is not in their middles; or a pose is not finite.
    Verdict verdict = Verdict::disjoint;
    bool proven = false; // disjoint, and no point of the environment's surface is deeper than `rounding` in the object,
                         // nor is the object in a closed body
    double tolerance = 0; // half the diagonal of a pixel, and rounding: what may be missed without a proof (m)
    double rounding = 0;  // places drawn in floats are off by at most this (m)
    bool truncated =
        false; // layers or pixels were cut off: gaps of the object may count as solid, the list of pixels ends early
    std::size_t pixels = 0;             // hits of all bodies
    std::size_t open_pixels = 0;        // conservative: in which something may be
    std::vector<DepthBodyHit> bodies{}; // by part, then in the order of the environment
    std::vector<DepthEnclosure> enclosed_by{};
    std::vector<DepthHit> hits{}; // DepthGoal::pixels
    std::size_t drawings = 0;
};

// Throws Error: invalid_argument for a body without mesh, with the id no_index, or conservative with an object that is
// not.
[[nodiscard]] DepthCollision collide(DepthObject& object, const Pose& pose, std::span<const DrawnBody> environment,
                                     const DepthCollideOptions& options = {});

} // namespace fathom
