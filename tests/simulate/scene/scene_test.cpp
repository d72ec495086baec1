#include <fathom/show/simulation_results.h>
#include <fathom/simulate/scene/simulation.h>

#include <fathom/base/error.h>
#include <fathom/base/file.h>
#include <fathom/detect/tet/tet_body.h>
#include <fathom/field/tet/node_depths.h>
#include <fathom/geometry/generate/mesh_catalogue.h>
#include <fathom/geometry/io/mesh_file.h>
#include <fathom/response/tet_pushes.h>
#include <fathom/response/weighted_contact.h>
#include <fathom/simulate/record/recording_files.h>
#include <fathom/simulate/rigid/rigid_world.h>
#include <fathom/simulate/scene/scene.h>
#include <fathom/simulate/tets/tet_world.h>
#include <support/models.h>
#include <support/scratch_folder.h>
#include <support/test_counts.h>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

namespace fathom {
namespace scene_test {

constexpr const char* small_scene = R"(
name = "small"
step = 0.002
duration = 0.4
ground = 0.0
record_every = 10
[contact]
stiffness = 1e4
damping = 30
[[body]]
name = "box"
shape = "box"
parameters = { resolution = 2 }
size = 0.5
resolution = 16
position = [0, 0, 0.4]
turn_axis = [1, 0, 0]
turn_degrees = 10
)";

std::filesystem::path scene_file(const std::string& name) {
    return std::filesystem::path(FATHOM_SOURCE_DIR) / "scenes" / name;
}

TEST(Scene, keys_set_the_expected_options) {
    const Scene scene =
        parse_scene(small_scene, "small.toml", {.overrides = {"contact.friction = 0.7", "mode = \"discrete\""}});
    EXPECT_EQ(scene.name, "small");
    EXPECT_EQ(scene.options.step, 0.002);
    EXPECT_EQ(scene.step_count(), 200u);
    EXPECT_EQ(scene.friction, 0.7);
    EXPECT_EQ(scene.stiffness, 1e4);
    EXPECT_EQ(scene.options.mode, ContactMode::discrete);
    ASSERT_EQ(scene.bodies.size(), 1u);
    EXPECT_NEAR(scene.bodies[0].pose.rotation.w(), std::cos(5 * M_PI / 180), 1e-12);
    const RigidWorld world = make_rigid_world(scene);
    ASSERT_EQ(world.bodies().size(), 2u);
    EXPECT_EQ(world.bodies()[0].shape->points().size(), 26u);
    EXPECT_NEAR(world.bodies()[0].shape->mass.volume, 0.125, 1e-12);
    EXPECT_TRUE(world.bodies()[1].fixed);
}

std::string complaint(const auto& work) {
    try {
        work();
    } catch (const Error& error) {
        return error.what();
    }
    return "none";
}

TEST(Scene, errors_of_a_body_name_its_line_key_and_name) {
    const auto made = [](const std::string& body, const std::string& before = "") {
        return complaint([&] {
            static_cast<void>(make_world(
                parse_scene(before + "step = 0.001\n[[body]]\nname = \"thing\"\n" + body + "\n", "bad.toml")));
        });
    };
    EXPECT_EQ(made("mesh = \"nowhere.obj\"").find("bad.toml:4: key body 0: mesh, body 'thing': "), 0u)
        << made("mesh = \"nowhere.obj\"");
    EXPECT_NE(made("mesh = \"nowhere.obj\"").find("nowhere.obj"), std::string::npos);
    const std::string few = made("size = 1.0\nshape = \"box\"\npoints = 3");
    EXPECT_EQ(few.find("bad.toml:5: key body 0: shape, body 'thing': "), 0u) << few;
    const std::string wrong_kind = made("kind = \"solid\"\nshape = \"torus\"");
    EXPECT_EQ(wrong_kind.find("bad.toml:5: key body 0: shape"), 0u) << wrong_kind;
    const std::string twice = made("shape = \"box\"\n[[body]]\nshape = \"box\"\nname = \"thing\"");
    EXPECT_EQ(twice, "bad.toml:7: key body 1: name: 'thing' is the name of another body");
    const std::string objects =
        made("shape = \"box\"\ncopies = [2, 1, 1]\n[motion]\nmethod = \"depth_maps\"\nobjects = 3");
    EXPECT_EQ(objects, "bad.toml:8: key motion.objects: is 3, but the scene has 2 bodies");
}

TEST(Scene, copies_stand_apart_and_share_their_shape) {
    const Scene scene = parse_scene(
        std::string(small_scene) + "copies = [2, 1, 3]\nspacing = [1, 1, 2]\nturn_seed = 4\n", "copies.toml");
    const RigidWorld world = make_rigid_world(scene);
    ASSERT_EQ(world.bodies().size(), 7u);
    EXPECT_EQ(world.bodies()[0].shape, world.bodies()[5].shape);
    EXPECT_NEAR((world.bodies()[5].pose.translation - Vec3(1, 0, 4.4)).norm(), 0, 1e-12);
    EXPECT_NE(world.bodies()[0].pose.rotation.coeffs(), world.bodies()[1].pose.rotation.coeffs());
}

TEST(Scene, mistakes_are_named_with_file_line_and_key) {
    const struct {
        const char* line;
        const char* word;
    } mistakes[] = {{"step = 0", "step"},
                    {"step = \"fast\"", "step"},
                    {"gravity = [0, 1]", "gravity"},
                    {"colour = 3", "colour"},
                    {"mode = \"loose\"", "mode"},
                    {"ground = nan", "ground"},
                    {"duration = 1e300", "duration"},
                    {"contact.damping = -1", "damping"},
                    {"contact.normals = 1", "normals"},
                    {"body = 3", "body"},
                    {"step = ", ""},
                    {"record_every = 0", "record_every"},
                    {"record_every = 1.5", "record_every"}};
    for (const auto& [line, word] : mistakes) try {
            (void)parse_scene(small_scene, "bad.toml", {.overrides = {line}});
            ADD_FAILURE() << line << " was taken";
        } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
        }
    for (const char* text :
         {"", "step = 1", "[[body]]\n", "[[body]]\nshape = \"nothing\"\n",
          "[[body]]\nshape = \"box\"\nmesh = \"a.obj\"\n", "[[body]]\nmodel = \"../a.obj\"\nshape = \"box\"\n",
          "[[body]]\nshape = \"box\"\nparameters = { radius = 1 }\n", "[[body]]\nshape = \"box\"\ncopies = [0, 1, 1]\n",
          "[[body]]\nshape = \"box\"\nrotation = [0, 0, 0, 0]\n", "[[body]]\nfield = \"sphere(1)\"\n", "\xff\xfe",
          "[[body]]\nshape = \"box\"\nresolution = 100000\n"})
        EXPECT_THROW((void)parse_scene(text, "bad.toml"), Error) << text;
    // An unknown key, a body without a shape, a formula that is none.
    for (const char* text : {"step = 0.1\n\nstrange = 1\n", "\n[[body]]\nname = \"a\"\n",
                             "\n[[body]]\nfield = \"sphere(1\"\nfixed = true\n"})
        try {
            (void)parse_scene(text, "bad.toml");
            ADD_FAILURE() << text;
        } catch (const Error& error) {
            EXPECT_EQ(error.place().line, 3) << error.what();
            EXPECT_EQ(error.place().file, "bad.toml");
        }
    EXPECT_THROW((void)make_rigid_world(parse_scene("[[body]]\nshape = \"cloth\"\n", "cloth.toml")),
                 Error); // encloses nothing
    EXPECT_THROW((void)read_scene("/nowhere/scene.toml"), Error);
}

