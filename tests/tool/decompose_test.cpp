// fathom decompose: files of convex hulls and boxes, their report, and their use as a compound.
#include <tool/program.h>

#include <fathom/geometry/io/mesh_file.h>

#include <nlohmann/json.hpp>

#include <algorithm>

namespace fathom::testing {
namespace decompose_test {

using nlohmann::json;

std::size_t count_of(const std::string& text, const std::string& word) {
    std::size_t count = 0;
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
    return count;
}

TEST(Decompose, writes_one_object_per_hull) {
    const Folder folder;
    const std::string file = folder.file("parts.obj");
    const Outcome outcome = run("decompose torus --hulls --concavity 0.2 --json -o " + quoted(file));
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    const json report = json::parse(outcome.out);
    const auto hulls = report["hulls"].get<std::size_t>();
    EXPECT_GE(hulls, 4u);
    EXPECT_LE(hulls, 10u);
    EXPECT_TRUE(report["reached"].get<bool>());
    EXPECT_LE(report["concavity"].get<double>(), report["concavity_bound"].get<double>());
    EXPECT_GE(report["hull_volume"].get<double>(), report["solid_volume"].get<double>());
    EXPECT_GE(report["seconds"].get<double>(), 0);
    EXPECT_EQ(count_of(content_of(file), "o hull_"), hulls);
    EXPECT_FALSE(read_mesh(file).surface.triangles.empty());
    EXPECT_EQ(run("decompose torus --hulls --max-hulls 2 -o " + quoted(folder.file("two.stl"))).exit_code, 0);
}

TEST(Decompose, a_compound_of_hulls_collides) {
    const Folder folder;
    const std::string file = folder.file("parts.json");
    const Outcome outcome = run("decompose torus --hulls -o " + quoted(file));
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_NE(outcome.err.find("hulls within"), std::string::npos);
    const Outcome hole = run("collide --json " + quoted(file) + " 'sphere(0.1)'");
    ASSERT_EQ(hole.exit_code, 0) << hole.err;
    EXPECT_EQ(json::parse(hole.out)["status"], "disjoint");
    const Outcome tube = run("collide --json " + quoted(file) + " 'sphere(0.1)' --pose-b 0.35,0,0");
    ASSERT_EQ(tube.exit_code, 0) << tube.err;
    EXPECT_EQ(json::parse(tube.out)["status"], "overlapping");
    const Outcome info = run("info --json " + quoted(file));
    ASSERT_EQ(info.exit_code, 0) << info.err;
    EXPECT_EQ(json::parse(info.out)["parts"][0]["name"], "hull_1");
    EXPECT_EQ(json::parse(info.out)["parts"][0]["kind"], "convex");
}

TEST(Decompose, boxes_contain_a_field) {
    const Folder folder;
    const std::string file = folder.file("boxes.json");
    const Outcome outcome = run("decompose 'union(box(4,1,1), box(1,4,1))' --json -o " + quoted(file));
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_TRUE(json::parse(outcome.out)["contained"].get<bool>());
    EXPECT_GE(json::parse(outcome.out)["boxes"].get<int>(), 2);
    EXPECT_EQ(run("info " + quoted(file)).exit_code, 0);
}

TEST(Decompose, rejects_wrong_options_and_inputs) {
    const Folder folder;
    const std::string out = " -o " + quoted(folder.file("out.obj"));
    for (const char* arguments :
         {"decompose torus --hulls", "decompose --hulls -o out.obj", "decompose torus --concavity 0.1 -o out.obj",
          "decompose torus --hulls --concavity 0 -o out.obj", "decompose torus --hulls --concavity nan -o out.obj",
          "decompose torus --hulls --max-hulls -1 -o out.obj", "decompose torus --hulls --parts 3 -o out.obj"})
        EXPECT_EQ(run(arguments).exit_code, 2) << arguments;
    EXPECT_NE(run("decompose 'sphere(1)' --hulls" + out).exit_code, 0); // no mesh
    EXPECT_NE(run("decompose " + quoted(folder.written("open.obj", open_obj)) + " --hulls" + out).exit_code, 0);
    EXPECT_NE(run("decompose torus --hulls -o " + quoted(folder.file("out.xyz"))).exit_code, 0);
    for (const char* text :
         {"{\"parts\": [{\"hull\": 3}]}", "{\"parts\": [{\"hull\": []}]}", "{\"parts\": [{\"hull\": [[0, 0]]}]}",
          "{\"parts\": [{\"hull\": [[0, 0, 0]], \"shape\": \"sphere(1)\"}]}"}) {
        const Outcome outcome = run("info " + quoted(folder.written("bad.json", text)));
        EXPECT_GT(outcome.exit_code, 0) << text;
        EXPECT_FALSE(outcome.err.empty()) << text;
    }
}

} // namespace decompose_test
} // namespace fathom::testing
