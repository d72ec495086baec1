#include "volume_files.h"

namespace fathom {
namespace vtk_test {

using namespace testing;

const std::string text =
    "# vtk DataFile Version 3.0\ntitle\nASCII\nDATASET UNSTRUCTURED_GRID\n"
    "POINTS 4 double\n0 0 0 1 0 0 0 1 0 0 0 1\nCELLS 2 9\n4 0 1 2 3\n3 0 1 2\nCELL_TYPES 2\n10\n5\n";

const std::string text_5 =
    "# vtk DataFile Version 5.1\ntitle\nASCII\nDATASET UNSTRUCTURED_GRID\n"
    "POINTS 4 float\n0 0 0 1 0 0 0 1 0 0 0 1\nMETADATA\nINFORMATION 0\n\n"
    "CELLS 3 7\nOFFSETS vtktypeint64\n0 4 7\nCONNECTIVITY vtktypeint64\n0 1 2 3 0 1 2\nCELL_TYPES 2\n10\n5\n";

TEST(Vtk, reads_every_variant_that_vtk_writes) {
    const auto files = corpus_files("vtk_fuzz", "vtk_");
    ASSERT_EQ(files.size(), 4u);
    for (const auto& path : files) {
        SCOPED_TRACE(path);
        expect_sheared_cube(read_vtk(source_of(load(path))));
    }
    const MeshFile a = read_vtk(source_of(load(corpus("vtk_fuzz") / "poly_text.vtk")));
    const MeshFile b = read_vtk(source_of(load(corpus("vtk_fuzz") / "poly_binary.vtk")));
    EXPECT_EQ(a.surface, b.surface);
    EXPECT_EQ(a.surface.triangles.size(), 2u + 1u + 3u + 3u); // quadrilateral, triangle, pentagon, strip
    EXPECT_EQ(a.report.polygons, 2u);
    EXPECT_EQ(a.report.format, "vtk 5.1 ascii");
    EXPECT_EQ(b.report.format, "vtk 5.1 binary");
    EXPECT_FALSE(a.has_volume());
}

TEST(Vtk, both_layouts_of_cells_give_the_same_mesh) {
    EXPECT_EQ(read_vtk(source_of(text)).volume, read_vtk(source_of(text_5)).volume);
    EXPECT_EQ(read_vtk(source_of(text)).surface, read_vtk(source_of(text_5)).surface);
    EXPECT_EQ(read_vtk(source_of(text_5)).surface.triangles.size(), 1u);
}

TEST(Vtk, voxels_wedges_and_pyramids_are_cut_in_vtks_order_of_corners) {
    const MeshFile file = read_vtk(source_of(load(corpus("vtk_fuzz") / "cells.vtk")));
    EXPECT_EQ(file.report.flipped_tetrahedra, 0u); // a wrong order would turn some over
    EXPECT_NEAR(volume(file.volume), 1 + 1 + 0.5 + 1.0 / 3 + 1.0 / 6, 1e-14);
    EXPECT_EQ(file.volume.tetrahedra.size(), 6u + 6u + 3u + 2u + 1u);
    EXPECT_EQ(file.surface.triangles.size(), 2u + 2u + 3u + 2u); // pixel, quadrilateral, pentagon, strip
}

TEST(Vtk, the_triangles_of_a_strip_have_consistent_winding) {
    std::string strip = "# vtk DataFile Version 3.0\nt\nASCII\nDATASET POLYDATA\nPOINTS 6 float\n";
    for (int i = 0; i < 6; ++i) strip += std::to_string(i / 2) + " " + std::to_string(i % 2) + " 0\n";
    const MeshFile file = read_vtk(source_of(strip + "TRIANGLE_STRIPS 1 7\n6 0 1 2 3 4 5\n"));
    ASSERT_EQ(file.surface.triangles.size(), 4u);
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(area_vector(file.surface.corners(i)), Vec3(0, 0, -1));
}

TEST(Vtk, a_concave_polygon_is_cut_inside) {
    const std::string arrow = "# vtk DataFile Version 3.0\nt\nASCII\nDATASET POLYDATA\nPOINTS 5 float\n"
                              "0 0 0  2 1 0  0 2 0  .5 1.2 0  .5 .8 0\nPOLYGONS 1 6\n5 0 1 2 3 4\n";
    const MeshFile file = read_vtk(source_of(arrow));
    ASSERT_EQ(file.surface.triangles.size(), 3u);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_GT(area_vector(file.surface.corners(i)).z(), 0);
    EXPECT_EQ(file.report.polygons, 1u);
}

TEST(Vtk, cells_of_second_order_are_reduced_to_their_corners) {
    const std::string second = "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 float\n"
                               "0 0 0 1 0 0 0 1 0 0 0 1 .5 0 0\nCELLS 1 11\n10 0 1 2 3 4 4 4 4 4 4\nCELL_TYPES 1\n24\n";
    const MeshFile file = read_vtk(source_of(second));
    ASSERT_EQ(file.volume.tetrahedra.size(), 1u);
    EXPECT_EQ(file.volume.tetrahedra[0], (Tetrahedron{0, 1, 2, 3}));
    EXPECT_EQ(file.volume.vertices.size(), 5u);
    EXPECT_TRUE(has_note(file, "reduced 1 cells"));
}

TEST(Vtk, wrong_counts_and_indices_are_refused_with_their_place) {
    expect_cause(read_vtk, with(text, "4 0 1 2 3\n", "4 0 1 2 4\n"), Cause::index_out_of_range,
                 "test:8: cell 0: refers to vertex 4, but there are 4");
    expect_cause(read_vtk, with(text, "4 0 1 2 3\n", "4 0 1 2 -1\n"), Cause::index_out_of_range);
    expect_cause(read_vtk, with(text, "CELLS 2 9", "CELLS 3 9"), Cause::count_mismatch);
    expect_cause(read_vtk, with(text, "CELLS 2 9", "CELLS 1 9"), Cause::count_mismatch);
    expect_cause(read_vtk, with(text, "CELLS 2 9", "CELLS 2 8"), Cause::count_mismatch);
    expect_cause(read_vtk, with(text, "CELL_TYPES 2", "CELL_TYPES 1"), Cause::count_mismatch);
    expect_cause(read_vtk, with(text, "TYPES 2\n10\n5", "TYPES 2\n10\n10"), Cause::count_mismatch, "too few");
    expect_cause(read_vtk, with(text, "POINTS 4", "POINTS 5"), Cause::malformed);
    expect_cause(read_vtk, with(text, "POINTS 4", "POINTS 3"), Cause::malformed, "contains more data than it states");
    expect_cause(read_vtk, with(text, "1 0 0 0 1 0", "1 0 inf 0 1 0"), Cause::non_finite, "vertex 1");
    expect_cause(read_vtk, with(text, "CELL_TYPES 2\n10\n5\n", ""), Cause::truncated, "CELL_TYPES");
    expect_cause(read_vtk, with(text_5, "0 4 7", "0 7 4"), Cause::count_mismatch);
    expect_cause(read_vtk, with(text_5, "0 4 7", "0 4 6"), Cause::count_mismatch);
    expect_cause(read_vtk, with(text_5, "0 4 7", "1 4 7"), Cause::count_mismatch);
}

TEST(Vtk, stated_counts_are_checked) {
    for (const std::string_view count : {"99999999999", "9223372036854775807", "6148914691236517206"})
        expect_cause(read_vtk, with(text, "POINTS 4", std::string("POINTS ").append(count)), Cause::count_mismatch);
    expect_cause(read_vtk, with(text, "CELLS 2 9", "CELLS 99999999999 9"), Cause::count_mismatch);
    expect_cause(read_vtk, with(text_5, "CELLS 3", "CELLS 99999999999"), Cause::count_mismatch);
}

TEST(Vtk, unsupported_content_is_rejected_by_name) {
    expect_cause(read_vtk, with(text, "UNSTRUCTURED_GRID", "STRUCTURED_POINTS"), Cause::unsupported,
                 "structured_points");
    expect_cause(read_vtk, with(text, "UNSTRUCTURED_GRID", "RECTILINEAR_GRID"), Cause::unsupported);
    expect_cause(read_vtk, with(text, "# vtk", "# VDB"), Cause::unknown_format);
    expect_cause(read_vtk, "", Cause::unknown_format);
    expect_cause(read_vtk, with(text, " double", " bit"), Cause::unsupported);
}

TEST(Vtk, round_trips_are_exact) {
    expect_exact_round_trip(read_vtk, [](const TetMesh& mesh) { return written_vtk(mesh); });
    const TriangleMesh skin = boundary(random_tets(5, 300));
    EXPECT_EQ(read_vtk(source_of(written_vtk(skin))).surface, skin);
    EXPECT_TRUE(read_vtk(source_of(written_vtk(TriangleMesh{}))).surface.vertices.empty());
}

TEST(Vtk, real_files_have_the_expected_content) {
    FATHOM_NEEDS_MODELS();
    const std::string banana = load(models() / "tet/banana.vtk");
    expect_counts(read_vtk(source_of(banana)), {"banana.vtk", "vtk 2.0 ascii", 725, 2395, 1100, 0});
    expect_survives_damage(read_vtk, banana);
    expect_survives_damage(read_vtk, written_vtk(read_vtk(source_of(banana)).volume));
}

} // namespace vtk_test
} // namespace fathom
