// Contacts of two convex bodies given by formula. The distance to a convex body is a convex function, so
// the way down from any common point ends in the deepest point of all: no cells, no regions. Other contacts lie in a
// ring round it. Not for: grids and networks (their values are not convex even where the shape is). 100 to 200 samples
// of each field. Thread-safe.
#pragma once

#include <fathom/detect/field_field/contact_regions.h>

namespace fathom {

[[nodiscard]] bool is_convex(const Field& field);

// As find_contacts(). `size` of the smaller body (m).
[[nodiscard]] RegionContacts convex_contacts(const FieldPair& pair, const Vec3& common, double size,
                                             const RegionOptions& options);

} // namespace fathom