TEST(Scene, characters_beyond_ascii_are_accepted_in_comments_and_as_escapes) {
    const std::string body = "[[body]]\nshape = \"box\"\n";
    EXPECT_EQ(parse_scene("name = 1 # \u00fcber\n" + body, "x", {.overrides = {"name = \"y\""}}).bodies.size(), 1u);
    EXPECT_EQ(parse_scene("name = \"caf\\u00e9\"\n" + body, "x").name, "caf\u00e9");
    for (const char* text : {"n\u00e4me = 1\n", "\u0101", "name = \"a\" \u00e9\n", "name = 0\"a\u0101 #",
                             "name = \"caf\u00e9\"", "[\x01\x05", "[\ny[dob]]", "name = \"\x7f\""})
        try {
            (void)parse_scene(std::string(text) + "\n" + body, "x");
            ADD_FAILURE() << text;
        } catch (const Error& error) {
            EXPECT_EQ(error.cause(), Cause::malformed) << error.what();
        }
}

const RigidWorld& rigid(const Simulation& simulation) { return *simulation.systems().rigid(); }

TEST(Scene, a_formula_can_be_the_floor) {
    const std::string text = std::string(small_scene) + "[[body]]\nfield = \"box(4, 4, 0.2)\"\nfixed = true\n";
    Simulation simulation(parse_scene(text, "formula.toml", {.overrides = {"ground = -100.0", "duration = 2.0"}}));
    simulation.run();
    EXPECT_NEAR(rigid(simulation).states()[0].center.z(), 0.35, 0.02);
}

