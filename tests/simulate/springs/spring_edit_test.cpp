// A spring world that is updated after breaks, cuts and removals moves like a newly built one.
#include <fathom/base/error.h>
#include <fathom/base/random.h>
#include <fathom/geometry/generate/generate.h>
#include <fathom/simulate/tets/membrane_fracture.h>
#include <fathom/simulate/tets/spring_fracture.h>

#include <support/test_counts.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

namespace fathom {
namespace spring_edit_test {

NetworkEdit edit_of(const auto& body) {
    const SpringNetwork& n = body.network();
    const NetworkChanges& changes = body.last_changes();
    NetworkEdit edit;
    for (const Index p : changes.points)
        edit.points.push_back({p, n.points[p], body.state().positions[p], body.state().velocities[p], n.masses[p],
                               n.fixed[p] != 0, n.part[p]});
    for (const Index s : changes.springs) edit.springs.push_back({s, n.springs[s]});
    for (const Index t : changes.areas) edit.areas.push_back({t, n.areas[t]});
    for (const Index t : changes.volumes) edit.volumes.push_back({t, n.volumes[t]});
    return edit;
}

struct Case {
    BreakableSolid solid;
    SpringOptions options;
    double size;
};

// The same body at any scale: moduli go with the square of the length, so that times stay.
Case body(std::size_t round, SpringStepping stepping) {
    const double size = std::array{1e-3, 1.0, 1e3}[round % 3];
    TetMesh mesh = round % 2 ? make_tet_box({.cells = {5, 3, 3}}) : make_tet_ball({.resolution = 4});
    for (Vec3& v : mesh.vertices) v *= size;
    const SolidMaterial material{
        .stretch = 1e5 * size * size, .volume = 1e5 * size * size, .damping_time = round % 4 < 2 ? 1e-4 : 0};
    SpringOptions options{
        .step = 1e-4, .gravity = {0, 0, -9.81 * size}, .stepping = stepping, .unstable = UnstableStep::allow};
    return {BreakableSolid(mesh, material), options, size};
}

void stir(BreakableSolid& solid, Random& random, double size) {
    SpringState state = solid.state();
    for (std::size_t k = 0; k < state.positions.size(); ++k) {
        if (!solid.mesh().has_vertex(static_cast<Index>(k))) continue;
        state.positions[k] += 0.01 * size * random.in_ball();
        state.velocities[k] = size * random.in_ball();
    }
    solid.set_state(std::move(state));
}

void edit_at_random(BreakableSolid& solid, Random& random, double size) {
    const std::uint64_t kind = random.below(3);
    if (kind == 0) solid.cut(CutPlane{0.2 * size * random.in_ball(), random.direction()});
    if (kind == 1) solid.break_stretched({.strain = 0.02, .max_broken = 5});
    if (kind != 2) return;
    std::vector<Index> gone;
    for (Index t = 0; t < solid.mesh().tet_slots(); ++t)
        if (solid.mesh().has_tet(t) && random.chance(0.01)) gone.push_back(t);
    solid.remove(gone);
}

void expect_equal(const SpringNetwork& found, const SpringNetwork& wanted) {
    EXPECT_EQ(found.points, wanted.points);
    EXPECT_EQ(found.masses, wanted.masses);
    EXPECT_EQ(found.fixed, wanted.fixed);
    ASSERT_EQ(found.springs.size(), wanted.springs.size());
    for (std::size_t s = 0; s < found.springs.size(); ++s) {
        EXPECT_EQ(found.springs[s].points, wanted.springs[s].points);
        EXPECT_EQ(found.springs[s].rest, wanted.springs[s].rest);
        EXPECT_EQ(found.springs[s].stiffness, wanted.springs[s].stiffness);
        EXPECT_EQ(found.springs[s].kind, wanted.springs[s].kind);
    }
    const auto expect_same = [](const auto& some, const auto& others) {
        ASSERT_EQ(some.size(), others.size());
        for (std::size_t t = 0; t < some.size(); ++t) {
            EXPECT_EQ(some[t].points, others[t].points);
            EXPECT_EQ(some[t].rest, others[t].rest);
            EXPECT_EQ(some[t].stiffness, others[t].stiffness);
        }
    };
    expect_same(found.areas, wanted.areas);
    expect_same(found.volumes, wanted.volumes);
}

// The world has followed an edit of the body: it is as a new one, and steps as that.
void expect_as_new(SpringWorld& world, const auto& body, const SpringOptions& options, double size) {
    expect_equal(world.network(), body.network());
    SpringWorld fresh = body.world(options);
    EXPECT_EQ(world.state_hash(), fresh.state_hash()) << "places, velocities, forces and rest lengths";
    EXPECT_NEAR(world.energy().total(), fresh.energy().total(),
                1e-12 * (fresh.energy().elastic() + fresh.energy().kinetic));
    EXPECT_LE(world.largest_stable_step(), 1.02 * fresh.largest_stable_step());
    world.step();
    fresh.step();
    for (std::size_t p = 0; p < world.positions().size(); ++p) {
        ASSERT_LT((world.positions()[p] - fresh.positions()[p]).norm(), 1e-11 * size);
        ASSERT_LT((world.velocities()[p] - fresh.velocities()[p]).norm(), 1e-7 * size);
    }
}

class SpringEdit : public ::testing::TestWithParam<SpringStepping> {};

TEST_P(SpringEdit, a_world_that_follows_random_edits_steps_as_a_new_one) {
    std::size_t edits = 0;
    for (std::size_t round = 0; round < testing::count_of(6, 120); ++round) {
        auto [solid, options, size] = body(round, GetParam());
        Random random(round);
        SpringWorld world = solid.world(options);
        for (std::size_t k = 0; k < 8 && solid.mesh().tet_count() < 4000; ++k) {
            stir(solid, random, size);
            world.set_state(solid.state());
            edit_at_random(solid, random, size);
            edits += !solid.last_edit().empty();
            world.apply(edit_of(solid));
            expect_as_new(world, solid, options, size);
            EXPECT_EQ(world.steps(), k + 1);
            if (HasFailure()) return void(ADD_FAILURE() << "round " << round << ", edit " << k);
            solid.follow(world);
        }
    }
    EXPECT_GT(edits, 20u);
}

TEST_P(SpringEdit, a_world_that_follows_random_tears_steps_as_a_new_one) {
    std::size_t edits = 0;
    for (std::size_t round = 0; round < testing::count_of(6, 120); ++round) {
        const double size = std::array{1e-3, 1.0, 1e3}[round % 3];
        TriangleMesh mesh = make_cloth({.size = {1, 1}, .cells = {6 + 30 * (round % 2), 5}});
        for (Vec3& v : mesh.vertices) v *= size;
        BreakableMembrane membrane(mesh, {.density = 1 / size,
                                          .stretch = 50 * size,
                                          .bending = 5 * size,
                                          .area = 30 * size,
                                          .damping_time = round % 4 < 2 ? 1e-3 : 0});
        const SpringOptions options{
            .step = 1e-4, .gravity = {0, 0, -9.81 * size}, .stepping = GetParam(), .unstable = UnstableStep::allow};
        Random random(round);
        SpringWorld world = membrane.world(options);
        for (int k = 0; k < 12; ++k) {
            SpringState state = membrane.state();
            for (std::size_t v = 0; v < state.positions.size(); ++v)
                state.positions[v] += 0.01 * size * random.in_ball(), state.velocities[v] = size * random.in_ball();
            membrane.set_state(std::move(state));
            world.set_state(membrane.state());
            std::vector<Index> sides(6);
            for (Index& side : sides) side = static_cast<Index>(random.below(3 * mesh.triangles.size()));
            if (k % 2)
                membrane.break_stretched({.strain = 0.05, .max_broken = 4});
            else
                membrane.separate(sides);
            edits += !membrane.last_edit().empty();
            EXPECT_EQ(edit_of(membrane).empty(), membrane.last_edit().empty());
            world.apply(edit_of(membrane));
            expect_as_new(world, membrane, options, size);
            if (HasFailure()) return void(ADD_FAILURE() << "round " << round << ", edit " << k);
            membrane.follow(world);
        }
    }
    EXPECT_GT(edits, 30u);
}

INSTANTIATE_TEST_SUITE_P(Both, SpringEdit, ::testing::Values(SpringStepping::verlet, SpringStepping::backward_euler),
                         [](const auto& info) {
                             return info.param == SpringStepping::verlet ? "verlet" : "backward_euler";
                         });

TEST(NetworkEdit, blocks_list_their_elements) {
    auto [solid, options, size] = body(1, SpringStepping::verlet);
    SpringBlocks blocks(solid.network());
    Random random(5);
    for (int k = 0; k < 6; ++k) {
        const SpringNetwork before = solid.network();
        stir(solid, random, size);
        edit_at_random(solid, random, size);
        blocks.apply(edit_of(solid), before);
        ASSERT_EQ(blocks.first.back(), solid.network().size());
        for (std::size_t b = 0; b < blocks.size(); ++b) {
            std::vector<Index> wanted;
            for (Index s = 0; s < solid.network().springs.size(); ++s) {
                const auto& ends = solid.network().springs[s].points;
                if (std::any_of(ends.begin(), ends.end(), [&](Index p) { return block_range(blocks, b).has(p); }))
                    wanted.push_back(s);
            }
            EXPECT_EQ(blocks.springs[b], wanted);
        }
    }
}

TEST(NetworkEdit, errors_are_named_and_change_nothing) {
    auto [solid, options, size] = body(1, SpringStepping::verlet);
    SpringWorld world = solid.world(options);
    const auto refused = [&](const NetworkEdit& edit) {
        const Fingerprint before = world.state_hash();
        EXPECT_THROW(world.apply(edit), Error);
        EXPECT_EQ(world.state_hash(), before);
    };
    const auto count = static_cast<Index>(world.network().size());
    const auto springs = static_cast<Index>(world.network().springs.size());
    NetworkEdit::Point point{.number = count, .mass = 1};
    refused({.points = {{.number = count + 1, .mass = 1}}});
    refused({.points = {point, point}});
    refused({.points = {{.number = count, .mass = -1}}});
    point.velocity.x() = std::numeric_limits<double>::quiet_NaN();
    refused({.points = {point}});
    refused({.springs = {{springs + 1, {.points = {0, 1}, .rest = 1}}}});
    refused({.springs = {{springs, {.points = {0, count}, .rest = 1}}}});
    refused({.areas = {{0, {.points = {0, 1, 2}, .rest = 0}}}});
    refused({.areas = {{1, {.points = {0, 1, 2}, .rest = 1}}}});
    refused({.volumes = {{0, {.points = {0, 1, 2, 3}, .rest = 0}}}});
    EXPECT_NO_THROW(world.apply({}));
}

} // namespace spring_edit_test
} // namespace fathom
