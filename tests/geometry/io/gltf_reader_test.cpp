#include <fathom/base/encode/bytes.h>
#include <fathom/geometry/io/formats.h>
#include <support/sources.h>

#include <initializer_list>

namespace fathom {
namespace gltf_reader_test {

using testing::error_of;
using testing::source_of;

MeshFile read(std::string_view text) { return read_gltf(source_of(text, "a.gltf")); }

std::string joined(std::initializer_list<std::string_view> pieces) {
    std::string text;
    for (const std::string_view piece : pieces) text.append(piece);
    return text;
}

std::string base64(std::string_view bytes) {
    constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        std::uint32_t bits = 0;
        for (std::size_t k = 0; k < 3; ++k)
            bits = bits << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
        for (std::size_t k = 0; k < 4; ++k) out += i + k > bytes.size() ? '=' : digits[bits >> (18 - 6 * k) & 63];
    }
    return out;
}

// Five positions at 0, the indices 0 1 2 3 4 as bytes at 60, as shorts at 68, as ints at 80.
std::string buffer_bytes() {
    std::string bytes;
    for (const float x : {0.f, 0.f, 0.f, 1.f, 0.f, 0.f, 1.f, 1.f, 0.f, 0.f, 1.f, 0.f, 0.f, 2.f, 0.f})
        append_little_endian(bytes, x);
    for (int i = 0; i < 8; ++i) append_little_endian(bytes, static_cast<std::uint8_t>(i % 5));
    for (int i = 0; i < 6; ++i) append_little_endian(bytes, static_cast<std::uint16_t>(i % 5));
    for (int i = 0; i < 5; ++i) append_little_endian(bytes, static_cast<std::uint32_t>(i));
    return bytes;
}

struct Parts {
    std::string primitive = R"({"attributes":{"POSITION":0},"indices":1})";
    std::string index_accessor = R"({"bufferView":0,"byteOffset":60,"componentType":5121,"count":3,"type":"SCALAR"})";
    std::string position_accessor = R"({"bufferView":0,"componentType":5126,"count":5,"type":"VEC3"})";
    std::string nodes = R"([{"mesh":0}])";
    std::string scenes = R"("scene":0,"scenes":[{"nodes":[0]}],)";
    std::string extra;
    std::string uri = "data:application/octet-stream;base64," + base64(buffer_bytes());
    std::string length = std::to_string(buffer_bytes().size());

