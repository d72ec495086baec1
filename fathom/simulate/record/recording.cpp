// Keeps frames, and fewer of them when there are too many.
#include <fathom/simulate/record/recording.h>

#include <fathom/base/error.h>

#include <algorithm>

namespace fathom {

Recording::Recording(const RecordingOptions& options) : options_(options), every_(options.every) {
    if (options.every < 1) throw Error(Cause::invalid_argument, "must be at least 1", {.element = "option every"});
    if (options.most_frames < 2)
        throw Error(Cause::invalid_argument, "must be at least 2", {.element = "option most_frames"});
}

void Recording::thin_out() {
    every_ *= 2;
    std::erase_if(frames_, [&](const RecordedFrame& frame) { return frame.step % every_ != 0; });
}

RecordedFrame* Recording::add(const RecordedStep& step) {
    highest_energy_ = begun_ ? std::max(highest_energy_, step.energy.total()) : step.energy.total();
    worst_penetration_ = std::max(worst_penetration_, step.deepest);
    detect_seconds_ += step.detect_seconds;
    respond_seconds_ += step.respond_seconds;
    begun_ = true;
    if (step.step % every_ != 0) return nullptr;
    if (frames_.size() >= options_.most_frames) thin_out();
    if (step.step % every_ != 0) return nullptr;
    return &frames_.emplace_back(RecordedFrame{step, {}, {}});
}

} // namespace fathom
