// Sweeps as documents.
#include <fathom/show/viewer_sweep.h>

#include <fmt/format.h>

#include <algorithm>

namespace fathom {

namespace {

class SweepFrames final : public ViewerFrames {
public:
    SweepFrames(const SweptView& view, std::vector<double> times)
        : a_(view.motion_a), b_(view.motion_b), times_(std::move(times)), first_time_(view.first_time),
          first_(view.first) {}

    [[nodiscard]] std::size_t count() const override { return times_.size(); }
    [[nodiscard]] double time(std::size_t frame) const override { return times_[frame]; }
    [[nodiscard]] ViewerFrame frame(std::size_t frame) const override {
        ViewerFrame result{.poses = {a_.pose(times_[frame]), b_.pose(times_[frame])}};
        if (first_time_ && times_[frame] == *first_time_) result.contacts.push_back(first_);
        return result;
    }

private:
    Mover a_, b_;
    std::vector<double> times_;
    std::optional<double> first_time_;
    ViewerContact first_;
};

std::vector<double> times_of(const SweptView& view) {
    std::vector<double> times;
    const std::size_t count = std::max<std::size_t>(view.frames, 2);
    for (std::size_t k = 0; k < count; ++k) times.push_back(static_cast<double>(k) / static_cast<double>(count - 1));
    if (view.first_time) times.insert(std::lower_bound(times.begin(), times.end(), *view.first_time), *view.first_time);
    times.erase(std::unique(times.begin(), times.end()), times.end());
    return times;
}

Box posed_bounds(const ViewerBody& body, const Pose& pose) {
    Box box;
    for (const Vec3f& v : body.vertices) box.extend(pose * v.cast<double>());
    return box;
}

std::string in_words(const SweptView& view) {
    if (!view.first_time) return "they do not touch";
    return fmt::format("first contact at time {:.6g} of [0, 1], {} piece{} of time in contact", *view.first_time,
                       view.intervals.size(), view.intervals.size() == 1 ? "" : "s");
}

} // namespace

ViewerDocument sweep_document(const std::string& name, SweptView view) {
    constexpr int path_points = 256;
    if (view.first_time) view.first_time = std::clamp(*view.first_time, 0.0, 1.0);
    ViewerDocument document{.title = name, .subtitle = in_words(view), .kind = ViewerKind::sweep};
    const Mover a(view.motion_a), b(view.motion_b);
    for (int k = 0; k <= 8; ++k) {
        document.bounds.extend(posed_bounds(view.a, a.pose(k / 8.0)));
        document.bounds.extend(posed_bounds(view.b, b.pose(k / 8.0)));
    }
    const auto way = [&](const Mover& mover) {
        return (mover.pose(1) * view.followed - mover.pose(0) * view.followed).norm() + mover.screw().angle;
    };
    const Mover& followed = way(a) >= way(b) ? a : b;
    PathLayer path{.points = {}, .times = {}, .intervals = view.intervals};
    for (int k = 0; k <= path_points; ++k) {
        path.times.push_back(static_cast<double>(k) / path_points);
        path.points.push_back(followed.pose(path.times.back()) * view.followed);
    }
    document.layers.push_back({.name = "path",
                               .content = std::move(path),
                               .visible = true,
                               .info = {{"pieces of time in contact", static_cast<double>(view.intervals.size())}}});
    document.frames = std::make_shared<SweepFrames>(view, times_of(view));
    view.a.pose = view.motion_a.start;
    view.b.pose = view.motion_b.start;
    document.bodies = {std::move(view.a), std::move(view.b)};
    return document;
}

} // namespace fathom
