// Images and plots of recordings.
#include <fathom/show/recording_picture.h>

#include <fathom/field/grid/contour.h>

#include <algorithm>
#include <array>

namespace fathom {

namespace {

constexpr std::array<Color, 6> moving_colors = {
    {{120, 170, 210}, {226, 160, 84}, {130, 186, 120}, {200, 130, 170}, {214, 198, 90}, {140, 140, 200}}};
constexpr Color fixed_color = {190, 190, 186};

// Adds the bounds of a cloud without the outermost hundredth on each side, so that stray points do not reduce the
// scale.
void add_cloud(std::vector<Vec3>& stage, std::span<const Vec3f> points) {
    if (points.empty()) return;
    Box box;
    std::vector<float> along(points.size());
    for (int axis = 0; axis < 3; ++axis) {
        std::transform(points.begin(), points.end(), along.begin(), [&](const Vec3f& p) { return p[axis]; });
        std::sort(along.begin(), along.end());
        box.lower[axis] = static_cast<double>(along[along.size() / 100]);
        box.upper[axis] = static_cast<double>(along[along.size() - 1 - along.size() / 100]);
    }
    for (int corner = 0; corner < 8; ++corner) stage.push_back(box.corner(corner));
}

// Colours by age: glowing to smoke-coloured.
std::vector<Color> cloud_colors(std::span<const float> ages) {
    static const std::array<Vec3f, 3> glow = {Vec3f(250, 190, 40), Vec3f(225, 70, 25), Vec3f(120, 110, 112)};
    const float oldest = ages.empty() ? 1 : std::max(*std::max_element(ages.begin(), ages.end()), 1e-6f);
    std::vector<Color> colors;
    for (const float age : ages) {
        const float place = 2 * std::clamp(age / oldest, 0.0f, 1.0f);
        const std::size_t below = place < 1 ? 0 : 1;
        const Vec3f mixed = glow[below] + (place - static_cast<float>(below)) * (glow[below + 1] - glow[below]);
        colors.push_back({static_cast<std::uint8_t>(mixed[0]), static_cast<std::uint8_t>(mixed[1]),
                          static_cast<std::uint8_t>(mixed[2])});
    }
    return colors;
}

// Sampled positions of the bodies over time: some of their vertices in a few frames.
std::vector<Vec3> stage_corners(const Recording& recording) {
    constexpr std::size_t max_vertices = 500, max_frames = 24;
    std::vector<Vec3> stage;
    for (std::size_t b = 0; b < recording.bodies().size(); ++b) {
        const TriangleMesh& mesh = *recording.bodies()[b].mesh;
        for (std::size_t v = 0; v < mesh.vertices.size(); v += 1 + mesh.vertices.size() / max_vertices)
            for (std::size_t f = 0; f < recording.frames().size(); f += 1 + recording.frames().size() / max_frames)
                if (v < recording.frames()[f].vertex_count(b, mesh))
                    stage.push_back(recording.frames()[f].vertex(b, mesh, v));
        if (recording.bodies()[b].cloud) add_cloud(stage, recording.frames().back().bodies[b].vertices);
    }
    return stage;
}

// A mesh for each body; analytic bodies are meshed within the stage.
std::vector<TriangleMesh> contoured_meshes(const Recording& recording, std::span<const Vec3> stage) {
    const Box box = bounds(stage);
    const auto bodies = recording.bodies();
    std::vector<TriangleMesh> meshes(bodies.size());
    for (std::size_t b = 0; b < bodies.size(); ++b) {
        if (!bodies[b].field || box.empty()) continue;
        Box local;
        for (int corner = 0; corner < 8; ++corner)
            local.extend(recording.frames()[0].bodies[b].pose.to_local(box.corner(corner)));
        meshes[b] = contour(*bodies[b].field, local.grown(0.1 * local.diagonal()), 24);
    }
    return meshes;
}

// The mesh of a body in a frame, with the present vertices of a deforming body.
TriangleMesh deformed(std::span<const Triangle> triangles, std::span<const Vec3f> vertices) {
    TriangleMesh result{{}, {triangles.begin(), triangles.end()}};
    for (const Vec3f& v : vertices) result.vertices.push_back(v.cast<double>());
    return result;
}

Image picture(const RecordedFrame& frame, std::span<const RecordedBody> bodies, std::span<const TriangleMesh> contours,
              const View& view) {
    std::vector<PlacedMesh> placed;
    std::vector<TriangleMesh> shapes(bodies.size());
    std::size_t moving = 0;
    std::vector<Vec3f> dots;
    std::vector<Color> dot_colors;
    for (std::size_t b = 0; b < bodies.size(); ++b) {
        if (bodies[b].cloud) {
            const std::vector<Color> colors = cloud_colors(frame.bodies[b].ages);
            dots.insert(dots.end(), frame.bodies[b].vertices.begin(), frame.bodies[b].vertices.end());
            dot_colors.insert(dot_colors.end(), colors.begin(), colors.end());
            continue;
        }
        const bool deforms = !frame.bodies[b].vertices.empty();
        const Color color = bodies[b].fixed ? fixed_color : moving_colors[moving++ % moving_colors.size()];
        if (deforms) shapes[b] = deformed(frame.triangles(b, *bodies[b].mesh), frame.bodies[b].vertices);
        placed.push_back({deforms           ? &shapes[b]
                          : bodies[b].field ? &contours[b]
                                            : bodies[b].mesh.get(),
                          deforms ? Pose{} : frame.bodies[b].pose, color});
    }
    std::vector<Vec3> contacts;
    for (const BodyContact& contact : frame.contacts) contacts.push_back(contact.position);
    return draw(placed, view, {.points = contacts, .segments = {}, .dots = dots, .dot_colors = dot_colors});
}

template <class Get>
Curve curve(const std::string& name, const Recording& recording, const Get& get) {
    Curve result{name, {}};
    for (const RecordedFrame& frame : recording.frames()) result.points.emplace_back(frame.time, get(frame));
    return result;
}

} // namespace

Image film_strip(const Recording& recording, const FilmOptions& options) {
    const auto frames = recording.frames();
    if (frames.empty() || options.pictures < 1) return {};
    View view = options.view;
    const std::vector<Vec3> stage = stage_corners(recording);
    const std::vector<TriangleMesh> contours = contoured_meshes(recording, stage);
    view.frame = stage;
    view.mark_size = 1.5;
    std::vector<Image> images;
    for (int k = 0; k < options.pictures; ++k) {
        const std::size_t last = frames.size() - 1;
        const std::size_t at = options.pictures > 1
                                   ? last * static_cast<std::size_t>(k) / static_cast<std::size_t>(options.pictures - 1)
                                   : last;
        images.push_back(picture(frames[at], recording.bodies(), contours, view));
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
    for (const auto& [name, recording] : runs)
        plot.curves.push_back(curve(name, *recording, [](const RecordedFrame& f) { return f.energy.total(); }));
    return plot;
}

LinePlot penetration_plot(std::span<const NamedRecording> runs) {
    LinePlot plot{.title = "Penetration", .x_label = "time (s)", .y_label = "deepest point (m)", .curves = {}};
    for (const auto& [name, recording] : runs)
        plot.curves.push_back(curve(name, *recording, [](const RecordedFrame& f) { return f.deepest; }));
    return plot;
}

} // namespace fathom
