// Cells of a solid, and the axis-aligned cut that divides one best for convex hulls.
// A cut is good if the hulls of its sides have little volume and reach little beyond the solid. Candidates are evenly
// spaced planes, the levels of edges at which the solid turns inward, and the planes through the place where the hull
// is farthest from the solid; the best is refined between its neighbours. The hulls of both sides of all candidates of
// an axis are built from the hulls of the slabs between them.
#pragma once

#include <fathom/detect/convex/hull.h>
#include <fathom/detect/decomposition/cell_surface.h>
#include <fathom/detect/decomposition/hull_gap.h>

#include <memory>
#include <optional>
#include <vector>

namespace fathom::decomposition {

// The hull of points and its volume; without volume if they are flat.
struct HullPart {
    convex::Hull hull;
    double volume = 0;
    Gap gap{};
};
[[nodiscard]] HullPart part_of(std::span<const Vec3> points);
// Points whose hull is nearly that of all, for comparisons: those farthest in some hundred directions. All points if
// they are few.
[[nodiscard]] std::vector<Vec3> thinned(std::vector<Vec3> points);

// The part of a solid in a box.
struct Cell {
    std::shared_ptr<const PieceSurface> surface;
    Polygons polygons;
    Box box;
    HullPart part;
};
[[nodiscard]] Cell whole(std::shared_ptr<const PieceSurface> surface, const GapTree& gaps);

struct CutOptions {
    int planes = 6;          // evenly spaced, per axis
    double gap_weight = 1;   // of the distances of both sides against their volumes
    double thinnest = 0.005; // no side is thinner
};

// Both sides of the best cut; nothing if no plane divides the cell.
[[nodiscard]] std::optional<std::array<Cell, 2>> cut(const Cell& cell, const GapTree& gaps, const CutOptions& options);

} // namespace fathom::decomposition
