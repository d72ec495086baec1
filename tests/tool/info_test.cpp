#include <tool/program.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace fathom::testing {
namespace info_test {

using nlohmann::json;

json info_json(const std::string& arguments) {
    const Outcome outcome = run("info --json " + arguments);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    return json::parse(outcome.out);
}

TEST(Info, json_has_every_key_and_correct_values) {
    const Folder folder;
    const std::string file = folder.written("t.obj", tetrahedron_obj);
    const json report = info_json(quoted(file));
    ASSERT_TRUE(report.is_object());
    for (const char* key : {"file",
                            "format",
                            "vertices",
                            "triangles",
                            "tetrahedra",
                            "watertight",
                            "open_edges",
                            "nonmanifold_edges",
                            "nonmanifold_vertices",
                            "duplicate_faces",
                            "degenerate_faces",
                            "clashing_edges",
                            "components",
                            "genus",
                            "inside_out",
                            "inside_out_parts",
                            "flipped_tetrahedra",
                            "self_intersections",
                            "volume",
                            "area",
                            "bounds",
                            "center",
                            "unreferenced_vertices",
                            "interior",
                            "interior_reason",
                            "notes"})
        EXPECT_TRUE(report.contains(key)) << key;
    EXPECT_EQ(report["file"], file);
    EXPECT_EQ(report["vertices"], 4);
    EXPECT_EQ(report["triangles"], 4);
    EXPECT_EQ(report["tetrahedra"], 0);
    EXPECT_EQ(report["watertight"], true);
    EXPECT_EQ(report["genus"], 0);
    EXPECT_EQ(report["interior"], "closed");
    EXPECT_EQ(report["inside_out"], false);
    EXPECT_TRUE(report["self_intersections"].is_null());
    EXPECT_NEAR(report["volume"].get<double>(), 1.0 / 6, 1e-15);
    EXPECT_NEAR(report["area"].get<double>(), 1.5 + std::sqrt(3.0) / 2, 1e-15);
    EXPECT_EQ(report["bounds"], json::parse("[[0,0,0],[1,1,1]]"));
    EXPECT_NEAR(report["center"][0].get<double>(), 0.25, 1e-15);
}

TEST(Info, defects_are_listed_with_their_elements) {
    const Folder folder;
    const json open = info_json(quoted(folder.written("open.obj", open_obj)));
    EXPECT_EQ(open["watertight"], false);
    EXPECT_EQ(open["open_edges"], 3);
    EXPECT_TRUE(open["genus"].is_null());
    EXPECT_TRUE(open["volume"].is_null());
    EXPECT_EQ(open["first"]["open_edges"], json::parse("[[0,2],[0,3],[2,3]]"));

    const json turned = info_json(quoted(folder.written("turned.obj", inside_out_obj)));
    EXPECT_EQ(turned["inside_out"], true);
    EXPECT_EQ(turned["inside_out_parts"], 1);
    EXPECT_LT(turned["volume"].get<double>(), 0);

    const Outcome text = run("info " + quoted(folder.file("open.obj")));
    EXPECT_EQ(text.exit_code, 0);
    EXPECT_NE(text.out.find("not watertight"), std::string::npos);
    EXPECT_NE(text.out.find("open edges"), std::string::npos);
    EXPECT_NE(text.out.find("0-2 0-3 2-3"), std::string::npos);
    EXPECT_EQ(text.out.find('\033'), std::string::npos) << "colours in a pipe";
    EXPECT_EQ(text.err, "");
}

TEST(Info, the_report_on_a_volume_describes_its_boundary) {
    const Folder folder;
    const json report = info_json(quoted(folder.written("one.msh", one_tetrahedron_msh)));
    EXPECT_EQ(report["vertices"], 5);
    EXPECT_EQ(report["triangles"], 4);
    EXPECT_EQ(report["tetrahedra"], 1);
    EXPECT_EQ(report["watertight"], true);
    EXPECT_EQ(report["unreferenced_vertices"], 1);
    EXPECT_EQ(report["flipped_tetrahedra"], 0);
    EXPECT_EQ(report["bounds"], json::parse("[[0,0,0],[1,1,1]]"));
}

TEST(Info, self_intersections_are_counted_on_request) {
    const Folder folder;
    const std::string file =
        folder.written("cross.obj", "v 0 0 0\nv 2 0 0\nv 0 2 0\nv 0.5 0.5 -1\nv 0.5 0.5 1\nv 3 3 0\n"
                                    "f 1 2 3\nf 4 5 6\n");
    EXPECT_EQ(info_json("--self-intersections " + quoted(file))["self_intersections"], 1);
}

TEST(Info, several_files_give_an_array_and_an_invalid_one_does_not_hide_the_others) {
    const Folder folder;
    const std::string good = quoted(folder.written("a.obj", tetrahedron_obj)),
                      missing = quoted(folder.file("none.obj"));
    const json both = info_json(good + " " + good);
    ASSERT_TRUE(both.is_array());
    EXPECT_EQ(both.size(), 2u);

    const Outcome outcome = run("info --json " + missing + " " + good + " " + missing);
    EXPECT_EQ(outcome.exit_code, 1);
    const json three = json::parse(outcome.out);
    ASSERT_EQ(three.size(), 3u);
    EXPECT_TRUE(three[0].contains("error"));
    EXPECT_EQ(three[0]["cause"], "cannot_open");
    EXPECT_EQ(three[1]["watertight"], true);
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 2);

    const Outcome text = run("info " + missing + " " + good);
    EXPECT_EQ(text.exit_code, 1);
    EXPECT_NE(text.out.find("watertight"), std::string::npos);
}

TEST(Info, errors_are_one_line_on_stderr_and_exit_1) {
    const Folder folder;
    const std::string broken = folder.written("broken.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n");
    for (const std::string& file : {broken, folder.file("missing.stl"), folder.written("empty.obj", "")})
        for (const char* flag : {"", "--json "}) {
            const Outcome outcome = run("info " + (flag + quoted(file)));
            EXPECT_EQ(outcome.exit_code, 1);
            EXPECT_EQ(outcome.out, "");
            EXPECT_EQ(outcome.err.rfind("fathom: ", 0), 0u) << outcome.err;
            EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
            EXPECT_NE(outcome.err.find(file), std::string::npos) << outcome.err;
        }
}

TEST(Info, incorrect_usage_exits_2_and_prints_nothing_on_stdout) {
    for (const char* arguments :
         {"info", "info --no-such-flag x.obj", "no-such-command", "", "--threads many info x.obj"}) {
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.exit_code, 2) << arguments;
        EXPECT_EQ(outcome.out, "") << arguments;
        EXPECT_NE(outcome.err, "") << arguments;
    }
}

TEST(Info, help_has_examples_and_version_prints_the_version) {
    for (const char* arguments : {"--help", "info --help", "convert --help"}) {
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.exit_code, 0);
        EXPECT_NE(outcome.out.find("Examples:"), std::string::npos) << arguments;
        EXPECT_EQ(outcome.err, "");
    }
    const Outcome version = run("--version");
    EXPECT_EQ(version.exit_code, 0);
    EXPECT_EQ(version.out.rfind("fathom ", 0), 0u);
}

TEST(Info, does_not_depend_on_the_number_of_threads) {
    const Folder folder;
    const std::string file = quoted(folder.written("t.obj", tetrahedron_obj));
    EXPECT_EQ(run("--threads 1 info --json " + file).out, run("info --json --threads 4 " + file).out);
}

} // namespace info_test
} // namespace fathom::testing
