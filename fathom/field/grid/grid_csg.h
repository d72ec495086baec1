// Union, intersection and difference of fields, and of grids into new grids; offsets of grids.
// min and max of distances keep the sign and never overstate the magnitude, so collision stays conservative. They are
// not distances everywhere: a union is exact outside, an intersection or difference inside. Elsewhere, and in regions
// that an offset fills or uncovers, the true distance may be larger; error_bound() is then infinite.
#pragma once

#include <fathom/base/progress.h>
#include <fathom/field/grid/grid_field.h>

namespace fathom {

enum class Combination {
    unite,     // in a or in b: min(a, b)
    intersect, // in a and in b: max(a, b)
    subtract   // in a but not in b: max(a, -b)
};

// Combination of two fields. At ties the gradient is that of the first.
class CombinedField final : public Field {
public:
    CombinedField(FieldPtr a, FieldPtr b, Combination combination);

    [[nodiscard]] double distance(const Vec3& p) const override;
    [[nodiscard]] Sample sample(const Vec3& p) const override;
    void distances(std::span<const Vec3> points, std::span<double> out) const override;
    [[nodiscard]] Interval range(const Box& box) const override;
    [[nodiscard]] double lipschitz() const override;
    // Infinite, except for a union of fields whose bounds are disjoint: then the larger of their errors.
    [[nodiscard]] double error_bound() const override { return error_; }
    [[nodiscard]] Box domain() const override { return intersection(a_->domain(), b_->domain()); }
    [[nodiscard]] Box bounds() const override;

    // |distance(p)| <= |true distance| + this, everywhere; and the sign is correct if |distance(p)| is larger than
    // this.
    [[nodiscard]] double overstatement_bound() const { return std::max(a_->error_bound(), b_->error_bound()); }

private:
    [[nodiscard]] bool second_wins(double a, double b) const;

    FieldPtr a_, b_;
    Combination combination_;
    double error_;
};

struct GridCsgOptions {
    double cell = 0; // cell size of the result (m); 0: the finer of the two
    double band = 3; // bricks that the surface may approach to within this distance are stored (cells)
    GridStorage storage = GridStorage::code16;
    std::size_t memory_limit = std::size_t{8} << 30; // bytes
    Progress* progress = nullptr;
};

// The grid covers both domains (unite), their intersection (intersect; a's domain if it is empty), or a's domain
// (subtract). Grids of equal layout are combined sample by sample. In the band of the result, near_error_bound() is the
// band plus the grids' own errors and the interpolation error, since inside a union (outside an intersection) the
// distance may be as small as 0 where the true distance is as large as the band. Cost and errors as bake().
[[nodiscard]] GridField combine(const GridField& a, const GridField& b, Combination combination,
                                const GridCsgOptions& options = {});

// The grid minus `distance` (m): a positive distance grows the shape, a negative one shrinks it; stored bricks move to
// the new surface. Its samples are those of the old grid, so beyond the old band they have its far error; bake the mesh
// or expression again where that matters. Throws Error{invalid_argument} if the new surface would leave the domain,
// otherwise as bake().
[[nodiscard]] GridField offset(const GridField& grid, double distance, const GridCsgOptions& options = {});

} // namespace fathom
