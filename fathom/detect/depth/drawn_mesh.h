// Triangles, lines or points made ready to be drawn again and again, by any backend: floats about their
// own middle. Triangles and lines are sorted in space into clusters of 128 (cpu_clusters.h); a draw visits those that
// meet the box of the view: some microseconds for 70,000 triangles of which none is seen. Points keep their order,
// being moved about too much. Immutable but for move(), which deforms it; otherwise thread-safe. O(n log n) to make,
// O(n) to move.
#pragma once

#include <fathom/base/pose.h>
#include <fathom/detect/depth/cpu_clusters.h>
#include <fathom/geometry/mesh/triangle_mesh.h>

#include <memory>

namespace fathom {

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
