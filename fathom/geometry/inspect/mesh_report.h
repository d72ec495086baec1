// Report on a mesh: sizes, topology, measures and defects.
// Topology is evaluated after merging vertices at exactly equal positions; elements are named by their indices in the
// input mesh. A triangle that uses a (merged) vertex twice has no edges, belongs to no component, and is not a
// duplicate. O(n log k) for k triangles around a vertex, without self-intersections; parallel; the same result for any
// number of threads.
#pragma once

#include <fathom/base/progress.h>
#include <fathom/geometry/mesh/tet_mesh.h>
#include <fathom/geometry/mesh/triangle_mesh.h>

#include <array>
#include <cstddef>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

namespace fathom {

// Self-intersections: pairs of triangles of one mesh that intersect beyond the corners or the edge that they share.
// Method: the box of every triangle is tested against a BVH of all triangles, and triangles_cross() decides exactly.
// O(n log n + overlapping boxes): far more than the rest of a report. Parallel; the same result for any number of
// threads.
struct SelfIntersectionOptions {
    // Number of pairs that are stored; all are counted.
    std::size_t max_pairs = std::numeric_limits<std::size_t>::max();
    Progress* progress = nullptr;
};

struct SelfIntersections {
    std::size_t count = 0;
    std::vector<std::array<Index, 2>> pairs; // the first pairs, lower triangle first, sorted
};

// Vertices at exactly equal positions count as shared. Throws Error{non_finite}, and Error{cancelled} if cancelled by
// `progress`.
[[nodiscard]] SelfIntersections self_intersections(const TriangleMesh& mesh,
                                                   const SelfIntersectionOptions& options = {});

// Whether there is such a pair. Stops at the first. `tree` contains the boxes of the mesh's triangles; it may be built
// with or without keep_boxes.
class Bvh;
[[nodiscard]] bool crosses_itself(const TriangleMesh& mesh, const Bvh& tree, Progress* progress = nullptr);

// Number of elements with a defect, and the first few of them in increasing order.
template <class Id>
struct Finding {
    std::size_t count = 0;
    std::vector<Id> first{};
};

struct ReportOptions {
    bool self_intersections = false; // costs far more than the rest
    std::size_t first_count = 8;     // number of elements listed per defect
    Progress* progress = nullptr;    // for the search for self-intersections
};

// How the interior of a triangle mesh was determined; seal.h states the rules.
enum class MeshInterior {
    closed, // watertight and oriented outward as given: the inside is certain
    sealed, // the same after repairs within rounding: the inside is certain
    capped, // small holes were closed by flat caps: the inside is a guess
    sheet   // no inside
};
inline constexpr std::array all_mesh_interiors = {MeshInterior::closed, MeshInterior::sealed, MeshInterior::capped,
                                                  MeshInterior::sheet};
[[nodiscard]] std::string_view name(MeshInterior interior); // for example "sealed"

struct MeshReport {
    std::size_t vertices = 0;
    std::size_t positions = 0; // number of distinct positions
    std::size_t triangles = 0; // for a tetrahedral mesh: of its boundary
    std::size_t tetrahedra = 0;
    // Of the finite vertices that elements use; of all finite vertices if there are no elements.
    Box bounds{};

    // The mesh has triangles, and no open, non-manifold or clashing edges.
    bool watertight = false;
    Finding<Edge> open_edges{};
    Finding<Edge> nonmanifold_edges{}; // more than two triangles
    Finding<Edge> clashing_edges{};    // two triangles of opposite winding
    // Vertices whose triangles are not connected across edges; the lowest vertex at a position.
    Finding<Index> nonmanifold_vertices{};
    Finding<Index> degenerate_faces{}; // zero area
    Finding<Index> duplicate_faces{};  // the same three vertices as an earlier triangle, in any order
    Finding<Index> unreferenced_vertices{};
    // NaN or infinite. If there are any, results that need all coordinates (volume, inside-out parts, ...) are absent.
    Finding<Index> non_finite_vertices{};
    // Pairs of triangles; absent if not requested.
    std::optional<Finding<std::array<Index, 2>>> self_intersections{};

    std::size_t components = 0;
    Finding<Index> inside_out_parts{};  // one triangle of each
    std::optional<std::size_t> genus{}; // sum over the components; only for watertight surfaces

    Finding<Index> inverted_tetrahedra{}; // negative volume
    Finding<Index> flat_tetrahedra{};     // zero volume

    double area = 0;                // m^2
    std::optional<double> volume{}; // m^3, signed; absent if edges are not balanced, because it is then undefined
    Vec3 center = Vec3::Zero();     // m; centroid of the volume, or of the area if there is no volume

    // Closed, with positive volume, every component facing outward: the sides of its triangles separate inside from
    // outside.
    [[nodiscard]] bool faces_outward() const {
        return watertight && volume.value_or(0) > 0 && inside_out_parts.count == 0;
    }
    // No defect that affects a collision query; unreferenced vertices are harmless.
    [[nodiscard]] bool clean() const;
};

// Throws Error{index_out_of_range} if an element uses a vertex that does not exist.
[[nodiscard]] MeshReport mesh_report(const TriangleMesh& mesh, const ReportOptions& options = {});

// The values of the surface refer to the boundary, with the vertex indices of the mesh and the triangles as boundary()
// returns them.
[[nodiscard]] MeshReport mesh_report(const TetMesh& mesh, const ReportOptions& options = {});

} // namespace fathom
