// What a mesh is made of and what is wrong with it.
// Topology is judged after vertices at exactly equal positions are merged; elements are named by their indices in the
// mesh as given. A triangle that names a (merged) vertex twice has no edges, belongs to no part, and is no duplicate.
// O(n log k) for k triangles round a vertex, without self-intersections; parallel; the same result for any number of
// threads.
#pragma once

#include <fathom/base/progress.h>
#include <fathom/geometry/mesh/adjacency.h>
#include <fathom/geometry/mesh/triangle_mesh.h>

#include <array>
#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

namespace fathom {

// Pairs of triangles of one mesh that meet beyond the corners or the edge that they share.
// Every triangle visits the BVH of all with its box, and triangles_cross() judges exactly. O(n log n + overlapping
// boxes): far more than all else in a report. Parallel; the same result for any number of threads.

struct SelfIntersectionOptions {
    std::size_t max_pairs = std::numeric_limits<std::size_t>::max(); // kept; all are counted
    Progress* progress = nullptr;
};

struct SelfIntersections {
    std::size_t count = 0;
    std::vector<std::array<Index, 2>> pairs; // the first ones, lower triangle first, sorted
};

// Vertices at exactly equal positions count as shared. Throws Error{non_finite}, and Error{cancelled} when told to
// stop.
[[nodiscard]] SelfIntersections self_intersections(const TriangleMesh& mesh,
                                                   const SelfIntersectionOptions& options = {});

// Is there any such pair? Stops at the first. `tree` is over the boxes of the mesh's triangles, with or without keeping
// them.
class Bvh;
[[nodiscard]] bool crosses_itself(const TriangleMesh& mesh, const Bvh& tree, Progress* progress = nullptr);

// How many elements have a defect, and the first few of them in increasing order.
template <class Id>
struct Finding {
    std::size_t count = 0;
    std::vector<Id> first{};
};

struct ReportOptions {
    bool self_intersections = false; // costs far more than the rest
    std::size_t first_count = 8;     // elements named of each defect
    Progress* progress = nullptr;    // of the search for self-intersections
};

struct MeshReport {
    std::size_t vertices = 0;
    std::size_t positions = 0; // different ones
    std::size_t triangles = 0; // of a tetrahedral mesh: on its boundary
    std::size_t tetrahedra = 0;
    Box bounds{}; // of the finite vertices that elements use; of all finite ones where there are no elements

    bool watertight = false; // has triangles, and no open, non-manifold or clashing edge
    Finding<Edge> open_edges{};
    Finding<Edge> nonmanifold_edges{}; // more than two triangles
    Finding<Edge> clashing_edges{};    // two triangles wound against each other
    Finding<Index>
        nonmanifold_vertices{};        // their triangles do not hang together across edges; lowest vertex at a position
    Finding<Index> degenerate_faces{}; // no area
    Finding<Index> duplicate_faces{};  // the same three vertices as an earlier triangle, in any order
    Finding<Index> unreferenced_vertices{};
    Finding<Index>
        non_finite_vertices{}; // NaN or infinite: what needs numbers (volume, inside-out, ...) is not told then
    std::optional<Finding<std::array<Index, 2>>> self_intersections{}; // pairs of triangles; absent when not asked for

    std::size_t components = 0;
    Finding<Index> inside_out_parts{};  // one triangle of each
    std::optional<std::size_t> genus{}; // sum over the parts; of watertight surfaces

    Finding<Index> inverted_tetrahedra{}; // negative volume
    Finding<Index> flat_tetrahedra{};     // no volume

    double area = 0;                // m^2
    std::optional<double> volume{}; // m^3, signed; absent where edges are not balanced, as it then has no meaning
    Vec3 center = Vec3::Zero();     // m; of the volume, or of the area where there is no volume

    // Closed, with an inside, every part of it facing outward: told what is in it by the sides of its triangles.
    [[nodiscard]] bool faces_outward() const {
        return watertight && volume.value_or(0) > 0 && inside_out_parts.count == 0;
    }
    // Nothing found that a collision query could trip over; unreferenced vertices do no harm.
    [[nodiscard]] bool clean() const;
};

// Throws Error{index_out_of_range} where an element names a vertex that does not exist.
[[nodiscard]] MeshReport mesh_report(const TriangleMesh& mesh, const ReportOptions& options = {});

// Everything about the surface is told of the boundary, with the vertex numbers of the mesh and triangles as boundary()
// has them.
[[nodiscard]] MeshReport mesh_report(const TetMesh& mesh, const ReportOptions& options = {});

} // namespace fathom
