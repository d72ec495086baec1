#include <fathom/geometry/io/formats.h>
#include <support/sources.h>

namespace fathom {
namespace obj_reader_test {

using testing::error_of;
using testing::source_of;

MeshFile read(std::string_view text) { return read_obj(source_of(text, "a.obj")); }

constexpr std::string_view square = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";

std::string square_and(std::string_view more) { return std::string(square).append(more); }

TEST(ReadObj, reads_corners_with_and_without_texture_and_normal) {
    const MeshFile file =
        read(square_and("f 1 2 3\nf 1/1 2/7 3/9\nf 1//5 2//5 3//5\nf 1/1/1 2/2/2 3/3/3\nf 1// 2// 3//\n"));
    ASSERT_EQ(file.surface.triangles.size(), 5u);
    for (const Triangle& t : file.surface.triangles) EXPECT_EQ(t, (Triangle{0, 1, 2}));
    EXPECT_EQ(file.surface.vertices.size(), 4u);
    EXPECT_EQ(file.report.format, "obj");
}

TEST(ReadObj, counts_negative_indices_back_from_the_line) {
    const MeshFile file = read("v 0 0 0\nv 1 0 0\nv 1 1 0\nf -3 -2 -1\nv 0 1 0\nf -4 -2 -1\n");
    ASSERT_EQ(file.surface.triangles.size(), 2u);
    EXPECT_EQ(file.surface.triangles[0], (Triangle{0, 1, 2}));
    EXPECT_EQ(file.surface.triangles[1], (Triangle{0, 2, 3}));
}

TEST(ReadObj, lets_faces_name_vertices_that_come_later) {
    const MeshFile file = read(std::string("f 1 2 3 4\n").append(square));
    EXPECT_EQ(file.surface.triangles.size(), 2u);
    EXPECT_EQ(file.report.polygons, 1u);
}

TEST(ReadObj, carries_statements_over_a_backslash) {
    const MeshFile file = read("v 0 \\\n0 \\\r\n  0\nv 1 0 0\nv 1 1 0\nf 1 \\\n2 \\\n\\\n3\nf 3\\\n2 1\n");
    ASSERT_EQ(file.surface.triangles.size(), 2u);
    EXPECT_EQ(file.surface.triangles[0], (Triangle{0, 1, 2}));
    EXPECT_EQ(file.surface.triangles[1], (Triangle{2, 1, 0}));
    EXPECT_TRUE(file.report.notes.empty());
}

TEST(ReadObj, passes_over_colours_comments_groups_and_carriage_returns) {
    const MeshFile file =
        read("# comment\r\nmtllib a.mtl\r\nv 0 0 0 nan nan nan # NaN colour\r\nv 1 0 0 1\r\n\r\nv 1 1 0\r\n"
             "g part\r\nusemtl C:\\textures\\\r\ns off\r\nvn 0 0 1\r\nvt 0 0\r\nf 1 2 3 # face\r\n");
    EXPECT_EQ(file.surface.vertices.size(), 3u);
    EXPECT_EQ(file.surface.triangles.size(), 1u);
    EXPECT_TRUE(file.report.notes.empty());
}

TEST(ReadObj, keeps_vertices_that_are_equal_or_unused) {
    const MeshFile file = read("v 0 0 0\nv 0 0 0\nv 5 5 5\nv 1 0 0\nv 0 1 0\nf 1 4 5\n");
    EXPECT_EQ(file.surface.vertices.size(), 5u);
}

TEST(ReadObj, skips_and_counts_faces_of_too_few_corners) {
    const MeshFile file = read(square_and("f\nf 1\nf 1 2\nl 1 2 3\np 1\nf 1 2 3\n"));
    EXPECT_EQ(file.surface.triangles.size(), 1u);
    EXPECT_EQ(file.report.skipped_faces, 5u);
    EXPECT_EQ(file.report.notes.size(), 1u);
}

TEST(ReadObj, reports_unknown_lines) {
    const MeshFile file = read(std::string("4 2\n").append(square_and("f 1 2 3\n")));
    ASSERT_EQ(file.report.notes.size(), 1u);
    EXPECT_NE(file.report.notes[0].find("line 1"), std::string::npos);
}

TEST(ReadObj, refuses_indices_out_of_range_with_line_and_index) {
    for (const auto& [face, index] : {std::pair{"f 1 2 0\n", "vertex 0"},
                                      {"f 1 2 5\n", "vertex 5"},
                                      {"f 1 2 -5\n", "vertex -5"},
                                      {"f 1 2 99999999999\n", "vertex 99999999999"}}) {
        const std::string text = square_and(face);
        const Error error = error_of([&] { static_cast<void>(read(text)); });
        EXPECT_EQ(error.cause(), Cause::index_out_of_range) << face;
        EXPECT_EQ(error.place().line, 5) << face;
        EXPECT_NE(std::string(error.what()).find(index), std::string::npos) << error.what();
        EXPECT_EQ(std::string(error.what()).rfind("a.obj:5: ", 0), 0u) << error.what();
    }
}

TEST(ReadObj, refuses_positions_that_are_not_finite_with_the_vertex) {
    for (const char* bad : {"nan 0 0", "0 inf 0", "0 0 -inf", "1e999 0 0", "0 -1e400 0"}) {
        const Error error =
            error_of([&] { static_cast<void>(read(std::string("v 0 0 0\nv ").append(bad).append("\n"))); });
        EXPECT_EQ(error.cause(), Cause::non_finite) << bad;
        EXPECT_EQ(error.place().index, 1) << bad;
        EXPECT_EQ(error.place().line, 2) << bad;
    }
}

TEST(ReadObj, takes_numbers_too_small_for_a_double_for_zero) {
    const MeshFile file =
        read(std::string("v 1e-999 -1e-400 0.").append(std::string(400, '0')).append("1\nv +1 1.5e+1 .5\n"));
    EXPECT_EQ(file.surface.vertices.at(0), Vec3::Zero());
    EXPECT_EQ(file.surface.vertices.at(1), Vec3(1, 15, 0.5));
}

TEST(ReadObj, rejects_invalid_numbers) {
    EXPECT_EQ(error_of([] { static_cast<void>(read("v 0 0 zero\n")); }).cause(), Cause::malformed);
    EXPECT_EQ(error_of([] { static_cast<void>(read("v 0 0\nf 1 1 1\n")); }).cause(), Cause::malformed);
    EXPECT_EQ(error_of([] { static_cast<void>(read("v 0 0")); }).cause(), Cause::truncated);
    EXPECT_EQ(error_of([] { static_cast<void>(read(square_and("f a b c\n"))); }).cause(), Cause::malformed);
    EXPECT_EQ(error_of([] { static_cast<void>(read("\x89PNG\r\n\x1a\n rubbish\n")); }).cause(), Cause::malformed);
}

TEST(ReadObj, cuts_concave_polygons_inside_their_border) {
    const MeshFile file = read("v 0 0 0\nv 4 0 0\nv 4 4 0\nv 2 1 0\nv 0 4 0\nf 1 2 3 4 5\n");
    ASSERT_EQ(file.surface.triangles.size(), 3u);
    double area = 0;
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_GT(area_vector(file.surface.corners(i)).z(), 0);
        area += area_vector(file.surface.corners(i)).z() / 2;
    }
    EXPECT_DOUBLE_EQ(area, 10.0);
}

} // namespace obj_reader_test
} // namespace fathom
