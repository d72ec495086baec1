// Membranes among bodies of tetrahedra: they hold what they can carry, keep momentum and side, and let through what
// tears them.
#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/geometry/generate/generate.h>
#include <fathom/simulate/record/recording.h>
#include <fathom/simulate/tets/tet_world.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <utility>

namespace fathom {
namespace tet_membrane_test {

TetWorldBody ball_above(double height, const Vec3& velocity) {
    TetWorldBody ball{.name = "ball",
                      .mesh = make_tet_ball({.radius = 0.25, .resolution = 3}),
                      .material = {.density = 500, .stretch = 2e5, .volume = 2e5, .damping_time = 1e-3}};
    for (Vec3& v : ball.mesh.vertices) v += Vec3(0.01, 0.02, height);
    ball.velocity = velocity;
    return ball;
}

TetWorldMembrane sheet(std::size_t cells, bool held) {
    TetWorldMembrane membrane{
        {.name = "sheet",
         .mesh = make_cloth({.size = {1.2, 1.2}, .cells = {cells, cells}}),
         .material = {.density = 2, .stretch = 6e3, .bending = 100, .area = 1e3, .damping_time = 2e-3}},
        {}};
    for (Index v = 0; held && v < membrane.surface.mesh.vertices.size(); ++v)
        if (membrane.surface.mesh.vertices[v].cwiseAbs().maxCoeff() > 0.599)
            membrane.surface.fixed_vertices.push_back(v);
    return membrane;
}

TetWorldOptions stepped(SpringStepping stepping, TetResponse response = TetResponse::segments) {
    TetWorldOptions options;
    options.springs.step = 2e-3;
    options.springs.stepping = stepping;
    options.springs.unstable = UnstableStep::divide;
    options.springs.contact = {
        .scaling = ContactScaling::area, .stiffness = 2e6, .damping_ratio = 0.1, .friction = 0.2};
    options.response = response;
    return options;
}

double height_of(const TetWorld& world, Index body) {
    double sum = 0;
    for (const Vec3& v : world.body(body).vertices) sum += v.z();
    return sum / static_cast<double>(world.body(body).vertices.size());
}

TetWorld drop_on_sheet(double limit, const TetWorldOptions& options) {
    TetWorldMembrane membrane = sheet(14, true);
    membrane.breaking = MembraneBreakOptions{.strain = limit};
    return TetWorld({ball_above(0.3, {0, 0, -3})}, {membrane}, {}, options);
}

TEST(TetMembrane, a_ball_passes_only_because_the_sheet_tears) {
    using Kind = std::pair<SpringStepping, TetResponse>;
    for (const auto& [stepping, response] : {Kind{SpringStepping::backward_euler, TetResponse::segments},
                                             Kind{SpringStepping::backward_euler, TetResponse::points},
                                             Kind{SpringStepping::verlet, TetResponse::points}}) {
        TetWorld weak = drop_on_sheet(0.2, stepped(stepping, response)),
                 strong = drop_on_sheet(100, stepped(stepping, response));
        double lowest = 1;
        const double mass = total_mass(weak.springs().network());
        for (int k = 0; k < 160; ++k) {
            weak.step();
            strong.step();
            lowest = std::min(lowest, height_of(strong, 0));
        }
        EXPECT_LT(height_of(weak, 0), -0.4);
        EXPECT_GT(weak.statistics().broken, 5u);
        EXPECT_TRUE(weak.broken(1));
        EXPECT_FALSE(weak.broken(0));
        EXPECT_NEAR(total_mass(weak.springs().network()), mass, 1e-9 * mass);
        EXPECT_GT(lowest, -0.4);
        EXPECT_GT(height_of(strong, 0), lowest + 0.2); // thrown back
        EXPECT_EQ(strong.statistics().broken, 0u);
        EXPECT_EQ(strong.pieces(1), 1u);
    }
}

TEST(TetMembrane, a_body_that_hits_a_free_sheet_conserves_momentum) {
    for (const TetResponse response : {TetResponse::points, TetResponse::segments}) {
        TetWorldOptions options = stepped(SpringStepping::verlet, response);
        options.springs.gravity = Vec3::Zero();
        options.springs.contact.friction = 0;
        TetWorld world({ball_above(0.27, {0, 0, -2})}, {sheet(12, false)}, {}, options);
        const Vec3 before = world.springs().momentum();
        const double start = world.energy().total();
        bool touched = false;
        double highest = 0;
        for (int k = 0; k < 100; ++k) {
            world.step();
            touched = touched || !world.contacts().empty();
            highest = std::max(highest, world.energy().total());
            for (const BodyContact& c : world.contacts()) ASSERT_TRUE(c.a == 1 && c.b == 0);
        }
        EXPECT_TRUE(touched);
        EXPECT_LT((world.springs().momentum() - before).norm(), 1e-9 * before.norm());
        EXPECT_LT(highest, 1.02 * start);
        EXPECT_LT(height_of(world, 1), -0.05);
        EXPECT_LT(height_of(world, 1), height_of(world, 0)); // pushed ahead of the ball, on the side it was
    }
}

// A ball is placed a little more than half through the sheet. The separating direction follows from its earlier side,
// although the nearest surface is on the other side.
TEST(TetMembrane, a_sheet_past_the_middle_is_pushed_to_its_own_side) {
    for (const bool seen : {true, false}) {
        TetWorldOptions options = stepped(SpringStepping::backward_euler, TetResponse::none);
        options.springs.gravity = Vec3::Zero();
        TetWorld world({ball_above(seen ? 0.3 : -0.03, Vec3::Zero())}, {sheet(12, true)}, {}, options);
        world.step();
        bool moved = !seen;
        world.set_motion([&](SpringMotion& motion) {
            if (moved) return;
            for (const Index k : world.points(0)) motion.positions[k].z() -= 0.33; // its centre is then below the sheet
            moved = true;
        });
        world.step();
        std::size_t up = 0, down = 0;
        for (const BodyContact& c : world.contacts()) up += c.normal.z() > 0.5, down += c.normal.z() < -0.5;
        EXPECT_TRUE(up > 0 || !seen);
        EXPECT_EQ(down > 0, !seen);
    }
}

TEST(TetMembrane, a_sheet_that_creeps_tears_later_and_stays_bent) {
    TetWorldOptions creeping = stepped(SpringStepping::backward_euler);
    creeping.springs.plastic = {.yield_strain = 0.05, .creep_rate = 5};
    TetWorld elastic = drop_on_sheet(0.15, stepped(SpringStepping::backward_euler)),
             plastic = drop_on_sheet(0.15, creeping);
    std::size_t first_elastic = 0, first_plastic = 0;
    for (std::size_t k = 1; k <= 120; ++k) {
        elastic.step();
        plastic.step();
        if (first_elastic == 0 && elastic.broken(1)) first_elastic = k;
        if (first_plastic == 0 && plastic.broken(1)) first_plastic = k;
    }
    EXPECT_GT(first_elastic, 0u);
    EXPECT_GT(first_plastic, first_elastic);
    const SpringNetwork& network = plastic.springs().network();
    std::size_t crept = 0;
    for (const Spring& s : network.springs) {
        const double first = (network.points[s.points[1]] - network.points[s.points[0]]).norm();
        if (s.kind == SpringKind::edge) {
            EXPECT_LE(std::abs(s.rest - first), 0.5 * first + 1e-12);
        }
        crept += s.kind == SpringKind::edge && s.rest > 1.01 * first;
    }
    EXPECT_GT(crept, 20u);
}

// Borders turn whole parts back: pieces that have come off are parts of their own.
TEST(TetMembrane, torn_parts_are_bounded_by_the_world) {
    TetWorldOptions options = stepped(SpringStepping::backward_euler);
    options.springs.environment = {{-1, -1, -1}, {1, 1, 1}};
    TetWorldMembrane weak = sheet(14, true);
    weak.breaking = MembraneBreakOptions{.strain = 0.1};
    TetWorld world({ball_above(0.3, {0, 0, -5})}, {weak}, {}, options);
    std::size_t most = 0;
    for (int k = 0; k < 120; ++k) {
        world.step();
        std::set<Index> parts;
        for (const Index v : world.body(1).topology.boundary_vertices())
            parts.insert(world.springs().network().part[world.points(1)[v]]);
        ASSERT_EQ(parts.size(), world.pieces(1)) << k;
        ASSERT_FALSE(parts.contains(world.springs().network().part[world.points(0)[0]]));
        most = std::max(most, parts.size());
    }
    EXPECT_GT(most, 1u);
}

// Both break at once: numbers of points and springs are shared out among them as they come.
TEST(TetMembrane, a_ball_that_breaks_on_a_sheet_that_tears_keeps_its_mass_and_side) {
    TetWorldOptions options = stepped(SpringStepping::backward_euler);
    options.breaking = BreakOptions{.strain = 0.02, .max_broken = 3};
    TetWorldMembrane weak = sheet(14, true);
    weak.breaking = MembraneBreakOptions{.strain = 0.25, .max_broken = 3};
    TetWorld world({ball_above(0.3, {0, 0, -4})}, {weak}, {}, options);
    const double mass = total_mass(world.springs().network());
    for (int k = 0; k < 100; ++k) world.step();
    EXPECT_TRUE(world.broken(0));
    EXPECT_TRUE(world.broken(1));
    check(world.springs().network());
    EXPECT_NEAR(total_mass(world.springs().network()), mass, 1e-9 * mass);
    std::vector<char> taken(world.springs().network().size(), 0);
    for (const Index b : {0u, 1u})
        for (const Index k : world.points(b)) EXPECT_EQ(std::exchange(taken[k], 1), 0);
    EXPECT_EQ(std::count(taken.begin(), taken.end(), 1), static_cast<std::ptrdiff_t>(taken.size()));
    world.cut(0, {.point = world.body(0).vertices[0], .normal = {1, 0, 0}});
    EXPECT_NO_THROW(world.step());
}

TEST(TetMembrane, one_thread_and_two_reach_the_same_state) {
    const auto hash = [](std::size_t threads) {
        set_thread_count(threads);
        TetWorld world = drop_on_sheet(0.2, stepped(SpringStepping::backward_euler));
        for (int k = 0; k < 90; ++k) world.step();
        set_thread_count(0);
        EXPECT_GT(world.statistics().broken, 0u);
        return world.state_hash().text();
    };
    EXPECT_EQ(hash(1), hash(2));
}

TEST(TetMembrane, frames_contain_the_torn_parts) {
    TetWorld world = drop_on_sheet(0.2, stepped(SpringStepping::backward_euler));
    Recording recording({.every = 10});
    world.record(recording);
    for (int k = 0; k < 120; ++k) {
        world.step();
        world.record(recording);
    }
    ASSERT_EQ(recording.bodies().size(), 2u);
    EXPECT_EQ(recording.bodies()[1].name, "sheet");
    const RecordedFrame &first = recording.frames().front(), &last = recording.frames().back();
    EXPECT_EQ(first.bodies[1].triangles, nullptr);
    ASSERT_NE(last.bodies[1].triangles, nullptr);
    EXPECT_EQ(last.bodies[1].triangles->size(), recording.bodies()[1].mesh->triangles.size());
    EXPECT_GT(last.bodies[1].vertices.size(), first.bodies[1].vertices.size());
}

TEST(TetMembrane, errors_are_named) {
    const auto message = [](const TetWorldMembrane& membrane,
                            TetWorldOptions options = stepped(SpringStepping::backward_euler)) {
        try {
            TetWorld world({ball_above(1, Vec3::Zero())}, {membrane}, {}, options);
        } catch (const Error& error) {
            return std::string(error.what());
        }
        return std::string("accepted");
    };
    EXPECT_EQ(message(sheet(3, true)), "accepted");
    TetWorldMembrane bad = sheet(3, false);
    bad.surface.fixed_vertices = {99};
    EXPECT_NE(message(bad).find("sheet"), std::string::npos);
    bad = sheet(3, false);
    bad.breaking = MembraneBreakOptions{.strain = 0};
    EXPECT_NE(message(bad).find("strain"), std::string::npos);
    bad = sheet(3, false);
    bad.surface.mesh.triangles.push_back({0, 1, 2});
    bad.surface.mesh.triangles.push_back({0, 1, 3});
    EXPECT_NE(message(bad).find("three or more"), std::string::npos);
    TetWorldOptions plastic = stepped(SpringStepping::backward_euler);
    plastic.springs.plastic.yield_strain = 0.1;
    bad = sheet(3, false);
    EXPECT_EQ(message(bad, plastic), "accepted");
    bad.breaking.emplace();
    EXPECT_EQ(message(bad, plastic), "accepted");
    EXPECT_THROW(TetWorld({}, {}, {}, TetWorldOptions{}), Error);
}

} // namespace tet_membrane_test
} // namespace fathom
