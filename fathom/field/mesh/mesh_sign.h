// Sign of the distance to a mesh: classification of the mesh, choice of a method (or a forced one), and inside tests
// for points.
#pragma once

#include <fathom/base/progress.h>
#include <fathom/base/vec.h>
#include <fathom/geometry/mesh/triangle_mesh.h>

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace fathom {

class SurfaceTree;
class WindingNumber;
enum class TriangleFeature : std::uint8_t;
struct ClosestPoint;

enum class SignMethod {
    automatic,     // chosen by the properties of the mesh
    pseudo_normal, // closed, consistently wound, not self-intersecting (Baerentzen & Aanaes 2005): exact
    parity,        // closed, winding unknown: ray crossings, exact
    winding,       // wound but open, or self-intersecting: winding number above 1/2 (Jacobson et al. 2013)
    wrap,          // soups: points that the outside cannot reach past an offset surface are inside (Xu & Barbic 2014)
    thickness      // no interior: the surface becomes a sheet of a given thickness
};
[[nodiscard]] std::string_view name(SignMethod method);            // "pseudo_normal"; "auto" for automatic
[[nodiscard]] SignMethod sign_method_named(std::string_view name); // throws Error{invalid_argument}

struct SignChoice {
    SignMethod method = SignMethod::pseudo_normal;
    bool flipped = false; // the mesh is wound inside out, so the sign is inverted
    // The sign changes only across the surface. False for open surfaces, where a path around the surface changes it.
    bool sealed = true;
    double confidence = 1; // 1: certain for the given mesh; lower: fraction of trial points with a clear result
    std::string reason{};  // one sentence
};

// `mesh` is welded and `tree` is its tree. Cost: a mesh report, including self-intersections if the mesh is closed.
[[nodiscard]] SignChoice choose_sign(const TriangleMesh& mesh, const SurfaceTree& tree,
                                     SignMethod wanted = SignMethod::automatic, Progress* progress = nullptr);

// Inside test for points. The mesh must be welded (equal positions merged); mesh and tree must outlive this object.
// Immutable, thread-safe.
class InsideTest {
public:
    // Throws Error{invalid_argument} for `wrap`, which cannot classify single points.
    InsideTest(const TriangleMesh& mesh, const SurfaceTree& tree, const SignChoice& choice);
    ~InsideTest();

    // `nearest` is a triangle closest to p. Points on the surface may be classified either way.
    [[nodiscard]] bool operator()(const Vec3& p, Index nearest) const;
    // The same if the closest point is known too.
    [[nodiscard]] bool operator()(const Vec3& p, const ClosestPoint& nearest) const;
    [[nodiscard]] std::size_t memory_bytes() const; // without the mesh and the tree

private:
    [[nodiscard]] bool by_pseudo_normal(const Vec3& p, Index nearest, const Vec3& point, TriangleFeature at) const;

    const TriangleMesh& mesh_;
    const SurfaceTree& tree_;
    SignChoice choice_;
    // For pseudo_normal. Float suffices: where the sign of a normal is not certain, ray crossings decide.
    std::vector<Vec3f> vertex_normals_;
    std::vector<std::array<Index, 3>> neighbours_; // per triangle: the other triangle at each side
    std::unique_ptr<WindingNumber> winding_;
};

} // namespace fathom