TEST(Scene, a_model_replaces_its_placeholder_if_present) {
    testing::ScratchFolder folder;
    write_mesh(folder / "brick.obj", std::get<TriangleMesh>(make_shape("box", {{"width", 2}, {"resolution", 1}})));
    const std::string text = "[[body]]\nmodel = \"brick.obj\"\nshape = \"sphere\"\nparameters = { resolution = 4 "
                             "}\nsize = 1\nresolution = 16\n";
    EXPECT_EQ(make_rigid_world(parse_scene(text, "a.toml")).bodies()[0].shape->points().size(), 162u);
    EXPECT_EQ(make_rigid_world(parse_scene(text, "a.toml", {.model_folder = folder.path()}))
                  .bodies()[0]
                  .shape->mesh()
                  .triangles.size(),
              12u);
}

TEST(Simulation, records_what_happened_and_writes_files_that_read_back) {
    testing::ScratchFolder folder;
    Simulation simulation(parse_scene(small_scene, "small.toml"));
    simulation.run();
    const Recording& recording = simulation.recording();
    ASSERT_EQ(recording.frames().size(), 21u);
    EXPECT_EQ(recording.frames()[20].step, 200u);
    EXPECT_GT(recording.worst_penetration(), 0);
    EXPECT_GT(recording.frames()[15].contact_count, 0u);
    write_results(simulation, ResultsFolder(folder / "out"));
    const TriangleMesh frame = read_triangle_mesh(folder / "out/frames/bodies_000020.vtu");
    const TriangleMesh& mesh = rigid(simulation).bodies()[0].shape->mesh();
    ASSERT_EQ(frame.triangles.size(), mesh.triangles.size());
    for (std::size_t k = 0; k < mesh.vertices.size(); ++k)
        EXPECT_LT((frame.vertices[k] - rigid(simulation).pose(0) * mesh.vertices[k]).norm(), 1e-6);
    for (const char* name : {"out/energy.csv", "out/states.csv", "out/contacts.csv", "out/summary.json",
                             "out/frames.pvd", "out/frames/contacts_000015.vtu", "out/frames/fixed.vtu"})
        EXPECT_GT(read_whole_file(folder / name).size(), 50u) << name;
}

TEST(Simulation, a_recording_that_would_grow_too_large_keeps_every_second_frame) {
    Simulation simulation(
        parse_scene(small_scene, "small.toml", {.overrides = {"record_every = 1", "record_most = 50"}}));
    simulation.run();
    const auto frames = simulation.recording().frames();
    EXPECT_LE(frames.size(), 50u);
    EXPECT_GE(frames.size(), 20u);
    for (std::size_t k = 0; k < frames.size(); ++k) EXPECT_EQ(frames[k].step, k * simulation.recording().every());
}

class StopAtOnce final : public Progress {
public:
    bool update(std::string_view stage, double) override { return stage != "simulating"; }
};

TEST(Simulation, can_be_cancelled) {
    Simulation simulation(parse_scene(small_scene, "small.toml"));
    StopAtOnce stop;
    EXPECT_THROW(simulation.run(&stop), Error);
    EXPECT_LT(simulation.world().steps(), 200u);
}

TEST(Simulation, a_resting_stack_keeps_its_energy) {
    Simulation simulation(read_scene(scene_file("resting_stack.toml")));
    const std::size_t steps = testing::count_of(2000, 10000);
    while (simulation.world().steps() < 200) simulation.step(); // the last tenths of a millimetre
    const double settled = simulation.world().energy().total();
    double drift = 0;
    while (simulation.world().steps() < steps) {
        simulation.step();
        drift = std::max(drift, std::abs(simulation.world().energy().total() - settled));
    }
    EXPECT_LT(drift, 0.01 * settled);
    for (std::size_t k = 0; k < 3; ++k) EXPECT_LT(rigid(simulation).states()[k].velocity.norm(), 1e-4) << k;
}

TEST(Simulation, real_models_drop_too) {
    FATHOM_NEEDS_MODELS();
    Simulation simulation(read_scene(scene_file("bunny_drop.toml"),
                                     {.model_folder = testing::models(), .overrides = {"duration = 0.6"}}));
    simulation.run();
    EXPECT_GT(simulation.recording().worst_penetration(), 0);
    EXPECT_LT(simulation.recording().worst_penetration(), 0.1);
}

