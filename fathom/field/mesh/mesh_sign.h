// Which side of a mesh is inside? The mesh is classified, a method chosen (or forced), and points are
// judged.
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

// Turns unsigned distances on a lattice into signed ones.

// Samples of a lattice whose balls of free space overlap lie on the same side of the surface: if
// d(a) + d(b) > |a - b|, no surface lies between them. Groups such samples, so that the side is asked once a group.

class SignRegions {
public:
    // Unsigned distances, each off by no more than `error`, on a lattice of the given size (x fastest) and spacing (m).
    // O(n). Reusable.
    void find(std::span<const double> distances, double error, const std::array<int, 3>& size, double spacing);

    // The region of each sample is named by one of its samples: the one farthest from the surface, the first such.
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

// Inside samples get a minus. Where the surface is sealed, each region of free space is judged once, at its sample
// farthest from the surface. Where it is open, the regions of the lattice are judged at a few samples each, and sample
// by sample where these do not agree. One object a thread.
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
    double error_; // of the distances (m)
    SignRegions regions_;
    std::vector<char> side_;     // by sample: inside?
    std::vector<char> doubtful_; // by speaker of a region
};

} // namespace fathom
