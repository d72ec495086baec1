// Scenes of deforming bodies: keys mean what they say, mistakes are named, and what was recorded can be opened.
#include <fathom/base/error.h>
#include <fathom/base/file.h>
#include <fathom/geometry/io/mesh_file.h>
#include <fathom/show/simulation_results.h>
#include <fathom/simulate/scene/scene.h>
#include <fathom/simulate/scene/simulation.h>
#include <fathom/simulate/springs/spring_network.h>
#include <fathom/simulate/springs/spring_world.h>
#include <fathom/simulate/surface/deforming_world.h>

#include <support/scratch_folder.h>

#include <gtest/gtest.h>

namespace fathom {
namespace spring_scene_test {

constexpr const char* soft_scene = R"~(
name = "soft"
step = 0.002
duration = 0.3
ground = 0.0
record_every = 10
[springs]
density = 2.0
stretch = 500.0
drift = 0.5
deformation = 0.1
seed = 9
thickness = 0.01
environment = [-2, -2, -2, 2, 2, 2]
unstable = "divide"
[contact]
stiffness = 2e4
damping_ratio = 0.1
[[body]]
name = "ball"
shape = "sphere"
parameters = { resolution = 3 }
size = 0.5
position = [0, 0, 0.3]
velocity = [0, 0, -1]
copies = [2, 1, 1]
spacing = [0.7, 0, 0]
bending = 50.0
[[body]]
name = "sheet"
shape = "cloth"
parameters = { resolution = 6 }
position = [0, 0, 1]
hold_above = 0.9
[[body]]
name = "post"
field = "sphere(0.1)"
fixed = true
)~";

TEST(SpringScene, keys_set_the_expected_options) {
    const Scene scene =
        parse_scene(soft_scene, "soft.toml",
                    {.overrides = {"springs.stepping = \"backward_euler\"", "springs.yield_strain = 0.1"}});
    ASSERT_TRUE(scene.springs);
    const SceneSprings& springs = *scene.springs;
    EXPECT_EQ(springs.options.springs.stepping, SpringStepping::backward_euler);
    EXPECT_EQ(springs.options.springs.plastic.yield_strain, 0.1);
    EXPECT_EQ(springs.options.springs.contact.stiffness, 2e4);
    EXPECT_EQ(springs.options.thickness, 0.01);
    ASSERT_TRUE(springs.options.motion);
    EXPECT_EQ(springs.options.motion->seed, 9u);
    const DeformingWorld world = make_deforming_world(scene);
    ASSERT_EQ(world.bodies().size(), 3u);
    ASSERT_EQ(world.obstacles().size(), 2u); // the post and the ground
    EXPECT_EQ(world.bodies()[0].material.bending, 50);
    EXPECT_EQ(world.bodies()[2].material.bending, SurfaceMaterial{}.bending);
    EXPECT_EQ(world.bodies()[1].material.density, 2);
    EXPECT_EQ(world.bodies()[2].fixed_vertices.size(), 49u);
    EXPECT_NEAR(bounds(world.vertices(1)).center().x(), 0.7, 1e-9);
    EXPECT_EQ(world.springs().options().step, 0.002);
}

TEST(SpringScene, mistakes_are_named) {
    const struct {
        const char* line;
        const char* word;
    } mistakes[] = {{"springs.stretch = -1", "stretch"},
                    {"springs.stepping = \"leap\"", "stepping"},
                    {"springs.environment = [1, 0, 0, -1, 0, 0]", "environment"},
                    {"springs.colour = 1", "colour"},
                    {"contact.damping = 1", "damping"},
                    {"springs.seed = -4", "seed"},
                    {"springs.thickness = nan", "thickness"},
                    {"springs.respond = 1", "respond"},
                    {"springs = 3", "springs"}};
    for (const auto& [line, word] : mistakes) try {
            (void)parse_scene(soft_scene, "bad.toml", {.overrides = {line}});
            ADD_FAILURE() << line << " was taken";
        } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
        }
    EXPECT_THROW((void)parse_scene("[[body]]\nshape = \"box\"\nstretch = 1\n", "rigid.toml"),
                 Error); // a rigid body has no springs
    EXPECT_THROW((void)parse_scene("[springs]\n[[body]]\nshape = \"box\"\ndamping = 1\n", "soft.toml"), Error);
    EXPECT_THROW((void)make_deforming_world(parse_scene("[[body]]\nshape = \"box\"\n", "rigid.toml")), Error);
    try {
        (void)make_world(parse_scene(soft_scene, "soft.toml",
                                     {.overrides = {"springs.stretch = 1e12", "springs.unstable = \"refuse\""}}));
        FAIL();
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("stable"), std::string::npos) << error.what();
    }
}

TEST(SpringScene, a_recording_of_shapes_that_deform_reads_back) {
    testing::ScratchFolder folder;
    Simulation simulation(parse_scene(soft_scene, "soft.toml"));
    simulation.run();
    const DeformingWorld& world = *simulation.systems().surfaces();
    ASSERT_EQ(simulation.recording().frames().size(), 16u);
    EXPECT_GT(simulation.recording().worst_penetration(), 0);
    write_results(simulation, ResultsFolder(folder / "out"));
    const TriangleMesh frame = read_triangle_mesh(folder / "out/frames/bodies_000015.vtu");
    std::size_t k = 0;
    for (Index body = 0; body < 3; ++body)
        for (const Vec3& v : world.vertices(body)) EXPECT_LT((frame.vertices[k++] - v).norm(), 1e-6);
    EXPECT_EQ(k, frame.vertices.size());
    for (const char* name :
         {"out/energy.csv", "out/states.csv", "out/contacts.csv", "out/summary.json", "out/frames.pvd"})
        EXPECT_GT(read_whole_file(folder / name).size(), 50u) << name;
}

} // namespace spring_scene_test
} // namespace fathom