constexpr const char* small_solids = R"toml(
step = 0.002
duration = 0.1
ground = -0.4
[solids]
density = 500
stretch = 1e5
volume = 2e5
stepping = "backward_euler"
response = "points"
depth = "closest_point"
separating_direction = "gradient"
strain_limit = 0.5
self = true
[contact]
scaling = "area"
stiffness = 1e6
[[body]]
name = "ball"
shape = "tet_ball"
parameters = { resolution = 2 }
size = 0.6
position = [0, 0, -0.08]
stretch = 3e5
[[body]]
name = "wall"
field = "sphere(0.1)"
position = [3, 0, 0]
fixed = true
)toml";

TEST(Scene, solids_are_made_of_tetrahedra) {
    const Scene scene = parse_scene(small_solids, "solids.toml");
    ASSERT_TRUE(scene.solids.has_value());
    const TetWorldOptions& options = scene.solids->options;
    EXPECT_EQ(options.response, TetResponse::points);
    EXPECT_EQ(options.depth.method, DepthMethod::closest_point);
    EXPECT_EQ(options.push.direction, PushDirection::gradient);
    EXPECT_TRUE(options.self);
    ASSERT_TRUE(options.breaking.has_value());
    EXPECT_EQ(options.breaking->strain, 0.5);
    EXPECT_EQ(options.springs.contact.scaling, ContactScaling::area);
    const TetWorld world = make_tet_world(scene);
    ASSERT_EQ(world.bodies().size(), 1u);
    ASSERT_EQ(world.obstacles().size(), 2u);
    EXPECT_EQ(world.bodies()[0].material.density, 500);
    EXPECT_EQ(world.bodies()[0].material.stretch, 3e5);
    EXPECT_EQ(world.bodies()[0].material.volume, 2e5);
    EXPECT_NEAR(bounds(world.body(0)).size().maxCoeff(), 0.6, 1e-9);
    Simulation simulation(scene);
    simulation.run();
    EXPECT_EQ(simulation.world().steps(), 50u);
    EXPECT_GT(simulation.recording().worst_penetration(), 0);
}

TEST(Scene, solids_from_files_take_the_place_of_shapes) {
    const testing::ScratchFolder folder;
    std::filesystem::create_directories(folder / "tet");
    write_mesh(folder / "tet/one.msh", TetMesh{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{0, 1, 2, 3}}});
    std::string text = small_solids;
    text.insert(text.find("size = 0.6"), "model = \"tet/one.msh\"\n");
    EXPECT_EQ(make_tet_world(parse_scene(text, "solids.toml")).bodies()[0].mesh.tetrahedra.size(), 160u);
    EXPECT_EQ(make_tet_world(parse_scene(text, "solids.toml", {.model_folder = folder.path()}))
                  .bodies()[0]
                  .mesh.tetrahedra.size(),
              1u);
    text.replace(text.find("tet/one.msh"), 11, "tet/../one.msh");
    EXPECT_THROW((void)parse_scene(text, "solids.toml"), Error);
}

// What making the world says when one piece of the text is another.
std::string message_of(std::string text, const std::string& file, const std::string& from, const std::string& to) {
    text.replace(text.find(from), from.size(), to);
    try {
        (void)make_world(parse_scene(text, file));
    } catch (const Error& error) {
        return error.what();
    }
    return "accepted";
}

TEST(Scene, errors_of_solids_are_named) {
    const auto message = [](const std::string& from, const std::string& to) {
        return message_of(small_solids, "solids.toml", from, to);
    };
    EXPECT_EQ(message("points", "segments"), "accepted");
    EXPECT_NE(message("\"points\"", "\"both\"").find("'both' is not one of points, segments, none"), std::string::npos);
    EXPECT_NE(message("closest_point", "guess").find("solids.depth"), std::string::npos);
    EXPECT_NE(message("strain_limit = 0.5", "strain_limit = -1").find("strain_limit"), std::string::npos);
    EXPECT_NE(message("volume = 2e5", "bending = 1").find("bending"), std::string::npos);
    EXPECT_NE(message("tet_ball", "sphere").find("is a surface; a solid needs tetrahedra"), std::string::npos);
    EXPECT_NE(message("strain_limit = 0.5", "max_broken = 5").find("max_broken"), std::string::npos)
        << "of what never breaks";
}

constexpr const char* small_membrane = R"toml(
step = 0.002
duration = 0.1
[solids]
density = 500
stepping = "backward_euler"
[contact]
scaling = "area"
stiffness = 1e6
[[body]]
name = "ball"
shape = "tet_ball"
parameters = { radius = 0.2, resolution = 2 }
position = [0, 0, 0.21]
velocity = [0, 0, -2]
[[body]]
name = "skin"
kind = "membrane"
shape = "cloth"
parameters = { resolution = 6 }
position = [0, 0, 0]
density = 2.5
stretch = 900
bending = 7
area = 5
hold_border = true
strain_limit = 0.4
)toml";

