// Sparse grid of signed distances with trilinear interpolation (Xu & Barbic 2014, section 3).
// The min/max octree of the paper is an implicit pyramid over bricks: trilinear values never leave the range of their
// corners, so the pyramid proves range() for the interpolated field.
// Not for sharp features finer than a cell, or for a few queries only (use mesh_field.h).
#pragma once

#include <fathom/field/field.h>
#include <fathom/field/grid/grid_data.h>

#include <array>

namespace fathom {

// Trilinear interpolation; `values` at the corners as in GridCell, `f` in [0,1]^3.
[[nodiscard]] inline double trilinear(const std::array<double, 8>& values, const Vec3& f) {
    const auto lerp = [](double a, double b, double t) { return a + t * (b - a); };
    const double y0 = lerp(lerp(values[0], values[1], f.x()), lerp(values[2], values[3], f.x()), f.y());
    const double y1 = lerp(lerp(values[4], values[5], f.x()), lerp(values[6], values[7], f.x()), f.y());
    return lerp(y0, y1, f.z());
}

// Field in one cell, a trilinear function. In far regions a "cell" is a whole brick.
struct GridCell {
    std::array<double, 8> values; // at the corners; bit 0 of the index selects upper x, bit 1 upper y, bit 2 upper z
    Box box;                      // m

    // `f` in [0,1]^3, from the lower to the upper corner.
    [[nodiscard]] double value(const Vec3& f) const { return trilinear(values, f); }
    [[nodiscard]] Vec3 slope(const Vec3& f) const; // gradient per cell side, not per metre
};

class GridField final : public Field {
public:
    explicit GridField(GridData data);

    [[nodiscard]] double distance(const Vec3& p) const override;
    [[nodiscard]] Sample sample(const Vec3& p) const override;
    void distances(std::span<const Vec3> points, std::span<double> out) const override;
    void samples(std::span<const Vec3> points, std::span<Sample> out) const override;
    [[nodiscard]] Interval range(const Box& box) const override;
    [[nodiscard]] double lipschitz() const override;
    [[nodiscard]] double error_bound() const override { return std::max(data_.near_error, data_.far_error); }
    [[nodiscard]] double near_error_bound() const override { return data_.near_error; } // where |distance| <= band
    [[nodiscard]] Box domain() const override { return domain_; }
    [[nodiscard]] Box bounds() const override { return bounds_; }

    [[nodiscard]] FieldTraits traits() const override;
    [[nodiscard]] double resolution() const override { return data_.layout.cell; }
    [[nodiscard]] ValueBounds value_bounds(double level) const override;
    [[nodiscard]] Index feature_at(const Vec3& p) const override; // index of the brick
    [[nodiscard]] std::shared_ptr<const FieldSlopes> slopes() const override;
    [[nodiscard]] FieldOctree octree() const override; // down to blocks of four cells a side
    void octree_ranges(std::span<const Box> boxes, std::span<Interval> out) const override;
    [[nodiscard]] const GridData* grid_data() const override { return &data_; }

    [[nodiscard]] const GridLayout& layout() const { return data_.layout; }
    [[nodiscard]] const GridData& data() const { return data_; }
    [[nodiscard]] std::size_t bytes() const { return data_.bytes(); }

    // Cell that contains a point of the domain (on the upper border: the last cell).
    [[nodiscard]] GridCell cell_at(const Vec3& p) const;
    // Value of a sample, counted in cells from the origin; interpolated if its brick is not stored.
    [[nodiscard]] double sample_value(const std::array<int, 3>& s) const;

private:
    struct Spot; // cell and local coordinates of a point

    [[nodiscard]] Spot locate(const Vec3& p) const;
    [[nodiscard]] std::array<double, 8> corner_values(const Spot& spot) const;
    [[nodiscard]] double value_at(const Spot& spot) const;
    // `nearest` is the point of the domain nearest to p.
    [[nodiscard]] Sample sample_at(const Spot& spot, const Vec3& p, const Vec3& nearest) const;
    void prefetch(const Spot& spot) const;
    template <class Answer>
    void in_groups(std::span<const Vec3> points, const Answer& answer) const;

    GridData data_;
    Box domain_;
    Box bounds_;
    double per_cell_; // 1 / cell
};

} // namespace fathom
