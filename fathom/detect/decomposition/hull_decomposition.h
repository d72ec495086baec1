// Decomposes a closed mesh into convex hulls that contain it and stay near it.
// Method: cuts by axis-aligned planes, then merging, after Wei, Liu, Ling & Su 2022, "Approximate convex decomposition
// for 3D meshes with collision-aware concavity and tree search" (CoACD); but the hulls are those of the exact parts of
// the solid, the concavity is the largest distance of a point of a hull to the solid, and it is proven.
// Not for sheets and soups, which have no interior.
#pragma once

#include <fathom/base/progress.h>
#include <fathom/geometry/mesh/triangle_mesh.h>

#include <cstddef>
#include <vector>

namespace fathom {

struct HullOptions {
    // No point of a hull is farther from the solid, as a fraction of half the longest side of the mesh's bounding box
    // (the scale of CoACD). 0.005 to 1. Proven up to an eighth of it.
    double concavity = 0.05;
    // Limit on the number of hulls, which takes precedence over `concavity`; 0: none. Up to 65,536.
    int max_hulls = 64;
    // Cells of the search are not cut into thinner ones, in the same unit; 0: a fifth of the concavity.
    double thinnest = 0;
    // Cut along the axes of the solid's flat faces instead of the mesh's axes, if they fit it better.
    bool turn = true;
    Progress* progress = nullptr;
};

struct HullReport {
    double concavity = 0;       // largest distance of a point of a hull to the solid that was found (m)
    double concavity_bound = 0; // the same, proven; not below the requested concavity (m)
    bool reached = false;       // the bound is at most an eighth above the requested concavity
    double solid_volume = 0;    // m^3
    double hull_volume = 0;     // sum over the hulls; overlaps count twice (m^3)
    std::size_t cells = 0;      // before merging
};

// Convex hulls as closed meshes, largest first. Together they contain the solid, up to 1e-6 of its size where cells
// meet, and all vertices up to rounding. The same for any number of threads, and for any unit up to rounding.
// Throws Error as check(mesh) and check_size() do; Error{empty} without triangles; Error{invalid_argument} for options
// out of range and for a mesh without an interior (seal.h); Error{cancelled}. Seconds for 100,000 triangles.
[[nodiscard]] std::vector<TriangleMesh> hull_decomposition(const TriangleMesh& mesh, const HullOptions& options = {},
                                                           HullReport* report = nullptr);

} // namespace fathom
