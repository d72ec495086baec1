// The method of Liu et al. 2024, sections 4.2 to 4.4, as the paper writes it: centres of the octree of the boxes' common region as
// detection points, steps of a fixed length along the other body's gradient, projection back, then the deepest points.
// For comparison with collide(): it can miss, and its step and depth are set by hand.
#pragma once

#include <fathom/base/shapes.h>
#include <fathom/field/field.h>

#include <span>

namespace fathom::bench {

struct PlainOptions {
    int depth = 3;            // of the octree
    double step = 0.005;      // m
    double epsilon = 1e-5;    // m: a shorter step ends a search
    int most_steps = 200;
    bool all = true;          // contacts of every detection point; false: the first common point ends it
};

struct PlainResult {
    bool overlap = false;
    double depth = 0;           // of the deepest contact (m)
    std::size_t contacts = 0;   // detection points that ended in both
    std::size_t detection_points = 0;
    std::size_t look_ups = 0;
    Vec3 point = Vec3::Zero();  // the deepest point of A in B (m, world)
};

// Boxes in the frames of the fields: one each, or those of a decomposition.
[[nodiscard]] PlainResult plain_collide(const Field& a, std::span<const OrientedBox> boxes_a, const Pose& pose_a, const Field& b,
                                        std::span<const OrientedBox> boxes_b, const Pose& pose_b, const PlainOptions& options = {});

[[nodiscard]] OrientedBox whole_box(const Field& field); // its bounds

} // namespace fathom::bench
