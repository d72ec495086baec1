// Grid field from any triangle mesh (Xu & Barbic 2014, section 3 and table 1).
// Distances are exact at every sample of the bricks near the surface and at the corners of all others. The sign is
// propagated between samples whose clearance spheres overlap, so it is computed from the mesh only once for each
// region.
#pragma once

#include <fathom/base/progress.h>
#include <fathom/field/file/field_file.h>
#include <fathom/field/grid/grid_field.h>
#include <fathom/field/mesh/mesh_sign.h>

namespace fathom {

struct GridOptions {
    int resolution = 128; // cells along the longest side, including the margin; rounded up to whole bricks
    double margin = 0.05; // free space around the mesh, as a fraction of its longest side
    Box box{};            // region to cover instead, if not empty; must contain the mesh
    double band = 3;      // distance from the surface up to which every sample is exact (cells)
    bool dense = false;   // every sample is exact
    GridStorage storage = GridStorage::code16;
    SignMethod sign = SignMethod::automatic;
    double thickness = 0; // thickness of sheets, for SignMethod::thickness (m); 0: two cells
    double wrap = 0;      // for SignMethod::wrap: holes up to twice this size are closed (m); 0: two cells
    std::size_t memory_limit = std::size_t{16} << 30; // bytes; Error{too_large} before a larger allocation
    Progress* progress = nullptr;
};

// Part of the key of cached grids. Raise it with every change that alters a byte of the result of build_grid().
inline constexpr int grid_builder_revision = 1;

struct GridReport {
    SignChoice sign;
    std::size_t stored_bricks = 0;
    std::size_t bytes = 0;   // resident size of the field
    double sample_error = 0; // error of the samples near the surface, including storage (m)
};

// Throws Error (empty, non_finite, index_out_of_range, invalid_argument, too_large, cancelled). Runs in parallel; the
// same bytes for any number of threads. Open surfaces: the sign also changes in their holes, where the distance is not
// 0; the field is steep there, and its stated error large. Intersecting components: inner sheets count as surface, so
// depth is understated.
[[nodiscard]] GridField build_grid(const TriangleMesh& mesh, const GridOptions& options = {},
                                   GridReport* report = nullptr);

// Bytes of the field, before anything is sampled: exact for dense grids, the fixed part for sparse ones.
[[nodiscard]] std::size_t min_grid_bytes(const TriangleMesh& mesh, const GridOptions& options = {});

// ---- Grid field from a mesh with a cache: it is built once, and mapped from the cache afterwards.

struct CachedGrid {
    FieldFile file;         // with a note in JSON: sign method and options
    bool found = false;     // read from the cache; otherwise built now
    std::string not_kept{}; // reason why the cache did not store it; empty if it did, or if the cache is off
};

// As build_grid(). The key is the content of the mesh and every option that changes the field.
[[nodiscard]] CachedGrid cached_grid(const TriangleMesh& mesh, const GridOptions& options = {},
                                     const FieldCache& cache = FieldCache());

} // namespace fathom
