// Triangles, lines or points prepared for repeated drawing by any backend: float positions relative to their own
// centre. Triangles and lines are sorted spatially into clusters of 128; a draw visits only those that overlap the box
// of the view: some microseconds for 70,000 triangles if none is visible. Points keep their order, because they move
// too much. Immutable except for move(), which deforms it; otherwise thread-safe. O(n log n) to build, O(n) to move.
#pragma once

#include <fathom/base/callable_ref.h>
#include <fathom/base/pose.h>
#include <fathom/detect/depth/depth_map.h>
#include <fathom/geometry/mesh/triangle_mesh.h>

#include <array>
#include <memory>
#include <span>
#include <vector>

namespace fathom {

// ---- Clusters: a mesh divided into small, spatially compact pieces for drawing. The corners of a cluster are
// contiguous in memory, and a cluster is skipped as a whole if it is outside the view. Method: recursive median split
// along the longest axis down to 128 primitives; one box per cluster and one per run of 32 clusters. O(n log n) to
// build, O(n) to refit; a visit costs O(n / 4096 + clusters of the runs that overlap the view). About 26 bytes per
// triangle of a closed mesh.

// Primitives `begin` to `end` - 1 in drawing order.
struct DrawnRange {
    Index begin = 0, end = 0;

    friend bool operator==(const DrawnRange&, const DrawnRange&) = default;
};

struct DrawnBox {
    Vec3f middle = Vec3f::Zero(), half = Vec3f::Zero(); // m, relative to the mesh's origin
};

struct DrawnCluster {
    static constexpr std::size_t max_primitives = 128;

    DrawnRange primitives;
    Index first_corner = 0;
    Index corner_count = 0; // padded to a multiple of eight by repeating the last corner
};

// Pixels and depths that a cluster may cover; empty if first > last.
struct DrawnReach {
    int first_row = 0, last_row = -1;
    int first_column = 0, last_column = -1;
    float nearest = 0, farthest = 0;
};

class DrawnClusters {
public:
    using CornerOf = CallableRef<Index(std::size_t primitive, std::size_t k)>;

    DrawnClusters() = default;
    // Primitives of one to three corners. If not `sorted`, they keep the given order, and clusters are runs of it.
    DrawnClusters(std::span<const Vec3f> positions, std::size_t count, std::size_t corners_each, bool sorted,
                  CornerOf corner);

    void refit(std::span<const Vec3f> positions);

    // Calls visitor(cluster, reach) for all clusters that may be visible, with a margin of one pixel, in drawing order.
    void visit(const DepthView& view, const ClipMatrix& matrix,
               CallableRef<void(Index, const DrawnReach&)> visitor) const;

    [[nodiscard]] std::span<const DrawnCluster> clusters() const { return clusters_; }
    [[nodiscard]] std::span<const Index> numbers() const { return numbers_; } // given numbers, in drawing order
    // Corner k of each primitive in drawing order, counted within its cluster; padded with eight more entries.
    [[nodiscard]] std::span<const std::uint16_t> corners(std::size_t k) const { return corners_[k]; }
    // Corner positions of the clusters (m).
    [[nodiscard]] std::span<const float> places(std::size_t axis) const { return places_[axis]; }

private:
    void sort(std::span<const Vec3f> middles, Index* begin, Index* end);
    void gather(std::size_t corners_each, CornerOf corner);

    std::vector<DrawnCluster> clusters_;
    std::vector<DrawnBox> boxes_, runs_; // of the clusters, and of each run of 32
    std::vector<Index> numbers_;
    std::vector<Index> vertices_; // by corner of the clusters
    std::array<std::vector<std::uint16_t>, 3> corners_;
    std::array<std::vector<float>, 3> places_;
};

enum class Primitives { triangles, lines, points };

using Line = std::array<Index, 2>; // vertex indices

class DrawnMesh {
public:
    // Throws Error as check(mesh) does.
    explicit DrawnMesh(const TriangleMesh& mesh);
    // Throw Error: non_finite, index_out_of_range, too_large.
    [[nodiscard]] static DrawnMesh lines(std::span<const Vec3> vertices, std::span<const Line> lines);
    [[nodiscard]] static DrawnMesh points(std::span<const Vec3> points);

    // New positions of the same vertices. Throws Error: count_mismatch, non_finite.
    void move(std::span<const Vec3> vertices);

    [[nodiscard]] Primitives kind() const { return kind_; }
    [[nodiscard]] std::size_t size() const { return clusters_.numbers().size(); } // number of primitives
    [[nodiscard]] const Vec3& origin() const { return origin_; } // origin of positions(), in the mesh's frame (m)
    [[nodiscard]] std::span<const Vec3f> positions() const { return positions_; } // relative to origin() (m)
    // As given; DepthId::primitive is an index into these, or into the points.
    [[nodiscard]] std::span<const Triangle> triangles() const { return triangles_; }
    [[nodiscard]] std::span<const Line> edges() const { return lines_; }
    [[nodiscard]] const Box& bounds() const { return bounds_; } // m, in the mesh's frame
    // Unique: changes with each move() and differs between meshes; identifies copies on a device.
    [[nodiscard]] std::uint64_t version() const { return version_; }

    // The drawing order: the given number of the first primitive, of the second, ... It does not change with move().
    [[nodiscard]] std::span<const Index> numbers() const { return clusters_.numbers(); }
    // The part of this mesh at `pose` that may be visible in a view, as ranges in drawing order, ascending and
    // disjoint; `ranges` is overwritten.
    void visible(const DepthView& view, const Pose& pose, std::vector<DrawnRange>& ranges) const;
    [[nodiscard]] const DrawnClusters& clusters() const { return clusters_; }

private:
    DrawnMesh(Primitives kind, std::span<const Vec3> vertices, std::span<const Line> lines);
    void place(std::span<const Vec3> vertices);
    void sort();

    Primitives kind_ = Primitives::triangles;
    Vec3 origin_ = Vec3::Zero();
    std::vector<Vec3f> positions_;
    std::vector<Triangle> triangles_;
    std::vector<Line> lines_;
    DrawnClusters clusters_;
    Box bounds_;
    std::uint64_t version_ = 0;
};

struct DrawnBody {
    std::shared_ptr<const DrawnMesh> mesh;
    Pose pose{};  // in the world
    Index id = 0; // reported in DepthId::body; not no_index
};

} // namespace fathom
