// The street: base -> index -> geometry -> field -> detect -> respond -> simulate -> show. A room never looks forward.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 8> street = {"base",   "index",   "geometry", "field",
                                                    "detect", "respond", "simulate", "show"};

std::ptrdiff_t house_number(const std::string& room) {
    return std::find(street.begin(), street.end(), room) - street.begin();
}

struct Include {
    fs::path file;
    int line;
    std::string room; // of the file
    std::string target;
};

// Every #include of a Fathom header below `folder`, and how it is spelled.
std::vector<Include> includes_below(const fs::path& folder) {
    static const std::regex pattern(R"re(^\s*#\s*include\s*[<"]([^>"]+)[>"])re");
    std::vector<Include> found;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        const std::string extension = entry.path().extension().string();
        if (extension != ".h" && extension != ".cpp" && extension != ".in") continue;
        std::ifstream stream(entry.path());
        std::string text;
        for (int line = 1; std::getline(stream, text); ++line) {
            std::smatch match;
            if (std::regex_search(text, match, pattern))
                found.push_back({entry.path(), line, fs::relative(entry.path(), folder).begin()->string(), match[1]});
        }
    }
    return found;
}

// The complaint about one include, or nothing.
std::string complaint(const Include& include) {
    static const std::regex pattern(R"(^fathom/([^/]+)/.*)");
    std::smatch match;
    const std::string where = include.file.string() + ":" + std::to_string(include.line) + ": ";
    if (std::regex_match(include.target, match, pattern)) {
        if (house_number(match[1]) == std::ssize(street)) return where + "includes an unknown room: " + include.target;
        if (house_number(match[1]) > house_number(include.room)) return where + "looks forward to " + include.target;
    } else if (fs::exists(include.file.parent_path() / include.target)) {
        return where + "include our own headers as <fathom/room/...>: " + include.target;
    }
    return {};
}

TEST(Street, no_room_looks_forward) {
    const auto includes = includes_below(fs::path(FATHOM_SOURCE_DIR) / "fathom");
    ASSERT_GT(includes.size(), 50u);
    for (const Include& include : includes) {
        if (house_number(include.room) == std::ssize(street)) continue; // reported by the test below
        const std::string text = complaint(include);
        EXPECT_TRUE(text.empty()) << text;
    }
}

TEST(Street, every_folder_is_a_room) {
    for (const auto& entry : fs::directory_iterator(fs::path(FATHOM_SOURCE_DIR) / "fathom"))
        if (entry.is_directory()) {
            EXPECT_LT(house_number(entry.path().filename().string()), std::ssize(street)) << entry.path();
        }
}

TEST(Street, the_check_itself_can_fail) {
    EXPECT_NE(complaint({"fathom/base/x.h", 1, "base", "fathom/geometry/mesh/triangle_mesh.h"}), "");
    EXPECT_NE(complaint({"fathom/base/x.h", 1, "base", "fathom/cellar/rat.h"}), "");
    EXPECT_EQ(complaint({"fathom/geometry/x.h", 1, "geometry", "fathom/base/vec.h"}), "");
    EXPECT_EQ(complaint({"fathom/geometry/x.h", 1, "geometry", "vector"}), "");
}

TEST(Street, every_file_says_its_room_and_purpose_first) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(FATHOM_SOURCE_DIR) / "fathom")) {
        const std::string extension = entry.path().extension().string();
        if (extension != ".h" && extension != ".cpp") continue;
        std::ifstream stream(entry.path());
        std::string first;
        std::getline(stream, first);
        const std::string room = fs::relative(entry.path(), fs::path(FATHOM_SOURCE_DIR) / "fathom").begin()->string();
        EXPECT_EQ(first.rfind("// Room: " + room + ". ", 0), 0u) << entry.path() << " begins with: " << first;
    }
}

} // namespace
