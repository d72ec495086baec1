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

#include <algorithm>
#include <cmath>
#include <numbers>

namespace fathom {
namespace scripted_world_test {

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

// A ball of radius 0.3 that flies past one of radius 0.5, as the method needs it.
std::vector<Body> two_balls(Method method) {
    std::vector<Body> bodies(2);
    for (std::size_t k = 0; k < 2; ++k) {
        const double radius = k == 0 ? 0.3 : 0.5;
        const TriangleMesh mesh = make_sphere({.radius = radius, .resolution = 12});
        const Shape field(std::make_shared<AnalyticField>(shapes::sphere(radius)));
        if (method == Method::mesh_mesh || method == Method::depth_maps || method == Method::automatic)
            bodies[k].shape = make_body_shape(Shape(mesh));
        else if (method == Method::point_field || method == Method::mesh_field)
            bodies[k].shape = make_body_shape(mesh, {.grid = {.resolution = 48}});
        else
            bodies[k].shape = make_body_shape(Shape(mesh, MeshInside::open), field);
        bodies[k].name = k == 0 ? "small" : "large";
    }
    bodies[0].path = {{{0, Pose::from_translation({-1, 0.1, 0.2})}, {1, Pose::from_translation({1, 0.1, 0.2})}}};
    return bodies;
}

TEST(ScriptedWorld, every_method_sees_the_same_frames_touch) {
    std::size_t methods = 0;
    for (const Method method :
         {Method::automatic, Method::field_field, Method::octree, Method::dual_gradient, Method::mesh_field,
          Method::mesh_mesh, Method::depth_maps, Method::point_field, Method::conservative_advancement}) {
        ScriptedWorld world(two_balls(method), 0.02, {.method = method});
        std::size_t touching = 0;
        for (std::size_t k = 0; k < 50; ++k) {
            world.step();
            ASSERT_EQ(world.pairs().size(), 1u);
            const ScriptedPair& pair = world.pairs()[0];
            const double depth = 0.8 - world.pose(0).translation.norm();
            if (std::abs(depth) < 0.05) continue; // meshes and grids are not round
            touching += depth > 0;
            EXPECT_EQ(pair.status == Status::overlapping, depth > 0) << name(method) << " frame " << k;
            EXPECT_EQ(pair.contacts.empty(), pair.status != Status::overlapping) << name(method);
            if (depth < 0 || depth > 0.2 || method != Method::field_field)
                continue; // deeper, the middle of a ball is the deepest point
            EXPECT_NEAR(pair.depth, depth, 1e-6);
            EXPECT_LT(pair.contacts[0].normal.dot(world.pose(0).translation.normalized()), -0.99) << "into the second";
        }
        EXPECT_GT(touching, 20u);
        EXPECT_LT(touching, 45u);
        ++methods;
    }
    EXPECT_EQ(methods, 9u);
}

// A world asks what a caller of collide() asks.
TEST(ScriptedWorld, gives_the_answer_of_the_one_call) {
    for (const Method method : {Method::automatic, Method::field_field, Method::mesh_mesh}) {
        const std::vector<Body> bodies = two_balls(method);
        ScriptedWorld world(bodies, 0.02, {.method = method, .max_contacts = 8});
        std::size_t touching = 0;
        for (std::size_t k = 0; k < 50; ++k) {
            world.step();
            const CollideResult alone =
                collide(bodies[0].shape->solid(), world.pose(0), bodies[1].shape->solid(), world.pose(1),
                        {.goal = CollideGoal::contacts, .method = method, .max_contacts = 8});
            const ScriptedPair& pair = world.pairs()[0];
            EXPECT_EQ(pair.status, alone.status);
            EXPECT_EQ(pair.depth, alone.local_depth);
            touching += alone.contacts.empty() ? 0 : 1;
            ASSERT_TRUE(alone.contacts.empty() || pair.contacts.size() == alone.contacts.size());
            for (std::size_t c = 0; c < alone.contacts.size(); ++c) {
                EXPECT_EQ(pair.contacts[c].position, alone.contacts[c].point_a);
                EXPECT_EQ(pair.contacts[c].normal, alone.contacts[c].normal);
            }
        }
        EXPECT_GT(touching, 20u);
        EXPECT_LT(touching, 50u);
    }
}

TEST(ScriptedWorld, refuses_a_method_that_does_not_accept_a_pair) {
    try {
        ScriptedWorld(two_balls(Method::field_field), 0.1, {.method = Method::mesh_mesh});
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.cause(), Cause::unsupported);
        EXPECT_NE(std::string(error.what()).find("mesh_mesh"), std::string::npos) << error.what();
    }
    EXPECT_THROW(ScriptedWorld({}, 0.1), Error);
    EXPECT_THROW(ScriptedWorld(two_balls(Method::automatic), 0), Error);
    EXPECT_THROW(ScriptedWorld({{.name = "without a shape"}}, 0.1), Error);
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
    for (const char* method : {"field_field", "mesh_mesh", "mesh_field"}) {
        Simulation simulation(read_scene(scene_file("figure11_bunny_cone"),
                                         {.overrides = {std::string("motion.method = '") + method + "'"}}));
        simulation.run();
        touching.push_back(touching_frames(simulation.recording()));
    }
    EXPECT_NEAR(static_cast<double>(touching[0]), static_cast<double>(touching[1]), 4);
    EXPECT_NEAR(static_cast<double>(touching[0]), static_cast<double>(touching[2]), 4);
}

TEST(ScriptedScenes, random_sweeps_touch_in_some_frames) {
    Simulation simulation(
        read_scene(scene_file("table3_bunny"), {.overrides = {"duration = 0.2", "record_every = 1"}}));
    simulation.run();
    const std::size_t touching = touching_frames(simulation.recording());
    EXPECT_GT(touching, 20u);
    EXPECT_LT(touching, 200u);
}

// Fabrizio, table 1: 9,716 and 69,842 triangles, 515 of 800 frames collide. Figure 6: more than 315,000 and 16,792.
TEST(ScriptedScenes, flights_are_as_large_as_the_papers_and_collide_as_often) {
    const auto triangles = [](const ScriptedWorld& world, std::size_t first, std::size_t last) {
        std::size_t count = 0;
        for (std::size_t b = first; b < last; ++b) count += world.bodies()[b].shape->mesh().triangles.size();
        return static_cast<double>(count);
    };
    const auto collisions = [](const char* name, const char* step) {
        Simulation simulation(read_scene(
            scene_file(name),
            {.overrides = {step, "motion.method = 'mesh_mesh'", "motion.max_contacts = 1", "record_every = 1"}}));
        simulation.run();
        std::size_t hit = 0;
        for (const RecordedFrame& frame : simulation.recording().frames())
            hit += std::any_of(frame.pairs.begin(), frame.pairs.end(),
                               [](const RecordedPair& pair) { return pair.status == Status::overlapping; });
        return static_cast<double>(hit) / static_cast<double>(simulation.recording().frames().size());
    };
    const ScriptedWorld tunnel = make_moved_world(read_scene(scene_file("flight_tunnel"))),
                        valley = make_moved_world(read_scene(scene_file("flight_valley")));
    EXPECT_NEAR(triangles(tunnel, 0, 1), 9'716, 60);
    EXPECT_NEAR(triangles(tunnel, 1, tunnel.bodies().size()), 70'000, 1'500);
    EXPECT_NEAR(triangles(valley, 0, 1), 16'792, 100);
    EXPECT_GT(triangles(valley, 1, valley.bodies().size()), 315'000);
    EXPECT_FALSE(valley.bodies().back().stationary());
    EXPECT_NEAR(collisions("flight_tunnel", "step = 0.2"), 515.0 / 800, 0.1);
    const double share = collisions("flight_valley", "step = 0.4");
    EXPECT_GT(share, 0.15);
    EXPECT_LT(share, 0.7);
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
    EXPECT_EQ(count(",disjoint\n") + count(",undecided\n"), simulation.recording().frames().size() - touching);
    EXPECT_GE(count(",overlapping\n"), touching);
}

// Parts of an object move by themselves, each with its own maps, and strike where exact triangles do.
TEST(ScriptedScenes, parts_of_an_object_are_tested_by_their_own_maps) {
    for (const char* name : {"figure4_wings", "figure5_arm"}) {
        Simulation maps(read_scene(scene_file(name), {.overrides = {"record_every = 1"}}));
        Simulation meshes(
            read_scene(scene_file(name), {.overrides = {"record_every = 1", "motion.method = 'mesh_mesh'"}}));
        maps.run();
        meshes.run();
        std::size_t touching = 0, unlike = 0, all = 0;
        for (std::size_t f = 0; f < maps.recording().frames().size(); ++f)
            for (const RecordedPair& pair : maps.recording().frames()[f].pairs)
                for (const RecordedPair& exact : meshes.recording().frames()[f].pairs) {
                    if (pair.a != exact.a || pair.b != exact.b) continue;
                    ++all;
                    touching += pair.status == Status::overlapping;
                    unlike += (pair.status == Status::overlapping) != (exact.status == Status::overlapping);
                }
        EXPECT_GT(touching, all / 100) << name;
        EXPECT_LT(touching, all / 4) << name;
        EXPECT_LT(unlike, all / 100) << name;
    }
}

TEST(ScriptedWorld, tests_parts_against_other_bodies_only) {
    std::vector<Body> bodies = two_balls(Method::depth_maps);
    bodies.insert(bodies.begin(), bodies[0]);
    EXPECT_EQ(ScriptedWorld(bodies, 0.02, {.method = Method::depth_maps}).pairs().size(), 3u);
    const ScriptedWorld world(bodies, 0.02, {.method = Method::depth_maps, .objects = 2});
    ASSERT_EQ(world.pairs().size(), 2u);
    for (const ScriptedPair& pair : world.pairs()) EXPECT_EQ(pair.b, 2u);
    EXPECT_THROW(ScriptedWorld(bodies, 0.02, {.method = Method::depth_maps, .objects = 4}), Error);
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
    EXPECT_NE(message("[motion]\nmethod = \"guess\"\n" + body).find("not one of automatic, closed_form"),
              std::string::npos);
    EXPECT_NE(message("[motion]\nmethod = \"point_field\"\n[contact]\nfriction = 1\n" + body).find("contact"),
              std::string::npos);
    EXPECT_NE(message("[[body]]\nkind = \"moved\"\nnetwork = \"nowhere.fnet\"\n").find("nowhere.fnet"),
              std::string::npos);
}

} // namespace scripted_world_test
} // namespace fathom
