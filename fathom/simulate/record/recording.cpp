// Storage of frames with a bounded number of them, and the extent of a recording.
#include <fathom/simulate/record/recording.h>

#include <fathom/base/error.h>
#include <fathom/field/grid/contour.h>

#include <algorithm>

namespace fathom {

Recording::Recording(const RecordingOptions& options) : options_(options), every_(options.every) {
    if (options.every < 1) throw Error(Cause::invalid_argument, "must be at least 1", {.element = "option every"});
    if (options.max_frames < 2)
        throw Error(Cause::invalid_argument, "must be at least 2", {.element = "option max_frames"});
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
    if (frames_.size() >= options_.max_frames) thin_out();
    if (step.step % every_ != 0) return nullptr;
    return &frames_.emplace_back(RecordedFrame{step, {}, {}});
}

// ---- Extent of a recording.

namespace {

Box cloud_box(std::span<const Vec3f> points) {
    Vec3 sum = Vec3::Zero(), squares = Vec3::Zero();
    double count = 0;
    for (const Vec3f& p : points)
        if (p.allFinite()) {
            sum += p.cast<double>();
            squares += p.cast<double>().cwiseAbs2();
            ++count;
        }
    if (count == 0) return {};
    const Vec3 middle = sum / count;
    return Box::around(middle, 3 * (squares / count - middle.cwiseAbs2()).cwiseMax(0).cwiseSqrt());
}

Box box_in(const RecordedFrame& frame, std::span<const RecordedBody> bodies, std::span<const Box> meshes) {
    Box box;
    const auto extend = [&](const Vec3& p) {
        if (is_finite(p)) box.extend(p);
    };
    for (std::size_t b = 0; b < frame.bodies.size(); ++b) {
        const BodyFrame& body = frame.bodies[b];
        if (bodies[b].cloud)
            box.extend(cloud_box(body.vertices));
        else if (!body.vertices.empty())
            for (const Vec3f& v : body.vertices) extend(v.cast<double>());
        else if (!meshes[b].empty())
            for (int corner = 0; corner < 8; ++corner) extend(body.pose * meshes[b].corner(corner));
    }
    return box;
}

} // namespace

Box stage_of(const Recording& recording) {
    constexpr std::size_t max_frames = 200; // bodies rarely leave the bounds in between
    std::vector<Box> meshes;
    for (const RecordedBody& body : recording.bodies()) meshes.push_back(bounds(body.mesh->vertices));
    Box box;
    const auto frames = recording.frames();
    for (std::size_t k = 0; k < frames.size(); k += 1 + frames.size() / max_frames)
        box.extend(box_in(frames[k], recording.bodies(), meshes));
    return box.empty() ? Box::around(Vec3::Zero(), Vec3::Ones()) : box;
}

TriangleMesh mesh_on_stage(const Recording& recording, std::size_t body, const Box& stage) {
    const RecordedBody& recorded = recording.bodies()[body];
    if (!recorded.field || !recorded.mesh->vertices.empty()) return *recorded.mesh;
    const Pose pose = recording.frames().empty() ? Pose{} : recording.frames()[0].bodies[body].pose;
    Box local;
    for (int corner = 0; corner < 8; ++corner) local.extend(pose.to_local(stage.corner(corner)));
    return contour(*recorded.field, local.grown(0.1 * std::max(local.diagonal(), 1e-6)), 32);
}

bool all_finite(const RecordedFrame& frame) {
    return std::all_of(frame.bodies.begin(), frame.bodies.end(), [](const BodyFrame& body) {
        return is_finite(body.pose) &&
               std::all_of(body.vertices.begin(), body.vertices.end(), [](const Vec3f& v) { return v.allFinite(); });
    });
}

// ---- Adds the present state of a world to a recording.

void SimulatedWorld::record(Recording& recording) const {
    RecordedFrame* frame = recording.add(recorded_step());
    if (!frame) return;
    fill(*frame, recording.options().contacts);
    if (frame->bodies.size() != recording.bodies().size()) recording.set_bodies(recorded_bodies());
}

} // namespace fathom
