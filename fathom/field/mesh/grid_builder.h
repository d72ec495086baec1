// A grid field from any triangle mesh (Xu & Barbic 2014, section 3 and table 1).
// Exact distances at every sample of the bricks near the surface and at the corners of all others; the sign is spread
// over samples whose balls of free space overlap, so it is asked of the mesh only once for each region.
#pragma once

#include <fathom/base/progress.h>
#include <fathom/field/file/field_file.h>
#include <fathom/field/grid/grid_field.h>
#include <fathom/field/mesh/mesh_sign.h>

namespace fathom {

struct GridOptions {
    int resolution = 128; // cells along the longest side, margin included; rounded up to whole bricks
    double margin = 0.05; // free space round the mesh, as a share of its longest side
    Box box{};            // what to cover instead, where not empty; must hold the mesh
    double band = 3;      // cells: as near to the surface as this, every sample is exact
    bool dense = false;   // every sample is exact
    GridStorage storage = GridStorage::code16;
    SignMethod sign = SignMethod::automatic;
    double thickness = 0; // of sheets, for SignMethod::thickness (m); 0: two cells
    double wrap = 0;      // for SignMethod::wrap: holes up to twice this are closed (m); 0: two cells
    std::size_t memory_limit = std::size_t{16} << 30; // bytes; Error{too_large} before anything larger is allocated
    Progress* progress = nullptr;
};

// Part of the key of cached grids: to be raised by whoever changes a byte of what build_grid() gives.
inline constexpr int grid_builder_revision = 1;

struct GridReport {
    SignChoice sign;
    std::size_t stored_bricks = 0;
    std::size_t bytes = 0;   // resident size of the field
    double sample_error = 0; // of the samples near the surface, storage included (m)
};

// Throws Error (empty, non_finite, index_out_of_range, invalid_argument, too_large, cancelled). In parallel; the same
// bytes for any number of threads. Open surfaces: the sign changes in their holes too, where the distance is not 0; the
// field is steep there, and its stated error large. Parts that cross: inner sheets count as surface, so depth is
// understated.
[[nodiscard]] GridField build_grid(const TriangleMesh& mesh, const GridOptions& options = {},
                                   GridReport* report = nullptr);

// Bytes that the field may take, before anything is sampled: exact for dense grids, the fixed part of sparse ones.
[[nodiscard]] std::size_t least_grid_bytes(const TriangleMesh& mesh, const GridOptions& options = {});

// A grid field from a mesh, built once: the second time it is mapped from the cache.

struct CachedGrid {
    FieldFile file;         // with a note in JSON: how the sign was found, and the options
    bool found = false;     // in the cache; else built now
    std::string not_kept{}; // why the cache did not keep it; empty where it did, or is off
};

// As build_grid(). The key is the content of the mesh and every option that changes the field.
[[nodiscard]] CachedGrid cached_grid(const TriangleMesh& mesh, const GridOptions& options = {},
                                     const FieldCache& cache = FieldCache());

} // namespace fathom
