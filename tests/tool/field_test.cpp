#include <tool/program.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstring>

namespace fathom::testing {
namespace field_test {

// Runs without the cache of the user.
Outcome run_field(const std::string& arguments) { return run("field " + arguments, "FATHOM_CACHE=off"); }

nlohmann::json info_of(const std::string& field) {
    const Outcome outcome = run_field("info --json " + quoted(field));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return nlohmann::json::parse(outcome.out);
}

// An .npy of two points, as NumPy writes it.
std::string two_points() {
    std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }";
    header.resize(118 - 1, ' ');
    header += '\n';
    std::string bytes =
        std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(header.size()) + std::string(1, '\0') + header;
    const double values[6] = {0, 0, 0, 2, 0, 0};
    bytes.append(reinterpret_cast<const char*>(values), sizeof values);
    return bytes;
}

TEST(FieldCommand, builds_a_grid_of_a_mesh_and_describes_it) {
    const Folder folder;
    const Outcome outcome = run_field("build creature -r 64 -o " + quoted(folder.file("c.fathom")) + " --json");
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    const auto built = nlohmann::json::parse(outcome.out), described = info_of(folder.file("c.fathom"));
    EXPECT_EQ(built["stored_bricks"], described["stored_bricks"]);
    EXPECT_EQ(described["kind"], "grid");
    EXPECT_EQ(described["note"]["sign"]["method"], "pseudo_normal");
    EXPECT_EQ(*std::max_element(described["cells"].begin(), described["cells"].end()), 64);
    EXPECT_GT(described["bytes"].get<double>(), 1000);
    const Outcome words = run_field("info " + quoted(folder.file("c.fathom")));
    EXPECT_NE(words.out.find("sign"), std::string::npos) << words.out;
}

TEST(FieldCommand, the_second_build_is_read_from_the_cache_and_is_identical) {
    const Folder folder;
    const std::string cache = "FATHOM_CACHE=" + quoted(folder.file("cache"));
    const Outcome first = run("field build torus -r 48 -o " + quoted(folder.file("a.fathom")), cache);
    const Outcome second = run("field build torus -r 48 -o " + quoted(folder.file("b.fathom")), cache);
    EXPECT_EQ(first.err.find("read from the cache"), std::string::npos) << first.err;
    EXPECT_NE(second.err.find("read from the cache"), std::string::npos) << second.err;
    EXPECT_EQ(content_of(folder.file("a.fathom")), content_of(folder.file("b.fathom")));
    const Outcome other = run("field build torus -r 40 -o " + quoted(folder.file("c.fathom")), cache);
    EXPECT_EQ(other.err.find("read from the cache"), std::string::npos) << other.err;
}

TEST(FieldCommand, threads_do_not_change_a_byte_of_the_file) {
    const Folder folder;
    for (const char* threads : {"1", "2"})
        ASSERT_EQ(run(std::string("--threads ") + threads + " field build pawn -r 96 -o " +
                          quoted(folder.file(std::string(threads) + ".fathom")),
                      "FATHOM_CACHE=off")
                      .exit_code,
                  0);
    EXPECT_EQ(content_of(folder.file("1.fathom")), content_of(folder.file("2.fathom")));
}

TEST(FieldCommand, slices_meshes_and_samples_every_kind_of_field) {
    const Folder folder;
    ASSERT_EQ(run_field("build 'sphere(1)' -r 64 -o " + quoted(folder.file("ball.fathom"))).exit_code, 0);
    ASSERT_EQ(run("make sphere --set radius=1 -o " + quoted(folder.file("ball.ply"))).exit_code, 0);
    const std::string points = folder.written("points.npy", two_points());
    for (const std::string& field :
         {std::string("'sphere(1)'"), quoted(folder.file("ball.fathom")), quoted(folder.file("ball.ply"))}) {
        const Outcome slice =
            run_field("slice " + field + " --size 200 --axis x --at 0.1 -o " + quoted(folder.file("s.png")));
        EXPECT_EQ(slice.exit_code, 0) << slice.err;
        EXPECT_EQ(content_of(folder.file("s.png")).substr(1, 3), "PNG");
        const Outcome mesh = run_field("mesh " + field + " -r 48 --level 0.1 -o " + quoted(folder.file("m.ply")));
        EXPECT_EQ(mesh.exit_code, 0) << mesh.err;
        const auto report = nlohmann::json::parse(run("info --json " + quoted(folder.file("m.ply"))).out);
        EXPECT_EQ(report["watertight"], true);
        EXPECT_NEAR(report["volume"].get<double>(), 4.18879 * 1.331, 0.15);
        const Outcome sample =
            run_field("sample " + field + " " + quoted(points) + " --gradient -o " + quoted(folder.file("d.npy")));
        EXPECT_EQ(sample.exit_code, 0) << sample.err;
        const std::string bytes = content_of(folder.file("d.npy"));
        EXPECT_NE(bytes.find("(2, 4)"), std::string::npos);
        double row[4];
        std::memcpy(row, bytes.data() + bytes.size() - sizeof row, sizeof row);
        EXPECT_NEAR(row[0], 1, 0.3);
        EXPECT_NEAR(row[1], 1, 0.3);
    }
}

TEST(FieldCommand, converts_between_every_grid_format) {
    const Folder folder;
    ASSERT_EQ(run_field("build 'box(1, 1, 1)' -r 16 -o " + quoted(folder.file("a.fathom"))).exit_code, 0);
    for (const char* name : {"a.npy", "a.nrrd", "a.vti", "a.sdf", "a.dist"}) {
        const Outcome there = run_field("convert " + quoted(folder.file("a.fathom")) + " " + quoted(folder.file(name)));
        EXPECT_EQ(there.exit_code, 0) << there.err;
        const Outcome back =
            run_field("convert " + quoted(folder.file(name)) + " " + quoted(folder.file("back.fathom")));
        EXPECT_EQ(back.exit_code, 0) << back.err;
        EXPECT_EQ(info_of(folder.file("back.fathom"))["cells"], info_of(folder.file("a.fathom"))["cells"]) << name;
    }
}

TEST(FieldCommand, failures_print_one_line_and_set_the_exit_code) {
    const Folder folder;
    const Outcome missing = run_field("info nothing.fathom");
    EXPECT_EQ(missing.exit_code, 1);
    EXPECT_NE(missing.err.find("nothing.fathom"), std::string::npos);
    const Outcome syntax = run_field("info 'sphere(1, '");
    EXPECT_EQ(syntax.exit_code, 1);
    EXPECT_NE(syntax.err.find("column"), std::string::npos) << syntax.err;
    EXPECT_EQ(run_field("build torus -o x.fathom --sign frob").exit_code, 2);
    EXPECT_EQ(run_field("build torus").exit_code, 2);
    EXPECT_EQ(run_field("").exit_code, 2);
    const Outcome large =
        run_field("build torus -r 512 --dense --memory-limit 10 -o " + quoted(folder.file("x.fathom")));
    EXPECT_EQ(large.exit_code, 1);
    EXPECT_NE(large.err.find("limit"), std::string::npos) << large.err;
    std::string bytes = content_of(folder.written("y.fathom", ""));
    ASSERT_EQ(run_field("build torus -r 24 -o " + quoted(folder.file("y.fathom"))).exit_code, 0);
    bytes = content_of(folder.file("y.fathom"));
    bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
    EXPECT_EQ(run_field("info " + quoted(folder.written("z.fathom", bytes))).exit_code, 1);
    for (const char* command : {"build", "info", "slice", "mesh", "sample", "convert"})
        EXPECT_NE(run_field(std::string(command) + " --help").out.find("Example"), std::string::npos) << command;
}

} // namespace field_test
} // namespace fathom::testing
