// Scenes of several kinds: what the words mean, and that recordings of them hold.
#include <fathom/base/error.h>
#include <fathom/base/file.h>
#include <fathom/geometry/io/mesh_file.h>
#include <fathom/response/weighted_contact.h>
#include <fathom/simulate/scene/scene.h>
#include <fathom/simulate/scene/simulation.h>
#include <fathom/simulate/world/mixed_world.h>
#include <support/scratch_folder.h>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace fathom {
namespace {

const std::filesystem::path source = FATHOM_SOURCE_DIR;

constexpr const char* mixed = R"toml(
step = 0.001
duration = 0.05
ground = 0.0
[contact]
stiffness = 5e4
[springs]
density = 0.5
stepping = "backward_euler"
[springs.contact]
stiffness = 300.0
[solids.contact]
scaling = "area"
stiffness = 2e6
[coupling]
scaling = "area"
stiffness = 1e6
friction = 0.2
[particles]
gravity = [0, 0, 1]
pixels = 64
[[emitter]]
position = [0, 0, 2]
rate = 1000.0
[[body]]
name = "block"
kind = "solid"
shape = "tet_box"
parameters = { resolution = 2 }
size = 0.4
position = [0, 0, 0.205]
stretch = 1e4
volume = 1e4
[[body]]
name = "ball"
kind = "rigid"
shape = "sphere"
parameters = { resolution = 6 }
size = 0.2
resolution = 24
position = [0, 0, 0.51]
velocity = [0, 0, -1]
[[body]]
name = "cloth"
shape = "cloth"
parameters = { resolution = 6 }
size = 0.3
position = [1, 0, 0.01]
[[body]]
name = "post"
field = "sphere(0.1)"
position = [2, 0, 0]
fixed = true
)toml";

TEST(MixedScene, each_kind_has_its_own_law_and_the_kinds_another) {
    const Scene scene = parse_scene(mixed, "mixed.toml");
    EXPECT_TRUE(scene.mixed());
    EXPECT_EQ(scene.bodies[2].kind, BodyKind::solid) << "a scene with solids"; // [solids.contact] makes the table
    EXPECT_EQ(scene.bodies[3].kind, BodyKind::obstacle);
    EXPECT_EQ(scene.stiffness, 5e4);
    EXPECT_EQ(scene.springs->options.springs.contact.stiffness, 300);
    EXPECT_EQ(scene.solids->options.springs.contact.stiffness, 2e6);
    EXPECT_EQ(scene.coupling.law.stiffness, 1e6);
    EXPECT_EQ(scene.coupling.law.friction, 0.2);
    EXPECT_EQ(scene.coupling.law.scaling, ContactScaling::area);
    EXPECT_EQ(scene.particles->gravity, Vec3(0, 0, 1));
}

std::string with_cloth() {
    std::string text = mixed;
    text.insert(text.find("shape = \"cloth\""), "kind = \"surface\"\n");
    return text;
}

TEST(MixedScene, all_kinds_come_into_one_world_and_one_recording) {
    const testing::ScratchFolder folder;
    Simulation simulation(parse_scene(with_cloth(), "mixed.toml"));
    const auto& world = dynamic_cast<const MixedWorld&>(simulation.world());
    ASSERT_TRUE(world.rigid() && world.solids() && world.surfaces() && world.particles());
    EXPECT_EQ(world.rigid()->bodies().size(), 3u) << "ball, post and ground";
    EXPECT_EQ(world.solids()->obstacles().size(), 2u);
    EXPECT_EQ(world.particles()->options().gravity, Vec3(0, 0, 1));
    simulation.run();
    std::vector<std::string> names;
    for (const RecordedBody& body : simulation.recording().bodies()) names.push_back(body.name);
    EXPECT_EQ(names, (std::vector<std::string>{"ball", "post", "ground", "block", "cloth", "particles"}));
    std::size_t between = 0;
    for (const RecordedFrame& frame : simulation.recording().frames())
        for (const BodyContact& c : frame.contacts) between += std::min(c.a, c.b) == 0 && std::max(c.a, c.b) == 3;
    EXPECT_GT(between, 0u);
    write_results(simulation, folder / "out");
    for (const char* name : {"energy.csv", "states.csv", "contacts.csv", "summary.json", "points.csv", "frames.pvd"})
        EXPECT_GT(read_whole_file(folder / "out" / name).size(), 50u) << name;
    const TriangleMesh frame = read_triangle_mesh(
        folder / fmt::format("out/frames/bodies_{:06}.vtu", simulation.recording().frames().size() - 1));
    EXPECT_EQ(frame.vertices.size(), world.rigid()->bodies()[0].shape->mesh.vertices.size() +
                                         world.solids()->body(0).topology.boundary_vertices().size() +
                                         world.surfaces()->vertices(0).size());
}

