// Viewer documents of recordings and of sweep queries.
#include <fathom/show/viewer_sources.h>

#include <fathom/detect/world/world.h>
#include <fathom/simulate/record/recording.h>

#include <fmt/format.h>

#include <algorithm>

namespace fathom {

namespace {

double finite_speed(const Vec3f& velocity) { return velocity.allFinite() ? velocity.cast<double>().norm() : 0; }

// The 97th percentile of the speeds of cloud points (m/s), estimated from about a hundred thousand samples at most,
// evenly over the frames; 0 without clouds.
double high_speed(const Recording& recording) {
    constexpr std::size_t most = 100'000;
    std::size_t count = 0, k = 0;
    const auto visit = [&](const auto& each) {
        for (const RecordedFrame& frame : recording.frames())
            for (const BodyFrame& body : frame.bodies) each(body.velocities);
    };
    visit([&](const std::vector<Vec3f>& velocities) { count += velocities.size(); });
    std::vector<double> speeds;
    visit([&](const std::vector<Vec3f>& velocities) {
        for (const Vec3f& velocity : velocities)
            if (k++ % (1 + count / most) == 0) speeds.push_back(finite_speed(velocity));
    });
    if (speeds.empty()) return 0;
    const auto place = speeds.begin() + static_cast<std::ptrdiff_t>(0.97 * static_cast<double>(speeds.size()));
    std::nth_element(speeds.begin(), place, speeds.end());
    return *place;
}

class RecordingFrames final : public ViewerFrames {
public:
    explicit RecordingFrames(const Recording& recording) : recording_(recording), high_(high_speed(recording)) {}

    [[nodiscard]] std::size_t count() const override { return recording_.frames().size(); }
    [[nodiscard]] double time(std::size_t frame) const override { return recording_.frames()[frame].time; }
    [[nodiscard]] ViewerFrame frame(std::size_t frame) const override {
        const RecordedFrame& recorded = recording_.frames()[frame];
        ViewerFrame result;
        for (Index b = 0; b < recorded.bodies.size(); ++b) {
            const BodyFrame& body = recorded.bodies[b];
            result.poses.push_back(body.pose);
            if (body.vertices.empty() && !recording_.bodies()[b].cloud) continue;
            result.deformed.push_back({b, body.vertices, {}});
            if (body.triangles) result.deformed.back().triangles = *body.triangles;
            if (high_ > 0 && body.velocities.size() == body.vertices.size())
                result.deformed.back().shades = shades_of(body.velocities);
        }
        for (const BodyContact& c : recorded.contacts)
            if (c.a < recorded.bodies.size() && c.b < recorded.bodies.size()) result.contacts.push_back(c);
        return result;
    }

private:
    [[nodiscard]] std::vector<std::uint8_t> shades_of(const std::vector<Vec3f>& velocities) const {
        std::vector<std::uint8_t> shades;
        shades.reserve(velocities.size());
        for (const Vec3f& velocity : velocities)
            shades.push_back(static_cast<std::uint8_t>(255 * std::min(finite_speed(velocity) / high_, 1.0)));
        return shades;
    }

