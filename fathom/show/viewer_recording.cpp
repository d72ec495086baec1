// Room: show. Recordings as documents.
#include <fathom/show/viewer_recording.h>

#include <fathom/show/viewer_sources.h>
#include <fathom/simulate/recording_stage.h>

#include <fmt/format.h>

#include <algorithm>

namespace fathom {

namespace {

class RecordingFrames final : public ViewerFrames {
public:
    explicit RecordingFrames(const Recording& recording) : recording_(recording) {}

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
        }
        for (const RecordedContact& c : recorded.contacts) add(result, c);
        return result;
    }

private:
    // Recorded normals point out of the other body.
    void add(ViewerFrame& frame, const RecordedContact& c) const {
        const std::size_t bodies = frame.poses.size();
        const Index second = c.body < bodies ? c.body : c.other, first = c.other < bodies ? c.other : c.body;
        if (first < bodies && second < bodies) frame.contacts.push_back({c.position, c.normal, c.depth, {first, second}});
    }

    const Recording& recording_;
};

ViewerBody body_of(const Recording& recording, std::size_t b, const Box& stage) {
    const RecordedBody& recorded = recording.bodies()[b];
    ViewerBody body = viewer_body(recorded.name, mesh_on_stage(recording, b, stage), recording.frames().empty() ? Pose{} : recording.frames()[0].bodies[b].pose);
    body.fixed = recorded.fixed;
    body.cloud = recorded.cloud;
    if (recorded.cloud) body.info.clear();
    if (recorded.fixed) body.info.emplace_back("fixed", "yes");
    if (recorded.formula && recorded.mesh->vertices.empty()) body.info.emplace_back("shape", "a formula; its surface is shown as far as the others reach");
    return body;
}

template <class Get>
void add_series(ViewerDocument& document, const Recording& recording, const char* name, const char* unit, const char* group, const Get& get) {
    ViewerSeries series{name, unit, group, {}};
    for (const RecordedFrame& frame : recording.frames()) series.values.push_back(static_cast<double>(get(frame)));
    // A curve that stays at nothing (springs among rigid bodies) is none.
    if (std::any_of(series.values.begin(), series.values.end(), [](double v) { return v != 0; })) document.series.push_back(std::move(series));
}

std::string in_words(const Recording& recording) {
    const auto frames = recording.frames();
    const std::ptrdiff_t broken = std::count_if(frames.begin(), frames.end(), [](const RecordedFrame& frame) { return !all_finite(frame); });
    std::string words = fmt::format("{} bodies, {} frames, {:.4g} s", recording.bodies().size(), frames.size(), frames.empty() ? 0 : frames.back().time);
    if (recording.worst_penetration() > 0) words += fmt::format(", deepest penetration {:.3g} m", recording.worst_penetration());
    if (broken > 0) words += fmt::format("; {} frames hold numbers that are not finite, drawn at 0", broken);
    return words;
}

} // namespace

ViewerDocument recording_document(const std::string& name, const Recording& recording) {
    ViewerDocument document{.title = name, .subtitle = in_words(recording), .kind = ViewerKind::recording};
    document.bounds = stage_of(recording);
    for (std::size_t b = 0; b < recording.bodies().size(); ++b) document.bodies.push_back(body_of(recording, b, document.bounds));
    document.frames = std::make_shared<RecordingFrames>(recording);
    const auto add = [&](const char* series, const char* unit, const char* group, const auto& get) { add_series(document, recording, series, unit, group, get); };
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

} // namespace fathom
