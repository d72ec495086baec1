// docs/matrix.md is what the table and the measurements say. FATHOM_WRITE_MATRIX=1 writes it again.
#include <fathom/base/file.h>
#include <tool/verify/referee.h>

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

namespace fathom {
namespace matrix_test {

const std::filesystem::path page = std::filesystem::path(FATHOM_SOURCE_DIR) / "docs" / "matrix.md";

constexpr const char* words = R"(# Which method is used for which pair

Any two shapes can be queried with one call (`fathom/detect/query/query.h`); one table selects the method. `fathom matrix`
prints the table with times measured on your machine. This page was written by a test (`FATHOM_WRITE_MATRIX=1`) with small
random shapes of size 1; `fathom verify` compares the methods with each other on the same shapes. Each pair stands for both
orders.

Each cell has the method that `automatic` selects and the median time of a query on prepared shapes. If it is not 0, the
remaining uncertainty follows: for distances the largest difference of the two bounds relative to the smaller shape, for
times of impact the largest error of the time (of 1). `CollideOptions::method` selects another method. Shapes of kind
`other_field` are meshes that are used through the interface of a field only.

)";

std::string guarantees() {
    std::map<std::string, std::set<std::string>> of; // by question and method
    for (const Question q : all_questions)
        for (const ShapeKind a : all_shape_kinds)
            for (const ShapeKind b : all_shape_kinds)
                for (const PairMethod& m : methods_for(a, b, q))
                    of[std::string(name(q)) + " | " + std::string(name(m.method))].insert(std::string(m.guarantee));
    std::string text = "\n## What each method guarantees\n\n| question | method | guarantee |\n|---|---|---|\n";
    for (const auto& [what, kinds] : of)
        for (const std::string& g : kinds) text += "| " + what + " | " + g + " |\n";
    return text;
}

std::string without_numbers(const std::string& line) {
    std::string text;
    std::istringstream cells(line);
    for (std::string cell; std::getline(cells, cell, '|');) {
        cell = cell.substr(0, cell.find(','));
        text += cell.substr(0, cell.find_last_not_of(' ') + 1) + "|";
    }
    return text;
}

TEST(Matrix, the_page_agrees_with_the_table) {
    if (std::getenv("FATHOM_WRITE_MATRIX") != nullptr) {
        std::ofstream(page) << words << matrix_markdown(measure_matrix({.poses = 5})) << guarantees();
    }
    std::ifstream file(page);
    ASSERT_TRUE(file) << "docs/matrix.md is missing: run this test with FATHOM_WRITE_MATRIX=1";
    std::set<std::string> lines;
    for (std::string line; std::getline(file, line);) lines.insert(without_numbers(line));
    std::istringstream wanted(matrix_markdown(measure_matrix({.poses = 0}), false) + guarantees());
    for (std::string line; std::getline(wanted, line);)
        EXPECT_TRUE(lines.contains(without_numbers(line))) << "not on the page: " << line;
}

TEST(Matrix, measures_every_question_of_every_pair) {
    const std::vector<MatrixRow> rows = measure_matrix({.poses = 0});
    ASSERT_EQ(rows.size(), all_shape_kinds.size() * (all_shape_kinds.size() + 1) / 2);
    for (const MatrixRow& row : rows) ASSERT_EQ(row.cells.size(), all_questions.size());
}

} // namespace matrix_test
} // namespace fathom
