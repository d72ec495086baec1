#include <tool/program.h>
#include <tool/written_page.h>

#include <nlohmann/json.hpp>

namespace fathom::testing {
namespace {

Outcome sweep(const std::string& arguments) { return run("sweep " + arguments, "FATHOM_CACHE=off"); }

nlohmann::json answer(const std::string& arguments) {
    const Outcome outcome = sweep(arguments + " --json");
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return nlohmann::json::parse(outcome.out, nullptr, false);
}

TEST(SweepCommand, time_of_impact_of_a_sphere_on_a_plate_is_exact) {
    const auto result = answer("'sphere(0.5)' 'box(4, 4, 0.2)' --from-a 0,0,2 --to-a 0,0,-2");
    EXPECT_EQ(result["status"], "overlapping");
    EXPECT_NEAR(result["time"].get<double>(), 0.35, 1e-3); // the lowest sample is near the pole, not at it
    EXPECT_NEAR(result["normal"][2].get<double>(), -1, 1e-6);
    EXPECT_NEAR(result["point"][2].get<double>(), 0.1, 1e-5);
    ASSERT_EQ(result["intervals"].size(), 1u);
    EXPECT_NEAR(result["intervals"][0][1].get<double>(), 0.65, 1e-3);
    EXPECT_TRUE(result["error_bound"].is_number());
    EXPECT_TRUE(result["method"].is_string());
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
    const std::string blade = "'box(2, 0.1, 0.1)' 'translate(0, 0.9, 0, sphere(0.1))' --to-a 0,0,0,0,0,0,1 --per-point";
    EXPECT_TRUE(answer(blade)["contacts_a"].empty());
    const auto turned = answer(blade + " --screw");
    EXPECT_EQ(turned["status"], "overlapping");
    EXPECT_FALSE(turned["contacts_a"].empty());
    EXPECT_GT(turned["time"].get<double>(), 0.4);
    EXPECT_LT(turned["time"].get<double>(), 0.5);
}

TEST(SweepCommand, the_proof_is_valid_for_the_surfaces) {
    const Folder folder;
    const std::string mesh = quoted(folder.file("ball.ply"));
    ASSERT_EQ(run("make sphere -o " + mesh).exit_code, 0);
    const auto far = answer(mesh + " " + mesh + " --from-a 0,0,5 --to-a 1,0,5 -r 64 --proof");
    EXPECT_EQ(far["status"], "disjoint");
    EXPECT_TRUE(far["sampling_gap_a"].is_number());
    const Outcome analytic = sweep("'sphere(1)' 'sphere(1)' --from-a 0,0,5 --proof");
    EXPECT_EQ(analytic.exit_code, 2);
    EXPECT_NE(analytic.err.find("--proof"), std::string::npos);
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

TEST(SweepCommand, prints_a_readable_report_and_lists_points_on_request) {
    const Outcome outcome = sweep("'sphere(0.5)' 'box(4, 4, 0.2)' --from-a 0,0,2 --to-a 0,0,-2 --per-point");
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_EQ(outcome.out.find("overlapping\n"), 0u);
    EXPECT_NE(outcome.out.find("in contact"), std::string::npos);
    EXPECT_NE(outcome.out.find(" of A: ["), std::string::npos);
}

TEST(SweepCommand, writes_a_page_with_the_path_and_the_bounding_spheres) {
    for (const char* motion : {"sphere torus --from-a 0,0,2 --to-a 0,0,-2 -r 32",
                               "'sphere(0.5)' 'box(1, 1, 1)' --from-a 0,0,3 --to-a 1,0,3"})
        expect_page(std::string("sweep ") + motion, 2);
}

} // namespace
} // namespace fathom::testing
