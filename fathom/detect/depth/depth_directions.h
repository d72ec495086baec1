// From which directions should an object's depth maps be drawn, and is it fit for them at all? The paper
// leaves the choice to the user: "we do not provide any algorithm for projections selection". A direction fills the
// object's concavities along it (depth_object.h). A place of the surface is seen where the point a little outside of
// it, a pixel and a half, does not become solid by that: so walls that run along the direction are seen, as a
// silhouette. Several directions fill only what all of them fill. Directions are taken one by one, each the one that
// sees the most that is not seen yet (greedy cover: at least 63 % of what as many directions could see), until nothing
// is gained. Where that point is in another part of the object, the gap is narrower than maps can tell, and the place
// counts as seen: what a direction fills there is within the tolerance of collisions. Places are samples: about 20,000,
// and at least one in each triangle. Cost: for each of some 30 candidates two drawings and a look-up for each sample;
// layers of one. Thread rule: as the backend.
#pragma once

#include <fathom/detect/depth/depth_object.h>

#include <optional>

namespace fathom {

struct DirectionOptions {
    DepthSides sides =
        DepthSides::both_sides; // far_side: its rear side is never seen; layers need no choice, and are refused
    int pixels = 192;
    std::size_t spread = 24;        // candidates evenly over the sphere, besides the axes and the principal axes
    std::vector<Vec3> candidates{}; // more of them, any length
    std::size_t most = 4;           // directions chosen
    double least_gain = 0.002;      // share of the surface that one more must add
    double compliant = 0.99;        // share of the surface that must be seen
};

struct DirectionSight {
    Vec3 direction = Vec3::UnitZ(); // unit, in the frame of the mesh
    double seen = 0;                // share of the surface
    double filled = 0;              // volume of the object with its concavities filled (m^3)
    std::optional<double>
        concavity{}; // filled less the mesh's own volume, at least 0 (m^3); absent where the mesh is not closed
};

struct DirectionReport {
    std::vector<DirectionSight> candidates; // in the order tried
    std::vector<DirectionSight> chosen;     // best first
    std::vector<double> seen_by_chosen;     // share of the surface that the first, the first two, ... see
    double seen = 0;                        // share that all chosen ones see
    double filled = 0;                      // what all chosen ones fill (m^3)
    std::optional<double> concavity{};      // of it; what is left over
    double resolution = 0;                  // of all this: a pixel at its largest (m)

    double area = 0;                  // of the surface (m^2)
    double unseen_area = 0;           // m^2
    Box unseen_bounds{};              // of what is to_mesh_frame; empty where nothing is
    std::vector<Index> to_mesh_frame; // triangles of which less than half is seen by the chosen ones, ascending
    std::vector<float> seen_shares;   // of each triangle

    bool closed = false;           // watertight, facing outward: else only the surface counts, not what is inside
    bool compliant_to_one = false; // the best direction alone sees enough
    bool compliant = false;        // the chosen ones do

    [[nodiscard]] std::vector<Projection> projections() const; // ready for DepthObject
    DepthSides sides = DepthSides::both_sides;
};

// Throws Error: empty without triangles or area, invalid_argument, and as check(mesh) does.
[[nodiscard]] DirectionReport choose_directions(DepthBackend& backend, const TriangleMesh& mesh,
                                                const DirectionOptions& options = {});

} // namespace fathom