    [[nodiscard]] std::string text() const {
        return joined({R"({"asset":{"version":"2.0"},)", extra, scenes, R"("nodes":)", nodes,
                       R"(,"meshes":[{"primitives":[)", primitive, R"(]}],"accessors":[)", position_accessor, ",",
                       index_accessor, R"(],"bufferViews":[{"buffer":0,"byteLength":100}],"buffers":[{"byteLength":)",
                       length, R"(,"uri":")", uri, R"("}]})"});
    }
};

MeshFile read(const Parts& parts) { return read(parts.text()); }
Cause cause_of(const Parts& parts) {
    return error_of([&] { static_cast<void>(read(parts)); }).cause();
}

TEST(ReadGltf, reads_all_index_types_and_none) {
    for (const char* where : {R"("byteOffset":60,"componentType":5121)", R"("byteOffset":68,"componentType":5123)",
                              R"("byteOffset":80,"componentType":5125)"}) {
        Parts parts;
        parts.index_accessor = joined({R"({"bufferView":0,)", where, R"(,"count":3,"type":"SCALAR"})"});
        EXPECT_EQ(read(parts).surface.triangles, (std::vector<Triangle>{{0, 1, 2}})) << where;
    }
    Parts parts;
    parts.primitive = R"({"attributes":{"POSITION":0}})";
    EXPECT_EQ(read(parts).surface.triangles, (std::vector<Triangle>{{0, 1, 2}}));
    EXPECT_EQ(read(parts).surface.vertices.size(), 5u);
}

TEST(ReadGltf, reads_strips_and_fans_and_skips_lines) {
    Parts parts;
    parts.primitive =
        R"({"attributes":{"POSITION":0},"mode":5},{"attributes":{"POSITION":0},"mode":6},{"attributes":{"POSITION":0},"mode":1})";
    const MeshFile file = read(parts);
    EXPECT_EQ(file.surface.triangles,
              (std::vector<Triangle>{{0, 1, 2}, {1, 3, 2}, {2, 3, 4}, {1, 2, 0}, {2, 3, 0}, {3, 4, 0}}));
    EXPECT_EQ(file.surface.vertices.size(), 5u); // shared
    EXPECT_EQ(file.report.skipped_faces, 1u);
}

TEST(ReadGltf, places_meshes_by_their_nodes) {
    Parts parts;
    parts.nodes =
        R"([{"children":[1],"translation":[10,0,0]},{"mesh":0,"rotation":[0,0,0.7071067811865476,0.7071067811865476],"scale":[2,2,2]},{"mesh":0}])";
    const MeshFile file = read(parts); // node 2 is in no scene
    ASSERT_EQ(file.surface.vertices.size(), 5u);
    EXPECT_LT((file.surface.vertices[1] - Vec3(10, 2, 0)).norm(), 1e-12);
    parts.nodes = R"([{"mesh":0,"matrix":[0,1,0,0, -1,0,0,0, 0,0,1,0, 5,6,7,1]}])";
    EXPECT_LT((read(parts).surface.vertices[1] - Vec3(5, 7, 7)).norm(), 1e-12);
    parts.scenes.clear();
    parts.nodes = R"([{"children":[1]},{"mesh":0},{"mesh":0}])";
    EXPECT_EQ(read(parts).surface.triangles.size(), 2u);
}

TEST(ReadGltf, turns_triangles_that_a_node_mirrors) {
    Parts parts;
    parts.nodes = R"([{"mesh":0,"scale":[-1,1,1]}])";
    EXPECT_EQ(read(parts).surface.triangles, (std::vector<Triangle>{{0, 2, 1}}));
}

TEST(ReadGltf, reads_normalised_positions) {
    std::string bytes;
    for (const int x : {0, 0, 0, 0, 127, 0, 0, 0, 0, -128, 0, 0})
        append_little_endian(bytes, static_cast<std::int8_t>(x));
    bytes.resize(100, '\0');
    Parts parts;
    parts.extra = R"("extensionsRequired":["KHR_mesh_quantization"],)";
    parts.uri = "data:;base64," + base64(bytes);
    parts.primitive = R"({"attributes":{"POSITION":0}})";
    parts.position_accessor = R"({"bufferView":1,"componentType":5120,"normalized":true,"count":3,"type":"VEC3"})";
    std::string text = parts.text();
    const std::string views = R"({"buffer":0,"byteLength":100})";
    text.replace(text.find(views), views.size(), views + R"(,{"buffer":0,"byteLength":12,"byteStride":4})");
    const MeshFile file = read(text);
    EXPECT_EQ(file.surface.vertices, (std::vector<Vec3>{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, -1, 0)}));
}

TEST(ReadGltf, reads_what_the_writer_wrote) {
    const TriangleMesh mesh = {{Vec3(0, 0, 0), Vec3(1, 0.5, 0), Vec3(0, -1, 3)}, {{0, 1, 2}, {2, 1, 0}}};
    const std::string glb = written_glb(mesh);
    const MeshFile file = read(glb);
    EXPECT_EQ(file.surface, mesh);
    EXPECT_EQ(file.report.format, "glb");
    EXPECT_TRUE(read(written_glb({})).surface.triangles.empty());
}

TEST(ReadGltf, rejects_unsupported_content_by_name) {
    Parts draco;
    draco.extra = R"("extensionsRequired":["KHR_draco_mesh_compression"],)";
    const Error error = error_of([&] { static_cast<void>(read(draco)); });
    EXPECT_EQ(error.cause(), Cause::unsupported);
    EXPECT_NE(std::string(error.what()).find("KHR_draco_mesh_compression"), std::string::npos);
    Parts sparse;
    sparse.position_accessor = R"({"bufferView":0,"componentType":5126,"count":5,"type":"VEC3","sparse":{"count":1}})";
    EXPECT_EQ(cause_of(sparse), Cause::unsupported);
    for (const char* uri :
         {"other.bin", "/etc/passwd", "../x.bin", "file:///x", "http://example.com/x", "data:text/plain,abc"}) {
        Parts outside;
        outside.uri = uri;
        EXPECT_EQ(cause_of(outside), Cause::unsupported) << uri;
    }
    EXPECT_EQ(error_of([] { static_cast<void>(read(R"({"asset":{"version":"1.0"}})")); }).cause(), Cause::unsupported);
}

