// The pose of one field seen from another.
#include <fathom/detect/bounds/field_pair.h>

#include <array>

namespace fathom {

FieldPair::FieldPair(const Field& p, const Field& q, const Pose& q_seen_from_p) : p_(&p), q_(&q) {
    const Pose back = q_seen_from_p.inverse();
    turn_ = back.rotation.toRotationMatrix();
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
