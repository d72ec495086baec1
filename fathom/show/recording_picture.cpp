// Room: show. Pictures and curves of recordings.
#include <fathom/show/recording_picture.h>

#include <algorithm>
#include <array>

namespace fathom {

namespace {

constexpr std::array<Color, 6> moving_colors = {{{120, 170, 210}, {226, 160, 84}, {130, 186, 120}, {200, 130, 170}, {214, 198, 90}, {140, 140, 200}}};
constexpr Color fixed_color = {190, 190, 186};

// Everything that is seen at some time, by the corners of its bounds. Meshes are gone through once.
Box stage_of(const Recording& recording, std::span<const RigidBody> bodies) {
    Box stage;
    for (std::size_t b = 0; b < bodies.size(); ++b) {
        const TriangleMesh& mesh = bodies[b].shape->mesh;
        if (mesh.vertices.empty()) continue;
        const Box own = bounds(mesh.vertices);
        for (const RecordedFrame& frame : recording.frames())
            for (int corner = 0; corner < 8; ++corner) stage.extend(frame.bodies[b].pose * own.corner(corner));
    }
    return stage;
}

Image picture(const RecordedFrame& frame, std::span<const RigidBody> bodies, const View& view) {
    std::vector<PlacedMesh> placed;
    std::size_t moving = 0;
    for (std::size_t b = 0; b < bodies.size(); ++b) {
        if (bodies[b].shape->mesh.triangles.empty()) continue;
        const Color color = bodies[b].fixed ? fixed_color : moving_colors[moving++ % moving_colors.size()];
        placed.push_back({&bodies[b].shape->mesh, frame.bodies[b].pose, color});
    }
    std::vector<Vec3> contacts;
    for (const BodyContact& contact : frame.contacts) contacts.push_back(contact.record.position);
    return draw(placed, view, {.points = contacts, .segments = {}});
}

template <class Get>
Curve curve(const std::string& name, const Recording& recording, const Get& get) {
    Curve result{name, {}};
    for (const RecordedFrame& frame : recording.frames()) result.points.emplace_back(frame.time, get(frame));
    return result;
}

} // namespace

Image film_strip(const Recording& recording, std::span<const RigidBody> bodies, const FilmOptions& options) {
    const auto frames = recording.frames();
    if (frames.empty() || options.pictures < 1) return {};
    View view = options.view;
    view.frame = stage_of(recording, bodies);
    view.mark_size = 1.5;
    std::vector<Image> images;
    for (int k = 0; k < options.pictures; ++k) {
        const std::size_t last = frames.size() - 1;
        const std::size_t at = options.pictures > 1 ? last * static_cast<std::size_t>(k) / static_cast<std::size_t>(options.pictures - 1) : last;
        images.push_back(picture(frames[at], bodies, view));
    }
    return tiled(images, std::clamp(options.columns, 1, options.pictures), 6);
}

LinePlot energy_plot(const Recording& recording) {
    return {.title = "Energy",
            .x_label = "time (s)",
            .y_label = "energy (J)",
            .curves = {curve("sum", recording, [](const RecordedFrame& f) { return f.energy.total(); }),
                       curve("motion", recording, [](const RecordedFrame& f) { return f.energy.kinetic; }),
                       curve("height", recording, [](const RecordedFrame& f) { return f.energy.potential; }),
                       curve("springs", recording, [](const RecordedFrame& f) { return f.energy.stored; })}};
}

LinePlot penetration_plot(const Recording& recording) {
    return {.title = "Penetration",
            .x_label = "time (s)",
            .y_label = "deepest point (m)",
            .curves = {curve("deepest", recording, [](const RecordedFrame& f) { return f.deepest; })}};
}

} // namespace fathom
