// A grid field from a mesh, built once: the second time it is mapped from the cache.
#pragma once

#include <fathom/field/file/field_cache.h>
#include <fathom/field/mesh/grid_builder.h>

namespace fathom {

struct CachedGrid {
    FieldFile file;         // with a note in JSON: how the sign was found, and the options
    bool found = false;     // in the cache; else built now
    std::string not_kept{}; // why the cache did not keep it; empty where it did, or is off
};

// As build_grid(). The key is the content of the mesh and every option that changes the field.
[[nodiscard]] CachedGrid cached_grid(const TriangleMesh& mesh, const GridOptions& options = {},
                                     const FieldCache& cache = FieldCache());

} // namespace fathom
