// Octree traversal of Xu & Barbic 2014, section 3.2: at each new cell, descends from the root of the min/max octree to
// the largest block that can be skipped.
// It is a baseline for benchmarks. The octree is the grid's own pyramid, without its level of 2^3 cells, where the
// cells are tested directly.
#pragma once

#include <fathom/detect/point_field/dda_traversal.h>

namespace fathom {

// As dda_intervals().
void octree_intervals(const GridField& field, const GridPath& path, double level, CellTest test,
                      std::vector<ContactInterval>& out);

} // namespace fathom
