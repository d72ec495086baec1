// Contacts of tetrahedra with a field (analytic, grid or neural; at rest or of a posed rigid body): the vertices inside
// with their depth, and the tetrahedra that intersect the interior, including those without a vertex inside.
// Method: all vertices are evaluated in one batch. A tetrahedron without a vertex inside is ruled out by the field's
// Lipschitz bound over its bounding sphere, then by the range of the field over its box. In the others the field is
// minimized over the tetrahedron by steps towards its corners (Frank & Wolfe 1956, as Macklin et al. 2020 do for
// triangles). The minimum found is attained, and so is not deeper than the true depth. A tetrahedron that is not found
// inside is subdivided until the Lipschitz bound rules out every part; if some part stays open, it is reported as
// undecided. Cost: one evaluation per vertex, one range for tetrahedra near the surface, about 20 evaluations for those
// that intersect it. Thread-safe.
#pragma once

#include <fathom/base/pose.h>
#include <fathom/detect/result/result.h>
#include <fathom/detect/tet/tet_body.h>
#include <fathom/field/field.h>

namespace fathom::tet {

struct VertexInField {
    Index vertex;
    double depth;              // > 0: level minus the value of the field at the vertex (m); as accurate as the field
    Vec3 separating_direction; // unit gradient of the field in the world frame: the separating direction; zero where
                               // the field has none

    friend bool operator==(const VertexInField&, const VertexInField&) = default;
};

struct TetInField {
    Index tetrahedron;
    Status status; // overlapping: one of its points is at or below the level; undecided: not ruled out
    std::array<double, 4> barycentric; // of the deepest point found: none below 0, sum 1
    double depth;                      // there (m); <= 0 where undecided
    double depth_bound;                // upper bound on the depth of all of its points (m)

    friend bool operator==(const TetInField&, const TetInField&) = default;
};

struct TetFieldContacts {
    std::vector<VertexInField> vertices; // ascending
    std::vector<TetInField> tetrahedra;  // ascending
};

struct TetFieldContactOptions {
    double level = 0; // inside is where the field is at most this (m)
    // Evaluations to rule out a tetrahedron that was not found inside; 0: it stays undecided.
    std::size_t max_evaluations = 64;
};

// `pose` places the field in the world. Throws Error as bounds(body) does, and Error{invalid_argument} for a level or
// pose that is not finite. The same bytes for any number of threads.
[[nodiscard]] TetFieldContacts tet_field_contacts(const TetBody& body, const Field& field, const Pose& pose = {},
                                                  const TetFieldContactOptions& options = {});

} // namespace fathom::tet
