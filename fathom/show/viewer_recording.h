// A recorded simulation of any kind as a document: rigid, deforming and breaking bodies, clouds, contacts,
// and curves of energies, contacts, penetration and computing time.
#pragma once

#include <fathom/base/motion.h>
#include <fathom/show/viewer_document.h>
#include <fathom/simulate/record/recording.h>

namespace fathom {

// The recording must outlive the document: frames are read from it when they are asked for. A body that is a formula
// (the ground) is meshed as far as the others reach. Numbers that are not finite, as in a run that blew up, are drawn
// at 0, and the subtitle tells how many frames hold some.
[[nodiscard]] ViewerDocument recording_document(const std::string& name, const Recording& recording);

// Two bodies on their way as a document: both move over time, the path of one is drawn and the pieces of it
// in contact coloured, and the first contact is marked when it comes.

struct SweptView {
    ViewerBody a, b;
    Motion motion_a{}, motion_b{};            // shown as screws: points on straight lines make no rigid pose in between
    std::vector<ContactInterval> intervals{}; // in which they touch, times in [0,1]
    std::optional<double> first_time{};       // of contact, and where: `first`
    ViewerContact first{};                    // its bodies are 0 (A) and 1 (B)
    Vec3 followed = Vec3::Zero(); // point of the body that moves farther whose path is drawn (m, its own frame)
    std::size_t frames = 121;     // at least 2; one more where contact begins
};

[[nodiscard]] ViewerDocument sweep_document(const std::string& name, SweptView view);

} // namespace fathom
