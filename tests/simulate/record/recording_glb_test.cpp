// Animated GLB files: their lists are consistent, their numbers are at the stated offsets, and their geometry reads
// back.
#include <fathom/base/file.h>
#include <fathom/geometry/io/mesh_file.h>
#include <fathom/simulate/record/recording_files.h>
#include <support/scratch_folder.h>
#include <support/small_recordings.h>
#include <support/sources.h>

#include <nlohmann/json.hpp>

#include <cstring>
#include <limits>

namespace fathom::testing {
namespace recording_glb_test {

struct Glb {
    nlohmann::json json;
    std::string binary;

    explicit Glb(const std::filesystem::path& path) {
        Bytes bytes = read_whole_file(path);
        const std::string all(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        EXPECT_EQ(number(all, 8), all.size());
        const std::size_t length = number(all, 12);
        EXPECT_EQ(length % 4, 0u);
        json = nlohmann::json::parse(all.substr(20, length));
        if (20 + length < all.size()) {
            EXPECT_EQ(all.substr(24 + length, 4), std::string("BIN\0", 4));
            binary = all.substr(28 + length, number(all, 20 + length));
        }
    }
    static std::size_t number(const std::string& bytes, std::size_t at) {
        std::uint32_t value = 0;
        std::memcpy(&value, bytes.data() + at, 4);
        return value;
    }
    [[nodiscard]] std::vector<float> floats(std::size_t accessor) const {
        const auto& a = json["accessors"][accessor];
        const auto& view = json["bufferViews"][a["bufferView"].get<std::size_t>()];
        std::vector<float> values(a["count"].get<std::size_t>() * width(a));
        EXPECT_EQ(view["byteLength"], 4 * values.size());
        std::memcpy(values.data(), binary.data() + view["byteOffset"].get<std::size_t>(), 4 * values.size());
        return values;
    }
    static std::size_t width(const nlohmann::json& accessor) {
        const std::string type = accessor["type"];
        return type == "SCALAR" ? 1 : type == "VEC3" ? 3 : 4;
    }
    [[nodiscard]] std::size_t node(const std::string& name) const {
        for (std::size_t k = 0; k < json["nodes"].size(); ++k)
            if (json["nodes"][k]["name"] == name) return k;
        ADD_FAILURE() << "no node " << name;
        return 0;
    }
    // Times and values of a channel.
    [[nodiscard]] std::array<std::vector<float>, 2> channel(const std::string& name, const std::string& path) const {
        for (const auto& channel : json["animations"][0]["channels"])
            if (channel["target"]["node"] == node(name) && channel["target"]["path"] == path) {
                const auto& sampler = json["animations"][0]["samplers"][channel["sampler"].get<std::size_t>()];
                return {floats(sampler["input"]), floats(sampler["output"])};
            }
        ADD_FAILURE() << name << " has no channel " << path;
        return {};
    }
};

Glb written(const Recording& recording, GlbReport* report = nullptr, const GlbOptions& options = {}) {
    const ScratchFolder folder;
    const GlbReport made = write_glb(folder / "animation.glb", recording, options);
    if (report) *report = made;
    return Glb(folder / "animation.glb");
}

TEST(RecordingGlb, every_number_lies_within_the_file_and_every_bound_is_exact) {
    const Glb glb = written(mixed_recording());
    EXPECT_EQ(glb.json["buffers"][0]["byteLength"], glb.binary.size());
    for (const auto& view : glb.json["bufferViews"]) {
        EXPECT_EQ(view["byteOffset"].get<std::size_t>() % 4, 0u);
        EXPECT_GT(view["byteLength"], 0);
        EXPECT_LE(view["byteOffset"].get<std::size_t>() + view["byteLength"].get<std::size_t>(), glb.binary.size());
    }
    std::size_t bounded = 0;
    for (std::size_t k = 0; k < glb.json["accessors"].size(); ++k) {
        const auto& accessor = glb.json["accessors"][k];
        if (!accessor.contains("min")) continue;
        ++bounded;
        const std::vector<float> values = glb.floats(k);
        const std::size_t width = Glb::width(accessor);
        for (std::size_t column = 0; column < width; ++column) {
            float lower = std::numeric_limits<float>::max(), upper = -lower;
            for (std::size_t v = column; v < values.size(); v += width)
                lower = std::min(lower, values[v]), upper = std::max(upper, values[v]);
            EXPECT_EQ(accessor["min"][column].get<float>(), lower);
            EXPECT_EQ(accessor["max"][column].get<float>(), upper);
        }
    }
    EXPECT_GT(bounded, 10u);
    for (const auto& mesh : glb.json["meshes"])
        EXPECT_TRUE(
            glb.json["accessors"][mesh["primitives"][0]["attributes"]["POSITION"].get<std::size_t>()].contains("min"));
}

TEST(RecordingGlb, rigid_bodies_are_animated_by_their_nodes) {
    const Glb glb = written(mixed_recording());
    const auto [times, places] = glb.channel("box", "translation");
    const auto [turn_times, turns] = glb.channel("box", "rotation");
    ASSERT_EQ(times.size(), 6u);
    ASSERT_EQ(places.size(), 18u);
    ASSERT_EQ(turns.size(), 24u);
    for (std::size_t k = 0; k < 6; ++k) {
        EXPECT_FLOAT_EQ(times[k], 0.1f * static_cast<float>(k));
        EXPECT_NEAR(places[3 * k], 0.1 * static_cast<double>(k), 1e-6);
        EXPECT_NEAR(turns[4 * k + 2], std::sin(0.05 * static_cast<double>(k)), 1e-6); // x, y, z, w
        EXPECT_NEAR(turns[4 * k + 3], std::cos(0.05 * static_cast<double>(k)), 1e-6);
    }
}

TEST(RecordingGlb, a_body_that_deforms_goes_through_every_key_by_morph_targets) {
    const Glb glb = written(mixed_recording());
    const auto& mesh = glb.json["meshes"][glb.json["nodes"][glb.node("sheet")]["mesh"].get<std::size_t>()];
    const auto& targets = mesh["primitives"][0]["targets"];
    ASSERT_EQ(targets.size(), 5u);
    const std::vector<float> rest = glb.floats(mesh["primitives"][0]["attributes"]["POSITION"]);
    const auto [times, weights] = glb.channel("sheet", "weights");
    ASSERT_EQ(weights.size(), 6u * 5u);
    for (std::size_t key = 0; key < 6; ++key) {
        double height = static_cast<double>(rest[2]);
        for (std::size_t t = 0; t < 5; ++t)
            height += static_cast<double>(weights[5 * key + t] * glb.floats(targets[t]["POSITION"])[2]);
        EXPECT_NEAR(height, -0.1 * static_cast<double>(key), 1e-6);
    }
}

TEST(RecordingGlb, bodies_that_break_and_clouds_take_turns) {
    const Glb glb = written(mixed_recording());
    for (const auto& [name, keys] : {std::pair("torn", 6), std::pair("cloud", 5)}) { // the cloud is empty at first
        int found = 0;
        for (int key = 0; key < 6; ++key) {
            if (name == std::string("cloud") && key == 0) continue;
            const std::string node = name + std::string(" ") + std::to_string(key);
            const auto [times, sizes] = glb.channel(node, "scale");
            ASSERT_EQ(sizes.size(), 18u);
            for (int at = 0; at < 6; ++at) EXPECT_EQ(sizes[static_cast<std::size_t>(3 * at)], at == key ? 1.0f : 0.0f);
            const auto& mesh =
                glb.json["meshes"][glb.json["nodes"][glb.node(node)]["mesh"].get<std::size_t>()]["primitives"][0];
            EXPECT_EQ(mesh["mode"], name == std::string("cloud") ? 0 : 4);
            if (name == std::string("torn")) {
                EXPECT_EQ(glb.json["accessors"][mesh["indices"].get<std::size_t>()]["count"], key < 3 ? 6 : 3);
            }
            ++found;
        }
        EXPECT_EQ(found, keys);
    }
}

TEST(RecordingGlb, reads_back_as_a_mesh_with_z_mapped_to_y) {
    const ScratchFolder folder;
    Recording recording;
    recording.set_bodies({{"box", std::make_shared<const TriangleMesh>(make_box({{1, 2, 3}, {1, 1, 1}}))}});
    recording.add({0, 0})->bodies.push_back({Pose::from_translation({0, 0, 10})});
    recording.add({1, 1})->bodies.push_back({Pose::from_translation({0, 0, 12})});
    static_cast<void>(write_glb(folder / "box.glb", recording));
    const MeshFile file = read_mesh(folder / "box.glb");
    EXPECT_EQ(file.report.format, "glb");
    EXPECT_EQ(file.surface.triangles.size(), 12u);
    const Box box = bounds(file.surface.vertices);
    EXPECT_NEAR((box.center() - Vec3(0, 10, 0)).norm(), 0, 1e-5);
    EXPECT_NEAR((box.size() - Vec3(1, 3, 2)).norm(), 0, 1e-5);
}

TEST(RecordingGlb, limits_the_number_of_keys_and_reports_it) {
    GlbReport report;
    const Glb glb = written(mixed_recording(50), &report, {.max_poses = 20, .max_shapes = 7});
    EXPECT_EQ(report.frames, 50u);
    EXPECT_EQ(report.pose_keys, 20u);
    EXPECT_EQ(report.shape_keys, 7u);
    EXPECT_EQ(glb.json["asset"]["extras"]["key_frames_of_shapes"], 7);
    const auto [times, weights] = glb.channel("sheet", "weights");
    ASSERT_EQ(times.size(), 7u);
    EXPECT_EQ(times.front(), 0.0f);
    EXPECT_FLOAT_EQ(times.back(), 4.9f);
    written(mixed_recording(50), &report, {.max_bytes = 5000});
    EXPECT_LT(report.shape_keys, 10u);
    EXPECT_EQ(error_of([] { static_cast<void>(written(mixed_recording(), nullptr, {.max_poses = 1})); }).cause(),
              Cause::invalid_argument);
}

TEST(RecordingGlb, frames_that_are_not_finite_are_omitted_and_an_empty_recording_makes_an_empty_file) {
    Recording recording = mixed_recording();
    RecordedFrame* frame = recording.add({6, 0.6});
    frame->bodies.resize(5);
    frame->bodies[1].vertices.assign(4, Vec3f::Constant(std::numeric_limits<float>::quiet_NaN()));
    GlbReport report;
    written(recording, &report);
    EXPECT_EQ(report.frames, 7u);
    EXPECT_EQ(report.pose_keys, 6u);
    const Glb empty = written(Recording());
    EXPECT_EQ(empty.json["asset"]["version"], "2.0");
    EXPECT_FALSE(empty.json.contains("meshes"));
}

} // namespace recording_glb_test
} // namespace fathom::testing
