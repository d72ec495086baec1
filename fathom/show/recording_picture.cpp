// Room: show. Pictures and curves of recordings.
#include <fathom/show/recording_picture.h>

#include <fathom/field/grid/contour.h>

#include <algorithm>
#include <array>

namespace fathom {

namespace {

constexpr std::array<Color, 6> moving_colors = {{{120, 170, 210}, {226, 160, 84}, {130, 186, 120}, {200, 130, 170}, {214, 198, 90}, {140, 140, 200}}};
constexpr Color fixed_color = {190, 190, 186};

// Where the bodies are at some time: a few thousand of their vertices, in a few frames.
std::vector<Vec3> stage_of(const Recording& recording, std::span<const RigidBody> bodies) {
    constexpr std::size_t most_vertices = 500, most_frames = 24;
    std::vector<Vec3> stage;
    for (std::size_t b = 0; b < bodies.size(); ++b) {
        const std::vector<Vec3>& vertices = bodies[b].shape->mesh.vertices;
        for (std::size_t v = 0; v < vertices.size(); v += 1 + vertices.size() / most_vertices)
            for (std::size_t f = 0; f < recording.frames().size(); f += 1 + recording.frames().size() / most_frames)
                stage.push_back(recording.frames()[f].bodies[b].pose * vertices[v]);
    }
    return stage;
}

// A mesh for each body; formulas are meshed within the stage.
std::vector<TriangleMesh> formula_meshes(std::span<const RigidBody> bodies, std::span<const Vec3> stage) {
    const Box box = bounds(stage);
    std::vector<TriangleMesh> meshes(bodies.size());
    for (std::size_t b = 0; b < bodies.size(); ++b) {
        const BodyShape& shape = *bodies[b].shape;
        if (!shape.mesh.vertices.empty() || !shape.caster || box.empty()) continue;
        Box local;
        for (int corner = 0; corner < 8; ++corner) local.extend(bodies[b].pose.to_local(box.corner(corner)));
        meshes[b] = contour(shape.caster->field(), local.grown(0.1 * local.diagonal()), 24);
    }
    return meshes;
}

Image picture(const RecordedFrame& frame, std::span<const RigidBody> bodies, std::span<const TriangleMesh> formulas, const View& view) {
    std::vector<PlacedMesh> placed;
    std::size_t moving = 0;
    for (std::size_t b = 0; b < bodies.size(); ++b) {
        const TriangleMesh& own = bodies[b].shape->mesh;
        const Color color = bodies[b].fixed ? fixed_color : moving_colors[moving++ % moving_colors.size()];
        placed.push_back({own.vertices.empty() ? &formulas[b] : &own, frame.bodies[b].pose, color});
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
    const std::vector<Vec3> stage = stage_of(recording, bodies);
    const std::vector<TriangleMesh> formulas = formula_meshes(bodies, stage);
    view.frame = stage;
    view.mark_size = 1.5;
    std::vector<Image> images;
    for (int k = 0; k < options.pictures; ++k) {
        const std::size_t last = frames.size() - 1;
        const std::size_t at = options.pictures > 1 ? last * static_cast<std::size_t>(k) / static_cast<std::size_t>(options.pictures - 1) : last;
        images.push_back(picture(frames[at], bodies, formulas, view));
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

LinePlot energy_plot(std::span<const NamedRecording> runs) {
    LinePlot plot{.title = "Energy", .x_label = "time (s)", .y_label = "energy (J)", .curves = {}};
    for (const auto& [name, recording] : runs) plot.curves.push_back(curve(name, *recording, [](const RecordedFrame& f) { return f.energy.total(); }));
    return plot;
}

LinePlot penetration_plot(std::span<const NamedRecording> runs) {
    LinePlot plot{.title = "Penetration", .x_label = "time (s)", .y_label = "deepest point (m)", .curves = {}};
    for (const auto& [name, recording] : runs) plot.curves.push_back(curve(name, *recording, [](const RecordedFrame& f) { return f.deepest; }));
    return plot;
}

} // namespace fathom
