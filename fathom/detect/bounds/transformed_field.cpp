// Fields in other frames: conservative boxes, shortened tapes, spheres free of two bodies.
#include <fathom/detect/bounds/transformed_field.h>

#include <fathom/base/rounding.h>
#include <fathom/field/analytic/analytic_field.h>

#include <array>
#include <cmath>

namespace fathom {

namespace {

constexpr std::size_t short_tape = 24; // instructions: shorter tapes are not shortened
constexpr double worth_keeping = 0.75; // share of the instructions: above it the longer tape is used
// Of an entry of a rotation matrix: 5 roundings, and 16 for the length of a normalized quaternion (base/rounding.h).
constexpr double entry_rounding = rounding_error(32);
constexpr double largest_offset = 1e3; // in sizes of the bodies: beyond it rounding exceeds the gap

} // namespace

Box rotated_bounds(const Box& box, const Pose& pose) {
    if (box.empty()) return box;
    const Mat3 rotation = pose.rotation.toRotationMatrix();
    Box result;
    for (int row = 0; row < 3; ++row) {
        Interval sum = pose.translation[row];
        for (int k = 0; k < 3; ++k) {
            // The entries of the matrix are rounded.
            const double entry = rotation(row, k), error = std::abs(entry) == 1 || entry == 0 ? 0.0 : entry_rounding;
            sum = sum + Interval(entry - error, entry + error) * Interval(box.lower[k], box.upper[k]);
        }
        result.lower[row] = sum.lower;
        result.upper[row] = sum.upper;
    }
    // An entry that is exactly 0 or 1 may still be rounded. Infinite boxes must not be enlarged for it.
    const double reach = box.lower.norm() + box.upper.norm();
    return std::isfinite(reach) && !rotation.isIdentity(0) ? result.grown(position_rounding(reach)) : result;
}

TransformedField::TransformedField(const Field& field, const Pose& pose, double level, double slack)
    : field_(&field), rotation_(pose.rotation.toRotationMatrix().transpose()), move_(-(rotation_ * pose.translation)),
      is_moved_(!rotation_.isIdentity(0) || !pose.translation.isZero(0)),
      range_helps_(!field.traits().range_is_by_value), slack_(is_moved_ ? slack : 0.0), radius_(field, level),
      slope_(std::isfinite(field.error_bound()) || !std::isfinite(field.lipschitz()) ? 1.0 : field.lipschitz()) {
    // A fast path: expressions shortened to a box are evaluated through their tape.
    if (const auto* formula = dynamic_cast<const AnalyticField*>(&field)) tape_ = TapePtr(TapePtr(), &formula->tape());
}

Box TransformedField::to_field(const Box& box) const {
    if (!is_moved_) return box;
    return Box::around(to_field(box.center()), rotation_.cwiseAbs() * box.half() + Vec3::Constant(slack_));
}

TapePtr TransformedField::shortened(const TapePtr& tape, const Box& box) const {
    if (!tape || tape->size() < short_tape) return tape;
    auto part = std::make_shared<Tape>();
    tape->shorten(to_field(box).grown(4 * slack_), *part); // transformed boxes within it may be larger by rounding
    return static_cast<double>(part->size()) <= worth_keeping * static_cast<double>(tape->size()) ? part : tape;
}

void TransformedField::distances(const TapePtr& tape, std::span<const Vec3> points, std::span<double> out) const {
    if (tape)
        tape->distances(points, out);
    else
        field_->distances(points, out);
}

Sample TransformedField::sample(const TapePtr& tape, const Vec3& point) const {
    Sample result;
    if (tape)
        tape->samples({&point, 1}, {&result, 1});
    else
        result = field_->sample(point);
    return result;
}

void TransformedField::ranges(const TapePtr& tape, std::span<const Box> boxes, std::span<Interval> out) const {
    if (tape)
        tape->ranges(boxes, out);
    else
        field_->ranges(boxes, out);
}

double covered_radius(const Vec3& center, const Vec3& center_a, double radius_a, const Vec3& center_b,
                      double radius_b) {
    if (!(radius_a > 0 && radius_b > 0)) return -1;
    const Vec3 axis = center_b - center_a;
    const double squared = axis.squaredNorm();
    const double share = squared > 0 ? std::clamp((center - center_a).dot(axis) / squared, 0.0, 1.0) : 0.0;
    const double a = (1 - share) * radius_a * radius_a, b = share * radius_b * radius_b,
                 apart = share * (1 - share) * squared;
    // `apart` has the longest chain, eight roundings; the sums add two.
    const double power = a + b - apart - rounding_error(16) * (a + b + apart);
    if (!(power > 0)) return -1;
    return std::sqrt(power) - (center - (center_a + share * axis)).norm();
}

double sphere_offset(double cell_radius, double gap, double size) {
    const double offset = std::max(2 * cell_radius, 4 * cell_radius * cell_radius / gap);
    return offset <= largest_offset * size ? offset : 0.0;
}

// ---- FieldPair

FieldPair::FieldPair(const Field& p, const Field& q, const Pose& q_seen_from_p) : p_(&p), q_(&q) {
    const Pose back = q_seen_from_p.inverse();
    rotation_ = back.rotation.toRotationMatrix();
    move_ = back.translation;
}

void FieldPair::samples(int role, std::span<const Vec3> points, std::span<Sample> out) const {
    if (role == 0) return p_->samples(points, out);
    std::array<Vec3, 16> in_q;
    for (std::size_t k = 0; k < points.size(); ++k) in_q[k] = to_q(points[k]);
    q_->samples(std::span(in_q).first(points.size()), out);
    for (Sample& s : out) s.gradient = from_q(s.gradient);
}

} // namespace fathom
