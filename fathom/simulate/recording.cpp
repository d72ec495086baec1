// Room: simulate. Keeps frames, and fewer of them when there are too many.
#include <fathom/simulate/recording.h>

#include <fathom/base/error.h>

#include <algorithm>

namespace fathom {

Recording::Recording(const RecordingOptions& options) : options_(options), every_(options.every) {
    if (options.every < 1) throw Error(Cause::invalid_argument, "must be at least 1", {.element = "option every"});
    if (options.most_frames < 2) throw Error(Cause::invalid_argument, "must be at least 2", {.element = "option most_frames"});
}

void Recording::thin_out() {
    every_ *= 2;
    std::erase_if(frames_, [&](const RecordedFrame& frame) { return frame.step % every_ != 0; });
}

void Recording::add(const RigidWorld& world) {
    const Energy energy = world.energy();
    const StepReport& report = world.report();
    highest_energy_ = steps_ == 0 ? energy.total() : std::max(highest_energy_, energy.total());
    worst_penetration_ = std::max(worst_penetration_, report.deepest_now);
    detect_seconds_ += report.detect_seconds;
    respond_seconds_ += report.respond_seconds;
    ++steps_;
    if (world.steps() % every_ != 0) return;
    if (frames_.size() >= options_.most_frames) thin_out();
    if (world.steps() % every_ != 0) return;
    RecordedFrame frame{world.steps(), world.time(), {}, energy, report.deepest_now, report.contacts, {}};
    for (Index k = 0; k < world.bodies().size(); ++k) {
        const BodyState& state = world.states()[k];
        frame.bodies.push_back({world.pose(k), state.velocity, state.spin, state.asleep});
    }
    if (options_.contacts) frame.contacts.assign(world.contacts().begin(), world.contacts().end());
    frames_.push_back(std::move(frame));
}

} // namespace fathom
