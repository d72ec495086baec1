// Particles: births and deaths, bounces by the rules of mirrors, and a fire that goes round the skillet.
#include <fathom/show/simulation_results.h>
#include <fathom/simulate/scene/simulation.h>

#include <fathom/base/error.h>
#include <fathom/base/file.h>
#include <fathom/base/parallel.h>
#include <fathom/base/random.h>
#include <fathom/geometry/generate/generate.h>
#include <fathom/geometry/surface_tree/surface_tree.h>
#include <fathom/simulate/contact/body.h>
#include <fathom/simulate/particles/particle_wind.h>
#include <fathom/simulate/particles/particles.h>
#include <fathom/simulate/scene/scene.h>
#include <support/scratch_folder.h>
#include <support/test_counts.h>

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace fathom {
namespace particles_test {

// Particles collide with the triangles as they are given: a room is a surface that is oriented inward.
BodyShapePtr shape_of(TriangleMesh mesh) { return make_body_shape(Shape(std::move(mesh), MeshInside::open)); }

void run(ParticleWorld& world, int steps) {
    for (int k = 0; k < steps; ++k) world.step();
}

TEST(Particles, are_born_at_their_rate_and_die_at_their_age) {
    const ParticleEmitter emitter{
        .rate = 1'000, .burst = 50, .start = 0.1, .end = 0.6, .speed = 0.5, .life = 0.3, .life_spread = 0.2};
    ParticleWorld world({emitter}, {}, {.step = 0.01, .gravity = Vec3::Zero()});
    std::size_t born = 0, died = 0;
    for (int k = 1; k <= 120; ++k) {
        world.step();
        born += world.report().emitted;
        died += world.report().died;
        const double wanted = world.time() < 0.1 - 1e-9 ? 0 : 50 + 1'000 * std::min(world.time() - 0.1, 0.5);
        EXPECT_NEAR(static_cast<double>(born), wanted, 1.0);
        EXPECT_EQ(world.positions().size(), born - died);
        for (std::size_t p = 0; p < world.ages().size(); ++p) {
            EXPECT_GE(world.ages()[p], -1e-12);
            EXPECT_LE(world.ages()[p], world.lives()[p]);
            EXPECT_NEAR(world.lives()[p], 0.3, 0.06 + 1e-12);
            EXPECT_NEAR(world.positions()[p].z(), 0.5 * world.ages()[p],
                        1e-9); // newborns move for the rest of their first step
        }
    }
    EXPECT_EQ(born, 550u);
    EXPECT_EQ(died, 550u);
}

TEST(Particles, are_emitted_from_a_disc_in_a_cone_up_to_their_limit) {
    const ParticleEmitter emitter{.center = {1, 2, 3},
                                  .direction = {0, 3, 0},
                                  .radius = 0.2,
                                  .rate = 0,
                                  .burst = 20'000,
                                  .speed = 2,
                                  .speed_spread = 0.5,
                                  .spread = 0.4};
    ParticleWorld world({emitter}, {}, {.step = 1e-6, .gravity = Vec3::Zero(), .max_particles = 8'000});
    world.step();
    ASSERT_EQ(world.positions().size(), 8'000u);
    Vec3 mean = Vec3::Zero();
    double widest = 0, farthest = 0;
    for (std::size_t k = 0; k < world.positions().size(); ++k) {
        const Vec3 off = world.positions()[k] - emitter.center, v = world.velocities()[k];
        EXPECT_NEAR(off.y(), 0, 1e-5);
        farthest = std::max(farthest, off.norm());
        widest = std::max(widest, std::acos(std::min(1.0, v.y() / v.norm())));
        EXPECT_GE(v.norm(), 1 - 1e-12);
        EXPECT_LE(v.norm(), 3 + 1e-12);
        mean += off / 8'000;
    }
    EXPECT_NEAR(farthest, 0.2, 0.002);
    EXPECT_NEAR(widest, 0.4, 0.004);
    EXPECT_LT(mean.norm(), 0.01);
}

TEST(Particles, fall_as_in_the_closed_form) {
    ParticleWorld world({{.rate = 0, .burst = 10, .speed = 3, .life = 100}}, {},
                        {.step = 1e-3, .gravity = {0, 0, -2}, .mass = 0.5});
    world.step();
    const double before = world.energy().total();
    run(world, 999);
    EXPECT_NEAR(world.positions()[0].z(), 3 - 1, 2e-3);
    EXPECT_NEAR(world.velocities()[0].z(), 1, 1e-12);
    EXPECT_NEAR(world.energy().total(), before, 2e-2);
    ParticleWorld slowed({{.rate = 0, .burst = 1, .speed = 0, .life = 100}}, {},
                         {.step = 1e-2, .gravity = {0, 0, -2}, .drag = 4});
    run(slowed, 1'000);
    EXPECT_NEAR(slowed.velocities()[0].z(), -0.5, 1e-9); // gravity over drag
}

// One particle against a plate that leans: mirrored about its normal.
TEST(Particles, are_reflected_without_loss) {
    for (const double scale : {1e-3, 1.0, 1e3})
        for (const double lean : {0.0, 0.3, 0.8}) {
            const Body plate{.shape = shape_of(make_box({.size = scale * Vec3(2, 2, 0.1), .cells = {3, 3, 1}})),
                             .name = "plate",
                             .pose = Pose::from_axis_angle(lean, Vec3::UnitX(), scale * Vec3(0, 0, 1))};
            const ParticleEmitter emitter{
                .direction = {0.2, 0.1, 1}, .rate = 0, .burst = 100, .speed = scale, .life = 100};
            ParticleWorld world({emitter}, {plate},
                                {.step = 0.05, .gravity = Vec3::Zero(), .restitution = 1, .pixels = 128});
            world.step();
            const Vec3 before = world.velocities()[0];
            run(world, 29);
            const Vec3 n = plate.pose.rotate(Vec3::UnitZ()), after = world.velocities()[0],
                       mirrored = before - 2 * before.dot(n) * n;
            EXPECT_EQ(world.total_hits(), 100u);
            EXPECT_NEAR(after.norm(), before.norm(), 1e-6 * scale);
            EXPECT_LT((after - mirrored).norm(), 1e-5 * scale);
            EXPECT_LT(plate.pose.to_local(world.positions()[0]).z(), -0.05 * scale); // in front of it
        }
}

TEST(Particles, restitution_and_friction_reduce_velocity_and_impacts_may_remove_particles) {
    const Body ceiling{.shape = shape_of(make_box({.size = {4, 4, 0.2}, .cells = {2, 2, 1}})),
                       .name = "ceiling",
                       .pose = Pose::from_translation({0, 0, 1})};
    const ParticleEmitter emitter{.direction = {1, 0, 1}, .rate = 0, .burst = 10, .speed = std::sqrt(2), .life = 100};
    const auto after = [&](const ParticleOptions& options) {
        ParticleWorld world({emitter}, {ceiling}, options);
        run(world, 20);
        return world.velocities().empty() ? Vec3::Constant(99).eval() : world.velocities()[0];
    };
    const ParticleOptions plain{.step = 0.06, .gravity = Vec3::Zero(), .restitution = 0.5, .pixels = 64};
    ParticleOptions rough = plain, slide = plain, die = plain;
    rough.friction = 0.2;
    slide.impact = ParticleImpact::slide;
    die.impact = ParticleImpact::die;
    EXPECT_LT((after(plain) - Vec3(1, 0, -0.5)).norm(), 1e-6);
    EXPECT_LT((after(rough) - Vec3(1 - 0.2 * 1.5, 0, -0.5)).norm(), 1e-6);
    EXPECT_LT((after(slide) - Vec3(1, 0, 0)).norm(), 1e-6);
    EXPECT_EQ(after(die).x(), 99);
}

TEST(Particles, a_moving_plate_pushes_particles_ahead) {
    const Body plate{.shape = shape_of(make_box({.size = {2, 2, 0.3}, .cells = {2, 2, 1}})),
                     .name = "plate",
                     .pose = Pose::from_translation({0, 0, 1}),
                     .velocity = {0, 0, -1}};
    ParticleWorld world({{.radius = 0.5, .rate = 0, .burst = 500, .speed = 0, .life = 100}}, {plate},
                        {.step = 0.05, .gravity = Vec3::Zero(), .restitution = 1, .pixels = 64});
    run(world, 40);
    EXPECT_EQ(world.total_hits(), 500u);
    for (std::size_t k = 0; k < 500; ++k) {
        EXPECT_NEAR(world.velocities()[k].z(), -2, 1e-6);
        EXPECT_LT(world.positions()[k].z(), world.obstacle_pose(0).translation.z() - 0.15);
    }
}

TEST(Particles, none_gets_out_of_a_closed_room) {
    TriangleMesh room = make_sphere({.radius = 1, .resolution = 16});
    for (Triangle& t : room.triangles) std::swap(t[1], t[2]);
    const ParticleEmitter emitter{.rate = 0,
                                  .burst = testing::count_of(1'000, 20'000),
                                  .speed = 3,
                                  .speed_spread = 0.8,
                                  .spread = std::numbers::pi,
                                  .life = 100};
    ParticleWorld world({emitter}, {{.shape = shape_of(room), .name = "room"}},
                        {.step = 0.02, .restitution = 0.9, .around = true, .pixels = 128});
    for (int k = 0; k < 60; ++k) {
        world.step();
        std::size_t outside = 0;
        for (const Vec3& p : world.positions()) outside += p.norm() > 1 + world.maps().pixel_size();
        ASSERT_EQ(outside, 0u) << k;
    }
    EXPECT_GT(world.total_hits(), 2 * world.positions().size());
}

constexpr const char* small_fire = R"(
name = "small fire"
step = 0.016666666666666666
duration = 1.5
gravity = [0, 0, 1.5]
record_every = 15
[particles]
drag = 1.0
turbulence = 3.0
turbulence_size = 0.4
turbulence_drift = [0, 0, 0.5]
restitution = 0.2
friction = 0.05
pixels = 256
[[emitter]]
rate = 3000.0
radius = 0.05
speed = 0.8
speed_spread = 0.3
spread_degrees = 25.0
life = 1.25
[[body]]
name = "skillet"
shape = "skillet"
parameters = { radius = 0.15, handle = 0.2, resolution = 96 }
position = [0.06, 0, 0.17]
sway = [0.12, 0.04, 0]
sway_period = 3.0
)";

ParticleWorld fire(const std::string& more = {}, const std::vector<std::string>& overrides = {}) {
    return make_particle_world(parse_scene(small_fire + more, "fire.toml", {.overrides = overrides}));
}

TEST(Particles, a_fire_goes_round_the_skillet_and_never_into_it) {
    ParticleWorld world = fire();
    const SurfaceTree tree(world.obstacles()[0].shape->mesh());
    std::size_t inside = 0, above = 0, samples = 0;
    for (int k = 0; k < 90; ++k) {
        world.step();
        const Pose pose = world.obstacle_pose(0);
        for (const Vec3& p : world.positions()) {
            const Vec3 local = pose.to_local(p);
            ++samples;
            above += p.z() > 0.3;
            // A pixel's tolerance: deeper than that no particle may be.
            inside +=
                tree.contains(local) && std::sqrt(tree.closest(local).squared_distance) > world.maps().pixel_size();
        }
    }
    EXPECT_EQ(inside, 0u);
    EXPECT_GT(above, samples / 200); // round the rim
    EXPECT_GT(world.total_hits(), 1'000u);
}

// How many particles are right above the pan, over some steps.
std::size_t above_pan(ParticleWorld& world, const Vec3& pan) {
    std::size_t count = 0;
    for (int k = 0; k < 70; ++k) {
        world.step();
        for (const Vec3& p : world.positions())
            count += k >= 40 && p.z() > 0.2 && p.z() < 0.3 && (p - pan).head<2>().norm() < 0.08;
    }
    return count;
}

TEST(Particles, without_the_skillet_the_fire_rises_freely) {
    Scene scene = parse_scene(small_fire, "fire.toml", {.overrides = {"particles.turbulence = 1.0"}});
    scene.bodies[0].sway.setZero();
    ParticleWorld world = make_particle_world(scene);
    scene.bodies.clear();
    ParticleWorld open = make_particle_world(scene);
    const Vec3 pan =
        world.obstacle_pose(0) * (bounds(world.obstacles()[0].shape->mesh().vertices).lower + Vec3(0.15, 0.15, 0));
    const std::size_t with = above_pan(world, pan), without = above_pan(open, pan);
    EXPECT_EQ(open.total_hits(), 0u);
    EXPECT_GT(without, 2'000u);
    EXPECT_LT(10 * with, without);
}

TEST(Particles, end_in_the_same_bytes_for_any_number_of_threads) {
    std::vector<std::string> hashes;
    for (std::size_t threads = 1; threads <= 3; ++threads) {
        set_thread_count(threads);
        ParticleWorld world = fire({}, {"particles.pixels = 128"});
        run(world, 40);
        hashes.push_back(world.state_hash().text());
        EXPECT_GT(world.total_hits(), 100u);
    }
    set_thread_count(0);
    EXPECT_EQ(hashes[0], hashes[1]);
    EXPECT_EQ(hashes[0], hashes[2]);
}

TEST(Particles, a_recording_has_their_places_velocities_and_ages_and_writes_them) {
    testing::ScratchFolder folder;
    Simulation simulation(
        parse_scene(small_fire, "fire.toml", {.overrides = {"duration = 0.5", "particles.pixels = 64"}}));
    simulation.run();
    const Recording& recording = simulation.recording();
    ASSERT_EQ(recording.bodies().size(), 2u);
    EXPECT_TRUE(recording.bodies()[1].cloud) << "after its obstacle";
    const RecordedFrame& last = recording.frames().back();
    EXPECT_EQ(last.bodies[1].vertices.size(), 1'500u);
    EXPECT_EQ(last.bodies[1].velocities.size(), 1'500u);
    EXPECT_EQ(last.bodies[1].ages.size(), 1'500u);
    EXPECT_EQ(last.contacts.size(), last.contact_count);
    write_results(simulation, ResultsFolder(folder.path()));
    const auto text = [&](const char* file) {
        const Bytes bytes = read_whole_file(folder / file);
        return std::string(reinterpret_cast<const char*>(bytes.span().data()), bytes.size());
    };
    EXPECT_NE(text("frames.pvd").find("points_000002.vtu"), std::string::npos);
    EXPECT_NE(text("frames/points_000002.vtu").find("\"age\""), std::string::npos);
    const std::string points = text("points.csv");
    EXPECT_EQ(std::count(points.begin(), points.end(), '\n'), 1'501);
    EXPECT_NE(text("summary.json").find("\"vertices\": 1500"), std::string::npos);
}

TEST(Particles, the_wind_has_no_mean_and_no_sources) {
    const ParticleWind wind(3);
    Random random(4);
    Vec3 mean = Vec3::Zero();
    double square = 0, divergence = 0, change = 0;
    constexpr int count = 20'000;
    constexpr double h = 1.0 / 32; // of the table: differences between its own values
    for (int k = 0; k < count; ++k) {
        const Vec3 p = 10 * random.direction(), w = wind(p);
        mean += w / count;
        square += w.squaredNorm() / (3.0 * count);
        double sources = 0;
        for (int axis = 0; axis < 3; ++axis) {
            const Vec3 slope = wind(p + h * Vec3::Unit(axis)) - wind(p - h * Vec3::Unit(axis));
            sources += slope[axis];
            change += slope.squaredNorm();
        }
        divergence += 3 * sources * sources;
    }
    EXPECT_LT(mean.norm(), 0.05);
    EXPECT_NEAR(square, 0.9, 0.15); // a little is lost between the values of the table
    EXPECT_LT(divergence, 0.02 * change);
    EXPECT_EQ(wind(Vec3(0.25, 0.5, 0.75)), wind(Vec3(3.25, -1.5, 7.75)));
}

TEST(Particles, scenes_name_the_line_and_key_of_a_mistake) {
    const struct {
        const char* line;
        const char* word;
    } mistakes[] = {{"particles.pixels = 0", "pixels"},
                    {"particles.drag = -1", "drag"},
                    {"particles.impact = \"stick\"", "impact"},
                    {"particles.view_direction = [0, 0, 0]", "view_direction"},
                    {"particles.colour = 1", "colour"},
                    {"particles.region = [1, 0, 0, 0, 0, 0]", "region"},
                    {"contact.friction = 1", "contact"},
                    {"springs.density = 1", "sway: does not apply to a body of kind surface"},
                    {"emitter = 3", "emitter"},
                    {"particles.layers = 17", "layers"},
                    {"particles = { layers = 2, exits = false }", "layers"}};
    for (const auto& [line, word] : mistakes) try {
            (void)parse_scene(small_fire, "bad.toml", {.overrides = {line}});
            ADD_FAILURE() << line << " was taken";
        } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
        }
    try {
        (void)parse_scene("[particles]\n[[emitter]]\nrate = 1.0\nspread_degrees = 200.0\n", "bad.toml");
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.place().line, 4);
        EXPECT_NE(error.place().element.find("spread_degrees"), std::string::npos);
    }
    for (const char* text :
         {"[particles]\n", "[[emitter]]\nrate = 1.0\n", "[particles]\n[[emitter]]\nstart = 2.0\nend = 1.0\n",
          "[particles]\n[[emitter]]\n[[body]]\nfield = \"sphere(1)\"\nfixed = true\n",
          "[particles]\n[[emitter]]\n[[body]]\nshape = \"box\"\nsway_period = 0.0\n"})
        EXPECT_THROW((void)parse_scene(text, "bad.toml"), Error) << text;
    EXPECT_EQ(parse_scene("[particles]\n[[emitter]]\n", "open.toml").particles->emitters.size(), 1u);
    EXPECT_THROW((void)make_particle_world(parse_scene("[[body]]\nshape = \"box\"\n", "box.toml")), Error);
}

TEST(Particles, hostile_worlds_are_refused) {
    const double nan = std::nan("");
    const auto refused = [](const ParticleEmitter& emitter) { EXPECT_THROW(ParticleWorld({emitter}, {}), Error); };
    refused({.center = {nan, 0, 0}});
    refused({.direction = Vec3::Zero()});
    refused({.rate = -1});
    refused({.start = 2, .end = 1});
    refused({.life = 0});
    refused({.life = nan});
    refused({.spread = 4});
    for (const ParticleOptions& options :
         {ParticleOptions{.step = 0}, ParticleOptions{.gravity = {nan, 0, 0}}, ParticleOptions{.restitution = 1.1},
          ParticleOptions{.view_direction = Vec3::Zero()}, ParticleOptions{.pixels = 0},
          ParticleOptions{.max_impacts = 0}, ParticleOptions{.turbulence_size = 0}})
        EXPECT_THROW(ParticleWorld({}, {}, options), Error);
    EXPECT_THROW(ParticleWorld({}, {{.name = "nothing"}}), Error);
    EXPECT_THROW(
        ParticleWorld({},
                      {{.shape = shape_of(make_box()), .name = "lost", .pose = Pose::from_translation({nan, 0, 0})}}),
        Error);
    ParticleWorld fast({{.rate = 0, .burst = 1, .speed = 1e9, .life = 1e9}}, {}, {.step = 10, .gravity = {0, 0, 1e12}});
    EXPECT_THROW(run(fast, 100), Error);
    ParticleWorld empty({}, {{.shape = make_body_shape(Shape::half_space({0, 0, 1}, 0)), .name = "not drawn"}});
    run(empty, 2);
    EXPECT_TRUE(empty.positions().empty());
}

} // namespace particles_test
} // namespace fathom
