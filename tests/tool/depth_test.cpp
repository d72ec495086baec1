#include <tool/program.h>
#include <tool/written_page.h>

#include <nlohmann/json.hpp>

namespace fathom::testing {
namespace depth_test {

Outcome depth(const std::string& arguments) { return run("depth " + arguments); }

nlohmann::json answer(const std::string& arguments) {
    const Outcome outcome = depth(arguments + " --json");
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return nlohmann::json::parse(outcome.out, nullptr, false);
}

// A box with a cavity behind a narrow hole: all directions fill the cavity except for the hole.
std::string box_with_cavity(const Folder& folder) {
    const std::string file = quoted(folder.file("cavity.ply"));
    EXPECT_EQ(
        run("field mesh 'difference(box(1, 1, 1), sphere(0.4), capsule(0, 0, 0, 1, 0, 0, 0.08))' -r 48 -o " + file)
            .exit_code,
        0);
    return file;
}

TEST(DepthCommand, a_sphere_is_visible_from_one_direction_and_a_cavity_from_none) {
    const auto ball = answer("sphere");
    EXPECT_EQ(ball["compliant_to_one"], true);
    EXPECT_EQ(ball["compliant"], true);
    EXPECT_EQ(ball["closed"], true);
    EXPECT_EQ(ball["sides"], "both");
    EXPECT_EQ(ball["directions"].size(), 1u);
    EXPECT_GT(ball["seen"].get<double>(), 0.99);
    EXPECT_LT(ball["unseen_area"].get<double>(), 0.01 * ball["area"].get<double>());
    EXPECT_TRUE(ball["collision"].is_null());
    EXPECT_TRUE(ball["pictures"].empty());
    for (const char* key : {"mesh", "triangles", "pixels", "backend", "filled", "concavity", "unseen_bounds",
                            "unseen_triangles", "resolution"})
        EXPECT_TRUE(ball.contains(key)) << key;

    const Folder folder;
    const auto box = answer(box_with_cavity(folder));
    EXPECT_EQ(box["closed"], true);
    EXPECT_EQ(box["compliant_to_one"], false);
    EXPECT_EQ(box["compliant"], false);
    EXPECT_NEAR(box["concavity"].get<double>(), 0.25, 0.05); // volume of the cavity: 0.268 m3
    EXPECT_NEAR(box["unseen_area"].get<double>(), 1.8, 0.4); // area of the cavity: 2.0 m2
    EXPECT_GT(box["unseen_triangles"].size(), 100u);
    for (std::size_t k = 0; k < 3; ++k) {
        EXPECT_NEAR(box["unseen_bounds"]["lower"][k].get<double>(), -0.4, 0.15) << k;
        EXPECT_NEAR(box["unseen_bounds"]["upper"][k].get<double>(), 0.4, 0.15) << k;
    }
    const auto& first = box["directions"][0];
    for (const char* key : {"direction", "seen", "seen_with_those_before", "filled", "concavity"})
        EXPECT_TRUE(first.contains(key)) << key;
}

TEST(DepthCommand, the_far_side_alone_never_shows_the_rear) {
    const auto one = answer("sphere --sides far --max-directions 1");
    EXPECT_EQ(one["compliant"], false);
    EXPECT_NEAR(one["seen"].get<double>(), 0.55, 0.1); // half of the sphere and a strip along the rim
}

TEST(DepthCommand, reports_body_depth_and_position_of_hits) {
    // Spheres of radius 0.5: one penetrates by 0.1 m, one is far away.
    const auto result = answer("sphere --against sphere --pose 0.9,0,0 --against sphere --pose 0,2,0")["collision"];
    EXPECT_EQ(result["status"], "overlapping");
    EXPECT_EQ(result["proven"], false);
    ASSERT_EQ(result["bodies"].size(), 1u);
    const auto& hit = result["bodies"][0];
    EXPECT_EQ(hit["body"], 0);
    EXPECT_GT(hit["pixels"].get<int>(), 20);
    EXPECT_GT(hit["depth"].get<double>(), 0.05);
    EXPECT_GT(hit["point"][0].get<double>(), 0.35);
    EXPECT_LT(hit["surface_normal"][0].get<double>(), -0.8); // outward normal of the other sphere, towards the first
    EXPECT_GT(result["tolerance"].get<double>(), result["rounding"].get<double>());
    for (const char* key : {"area", "separating_direction", "triangle", "projection"})
        EXPECT_TRUE(hit.contains(key)) << key;
    for (const char* key : {"open_pixels", "truncated", "drawings", "seconds", "enclosed_by"})
        EXPECT_TRUE(result.contains(key)) << key;
}

TEST(DepthCommand, disjoint_is_proven_with_conservative_maps) {
    const std::string apart = "sphere --against sphere --pose 0.8,0.8,0"; // boxes overlap, spheres do not
    EXPECT_EQ(answer(apart)["collision"]["status"], "disjoint");
    EXPECT_EQ(answer(apart)["collision"]["proven"], false);
    const auto conservative = answer(apart + " --conservative")["collision"];
    EXPECT_EQ(conservative["status"], "disjoint");
    EXPECT_EQ(conservative["proven"], true);
}

TEST(DepthCommand, finds_enclosed_bodies_and_layers_represent_cavities) {
    const Folder folder;
    const std::string pea = quoted(folder.file("pea.ply"));
    ASSERT_EQ(run("make sphere --set radius=0.1 -o " + pea).exit_code, 0);
    const auto inside = answer(pea + " --against sphere")["collision"];
    EXPECT_EQ(inside["status"], "overlapping");
    ASSERT_EQ(inside["enclosed_by"].size(), 1u);
    EXPECT_EQ(inside["enclosed_by"][0]["whole"], true);
    EXPECT_EQ(answer("torus --against " + pea)["collision"]["status"], "disjoint"); // inside the hole of the torus
    const std::string box = box_with_cavity(folder);
    EXPECT_EQ(answer(box + " --against " + pea)["collision"]["status"], "overlapping"); // the cavity counts as solid
    const auto layers = answer(box + " --sides layers --against " + pea);
    EXPECT_EQ(layers["collision"]["status"], "disjoint");
    EXPECT_EQ(layers["directions"].size(), 1u);
}

TEST(DepthCommand, writes_pictures_of_all_four_maps) {
    const Folder folder;
    const std::string out = folder.file("maps");
    const auto result = answer("sphere --against torus --pixels 64 --max-directions 1 -o " + quoted(out));
    ASSERT_EQ(result["pictures"].size(), 4u);
    for (const char* name : {"object_1.png", "environment_1.png", "hits_1.png", "normals_1.png"})
        EXPECT_EQ(content_of(out + "/" + name).substr(1, 3), "PNG") << name;
    EXPECT_NE(content_of(out + "/object_1.png"), content_of(out + "/hits_1.png"));
    EXPECT_NE(content_of(out + "/hits_1.png"), content_of(out + "/normals_1.png"));
    const std::string taken = folder.written("file", "");
    EXPECT_EQ(depth("sphere -o " + quoted(taken + "/maps")).exit_code, 1);
}

TEST(DepthCommand, every_backend_returns_a_result_and_its_name) {
    for (const char* backend : {"cpu", "gl", "fastest"}) {
        const auto result =
            answer(std::string("sphere --against sphere --pose 0.9,0,0 --max-directions 1 --backend ") + backend);
        EXPECT_FALSE(result["backend"].get<std::string>().empty()) << backend;
        EXPECT_EQ(result["collision"]["status"], "overlapping") << backend;
    }
    EXPECT_EQ(answer("sphere --backend cpu")["backend"], "CPU");
}

TEST(DepthCommand, rejects_invalid_input) {
    EXPECT_EQ(depth("").exit_code, 2);
    for (const char* wrong : {"--sides middle", "--pixels 2", "--backend vulkan", "--pose 0,0,1", "--conservative",
                              "--max-directions 0", "--against sphere --pose 1,2"})
        EXPECT_EQ(depth(std::string("sphere ") + wrong).exit_code, 2) << wrong;
    EXPECT_NE(depth("sphere --against sphere --pose 1,2").err.find("--pose"), std::string::npos);
    EXPECT_EQ(depth("sphere --against sphere --pose 0,0,1 --pose 0,0,2").exit_code, 2);
    const Outcome analytic = depth("'sphere(1)'");
    EXPECT_EQ(analytic.exit_code, 2);
    EXPECT_NE(analytic.err.find("analytic"), std::string::npos) << analytic.err;
    const Outcome missing = depth("no_such_file.obj");
    EXPECT_EQ(missing.exit_code, 1);
    EXPECT_NE(missing.err.find("no_such_file.obj"), std::string::npos) << missing.err;
    const Folder folder;
    EXPECT_EQ(depth(quoted(folder.written("open.obj", open_obj)) + " --sides layers --against sphere").exit_code, 2);
}

TEST(DepthCommand, prints_a_readable_report) {
    const Outcome meeting = depth("sphere --against sphere --pose 0.9,0,0");
    EXPECT_EQ(meeting.exit_code, 0);
    for (const char* words :
         {"compliant with one projection", "concavity", "overlapping\n", "deepest point", "method "})
        EXPECT_NE(meeting.out.find(words), std::string::npos) << words << meeting.out;
    const Folder folder;
    const Outcome apart = depth(box_with_cavity(folder) + " --against sphere --pose 9,0,0");
    for (const char* words : {"not compliant", "not seen ", "disjoint, proven"})
        EXPECT_NE(apart.out.find(words), std::string::npos) << words << apart.out;
    EXPECT_NE(depth(quoted(folder.written("open.obj", open_obj))).out.find("not closed"), std::string::npos);
    EXPECT_NE(depth("--help").out.find("Examples:"), std::string::npos);
}

TEST(DepthCommand, writes_a_page_with_the_maps_as_reliefs) {
    for (const char* maps : {"torus --pixels 64", "torus --against sphere --pose 0.4,0,0 --pixels 64"})
        expect_page(std::string("depth ") + maps, 1);
}

} // namespace depth_test
} // namespace fathom::testing
