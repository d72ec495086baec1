// Recordings as animated GLB files: rigid bodies by channels of their nodes, deforming bodies by morph targets,
// breaking bodies and clouds by one mesh per key frame, of which one is visible at a time. (glTF 2.0 specification,
// sections 3.7 and 3.11.)
#include <fathom/base/encode/bytes.h>
#include <fathom/base/error.h>
#include <fathom/base/file.h>
#include <fathom/simulate/record/recording.h>
#include <fathom/simulate/record/recording_files.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace fathom {

namespace {

using Text = nlohmann::ordered_json;

constexpr int float_numbers = 5126, index_numbers = 5125, point_mode = 0, triangle_mode = 4, vertex_target = 34962,
              index_target = 34963;
constexpr std::array<std::array<double, 3>, 6> moving_colors = {{{0.19, 0.40, 0.64},
                                                                 {0.76, 0.35, 0.09},
                                                                 {0.22, 0.49, 0.19},
                                                                 {0.58, 0.22, 0.40},
                                                                 {0.67, 0.56, 0.10},
                                                                 {0.26, 0.26, 0.58}}};
constexpr std::array<double, 3> fixed_color = {0.51, 0.51, 0.50};

std::vector<float> flat(std::span<const Vec3f> points) {
    std::vector<float> values;
    for (const Vec3f& p : points) values.insert(values.end(), p.begin(), p.end());
    return values;
}

// The JSON lists of a glTF file and its binary buffer.
class GlbBuilder {
public:
    Text nodes = Text::array(), meshes = Text::array(), materials = Text::array(), samplers = Text::array(),
         channels = Text::array();

    // `bounded`: adds the minimum and maximum of each component, which are required for positions and times.
    std::size_t floats(std::span<const float> values, std::size_t width, bool bounded, int target = 0) {
        constexpr std::array types = {"SCALAR", "", "VEC3", "VEC4"};
        Text accessor = {{"bufferView", view(values, target)},
                         {"componentType", float_numbers},
                         {"count", values.size() / width},
                         {"type", types[width - 1]}};
        if (bounded) {
            std::vector<float> lower(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(width)),
                upper = lower;
            for (std::size_t k = 0; k < values.size(); ++k) {
                lower[k % width] = std::min(lower[k % width], values[k]);
                upper[k % width] = std::max(upper[k % width], values[k]);
            }
            accessor["min"] = lower;
            accessor["max"] = upper;
        }
        return add(accessors_, std::move(accessor));
    }
    std::size_t positions(std::span<const Vec3f> points) { return floats(flat(points), 3, true, vertex_target); }
    std::size_t indices(std::span<const Triangle> triangles) {
        const std::span<const Index> values(triangles.front().data(), 3 * triangles.size());
        return add(accessors_, {{"bufferView", view(values, index_target)},
                                {"componentType", index_numbers},
                                {"count", values.size()},
                                {"type", "SCALAR"}});
    }
    void animate(std::size_t node, const char* path, std::size_t times, std::size_t values,
                 const char* interpolation = "LINEAR") {
        const std::size_t sampler =
            add(samplers, {{"input", times}, {"output", values}, {"interpolation", interpolation}});
        channels.push_back({{"sampler", sampler}, {"target", {{"node", node}, {"path", path}}}});
    }
    static std::size_t add(Text& list, Text member) {
        list.push_back(std::move(member));
        return list.size() - 1;
    }

