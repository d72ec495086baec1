// The snippets of these pages are in programs that are compiled and run.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

namespace fathom {
namespace world_docs_test {

using Lines = std::vector<std::string>;

Lines lines_of(const std::string& name) {
    std::ifstream stream(FATHOM_SOURCE_DIR "/" + name);
    Lines lines;
    for (std::string line; std::getline(stream, line);) {
        line.erase(0, line.find_first_not_of(' ') == std::string::npos ? line.size() : line.find_first_not_of(' '));
        lines.push_back(line);
    }
    return lines;
}

// Blocks of C++; with `label`, only those right below a line that says so.
std::vector<Lines> snippets(const std::string& page, const std::string& label = {}) {
    std::vector<Lines> found;
    std::string before;
    bool within = false, wanted = false;
    for (const std::string& line : lines_of(page)) {
        if (within && line == "```")
            within = false;
        else if (within && wanted)
            found.back().push_back(line);
        else if (!within && line == "```cpp") {
            within = true;
            wanted = label.empty() || before == label;
            if (wanted) found.emplace_back();
        }
        before = line;
    }
    return found;
}

void expect_in(const std::vector<Lines>& blocks, const std::string& program) {
    const Lines text = lines_of(program);
    for (const Lines& block : blocks)
        EXPECT_NE(std::search(text.begin(), text.end(), block.begin(), block.end()), text.end())
            << program << " has no:\n"
            << block.front();
}

TEST(WorldDocs, every_snippet_is_in_a_program_that_is_run) {
    const std::vector<Lines> world = snippets("docs/world.md"), porting = snippets("docs/porting.md", "Fathom:");
    EXPECT_GE(world.size(), 5u);
    EXPECT_GE(porting.size(), 9u);
    expect_in(world, "examples/world.cpp");
    expect_in({porting.begin() + 1, porting.end()}, "examples/porting.cpp");
    expect_in({porting.front()}, "examples/porting/fathom.cpp");
    expect_in(snippets("docs/porting.md", "FCL 0.7:"), "examples/porting/fcl.cpp");
    expect_in(snippets("docs/porting.md", "Bullet 3:"), "examples/porting/bullet.cpp");
    expect_in(snippets("README.md"), "examples/hello.cpp");
    expect_in(snippets("docs/extending.md"), "examples/own_field.cpp");
    expect_in(snippets("docs/contacts.md"), "examples/contacts.cpp");
}

} // namespace world_docs_test
} // namespace fathom
