#include <fathom/geometry/io/formats.h>
#include <support/sources.h>

namespace fathom {
namespace off_reader_test {

using testing::error_of;
using testing::source_of;

MeshFile read(std::string_view text) { return read_off(source_of(text, "a.off")); }

TEST(ReadOff, reads_counts_on_the_first_line_or_the_next_and_without_keyword) {
    for (const char* head : {"OFF\n3 1 0\n", "OFF 3 1 0\n", "3 1 0\n", "# c\nOFF # c\n\n3 1\n", "OFF\r\n3 1 3\r\n"}) {
        const MeshFile file = read(std::string(head).append("0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n"));
        EXPECT_EQ(file.surface.vertices.size(), 3u) << head;
        EXPECT_EQ(file.surface.triangles, (std::vector<Triangle>{{0, 1, 2}})) << head;
        EXPECT_TRUE(file.report.notes.empty()) << head;
    }
}

TEST(ReadOff, passes_over_normals_colours_and_texture) {
    for (const char* kind : {"COFF", "NOFF", "CNOFF", "STOFF", "STCNOFF"}) {
        const MeshFile file =
            read(std::string(kind).append("\n3 1 0\n0 0 0 1 0 0 1\n1 0 0 nan 1 0 0\n0 1 0 0 0 1 0\n3 0 1 2 255 0 0\n"));
        EXPECT_EQ(file.surface.vertices[1], Vec3(1, 0, 0)) << kind;
        EXPECT_EQ(file.surface.triangles.size(), 1u) << kind;
    }
}

TEST(ReadOff, divides_homogeneous_positions) {
    const MeshFile file = read("4OFF 3 1 0\n0 0 0 1\n2 0 0 2\n0 1 0 0.5\n3 0 1 2\n");
    EXPECT_EQ(file.surface.vertices[1], Vec3(1, 0, 0));
    EXPECT_EQ(file.surface.vertices[2], Vec3(0, 2, 0));
    EXPECT_EQ(error_of([] { static_cast<void>(read("4OFF 1 0 0\n1 0 0 0\n")); }).cause(), Cause::non_finite);
}

TEST(ReadOff, cuts_polygons_and_counts_what_it_skips) {
    const MeshFile file = read("OFF 4 4 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3\n2 0 1\n1 0\n0\n");
    EXPECT_EQ(file.surface.triangles.size(), 2u);
    EXPECT_EQ(file.report.polygons, 1u);
    EXPECT_EQ(file.report.skipped_faces, 3u);
}

TEST(ReadOff, checks_stated_counts) {
    EXPECT_EQ(error_of([] { static_cast<void>(read("OFF\n353535235358 6 0\n0 0 0\n")); }).cause(),
              Cause::count_mismatch);
    EXPECT_EQ(error_of([] { static_cast<void>(read("OFF\n1 99999999999999 0\n0 0 0\n")); }).cause(),
              Cause::count_mismatch);
    EXPECT_EQ(
        error_of([] { static_cast<void>(read("OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n888888888888 0 1 2\n")); }).cause(),
        Cause::count_mismatch);
    EXPECT_EQ(error_of([] { static_cast<void>(read("OFF\n-3 1 0\n")); }).cause(), Cause::malformed);
    EXPECT_EQ(error_of([] { static_cast<void>(read("OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0         \n")); }).cause(),
              Cause::truncated);
}

TEST(ReadOff, names_the_face_of_a_bad_index) {
    for (const char* index : {"3", "-1", "99999999999"}) {
        const Error error = error_of([&] {
            static_cast<void>(
                read(std::string("OFF\n3 2 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n3 0 1 ").append(index).append("\n")));
        });
        EXPECT_EQ(error.cause(), Cause::index_out_of_range);
        EXPECT_EQ(error.place().index, 1);
        EXPECT_EQ(error.place().line, 7);
    }
}

TEST(ReadOff, reports_unsupported_content) {
    EXPECT_EQ(error_of([] { static_cast<void>(read("OFF BINARY\n")); }).cause(), Cause::unsupported);
    EXPECT_EQ(error_of([] { static_cast<void>(read("nOFF 3\n3 1 0\n")); }).cause(), Cause::unsupported);
    EXPECT_EQ(read("OFF 1 0 0\n0 0 0\nmore\n").report.notes.size(), 1u);
}

} // namespace off_reader_test
} // namespace fathom
