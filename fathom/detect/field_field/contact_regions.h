// Overlap regions of two solids: the cells of one tree that may contain a common point, grouped into connected regions,
// and the deepest points of each region.
// Method: Liu et al. 2024, section 4.4 and algorithm 3. The cells are as fine as a fixed number of cells allows, so
// regions closer to each other than a cell are merged. Thread-safe.
#pragma once

#include <fathom/detect/field_field/penetration_refine.h>
#include <fathom/detect/trees/field_sphere_tree.h>

#include <vector>

namespace fathom::field_field {

struct RegionOptions {
    double margin = 0;
    std::size_t max_contacts = 16;
    double tolerance = 1e-4; // of contact positions before polishing, relative to the size of the smaller solid
    bool polish = false;     // both fields are smooth: refine to rounding
    // Search for the globally deepest points to this accuracy (m); 0: the descents from the lowest cells only.
    double deepest_tolerance = 0;
    std::size_t max_deepest_evaluations = 0;
};

struct RegionContacts {
    std::vector<RegionContact> contacts; // deepest first
    bool more_contacts = false;
    double depth_bound = HUGE_VAL; // no value of a field over the points of the other body is below minus this (m)
    std::size_t evaluations = 0;
};

// `common`: a point known to be inside both (with a margin: inside P and within the margin of Q). P must be bounded.
[[nodiscard]] RegionContacts find_contacts(const FieldSphereTree& p, const FieldSphereTree& q,
                                           const Pose& q_seen_from_p, const Vec3& common, const RegionOptions& options);

// ---- Contacts of two convex analytic expressions. The distance to a convex body is a convex function, so descent from
// any common point ends at the globally deepest point, without cells and regions. The other contacts lie on a ring
// around it.
// Cost: 100 to 200 samples of each field. Thread-safe.
// When not to use it: for grids and neural fields, whose values are not convex even if the shape is.

// As find_contacts(). `size`: size of the smaller body (m).
[[nodiscard]] RegionContacts convex_contacts(const FieldPair& pair, const Vec3& common, double size,
                                             const RegionOptions& options);

} // namespace fathom::field_field
