// A recorded simulation of any kind as a document: rigid, deforming and breaking bodies, clouds, contacts,
// and curves of energies, contacts, penetration and computing time.
#pragma once

#include <fathom/show/viewer_document.h>
#include <fathom/simulate/record/recording.h>

namespace fathom {

// The recording must outlive the document: frames are read from it when they are asked for. A body that is a formula
// (the ground) is meshed as far as the others reach. Numbers that are not finite, as in a run that blew up, are drawn
// at 0, and the subtitle tells how many frames hold some.
[[nodiscard]] ViewerDocument recording_document(const std::string& name, const Recording& recording);

} // namespace fathom
