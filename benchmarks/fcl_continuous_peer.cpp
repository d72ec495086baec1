// FCL's continuous tests behind one file: its headers are heavy.
#include <benchmarks/fcl_continuous_peer.h>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wdeprecated-copy"
#include <fcl/narrowphase/detail/traversal/collision/intersect.h>
#pragma GCC diagnostic pop

namespace fathom::bench {

using Fcl = fcl::detail::Intersect<double>;

FclImpact fcl_time_of_impact(const VertexFaceStep& step) {
    const auto& from = step.face_start;
    const auto& to = step.face_end;
    FclImpact found;
    Vec3 point;
    found.hit = Fcl::intersect_VF_filtered(from[0], from[1], from[2], step.vertex_start, to[0], to[1], to[2],
                                           step.vertex_end, &found.time, &point);
    return found;
}

FclImpact fcl_time_of_impact(const EdgeEdgeStep& step) {
    FclImpact found;
    Vec3 point;
    found.hit = Fcl::intersect_EE_filtered(step.a_start.start, step.a_start.end, step.b_start.start, step.b_start.end,
                                           step.a_end.start, step.a_end.end, step.b_end.start, step.b_end.end,
                                           &found.time, &point);
    return found;
}

} // namespace fathom::bench
