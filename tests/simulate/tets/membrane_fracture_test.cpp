// Surfaces of springs that tear: mass and momentum are kept, the springs follow, and what is pulled apart parts where
// it is weakest.
#include <fathom/simulate/tets/membrane_fracture.h>

#include <fathom/base/error.h>
#include <fathom/base/random.h>
#include <fathom/geometry/generate/generate.h>

#include <support/test_counts.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace fathom {
namespace membrane_fracture_test {

struct Sums {
    double mass = 0;
    Vec3 momentum = Vec3::Zero(), spin = Vec3::Zero(), center = Vec3::Zero();
};

Sums sums_of(const BreakableMembrane& membrane) {
    Sums sums;
    for (std::size_t k = 0; k < membrane.network().size(); ++k) {
        const double m = membrane.network().masses[k];
        sums.mass += m;
        sums.momentum += m * membrane.state().velocities[k];
        sums.spin += m * membrane.state().positions[k].cross(membrane.state().velocities[k]);
        sums.center += m * membrane.state().positions[k];
    }
    return sums;
}

// What the header promises of mesh, network and state.
void expect_in_step(const BreakableMembrane& membrane) {
    membrane.surface().check();
    check(membrane.network());
    const TriangleMesh& mesh = membrane.surface().mesh();
    const SpringNetwork& network = membrane.network();
    ASSERT_EQ(network.size(), mesh.vertices.size());
    ASSERT_EQ(network.areas.size(), mesh.triangles.size());
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) ASSERT_EQ(network.areas[t].points, mesh.triangles[t]);
    std::map<Edge, std::size_t> springs;
    std::size_t bending = 0, inner = 0;
    for (const Spring& s : network.springs) {
        if (s.kind == SpringKind::edge) ++springs[s.points];
        bending += s.kind == SpringKind::bending;
    }
    const EdgeTable table = edge_table(mesh.triangles, mesh.vertices.size());
    ASSERT_EQ(springs.size(), table.edges.size());
    for (std::size_t e = 0; e < table.edges.size(); ++e) {
        ASSERT_EQ(springs[table.edges[e]], 1u);
        inner += table.sides[e].size() == 2;
    }
    ASSERT_LE(bending, inner);
}

SpringState shaken(const BreakableMembrane& membrane, Random& random) {
    SpringState state = membrane.state();
    for (Vec3& v : state.positions)
        v += 0.02 * Vec3(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
    for (Vec3& v : state.velocities) v = Vec3(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
    return state;
}

TEST(BreakableMembrane, random_tears_keep_mass_and_momentum_and_leave_a_whole_network) {
    Random random(3);
    for (std::size_t round = 0; round < testing::count_of(6, 200); ++round) {
        BreakableMembrane membrane(make_cloth({.size = {1, 1}, .cells = {6, 5}}),
                                   {.density = 0.7, .stretch = 80, .bending = 5, .area = 30, .damping_time = 0.01});
        membrane.set_state(shaken(membrane, random));
        expect_in_step(membrane);
        const Sums before = sums_of(membrane);
        const double first_stiffness = membrane.world({.step = 1e-6}).energy().elastic();
        std::size_t twins = 0;
        for (int k = 0; k < 40; ++k) {
            if (k % 4 == 3) {
                membrane.break_stretched({.strain = random.uniform(0.02, 0.3), .max_broken = 3});
            } else {
                std::vector<Index> sides(1 + random.below(5));
                for (Index& side : sides)
                    side = static_cast<Index>(random.below(3 * membrane.surface().mesh().triangles.size()));
                membrane.separate(sides);
            }
            twins += membrane.last_edit().twins.size();
            expect_in_step(membrane);
            const Sums now = sums_of(membrane);
            ASSERT_NEAR(now.mass, before.mass, 1e-12 * before.mass);
            ASSERT_LT((now.momentum - before.momentum).norm(), 1e-12);
            ASSERT_LT((now.spin - before.spin).norm(), 1e-12);
            ASSERT_LT((now.center - before.center).norm(), 1e-12);
        }
        EXPECT_GT(twins, 10u);
        EXPECT_EQ(membrane.number_parts(), membrane.surface().parts().count);
        EXPECT_EQ(membrane.network().part_count(), membrane.surface().parts().count);
        EXPECT_LT(membrane.world({.step = 1e-6}).energy().elastic(),
                  (1 + 1e-9) * first_stiffness); // bending springs go, the others are shared
    }
}

// A strip that is pulled at both ends: it holds below its limit and parts above it, by either way of stepping.
TEST(BreakableMembrane, a_strip_stays_whole_below_its_limit_and_breaks_above_it) {
    for (const SpringStepping stepping : {SpringStepping::verlet, SpringStepping::backward_euler})
        for (const double limit : {0.2, 5.0}) {
            BreakableMembrane membrane(make_cloth({.size = {1, 0.3}, .cells = {12, 4}}),
                                       {.density = 1, .stretch = 200, .damping_time = 1e-3});
            SpringState state = membrane.state();
            for (Index k = 0; k < membrane.network().size(); ++k) {
                const double x = membrane.network().points[k].x();
                if (std::abs(x) < 0.499) continue;
                membrane.fix(k);
                state.velocities[k].x() = x > 0 ? 0.5 : -0.5; // held points keep the velocity they are given
            }
            membrane.set_state(state);
            SpringOptions options{
                .step = 2e-3, .gravity = Vec3::Zero(), .stepping = stepping, .unstable = UnstableStep::divide};
            std::size_t broken = 0;
            for (int k = 0; k < 200; ++k) {
                SpringWorld world = membrane.world(options);
                world.step();
                membrane.follow(world);
                broken += membrane.break_stretched({.strain = limit, .max_broken = 4}).broken;
            }
            expect_in_step(membrane);
            EXPECT_EQ(broken > 0, limit < 1);
            EXPECT_EQ(membrane.number_parts() > 1, limit < 1);
        }
}

TEST(BreakableMembrane, errors_are_named) {
    BreakableMembrane membrane(make_cloth({.size = {1, 1}, .cells = {2, 2}}));
    EXPECT_THROW((void)membrane.break_stretched({.strain = 0}), Error);
    EXPECT_THROW(membrane.fix(1000), Error);
    EXPECT_THROW(membrane.set_state({}), Error);
    EXPECT_THROW(BreakableMembrane({}), Error);
    EXPECT_EQ(membrane.break_stretched({}).broken, 0u);
    EXPECT_TRUE(membrane.last_edit().empty());
}

} // namespace membrane_fracture_test
} // namespace fathom