    const Recording& recording_;
    double high_; // speed that is drawn brightest (m/s)
};

ViewerBody body_of(const Recording& recording, std::size_t b, const Box& stage) {
    const RecordedBody& recorded = recording.bodies()[b];
    ViewerBody body = viewer_body(recorded.name, mesh_on_stage(recording, b, stage),
                                  recording.frames().empty() ? Pose{} : recording.frames()[0].bodies[b].pose);
    body.fixed = recorded.fixed;
    body.cloud = recorded.cloud;
    if (recorded.cloud) body.info = {{"colour", "speed, from slow and dark to fast and bright"}};
    if (recorded.fixed) body.info.emplace_back("fixed", "yes");
    if (recorded.field && recorded.mesh->vertices.empty())
        body.info.emplace_back("shape", "analytic; its surface is shown within the extent of the other bodies");
    return body;
}

// Rigid bodies that move: neither fixed nor deforming, and with more than one position.
std::vector<Index> movers_of(const Recording& recording) {
    std::vector<Index> movers;
    const auto frames = recording.frames();
    for (Index b = 0; b < recording.bodies().size(); ++b) {
        if (recording.bodies()[b].fixed || recording.bodies()[b].cloud) continue;
        const auto whole = [&](const RecordedFrame& frame) { return frame.bodies[b].vertices.empty(); };
        const auto elsewhere = [&](const RecordedFrame& frame) {
            return frame.bodies[b].pose.translation != frames[0].bodies[b].pose.translation;
        };
        if (std::all_of(frames.begin(), frames.end(), whole) && std::any_of(frames.begin(), frames.end(), elsewhere))
            movers.push_back(b);
    }
    return movers;
}

Vec3 middle_of(const Recording& recording, Index body, const RecordedFrame& frame) {
    return frame.bodies[body].pose * recording.bodies()[body].center;
}

// True if the body is in contact in the frame. If it `alone` moves, every contact is one of this body.
bool touches(const RecordedFrame& frame, Index body, bool alone) {
    const auto names = [body](const auto& between) { return between.a == body || between.b == body; };
    return std::any_of(frame.pairs.begin(), frame.pairs.end(),
                       [&](const RecordedPair& pair) { return names(pair) && pair.status == Status::overlapping; }) ||
           std::any_of(frame.contacts.begin(), frame.contacts.end(), names) || (alone && frame.contact_count > 0);
}

// Runs of frames in which the body is in contact. Contact between two frames is unknown.
std::vector<ContactInterval> touching_frames(const Recording& recording, Index body, bool alone,
                                             std::span<const double> times) {
    std::vector<ContactInterval> intervals;
    bool before = false;
    for (std::size_t k = 0; k < times.size(); ++k) {
        const bool now = touches(recording.frames()[k], body, alone);
        if (now && !before) intervals.push_back({times[k], times[k], false});
        if (now) intervals.back().end = times[k];
        before = now;
    }
    return intervals;
}

// True if the body moves on average more than its own size per frame, so that its path would be confusing.
bool leaps(std::span<const Vec3> points, const RecordedBody& body) {
    double way = 0;
    for (std::size_t k = 1; k < points.size(); ++k) way += (points[k] - points[k - 1]).norm();
    return way > bounds(body.mesh->vertices).size().norm() * static_cast<double>(points.size() - 1);
}

// Adds the paths of the moving bodies if there are few. The first path is initially visible if the energy is always 0,
// since the bodies then follow prescribed motions, which are the subject of the recording.
void add_paths(ViewerDocument& document, const Recording& recording, std::span<const Index> movers) {
    constexpr std::size_t max_paths = 8;
    const auto frames = recording.frames();
    if (movers.size() > max_paths || frames.size() < 2 || !(frames.back().time > frames.front().time)) return;
    const bool given =
        std::all_of(frames.begin(), frames.end(), [](const RecordedFrame& frame) { return frame.energy.total() == 0; });
    std::vector<double> times;
    for (const RecordedFrame& frame : frames)
        times.push_back((frame.time - frames.front().time) / (frames.back().time - frames.front().time));
    for (const Index b : movers) {
        PathLayer path{
            .points = {}, .times = times, .intervals = touching_frames(recording, b, movers.size() == 1, times)};
        path.judged = !path.intervals.empty(); // frames without contact do not prove that there is none in between
        for (const RecordedFrame& frame : frames) path.points.push_back(middle_of(recording, b, frame));
        const bool shown = given && b == movers[0] && !leaps(path.points, recording.bodies()[b]);
        document.layers.push_back(
            {.name = "path of " + recording.bodies()[b].name, .content = std::move(path), .visible = shown});
    }
}

// True if `body` encloses a moving body in at least half of some sampled frames: above it and on at least four of six
// sides. The moving body would not be visible.
bool hides(const ViewerBody& body, const Recording& recording, std::span<const Index> movers) {
    constexpr std::size_t moments = 16;
    const auto frames = recording.frames();
    const auto finite = [](const Vec3f& vertex) { return vertex.allFinite(); };
    if (movers.empty() || body.triangles.empty() || !std::all_of(body.vertices.begin(), body.vertices.end(), finite))
        return false;
    TriangleMesh mesh{.vertices = {}, .triangles = body.triangles};
    for (const Vec3f& vertex : body.vertices) mesh.vertices.push_back(vertex.cast<double>());
    World around;
    around.add(Shape(std::move(mesh), MeshInside::open), body.pose);
    const auto roofed = [&](const Vec3& place) {
        if (!is_finite(place)) return false;
        std::size_t sides = 0;
        for (const Vec3& way : {Vec3(1, 0, 0), Vec3(-1, 0, 0), Vec3(0, 1, 0), Vec3(0, -1, 0), Vec3(0, 0, -1)})
            sides += around.cast({place, way}).body != no_index;
        return sides >= 3 && around.cast({place, {0, 0, 1}}).body != no_index;
    };
    return std::any_of(movers.begin(), movers.end(), [&](Index mover) {
        std::size_t found = 0;
        for (std::size_t k = 0; k < moments; ++k)
            found += roofed(middle_of(recording, mover, frames[k * (frames.size() - 1) / (moments - 1)]));
        return 2 * found >= moments;
    });
}

template <class Get>
void add_series(ViewerDocument& document, const Recording& recording, const char* name, const char* unit,
                const char* group, const Get& get) {
    ViewerSeries series{name, unit, group, {}};
    for (const RecordedFrame& frame : recording.frames()) series.values.push_back(static_cast<double>(get(frame)));
    // Curves that are always 0 (energy of springs without springs) are left out.
    if (std::any_of(series.values.begin(), series.values.end(), [](double v) { return v != 0; }))
        document.series.push_back(std::move(series));
}

std::string in_words(const Recording& recording) {
    const auto frames = recording.frames();
    const std::ptrdiff_t broken =
        std::count_if(frames.begin(), frames.end(), [](const RecordedFrame& frame) { return !all_finite(frame); });
    std::string words = fmt::format("{} bodies, {} frames, {:.4g} s", recording.bodies().size(), frames.size(),
                                    frames.empty() ? 0 : frames.back().time);
    if (recording.worst_penetration() > 0)
        words += fmt::format(", deepest penetration {:.3g} m", recording.worst_penetration());
    if (broken > 0) words += fmt::format("; {} frames contain values that are not finite, drawn at 0", broken);
    return words;
}

} // namespace

ViewerDocument recording_document(const std::string& name, const Recording& recording) {
    ViewerDocument document{.title = name, .subtitle = in_words(recording), .kind = ViewerKind::recording};
    document.bounds = stage_of(recording);
    for (std::size_t b = 0; b < recording.bodies().size(); ++b)
        document.bodies.push_back(body_of(recording, b, document.bounds));
    const std::vector<Index> movers = movers_of(recording);
    for (ViewerBody& body : document.bodies) body.glass = body.fixed && hides(body, recording, movers);
    add_paths(document, recording, movers);
    document.frames = std::make_shared<RecordingFrames>(recording);
    const auto add = [&](const char* series, const char* unit, const char* group, const auto& get) {
        add_series(document, recording, series, unit, group, get);
    };
    add("sum", "J", "energy", [](const RecordedFrame& f) { return f.energy.total(); });
    add("motion", "J", "energy", [](const RecordedFrame& f) { return f.energy.kinetic; });
    add("height", "J", "energy", [](const RecordedFrame& f) { return f.energy.potential; });
    add("springs", "J", "energy", [](const RecordedFrame& f) { return f.energy.stored; });
    add("contacts", "", "contacts", [](const RecordedFrame& f) { return f.contact_count; });
    add("deepest point", "m", "penetration", [](const RecordedFrame& f) { return f.deepest; });
    add("detection", "ms", "computing a step", [](const RecordedFrame& f) { return 1e3 * f.detect_seconds; });
    add("response", "ms", "computing a step", [](const RecordedFrame& f) { return 1e3 * f.respond_seconds; });
    return document;
}

// ---- Sweep queries.

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
    BodyContact first_;
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
    return fmt::format("first contact at time {:.6g} of [0, 1], {} contact interval{}", *view.first_time,
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
                               .info = {{"contact intervals", static_cast<double>(view.intervals.size())}}});
    document.frames = std::make_shared<SweepFrames>(view, times_of(view));
    view.a.pose = view.motion_a.start;
    view.b.pose = view.motion_b.start;
    document.bodies = {std::move(view.a), std::move(view.b)};
    return document;
}

} // namespace fathom