std::string message_of(const std::string& text) {
    try {
        (void)make_world(parse_scene(text, "mixed.toml"));
    } catch (const Error& error) {
        return error.what();
    }
    return "accepted";
}

TEST(MixedScene, mesh_obstacles_block_all_bodies_unless_they_move) {
    const std::string solid = "[[body]]\nkind = \"solid\"\nshape = \"tet_box\"\nparameters = { resolution = 1 "
                              "}\nstretch = 1e3\nvolume = 1e3\n";
    const std::string wall = "[[body]]\nkind = \"obstacle\"\nshape = \"box\"\nresolution = 16\nposition = [3, 0, 0]\n",
                      rain = "[particles]\n[[emitter]]\nrate = 10.0\n";
    const std::string slow = "[solids]\nstepping = \"backward_euler\"\n";
    EXPECT_EQ(message_of(slow + solid + wall), "accepted");
    EXPECT_TRUE(parse_scene(slow + solid + wall, "x").mixed());
    EXPECT_NE(message_of(slow + solid + wall + "velocity = [1, 0, 0]\n").find("particles only"), std::string::npos)
        << message_of(slow + solid + wall + "velocity = [1, 0, 0]\n");
    EXPECT_EQ(message_of(slow + rain + solid + wall + "velocity = [1, 0, 0]\n"), "accepted");
    const MixedWorld world = make_mixed_world(parse_scene(slow + rain + solid + wall + "velocity = [1, 0, 0]\n", "x"));
    EXPECT_EQ(world.rigid(), nullptr);
    EXPECT_EQ(world.particles()->obstacles().size(), 2u);
}

TEST(MixedScene, errors_are_named) {
    const std::string box = "[[body]]\nshape = \"box\"\nresolution = 16\n";
    EXPECT_NE(message_of("[coupling]\nstiffness = 1.0\n" + box).find("one kind"), std::string::npos);
    EXPECT_NE(message_of(box + "[[body]]\nkind = \"surface\"\nfield = \"sphere(1)\"\nfixed = true\n").find("field"),
              std::string::npos);
    EXPECT_NE(message_of("[contact]\ndamping_ratio = 1.0\n" + box).find("damping_ratio"), std::string::npos)
        << "a key of another law";
}

// The example on the page about scenes.
TEST(MixedScene, the_page_of_docs_shows_a_scene_that_runs) {
    const Bytes bytes = read_whole_file(source / "docs/scenes.md");
    const std::string page(reinterpret_cast<const char*>(bytes.span().data()), bytes.size());
    const std::size_t from = page.find("```toml\n") + 8;
    Simulation simulation(parse_scene(page.substr(from, page.find("```", from) - from), "scenes.md",
                                      {.overrides = {"duration = 0.005"}}));
    simulation.run();
    EXPECT_EQ(simulation.world().steps(), 5u);
    EXPECT_EQ(simulation.recording().bodies().size(), 3u);
}

} // namespace
} // namespace fathom
