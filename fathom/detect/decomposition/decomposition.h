// Decomposes a field into parts: oriented boxes that are proven to cover its interior {f <= 0}.
// Method: Liu et al. 2024, section 4.1. Surface points with normals come from an octree of the cells that `range`
// cannot rule out; the parts come from our own clustering (box_clustering.h) instead of a neural network; and the boxes
// are enlarged by proof, not by samples: each cell of an octree is outside the interior, or in one box, or is split;
// each remaining cell enlarges the box that needs the smallest growth. Not for proofs of contact at small scale, nor
// for round and hollow shapes, which boxes fill poorly (see the report). Boxes and cells are in the field's frame, in
// metres. Parallel; the same boxes for any number of threads.
#pragma once

#include <fathom/base/primitives.h>
#include <fathom/field/field.h>

#include <span>
#include <vector>

namespace fathom {

struct DecompositionOptions {
    int parts = 0;              // 1 to 256, or fewer if boxes are full already; 0: as many as are worthwhile
    int max_parts = 32;         // 1 to 256, limit if `parts` is 0
    double worth = 0.02;        // parts = 0: one more part must reduce the volume of the boxes by this fraction
    std::size_t samples = 4000; // surface samples, about this many at most and at least a quarter of it; 100 to 1e6
    // Cells of the proof are not split below this (m); 0: a grid's cell, else 1/128 of the longest side.
    double detail = 0;
    std::size_t max_cells = 400'000; // limit on the cells of the proof; the boxes grow for it, and the proof holds
};

struct Decomposition {
    std::vector<OrientedBox> boxes;
    bool contained = false; // proven: every point with f <= 0 is in a box
};

struct DecompositionReport {
    Interval inside_volume{0}; // of {f <= 0} (m^3), proven
    double box_volume = 0;     // sum over the boxes; overlaps count twice (m^3)
    Interval fill{0};          // inside volume / box volume, proven
    Interval protrusion{
        0}; // bounds on the largest value of the field in the boxes, i.e. how much they exceed the shape (m)
    std::size_t samples = 0; // surface samples; 0 for boxes from elsewhere
    std::size_t cells = 0;   // cells of the proof
};

// An empty interior gives no boxes. Throws Error{invalid_argument} for a field without finite bounds and for options
// out of range. Well below a second for grids; 2 to 100 thousand evaluations for others.
[[nodiscard]] Decomposition decompose(const Field& field, const DecompositionOptions& options = {},
                                      DecompositionReport* report = nullptr);

// Enlarges given boxes until they cover the interior; boxes that are not needed are kept. Without boxes: as decompose()
// with one part. Of the options only detail and max_cells are used. Error{non_finite, invalid_argument} names the box.
[[nodiscard]] Decomposition grown_to_contain(const Field& field, std::span<const OrientedBox> boxes,
                                             const DecompositionOptions& options = {},
                                             DecompositionReport* report = nullptr);

// Whether the interior is proven to be inside the given boxes. "false" may also mean that the cells were not small
// enough.
[[nodiscard]] bool proven_to_contain(const Field& field, std::span<const OrientedBox> boxes,
                                     const DecompositionOptions& options = {});

[[nodiscard]] DecompositionReport report_on(const Field& field, std::span<const OrientedBox> boxes,
                                            const DecompositionOptions& options = {});

// ---- Pairs of parts of two bodies that may touch

struct PartPair {
    Index a = 0, b = 0;
    friend bool operator==(const PartPair&, const PartPair&) = default;
};

// Pairs whose boxes come within `margin` of each other, by a, then b: axis-aligned boxes first, then separating axes.
// If both decompositions are `contained`, the bodies can touch nowhere else. O(parts of a * parts of b) tests of
// axis-aligned boxes.
void overlapping_parts(const Decomposition& a, const Pose& pose_a, const Decomposition& b, const Pose& pose_b,
                       std::vector<PartPair>& out, double margin = 0);

} // namespace fathom
