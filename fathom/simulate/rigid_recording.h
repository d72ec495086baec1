// Room: simulate. A world of rigid bodies, as a recording keeps it.
#pragma once

#include <fathom/simulate/recording.h>
#include <fathom/simulate/rigid_world.h>

namespace fathom {

// To be called after each step, and once before the first.
void record(const RigidWorld& world, Recording& recording);

} // namespace fathom
