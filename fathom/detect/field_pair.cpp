// Room: detect. The pose of one field seen from another.
#include <fathom/detect/field_pair.h>

namespace fathom {

FieldPair::FieldPair(const Field& p, const Field& q, const Pose& q_seen_from_p) : p_(&p), q_(&q) {
    const Pose back = q_seen_from_p.inverse();
    turn_ = back.rotation.toRotationMatrix();
    move_ = back.translation;
}

} // namespace fathom