TEST(Scene, a_membrane_is_a_surface_among_solids) {
    const Scene scene = parse_scene(small_membrane, "membrane.toml");
    const TetWorld world = make_tet_world(scene);
    ASSERT_EQ(world.bodies().size(), 1u);
    ASSERT_EQ(world.membranes().size(), 1u);
    const TetWorldMembrane& skin = world.membranes()[0];
    EXPECT_EQ(skin.surface.name, "skin");
    EXPECT_EQ(skin.surface.material.density, 2.5);
    EXPECT_EQ(skin.surface.material.stretch, 900);
    EXPECT_EQ(skin.surface.material.bending, 7);
    EXPECT_EQ(skin.surface.material.area, 5);
    ASSERT_TRUE(skin.breaking.has_value());
    EXPECT_EQ(skin.breaking->strain, 0.4);
    for (const Index v : skin.surface.fixed_vertices)
        EXPECT_NEAR(skin.surface.mesh.vertices[v].cwiseAbs().maxCoeff(), 0.5, 1e-12);
    EXPECT_GE(skin.surface.fixed_vertices.size(), 24u);
    EXPECT_EQ(world.body(1).topology.boundary().size(), 72u);
    EXPECT_TRUE(world.body(1).topology.tetrahedra().empty());
}

TEST(Scene, errors_of_membranes_are_named) {
    const auto message = [](const std::string& from, const std::string& to) {
        return message_of(small_membrane, "membrane.toml", from, to);
    };
    EXPECT_EQ(message("0.4", "0.5"), "accepted");
    EXPECT_NE(message("\"membrane\"", "\"skin\"")
                  .find("membrane.toml:18: key body 1: kind: 'skin' is not one of rigid, surface, solid, membrane, "
                        "obstacle, moved"),
              std::string::npos)
        << message("\"membrane\"", "\"skin\"");
    EXPECT_NE(message("bending = 7", "volume = 7").find("volume"), std::string::npos);
    EXPECT_NE(message("strain_limit = 0.4", "strain_limit = 0").find("strain_limit"), std::string::npos);
    EXPECT_NE(message("\"cloth\"", "\"tet_box\"").find("is made of tetrahedra"), std::string::npos);
    EXPECT_NE(message("kind = \"membrane\"\n", "").find("area"), std::string::npos);
    EXPECT_NE(message("hold_border = true", "hold_border = 3").find("is not true or false"), std::string::npos);
}

// The figures of Marchal et al. 2004 with tetrahedra, shortened: each frame that ParaView would play is the shape that
// was simulated.
TEST(Simulation, recordings_of_bodies_that_break_read_back) {
    const testing::ScratchFolder folder;
    for (const std::string name :
         {"figure12_torus_sphere", "figure13_torus_on_cube", "figure14_membrane", "figure15_ellipsoids"}) {
        const bool membrane = name == "figure14_membrane";
        Simulation simulation(
            read_scene(std::filesystem::path(FATHOM_SOURCE_DIR) / "scenes" / (name + ".toml"),
                       {.overrides = {membrane ? "duration = 0.2" : "duration = 0.1", "record_every = 10"}}));
        simulation.run();
        const TetWorld& world = *simulation.systems().solids();
        const RecordedFrame& last = simulation.recording().frames().back();
        write_vtk(folder / (name + ".pvd"), simulation.recording());
        const TriangleMesh read = read_triangle_mesh(
            folder / fmt::format("{}/bodies_{:06}.vtu", name, simulation.recording().frames().size() - 1));
        std::size_t vertices = 0, triangles = 0;
        for (Index b = 0; b < world.bodies().size() + world.membranes().size(); ++b) {
            if (b < world.bodies().size() && world.bodies()[b].fixed) continue;
            const tet::TetBody body = world.body(b);
            for (const Index v : body.topology.boundary_vertices())
                ASSERT_LT((read.vertices[vertices++] - body.vertices[v]).norm(), 1e-6) << name;
            triangles += last.triangles(b, *simulation.recording().bodies()[b].mesh).size();
        }
        EXPECT_EQ(read.vertices.size(), vertices) << name;
        EXPECT_EQ(read.triangles.size(), triangles) << name;
        EXPECT_EQ(world.statistics().broken > 0, name != "figure12_torus_sphere") << name;
    }
}

} // namespace scene_test
} // namespace fathom
