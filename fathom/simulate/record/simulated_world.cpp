// Adds the present state of a world to a recording.
#include <fathom/simulate/record/simulated_world.h>

#include <fathom/simulate/record/recording.h>

namespace fathom {

void SimulatedWorld::record(Recording& recording) const {
    RecordedFrame* frame = recording.add(recorded_step());
    if (!frame) return;
    fill(*frame, recording.options().contacts);
    if (frame->bodies.size() != recording.bodies().size()) recording.set_bodies(recorded_bodies());
}

} // namespace fathom
