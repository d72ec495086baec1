// The walk of Xu & Barbic 2014, section 3.1: every cell on the way, one after the other (Amanatides & Woo
// 1987). A baseline for tables and, with the exact cell test, an oracle for grid_walk.h. Not for use: its cost goes
// with the length.
#pragma once

#include <fathom/detect/point_field/grid_path.h>
#include <fathom/detect/result/result.h>
#include <fathom/field/grid/grid_field.h>

#include <vector>

namespace fathom {

enum class CellTest {
    paper, // the sign at the cell's entry and exit, then five steps of regula falsi: double crossings are missed
    exact  // all roots of the cubic
};

// Within the domain of the grid, as grid_walk.h answers. Times with value <= level, ascending and apart, appended.
void plain_walk(const GridField& field, const GridPath& path, double level, CellTest test,
                std::vector<ContactInterval>& out);
// The first such time by the exact test, or no_contact; it looks no further.
[[nodiscard]] double plain_first(const GridField& field, const GridPath& path, double level);

} // namespace fathom
