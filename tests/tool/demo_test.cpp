#include <tool/program.h>

#include <fathom/show/viewer_file.h>

#include <filesystem>

namespace fathom::testing {
namespace demo_test {

std::size_t count_of_text(const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++found;
    return found;
}

TEST(Demo, writes_all_files_and_finds_the_hole_that_it_cut) {
    const Folder folder;
    const Outcome outcome = run("demo -o " + quoted(folder.file("out")));
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    for (const char* name :
         {"report.html", "shapes.png", "creature.glb", "creature.vtu", "damaged.png", "point_shell.png", "field.png",
          "creature.fathom", "analytic.png", "overlap.png", "drop.png", "drop_energy.svg", "drop.pvd", "drop.glb",
          "soft.glb", "breaking.glb", "depth.png", "fire.png"})
        EXPECT_GT(std::filesystem::file_size(folder.file("out") + "/" + name), 1000u) << name;
    const std::string report = content_of(folder.file("out") + "/report.html");
    EXPECT_NE(report.find("Collision of two fields"), std::string::npos);
    EXPECT_EQ(report.find("src=\"http"), std::string::npos);
    // Pictures are embedded in the report, and every linked viewer page exists.
    EXPECT_GE(count_of_text(report, "src=\"data:image/"), 14u);
    for (const char* name :
         {"tetrahedra", "field", "sweep", "collision", "drop", "soft", "breaking", "depth", "fire"}) {
        const std::string file = std::string(name) + ".html";
        EXPECT_EQ(report.find("href=\"./" + file + "\"") != std::string::npos, has_viewer_page()) << name;
        EXPECT_EQ(std::filesystem::exists(folder.file("out") + "/" + file), has_viewer_page()) << name;
    }
    const std::size_t collision = outcome.out.find("analytic ring: overlapping, ");
    ASSERT_NE(collision, std::string::npos) << outcome.out;
    EXPECT_GT(std::stod(outcome.out.substr(outcome.out.find(", ", collision) + 2)), 0.01) << outcome.out; // m deep
    const std::size_t flight =
        outcome.out.find(" of 200 frames collide"); // two thirds of the frames, as for the whole flight
    ASSERT_NE(flight, std::string::npos) << outcome.out;
    EXPECT_NEAR(std::stoi(outcome.out.substr(outcome.out.rfind(' ', flight - 1) + 1)), 131, 4) << outcome.out;
    const std::size_t at = outcome.out.find(" open edges found");
    ASSERT_NE(at, std::string::npos) << outcome.out;
    const std::size_t before = outcome.out.rfind(' ', at - 1);
    EXPECT_GT(std::stoi(outcome.out.substr(before + 1, at - before - 1)), 20) << outcome.out;
}

TEST(Usage, unknown_command_is_named_and_exits_with_2) {
    const Outcome outcome = run("frobnicate");
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_NE(outcome.err.find("unknown command 'frobnicate'"), std::string::npos) << outcome.err;
    EXPECT_EQ(run("").exit_code, 2);
}

} // namespace demo_test
} // namespace fathom::testing
