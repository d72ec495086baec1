// Chooses the projection directions of an object's depth maps and reports whether the object is suitable for them. The
// paper leaves the choice to the user: "we do not provide any algorithm for projections selection".
// A direction fills the object's concavities along it (depth_object.h). A point of the surface is seen if the point one
// and a half pixels outside of it does not become solid by the filling; so walls parallel to the direction are seen, as
// a silhouette. Several directions fill only the region that all of them fill. Directions are chosen one by one, each
// the one that sees the largest unseen area (greedy cover: at least 63 % of the area that the same number of directions
// could see), until nothing is gained. If the outside point is in another part of the object, the gap is narrower than
// the maps resolve, and the point counts as seen: the filling there is within the tolerance of collisions.
// The surface is sampled: about 20,000 points and at least one in each triangle. Cost: for each of about 30 candidates,
// two drawings and an evaluation per sample; layers of one direction. Thread rule: as the backend.
#pragma once

#include <fathom/detect/depth/depth_object.h>

#include <optional>

namespace fathom {

struct DirectionOptions {
    // far_side never sees the rear of the object; layers need no choice of directions and are rejected.
    DepthSides sides = DepthSides::both_sides;
    int pixels = 192;
    std::size_t spread = 24; // candidates spread evenly over the sphere, in addition to the axes and the principal axes
    std::vector<Vec3> candidates{}; // additional candidates, any length
    std::size_t max_directions = 4; // largest number of chosen directions
    double min_gain = 0.002;        // fraction of the surface that one more direction must add
    double compliant = 0.99;        // fraction of the surface that must be seen
};

struct DirectionSight {
    Vec3 direction = Vec3::UnitZ(); // unit, in the frame of the mesh
    double seen = 0;                // fraction of the surface
    double filled = 0;              // volume of the object with its concavities filled (m^3)
    // filled minus the volume of the mesh, at least 0 (m^3); absent if the mesh is not closed.
    std::optional<double> concavity{};
};

struct DirectionReport {
    std::vector<DirectionSight> candidates; // in the order tried
    std::vector<DirectionSight> chosen;     // best first
    std::vector<double> seen_by_chosen;     // fraction of the surface that the first, the first two, ... see
    double seen = 0;                        // fraction of the surface that all chosen directions see
    double filled = 0;                      // volume that all chosen directions fill (m^3)
    std::optional<double> concavity{};      // remaining concavity of it (m^3)
    double resolution = 0;                  // largest pixel side (m); the accuracy of this report

    double area = 0;                // area of the surface (m^2)
    double unseen_area = 0;         // m^2
    Box unseen_bounds{};            // bounds of the unseen surface; empty if all is seen
    std::vector<Index> hidden;      // unseen triangles: less than half is seen by the chosen directions; ascending
    std::vector<float> seen_shares; // seen fraction of each triangle

    bool closed = false; // watertight and oriented outward; otherwise only the surface counts, not the interior
    bool compliant_to_one = false; // the best direction alone sees enough
    bool compliant = false;        // the chosen directions see enough

    [[nodiscard]] std::vector<Projection> projections() const; // for DepthObject
    DepthSides sides = DepthSides::both_sides;
};

// Throws Error: empty without triangles or area, invalid_argument, and as check(mesh) does.
[[nodiscard]] DirectionReport choose_directions(DepthBackend& backend, const TriangleMesh& mesh,
                                                const DirectionOptions& options = {});

} // namespace fathom
