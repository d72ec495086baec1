// Where two solids overlap: the cells of one tree that may hold a common point, grouped into regions, and
// the deepest points from each. (Liu et al. 2024, section 4.4 and algorithm 3.) Thread-safe. Cells are as fine as a
// fixed number of them allows, so regions nearer to one another than a cell are taken as one.
#pragma once

#include <fathom/detect/field_field/penetration_refine.h>
#include <fathom/detect/trees/field_sphere_tree.h>

#include <vector>

namespace fathom::field_field {

struct RegionOptions {
    double margin = 0;
    std::size_t max_contacts = 16;
    double tolerance = 1e-4; // of the smaller solid's size: of the places of contacts, before polishing
    bool polish = false;     // both fields are smooth: to rounding
};

struct RegionContacts {
    std::vector<RegionContact> contacts; // deepest first
    bool more_contacts = false;
    std::size_t evaluations = 0;
};

// `common`: a point known to be inside both (with a margin: inside P and near Q). P must be bounded.
[[nodiscard]] RegionContacts find_contacts(const FieldSphereTree& p, const FieldSphereTree& q, const FieldPair& pair,
                                           const Vec3& common, const RegionOptions& options);

// Contacts of two convex bodies given by formula. The distance to a convex body is a convex function, so
// the way down from any common point ends in the deepest point of all: no cells, no regions. Other contacts lie in a
// ring round it. Not for: grids and networks (their values are not convex even where the shape is). 100 to 200 samples
// of each field. Thread-safe.

[[nodiscard]] bool is_convex(const Field& field);

// As find_contacts(). `size` of the smaller body (m).
[[nodiscard]] RegionContacts convex_contacts(const FieldPair& pair, const Vec3& common, double size,
                                             const RegionOptions& options);

} // namespace fathom::field_field
