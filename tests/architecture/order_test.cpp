// The order of the folders: a folder includes only itself and folders before it, on both levels.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

namespace order_test {

namespace fs = std::filesystem;

// Every folder of the library. `baseline` is a target of its own: no other folder may include it, so it is the last.
constexpr std::array<std::string_view, 50> order = {"base",
                                                    "base/simd",
                                                    "base/encode",
                                                    "index",
                                                    "geometry/exact",
                                                    "geometry/mesh",
                                                    "geometry/primitive",
                                                    "geometry/surface_tree",
                                                    "geometry/inspect",
                                                    "geometry/edit",
                                                    "geometry/sample",
                                                    "geometry/generate",
                                                    "geometry/io",
                                                    "field",
                                                    "field/analytic",
                                                    "field/grid",
                                                    "field/height",
                                                    "field/file",
                                                    "field/mesh",
                                                    "field/neural",
                                                    "field/neural_io",
                                                    "field/tet",
                                                    "detect/result",
                                                    "detect/bounds",
                                                    "detect/convex",
                                                    "detect/point_field",
                                                    "detect/trees",
                                                    "detect/mesh_field",
                                                    "detect/field_field",
                                                    "detect/mesh_mesh",
                                                    "detect/deformable",
                                                    "detect/tet",
                                                    "detect/depth",
                                                    "detect/depth_gl",
                                                    "detect/decomposition",
                                                    "detect/query",
                                                    "detect/world",
                                                    "response",
                                                    "simulate/record",
                                                    "simulate/springs",
                                                    "simulate/contact",
                                                    "simulate/rigid",
                                                    "simulate/surface",
                                                    "simulate/tets",
                                                    "simulate/kinematic",
                                                    "simulate/particles",
                                                    "simulate/world",
                                                    "simulate/scene",
                                                    "show",
                                                    "baseline"};

std::ptrdiff_t position(const std::string& folder) {
    return std::find(order.begin(), order.end(), folder) - order.begin();
}

struct Include {
    fs::path file;
    int line;
    std::string folder; // of the file, relative to the library
    std::string target;
};

const fs::path library = fs::path(FATHOM_SOURCE_DIR) / "fathom";

bool is_source(const fs::path& path) {
    const std::string extension = path.extension().string();
    return extension == ".h" || extension == ".cpp" || extension == ".in";
}

std::string folder_of(const fs::path& file) { return fs::relative(file.parent_path(), library).string(); }

// Every #include of the library, as it is spelled.
std::vector<Include> all_includes() {
    static const std::regex pattern(R"re(^\s*#\s*include\s*[<"]([^>"]+)[>"])re");
    std::vector<Include> found;
    for (const auto& entry : fs::recursive_directory_iterator(library)) {
        if (!entry.is_regular_file() || !is_source(entry.path()) || entry.path().parent_path() == library) continue;
        std::ifstream stream(entry.path());
        std::string text;
        for (int line = 1; std::getline(stream, text); ++line) {
            std::smatch match;
            if (std::regex_search(text, match, pattern))
                found.push_back({entry.path(), line, folder_of(entry.path()), match[1]});
        }
    }
    return found;
}

// The complaint about one include; empty if it follows the order.
std::string complaint(const Include& include) {
    const std::string where = include.file.string() + ":" + std::to_string(include.line) + ": ";
    if (!include.target.starts_with("fathom/")) {
        if (fs::exists(include.file.parent_path() / include.target))
            return where + "own headers are included as <fathom/folder/...>: " + include.target;
        return {};
    }
    const std::string folder = fs::path(include.target.substr(7)).parent_path().string();
    if (position(folder) == std::ssize(order)) return where + "includes an unknown folder: " + include.target;
    if (position(folder) > position(include.folder)) return where + "includes a later folder: " + include.target;
    return {};
}

TEST(Order, no_folder_includes_a_later_one) {
    const std::vector<Include> includes = all_includes();
    ASSERT_GT(includes.size(), 1000u);
    for (const Include& include : includes) {
        const std::string text = complaint(include);
        EXPECT_TRUE(text.empty()) << text;
    }
}

TEST(Order, every_folder_has_a_place_and_lies_at_most_two_levels_deep) {
    std::size_t folders = 0;
    for (const auto& entry : fs::recursive_directory_iterator(library)) {
        if (!entry.is_regular_file() || entry.path().parent_path() == library) continue;
        EXPECT_LT(position(folder_of(entry.path())), std::ssize(order)) << entry.path();
        ++folders;
    }
    EXPECT_GT(folders, 300u);
    for (const std::string_view folder : order) {
        EXPECT_TRUE(fs::is_directory(library / folder)) << folder;
        EXPECT_LE(std::count(folder.begin(), folder.end(), '/'), 1) << folder;
    }
}

TEST(Order, the_check_reports_an_include_that_points_forward) {
    const auto turned_round = [](const Include& include) {
        const fs::path target(include.target.substr(7));
        return Include{library / target, 1, target.parent_path().string(),
                       "fathom/" + include.folder + "/" + include.file.filename().string()};
    };
    std::size_t between_folders = 0;
    for (const Include& include : all_includes()) {
        if (!include.target.starts_with("fathom/") || include.target == "fathom/base/version.h") continue;
        const Include reversed = turned_round(include);
        if (reversed.folder == include.folder) continue;
        ++between_folders;
        EXPECT_NE(complaint(reversed), "") << reversed.file << " " << reversed.target;
    }
    EXPECT_GT(between_folders, 500u);
    EXPECT_NE(complaint({"fathom/base/x.h", 1, "base", "fathom/cellar/rat.h"}), "");
    EXPECT_EQ(complaint({"fathom/geometry/mesh/x.h", 1, "geometry/mesh", "fathom/base/vec.h"}), "");
    EXPECT_EQ(complaint({"fathom/geometry/mesh/x.h", 1, "geometry/mesh", "vector"}), "");
}

// Methods query fields through their interface; three fast paths know a class (ARCHITECTURE.md).
TEST(Order, detection_response_and_pictures_have_at_most_three_casts_to_a_class) {
    std::vector<std::string> casts;
    for (const char* room : {"detect", "response", "show"})
        for (const auto& entry : fs::recursive_directory_iterator(library / room)) {
            if (!entry.is_regular_file() || !is_source(entry.path())) continue;
            std::ifstream stream(entry.path());
            for (std::string text; std::getline(stream, text);)
                if (text.find("dynamic_cast") != std::string::npos)
                    casts.push_back(entry.path().string() + ": " + text);
        }
    std::string list;
    for (const std::string& cast : casts) list += cast + "\n";
    EXPECT_LE(casts.size(), 3u) << list;
    EXPECT_GE(casts.size(), 1u) << "the search finds nothing";
}

TEST(Order, every_file_begins_with_a_sentence_about_its_content) {
    for (const auto& entry : fs::recursive_directory_iterator(library)) {
        const std::string extension = entry.path().extension().string();
        if (extension != ".h" && extension != ".cpp") continue;
        std::ifstream stream(entry.path());
        std::string first;
        std::getline(stream, first);
        EXPECT_TRUE(first.starts_with("// ") && first.size() > 20) << entry.path() << " begins with: " << first;
    }
}

} // namespace order_test
