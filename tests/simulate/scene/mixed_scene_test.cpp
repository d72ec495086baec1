// Scenes of several kinds: what the words mean, and that recordings of them hold.
#include <fathom/base/error.h>
#include <fathom/base/file.h>
#include <fathom/geometry/io/mesh_file.h>
#include <fathom/response/weighted_contact.h>
#include <fathom/show/simulation_results.h>
#include <fathom/simulate/scene/scene.h>
#include <fathom/simulate/scene/simulation.h>
#include <fathom/simulate/world/simulation_world.h>
#include <support/scratch_folder.h>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace fathom {
namespace mixed_scene_test {

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
    const SimulationWorld& world = simulation.systems();
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
    write_results(simulation, ResultsFolder(folder / "out"));
    for (const char* name : {"energy.csv", "states.csv", "contacts.csv", "summary.json", "points.csv", "frames.pvd"})
        EXPECT_GT(read_whole_file(folder / "out" / name).size(), 50u) << name;
    const TriangleMesh frame = read_triangle_mesh(
        folder / fmt::format("out/frames/bodies_{:06}.vtu", simulation.recording().frames().size() - 1));
    EXPECT_EQ(frame.vertices.size(), world.rigid()->bodies()[0].shape->mesh().vertices.size() +
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
    const SimulationWorld world = make_world(parse_scene(slow + rain + solid + wall + "velocity = [1, 0, 0]\n", "x"));
    EXPECT_EQ(world.rigid(), nullptr);
    EXPECT_EQ(world.particles()->obstacles().size(), 2u);
}

// One kind of body: the tables and the bodies of a scene.
struct Kind {
    const char *tables, *bodies;
};
constexpr Kind rigid_kind{"[contact]\nstiffness = 5e4\n",
                          "[[body]]\nname = \"ball\"\nkind = \"rigid\"\nshape = \"sphere\"\n"
                          "parameters = { resolution = 6 }\nsize = 0.2\nresolution = 24\nposition = [0, 0, 0.099]\n"
                          "copies = [2, 1, 1]\nspacing = [0.19, 0, 0]\n"},
    solid_kind{"[solids.contact]\nscaling = \"area\"\nstiffness = 2e6\n",
               "[[body]]\nname = \"block\"\nkind = \"solid\"\nshape = \"tet_box\"\nparameters = { resolution = 2 }\n"
               "size = 0.4\nposition = [10, 0, 0.199]\nstretch = 1e4\nvolume = 1e4\n"
               "copies = [2, 1, 1]\nspacing = [0.395, 0.01, 0.01]\n"},
    surface_kind{"[springs]\ndensity = 0.5\nstepping = \"backward_euler\"\n[springs.contact]\nstiffness = 300.0\n",
                 "[[body]]\nname = \"cloth\"\nkind = \"surface\"\nshape = \"cloth\"\nparameters = { resolution = 6 }\n"
                 "size = 0.3\nposition = [20, 0, 0.001]\n"},
    particle_kind{"[particles]\npixels = 64\n[[emitter]]\nposition = [30, 0, 2]\nrate = 1000.0\n", ""};

std::string scene_of(std::initializer_list<Kind> kinds) {
    std::string text = "step = 0.001\nduration = 0.05\nground = 0.0\n", bodies;
    for (const Kind& kind : kinds) text += kind.tables, bodies += kind.bodies;
    return text + bodies;
}

// Compared: the state hash of each system, that is, of every number that its next step depends on, after 50 steps of a
// scene with that kind alone and of one with all kinds, far apart. Rigid bodies, blocks and cloth touch the ground; two
// rigid bodies and two blocks also touch each other.
TEST(MixedScene, a_system_moves_in_company_as_it_does_alone_to_the_bit) {
    const auto run = [](std::initializer_list<Kind> kinds) {
        Simulation simulation(parse_scene(scene_of(kinds), "far_apart.toml"));
        simulation.run();
        return simulation;
    };
    const Simulation all = run({rigid_kind, solid_kind, surface_kind, particle_kind}), rigid = run({rigid_kind}),
                     solid = run({solid_kind}), surface = run({surface_kind}), particles = run({particle_kind});
    for (const Simulation* one : {&rigid, &solid, &surface})
        EXPECT_GT(one->recording().frames().back().contact_count, 0u) << one->recording().bodies()[0].name;
    for (const Simulation* one : {&rigid, &solid}) {
        const auto frames = one->recording().frames();
        EXPECT_TRUE(std::any_of(frames.begin(), frames.end(), [](const RecordedFrame& frame) {
            return std::any_of(frame.contacts.begin(), frame.contacts.end(),
                               [](const BodyContact& c) { return c.a < 2 && c.b < 2; });
        })) << one->recording().bodies()[0].name;
    }
    const SimulationWorld& mixed_world = all.systems();
    EXPECT_TRUE(mixed_world.coupling().contacts().empty()) << "the kinds are far apart";
    EXPECT_EQ(mixed_world.rigid()->state_hash(), rigid.world().state_hash());
    EXPECT_EQ(mixed_world.solids()->state_hash(), solid.world().state_hash());
    EXPECT_EQ(mixed_world.surfaces()->state_hash(), surface.world().state_hash());
    EXPECT_EQ(mixed_world.particles()->state_hash(), particles.world().state_hash());
    EXPECT_GT(mixed_world.particles()->positions().size(), 0u);
    EXPECT_EQ(mixed_world.surfaces()->springs().velocities().size(),
              surface.systems().surfaces()->springs().velocities().size());
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

} // namespace mixed_scene_test
} // namespace fathom
