// Bodies in the plane z = 0, of triangles that face +z: discs, rectangles (make_cloth), cuts through
// them, and both as a simulation of membrane leaves them, deformed and cut apart (after Marchal et al. 2004, figure 8).
// As in generate.h: arguments are checked, metres, the same bytes everywhere.
#pragma once

#include <fathom/base/primitives.h>
#include <fathom/geometry/generate/generate.h>

#include <span>

namespace fathom {

struct DiscOptions {
    double radius = 1;
    std::size_t nodes = 486; // from 7, met exactly: rings of about equal edges round the centre
};
[[nodiscard]] TriangleMesh make_disc(const DiscOptions& options = {});

// Separates triangles where the way from centroid to centroid crosses a blade (seen along z). Vertices that the cut
// goes through are doubled, one for each group of triangles that still hang together round it; the lips stay where they
// are. O(n blades).
[[nodiscard]] TriangleMesh cut_open(const TriangleMesh& mesh, std::span<const Segment> blades);

// Exactly as many nodes as asked for, after the cuts; at least 100, and Error{invalid_argument} where no mesh has that
// many. Not convex, in three parts, one of them slit; about 2 m wide.
[[nodiscard]] TriangleMesh make_torn_disc(std::size_t nodes = 486);
[[nodiscard]] TriangleMesh make_torn_rectangle(std::size_t nodes = 1000);

} // namespace fathom
