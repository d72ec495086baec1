// Sign of the distance to a mesh: classification of the mesh, choice of a method (or a forced one), and inside tests
// for points.
#pragma once

#include <fathom/base/progress.h>
#include <fathom/base/vec.h>
#include <fathom/geometry/inspect/mesh_report.h>
#include <fathom/geometry/surface_tree/surface_tree.h>
#include <fathom/geometry/surface_tree/winding_number.h>

#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace fathom {

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

private:
    [[nodiscard]] bool by_pseudo_normal(const Vec3& p, Index nearest, const Vec3& point, TriangleFeature at) const;

    const TriangleMesh& mesh_;
    const SurfaceTree& tree_;
    SignChoice choice_;
    std::vector<Vec3> face_normals_, vertex_normals_, edge_normals_;
    std::vector<std::array<Index, 3>> edge_of_;
    std::unique_ptr<WindingNumber> winding_;
};

// ---- Conversion of unsigned distances on a lattice into signed ones.

// Groups lattice samples on the same side of the surface, so that the side is computed once per group. Samples whose
// clearance spheres overlap are on the same side: if d(a) + d(b) > |a - b|, no surface lies between them.

class SignRegions {
public:
    // Takes unsigned distances with an error of at most `error`, on a lattice of the given size (x fastest) and spacing
    // (m). Cost: O(n). The object can be reused.
    void find(std::span<const double> distances, double error, const std::array<int, 3>& size, double spacing);

    // A region is identified by one of its samples: the farthest from the surface, the first of equals.
    [[nodiscard]] Index region_of(std::size_t sample) const { return speaker_[sample]; }

private:
    [[nodiscard]] Index root(Index sample);
    void join_neighbours(std::span<const double> distances, const std::array<int, 3>& size, double clear);
    void join_rows(std::span<const double> distances, std::size_t below, std::size_t above, std::size_t length,
                   double clear);

    std::vector<Index> parent_;
    std::vector<Index> speaker_;
};

// Samples x fastest, at first + spacing * (i, j, k).
struct SampleLattice {
    Vec3 first = Vec3::Zero();
    double spacing = 1; // m
    std::array<int, 3> size = {0, 0, 0};

    [[nodiscard]] Vec3 position(std::size_t n) const {
        const auto nx = static_cast<std::size_t>(size[0]), ny = static_cast<std::size_t>(size[1]);
        return first + spacing * Vec3(static_cast<double>(n % nx), static_cast<double>(n / nx % ny),
                                      static_cast<double>(n / nx / ny));
    }
};

// Negates the distances of inside samples. If the surface is sealed, each region is classified once, at its sample
// farthest from the surface. If it is open, the regions of the lattice are classified at a few samples each, and sample
// by sample where these disagree. One object per thread.
class LatticeSigns {
public:
    LatticeSigns(const InsideTest& inside, bool sealed, double error)
        : inside_(inside), sealed_(sealed), error_(error) {}

    void apply(const SampleLattice& lattice, std::span<const Index> nearest, std::span<double> distances);

private:
    void judge_regions(const SampleLattice& lattice, std::span<const Index> nearest);
    void judge_open_regions(const SampleLattice& lattice, std::span<const Index> nearest);

    const InsideTest& inside_;
    bool sealed_;
    double error_; // error of the distances (m)
    SignRegions regions_;
    std::vector<char> side_;     // per sample: 1 if inside
    std::vector<char> doubtful_; // indexed by the representative sample of a region
};

} // namespace fathom
