#include <tool/program.h>
#include <tool/written_page.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace fathom::testing {
namespace collide_test {

Outcome collide(const std::string& arguments) { return run("collide " + arguments, "FATHOM_CACHE=off"); }

nlohmann::json answer(const std::string& arguments) {
    const Outcome outcome = collide(arguments + " --json");
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return nlohmann::json::parse(outcome.out, nullptr, false);
}

nlohmann::json distance_answer(const std::string& arguments) {
    const Outcome outcome = run("distance " + arguments + " --json", "FATHOM_CACHE=off");
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return nlohmann::json::parse(outcome.out, nullptr, false);
}

void expect_near(const nlohmann::json& vector, double x, double y, double z, double tolerance) {
    ASSERT_EQ(vector.size(), 3u);
    EXPECT_NEAR(vector[0].get<double>(), x, tolerance);
    EXPECT_NEAR(vector[1].get<double>(), y, tolerance);
    EXPECT_NEAR(vector[2].get<double>(), z, tolerance);
}

TEST(CollideCommand, penetration_depth_of_two_spheres_is_exact) {
    const auto result = answer("'sphere(1)' 'sphere(0.5)' --pose-a 2,0,0 --pose-b 2,0,1.3");
    EXPECT_EQ(result["status"], "overlapping");
    EXPECT_EQ(result["proven"], true);
    EXPECT_EQ(result["more_contacts"], false);
    EXPECT_NEAR(result["depth"].get<double>(), 0.2, 1e-6);
    EXPECT_NEAR(result["local_depth"].get<double>(), 0.2, 1e-9);
    EXPECT_EQ(result["separates"], "proven");
    expect_near(result["normal"], 0, 0, 1, 1e-3);
    ASSERT_FALSE(result["contacts"].empty());
    const auto& contact = result["contacts"][0];
    expect_near(contact["normal"], 0, 0, 1, 1e-6);
    expect_near(contact["point_a"], 2, 0, 1, 1e-6);
    expect_near(contact["point_b"], 2, 0, 0.8, 1e-6);
    EXPECT_NEAR(contact["depth"].get<double>(), 0.2, 1e-9);
    EXPECT_EQ(contact["region"], 0);
    for (const char* feature : {"feature_a", "feature_b"}) EXPECT_EQ(contact[feature]["element"], 0) << feature;
    const double z = result["witness"][2].get<double>();
    EXPECT_GE(z, 0.8 - 1e-9);
    EXPECT_LE(z, 1 + 1e-9);
    EXPECT_EQ(result["method"], "convex");
    EXPECT_LE(result["error_bound"].get<double>(), 1e-12);
}

TEST(CollideCommand, swapped_bodies_give_the_same_depth_and_opposite_normals) {
    const auto ab = answer("'torus(1, 0.3)' 'box(0.4, 0.5, 0.6)' --pose-b 1,0,0.45,0.924,0.383,0,0");
    const auto ba = answer("'box(0.4, 0.5, 0.6)' 'torus(1, 0.3)' --pose-a 1,0,0.45,0.924,0.383,0,0");
    ASSERT_EQ(ab["status"], "overlapping");
    EXPECT_EQ(ab["depth"], ba["depth"]);
    EXPECT_GT(ab["depth"].get<double>(), 0.01);
    for (std::size_t k = 0; k < 3; ++k)
        EXPECT_EQ(ab["contacts"][0]["normal"][k].get<double>(), -ba["contacts"][0]["normal"][k].get<double>());
    EXPECT_EQ(ab["contacts"][0]["point_a"], ba["contacts"][0]["point_b"]);
}

TEST(DistanceCommand, distance_of_disjoint_bodies_is_bounded) {
    const std::string balls = "'sphere(1)' 'sphere(0.5)' --pose-b 0,3,0";
    const auto status = answer(balls);
    EXPECT_EQ(status["status"], "disjoint");
    EXPECT_EQ(status["proven"], true);
    EXPECT_TRUE(status["witness"].is_null());
    EXPECT_TRUE(status["contacts"].empty());
    const auto result = distance_answer(balls);
    EXPECT_EQ(result["status"], "disjoint");
    EXPECT_EQ(result["proven"], true);
    EXPECT_EQ(result["converged"], true);
    EXPECT_LE(result["lower_bound"].get<double>(), 1.5 + 1e-12);
    EXPECT_NEAR(result["upper_bound"].get<double>(), 1.5, 1e-9);
    expect_near(result["point_a"], 0, 1, 0, 1e-4);
    expect_near(result["point_b"], 0, 2.5, 0, 1e-4);
    expect_near(result["normal"], 0, 1, 0, 1e-4);
}

TEST(DistanceCommand, distance_of_overlapping_bodies_is_minus_the_depth) {
    const auto result = distance_answer("'sphere(1)' 'sphere(0.5)' --pose-b 0,0,1.3");
    EXPECT_EQ(result["status"], "overlapping");
    EXPECT_NEAR(result["upper_bound"].get<double>(), -0.2, 1e-9);
    EXPECT_NEAR(result["lower_bound"].get<double>(), -0.2, 1e-6);
}

TEST(DistanceCommand, prints_a_readable_report_and_a_page) {
    const Outcome apart = run("distance 'sphere(1)' 'sphere(0.5)' --pose-b 0,0,2", "FATHOM_CACHE=off");
    EXPECT_EQ(apart.out.find("disjoint, proven\n"), 0u) << apart.out;
    EXPECT_NE(apart.out.find("distance   between "), std::string::npos) << apart.out;
    expect_page("distance sphere torus --pose-b 0,0,3", 1);
}

TEST(CollideCommand, bodies_within_the_margin_overlap) {
    const std::string balls = "'sphere(1)' 'sphere(0.5)' --pose-b 0,0,1.6";
    EXPECT_EQ(answer(balls + " --margin 0.09")["status"], "disjoint");
    const auto near = answer(balls + " --margin 0.11");
    EXPECT_EQ(near["status"], "overlapping");
    EXPECT_NEAR(near["local_depth"].get<double>(), -0.1, 1e-9);
    EXPECT_NEAR(near["depth"].get<double>(), 0.01, 1e-6);
    EXPECT_NEAR(distance_answer(balls)["upper_bound"].get<double>(), 0.1, 1e-9);
}

TEST(CollideCommand, each_region_has_its_own_contact) {
    // A rod on a ring touches it on two sides.
    const auto deepest = answer("'torus(1, 0.2)' 'box(4, 0.2, 0.2)' --pose-b 0,0,0.2")["contacts"];
    double left = 0, right = 0;
    for (const auto& contact : deepest) {
        const double x = contact["point_a"][0].get<double>();
        (contact["region"] == 0 ? left : right) = x;
    }
    EXPECT_LT(left * right, 0);
    for (const auto& contact : deepest) {
        EXPECT_NEAR(contact["depth"].get<double>(), 0.1, 1e-9);
        expect_near(contact["normal"], 0, 0, 1, 1e-6);
    }
}

TEST(CollideCommand, all_contacts_are_spread_over_a_flat_region) {
    const std::string boxes = "'box(1, 1, 1)' 'box(0.6, 0.6, 0.6)' --pose-b 0,0,0.75";
    EXPECT_EQ(answer(boxes + " --max-contacts 1")["contacts"].size(), 1u);
    EXPECT_TRUE(answer(boxes + " --goal status")["contacts"].empty());
    const auto all = answer(boxes)["contacts"];
    ASSERT_GE(all.size(), 4u);
    EXPECT_NEAR(all[0]["depth"].get<double>(), 0.05, 1e-9);
    double left = 0, right = 0;
    for (const auto& contact : all) {
        EXPECT_NEAR(contact["depth"].get<double>(), 0.05, 1e-9);
        left = std::min(left, contact["point_b"][0].get<double>());
        right = std::max(right, contact["point_b"][0].get<double>());
    }
    EXPECT_GT(right - left, 0.5); // of 0.6
}

TEST(CollideCommand, a_mesh_stays_a_mesh_unless_a_grid_is_requested) {
    const Folder folder;
    const std::string mesh = quoted(folder.file("ball.ply"));
    ASSERT_EQ(run("make sphere -o " + mesh).exit_code, 0); // radius 0.5
    for (const char* option : {" --grid 64", ""}) {
        const auto result = answer(mesh + " 'box(2, 2, 1)' --pose-b 0,0,0.9" + option);
        ASSERT_EQ(result["status"], "overlapping") << option;
        EXPECT_NEAR(result["depth"].get<double>(), 0.1, 5e-3) << option;
        expect_near(result["contacts"][0]["normal"], 0, 0, 1, 0.05);
        EXPECT_TRUE(result["contacts"][0]["feature_a"]["element"].is_number()) << option;
        EXPECT_TRUE(result["contacts"][0]["feature_b"]["element"].is_null()) << option;
        if (*option != 0)
            EXPECT_GT(result["error_bound"].get<double>(), 0);
        else
            EXPECT_EQ(result["error_bound"], 0);
    }
    const std::string grid = quoted(folder.file("ball.fathom"));
    ASSERT_EQ(run("field build " + mesh + " -r 64 -o " + grid).exit_code, 0);
    const auto apart = distance_answer(grid + " " + mesh + " --grid 64 --pose-b 2,0,0");
    EXPECT_EQ(apart["status"], "disjoint");
    EXPECT_NEAR(apart["upper_bound"].get<double>(), 1, 0.01);
    EXPECT_LE(apart["lower_bound"].get<double>(), apart["upper_bound"].get<double>());
}

// Apexes that overlap by 2 mm: grids of 256 cells do not resolve them.
TEST(CollideCommand, two_cones_that_cross_at_their_tips_overlap) {
    const auto result = answer("cone cone --pose-b 0,0,0.998,0,1,0,0");
    EXPECT_EQ(result["status"], "overlapping");
    EXPECT_EQ(result["method"], "mesh_mesh");
}

TEST(CollideCommand, a_method_of_the_table_can_be_forced) {
    const std::string pair = "'sphere(1)' 'sphere(0.5)' --pose-b 0,0,1.3 --method ";
    for (const char* method : {"field_field", "octree", "dual_gradient"}) {
        const auto result = answer(pair + method);
        EXPECT_EQ(result["method"], method);
        EXPECT_EQ(result["status"], "overlapping") << method;
    }
    EXPECT_EQ(collide(pair + "mesh_mesh").exit_code, 1); // spheres have no triangles
    const Outcome unknown = collide(pair + "no_such_method");
    EXPECT_EQ(unknown.exit_code, 2);
    EXPECT_NE(unknown.err.find("conservative_advancement"), std::string::npos) << unknown.err;
}

TEST(CollideCommand, a_grazing_contact_is_undecided_and_not_an_error) {
    const std::string graze = "'torus(1, 0.3)' 'sphere(0.5)' --pose-b 1,0,0.8000000000001"; // far below the tolerance
    const auto result = answer(graze);
    EXPECT_EQ(result["status"], "undecided");
    EXPECT_EQ(result["proven"], false);
    EXPECT_EQ(collide(graze).out.find("undecided: "), 0u);
}

TEST(CollideCommand, writes_a_picture_of_the_octree_of_the_intersection) {
    const Folder folder;
    const std::string meeting = folder.file("meeting.png"), apart = folder.file("apart.png");
    const Outcome drawn = collide("'torus(1, 0.3)' 'sphere(0.5)' --pose-b 1,0,0.3 --picture " + quoted(meeting));
    ASSERT_EQ(drawn.exit_code, 0) << drawn.err;
    EXPECT_NE(drawn.out.find("meeting.png"), std::string::npos);
    ASSERT_EQ(collide("'torus(1, 0.3)' 'sphere(0.5)' --pose-b 5,0,0 --picture " + quoted(apart)).exit_code, 0);
    for (const std::string& file : {meeting, apart}) {
        EXPECT_EQ(content_of(file).substr(1, 3), "PNG") << file;
        EXPECT_GT(content_of(file).size(), 5000u) << file;
    }
    EXPECT_EQ(collide("'sphere(1)' 'sphere(1)' --picture " + quoted(folder.file("no/such/folder.png"))).exit_code, 1);
}

TEST(CollideCommand, rejects_invalid_input) {
    for (const char* pose : {"1,2", "1,2,x", "nan,0,0", "0,0,0,1,1,0,0"}) {
        const Outcome outcome = collide(std::string("'sphere(1)' 'sphere(1)' --pose-b ") + quoted(pose));
        EXPECT_EQ(outcome.exit_code, 2) << pose;
        EXPECT_NE(outcome.err.find("--pose-b"), std::string::npos) << pose << ": " << outcome.err;
    }
    EXPECT_EQ(collide("'sphere(1)'").exit_code, 2);
    EXPECT_EQ(collide("'sphere(1)' 'sphere(1)' --margin -1").exit_code, 2);
    EXPECT_EQ(answer("'plane(0, 0, 1, 0)' 'plane(0, 0, 1, 0)'")["status"], "overlapping");
    const Outcome missing = collide("'sphere(1)' no_such_file.obj");
    EXPECT_EQ(missing.exit_code, 1);
    EXPECT_NE(missing.err.find("no_such_file.obj"), std::string::npos) << missing.err;
    const Outcome below = collide("sphere box --margin -1");
    EXPECT_EQ(below.exit_code, 2);
    EXPECT_NE(below.err.find("'-1' is not a number >= 0"), std::string::npos) << below.err;
}

// A box of size 1 without one of its twelve triangles.
constexpr const char* holed_box = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n"
                                  "f 1 4 3\nf 1 3 2\nf 5 6 7\nf 5 7 8\nf 1 2 6\nf 1 6 5\n"
                                  "f 2 3 7\nf 2 7 6\nf 3 4 8\nf 3 8 7\nf 4 1 5\n";

TEST(CollideCommand, reports_how_a_mesh_with_a_hole_is_understood) {
    const Folder folder;
    const std::string pair = quoted(folder.written("holed.obj", holed_box)) + " 'sphere(0.1)' --pose-b 0.5,0.5,0.5";
    const nlohmann::json inside = answer(pair);
    EXPECT_EQ(inside["status"], "overlapping");
    EXPECT_EQ(inside["proven"], false);
    EXPECT_EQ(inside["note"], "the holes of A were closed by caps, and the result depends on them");
    EXPECT_EQ(inside["interior_a"]["interior"], "capped");
    EXPECT_EQ(inside["interior_a"]["reason"], "3 open edges: 1 hole closed by flat caps");
    EXPECT_EQ(inside["interior_b"]["interior"], "closed");
    const Outcome text = collide(pair);
    for (const char* words : {"not proven: see the note", "capped: 3 open edges", "note       the holes of A"})
        EXPECT_NE(text.out.find(words), std::string::npos) << words << text.out;
}

TEST(CollideCommand, rejects_meshes_that_rounding_makes_meaningless) {
    const Folder folder;
    for (const char* size : {"1e160", "1e300", "1e40", "1e-307"}) {
        const std::string file = folder.written(
            "bad.obj",
            fmt::format("v 0 0 0\nv {0} 0 0\nv 0 {0} 0\nv 0 0 {0}\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n", size));
        for (const std::string& command :
             {fmt::format("collide {0} {0}", quoted(file)), fmt::format("distance {} 'sphere(1)'", quoted(file)),
              fmt::format("field build {} -o {}", quoted(file), quoted(folder.file("x.fathom")))}) {
            const Outcome outcome = run(command, "FATHOM_CACHE=off");
            EXPECT_EQ(outcome.exit_code, 1) << command << size << outcome.err;
            EXPECT_NE(outcome.err.find("bad.obj"), std::string::npos) << command << outcome.err;
            EXPECT_NE(outcome.err.find(" m "), std::string::npos) << "the limit: " << outcome.err;
        }
    }
}

TEST(CollideCommand, prints_a_readable_report) {
    const Outcome meeting = collide("'sphere(1)' 'sphere(0.5)' --pose-b 0,0,1.3");
    EXPECT_EQ(meeting.exit_code, 0);
    EXPECT_EQ(meeting.out.find("overlapping, proven\n"), 0u) << meeting.out;
    for (const char* words :
         {"depth      0.2", "local      0.2 m", "witness ", "point on A", "normal from A to B", "method ", "error "})
        EXPECT_NE(meeting.out.find(words), std::string::npos) << words << meeting.out;
    const Outcome apart = collide("'sphere(1)' 'sphere(0.5)' --pose-b 0,0,2");
    EXPECT_EQ(apart.out.find("disjoint, proven\n"), 0u) << apart.out;
}

TEST(CollideCommand, writes_a_page_with_both_bodies_and_their_contacts) {
    for (const char* pair :
         {"sphere torus --grid 32", "'sphere(0.5)' box --pose-b 0,0,3 --grid 32",
          "'plane(0, 0, 1, 0)' torus --pose-b 0,0,0.1", "'sphere(0.5)' 'torus(1, 0.3)' --pose-b 1,0,0"})
        expect_page(std::string("collide ") + pair, 1);
}

} // namespace collide_test
} // namespace fathom::testing
