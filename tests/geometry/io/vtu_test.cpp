#include "volume_files.h"

#include <fathom/base/encode/gzip.h>
#include <fathom/base/encode/text.h>

namespace fathom {
namespace vtu_test {

using namespace testing;

const std::string text = R"(<?xml version="1.0"?>
<VTKFile type="UnstructuredGrid" version="0.1" byte_order="LittleEndian">
<UnstructuredGrid><Piece NumberOfPoints="4" NumberOfCells="1">
<Points><DataArray type="Float64" NumberOfComponents="3" format="ascii">0 0 0
1 0 0
0 1 0
0 0 1</DataArray></Points>
<Cells><DataArray type="Int32" Name="connectivity" format="ascii">0 1 2 3</DataArray>
<DataArray type="Int32" Name="offsets" format="ascii">4</DataArray>
<DataArray type="UInt8" Name="types" format="ascii">10</DataArray></Cells>
</Piece></UnstructuredGrid></VTKFile>
)";

TEST(Vtu, reads_every_variant_that_vtk_writes) {
    const auto files = corpus_files("vtu_fuzz", "vtk_");
    ASSERT_EQ(files.size(), 9u);
    for (const auto& path : files) {
        SCOPED_TRACE(path);
        const std::string bytes = load(path);
        const MeshFile file = read_vtu(source_of(bytes));
        expect_sheared_cube(file);
        for (const std::string_view word : {"ascii", "binary", "appended"})
            EXPECT_EQ(path.filename().string().find(word) != std::string::npos,
                      file.report.format.find(word) != std::string::npos);
        EXPECT_EQ(path.filename().string().find("zlib") != std::string::npos, file.report.format.ends_with(" zlib"));
    }
}

TEST(Vtu, pieces_are_concatenated_and_comments_cdata_and_inner_elements_are_skipped) {
    const MeshFile file = read_vtu(source_of(load(corpus("vtu_fuzz") / "two_pieces.vtu")));
    EXPECT_EQ(file.volume.vertices.size(), 9u);
    EXPECT_EQ(file.volume.tetrahedra.size(), 1u);
    EXPECT_EQ(file.surface.triangles.size(), 3u);
    EXPECT_EQ(file.report.polygons, 1u);
    for (const Triangle& t : file.surface.triangles)
        for (const Index v : t) EXPECT_GE(v, 4u); // the second piece's own points
}

TEST(Vtu, wrong_counts_and_indices_are_refused_with_their_place) {
    expect_cause(read_vtu, with(text, "Points=\"4\"", "Points=\"3\""), Cause::count_mismatch, "test:7");
    expect_cause(read_vtu, with(text, "Points=\"4\"", "Points=\"5\""), Cause::truncated, "points is missing");
    expect_cause(read_vtu, with(text, "Cells=\"1\"", "Cells=\"2\""), Cause::truncated, "types is missing");
    expect_cause(read_vtu, with(text, "ascii\">4<", "ascii\">3<"), Cause::malformed, "too few");
    expect_cause(read_vtu, with(text, "ascii\">4<", "ascii\">5<"), Cause::truncated);
    expect_cause(read_vtu, with(text, "ascii\">4<", "ascii\">-4<"), Cause::malformed);
    expect_cause(read_vtu, with(text, "ascii\">4<", "ascii\">4 8<"), Cause::count_mismatch);
    expect_cause(read_vtu, with(text, "0 1 2 3<", "0 1 2 4<"), Cause::index_out_of_range,
                 "test:8: cell 0: refers to vertex 4, but there are 4");
    expect_cause(read_vtu, with(text, "0 1 2 3<", "0 1 2 3 0<"), Cause::count_mismatch);
    expect_cause(read_vtu, with(text, "0 1 0\n", "0 nan 0\n"), Cause::non_finite, "vertex 2");
    expect_cause(read_vtu, with(text, "\"types\"", "\"kinds\""), Cause::malformed, "types");
    expect_cause(read_vtu, with(text, "Int32\" Name=\"offsets", "Float32\" Name=\"offsets"), Cause::malformed,
                 "integer");
    expect_cause(read_vtu, text.substr(0, text.size() - 12), Cause::truncated);
}

TEST(Vtu, unsupported_content_is_rejected_by_name) {
    const std::string lz4 = load(corpus("vtu_fuzz") / "lz4_binary_lz4_32_little.vtu");
    expect_cause(read_vtu, lz4, Cause::unsupported, "vtkLZ4DataCompressor");
    expect_cause(read_vtu, with(lz4, "vtkLZ4DataCompressor", "vtkLZMADataCompressor"), Cause::unsupported,
                 "vtkLZMADataCompressor");
    expect_cause(read_vtu, with(text, "type=\"UnstructuredGrid\"", "type=\"PolyData\""), Cause::unsupported,
                 "PolyData");
    expect_cause(read_vtu, "<html></html>", Cause::unknown_format);
    expect_cause(read_vtu, "", Cause::unknown_format);
}

TEST(Vtu, base64_of_the_wrong_length_or_alphabet_is_refused) {
    const std::string good = load(corpus("vtu_fuzz") / "vtk_binary_plain_32_little.vtu");
    const std::size_t begin = good.find('>', good.find("<DataArray")) + 1;
    const std::size_t first = good.find_first_not_of(" \n\t", begin);
    const std::size_t last = good.find_first_of(" \n\t<", first);
    const auto edited = [&](std::size_t at, std::size_t count, std::string_view by) {
        return std::string(good).replace(at, count, by);
    };
    EXPECT_FALSE(error_from(read_vtu, good).has_value());
    expect_cause(read_vtu, edited(last - 1, 1, ""), Cause::malformed, "base64");
    expect_cause(read_vtu, edited(last - 4, 4, ""), Cause::truncated, "base64");
    expect_cause(read_vtu, edited(last, 0, "AAAA"), Cause::count_mismatch, "base64");
    expect_cause(read_vtu, edited(first + 10, 1, "*"), Cause::malformed, "not base64");
    expect_cause(read_vtu, edited(first + 10, 1, "="), Cause::malformed, "not base64");
    EXPECT_FALSE(error_from(read_vtu, edited(first + 8, 0, "\n  ")).has_value()); // line breaks do no harm
}

// A file whose points are `bytes` of zeros in one zlib block, and one cell of `nodes` times the same point.
std::string bomb(std::size_t points, std::size_t nodes, std::string_view type) {
    const auto packed = [](std::size_t size) {
        const std::string block = deflated(std::string(size, '\0'));
        OutputBuffer out;
        for (const std::uint64_t value :
             {std::uint64_t{1}, std::uint64_t{size}, std::uint64_t{0}, std::uint64_t{block.size()}})
            out.bytes(value);
        out.text(block);
        return std::move(out).take();
    };
    const std::string a = packed(24 * points), b = packed(nodes);
    return "<VTKFile type=\"UnstructuredGrid\" header_type=\"UInt64\" "
           "compressor=\"vtkZLibDataCompressor\"><UnstructuredGrid><Piece "
           "NumberOfPoints=\"" +
           std::to_string(points) +
           "\" NumberOfCells=\"1\"><Points><DataArray type=\"Float64\" "
           "NumberOfComponents=\"3\" format=\"appended\" offset=\"0\"/></Points><Cells><DataArray type=\"UInt8\" "
           "Name=\"connectivity\" "
           "format=\"appended\" offset=\"" +
           std::to_string(a.size()) + "\"/><DataArray type=\"Int64\" Name=\"offsets\" format=\"ascii\">" +
           std::to_string(nodes) + "</DataArray><DataArray type=\"UInt8\" Name=\"types\" format=\"ascii\">" +
           std::string(type) + "</DataArray></Cells></Piece></UnstructuredGrid><AppendedData encoding=\"raw\">_" + a +
           b + "</AppendedData></VTKFile>";
}

TEST(Vtu, a_compressed_file_cannot_request_unbounded_memory) {
    EXPECT_FALSE(error_from(read_vtu, bomb(1000, 1000, "7")).has_value());
    expect_cause(read_vtu, bomb(2'000'000, 4, "10"), Cause::too_large);  // 96 MB from 50 kB
    expect_cause(read_vtu, bomb(10, 20'000'000, "7"), Cause::too_large); // one polygon of as many corners
    expect_cause(read_vtu, with(bomb(1000, 4, "10"), "Points=\"1000\"", "Points=\"9000000000000000000\""),
                 Cause::too_large);
    expect_cause(read_vtu, with(bomb(1000, 4, "10"), "Points=\"1000\"", "Points=\"1001\""), Cause::truncated);
    expect_cause(read_vtu, with(bomb(1000, 4, "10"), "Points=\"1000\"", "Points=\"999\""), Cause::count_mismatch);
}

TEST(Vtu, packed_blocks_that_lie_about_their_size_are_refused) {
    const std::string good = bomb(1000, 4, "10");
    const std::size_t header = good.find("raw\">_") + 6;
    const auto edited = [&](std::size_t word, std::uint64_t value) {
        OutputBuffer number;
        number.bytes(value);
        return std::string(good).replace(header + 8 * word, 8, number.view());
    };
    EXPECT_FALSE(error_from(read_vtu, good).has_value());
    expect_cause(read_vtu, edited(0, 1'000'000'000), Cause::count_mismatch); // blocks
    expect_cause(read_vtu, edited(1, 23999), Cause::count_mismatch);         // unpacked size
    expect_cause(read_vtu, edited(1, 24001), Cause::count_mismatch);
    expect_cause(read_vtu, edited(1, 1'000'000'000'000), Cause::malformed, "more data than zlib can compress");
    expect_cause(read_vtu, edited(3, 1), Cause::malformed); // packed size: 24000 bytes from one
    expect_cause(read_vtu, edited(3, 1'000'000), Cause::truncated);
}

TEST(Vtu, round_trips_are_exact) {
    expect_exact_round_trip(read_vtu, [](const TetMesh& mesh) { return written_vtu(mesh); });
    const TriangleMesh skin = boundary(random_tets(5, 300));
    EXPECT_EQ(read_vtu(source_of(written_vtu(skin))).surface, skin);
    EXPECT_TRUE(read_vtu(source_of(written_vtu(TetMesh{}))).surface.vertices.empty());
}

TEST(Vtu, real_files_have_the_expected_content) {
    FATHOM_NEEDS_MODELS();
    const std::string armadillo = load(models() / "tet/Armadillo_Tetra_4406.vtu");
    expect_counts(read_vtu(source_of(armadillo)), {"Armadillo_Tetra_4406.vtu", "vtu ascii", 1446, 4406, 2532, 0});
    expect_survives_damage(read_vtu, armadillo);
    expect_survives_damage(read_vtu, written_vtu(read_vtu(source_of(armadillo)).volume));
    expect_cause(read_vtu, load(models() / "bad/Armadillo_Tetra_4406_for_test_broken.vtu"), Cause::count_mismatch,
                 "states 1445 points");
}

} // namespace vtu_test
} // namespace fathom
