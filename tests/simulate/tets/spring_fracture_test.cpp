#include <fathom/simulate/tets/spring_fracture.h>

#include <fathom/base/error.h>
#include <fathom/base/random.h>
#include <fathom/geometry/generate/generate.h>
#include <support/test_counts.h>

#include <gtest/gtest.h>

#include <map>
#include <optional>

namespace fathom {
namespace spring_fracture_test {

using testing::count_of;

struct Sums {
    double mass = 0;
    Vec3 momentum = Vec3::Zero(), moment = Vec3::Zero();
};

Sums sums_of(const BreakableSolid& solid) {
    Sums sums;
    for (std::size_t k = 0; k < solid.network().size(); ++k) {
        sums.mass += solid.network().masses[k];
        sums.momentum += solid.network().masses[k] * solid.state().velocities[k];
        sums.moment += solid.network().masses[k] * solid.state().positions[k];
    }
    return sums;
}

void expect_kept(const Sums& before, const Sums& after, double speed, double size) {
    EXPECT_NEAR(after.mass, before.mass, 1e-11 * before.mass);
    EXPECT_LT((after.momentum - before.momentum).norm(), 1e-11 * before.mass * speed);
    EXPECT_LT((after.moment - before.moment).norm(), 1e-11 * before.mass * size);
}

// The network must be the one that the mesh as it is now would be given.
void expect_fresh(const BreakableSolid& solid, const SolidMaterial& material) {
    ASSERT_NO_THROW(check(solid.network()));
    ASSERT_NO_THROW(solid.mesh().check());
    ASSERT_EQ(solid.network().size(), solid.mesh().vertex_slots());
    ASSERT_EQ(solid.network().volumes.size(), solid.mesh().tet_slots());
    TetMesh rest = solid.mesh().mesh();
    EXPECT_EQ(rest.vertices, solid.state().positions);
    rest.vertices = solid.network().points;
    const SpringNetwork fresh = solid_network(rest, material);
    std::map<Edge, const Spring*> springs;
    for (const Spring& s : solid.network().springs) {
        if (s.kind == SpringKind::removed) continue;
        const auto [a, b] = std::minmax(s.points[0], s.points[1]);
        EXPECT_TRUE(springs.emplace(Edge{a, b}, &s).second) << "one spring an edge";
    }
    ASSERT_EQ(springs.size(), fresh.springs.size());
    for (const Spring& want : fresh.springs) {
        const auto found = springs.find({want.points[0], want.points[1]});
        ASSERT_NE(found, springs.end());
        EXPECT_NEAR(found->second->rest, want.rest, 1e-9 * want.rest);
        EXPECT_NEAR(found->second->stiffness, want.stiffness, 1e-6 * want.stiffness);
        EXPECT_NEAR(found->second->damping, want.damping, 1e-6 * want.damping);
    }
    for (std::size_t k = 0; k < fresh.size(); ++k) {
        EXPECT_NEAR(solid.network().masses[k], fresh.masses[k], 1e-9 * fresh.masses[k] + 1e-15);
        EXPECT_EQ(solid.network().fixed[k], fresh.fixed[k]);
    }
    std::size_t volumes = 0;
    for (Index t = 0; t < solid.mesh().tet_slots(); ++t) {
        if (!solid.mesh().has_tet(t)) {
            EXPECT_EQ(solid.network().volumes[t].stiffness, 0);
            continue;
        }
        EXPECT_EQ(solid.network().volumes[t].points, solid.mesh().tet(t));
        EXPECT_EQ(solid.network().volumes[t].stiffness, material.volume);
        EXPECT_NEAR(solid.network().volumes[t].rest, fresh.volumes[volumes].rest,
                    1e-12 * std::abs(fresh.volumes[volumes].rest));
        ++volumes;
    }
}

SpringState moved(const BreakableSolid& solid, Random& random, double size, double speed) {
    SpringState state = solid.state();
    const Mat3 turn = random.rotation().toRotationMatrix();
    for (Vec3& p : state.positions) p = turn * (p + Vec3(0.3 * p.y(), 0.2 * std::sin(3 * p.z() / size) * size, 0));
    for (Vec3& v : state.velocities) v += speed * random.in_ball();
    return state;
}

constexpr SolidMaterial soft{.density = 700, .stretch = 2e4, .volume = 3e4, .damping_time = 1e-3, .min_mass = 1e-9};

TEST(BreakableSolid, begins_as_the_network_of_its_mesh) {
    expect_fresh(BreakableSolid(make_tet_ball({.resolution = 3}), soft), soft);
}

TEST(BreakableSolid, a_cut_of_the_deformed_body_keeps_mass_momentum_and_centre) {
    Random random(2);
    for (const double scale : {1e-3, 1.0, 1e3}) {
        TetMesh ball = make_tet_ball({.resolution = 4});
        for (Vec3& v : ball.vertices) v *= scale;
        BreakableSolid solid(ball, soft);
        solid.set_state(moved(solid, random, scale, 5 * scale));
        const Sums before = sums_of(solid);
        const CutReport report = solid.cut(CutPlane{{0, 0, 0.03 * scale}, random.direction()});
        EXPECT_GT(report.split, 10u);
        expect_kept(before, sums_of(solid), 5 * scale, scale);
        EXPECT_EQ(solid.number_parts(), 2u);
        EXPECT_EQ(solid.network().part_count(), 2u);
        expect_fresh(solid, soft);
    }
}

TEST(BreakableSolid, random_cuts_breaks_and_removals_leave_the_network_of_the_new_mesh) {
    Random random(9);
    std::size_t broken = 0, parts = 1;
    for (std::size_t round = 0; round < count_of(10, 100); ++round) {
        BreakableSolid solid(round % 2 ? make_tet_box({.cells = {3, 3, 3}}) : make_tet_ball({.resolution = 3}), soft);
        for (int k = 0; k < 12 && solid.mesh().tet_count() > 0 && solid.mesh().tet_count() < 4000; ++k) {
            solid.set_state(moved(solid, random, 1, 2));
            Box box = bounds(solid.state().positions);
            const Sums before = sums_of(solid);
            const double size = box.diagonal();
            if (k % 4 == 0) {
                solid.cut(CutPlane{random.in_box(box), random.direction()});
            } else if (k % 4 == 1) {
                const BreakReport report = solid.break_stretched(
                    {.rule = round % 4 < 2 ? BreakRule::springs : BreakRule::faces, .strain = 0.2});
                broken += report.broken;
            } else if (k % 4 == 2) {
                const Vec3 place = random.in_box(box), along = size * random.in_ball(), sweep = size * random.in_ball();
                solid.cut(swept_surface(std::array<Vec3, 2>{place, place + along},
                                        std::array<Vec3, 2>{place + sweep, place + along + sweep}));
            } else {
                std::vector<Index> gone;
                for (Index t = 0; t < solid.mesh().tet_slots(); ++t)
                    if (solid.mesh().has_tet(t) && random.chance(0.05)) gone.push_back(t);
                solid.remove(gone);
            }
            if (k % 4 != 3) expect_kept(before, sums_of(solid), 2.0 * (k + 1), size);
            expect_fresh(solid, soft);
            if (HasFailure()) return;
            parts = std::max(parts, solid.number_parts());
        }
    }
    EXPECT_GT(broken, 20u);
    EXPECT_GT(parts, 10u);
}

TEST(BreakableSolid, nothing_breaks_below_the_limit) {
    BreakableSolid solid(make_tet_box({.cells = {4, 2, 2}}), soft);
    SpringState state = solid.state();
    for (Vec3& p : state.positions) p.x() *= 1.19;
    solid.set_state(state);
    const BreakReport report = solid.break_stretched({.strain = 0.2});
    EXPECT_EQ(report.stretched + report.broken + report.opened, 0u);
    EXPECT_NEAR(report.largest_strain, 0.19, 1e-12);
    EXPECT_TRUE(solid.last_edit().empty());
    for (Vec3& p : state.positions) p.x() *= 1.02;
    solid.set_state(state);
    EXPECT_GT(solid.break_stretched({.strain = 0.2}).broken, 0u);
}

TEST(BreakableSolid, faces_open_only_where_the_body_is_stretched_across_them) {
    BreakableSolid solid(make_tet_box({.cells = {4, 4, 4}}), soft);
    SpringState state = solid.state();
    for (Vec3& p : state.positions) p.z() = p.z() > 0.1 ? p.z() + 0.2 : p.z(); // the layer from 0 to 0.25 is 0.45 high
    solid.set_state(state);
    const BreakReport report = solid.break_stretched({.rule = BreakRule::faces, .strain = 0.35});
    EXPECT_NEAR(report.largest_strain, 0.4, 1e-9) << "the mean of 0.8 in the layer and 0 beside it";
    EXPECT_GT(report.opened, 16u);
    EXPECT_NO_THROW(solid.mesh().check());
    for (const Index face : solid.last_edit().new_boundary)
        for (const Index v : solid.mesh().face_corners(face)) {
            EXPECT_GT(solid.network().points[v].z(), -0.01);
            EXPECT_LT(solid.network().points[v].z(), 0.26);
        }
    EXPECT_GE(solid.number_parts(), 2u);
}

TEST(BreakableSolid, a_bar_pulled_at_both_ends_breaks_across_and_the_parts_separate) {
    const TetMesh bar = make_tet_box({.size = {2, 0.4, 0.4}, .cells = {10, 2, 2}});
    const SolidMaterial material{.density = 1000, .stretch = 1e5, .volume = 1e5, .damping_time = 2e-3};
    BreakableSolid solid(bar, material);
    SpringState state = solid.state();
    for (std::size_t k = 0; k < state.positions.size(); ++k) state.velocities[k].x() = 8 * state.positions[k].x();
    solid.set_state(state);
    const Sums before = sums_of(solid);
    const SpringOptions options{.step = 1e-3, .gravity = Vec3::Zero(), .stepping = SpringStepping::backward_euler};
    std::optional<SpringWorld> world(solid.world(options));
    std::size_t broken = 0, first_opened = 0;
    for (int step = 0; step < 150; ++step) {
        world->step();
        solid.follow(*world);
        const BreakReport report = solid.break_stretched({.strain = 0.25});
        if (report.broken == 0) continue;
        if (broken == 0) first_opened = report.opened;
        broken += report.broken;
        ASSERT_NO_THROW(solid.mesh().check());
        world.emplace(solid.world(options));
    }
    EXPECT_GT(first_opened, 0u);
    EXPECT_GE(solid.number_parts(), 2u);
    const Sums after = sums_of(solid);
    EXPECT_NEAR(after.mass, before.mass, 1e-11 * before.mass);
    EXPECT_LT((after.momentum - before.momentum).norm(), 1e-6 * before.mass * 8);
    ASSERT_NO_THROW(check(solid.network()));
}

TEST(BreakableSolid, crept_rest_lengths_stay_and_are_shared_by_the_halves_of_an_edge) {
    const TetMesh one{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{0, 1, 2, 3}}};
    BreakableSolid solid(one, soft);
    SpringState state = solid.state();
    for (Vec3& p : state.positions) p.z() *= 1.5;
    solid.set_state(state);
    SpringOptions options{.step = 1e-4, .gravity = Vec3::Zero(), .unstable = UnstableStep::divide};
    options.plastic.yield_strain = 0.05;
    SpringWorld world = solid.world(options);
    for (int k = 0; k < 300; ++k) world.step();
    solid.follow(world);
    const auto rest_between = [&](Index a, Index b) {
        for (const Spring& s : solid.network().springs)
            if (s.kind != SpringKind::removed && std::minmax(s.points[0], s.points[1]) == std::minmax(a, b))
                return s.rest;
        return 0.0;
    };
    const double whole = rest_between(0, 3), kept = rest_between(0, 1);
    EXPECT_GT(std::abs(whole - 1), 1e-3);
    solid.cut(CutPlane{0.5 * (solid.state().positions[0] + solid.state().positions[3]), {0, 0, 1}});
    ASSERT_EQ(solid.number_parts(), 2u);
    Index middle = no_index;
    double halves = 0;
    for (const TetEdit::NewVertex& v : solid.last_edit().new_vertices) {
        if (std::minmax(v.a, v.b) == std::minmax<Index>(0, 3)) middle = v.vertex;
        if (v.vertex == middle || v.a == middle) halves += rest_between(0, v.vertex) + rest_between(v.vertex, 3);
    }
    EXPECT_NEAR(halves, whole, 1e-12);
    EXPECT_EQ(rest_between(0, 1), kept);
}

TEST(BreakableSolid, fixed_points_stay_fixed_on_both_sides_of_a_cut) {
    BreakableSolid solid(make_tet_box({.cells = {2, 2, 2}}), soft);
    for (Index v = 0; v < solid.network().size(); ++v)
        if (solid.network().points[v].z() < -0.49) solid.fix(v);
    solid.cut(CutPlane{{0.07, 0, 0}, {1, 0.1, 0}});
    std::size_t fixed = 0;
    for (Index v = 0; v < solid.network().size(); ++v) {
        EXPECT_EQ(solid.network().fixed[v] != 0, solid.network().points[v].z() < -0.49);
        fixed += solid.network().fixed[v] != 0;
    }
    EXPECT_GT(fixed, 9u);
}

TEST(BreakableSolid, hostile_input_is_refused) {
    const TetMesh flat{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {0, 0, 1}}, {{0, 1, 2, 3}, {0, 1, 2, 4}}};
    EXPECT_THROW(BreakableSolid{flat}, Error);
    BreakableSolid solid(make_tet_ball({.resolution = 2}));
    for (const double strain : {0.0, -1.0, std::nan("")})
        EXPECT_THROW(solid.break_stretched({.strain = strain}), Error);
    EXPECT_THROW(solid.cut(CutPlane{{0, 0, 0}, {0, 0, 0}}), Error);
    EXPECT_THROW(solid.separate(std::vector<Index>{100'000}), Error);
    EXPECT_THROW(solid.fix(100'000), Error);
    SpringState state = solid.state();
    state.positions[0].x() = std::nan("");
    EXPECT_THROW(solid.set_state(state), Error);
    EXPECT_THROW(solid.follow(SpringWorld(solid_network(make_tet_ball({.resolution = 3})), {.step = 1e-5})), Error);
    expect_fresh(solid, {});
}

} // namespace spring_fracture_test
} // namespace fathom
