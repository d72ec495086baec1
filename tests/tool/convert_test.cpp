#include <tool/program.h>

#include <nlohmann/json.hpp>

#include <algorithm>

namespace fathom::testing {
namespace convert_test {

nlohmann::json info_of(const std::string& file) {
    const Outcome outcome = run("info --json " + quoted(file));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return nlohmann::json::parse(outcome.out);
}

// Runs convert, expects success, and returns its messages on stderr.
std::string convert(const std::string& in, const std::string& out, const std::string& options = {}) {
    const Outcome outcome = run("convert " + quoted(in) + " " + quoted(out) + " " + options);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    return outcome.err;
}

TEST(Convert, surface_formats_round_trip) {
    const Folder folder;
    const std::string in = folder.written("t.obj", tetrahedron_obj);
    for (const char* name : {"t.stl", "t.ply", "t.off", "t.glb", "t.vtk", "t.vtu"}) {
        EXPECT_NE(convert(in, folder.file(name)).find("wrote"), std::string::npos);
        EXPECT_EQ(info_of(folder.file(name))["watertight"], true) << name;
        convert(folder.file(name), folder.file("back.obj"), "--weld");
        EXPECT_EQ(info_of(folder.file("back.obj"))["vertices"], 4) << name;
    }
}

TEST(Convert, welds_with_and_without_a_tolerance) {
    const Folder folder;
    const std::string in = folder.written("gap.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 0 0\nv 1 1 0\nv 0 1.001 0\n"
                                                     "f 1 2 3\nf 4 5 6\n");
    const std::string messages = convert(in, folder.file("a.obj"), "--weld");
    EXPECT_NE(messages.find("1 vertices merged"), std::string::npos) << messages;
    EXPECT_EQ(info_of(folder.file("a.obj"))["vertices"], 5);
    for (const char* option : {"--weld 0.01", "--weld=0.01"}) {
        convert(in, folder.file("b.obj"), option);
        EXPECT_EQ(info_of(folder.file("b.obj"))["vertices"], 4);
        EXPECT_EQ(info_of(folder.file("b.obj"))["open_edges"], 4);
    }
    convert(in, folder.file("c.obj"));
    EXPECT_EQ(info_of(folder.file("c.obj"))["vertices"], 6);
}

TEST(Convert, scales_and_flips) {
    const Folder folder;
    const std::string in = folder.written("t.obj", tetrahedron_obj);
    convert(in, folder.file("out.obj"), "--scale 10 --flip");
    const auto report = info_of(folder.file("out.obj"));
    EXPECT_EQ(report["inside_out"], true);
    EXPECT_NEAR(report["volume"].get<double>(), -1000.0 / 6, 1e-12);
}

TEST(Convert, writes_volumes_and_their_surfaces) {
    const Folder folder;
    const std::string in = folder.written("one.msh", one_tetrahedron_msh);
    convert(in, folder.file("v.vtu"));
    EXPECT_EQ(info_of(folder.file("v.vtu"))["tetrahedra"], 1);
    convert(in, folder.file("s.obj"), "--surface");
    const auto surface = info_of(folder.file("s.obj"));
    EXPECT_EQ(surface["tetrahedra"], 0);
    EXPECT_EQ(surface["triangles"], 4);
    EXPECT_EQ(surface["vertices"], 4); // without the unreferenced node

    const Outcome refused = run("convert " + quoted(in) + " " + quoted(folder.file("v.obj")));
    EXPECT_EQ(refused.exit_code, 1);
    EXPECT_NE(refused.err.find("--surface"), std::string::npos) << refused.err;
    EXPECT_FALSE(std::filesystem::exists(folder.file("v.obj")));
    EXPECT_EQ(run("convert " + quoted(in) + " " + quoted(folder.file("v.vtu")) + " --flip").exit_code, 2);
}

TEST(Convert, quiet_suppresses_messages) {
    const Folder folder;
    const std::string in = folder.written("t.obj", tetrahedron_obj);
    EXPECT_EQ(convert(in, folder.file("out.stl"), "--quiet"), "");
}

TEST(Convert, failures_print_one_line_and_write_no_file) {
    const Folder folder;
    const std::string in = folder.written("t.obj", tetrahedron_obj);
    struct Case {
        std::string arguments;
        int exit_code;
    };
    const std::vector<Case> cases = {
        {quoted(folder.file("none.obj")) + " " + quoted(folder.file("x.obj")), 1},
        {quoted(in) + " " + quoted(folder.file("x.nonsense")), 1},
        {quoted(in) + " " + quoted(folder.file("no/such/folder/x.obj")), 1},
        {quoted(in) + " " + quoted(folder.file("x.obj")) + " --scale 1e308 --scale 1e308", 2},
        {quoted(in) + " " + quoted(folder.file("x.obj")) + " --scale -1", 2},
        {quoted(in) + " " + quoted(folder.file("x.obj")) + " --weld -1", 2},
        {quoted(in) + " " + quoted(folder.file("x.obj")) + " --drop-unused", 2},
        {quoted(in), 2}};
    for (const Case& c : cases) {
        const Outcome outcome = run("convert " + c.arguments);
        EXPECT_EQ(outcome.exit_code, c.exit_code) << c.arguments << "\n" << outcome.err;
        EXPECT_EQ(outcome.out, "");
        if (c.exit_code == 1) {
            EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
        }
        EXPECT_FALSE(std::filesystem::exists(folder.file("x.obj")));
    }
}

} // namespace convert_test
} // namespace fathom::testing
