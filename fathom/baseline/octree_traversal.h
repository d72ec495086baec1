// Octree traversal of Xu & Barbic 2014, section 3.2: at each new cell, descends from the root of the min/max octree to
// the largest block that can be skipped.
// It is a baseline for benchmarks. The octree is the grid's own pyramid, without its level of 2^3 cells, where the
// cells are tested directly.
#pragma once

#include <fathom/detect/point_field/dda_traversal.h>

namespace fathom {

enum class CellTest {
    paper, // signs at the cell's entry and exit, then five steps of regula falsi; double crossings are missed
    exact  // all roots of the cubic
};

// Traversal cell by cell (Xu & Barbic 2014, section 3.1), with the cell test of the paper or the exact one.
void dda_intervals(const GridField& field, const point_field::GridPath& path, double level, CellTest test,
                   std::vector<ContactInterval>& out);
// Octree traversal; the same results.
void octree_intervals(const GridField& field, const point_field::GridPath& path, double level, CellTest test,
                      std::vector<ContactInterval>& out);

} // namespace fathom