    // All nodes are children of a node that rotates our up axis z to the up axis y of glTF.
    [[nodiscard]] std::string finish(const Text& extras) const {
        Text text = {{"asset", {{"version", "2.0"}, {"generator", "Fathom"}, {"extras", extras}}}};
        if (meshes.empty()) return container(text.dump(), {});
        Text all = nodes, below = Text::array();
        for (std::size_t k = 0; k < nodes.size(); ++k) below.push_back(k);
        all.push_back({{"name", "z up"}, {"rotation", {-std::sqrt(0.5), 0, 0, std::sqrt(0.5)}}, {"children", below}});
        text["scene"] = 0;
        text["scenes"] = {{{"nodes", {nodes.size()}}}};
        text["nodes"] = std::move(all);
        text["meshes"] = meshes;
        text["materials"] = materials;
        if (!channels.empty())
            text["animations"] = {{{"name", "recording"}, {"samplers", samplers}, {"channels", channels}}};
        text["accessors"] = accessors_;
        text["bufferViews"] = views_;
        text["buffers"] = {{{"byteLength", binary_.size()}}};
        return container(text.dump(-1, ' ', false, Text::error_handler_t::replace), binary_);
    }

private:
    template <class T>
    std::size_t view(std::span<const T> values, int target) {
        Text made = {{"buffer", 0}, {"byteOffset", binary_.size()}, {"byteLength", values.size_bytes()}};
        if (target != 0) made["target"] = target;
        for (const T value : values) append_little_endian(binary_, value);
        return add(views_, std::move(made));
    }

    static void append_chunk(std::string& glb, std::string_view type, std::string_view content, char padding) {
        const std::size_t size = (content.size() + 3) / 4 * 4;
        append_little_endian(glb, static_cast<std::uint32_t>(size));
        glb.append(type).append(content).append(size - content.size(), padding);
    }
    static std::string container(std::string_view json, std::string_view binary) {
        std::string chunks;
        append_chunk(chunks, "JSON", json, ' ');
        if (!binary.empty()) append_chunk(chunks, std::string_view("BIN\0", 4), binary, '\0');
        std::string glb = "glTF";
        append_little_endian(glb, std::uint32_t{2});
        append_little_endian(glb, static_cast<std::uint32_t>(12 + chunks.size()));
        return glb.append(chunks);
    }

    Text accessors_ = Text::array(), views_ = Text::array();
    std::string binary_;
};

// Frames with increasing times and finite positions.
std::vector<const RecordedFrame*> usable_frames(const Recording& recording) {
    std::vector<const RecordedFrame*> frames;
    for (const RecordedFrame& frame : recording.frames())
        if (all_finite(frame) &&
            (frames.empty() || static_cast<float>(frame.time) > static_cast<float>(frames.back()->time)))
            frames.push_back(&frame);
    return frames;
}

// At most `most` evenly spaced frames, including the first and the last.
std::vector<const RecordedFrame*> thinned(std::span<const RecordedFrame* const> frames, std::size_t most) {
    if (frames.size() <= most) return {frames.begin(), frames.end()};
    std::vector<const RecordedFrame*> kept;
    for (std::size_t k = 0; k < most; ++k) kept.push_back(frames[k * (frames.size() - 1) / (most - 1)]);
    return kept;
}

std::vector<float> times_of(std::span<const RecordedFrame* const> keys) {
    std::vector<float> times;
    for (const RecordedFrame* key : keys) times.push_back(static_cast<float>(key->time));
    return times;
}

class RecordingGlb {
public:
    RecordingGlb(const Recording& recording, const GlbOptions& options) : recording_(recording) {
        const std::vector<const RecordedFrame*> frames = usable_frames(recording);
        poses_ = thinned(frames, options.max_poses);
        shapes_ =
            thinned(frames, std::clamp<std::size_t>(options.max_bytes / std::max<std::size_t>(bytes_a_shape(frames), 1),
                                                    2, options.max_shapes));
        report_ = {recording.frames().size(), poses_.size(), 0};
    }

