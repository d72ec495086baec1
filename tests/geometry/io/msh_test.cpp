#include "volume_files.h"

#include <fathom/base/encode/text.h>

#include <numeric>
#include <sstream>

namespace fathom {
namespace msh_test {

using namespace testing;

const std::string text_22 = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
                            "$Nodes\n4\n10 0 0 0\n20 1 0 0\n5 0 1 0\n1000000000000 0 0 1\n$EndNodes\n"
                            "$Elements\n1\n1 4 2 0 1 10 20 5 1000000000000\n$EndElements\n";

const std::string text_41 =
    "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
    "$Nodes\n2 4 1 9\n0 1 0 1\n7\n0 0 0\n3 1 1 3\n2\n9\n4\n1 0 0 .1 .2 .3\n0 1 0 .1 .2 .3\n0 0 1 .1 .2 .3\n$EndNodes\n"
    "$Elements\n1 1 1 1\n3 1 4 1\n1 7 2 9 4\n$EndElements\n";

const TetMesh corner = {{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)}, {{0, 1, 2, 3}}};

// The corner as gmsh 2.2 binary, with three tags on its element.
std::string binary_22(std::endian order) {
    OutputBuffer out(order);
    out.text("$MeshFormat\n2.2 1 8\n");
    out.bytes<std::int32_t>(1);
    out.text("\n$EndMeshFormat\n$Nodes\n4\n");
    for (int i = 0; i < 4; ++i) {
        out.bytes<std::int32_t>(100 - i);
        for (int k = 0; k < 3; ++k) out.bytes(corner.vertices[static_cast<std::size_t>(i)][k]);
    }
    out.text("\n$EndNodes\n$Elements\n1\n");
    for (const int value : {4, 1, 3, 17, 1, 2, 3, 100, 99, 98, 97}) out.bytes<std::int32_t>(value);
    out.text("\n$EndElements\n");
    return std::move(out).take();
}

// The same as 4.1 binary; its sizes are 8 bytes.
std::string binary_41(std::endian order) {
    OutputBuffer out(order);
    const auto sizes = [&](std::initializer_list<std::uint64_t> values) {
        for (const std::uint64_t value : values) out.bytes(value);
    };
    const auto ints = [&](std::initializer_list<std::int32_t> values) {
        for (const std::int32_t value : values) out.bytes(value);
    };
    out.text("$MeshFormat\n4.1 1 8\n");
    ints({1});
    out.text("\n$EndMeshFormat\n$Nodes\n");
    sizes({1, 4, 1, 4});
    ints({3, 1, 0});
    sizes({4, 100, 99, 98, 97});
    for (const Vec3& v : corner.vertices)
        for (int k = 0; k < 3; ++k) out.bytes(v[k]);
    out.text("\n$EndNodes\n$Elements\n");
    sizes({1, 1, 17, 17});
    ints({3, 1, 4});
    sizes({1, 17, 100, 99, 98, 97});
    out.text("\n$EndElements\n");
    return std::move(out).take();
}

TEST(Msh, text_and_binary_of_both_byte_orders_give_the_same_mesh) {
    for (const std::string& text : {text_22, text_41, binary_22(std::endian::little), binary_22(std::endian::big),
                                    binary_41(std::endian::little), binary_41(std::endian::big)})
        EXPECT_EQ(read_msh(source_of(text)).volume, corner) << text.substr(0, 24);
    EXPECT_EQ(read_msh(source_of(text_22)).report.format, "msh 2.2 ascii");
    EXPECT_EQ(read_msh(source_of(binary_41(std::endian::big))).report.format, "msh 4.1 binary");
}

TEST(Msh, reads_every_version_that_gmsh_writes) {
    std::vector<std::filesystem::path> files = corpus_files("msh_fuzz", "gmsh_");
    files.push_back(corpus("msh_fuzz") / "meshio_4.0_binary.msh");
    ASSERT_EQ(files.size(), 7u);
    for (const auto& path : files) {
        SCOPED_TRACE(path);
        expect_sheared_cube(read_msh(source_of(load(path))));
    }
}

TEST(Msh, other_cells_are_cut_reduced_or_passed_over_and_the_report_says_so) {
    const MeshFile file = read_msh(source_of(load(corpus("msh_fuzz") / "cells.msh")));
    EXPECT_EQ(file.volume.vertices.size(), 13u);
    EXPECT_EQ(file.volume.tetrahedra.size(), 6u + 3u + 2u + 1u); // hexahedron, prism, pyramid, reduced tetrahedron
    EXPECT_NEAR(volume(file.volume), 1 + 0.5 + 1.0 / 3 + 1.0 / 6, 1e-14);
    EXPECT_EQ(file.report.flipped_tetrahedra, 0u);
    EXPECT_EQ(file.surface.triangles.size(), 1u);
    EXPECT_TRUE(has_note(file, "reduced 2 cells"));
    EXPECT_TRUE(has_note(file, "subdivided 3 "));
    EXPECT_TRUE(has_note(file, "skipped 1 points and lines"));
    EXPECT_TRUE(has_note(file, "neither surface nor volume"));
}

// A row of `count` unit hexahedra along x, and the quadrilateral at its start; node number i has the tag `tag[i]`, and
// nodes are written in the order of their tags.
std::string row_of_hexahedra(std::size_t count, const std::vector<std::size_t>& tag) {
    std::vector<std::size_t> node(tag.size());
    for (std::size_t i = 0; i < tag.size(); ++i) node[tag[i]] = i;
    std::ostringstream out;
    out << "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n" << tag.size() << "\n";
    for (std::size_t t = 0; t < tag.size(); ++t) {
        const std::size_t k = node[t] % 4;
        out << t << " " << node[t] / 4 << " " << (k == 1 || k == 2) << " " << (k >= 2) << "\n";
    }
    out << "$EndNodes\n$Elements\n" << count + 1 << "\n";
    for (std::size_t e = 0; e < count; ++e) {
        out << e + 1 << " 5 0";
        for (std::size_t k = 0; k < 8; ++k) out << " " << tag[4 * e + k];
        out << "\n";
    }
    out << "99 3 0 " << tag[3] << " " << tag[2] << " " << tag[1] << " " << tag[0] << "\n$EndElements\n";
    return out.str();
}

// Any clash of diagonals between neighbours would leave faces inside.
TEST(Msh, cut_hexahedra_conform_to_their_neighbours_and_to_boundary_quadrilaterals) {
    Random random(3);
    constexpr std::size_t count = 4;
    std::vector<std::size_t> tag(4 * (count + 1));
    std::iota(tag.begin(), tag.end(), std::size_t{0});
    const auto sorted = [](Triangle t) {
        std::sort(t.begin(), t.end());
        return t;
    };
    for (int round = 0; round < 50; ++round) {
        for (std::size_t i = tag.size(); i > 1; --i) std::swap(tag[i - 1], tag[random.below(i)]);
        const MeshFile file = read_msh(source_of(row_of_hexahedra(count, tag)));
        const TriangleMesh skin = boundary(file.volume);
        EXPECT_EQ(skin.triangles.size(), 2 * (4 * count + 2));
        EXPECT_DOUBLE_EQ(volume(file.volume), count);
        ASSERT_EQ(file.surface.triangles.size(), 2u);
        for (const Triangle& t : file.surface.triangles)
            EXPECT_TRUE(std::any_of(skin.triangles.begin(), skin.triangles.end(),
                                    [&](const Triangle& s) { return sorted(s) == sorted(t); }));
    }
}

TEST(Msh, a_concave_quadrilateral_is_cut_along_its_inner_diagonal) {
    for (const char* corners : {"1 2 3 4", "2 3 4 1", "3 4 1 2", "4 1 2 3"}) {
        const std::string text =
            with("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 1 0 0\n2 .2 .2 0\n3 0 1 0\n4 0 0 0\n$EndNodes\n"
                 "$Elements\n1\n1 3 0 CORNERS\n$EndElements\n",
                 "CORNERS", corners);
        const MeshFile file = read_msh(source_of(text));
        ASSERT_EQ(file.surface.triangles.size(), 2u);
        for (std::size_t i = 0; i < 2; ++i) EXPECT_GT(area_vector(file.surface.corners(i)).z(), 0) << corners;
    }
}

TEST(Msh, wrong_counts_and_missing_nodes_are_refused_with_their_place) {
    expect_cause(read_msh, with(text_22, "Nodes\n4", "Nodes\n5"), Cause::count_mismatch, "test:10");
    expect_cause(read_msh, with(text_22, "Nodes\n4", "Nodes\n3"), Cause::count_mismatch);
    expect_cause(read_msh, with(text_22, "Elements\n1", "Elements\n2"), Cause::count_mismatch);
    expect_cause(read_msh, with(text_22, "Elements\n1", "Elements\n0"), Cause::count_mismatch);
    expect_cause(read_msh, with(text_22, "10 20 5 1", "10 20 6 1"), Cause::index_out_of_range,
                 "element 0: refers to node 6");
    expect_cause(read_msh, with(text_22, " 1000000000000\n$", "\n$"), Cause::malformed, "test:13");
    expect_cause(read_msh, with(text_22, "\n5 0 1 0", "\n10 0 1 0"), Cause::malformed, "two nodes have the tag 10");
    expect_cause(read_msh, with(text_22, "20 1 0 0", "20 nan 0 0"), Cause::non_finite, "vertex 1");
    expect_cause(read_msh, with(text_22, "20 1 0 0", "20 1e999 0 0"), Cause::non_finite, "vertex 1");
    expect_cause(read_msh, with(text_41, "2 4 1 9", "2 5 1 9"), Cause::count_mismatch);
    expect_cause(read_msh, with(text_41, "2 4 1 9", "2 3 1 9"), Cause::count_mismatch);
    expect_cause(read_msh, with(text_41, "1 1 1 1", "1 2 1 1"), Cause::count_mismatch);
}

TEST(Msh, stated_counts_are_checked) {
    expect_cause(read_msh, with(text_22, "Nodes\n4", "Nodes\n9000000000000000000"), Cause::count_mismatch);
    expect_cause(read_msh, with(text_22, "Elements\n1", "Elements\n9000000000000000000"), Cause::count_mismatch);
    expect_cause(read_msh, with(text_41, "2 4 1 9", "2 4000000000 1 9"), Cause::count_mismatch);
    expect_cause(read_msh, with(text_22, "Nodes\n4", "Nodes\n-4"), Cause::malformed);
    std::string binary = binary_41(std::endian::little);
    binary[binary.find("$Nodes\n") + 7 + 8 + 6] = '\x7f'; // the number of nodes
    expect_cause(read_msh, binary, Cause::count_mismatch);
}

TEST(Msh, unsupported_content_is_rejected_by_name) {
    expect_cause(read_msh, with(text_22, "2.2 0 8", "3.0 0 8"), Cause::unsupported, "version");
    expect_cause(read_msh, with(text_22, "$Nodes", "$ParametricNodes"), Cause::unsupported, "$ParametricNodes");
    expect_cause(read_msh, with(binary_22(std::endian::little), "2.2 1 8", "2.2 1 4"), Cause::unsupported);
    expect_cause(read_msh, "", Cause::truncated);
    expect_cause(read_msh, "solid cube", Cause::malformed);
    expect_cause(read_msh, "$Comments\n", Cause::unknown_format);
    expect_cause(read_msh, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Thing\n1 2 3\n", Cause::truncated);
}

TEST(Msh, round_trips_are_exact) {
    expect_exact_round_trip(read_msh, written_msh);
    EXPECT_TRUE(has_note(read_msh(source_of(written_msh({}))), "contains neither"));
}

TEST(Msh, real_files_have_the_expected_content) {
    FATHOM_NEEDS_MODELS();
    for (const RealMesh& real :
         {RealMesh{"tet/bunny.msh", "msh 4.1 ascii", 4670, 19379, 6266, 0},
          RealMesh{"tet/Armadillo13K.msh", "msh 4.1 ascii", 13230, 54985, 17296, 0},
          RealMesh{"tet/hand.msh", "msh 2.2 binary", 7234, 29998, 9556, 0},
          RealMesh{"tet/torus_low_res.msh", "msh 1 ascii", 264, 862, 408, 0},
          RealMesh{"bad/6_tetra_bad.msh", "msh 2.2 ascii", 17, 6, 24, 1},
          RealMesh{"bad/malformed_cube_41_ascii_mismatch_between_max_nodes_and_nodes_in_block.msh", "msh 4.1 ascii", 14,
                   24, 24, 0}}) {
        const std::string text = load(models() / real.file);
        expect_counts(read_msh(source_of(text)), real);
        expect_survives_damage(read_msh, text);
    }
    const MeshFile torus = read_msh(source_of(load(models() / "tet/torus_low_res.msh")));
    EXPECT_EQ(torus.surface.triangles.size(), 408u);
    EXPECT_TRUE(has_note(torus, "skipped 200 points and lines"));
    EXPECT_TRUE(has_note(read_msh(source_of(load(models() / "bad/6_tetra_bad.msh"))), "5 elements repeat the tag"));
}

TEST(Msh, real_files_that_are_broken_are_refused_with_the_line) {
    FATHOM_NEEDS_MODELS();
    expect_cause(read_msh, load(models() / "bad/malformed_cube_22_ascii_missing_node.msh"), Cause::count_mismatch,
                 "test:19");
    expect_cause(read_msh, load(models() / "bad/malformed_cube_41_ascii_missing_element.msh"), Cause::count_mismatch,
                 "test:66");
}

} // namespace msh_test
} // namespace fathom
