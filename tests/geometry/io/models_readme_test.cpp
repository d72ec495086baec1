// The folder of real models describes itself in tables; what we read and report must agree with every row of them.
#include <support/models.h>

#include <fathom/base/error.h>
#include <fathom/geometry/inspect/mesh_report.h>
#include <fathom/geometry/io/mesh_file.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>

namespace fathom {
namespace models_readme_test {

// One row, by the names of the columns.
using Row = std::map<std::string, std::string>;

std::vector<std::string> cells_of(const std::string& line) {
    std::vector<std::string> cells;
    std::istringstream stream(line.substr(1));
    for (std::string cell; std::getline(stream, cell, '|');) {
        const auto first = cell.find_first_not_of(' '), last = cell.find_last_not_of(' ');
        cells.push_back(first == std::string::npos ? "" : cell.substr(first, last - first + 1));
    }
    return cells;
}

// The rows of every table that has a column "watertight".
std::vector<Row> described_meshes(const std::filesystem::path& readme) {
    std::vector<Row> rows;
    std::vector<std::string> header;
    std::ifstream stream(readme);
    for (std::string line; std::getline(stream, line);) {
        if (line.empty() || line[0] != '|') {
            header.clear();
            continue;
        }
        const auto cells = cells_of(line);
        if (header.empty()) {
            header = cells;
        } else if (cells[0][0] == '`' && std::find(header.begin(), header.end(), "watertight") != header.end()) {
            Row row;
            for (std::size_t i = 0; i < std::min(cells.size(), header.size()); ++i) row[header[i]] = cells[i];
            rows.push_back(row);
        }
    }
    return rows;
}

// The file itself; where a mesh is two files, the first.
std::string file_of(const Row& row) {
    const std::string& cell = row.at("file");
    return cell.substr(1, cell.find_first_of("` ", 1) - 1);
}

// The number before the words, 0 where they do not occur.
std::size_t number_before(const std::string& text, const std::string& words) {
    std::smatch match;
    if (!std::regex_search(text, match, std::regex("([0-9,]+) " + words))) return 0;
    std::string digits = match[1];
    std::erase(digits, ',');
    return std::stoul(digits);
}

std::size_t number(const std::string& cell) { return number_before(cell + " end", "end"); }

enum class Agreement {
    refused,      // we throw an Error instead
    vertices_only // the table does not count what the file holds
};

struct Difference {
    Agreement agreement;
    const char* reason;
};

const std::map<std::string, Difference> differences = {
    {"bad/malformed.obj", {Agreement::refused, "face indices out of range are not skipped in silence"}},
    {"bad/assimp_OutOfMemory.off", {Agreement::refused, "the header promises billions of vertices"}},
    {"bad/assimp_invalid.off", {Agreement::refused, "short header, impossible faces"}},
    {"bad/empty.obj", {Agreement::refused, "nothing in it"}},
    {"bad/wallhole.obj",
     {Agreement::vertices_only, "its polygons run on over continued lines, which the table leaves out"}},
    {"bad/6_tetra_bad.msh", {Agreement::vertices_only, "its tetrahedra are not counted in that table"}},
    {"bad/malformed_cube_41_ascii_mismatch_between_max_nodes_and_nodes_in_block.msh",
     {Agreement::vertices_only, "its tetrahedra are not counted in that table"}},
};

MeshReport report_of(const MeshFile& file) {
    return file.has_volume() ? mesh_report(file.volume) : mesh_report(file.surface);
}

void expect_counts(const Row& row, const MeshReport& report) {
    EXPECT_EQ(report.vertices, number(row.at("vertices")));
    EXPECT_EQ(report.triangles, number(row.at("triangles")));
    if (row.count("tets")) {
        EXPECT_EQ(report.tetrahedra, number(row.at("tets")));
    }
}

void expect_topology(const std::string& watertight, const MeshReport& report) {
    EXPECT_EQ(report.watertight, watertight.rfind("yes", 0) == 0);
    EXPECT_EQ(report.open_edges.count, number_before(watertight, "open edge"));
    EXPECT_EQ(report.nonmanifold_edges.count, number_before(watertight, "non-manifold edge"));
    EXPECT_EQ(report.clashing_edges.count, number_before(watertight, "edges with clashing winding"));
    EXPECT_EQ(report.degenerate_faces.count, number_before(watertight, "zero-area"));
    EXPECT_EQ(report.duplicate_faces.count, number_before(watertight, "duplicate face"));
    const std::size_t parts = std::max<std::size_t>(number_before(watertight, "part"), 1);
    EXPECT_EQ(report.components, report.triangles > 0 ? parts : 0);
}

void expect_agreement(const Row& row) {
    const std::string name = file_of(row), watertight = row.at("watertight");
    const auto difference = differences.find(name);
    const bool differs = difference != differences.end();
    const auto path = fathom::testing::models() / name;
    if (watertight == "not readable" || (differs && difference->second.agreement == Agreement::refused)) {
        EXPECT_THROW((void)read_mesh(path), Error);
        return;
    }
    const MeshReport report = report_of(read_mesh(path));
    if (differs && difference->second.agreement == Agreement::vertices_only) {
        EXPECT_EQ(report.vertices, number(row.at("vertices")));
        return;
    }
    expect_counts(row, report);
    if (!differs) expect_topology(watertight, report);
}

TEST(ModelsReadme, every_row_agrees_with_what_we_read_and_report) {
    FATHOM_NEEDS_MODELS();
    const auto rows = described_meshes(fathom::testing::models() / "README.md");
    EXPECT_GE(rows.size(), 80u);
    std::size_t explained = 0;
    for (const Row& row : rows) {
        SCOPED_TRACE(file_of(row));
        explained += differences.count(file_of(row));
        try {
            expect_agreement(row);
        } catch (const std::exception& error) {
            ADD_FAILURE() << error.what();
        }
    }
    EXPECT_EQ(explained, differences.size()) << "a listed difference is no longer in the tables";
}

TEST(ModelsReadme, the_horse_is_the_only_closed_model_that_is_inside_out) {
    FATHOM_NEEDS_MODELS();
    for (const Row& row : described_meshes(fathom::testing::models() / "README.md")) {
        if (row.at("watertight").rfind("yes", 0) != 0 || differences.count(file_of(row))) continue;
        SCOPED_TRACE(file_of(row));
        const MeshReport report = report_of(read_mesh(fathom::testing::models() / file_of(row)));
        const bool horse = file_of(row) == "horse.ply";
        EXPECT_EQ(report.inside_out_parts.count, horse ? 1u : 0u);
        ASSERT_TRUE(report.volume.has_value());
        EXPECT_EQ(*report.volume < 0, horse);
    }
}

TEST(ModelsReadme, every_tetrahedron_of_the_horse_was_flipped) {
    FATHOM_NEEDS_MODELS();
    const MeshFile horse = read_mesh(fathom::testing::models() / "tet/horse.node");
    EXPECT_EQ(horse.report.flipped_tetrahedra, 1988u);
    EXPECT_EQ(mesh_report(horse.volume).inverted_tetrahedra.count, 0u);
    const MeshFile bunny = read_mesh(fathom::testing::models() / "tet/bunny.msh");
    EXPECT_EQ(bunny.report.flipped_tetrahedra, 0u);
}

TEST(ModelsReadme, genus_of_known_shapes) {
    FATHOM_NEEDS_MODELS();
    const auto genus = [](const char* name) { return report_of(read_mesh(fathom::testing::models() / name)).genus; };
    EXPECT_EQ(genus("bunny.obj"), 0u);
    EXPECT_EQ(genus("rocker-arm.obj"), 1u);
    EXPECT_EQ(genus("bad/hour_glass.off"), 0u);
    EXPECT_EQ(genus("tet/torus_low_res.msh"), 1u);
    EXPECT_FALSE(genus("teapot.obj").has_value());
}

} // namespace models_readme_test
} // namespace fathom
