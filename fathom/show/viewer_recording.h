// Viewer documents of recorded simulations and of sweep queries.
#pragma once

#include <fathom/base/motion.h>
#include <fathom/show/viewer_document.h>
#include <fathom/simulate/record/recording.h>

namespace fathom {

// Document of a recording of any kind: rigid, deforming and breaking bodies, clouds, contacts, and curves of energies,
// contacts, penetration depth and computing time. The recording must outlive the document, since frames are read from
// it on request. An analytic body (the ground) is meshed within the extent of the other bodies. Values that are not
// finite, as in a diverged run, are drawn at 0, and the subtitle states the number of frames that contain any.
[[nodiscard]] ViewerDocument recording_document(const std::string& name, const Recording& recording);

// Two moving bodies and the result of their sweep query.
struct SweptView {
    ViewerBody a, b;
    // Shown as screw motions, since points on straight lines do not define rigid poses in between.
    Motion motion_a{}, motion_b{};
    std::vector<ContactInterval> intervals{}; // contact intervals, times in [0,1]
    std::optional<double> first_time{};       // time of impact; unset: no contact
    BodyContact first{};                      // first contact; its bodies are 0 (A) and 1 (B)
    Vec3 followed = Vec3::Zero(); // point whose path is drawn (m, in the frame of the body that moves farther)
    std::size_t frames = 121;     // at least 2; one more is added at the time of impact
};

// Both bodies move over time, the path of one point is drawn with its contact intervals coloured, and the first contact
// is marked in the frame at the time of impact.
[[nodiscard]] ViewerDocument sweep_document(const std::string& name, SweptView view);

} // namespace fathom
