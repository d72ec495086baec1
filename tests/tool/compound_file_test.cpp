// Files of compound shapes at the command line.
#include <tool/program.h>

#include <nlohmann/json.hpp>

#include <cmath>

namespace fathom::testing {
namespace compound_file_test {

using nlohmann::json;

constexpr const char* two_parts =
    "{\"parts\": [{\"shape\": \"t.obj\", \"position\": [0, 0, 2], \"name\": \"tip\"}, {\"shape\": \"sphere(0.5)\", "
    "\"position\": [3, 0, 0], \"rotation\": [0, 0, 0, 1], \"user\": 7, \"category\": 2}]}";

TEST(CompoundFile, queries_and_info_name_the_parts) {
    const Folder folder;
    (void)folder.written("t.obj", tetrahedron_obj);
    const std::string file = folder.written("two.json", two_parts),
                      outer = folder.written(
                          "outer.json", R"({"parts": [{"shape": "two.json", "position": [0, 0, -2], "name": "arm"}]})");
    const Outcome collide = run("collide --json --goal contacts " + quoted(file) + " 'box(1,1,1)' --pose-b 3,0,0.9");
    ASSERT_EQ(collide.exit_code, 0) << collide.err;
    const json found = json::parse(collide.out);
    EXPECT_EQ(found["status"], "overlapping");
    EXPECT_EQ(found["method"], "compound");
    ASSERT_FALSE(found["contacts"].empty());
    EXPECT_EQ(found["contacts"][0]["feature_a"]["part"], 1);
    EXPECT_TRUE(found["contacts"][0]["feature_b"]["part"].is_null());
    const Outcome distance = run("distance --json " + quoted(outer) + " 'sphere(1)' --pose-b 0,0,-3");
    ASSERT_EQ(distance.exit_code, 0) << distance.err;
    EXPECT_NEAR(json::parse(distance.out)["upper_bound"].get<double>(), std::sqrt(10.0) - 1.5, 1e-2);
    const Outcome info = run("info --json " + quoted(outer));
    ASSERT_EQ(info.exit_code, 0) << info.err;
    const json parts = json::parse(info.out)["parts"];
    ASSERT_EQ(parts.size(), 2u);
    EXPECT_EQ(parts[0]["name"], "arm/tip");
    EXPECT_EQ(parts[0]["kind"], "closed_mesh");
    EXPECT_EQ(parts[1]["user"], 7);
    EXPECT_EQ(parts[1]["position"][2], -2);
    EXPECT_NE(run("info " + quoted(file)).out.find("compound, 2 parts"), std::string::npos);
}

TEST(CompoundFile, rejects_files_that_are_no_compounds) {
    const Folder folder;
    for (const char* text :
         {"", "[]", "{\"parts\": 3}", "{\"parts\": []}", "{\"parts\": [3]}", "{\"parts\": [{}]}",
          "{\"parts\": [{\"shape\": \"sphere(1)\", \"position\": [1, 2]}]}",
          "{\"parts\": [{\"shape\": \"sphere(1)\", \"rotation\": [2, 0, 0, 0]}]}",
          "{\"parts\": [{\"shape\": \"sphere(1)\", \"mask\": -1}]}",
          "{\"parts\": [{\"shape\": \"sphere(1)\", \"colour\": 1}]}", "{\"parts\": [{\"shape\": \"missing.obj\"}]}",
          "{\"parts\": [{\"shape\": \"self.json\"}]}"}) {
        const Outcome outcome = run("info " + quoted(folder.written("self.json", text)));
        EXPECT_NE(outcome.exit_code, 0) << text;
        EXPECT_GT(outcome.exit_code, 0) << text;
        EXPECT_FALSE(outcome.err.empty()) << text;
    }
    const std::string good = folder.written("good.json", "{\"parts\": [{\"shape\": \"sphere(1)\"}]}");
    EXPECT_NE(run("collide " + quoted(good) + " 'sphere(1)' --html " + quoted(folder.file("page.html"))).exit_code, 0);
}

TEST(CompoundFile, files_that_name_one_another_many_times_are_rejected) {
    const Folder folder;
    (void)folder.written("0.json", "{\"parts\": [{\"shape\": \"sphere(1)\"}]}");
    for (int level = 1; level <= 6; ++level) {
        const nlohmann::json part = {{"shape", std::to_string(level - 1) + ".json"}};
        const nlohmann::json file = {{"parts", std::vector<nlohmann::json>(100, part)}};
        (void)folder.written(std::to_string(level) + ".json", file.dump());
    }
    EXPECT_EQ(run("info " + quoted(folder.file("1.json"))).exit_code, 0);
    const Outcome outcome = run("info " + quoted(folder.file("6.json")));
    EXPECT_NE(outcome.exit_code, 0);
    EXPECT_NE(outcome.err.find("at most 65536 parts"), std::string::npos) << outcome.err;
}

} // namespace compound_file_test
} // namespace fathom::testing