    std::string write(GlbReport& report) {
        if (!poses_.empty()) write_bodies();
        report = report_;
        return glb_.finish({{"frames", report_.frames},
                            {"key_frames_of_poses", report_.pose_keys},
                            {"key_frames_of_shapes", report_.shape_keys}});
    }

private:
    [[nodiscard]] bool changes_shape(std::size_t b, std::span<const RecordedFrame* const> frames) const {
        return recording_.bodies()[b].cloud || std::any_of(frames.begin(), frames.end(), [&](const RecordedFrame* f) {
                   return !f->bodies[b].vertices.empty();
               });
    }
    [[nodiscard]] bool keeps_triangles(std::size_t b) const {
        const TriangleMesh& mesh = *recording_.bodies()[b].mesh;
        return !recording_.bodies()[b].cloud &&
               std::all_of(shapes_.begin(), shapes_.end(), [&](const RecordedFrame* f) {
                   return f->bodies[b].triangles == shapes_.front()->bodies[b].triangles &&
                          f->vertex_count(b, mesh) == shapes_.front()->vertex_count(b, mesh);
               });
    }
    // Size of the shapes of all bodies in the largest frame.
    [[nodiscard]] std::size_t bytes_a_shape(std::span<const RecordedFrame* const> frames) const {
        std::size_t most = 0;
        for (const RecordedFrame* f : frames) {
            std::size_t bytes = 0;
            for (const BodyFrame& body : f->bodies)
                bytes += 12 * (body.vertices.size() + (body.triangles ? body.triangles->size() : 0));
            most = std::max(most, bytes);
        }
        return most;
    }

    void write_bodies() {
        const Box stage = stage_of(recording_);
        pose_times_ = glb_.floats(times_of(poses_), 1, true);
        std::size_t moving = 0;
        for (std::size_t b = 0; b < recording_.bodies().size(); ++b) {
            const std::array<double, 3>& c =
                recording_.bodies()[b].fixed ? fixed_color : moving_colors[moving++ % moving_colors.size()];
            material_ = GlbBuilder::add(
                glb_.materials,
                {{"name", recording_.bodies()[b].name},
                 {"doubleSided", true},
                 {"pbrMetallicRoughness",
                  {{"baseColorFactor", {c[0], c[1], c[2], 1}}, {"metallicFactor", 0}, {"roughnessFactor", 0.8}}}});
            if (!changes_shape(b, shapes_))
                write_rigid(b, stage);
            else if (keeps_triangles(b))
                write_morphing(b);
            else
                write_in_turns(b);
        }
    }

    // Returns nothing if the mesh is empty, since glTF does not allow empty arrays.
    std::optional<std::size_t> mesh_of(std::span<const Vec3f> points, std::span<const Triangle> triangles,
                                       const std::string& name, bool cloud) {
        if (points.empty() || (triangles.empty() && !cloud)) return std::nullopt;
        Text primitive = {{"attributes", {{"POSITION", glb_.positions(points)}}},
                          {"material", material_},
                          {"mode", cloud ? point_mode : triangle_mode}};
        if (!cloud) primitive["indices"] = glb_.indices(triangles);
        return GlbBuilder::add(glb_.meshes, {{"name", name}, {"primitives", {primitive}}});
    }

    void write_rigid(std::size_t b, const Box& stage) {
        const std::string& name = recording_.bodies()[b].name;
        const TriangleMesh mesh = mesh_on_stage(recording_, b, stage);
        std::vector<Vec3f> points;
        for (std::size_t v = 0; v < mesh.vertices.size(); ++v) points.push_back(as_float(mesh.vertices[v], v));
        const auto made = mesh_of(points, mesh.triangles, name, false);
        if (!made) return;
        std::vector<float> places, turns;
        Quat last = Quat::Identity();
        for (const RecordedFrame* key : poses_) {
            const Pose& pose = key->bodies[b].pose;
            // q and -q are the same rotation; choose the sign for interpolation along the shorter arc.
            const Quat turn =
                (last.dot(pose.rotation) < 0 ? Quat(-pose.rotation.coeffs()) : pose.rotation).normalized();
            for (const double x : pose.translation) places.push_back(static_cast<float>(x));
            for (const double x : turn.coeffs()) turns.push_back(static_cast<float>(x)); // x, y, z, w as in glTF
            last = turn;
        }
        const Text at = {places[0], places[1], places[2]}, turned = {turns[0], turns[1], turns[2], turns[3]};
        const std::size_t node =
            GlbBuilder::add(glb_.nodes, {{"name", name}, {"mesh", *made}, {"translation", at}, {"rotation", turned}});
        if (recording_.bodies()[b].fixed || poses_.size() < 2) return;
        glb_.animate(node, "translation", pose_times_, glb_.floats(places, 3, false));
        glb_.animate(node, "rotation", pose_times_, glb_.floats(turns, 4, false));
    }

