// Bodies of tetrahedra: they bounce, edges do not slip through edges, energy does not come from nowhere, meshes do not
// matter, and they break.
#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/field/analytic/analytic_field.h>
#include <fathom/field/analytic/primitives.h>
#include <fathom/geometry/generate/generate.h>
#include <fathom/simulate/record/recording.h>
#include <fathom/simulate/record/recording_files.h>
#include <fathom/simulate/tets/tet_world.h>

#include <support/scratch_folder.h>

#include <gtest/gtest.h>

#include <limits>
#include <numbers>

namespace fathom {
namespace tet_world_test {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

TetMesh moved(TetMesh mesh, const Vec3& by, double scale = 1, const Quat& turn = Quat::Identity()) {
    for (Vec3& v : mesh.vertices) v = scale * (turn * v + by);
    return mesh;
}

TetWorldOptions still_air(double step, TetResponse response = TetResponse::segments) {
    TetWorldOptions options;
    options.springs.step = step;
    options.springs.gravity = Vec3::Zero();
    options.response = response;
    return options;
}

Vec3 mean_velocity(const TetWorld& world, Index body) {
    Vec3 sum = Vec3::Zero();
    double mass = 0;
    for (const Index k : world.points(body)) {
        sum += world.springs().network().masses[k] * world.springs().velocities()[k];
        mass += world.springs().network().masses[k];
    }
    return sum / mass;
}

// Two balls that collide, at any scale: lengths are scaled by s, and moduli so that times do not change.
TetWorld two_balls(double s, std::size_t resolution, TetWorldOptions options) {
    std::vector<TetWorldBody> bodies(2);
    for (std::size_t k = 0; k < 2; ++k) {
        bodies[k].name = k == 0 ? "left" : "right";
        bodies[k].mesh = moved(make_tet_ball({.resolution = resolution}),
                               {k == 0 ? -0.52 : 0.52, k == 0 ? 0 : 0.03, k == 0 ? 0 : 0.05}, s);
        bodies[k].velocity = {k == 0 ? s : -s, 0, 0};
        bodies[k].material.stretch = bodies[k].material.volume = 2e5 * s * s;
    }
    options.springs.contact = {.scaling = ContactScaling::area, .stiffness = 2e6 * s};
    return TetWorld(std::move(bodies), {}, options);
}

struct Bounce {
    double speed = 0, highest = 0, end = 0, momentum = 0;
    bool touched = false, apart = false;
};

Bounce bounce_of(TetWorld world, double s) {
    Bounce result;
    const double start = world.energy().total();
    const double mass = total_mass(world.springs().network());
    for (int k = 0; k < 600; ++k) {
        world.step();
        result.highest = std::max(result.highest, world.energy().total() / start);
        result.touched = result.touched || !world.contacts().empty();
    }
    result.apart = world.contacts().empty();
    result.speed = mean_velocity(world, 1).x() / s;
    result.end = world.energy().total() / start;
    result.momentum = world.springs().momentum().norm() / (mass * s);
    return result;
}

TEST(TetWorld, two_balls_bounce_and_keep_momentum_and_energy_at_every_scale) {
    for (const TetResponse response : {TetResponse::points, TetResponse::segments})
        for (const double s : {1e-3, 1.0, 1e3}) {
            const Bounce found = bounce_of(two_balls(s, 3, still_air(5e-4, response)), s);
            EXPECT_TRUE(found.touched && found.apart) << s;
            EXPECT_GT(found.speed, 0.3) << s;
            EXPECT_LT(found.momentum, 1e-12) << s;
            EXPECT_LT(found.highest, 1.005) << s;
            EXPECT_GT(found.end, 0.9) << s;
        }
}

TEST(TetWorld, a_finer_mesh_bounces_equally) {
    for (const TetResponse response : {TetResponse::points, TetResponse::segments}) {
        const double coarse = bounce_of(two_balls(1, 4, still_air(4e-4, response)), 1).speed,
                     fine = bounce_of(two_balls(1, 6, still_air(4e-4, response)), 1).speed;
        EXPECT_NEAR(coarse, fine, 0.1 * fine);
    }
}

// Two long bars of one cell's width, crosswise and on edge: no vertex of one is ever inside the other.
TetWorld crossing_bars(TetResponse response, SpringStepping stepping = SpringStepping::verlet) {
    TetWorldOptions options = still_air(1e-3, response);
    options.springs.stepping = stepping;
    options.springs.contact = {.scaling = ContactScaling::area, .stiffness = 1e7};
    std::vector<TetWorldBody> bodies(2);
    for (std::size_t k = 0; k < 2; ++k) {
        const Quat turn(Eigen::AngleAxisd(k == 0 ? 0.3 : 1.7, Vec3::UnitZ())),
            on_edge(Eigen::AngleAxisd(0.25 * std::numbers::pi, Vec3::UnitX()));
        bodies[k].name = k == 0 ? "upper" : "lower";
        bodies[k].mesh = moved(make_tet_box({.size = {2, 0.2, 0.2}, .cells = {1, 1, 1}}), {0, 0, k == 0 ? 0.2 : -0.2},
                               1, turn * on_edge);
        bodies[k].material.stretch = bodies[k].material.volume = 1e5;
        bodies[k].velocity = {0, 0, k == 0 ? -0.5 : 0.5};
    }
    return TetWorld(std::move(bodies), {}, options);
}

TEST(TetWorld, edges_that_points_let_pass_are_stopped_by_segments) {
    const auto passes = [](TetWorld world) {
        bool met = false;
        const double start = world.energy().total();
        double highest = 0;
        for (int k = 0; k < 900; ++k) {
            world.step();
            met = met || !world.contacts().empty();
            highest = std::max(highest, world.energy().total());
        }
        EXPECT_EQ(met, world.options().response != TetResponse::points);
        EXPECT_LT(highest, 1.03 * start); // while two thirds of it are in two contacts of bodies of one cell's width
        EXPECT_LT(world.energy().total(), 1.001 * start);
        return bounds(world.body(0)).center().z() < bounds(world.body(1)).center().z();
    };
    EXPECT_TRUE(passes(crossing_bars(TetResponse::points)));
    EXPECT_TRUE(passes(crossing_bars(TetResponse::none)));
    EXPECT_FALSE(passes(crossing_bars(TetResponse::segments)));
    EXPECT_FALSE(passes(crossing_bars(TetResponse::segments, SpringStepping::backward_euler)));
}

TEST(TetWorld, every_depth_and_direction_stops_a_falling_ball) {
    for (const TetResponse response : {TetResponse::points, TetResponse::segments})
        for (const DepthMethod method : {DepthMethod::exact, DepthMethod::closest_feature, DepthMethod::closest_point})
            for (const PushDirection direction : {PushDirection::nearest, PushDirection::gradient}) {
                TetWorldOptions options;
                options.springs.step = 2e-3;
                options.springs.stepping = SpringStepping::backward_euler;
                options.springs.contact = {.scaling = ContactScaling::area, .stiffness = 1e7, .damping_ratio = 0.1};
                options.response = response;
                options.depth.method = method;
                options.push = {direction == PushDirection::nearest ? PushDepth::measured : PushDepth::interpolated,
                                direction};
                std::vector<TetWorldBody> bodies(2);
                bodies[0] = {
                    .name = "box", .mesh = make_tet_box({.size = {1, 1, 0.5}, .cells = {4, 4, 2}}), .fixed = true};
                bodies[1] = {.name = "ball",
                             .mesh = moved(make_tet_ball({.radius = 0.25, .resolution = 3}), {0.02, 0.03, 0.55})};
                TetWorld world(std::move(bodies), {}, options);
                const TetMesh before{{world.body(0).vertices.begin(), world.body(0).vertices.end()}, {}};
                double deepest = 0;
                for (int k = 0; k < 150; ++k) {
                    world.step();
                    for (const BodyContact& c : world.contacts()) deepest = std::max(deepest, c.depth);
                }
                EXPECT_GT(bounds(world.body(1)).center().z(), 0.4);
                EXPECT_GT(deepest, 0);
                EXPECT_LT(deepest, 0.05);
                EXPECT_TRUE(std::equal(before.vertices.begin(), before.vertices.end(), world.body(0).vertices.begin()));
                EXPECT_GT(world.statistics().collision_share(), 0);
                EXPECT_LT(world.statistics().collision_share(), 1);
                EXPECT_LE(world.statistics().depth_seconds, world.statistics().collision_seconds);
            }
}

TEST(TetWorld, an_obstacle_carries_a_ball) {
    TetWorldOptions options;
    options.springs.step = 2e-3;
    options.springs.stepping = SpringStepping::backward_euler;
    options.springs.contact = {.scaling = ContactScaling::area, .stiffness = 1e7, .damping_ratio = 0.3};
    const Body ground{.shape = make_body_shape(Shape::half_space({0, 0, 1}, 0)), .name = "ground", .fixed = true};
    TetWorld world({{.name = "ball", .mesh = moved(make_tet_ball({.resolution = 3}), {0, 0, 0.52})}},
                   std::vector<Body>{ground}, options);
    std::size_t touched = 0;
    for (int k = 0; k < 250; ++k) {
        world.step();
        for (const BodyContact& c : world.contacts()) {
            ++touched;
            EXPECT_EQ(c.b, 1u);
            EXPECT_LT(c.normal.z(), -0.999);
            EXPECT_LT(c.depth, 0.05);
        }
    }
    EXPECT_GT(touched, 0u);
    EXPECT_GT(bounds(world.body(0)).center().z(), 0.4);
}

// A horseshoe whose ends are driven into each other.
TEST(TetWorld, self_contact_is_found_if_requested) {
    const auto closest_ends = [](bool self) {
        TetMesh shoe = make_tet_box({.size = {4, 0.4, 0.3}, .cells = {20, 2, 2}});
        for (Vec3& v : shoe.vertices) {
            const double angle = v.x() / 0.8, radius = 0.8 + v.z();
            v = {radius * std::sin(angle), v.y(), radius * std::cos(angle)};
        }
        orient(shoe);
        TetWorldOptions options = still_air(1e-3);
        options.self = self;
        options.springs.stepping = SpringStepping::backward_euler;
        options.springs.contact = {.scaling = ContactScaling::area, .stiffness = 1e7};
        TetWorld world(
            {{.name = "shoe", .mesh = std::move(shoe), .material = {.density = 100, .stretch = 5e3, .volume = 5e3}}},
            {}, options);
        world.set_motion([&](SpringMotion& motion) {
            for (std::size_t k = 0; k < motion.positions.size(); ++k)
                if (world.springs().network().points[k].z() < 0)
                    motion.pushes[k].x() = world.springs().network().points[k].x() > 0 ? -3 : 3;
        });
        std::size_t met = 0;
        double least = 1;
        for (int k = 0; k < 400; ++k) {
            world.step();
            met += world.contacts().size();
            double left = -1, right = 1;
            for (std::size_t v = 0; v < world.points(0).size(); ++v) {
                const Vec3 rest = world.springs().network().points[v], now = world.body(0).vertices[v];
                if (rest.z() > -0.4) continue;
                if (rest.x() > 0)
                    right = std::min(right, now.x());
                else
                    left = std::max(left, now.x());
            }
            least = std::min(least, right - left);
        }
        EXPECT_EQ(met > 0, self);
        return least;
    };
    const double free = closest_ends(false), stopped = closest_ends(true);
    EXPECT_LT(free, -0.9);
    EXPECT_GT(stopped, -0.3);
}

TetWorld breaking_drop(double strain, const PlasticOptions& plastic = {}) {
    TetWorldOptions options;
    options.springs.plastic = plastic;
    options.springs.step = 1e-3;
    options.springs.stepping = SpringStepping::backward_euler;
    options.springs.contact = {.scaling = ContactScaling::area, .stiffness = 2e7};
    options.breaking = BreakOptions{.strain = strain};
    std::vector<TetWorldBody> bodies(2);
    bodies[0] = {.name = "edge",
                 .mesh = moved(make_tet_box({.size = {0.4, 2, 0.4}, .cells = {2, 4, 2}}), {0, 0, 0}, 1,
                               Quat(Eigen::AngleAxisd(0.25 * std::numbers::pi, Vec3::UnitY()))),
                 .fixed = true};
    bodies[1] = {.name = "bar",
                 .mesh = moved(make_tet_box({.size = {2, 0.3, 0.2}, .cells = {14, 2, 2}}), {0, 0, 0.42}),
                 .velocity = {0, 0, -6}};
    return TetWorld(std::move(bodies), {}, options);
}

TEST(TetWorld, a_bar_breaks_on_an_edge_and_its_parts_stay_valid) {
    TetWorld world = breaking_drop(0.15);
    const double mass = total_mass(world.springs().network());
    const std::size_t points = world.springs().network().size();
    Recording recording({.every = 20});
    world.record(recording);
    for (int k = 0; k < 200; ++k) {
        world.step();
        world.record(recording);
    }
    EXPECT_EQ(world.steps(), 200u);
    EXPECT_NEAR(world.time(), 0.2, 1e-12);
    EXPECT_GT(world.statistics().broken, 0u);
    EXPECT_TRUE(world.broken(1));
    EXPECT_FALSE(world.broken(0));
    EXPECT_GE(world.pieces(1), 2u);
    EXPECT_GT(world.springs().network().size(), points);
    EXPECT_NEAR(total_mass(world.springs().network()), mass, 1e-9 * mass);
    const RecordedFrame &first = recording.frames().front(), &last = recording.frames().back();
    EXPECT_EQ(first.bodies[1].triangles, nullptr);
    ASSERT_NE(last.bodies[1].triangles, nullptr);
    EXPECT_GT(last.bodies[1].vertices.size(), recording.bodies()[1].mesh->vertices.size());
    for (const Triangle& t : *last.bodies[1].triangles)
        for (const Index v : t) ASSERT_LT(v, last.bodies[1].vertices.size());
    const testing::ScratchFolder folder;
    EXPECT_NO_THROW(write_vtk(folder.path() / "break.pvd", recording));
}

TEST(TetWorld, a_body_that_creeps_breaks_later_and_stays_bent) {
    TetWorld elastic = breaking_drop(0.15), plastic = breaking_drop(0.15, {.yield_strain = 0.05, .creep_rate = 200});
    for (int k = 0; k < 100; ++k) elastic.step(), plastic.step();
    EXPECT_GT(plastic.statistics().broken, 0u);
    EXPECT_LT(plastic.statistics().broken, elastic.statistics().broken);
    const SpringNetwork& network = plastic.springs().network();
    std::size_t crept = 0, springs = 0;
    for (const Spring& s : network.springs) {
        if (s.kind == SpringKind::removed) continue;
        const double first = (network.points[s.points[1]] - network.points[s.points[0]]).norm();
        EXPECT_GE(s.rest, 0.5 * first - 1e-12);
        EXPECT_LE(s.rest, 1.5 * first + 1e-12);
        crept += std::abs(s.rest / first - 1) > 0.01;
        ++springs;
    }
    EXPECT_GT(crept, springs / 50);
}

TEST(TetWorld, a_cut_body_falls_apart) {
    TetWorld world = breaking_drop(10);
    for (int k = 0; k < 5; ++k) world.step();
    const Vec3 before = world.springs().momentum();
    const CutReport report = world.cut(1, {.point = {0.05, 0, 0}, .normal = {1, 0, 0}});
    EXPECT_GT(report.opened, 0u);
    EXPECT_EQ(world.pieces(1), 2u);
    EXPECT_EQ(world.steps(), 5u);
    EXPECT_LT((world.springs().momentum() - before).norm(), 1e-9 * before.norm());
    for (int k = 0; k < 50; ++k) world.step();
    EXPECT_EQ(world.pieces(1), 2u);
    EXPECT_THROW((void)world.cut(0, {}), Error);
    EXPECT_THROW((void)world.cut(7, {}), Error);
}

TEST(TetWorld, one_thread_and_two_reach_the_same_state) {
    const auto hash = [](std::size_t threads, TetWorld world) {
        set_thread_count(threads);
        for (int k = 0; k < 120; ++k) world.step();
        set_thread_count(0);
        return world.state_hash().text();
    };
    for (const TetResponse response : {TetResponse::points, TetResponse::segments})
        EXPECT_EQ(hash(1, two_balls(1, 4, still_air(5e-4, response))),
                  hash(2, two_balls(1, 4, still_air(5e-4, response))));
    EXPECT_EQ(hash(1, breaking_drop(0.15)), hash(2, breaking_drop(0.15)));
    EXPECT_NE(hash(1, two_balls(1, 4, still_air(5e-4, TetResponse::points))),
              hash(1, two_balls(1, 4, still_air(5e-4, TetResponse::segments))));
}

TEST(TetWorld, frames_contain_the_boundary_and_the_contacts) {
    TetWorld world = two_balls(1, 3, still_air(5e-4));
    Recording recording({.every = 10});
    world.record(recording);
    for (int k = 0; k < 100; ++k) {
        world.step();
        world.record(recording);
    }
    ASSERT_EQ(recording.bodies().size(), 2u);
    EXPECT_EQ(recording.bodies()[0].mesh->vertices.size(), world.body(0).topology.boundary_vertices().size());
    EXPECT_EQ(recording.bodies()[0].mesh->triangles.size(), world.body(0).topology.boundary().size());
    ASSERT_EQ(recording.frames().size(), 11u);
    const RecordedFrame& last = recording.frames().back();
    EXPECT_EQ(last.bodies[0].vertices.size(), recording.bodies()[0].mesh->vertices.size());
    EXPECT_EQ(last.contacts.size(), world.contacts().size());
    EXPECT_GT(last.contacts.size(), 0u);
    EXPECT_GT(recording.worst_penetration(), 0);
}

TEST(TetWorld, errors_are_named) {
    const TetWorldBody good{.name = "good", .mesh = make_tet_ball({.resolution = 2})};
    const auto message = [](std::vector<TetWorldBody> bodies, const TetWorldOptions& options = {}) {
        try {
            TetWorld world(std::move(bodies), {}, options);
        } catch (const Error& error) {
            return std::string(error.what());
        }
        return std::string("accepted");
    };
    TetWorldOptions fine;
    fine.springs.step = 1e-5;
    EXPECT_EQ(message({good}, fine), "accepted");
    EXPECT_NE(message({}).find("has no bodies"), std::string::npos);
    TetWorldBody bad = good;
    bad.name = "bad one";
    bad.mesh.vertices[3].x() = nan;
    EXPECT_NE(message({good, bad}, fine).find("bad one"), std::string::npos);
    bad = good;
    bad.name = "outside";
    bad.mesh.tetrahedra[5][2] = 100'000;
    EXPECT_NE(message({bad}, fine).find("outside"), std::string::npos);
    bad = good;
    bad.fixed_vertices = {100'000};
    EXPECT_NE(message({bad}, fine).find("fixed vertex"), std::string::npos);
    EXPECT_NE(message({{.name = "nothing", .mesh = {}}}, fine).find("nothing"), std::string::npos);
    TetWorldOptions options = fine;
    options.recovery_time = nan;
    EXPECT_NE(message({good}, options).find("recovery_time"), std::string::npos);
    options = fine;
    options.breaking = BreakOptions{.strain = -1};
    EXPECT_NE(message({good}, options).find("strain"), std::string::npos);
    options = fine;
    options.springs.step = 1;
    EXPECT_NE(message({good}, options).find("not stable"), std::string::npos);
}

} // namespace tet_world_test
} // namespace fathom
