// A mesh cut into small pieces for drawing: each lies together in space, has its corners beside one
// another in memory, and is passed over at once where a view cannot see it. Method: halved at the median along the
// longest axis down to 128 primitives; a box a piece and one a run of 32 pieces. O(n log n) to make, O(n) to refit; a
// visit O(n / 4096 + pieces of the runs that the view meets). About 26 bytes a triangle of a closed mesh.
#pragma once

#include <fathom/base/callable_ref.h>
#include <fathom/detect/depth/depth_view.h>

#include <array>
#include <span>
#include <vector>

namespace fathom {

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

} // namespace fathom
