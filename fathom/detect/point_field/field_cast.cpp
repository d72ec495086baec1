// Segments as paths.
#include <fathom/detect/point_field/field_cast.h>
#include <fathom/detect/point_field/path_subdivision.h>

namespace fathom {

namespace {

class SegmentPath {
public:
    explicit SegmentPath(const Segment& segment)
        : segment_(segment), length_(segment.length()),
          error_(4e-16 * (segment.start.cwiseAbs().maxCoeff() + segment.end.cwiseAbs().maxCoeff())) {}

    [[nodiscard]] PathPart over(double start, double end) const {
        return {segment_.at(0.5 * (start + end)), length_,
                0.5 * (end - start) * (segment_.end - segment_.start).cwiseAbs()};
    }
    [[nodiscard]] Vec3 at(double t) const { return segment_.at(t); }
    [[nodiscard]] double error() const { return error_; }
    [[nodiscard]] double longest_range() const { return HUGE_VAL; } // a segment along a face may be decided as a whole

private:
    const Segment& segment_;
    double length_;
    double error_;
};

bool is_usable(const Segment& segment) {
    return is_finite(segment.start) && is_finite(segment.end) && std::isfinite(segment.length());
}

} // namespace

CastHit cast_first(const Field& field, const FreeRadius& radius, const Segment& segment, const CastOptions& options) {
    if (!is_usable(segment)) return {Verdict::undecided, 0, 1};
    const SegmentPath path(segment);
    PathCutter cutter(field, radius, path, options);
    return first_on_path(cutter);
}

Verdict cast_all(const Field& field, const FreeRadius& radius, const Segment& segment, const CastOptions& options,
                 std::vector<ContactInterval>& out) {
    if (!is_usable(segment)) {
        out.push_back({0, 1, false});
        return Verdict::undecided;
    }
    const SegmentPath path(segment);
    PathCutter cutter(field, radius, path, options);
    return all_on_path(cutter, options.tolerance, out);
}

} // namespace fathom
