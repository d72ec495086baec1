// Union, intersection and difference of fields, and of grids into new grids; grids grown or shrunk.
// min and max of distances keep the sign and never overstate the magnitude (so collision stays conservative), but are
// no distances everywhere: a union is exact outside, an intersection or difference inside; elsewhere, and in what an
// offset fills or uncovers, the true distance may be larger. error_bound() is infinite there, and says so.
#pragma once

#include <fathom/base/progress.h>
#include <fathom/field/grid/grid_field.h>

namespace fathom {

enum class Combination {
    unite,     // in a or in b:     min(a, b)
    intersect, // in a and in b:    max(a, b)
    subtract   // in a but not in b: max(a, -b)
};

// Two fields as one. Gradients at ties are those of the first.
class CombinedField final : public Field {
public:
    CombinedField(FieldPtr a, FieldPtr b, Combination combination);

    [[nodiscard]] double distance(const Vec3& p) const override;
    [[nodiscard]] Sample sample(const Vec3& p) const override;
    void distances(std::span<const Vec3> points, std::span<double> out) const override;
    [[nodiscard]] Interval range(const Box& box) const override;
    [[nodiscard]] double lipschitz() const override;
    // Infinite, but for a union of fields whose bounds do not meet: there the larger of their errors.
    [[nodiscard]] double error_bound() const override { return error_; }
    [[nodiscard]] Box domain() const override { return intersection(a_->domain(), b_->domain()); }
    [[nodiscard]] Box bounds() const override;

    // |distance(p)| <= |true distance| + this, everywhere; and the sign is right where |distance(p)| is more than this.
    [[nodiscard]] double overstatement_bound() const { return std::max(a_->error_bound(), b_->error_bound()); }

private:
    [[nodiscard]] bool second_wins(double a, double b) const;

    FieldPtr a_, b_;
    Combination combination_;
    double error_;
};

struct GridCsgOptions {
    double cell = 0; // of the result (m); 0: the finer of the two
    double band = 3; // store bricks that the surface may come this near to (cells)
    GridStorage storage = GridStorage::code16;
    std::size_t memory_limit = std::size_t{8} << 30; // bytes
    Progress* progress = nullptr;
};

// A grid over both domains (unite), over what they share (intersect; a's where they share nothing), or over a's
// (subtract). Grids of equal layout are combined sample by sample. In the band of the result, near_error_bound() is the
// band plus the grids' own errors and that of interpolation, since inside a union (outside an intersection) the
// distance may be as small as 0 where the truth is as large as the band. Cost and errors as bake().
[[nodiscard]] GridField combine(const GridField& a, const GridField& b, Combination combination,
                                const GridCsgOptions& options = {});

// The grid minus `distance` (m): grown by a positive one, shrunk by a negative one, with the stored bricks moved to the
// new surface. Its samples are the old grid's, so past the old band they carry its far error: bake a mesh or formula
// anew where that matters. Throws Error{invalid_argument} where the new surface would leave the domain, else as bake().
[[nodiscard]] GridField offset(const GridField& grid, double distance, const GridCsgOptions& options = {});

} // namespace fathom
