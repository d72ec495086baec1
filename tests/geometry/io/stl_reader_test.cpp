#include <fathom/base/encode/bytes.h>
#include <fathom/geometry/io/formats.h>
#include <support/sources.h>

#include <limits>

namespace fathom {
namespace stl_reader_test {

using testing::error_of;
using testing::source_of;

MeshFile read(std::string_view text) { return read_stl(source_of(text, "a.stl")); }

std::string binary(std::string header, std::uint32_t stated, const std::vector<std::array<float, 9>>& triangles) {
    header.resize(80, '\0');
    append_little_endian(header, stated);
    for (const std::array<float, 9>& t : triangles) {
        for (int k = 0; k < 3; ++k) append_little_endian(header, 7.0f);
        for (const float x : t) append_little_endian(header, x);
        append_little_endian(header, std::uint16_t{0xbeef});
    }
    return header;
}

const std::vector<std::array<float, 9>> two_triangles = {{0, 0, 0, 1, 0, 0, 1, 1, 0}, {0, 0, -0.0f, 1, 1, 0, 0, 1, 0}};

std::string facet(std::string_view vertices) {
    return std::string("facet normal 0 0 1\nouter loop\n").append(vertices).append("endloop\nendfacet\n");
}
constexpr std::string_view one = "vertex 0 0 0\nvertex 1 0 0\nvertex 1 1 0\n";

TEST(ReadStl, joins_equal_positions_of_binary_triangles) {
    const MeshFile file = read(binary("made by a test", 2, two_triangles));
    EXPECT_EQ(file.report.format, "stl binary");
    EXPECT_EQ(file.surface.vertices.size(), 4u);
    EXPECT_EQ(file.surface.triangles, (std::vector<Triangle>{{0, 1, 2}, {0, 2, 3}}));
}

TEST(ReadStl, takes_a_binary_file_that_begins_with_solid_for_binary) {
    const MeshFile file = read(binary("solid facet normal endsolid", 2, two_triangles));
    EXPECT_EQ(file.report.format, "stl binary");
    EXPECT_EQ(file.surface.triangles.size(), 2u);
}

TEST(ReadStl, rejects_a_binary_count_that_contradicts_the_size) {
    for (const std::uint32_t stated : {0u, 1u, 3u, 0xffffffffu}) {
        const Error error = error_of([&] { static_cast<void>(read(binary("x", stated, two_triangles))); });
        EXPECT_EQ(error.cause(), Cause::count_mismatch) << stated;
    }
    EXPECT_EQ(error_of([] { static_cast<void>(read("short")); }).cause(), Cause::truncated);
}

TEST(ReadStl, refuses_positions_that_are_not_finite) {
    auto triangles = two_triangles;
    triangles[1][4] = std::numeric_limits<float>::quiet_NaN();
    const Error error = error_of([&] { static_cast<void>(read(binary("x", 2, triangles))); });
    EXPECT_EQ(error.cause(), Cause::non_finite);
    EXPECT_EQ(error.place().index, 1);
    EXPECT_EQ(error_of([] { static_cast<void>(read("solid\nfacet\nouter loop\nvertex 0 1e999 0\n")); }).cause(),
              Cause::non_finite);
}

TEST(ReadStl, reads_text_of_any_case_with_names_and_several_solids) {
    const std::string text = std::string("solid a name of words\n")
                                 .append(facet(one))
                                 .append("endsolid a name\n\nSOLID b\n  ")
                                 .append("FACET NORMAL nan nan nan\nOUTER LOOP\nVERTEX 1 1 0\nVERTEX 0 1 0\nVERTEX -0 "
                                         "0 0\nENDLOOP\nENDFACET\nENDSOLID\n");
    const MeshFile file = read(text);
    EXPECT_EQ(file.report.format, "stl text");
    EXPECT_EQ(file.surface.vertices.size(), 4u);
    EXPECT_EQ(file.surface.triangles, (std::vector<Triangle>{{0, 1, 2}, {2, 3, 0}}));
    EXPECT_EQ(file.report.notes.size(), 1u);
}

TEST(ReadStl, cuts_facets_of_more_than_three_vertices) {
    const MeshFile file =
        read(std::string("solid\n").append(facet(std::string(one).append("vertex 0 1 0\n"))).append("endsolid\n"));
    EXPECT_EQ(file.surface.triangles.size(), 2u);
    EXPECT_EQ(file.report.polygons, 1u);
}

TEST(ReadStl, refuses_broken_text_with_its_line) {
    const auto line = [](std::string_view text, Cause cause) {
        const Error error = error_of([&] { static_cast<void>(read(text)); });
        EXPECT_EQ(error.cause(), cause) << text;
        return error.place().line;
    };
    EXPECT_EQ(line("solid\nfacet\nouter loop\nvertex 0 0 blah\n", Cause::malformed), 4);
    EXPECT_EQ(line("solid\nfacet\nouter loop\nvertex 0 0\n", Cause::malformed), 4);
    EXPECT_EQ(line("solid\nfacet\nouter loop\nvertex 0 0 0 0\n", Cause::malformed), 4);
    EXPECT_EQ(line("solid\nvertex 0 0 0\n", Cause::malformed), 2);
    EXPECT_EQ(line("solid\nfacet\nfacet\n", Cause::malformed), 3);
    EXPECT_EQ(line("solid\nrubbish\n", Cause::malformed), 2);
    EXPECT_GT(line("solid\nfacet\nouter loop\nvertex 0 0 0\n", Cause::truncated), 0);
    EXPECT_GT(line("solid\n", Cause::truncated), 0);
}

} // namespace stl_reader_test
} // namespace fathom
