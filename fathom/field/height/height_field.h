// Height field: the solid below (or above) a height map over a rectangle, clipped by a box. For terrain and depth maps.
// The value is the difference of heights, not the distance: at slope s it is up to sqrt(1 + s^2) times too large, which
// lipschitz() accounts for. So sign and range are meaningful, and value / lipschitz() is a lower bound on the distance.
// Near the sides of the box the distance to them is smaller and is used instead. Bilinear interpolation between
// samples. range() uses a min/max pyramid (hierarchical z): it always encloses and is exact over a few cells. Cost:
// O(1) per value and per range; 15 bytes per sample. Immutable, thread-safe.
#pragma once

#include <fathom/field/field.h>

#include <limits>
#include <utility>
#include <vector>

namespace fathom {

enum class SolidSide { below, above }; // side of the heights along z

struct HeightSamples {
    int columns = 0;               // along x, at least 2
    int rows = 0;                  // along y, at least 2
    std::vector<float> heights{};  // row by row: z (m); clipped to [floor, ceiling]
    Vec2 origin = Vec2::Zero();    // position of the first sample (m)
    Vec2 spacing = Vec2::Ones();   // distance between samples (m)
    double floor = 0, ceiling = 1; // z range of the box (m)
    SolidSide solid = SolidSide::below;
};

class HeightField final : public Field {
public:
    // Throws Error{invalid_argument, count_mismatch, non_finite}, which names the faulty input.
    explicit HeightField(HeightSamples samples);

    [[nodiscard]] double distance(const Vec3& p) const override;
    [[nodiscard]] Sample sample(const Vec3& p) const override;
    [[nodiscard]] Interval range(const Box& box) const override;
    bool plane_ranges(std::span<const Box> boxes, std::span<Interval> out, std::span<PlaneOver> planes,
                      const Vec3& facing) const override;
    [[nodiscard]] double lipschitz() const override { return lipschitz_; }
    [[nodiscard]] double error_bound() const override { return std::numeric_limits<double>::infinity(); }
    [[nodiscard]] Box domain() const override { return domain_; }
    [[nodiscard]] Box bounds() const override { return domain_; }
    [[nodiscard]] FieldTraits traits() const override { return {.kind = FieldKind::height}; }

    [[nodiscard]] double height(double x, double y) const; // m; outside the rectangle, the height at its border
    // Encloses height() over a rectangle.
    [[nodiscard]] Interval heights(const Vec2& lower, const Vec2& upper) const;
    using Field::samples; // at many points
    [[nodiscard]] const HeightSamples& samples() const { return samples_; }
    [[nodiscard]] std::size_t memory_bytes() const;

private:
    struct Cell; // cell and local coordinates of a point
    struct Range {
        float lower, upper;
    };
    struct Level {
        int columns, rows;
        std::vector<Range> ranges;
    };
    [[nodiscard]] Cell cell_at(double x, double y) const;
    [[nodiscard]] double corner(int column, int row) const;
    [[nodiscard]] double value_in(const Cell& cell) const;
    [[nodiscard]] Interval over_cells(const Cell& first, const Cell& last, const Vec2& tilt = Vec2::Zero()) const;
    [[nodiscard]] Interval over_blocks(const Cell& first, const Cell& last) const;
    [[nodiscard]] std::pair<Vec2, Vec2> slopes_over(const Cell& first, const Cell& last) const; // least and largest
    void build();

    HeightSamples samples_;
    std::vector<Level> levels_; // ranges of single cells, of 2 x 2 cells, of 4 x 4, ...
    Box domain_;
    double lipschitz_ = 1;
};

} // namespace fathom
