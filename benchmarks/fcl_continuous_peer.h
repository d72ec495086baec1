// The peer of moving features: FCL's primitive tests of a vertex and a face, of two edges (roots of the coplanarity
// cubic in double, with its filter in front). No bound on rounding, no separation.
#pragma once

#include <fathom/geometry/primitive/continuous_contact.h>

namespace fathom::bench {

struct FclImpact {
    bool hit = false;
    double time = 1;
};
[[nodiscard]] FclImpact fcl_time_of_impact(const VertexFaceStep& step);
[[nodiscard]] FclImpact fcl_time_of_impact(const EdgeEdgeStep& step);

} // namespace fathom::bench