TEST(ReadGltf, refuses_numbers_that_do_not_fit) {
    const auto with = [](const char* member, std::string Parts::*part, std::string value) {
        Parts parts;
        parts.*part = std::move(value);
        return std::pair{member, cause_of(parts)};
    };
    const auto index = &Parts::index_accessor;
    EXPECT_EQ(with("view", index, R"({"bufferView":9,"componentType":5121,"count":3,"type":"SCALAR"})").second,
              Cause::index_out_of_range);
    EXPECT_EQ(
        with("count", index, R"({"bufferView":0,"componentType":5121,"count":18446744073709551615,"type":"SCALAR"})")
            .second,
        Cause::count_mismatch);
    EXPECT_EQ(
        with("offset", index,
             R"({"bufferView":0,"byteOffset":18446744073709551615,"componentType":5121,"count":3,"type":"SCALAR"})")
            .second,
        Cause::count_mismatch);
    EXPECT_EQ(
        with("negative", index, R"({"bufferView":0,"byteOffset":-1,"componentType":5121,"count":3,"type":"SCALAR"})")
            .second,
        Cause::malformed);
    EXPECT_EQ(with("type", index, R"({"bufferView":0,"componentType":1,"count":3,"type":"SCALAR"})").second,
              Cause::malformed);
    EXPECT_EQ(with("wide", index, R"({"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"})").second,
              Cause::malformed);
    EXPECT_EQ(with("length", &Parts::length, "101").second, Cause::truncated);
    EXPECT_EQ(with("base64", &Parts::uri, "data:;base64,*%*%").second, Cause::malformed);
    EXPECT_EQ(
        with("names float", index, R"({"bufferView":0,"byteOffset":16,"componentType":5125,"count":3,"type":"SCALAR"})")
            .second,
        Cause::index_out_of_range);
}

TEST(ReadGltf, refuses_nodes_in_circles_and_positions_that_are_not_finite) {
    Parts parts;
    parts.nodes = R"([{"children":[1]},{"children":[0],"mesh":0}])";
    EXPECT_EQ(cause_of(parts), Cause::malformed);
    parts.nodes = R"([{"children":[1,1]},{"mesh":0}])";
    EXPECT_EQ(cause_of(parts), Cause::malformed);
    parts.nodes = R"([{"children":[7],"mesh":0}])";
    EXPECT_EQ(cause_of(parts), Cause::index_out_of_range);
    parts.nodes = R"([{"mesh":0,"scale":[1e307,1e307,1e307],"children":[]},{}])";
    parts.scenes.clear();
    EXPECT_NO_THROW(static_cast<void>(read(parts)));
    parts.nodes = R"([{"scale":[1e308,1,1],"children":[1]},{"mesh":0,"scale":[1e308,1,1]}])";
    const Error error = error_of([&] { static_cast<void>(read(parts)); });
    EXPECT_EQ(error.cause(), Cause::non_finite);
    EXPECT_EQ(error.place().index, 0); // 0 times infinity
}

TEST(ReadGltf, rejects_deeply_nested_or_inflated_json) {
    const std::string deep = std::string(1000000, '[');
    EXPECT_EQ(error_of([&] { static_cast<void>(read(R"({"asset":)" + deep)); }).cause(), Cause::too_large);
    std::string wide = R"({"asset":{"version":"2.0"},"extras":[)";
    for (int i = 0; i < 600000; ++i) wide += "[],";
    wide += "0]}";
    EXPECT_EQ(error_of([&] { static_cast<void>(read(wide)); }).cause(), Cause::too_large);
    EXPECT_EQ(error_of([] { static_cast<void>(read("{\"asset\":")); }).cause(), Cause::malformed);
    EXPECT_EQ(error_of([] { static_cast<void>(read("[]")); }).cause(), Cause::malformed);
    EXPECT_EQ(error_of([] { static_cast<void>(read("{\"asset\":{\"version\":\"\xff\xfe\"}}")); }).cause(),
              Cause::malformed);
}

TEST(ReadGltf, refuses_a_small_file_that_repeats_its_mesh_endlessly) {
    Parts parts;
    std::string primitives;
    for (int i = 0; i < 3000; ++i) primitives += R"({"attributes":{"POSITION":0},"mode":0},)";
    primitives += R"({"attributes":{"POSITION":0}})";
    parts.primitive = primitives;
    parts.nodes = "[{}";
    for (int i = 0; i < 3000; ++i) parts.nodes += R"(,{"mesh":0})";
    parts.nodes += "]";
    parts.scenes.clear();
    EXPECT_EQ(cause_of(parts), Cause::too_large);
}

TEST(ReadGltf, refuses_damaged_glb) {
    const std::string glb = written_glb({{Vec3(0, 0, 0), Vec3(1, 0.5, 0), Vec3(0, -1, 3)}, {{0, 1, 2}}});
    for (std::size_t length = 4; length < glb.size(); length += 7) {
        const Cause cause = error_of([&] { static_cast<void>(read(std::string_view(glb).substr(0, length))); }).cause();
        EXPECT_EQ(cause, Cause::truncated) << length;
    }
    std::string version = glb;
    version[4] = 1;
    EXPECT_EQ(error_of([&] { static_cast<void>(read(version)); }).cause(), Cause::unsupported);
}

} // namespace gltf_reader_test
} // namespace fathom
