#include "volume_files.h"

namespace fathom {
namespace medit_test {

using namespace testing;

const std::string text = "MeshVersionFormatted 1\nDimension 3\nVertices\n4\n0 0 0 1\n1 0 0 1\n0 1 0 1\n0 0 1 1\n"
                         "Triangles\n1\n1 2 3 7\nTetrahedra\n1\n1 2 3 4 0\nEnd\n";

TEST(Medit, reads_what_gmsh_and_meshio_write) {
    for (const char* file : {"gmsh.mesh", "meshio.mesh"}) {
        SCOPED_TRACE(file);
        expect_sheared_cube(read_medit(source_of(load(corpus("medit_fuzz") / file))));
    }
}

TEST(Medit, sections_without_surface_or_volume_are_skipped_and_named) {
    const MeshFile file = read_medit(source_of(load(corpus("medit_fuzz") / "cells.mesh")));
    EXPECT_EQ(file.volume.tetrahedra.size(), 6u + 3u + 2u + 1u); // hexahedron, prism, pyramid, tetrahedron
    EXPECT_EQ(file.surface.triangles.size(), 3u);
    EXPECT_NEAR(volume(file.volume), 1 + 0.5 + 1.0 / 3 + 1.0 / 6, 1e-14);
    EXPECT_TRUE(has_note(file, "Corners"));
    EXPECT_EQ(file.report.format, "medit ascii");
}

TEST(Medit, wrong_counts_and_indices_are_refused_with_their_place) {
    expect_cause(read_medit, with(text, "Vertices\n4", "Vertices\n5"), Cause::malformed, "test:9");
    expect_cause(read_medit, with(text, "Vertices\n4", "Vertices\n3"), Cause::count_mismatch, "test:8");
    expect_cause(read_medit, with(text, "Triangles\n1", "Triangles\n2"), Cause::count_mismatch, "got 1");
    expect_cause(read_medit, with(text, "Tetrahedra\n1", "Tetrahedra\n0"), Cause::count_mismatch);
    expect_cause(read_medit, with(text, "Tetrahedra\n1", "Tetrahedra\n100000000000"), Cause::count_mismatch);
    expect_cause(read_medit, with(text, "1 2 3 4 0", "1 2 3 5 0"), Cause::index_out_of_range,
                 "tetrahedron 0: refers to vertex 5, but there are 4");
    expect_cause(read_medit, with(text, "1 2 3 4 0", "0 2 3 4 0"), Cause::index_out_of_range);
    expect_cause(read_medit, with(text, "1 2 3 4 0", "1 2 3"), Cause::malformed);
    expect_cause(read_medit, with(text, "1 0 0 1", "nan 0 0 1"), Cause::non_finite, "vertex 1");
    expect_cause(read_medit, "MeshVersionFormatted 1\nDimension 3\n", Cause::truncated, "Vertices");
}

TEST(Medit, unsupported_content_is_rejected_by_name) {
    expect_cause(read_medit, with(text, "Dimension 3", "Dimension 2"), Cause::unsupported, "dimension");
    expect_cause(read_medit, std::string("\1\0\0\0\2\0\0\0", 8), Cause::unsupported, ".meshb");
    expect_cause(read_medit, std::string("\0\0\0\1\0\0\0\2", 8), Cause::unsupported, ".meshb");
    expect_cause(read_medit, with(text, "Vertices", "Faces"), Cause::unsupported, "precede the vertices");
    expect_cause(read_medit, "[MeshSerializer_v1.41]", Cause::unknown_format); // Ogre's files end in .mesh too
    expect_cause(read_medit, "", Cause::unknown_format);
}

TEST(Medit, round_trips_are_exact) { expect_exact_round_trip(read_medit, written_medit); }

TEST(Medit, damage_to_a_written_file_does_no_harm) {
    expect_survives_damage(read_medit, written_medit(random_tets(11, 2000)));
}

} // namespace medit_test
} // namespace fathom
