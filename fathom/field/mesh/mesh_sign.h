// Which side of a mesh is inside? The mesh is classified, a method chosen (or forced), and points are
// judged.
#pragma once

#include <fathom/base/progress.h>
#include <fathom/geometry/inspect/mesh_report.h>
#include <fathom/geometry/surface_tree/surface_tree.h>
#include <fathom/geometry/surface_tree/winding_number.h>

#include <memory>
#include <string>

namespace fathom {

enum class SignMethod {
    automatic,     // by what the mesh is
    pseudo_normal, // closed, consistently wound, not crossing itself (Baerentzen & Aanaes 2005): exact
    parity,        // closed, winding unknown: crossings of a ray, exact
    winding,       // wound but open, or crossing itself: winding number past 1/2 (Jacobson et al. 2013)
    wrap,          // soups: what the outside cannot reach past an offset surface is inside (Xu & Barbic 2014)
    thickness      // no inside at all: the surface becomes a sheet of a given thickness
};
[[nodiscard]] std::string_view name(SignMethod method);            // "pseudo_normal"; "auto" for automatic
[[nodiscard]] SignMethod sign_method_named(std::string_view name); // throws Error{invalid_argument}

struct SignChoice {
    SignMethod method = SignMethod::pseudo_normal;
    bool flipped = false;  // the mesh is wound inside-out; the sign is turned
    bool sealed = true;    // the sign changes only across the surface; false for open surfaces, which have a way round
    double confidence = 1; // 1: certain for the mesh as it is; lower: share of trial points with a clear answer
    std::string reason{};  // one sentence
};

// `mesh` is welded and `tree` its own. Costs a report of the mesh, with self-intersections where it is closed.
[[nodiscard]] SignChoice choose_sign(const TriangleMesh& mesh, const SurfaceTree& tree,
                                     SignMethod wanted = SignMethod::automatic, Progress* progress = nullptr);

// Judges points. The mesh must be welded (equal positions merged), and outlive this with its tree. Immutable,
// thread-safe.
class InsideTest {
public:
    // Error{invalid_argument} for `wrap`, which no single point can be judged by.
    InsideTest(const TriangleMesh& mesh, const SurfaceTree& tree, const SignChoice& choice);
    ~InsideTest();

    // `nearest` is a triangle nearest to p. Points on the surface may be judged either way.
    [[nodiscard]] bool operator()(const Vec3& p, Index nearest) const;
    [[nodiscard]] bool operator()(const Vec3& p,
                                  const ClosestPoint& nearest) const; // the same, where the point is known too

private:
    [[nodiscard]] bool by_pseudo_normal(const Vec3& p, Index nearest, const Vec3& point, TriangleFeature at) const;

    const TriangleMesh& mesh_;
    const SurfaceTree& tree_;
    SignChoice choice_;
    std::vector<Vec3> face_normals_, vertex_normals_, edge_normals_;
    std::vector<std::array<Index, 3>> edge_of_;
    std::unique_ptr<WindingNumber> winding_;
};

} // namespace fathom
