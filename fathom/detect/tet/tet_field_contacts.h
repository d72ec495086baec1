// Tetrahedra against a field (formula, grid, network; at rest or a posed rigid body): which vertices are
// inside and how deep, and which tetrahedra reach in, also where none of their vertices does? Method: all vertices in
// one batch; a tetrahedron none of whose vertices is in is cleared by the field's Lipschitz bound over its ball, then
// by its range over the box; for the rest the field is made small over the tetrahedron by steps towards its corners
// (Frank & Wolfe 1956, as Macklin et al. 2020 do for triangles). What that finds is attained, and so no more than the
// true depth. One that is not found inside is cut until the slope clears every part of it; what is open then is given
// too, as undecided. Cost: one look-up a vertex, one range for tetrahedra near the surface, about 20 look-ups for those
// in it. Thread-safe.
#pragma once

#include <fathom/base/pose.h>
#include <fathom/detect/result/result.h>
#include <fathom/detect/tet/tet_body.h>
#include <fathom/field/field.h>

namespace fathom {

struct VertexInField {
    Index vertex;
    double depth; // > 0: how far below the level the field is at the vertex (m); exact as far as the field is
    Vec3 normal;  // gradient of the field in the world, unit: the way out; zero where the field has none

    friend bool operator==(const VertexInField&, const VertexInField&) = default;
};

struct TetInField {
    Index tetrahedron;
    Verdict verdict;                   // overlapping: a point of it is at or below the level; undecided: not ruled out
    std::array<double, 4> barycentric; // of the deepest point found: none below 0, sum 1
    double depth;                      // there (m); <= 0 where undecided
    double depth_bound;                // no point of it is deeper (m)

    friend bool operator==(const TetInField&, const TetInField&) = default;
};

struct TetFieldContacts {
    std::vector<VertexInField> vertices; // ascending
    std::vector<TetInField> tetrahedra;  // ascending
};

struct TetFieldContactOptions {
    double level = 0; // inside is where the field is at most this (m)
    std::size_t max_evaluations =
        64; // look-ups to clear a tetrahedron that was not found inside; 0: it stays undecided
};

// `pose` places the field in the world. Throws Error as bounds(body) does, and invalid_argument for a level or pose
// that is not finite. The same bytes for any number of threads.
[[nodiscard]] TetFieldContacts tet_field_contacts(const TetBody& body, const Field& field, const Pose& pose = {},
                                                  const TetFieldContactOptions& options = {});

} // namespace fathom
