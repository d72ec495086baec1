// Bodies that are moved: every method gives the same statuses about the same frames, and scenes of them run.
#include <fathom/simulate/kinematic/scripted_world.h>

#include <fathom/base/error.h>
#include <fathom/base/file.h>
#include <fathom/field/analytic/analytic_field.h>
#include <fathom/field/analytic/primitives.h>
#include <fathom/field/neural_io/network_file.h>
#include <fathom/geometry/generate/generate.h>
#include <fathom/simulate/record/recording_files.h>
#include <fathom/simulate/scene/scene.h>
#include <fathom/simulate/scene/simulation.h>
#include <support/scratch_folder.h>

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace fathom {
namespace {

std::filesystem::path scene_file(const std::string& name) {
    return std::filesystem::path(FATHOM_SOURCE_DIR) / "scenes" / (name + ".toml");
}

TEST(MotionPath, is_even_and_straight_between_key_frames_and_still_beyond) {
    const MotionPath path{{{1, Pose::from_translation({0, 0, 0})},
                           {2, Pose::from_axis_angle(std::numbers::pi / 2, Vec3::UnitZ(), {2, 0, 0})},
                           {4, Pose::from_axis_angle(std::numbers::pi / 2, Vec3::UnitZ(), {2, 4, 0})}}};
    EXPECT_EQ(path.at(0).translation, Vec3(0, 0, 0));
    EXPECT_NEAR((path.at(1.25).translation - Vec3(0.5, 0, 0)).norm(), 0, 1e-12);
    EXPECT_NEAR(path.at(1.5).rotation.angularDistance(Quat(Eigen::AngleAxisd(std::numbers::pi / 4, Vec3::UnitZ()))), 0,
                1e-9);
    EXPECT_NEAR((path.at(3).translation - Vec3(2, 2, 0)).norm(), 0, 1e-12);
    EXPECT_EQ(path.at(9).translation, Vec3(2, 4, 0));
    EXPECT_EQ(MotionPath{}.at(3).translation, Vec3(0, 0, 0));
    EXPECT_THROW(check(MotionPath{{{1, {}}, {1, {}}}}), Error);
    EXPECT_THROW(check(MotionPath{{{std::nan(""), {}}}}), Error);
}

// A ball of radius 0.3 that flies past one of radius 0.5, with everything that any method needs.
std::vector<KinematicBody> two_balls() {
    std::vector<KinematicBody> bodies(2);
    for (std::size_t k = 0; k < 2; ++k) {
        const double radius = k == 0 ? 0.3 : 0.5;
        bodies[k].shape =
            make_body_shape(make_sphere({.radius = radius, .resolution = 12}), {.grid = {.resolution = 48}});
        bodies[k].obstacle.mesh = {bodies[k].shape, &bodies[k].shape->mesh};
        bodies[k].obstacle.name = k == 0 ? "small" : "large";
        bodies[k].field = std::make_shared<AnalyticField>(shapes::sphere(radius));
    }
    bodies[0].path = {{{0, Pose::from_translation({-1, 0.1, 0.2})}, {1, Pose::from_translation({1, 0.1, 0.2})}}};
    return bodies;
}

TEST(ScriptedWorld, every_method_sees_the_same_frames_touch) {
    for (const ScriptedMethod method : {ScriptedMethod::fields, ScriptedMethod::descent, ScriptedMethod::mesh_field,
                                        ScriptedMethod::meshes, ScriptedMethod::depth_maps, ScriptedMethod::sweep}) {
        ScriptedWorld world(two_balls(), 0.02, {.method = method});
        std::size_t touching = 0;
        for (std::size_t k = 0; k < 50; ++k) {
            world.step();
            ASSERT_EQ(world.pairs().size(), 1u);
            const ScriptedPair& pair = world.pairs()[0];
            const double depth = 0.8 - world.pose(0).translation.norm();
            if (std::abs(depth) < 0.05) continue; // meshes and grids are not round
            touching += depth > 0;
            EXPECT_EQ(pair.status == Status::overlapping, depth > 0) << static_cast<int>(method) << " frame " << k;
            EXPECT_EQ(pair.contacts.empty(), pair.status != Status::overlapping) << static_cast<int>(method);
            if (depth < 0 || depth > 0.2 || method != ScriptedMethod::fields)
                continue; // deeper, the middle of a ball is the deepest point
            EXPECT_NEAR(pair.depth, depth, 1e-6);
            EXPECT_LT(pair.contacts[0].normal.dot(world.pose(0).translation.normalized()), -0.99) << "into the second";
        }
        EXPECT_GT(touching, 20u);
        EXPECT_LT(touching, 45u);
    }
}

TEST(ScriptedWorld, names_the_body_without_the_required_geometry) {
    std::vector<KinematicBody> bodies = two_balls();
    bodies[1].field.reset();
    try {
        ScriptedWorld(bodies, 0.1, {.method = ScriptedMethod::fields});
        FAIL();
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("'large'"), std::string::npos) << error.what();
    }
    EXPECT_THROW(ScriptedWorld({}, 0.1), Error);
    EXPECT_THROW(ScriptedWorld(two_balls(), 0), Error);
}

std::size_t touching_frames(const Recording& recording) {
    std::size_t count = 0;
    for (const RecordedFrame& frame : recording.frames())
        for (const RecordedPair& pair : frame.pairs) count += pair.status == Status::overlapping;
    return count;
}

// Some frames touch and some do not, by every method that the scene's words offer.
TEST(ScriptedScenes, of_two_fields_pass_and_touch) {
    for (const char* name : {"figure2_cubes", "figure2_hearts", "figure9_cubes_and_sphere", "figure11_bunny_cone",
                             "figure11_armadillo_cylinder", "figure11_bunny_network", "section54_shell_and_rock"}) {
        Simulation simulation(read_scene(scene_file(name), {.overrides = {"record_every = 1"}}));
        simulation.run();
        const std::size_t touching = touching_frames(simulation.recording()),
                          frames = simulation.recording().frames().size();
        EXPECT_GT(touching, frames / 10) << name;
        EXPECT_LT(touching, frames * (simulation.recording().bodies().size() - 1)) << name;
        EXPECT_GT(simulation.recording().worst_penetration(), 0) << name;
    }
}

TEST(ScriptedScenes, a_rival_method_agrees_on_the_passing_cone) {
    std::vector<std::size_t> touching;
    for (const char* method : {"fields", "meshes", "mesh_field"}) {
        Simulation simulation(read_scene(scene_file("figure11_bunny_cone"),
                                         {.overrides = {std::string("motion.method = '") + method + "'"}}));
        simulation.run();
        touching.push_back(touching_frames(simulation.recording()));
    }
    EXPECT_NEAR(static_cast<double>(touching[0]), static_cast<double>(touching[1]), 4);
    EXPECT_NEAR(static_cast<double>(touching[0]), static_cast<double>(touching[2]), 4);
}

TEST(ScriptedScenes, random_sweeps_are_the_same_with_and_without_a_tree) {
    std::vector<std::size_t> touching;
    for (const char* tree : {"true", "false"}) {
        Simulation simulation(
            read_scene(scene_file("table3_bunny"),
                       {.overrides = {std::string("motion.tree = ") + tree, "duration = 0.2", "record_every = 1"}}));
        simulation.run();
        touching.push_back(touching_frames(simulation.recording()));
    }
    EXPECT_EQ(touching[0], touching[1]);
    EXPECT_GT(touching[0], 20u);
    EXPECT_LT(touching[0], 200u);
}

TEST(ScriptedScenes, a_flight_collides_in_the_frames_that_its_table_lists) {
    const testing::ScratchFolder folder;
    Simulation simulation(
        read_scene(scene_file("flight_tunnel"), {.overrides = {"duration = 2.5", "record_every = 1"}}));
    simulation.run();
    const std::size_t touching = touching_frames(simulation.recording());
    EXPECT_GT(touching, 10u);
    EXPECT_LT(touching, 145u);
    write_contacts_csv(folder / "contacts.csv", simulation.recording());
    const Bytes bytes = read_whole_file(folder / "contacts.csv");
    const std::string table(reinterpret_cast<const char*>(bytes.span().data()), bytes.size());
    const auto count = [&](const std::string& word) {
        std::size_t found = 0;
        for (std::size_t at = table.find(word); at != table.npos; at = table.find(word, at + 1)) ++found;
        return found;
    };
    EXPECT_EQ(count(",disjoint\n"), simulation.recording().frames().size() - touching);
    EXPECT_GE(count(",overlapping\n"), touching);
}

// Parts of an object move by themselves, each with its own maps, and strike where exact triangles do.
TEST(ScriptedScenes, parts_of_an_object_are_tested_by_their_own_maps) {
    for (const char* name : {"figure4_wings", "figure5_arm"}) {
        Simulation maps(read_scene(scene_file(name), {.overrides = {"record_every = 1"}}));
        Simulation meshes(
            read_scene(scene_file(name), {.overrides = {"record_every = 1", "motion.method = 'meshes'"}}));
        maps.run();
        meshes.run();
        std::size_t touching = 0, unlike = 0, all = 0;
        for (std::size_t f = 0; f < maps.recording().frames().size(); ++f)
            for (const RecordedPair& pair : maps.recording().frames()[f].pairs)
                for (const RecordedPair& exact : meshes.recording().frames()[f].pairs) {
                    if (pair.a != exact.a || pair.b != exact.b) continue;
                    ++all;
                    touching += pair.status == Status::overlapping;
                    unlike += pair.status != exact.status;
                }
        EXPECT_GT(touching, all / 100) << name;
        EXPECT_LT(touching, all / 4) << name;
        EXPECT_LT(unlike, all / 100) << name;
    }
}

TEST(ScriptedWorld, tests_parts_against_other_bodies_only) {
    std::vector<KinematicBody> bodies = two_balls();
    bodies.insert(bodies.begin(), bodies[0]);
    const ScriptedWorld world(bodies, 0.02, {.method = ScriptedMethod::depth_maps, .objects = 2});
    ASSERT_EQ(world.pairs().size(), 2u);
    for (const ScriptedPair& pair : world.pairs()) EXPECT_EQ(pair.b, 2u);
    EXPECT_THROW(ScriptedWorld(bodies, 0.02, {.method = ScriptedMethod::depth_maps, .objects = 4}), Error);
    EXPECT_THROW(ScriptedWorld(bodies, 0.02, {.method = ScriptedMethod::depth_maps, .objects = 0}), Error);
}

TEST(ScriptedScenes, a_network_takes_the_place_of_its_formula_where_it_is_there) {
    const testing::ScratchFolder folder;
    Network network;
    network.layers.push_back({.inputs = 3,
                              .outputs = 3,
                              .weights = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                              .biases = {0, 0, 0},
                              .activation = Activation::relu});
    network.layers.push_back({.inputs = 3, .outputs = 1, .weights = {1, 1, 1}, .biases = {-0.5F}});
    write_network(folder / "corner.fnet", network);
    const std::string text =
        "[motion]\n[[body]]\nnetwork = \"corner.fnet\"\nfield = \"sphere(0.2)\"\nfixed = true\n[[body]]\nfield = "
        "\"sphere(0.1)\"\nposition = [-0.9, -0.9, -0.9]\nvelocity = [1, 0, 0]\n";
    EXPECT_EQ(make_moved_world(parse_scene(text, "a.toml")).pairs()[0].status, Status::disjoint);
    EXPECT_EQ(make_moved_world(parse_scene(text, (folder / "a.toml").string())).pairs()[0].status, Status::overlapping);
    EXPECT_EQ(make_moved_world(parse_scene(text, "a.toml", {.model_folder = folder.path()})).pairs()[0].status,
              Status::overlapping);
}

TEST(ScriptedScenes, errors_in_them_are_named) {
    const auto message = [](const std::string& text) -> std::string {
        try {
            (void)make_world(parse_scene(text, "moved.toml"));
        } catch (const Error& error) {
            return error.what();
        }
        return "accepted";
    };
    const std::string body = "[[body]]\nkind = \"moved\"\nfield = \"sphere(1)\"\n";
    EXPECT_EQ(message(body + body), "accepted");
    EXPECT_NE(message(body + "path = [[0, 0, 0, 0], [0, 1, 0, 0]]\n").find("moved.toml:4"), std::string::npos);
    EXPECT_NE(message(body + "[[body]]\nkind = \"rigid\"\nshape = \"box\"\n").find("all bodies are of kind moved"),
              std::string::npos);
    EXPECT_NE(message("[springs]\n" + body).find("motion"), std::string::npos);
    EXPECT_NE(message("[motion]\nmethod = \"guess\"\n" + body).find("not one of fields, descent"), std::string::npos);
    EXPECT_NE(message("[motion]\nmethod = \"sweep\"\n[contact]\nfriction = 1\n" + body).find("contact"),
              std::string::npos);
    EXPECT_NE(message("[[body]]\nkind = \"moved\"\nnetwork = \"nowhere.fnet\"\n").find("nowhere.fnet"),
              std::string::npos);
}

} // namespace
} // namespace fathom
