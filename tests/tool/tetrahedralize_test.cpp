#include <tool/program.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <sstream>

namespace fathom::testing {
namespace tetrahedralize_test {

Outcome run_command(const std::string& arguments) { return run("tetrahedralize " + arguments, "FATHOM_CACHE=off"); }

nlohmann::json report_of(const std::string& arguments) {
    const Outcome outcome = run_command(arguments + " --json");
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return nlohmann::json::parse(outcome.out, nullptr, false);
}

nlohmann::json info_of(const std::string& file) {
    return nlohmann::json::parse(run("info --json " + quoted(file)).out, nullptr, false);
}

TEST(Tetrahedralize, writes_every_volume_format_and_reports_the_mesh) {
    const Folder folder;
    for (const char* name : {"s.msh", "s.vtu", "s.vtk", "s.mesh"}) {
        const auto report = report_of("'sphere(1)' -r 12 -o " + quoted(folder.file(name)));
        EXPECT_EQ(info_of(folder.file(name))["tetrahedra"], report["tetrahedra"]) << name;
        EXPECT_EQ(info_of(folder.file(name))["watertight"], true) << name;
        EXPECT_NEAR(report["volume"].get<double>(), 4.18879, 0.1);
        EXPECT_NEAR(report["field_volume"].get<double>(), 4.18879, 0.1);
        EXPECT_GT(report["smallest_angle"].get<double>(), 10.6);
        EXPECT_LT(report["largest_angle"].get<double>(), 164.4);
        EXPECT_EQ(report["parts"], 1);
    }
}

TEST(Tetrahedralize, accepts_meshes_and_shapes_sampled_or_exact) {
    const Folder folder;
    const std::string in = folder.written("t.obj", tetrahedron_obj);
    const auto grid = report_of(quoted(in) + " -r 20 -o " + quoted(folder.file("a.msh")));
    const auto exact = report_of(quoted(in) + " -r 20 --exact -o " + quoted(folder.file("b.msh")));
    EXPECT_NEAR(grid["volume"].get<double>(), 1.0 / 6, 0.01);
    EXPECT_NEAR(exact["volume"].get<double>(), 1.0 / 6, 0.01);
    EXPECT_EQ(report_of("torus -r 24 -o " + quoted(folder.file("c.msh")))["parts"], 1);
}

TEST(Tetrahedralize, size_is_set_by_cell_or_count_and_boxes_clip) {
    const Folder folder;
    const std::string out = " -o " + quoted(folder.file("x.vtu"));
    EXPECT_EQ(report_of("'sphere(1)' --cell 0.25 --no-measure" + out)["cell"], 0.25);
    EXPECT_NEAR(report_of("'sphere(1)' --tetrahedra 8000" + out)["tetrahedra"].get<double>(), 8000, 800);
    EXPECT_NEAR(report_of("'infinite_cylinder(0.5)' --box -1,-1,-1,1,1,1" + out)["volume"].get<double>(), 1.5708, 0.05);
}

TEST(Tetrahedralize, reports_on_stderr_and_quiet_suppresses_it) {
    const Folder folder;
    const std::string out = " -o " + quoted(folder.file("x.vtu"));
    const Outcome report = run_command("'shell(0.05, sphere(1))' -r 24" + out);
    EXPECT_EQ(report.out, "");
    for (const char* word : {"tetrahedra", "angles", "volume", "surface", "too coarse"})
        EXPECT_NE(report.err.find(word), std::string::npos) << report.err;
    const Outcome silent = run_command("'sphere(1)' -r 8 --quiet" + out);
    EXPECT_EQ(silent.out + silent.err, "");
}

TEST(Tetrahedralize, failures_print_one_line_and_write_no_file) {
    const Folder folder;
    const std::string sheet =
                          quoted(folder.written("sheet.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 1 3 4\n")),
                      out = " -o " + quoted(folder.file("x.vtu"));
    struct Case {
        std::string arguments, word;
        int exit_code;
    };
    const std::vector<Case> cases = {{sheet + out, "sheet.obj: the interior is ambiguous", 1},
                                     {"none.obj" + out, "no such file", 1},
                                     {"'sphere(1)' -o " + quoted(folder.file("x.obj")), "", 1},
                                     {"'sphere(1)' --cell 100" + out, "inside", 1},
                                     {"'sphere(1)' --cell 1e-9" + out, "too small", 1},
                                     {"'sphere(1)' -r 64 --limit 100" + out, "limit", 1},
                                     {"'plane(0, 0, 1, 0)'" + out, "box", 2},
                                     {"'sphere(1)' --box 0,0,0,-1,1,1" + out, "corner", 2},
                                     {"'sphere(1)' -r 0" + out, "", 2},
                                     {"'sphere(1)' -r 8 --cell 1" + out, "", 2},
                                     {"'sphere(1)'", "", 2}};
    for (const Case& c : cases) {
        const Outcome outcome = run_command(c.arguments);
        EXPECT_EQ(outcome.exit_code, c.exit_code) << c.arguments << "\n" << outcome.err;
        EXPECT_NE(outcome.err.find(c.word), std::string::npos) << outcome.err;
        EXPECT_EQ(outcome.out, "");
        if (c.exit_code == 1) {
            EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
        }
        EXPECT_FALSE(std::filesystem::exists(folder.file("x.vtu")));
        EXPECT_FALSE(std::filesystem::exists(folder.file("x.obj")));
    }
}

TEST(Tetrahedralize, the_commands_of_its_page_run) {
    std::istringstream page(content_of(FATHOM_SOURCE_DIR "/docs/tetrahedralize.md"));
    const Folder folder;
    std::size_t count = 0;
    for (std::string line; std::getline(page, line);) {
        if (line.rfind("fathom tetrahedralize ", 0) != 0) continue;
        const Outcome outcome = run(line.substr(7), "cd " + quoted(folder.file("")) + " && FATHOM_CACHE=off");
        EXPECT_EQ(outcome.exit_code, 0) << line << "\n" << outcome.err;
        ++count;
    }
    EXPECT_GE(count, 2U);
}

} // namespace tetrahedralize_test
} // namespace fathom::testing
