// A field cut into parts: oriented boxes that together certainly hold its inside, {f <= 0}.
// Method: Liu et al. 2024, section 4.1. Points of the surface with their normals come from an octree of what `range`
// cannot clear, the parts from our own search (part_search.h) instead of a network, and the boxes are grown by proof,
// not by samples: each cell of an octree is clear of the inside, or in one box, or is cut; what is left at the end
// makes the box grow that grows least. Not for proofs of contact at small scale, or round and hollow shapes, which
// boxes fill badly (see the report). Boxes and cells are in the field's frame, in metres. In parallel; the same boxes
// for any number of threads.
#pragma once

#include <fathom/base/primitives.h>
#include <fathom/field/field.h>

#include <filesystem>
#include <span>
#include <vector>

namespace fathom {

struct DecompositionOptions {
    int parts = 0;              // 1 to 256, or fewer where boxes are full already; 0: as many as pay
    int max_parts = 32;         // 1 to 256, where as many as pay
    double worth = 0.02;        // as many as pay: one part more must lower the volume of the boxes by this share
    std::size_t samples = 4000; // of the surface, at most about; at least a quarter of it; 100 to 1e6
    double detail =
        0; // cells of the proof are not cut below this (m); 0: a grid's cell, else 1/128 of the longest side
    std::size_t max_cells = 400'000; // nor past this many; the boxes grow for it, and the proof holds
};

struct Decomposition {
    std::vector<OrientedBox> boxes;
    bool contained = false; // proven: every point with f <= 0 is in a box
};

struct DecompositionReport {
    Interval inside_volume{0}; // of {f <= 0} (m^3), proven
    double box_volume = 0;     // sum over the boxes; where they overlap counts twice (m^3)
    Interval fill{0};          // inside volume / box volume, proven
    Interval protrusion{0};    // bounds on the largest value of the field in the boxes: how far they stand out (m)
    std::size_t samples = 0;   // of the surface; 0 for boxes made by others
    std::size_t cells = 0;     // of the proof
};

// Nothing inside: no boxes. Error{invalid_argument} for a field without finite bounds and options out of range. Well
// below a second for grids; 2 to 100 thousand look-ups for others.
[[nodiscard]] Decomposition decompose(const Field& field, const DecompositionOptions& options = {},
                                      DecompositionReport* report = nullptr);

// Boxes made by others, grown until they contain the inside; boxes that nothing needs are kept. Without boxes: as
// decompose() with one part. Of the options, detail and max_cells count. Error{non_finite, invalid_argument} names the
// box.
[[nodiscard]] Decomposition grown_to_contain(const Field& field, std::span<const OrientedBox> boxes,
                                             const DecompositionOptions& options = {},
                                             DecompositionReport* report = nullptr);

// Is the inside proven to be in the boxes as they are? "false" may also mean that the cells were not small enough.
[[nodiscard]] bool proven_to_contain(const Field& field, std::span<const OrientedBox> boxes,
                                     const DecompositionOptions& options = {});

[[nodiscard]] DecompositionReport report_on(const Field& field, std::span<const OrientedBox> boxes,
                                            const DecompositionOptions& options = {});

// ---- Which parts of two bodies may touch

struct PartPair {
    Index a = 0, b = 0;
    friend bool operator==(const PartPair&, const PartPair&) = default;
};

// Pairs whose boxes come within `margin` of each other, by a, then b: axis boxes first, then separating axes. Where
// both decompositions are `contained`, the bodies can touch nowhere else. O(parts of a * parts of b) tests of axis
// boxes.
void part_pairs(const Decomposition& a, const Pose& pose_a, const Decomposition& b, const Pose& pose_b,
                std::vector<PartPair>& out, double margin = 0);

// ---- Files: {"boxes": [{"center": [x,y,z], "rotation": [w,x,y,z], "half": [x,y,z]}, ...], "contained": true}

// `contained` is not believed: it is false until grown_to_contain() or proven_to_contain() has said so. Rotations are
// made unit; left out, they are none. Throws Error (cannot_open, malformed, non_finite, invalid_argument, too_large)
// that names file, box and reason.
[[nodiscard]] Decomposition read_boxes(const std::filesystem::path& path);
[[nodiscard]] Decomposition parse_boxes(std::span<const std::byte> json, const std::string& name);
// Numbers are written so that they are read back to the bit.
void write_boxes(const std::filesystem::path& path, const Decomposition& decomposition);

} // namespace fathom
