#include <tool/program.h>
#include <tool/written_page.h>

#include <nlohmann/json.hpp>

#include <cmath>

namespace fathom::testing {
namespace sweep_test {

Outcome sweep(const std::string& arguments) { return run("sweep " + arguments, "FATHOM_CACHE=off"); }

constexpr const char* bar_obj = // 2 m long, 0.2 m wide
    "v -1 -0.1 -0.1\nv -1 -0.1 0.1\nv -1 0.1 -0.1\nv -1 0.1 0.1\n"
    "v 1 -0.1 -0.1\nv 1 -0.1 0.1\nv 1 0.1 -0.1\nv 1 0.1 0.1\n"
    "f 1 2 4\nf 1 4 3\nf 5 7 8\nf 5 8 6\nf 1 5 6\nf 1 6 2\n"
    "f 3 4 8\nf 3 8 7\nf 1 3 7\nf 1 7 5\nf 2 6 8\nf 2 8 4\n";

nlohmann::json answer(const std::string& arguments) {
    const Outcome outcome = sweep(arguments + " --json");
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return nlohmann::json::parse(outcome.out, nullptr, false);
}

TEST(SweepCommand, time_of_impact_of_a_sphere_on_a_plate_is_exact) {
    const auto result = answer("'sphere(0.5)' 'box(4, 4, 0.2)' --from-a 0,0,2 --to-a 0,0,-2");
    EXPECT_EQ(result["status"], "overlapping");
    EXPECT_EQ(result["proven"], true);
    EXPECT_LE(result["time"].get<double>(), 0.35);
    EXPECT_GE(result["time"].get<double>() + result["error"].get<double>(), 0.35);
    EXPECT_LE(result["error"].get<double>(), 2e-6);
    EXPECT_NEAR(result["normal"][2].get<double>(), -1, 1e-6);
    EXPECT_NEAR(result["point"][2].get<double>(), 0.1, 1e-5);
    ASSERT_EQ(result["intervals"].size(), 1u);
    EXPECT_NEAR(result["intervals"][0]["end"].get<double>(), 0.65, 1e-5);
    EXPECT_EQ(result["error_bound"], 0);
    EXPECT_EQ(result["method"], "convex");
}

TEST(SweepCommand, swapped_bodies_give_the_same_time_and_opposite_normals) {
    const auto ab = answer("'sphere(0.5)' 'box(4, 4, 0.2)' --from-a 0,0,2 --to-a 0,0,-2");
    const auto ba = answer("'box(4, 4, 0.2)' 'sphere(0.5)' --from-b 0,0,2 --to-b 0,0,-2");
    EXPECT_NEAR(ab["time"].get<double>(), ba["time"].get<double>(), 1e-9);
    EXPECT_NEAR(ab["normal"][2].get<double>(), -ba["normal"][2].get<double>(), 1e-9);
}

TEST(SweepCommand, bodies_that_pass_each_other_are_disjoint) {
    const auto result = answer("'sphere(0.5)' 'box(4, 4, 0.2)' --from-a 0,0,2 --to-a 3,0,2");
    EXPECT_EQ(result["status"], "disjoint");
    EXPECT_TRUE(result["time"].is_null());
    EXPECT_TRUE(result["point"].is_null());
    EXPECT_TRUE(result["intervals"].empty());
}

TEST(SweepCommand, a_rotating_blade_hits_a_body_that_its_chords_miss) {
    // Half a rotation about z: on straight paths every point of the blade passes through the axis; on screw paths the
    // tip moves on a circle.
    const Folder folder;
    const std::string blade = quoted(folder.file("blade.ply"));
    ASSERT_EQ(run("make box -o " + blade).exit_code, 0); // a unit cube
    const std::string motion = blade + " 'translate(0, 0.66, 0, sphere(0.1))' --to-a 0,0,0,0,0,0,1";
    const auto straight = answer(motion + " --method point_field --path straight");
    EXPECT_EQ(straight["status"], "undecided"); // edges are not tested
    EXPECT_EQ(straight["proven"], false);
    EXPECT_EQ(answer(motion + " --method point_field")["status"], "overlapping");
    const auto rotated = answer(motion);
    EXPECT_EQ(rotated["status"], "overlapping");
    EXPECT_EQ(rotated["proven"], true);
    EXPECT_EQ(sweep(motion + " --path straight").exit_code, 1); // no other method has straight paths
}

// Bars of 8 vertices, crossed at a right angle: no vertex of one passes through the other.
TEST(SweepCommand, crossed_bars_touch_edge_to_edge) {
    const Folder folder;
    const std::string bar = quoted(folder.written("bar.obj", bar_obj));
    const auto result = answer(
        bar + " " + bar + " --from-a 0,0,1 --to-a 0,0,-1 --from-b 0,0,0,0.7071067811865476,0,0,0.7071067811865476");
    EXPECT_EQ(result["status"], "overlapping");
    EXPECT_NEAR(result["time"].get<double>(), 0.4, 1e-5);
    ASSERT_EQ(result["intervals"].size(), 1u);
    EXPECT_NEAR(result["intervals"][0]["end"].get<double>(), 0.6, 1e-5);
}

TEST(SweepCommand, times_of_grazing_and_resting_shapes_are_true) {
    const auto graze = answer("'sphere(1)' 'sphere(2)' --from-a -10,2.999,0 --to-a 10,2.999,0");
    const double truth = 0.5 - std::sqrt(9 - 2.999 * 2.999) / 20;
    EXPECT_LE(graze["time"].get<double>(), truth);
    EXPECT_GE(graze["time"].get<double>() + graze["error"].get<double>(), truth - 1e-12);
    const auto cubes = answer("'box(1,1,1)' 'box(1,1,1)' --from-a 0,0,3 --to-a 0,0,-3")["intervals"];
    ASSERT_EQ(cubes.size(), 1u);
    EXPECT_NEAR(cubes[0]["start"].get<double>(), 1.0 / 3, 1e-5);
    EXPECT_NEAR(cubes[0]["end"].get<double>(), 2.0 / 3, 1e-5);
}

TEST(SweepCommand, rejects_invalid_poses) {
    for (const char* pose :
         {"1,2", "1,2,x", "1,2,3,", "1;2;3", "nan,0,0", "0,0,0,1,1,0,0", "0,0,0,0,0,0,0", "1,2,3,4,5"}) {
        const Outcome outcome = sweep(std::string("'sphere(1)' 'sphere(1)' --to-a ") + quoted(pose));
        EXPECT_EQ(outcome.exit_code, 2) << pose;
        EXPECT_NE(outcome.err.find("--to-a"), std::string::npos) << pose << ": " << outcome.err;
    }
    EXPECT_EQ(sweep("'sphere(1)'").exit_code, 2);
    EXPECT_EQ(sweep("'sphere(1)' no_such_file.obj").exit_code, 1);
}

TEST(SweepCommand, prints_a_readable_report) {
    const std::string pair = "'sphere(0.5)' 'box(4, 4, 0.2)' --from-a 0,0,2 --to-a 0,0,-2";
    const Outcome outcome = sweep(pair);
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_EQ(outcome.out.find("overlapping, proven\n"), 0u) << outcome.out;
    EXPECT_NE(outcome.out.find("in contact"), std::string::npos);
    EXPECT_EQ(sweep(pair + " --first").out.find("in contact"), std::string::npos);
}

TEST(SweepCommand, writes_a_page_with_the_path) {
    for (const char* motion : {"sphere torus --from-a 0,0,2 --to-a 0,0,-2 --grid 32",
                               "'sphere(0.5)' 'box(1, 1, 1)' --from-a 0,0,3 --to-a 1,0,3"})
        expect_page(std::string("sweep ") + motion, 2);
}

} // namespace sweep_test
} // namespace fathom::testing
