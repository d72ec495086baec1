// Triangles, lines or points made ready to be drawn again and again, by any backend: floats about their
// own middle. Triangles and lines are sorted in space into clusters of 128 (cpu_clusters.h); a draw visits those that
// meet the box of the view: some microseconds for 70,000 triangles of which none is seen. Points keep their order,
// being moved about too much. Immutable but for move(), which deforms it; otherwise thread-safe. O(n log n) to make,
// O(n) to move.
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

// A mesh cut into small pieces for drawing: each lies together in space, has its corners beside one
// another in memory, and is passed over at once where a view cannot see it. Method: halved at the median along the
// longest axis down to 128 primitives; a box a piece and one a run of 32 pieces. O(n log n) to make, O(n) to refit; a
// visit O(n / 4096 + pieces of the runs that the view meets). About 26 bytes a triangle of a closed mesh.

// Primitives `begin` to `end` - 1 in the order of drawing.
struct DrawnRange {
    Index begin = 0, end = 0;

    friend bool operator==(const DrawnRange&, const DrawnRange&) = default;
};

struct DrawnBox {
    Vec3f middle = Vec3f::Zero(), half = Vec3f::Zero(); // m, relative to the mesh's origin
};

struct DrawnCluster {
    static constexpr std::size_t most = 128; // primitives

    DrawnRange primitives;
    Index first_corner = 0;
    Index corner_count = 0; // with the last one repeated up to a whole number of eights
};

// Pixels and depths that a piece may reach; none where first > last.
struct DrawnReach {
    int first_row = 0, last_row = -1;
    int first_column = 0, last_column = -1;
    float nearest = 0, farthest = 0;
};

class DrawnClusters {
public:
    using CornerOf = CallableRef<Index(std::size_t primitive, std::size_t k)>;

    DrawnClusters() = default;
    // Primitives of one to three corners. Those that are not sorted stay in the order given, and pieces are runs of it.
    DrawnClusters(std::span<const Vec3f> positions, std::size_t count, std::size_t corners_each, bool sorted,
                  CornerOf corner);

    void refit(std::span<const Vec3f> positions);

    // visitor(cluster, reach) for all that the view may see, with a pixel to spare, in the order of drawing.
    void visit(const DepthView& view, const ClipMatrix& matrix,
               CallableRef<void(Index, const DrawnReach&)> visitor) const;

    [[nodiscard]] std::span<const DrawnCluster> clusters() const { return clusters_; }
    [[nodiscard]] std::span<const Index> numbers() const { return numbers_; } // as given, by order of drawing
    // Corner k of each primitive in the order of drawing, counted within its piece; eight more than there are
    // primitives.
    [[nodiscard]] std::span<const std::uint16_t> corners(std::size_t k) const { return corners_[k]; }
    [[nodiscard]] std::span<const float> places(std::size_t axis) const {
        return places_[axis];
    } // of the pieces' corners (m)

private:
    void sort(std::span<const Vec3f> middles, Index* begin, Index* end);
    void gather(std::size_t corners_each, CornerOf corner);

    std::vector<DrawnCluster> clusters_;
    std::vector<DrawnBox> boxes_, runs_; // of the pieces, and of 32 of them each
    std::vector<Index> numbers_;
    std::vector<Index> vertices_; // by corner of the pieces
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

    // New places for the same vertices. Throws Error: count_mismatch, non_finite.
    void move(std::span<const Vec3> vertices);

    [[nodiscard]] Primitives kind() const { return kind_; }
    [[nodiscard]] std::size_t size() const { return clusters_.numbers().size(); } // primitives
    [[nodiscard]] const Vec3& origin() const { return origin_; } // of positions(), in the mesh's frame (m)
    [[nodiscard]] std::span<const Vec3f> positions() const { return positions_; } // relative to it (m)
    // As given: DepthId::primitive counts in these, or in the points.
    [[nodiscard]] std::span<const Triangle> triangles() const { return triangles_; }
    [[nodiscard]] std::span<const Line> edges() const { return lines_; }
    [[nodiscard]] const Box& bounds() const { return bounds_; } // m, in the mesh's frame
    [[nodiscard]] std::uint64_t version() const {
        return version_;
    } // another after each move(), and in each mesh: for copies on a device

    // The order of drawing: number as given of the first, the second, ... The same before and after a move().
    [[nodiscard]] std::span<const Index> numbers() const { return clusters_.numbers(); }
    // What a view may see of this mesh at `pose`, as ranges of that order, ascending and apart; `ranges` is
    // overwritten.
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
    Index id = 0; // told in DepthId::body; not no_index
};

} // namespace fathom