    [[nodiscard]] std::vector<Vec3f> points_in(const RecordedFrame& frame, std::size_t b) const {
        if (!frame.bodies[b].vertices.empty() || recording_.bodies()[b].cloud) return frame.bodies[b].vertices;
        std::vector<Vec3f> points;
        for (std::size_t v = 0; v < recording_.bodies()[b].mesh->vertices.size(); ++v)
            points.push_back(as_float(frame.vertex(b, *recording_.bodies()[b].mesh, v), v));
        return points;
    }

    std::size_t shape_times() {
        if (!shape_times_) shape_times_ = glb_.floats(times_of(shapes_), 1, true);
        report_.shape_keys = shapes_.size();
        return *shape_times_;
    }

    // The first key frame is the mesh; each further one is a morph target. Two consecutive ones are blended at a time.
    void write_morphing(std::size_t b) {
        const RecordedBody& body = recording_.bodies()[b];
        const std::vector<Vec3f> first = points_in(*shapes_.front(), b);
        const auto made = mesh_of(first, shapes_.front()->triangles(b, *body.mesh), body.name, false);
        if (!made) return;
        const std::size_t node = GlbBuilder::add(glb_.nodes, {{"name", body.name}, {"mesh", *made}}),
                          targets = shapes_.size() - 1;
        if (targets == 0) return;
        Text& mesh = glb_.meshes[*made];
        for (std::size_t k = 1; k < shapes_.size(); ++k) {
            std::vector<Vec3f> ways = points_in(*shapes_[k], b);
            for (std::size_t v = 0; v < ways.size(); ++v) ways[v] -= first[v];
            mesh["primitives"][0]["targets"].push_back({{"POSITION", glb_.positions(ways)}});
        }
        mesh["weights"] = std::vector<int>(targets, 0);
        std::vector<float> weights(shapes_.size() * targets, 0);
        for (std::size_t k = 1; k < shapes_.size(); ++k) weights[k * targets + k - 1] = 1;
        glb_.animate(node, "weights", shape_times(), glb_.floats(weights, 1, false));
    }

    // One mesh for each key frame, with scale 0 except at its own key frame.
    void write_in_turns(std::size_t b) {
        const RecordedBody& body = recording_.bodies()[b];
        for (std::size_t k = 0; k < shapes_.size(); ++k) {
            const std::string name = fmt::format("{} {}", body.name, k);
            const auto made =
                mesh_of(points_in(*shapes_[k], b), shapes_[k]->triangles(b, *body.mesh), name, body.cloud);
            if (!made) continue;
            const std::size_t node = GlbBuilder::add(glb_.nodes, {{"name", name}, {"mesh", *made}});
            if (k > 0) glb_.nodes[node]["scale"] = {0, 0, 0};
            std::vector<float> sizes;
            for (std::size_t at = 0; at < shapes_.size(); ++at) sizes.insert(sizes.end(), 3, at == k ? 1.0f : 0.0f);
            if (shapes_.size() > 1) glb_.animate(node, "scale", shape_times(), glb_.floats(sizes, 3, false), "STEP");
        }
    }

    const Recording& recording_;
    std::vector<const RecordedFrame*> poses_, shapes_;
    GlbBuilder glb_;
    GlbReport report_;
    std::size_t pose_times_ = 0, material_ = 0;
    std::optional<std::size_t> shape_times_;
};

} // namespace

GlbReport write_glb(const std::filesystem::path& path, const Recording& recording, const GlbOptions& options) {
    if (options.max_poses < 2 || options.max_shapes < 2)
        throw Error(Cause::invalid_argument, "must be at least 2", {.element = "option max_poses or max_shapes"});
    if (options.max_bytes > std::size_t{2} << 30)
        throw Error(Cause::invalid_argument, "must be at most 2 GB, since a GLB file is limited to 4 GB",
                    {.element = "option max_bytes"});
    GlbReport report;
    write_whole_file(path, RecordingGlb(recording, options).write(report));
    return report;
}

} // namespace fathom
