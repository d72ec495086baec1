#include <fathom/base/encode/bytes.h>
#include <fathom/geometry/io/formats.h>
#include <support/sources.h>

#include <algorithm>
#include <limits>

namespace fathom {
namespace ply_reader_test {

using testing::error_of;
using testing::source_of;

MeshFile read(std::string_view text) { return read_ply(source_of(text, "a.ply")); }

template <class T>
void append_big_endian(std::string& bytes, T value) {
    std::string little;
    append_little_endian(little, value);
    bytes.append(little.rbegin(), little.rend());
}

constexpr std::string_view text_head = "ply\nformat ascii 1.0\n";
constexpr std::string_view plain_elements = "element vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
                                            "element face 1\nproperty list uchar int vertex_indices\nend_header\n";

std::string text_file(std::string_view elements, std::string_view body) {
    return std::string(text_head).append(elements).append(body);
}

const TriangleMesh expected = {{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)}, {{0, 1, 2}}};

TEST(ReadPly, reads_text) {
    const MeshFile file = read(text_file(plain_elements, "0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n"));
    EXPECT_EQ(file.surface, expected);
    EXPECT_EQ(file.report.format, "ply text");
    EXPECT_TRUE(file.report.notes.empty());
}

TEST(ReadPly, reads_comments_carriage_returns_and_rows_that_span_lines) {
    const std::string elements =
        "comment element vertex 9\r\nobj_info num_cols 512\r\nelement vertex 3\r\nproperty int32 x\r\nproperty int32 "
        "y\r\n"
        "property int32 z\r\nelement face 1\r\nproperty list uint8 int32 vertex_index\r\nend_header\r\n";
    EXPECT_EQ(read(text_file(elements, "0 0 0 1\r\n0 0\r\n0 1 0\r\n3 0 1 2")).surface, expected);
}

template <class Real, class Count, class Member, class Append>
std::string binary_file(std::string_view order, std::string_view real, std::string_view count, std::string_view member,
                        Append append) {
    std::string bytes = "ply\nformat ";
    bytes.append(order)
        .append(" 1.0\nelement vertex 3\nproperty uchar red\nproperty ")
        .append(real)
        .append(" z\nproperty ");
    bytes.append(real).append(" y\nproperty list uchar short weights\nproperty ").append(real).append(" x\n");
    bytes.append("element unknown 2\nproperty double a\nelement face 1\nproperty float quality\nproperty list ");
    bytes.append(count).append(" ").append(member).append(" vertex_indices\nproperty uchar flags\nend_header\n");
    for (const Vec3& v : expected.vertices) {
        append(bytes, std::uint8_t{200});
        append(bytes, static_cast<Real>(v.z()));
        append(bytes, static_cast<Real>(v.y()));
        append(bytes, std::uint8_t{2});
        append(bytes, std::int16_t{-1});
        append(bytes, std::int16_t{5});
        append(bytes, static_cast<Real>(v.x()));
    }
    for (int k = 0; k < 2; ++k) append(bytes, 3.5);
    append(bytes, 1.0f);
    append(bytes, static_cast<Count>(3));
    for (const int v : {0, 1, 2}) append(bytes, static_cast<Member>(v));
    append(bytes, std::uint8_t{1});
    return bytes;
}

TEST(ReadPly, reads_any_order_and_type_of_properties_in_both_byte_orders) {
    const auto little = [](std::string& bytes, auto value) { append_little_endian(bytes, value); };
    const auto big = [](std::string& bytes, auto value) { append_big_endian(bytes, value); };
    const MeshFile a =
        read(binary_file<float, std::uint8_t, std::int32_t>("binary_little_endian", "float", "uchar", "int", little));
    EXPECT_EQ(a.surface, expected);
    EXPECT_EQ(a.report.format, "ply binary little-endian");
    const MeshFile b = read(
        binary_file<double, std::uint32_t, std::uint16_t>("binary_big_endian", "float64", "uint32", "ushort", big));
    EXPECT_EQ(b.surface, expected);
    EXPECT_EQ(b.report.format, "ply binary big-endian");
    const MeshFile c =
        read(binary_file<std::int16_t, std::int16_t, std::int8_t>("binary_big_endian", "short", "int16", "char", big));
    EXPECT_EQ(c.surface, expected);
    const MeshFile d =
        read(binary_file<std::uint8_t, std::int8_t, float>("binary_little_endian", "uint8", "int8", "float32", little));
    EXPECT_EQ(d.surface, expected);
}

TEST(ReadPly, reads_faces_that_stand_before_the_vertices) {
    const MeshFile file =
        read(text_file("element face 2\nproperty list uchar int vertex_indices\nelement vertex 4\nproperty float x\n"
                       "property float y\nproperty float z\nend_header\n",
                       "4 0 1 2 3\n3 0 1 2\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n"));
    EXPECT_EQ(file.surface.triangles.size(), 3u);
    EXPECT_EQ(file.report.polygons, 1u);
}

TEST(ReadPly, unrolls_triangle_strips) {
    const MeshFile file = read(text_file("element vertex 5\nproperty float x\nproperty float y\nproperty float z\n"
                                         "element tristrips 1\nproperty list int int vertex_indices\nend_header\n",
                                         "0 0 0\n1 0 0\n0 1 0\n1 1 0\n0 2 0\n9 0 1 2 3 4 -1 2 1 0\n"));
    EXPECT_EQ(file.surface.triangles, (std::vector<Triangle>{{0, 1, 2}, {2, 1, 3}, {2, 3, 4}, {2, 1, 0}}));
}

TEST(ReadPly, reads_a_point_cloud_as_a_surface_without_triangles) {
    const MeshFile file = read(
        text_file("element vertex 1\nproperty float x\nproperty float y\nproperty float z\nend_header\n", "1 2 3\n"));
    EXPECT_EQ(file.surface.vertices.size(), 1u);
    EXPECT_TRUE(file.surface.triangles.empty());
    EXPECT_EQ(file.report.notes.size(), 1u);
}

Cause cause_of(std::string_view text) {
    return error_of([&] { static_cast<void>(read(text)); }).cause();
}

TEST(ReadPly, checks_stated_counts_and_terminates_on_empty_rows) {
    const std::string vertices = "property float x\nproperty float y\nproperty float z\n";
    EXPECT_EQ(cause_of(text_file("element vertex 999999999999\n" + vertices + "end_header\n", "0 0 0\n")),
              Cause::count_mismatch);
    EXPECT_EQ(cause_of(text_file(plain_elements, "0 0 0\n1 0 0\n0 1 0\n999999999 0 1 2\n")), Cause::count_mismatch);
    EXPECT_EQ(read(text_file("element nothing 9223372036854775807\nelement vertex 1\n" + vertices + "end_header\n",
                             "0 0 0\n"))
                  .surface.vertices.size(),
              1u);
    EXPECT_EQ(cause_of(text_file("element vertex 9223372036854775807\nend_header\n", "")), Cause::malformed);
}

TEST(ReadPly, rejects_truncated_files) {
    const auto little = [](std::string& bytes, auto value) { append_little_endian(bytes, value); };
    const std::string whole =
        binary_file<float, std::uint8_t, std::int32_t>("binary_little_endian", "float", "uchar", "int", little);
    for (std::size_t length = 0; length < whole.size(); ++length) {
        const Cause cause = cause_of(std::string_view(whole).substr(0, length));
        EXPECT_TRUE(cause == Cause::truncated || cause == Cause::count_mismatch || cause == Cause::malformed ||
                    cause == Cause::unsupported)
            << length;
    }
}

TEST(ReadPly, rejects_inconsistent_headers) {
    EXPECT_EQ(cause_of("plya\n"), Cause::malformed);
    EXPECT_EQ(cause_of("ply\nend_header\n"), Cause::malformed);
    EXPECT_EQ(cause_of("ply\nformat ebcdic 1.0\nend_header\n"), Cause::unsupported);
    EXPECT_EQ(cause_of("ply\nformat ascii 1.0\nproperty float x\nend_header\n"), Cause::malformed);
    EXPECT_EQ(cause_of(text_file("element vertex -1\nend_header\n", "")), Cause::malformed);
    EXPECT_EQ(cause_of(text_file("element vertex 1\nproperty float x\nproperty float y\nend_header\n", "0 0\n")),
              Cause::malformed);
    EXPECT_EQ(cause_of(text_file("element vertex 1\nproperty float x\nproperty float x\nend_header\n", "0 0\n")),
              Cause::malformed);
    EXPECT_EQ(cause_of(text_file("element vertex 1\nproperty list float int x\nend_header\n", "0 0\n")),
              Cause::malformed);
    EXPECT_EQ(cause_of(text_file("element vertex 1\nproperty quaternion x\nend_header\n", "0 0\n")), Cause::malformed);
}

TEST(ReadPly, names_vertex_and_face_of_bad_numbers) {
    const Error vertex =
        error_of([] { static_cast<void>(read(text_file(plain_elements, "0 0 0\n1 nan 0\n0 1 0\n3 0 1 2\n"))); });
    EXPECT_EQ(vertex.cause(), Cause::non_finite);
    EXPECT_EQ(vertex.place().index, 1);
    for (const char* index : {"3", "-1", "4294967295"}) {
        const Error face = error_of([&] {
            static_cast<void>(
                read(text_file(plain_elements, std::string("0 0 0\n1 0 0\n0 1 0\n3 0 1 ").append(index))));
        });
        EXPECT_EQ(face.cause(), Cause::index_out_of_range);
        EXPECT_EQ(face.place().index, 0);
        EXPECT_EQ(face.place().line, 13);
    }
}

} // namespace ply_reader_test
} // namespace fathom
