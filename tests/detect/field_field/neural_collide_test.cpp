// Networks in field_field::collide(): statuses against the baked grids within their certified errors, and against
// points.
#include <fathom/base/random.h>
#include <fathom/detect/field_field/field_field.h>
#include <fathom/detect/query/query.h>
#include <fathom/field/analytic/analytic_field.h>
#include <fathom/field/analytic/primitives.h>
#include <fathom/field/grid/bake.h>
#include <fathom/field/neural/network_fit.h>
#include <fathom/field/neural/neural_field.h>
#include <fathom/field/neural_io/network_file.h>
#include <fathom/geometry/generate/generate.h>
#include <support/models.h>
#include <support/test_counts.h>

#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>

namespace fathom {
namespace neural_collide_test {

// A body twice: as its field, and baked.
struct Body {
    FieldPtr field;
    FieldSphereTree solid;
    std::shared_ptr<const GridField> grid;
    FieldSphereTree baked;
    double error; // |grid - field| near the surface, certified

    Body(FieldPtr f, int resolution)
        : field(std::move(f)), solid(field),
          grid(std::make_shared<GridField>(bake(*field, {.resolution = resolution}))), baked(grid),
          error(baked_error(*grid, *field).largest) {}
};

Body fitted(const TriangleMesh& mesh, int resolution) {
    return Body(std::make_shared<NeuralField>(
                    fit_network(mesh, {.layers = 4, .width = 24, .steps = 256, .samples = 1 << 14}).network),
                resolution);
}

struct Tally {
    std::size_t overlapping = 0, disjoint = 0, undecided = 0, differ = 0;
    double seconds = 0, longest = 0;

    void count(Status status) {
        ++(status == Status::overlapping ? overlapping : status == Status::disjoint ? disjoint : undecided);
    }
    void print(const char* what) const {
        std::printf("    %-24s %zu overlap, %zu disjoint, %zu undecided; %zu unlike their grids; %.1f ms a query, "
                    "longest %.0f ms\n",
                    what, overlapping, disjoint, undecided, differ,
                    1e3 * seconds / static_cast<double>(overlapping + disjoint + undecided), 1e3 * longest);
    }
};

struct Pair {
    const Body &a, &b;
    Pose pose_a, pose_b;

    [[nodiscard]] double worst(const Vec3& world, bool grids) const { // at most 0: inside both
        const auto value = [&](const Body& body, const Pose& pose) {
            return (grids ? static_cast<const Field&>(*body.grid) : *body.field).distance(pose.to_local(world));
        };
        return std::max(value(a, pose_a), value(b, pose_b));
    }
};

void judge(const Pair& pair, const field_field::CollideResult& net, const field_field::CollideResult& grids,
           Random& random, Tally& tally) {
    tally.count(net.status);
    const double error = std::max(pair.a.error, pair.b.error);
    if (net.status == Status::overlapping) {
        EXPECT_LE(pair.worst(net.witness, false), 1e-5); // a point that was found is its own proof; poses round
        if (grids.status == Status::disjoint) {
            ++tally.differ;
            EXPECT_LE(pair.worst(net.witness, true), error);
        }
    }
    if (net.status != Status::disjoint) return;
    for (int k = 0; k < 200; ++k) EXPECT_GT(pair.worst(pair.pose_a * random.in_box(pair.a.field->bounds()), false), 0);
    if (grids.status != Status::overlapping) return;
    ++tally.differ;
    EXPECT_GT(pair.worst(grids.witness, false), 0);
    EXPECT_LE(pair.worst(grids.witness, false), error);
    for (const Contact& c : grids.contacts)
        EXPECT_GT(std::max(pair.worst(c.point_a, false), pair.worst(c.point_b, false)), 0);
}

// The grid of the first is the body then.
void judge_mixed(const Pair& pair, const field_field::CollideResult& mixed, const field_field::CollideResult& grids,
                 Tally& tally) {
    tally.count(mixed.status);
    if (mixed.status == Status::overlapping && grids.status == Status::disjoint) {
        ++tally.differ;
        EXPECT_LE(pair.worst(mixed.witness, true), pair.b.error);
    }
    if (mixed.status == Status::disjoint && grids.status == Status::overlapping) {
        ++tally.differ;
        EXPECT_LE(pair.worst(grids.witness, false), pair.a.error + pair.b.error);
    }
}

Tally meet(const Body& a, const Body& b, bool first_baked, double reach, std::size_t count, std::uint64_t seed) {
    Random random(seed), other(seed + 1);
    Tally tally;
    for (std::size_t k = 0; k < count; ++k) {
        const Pair pair{
            a, b, {random.rotation(), 0.1 * random.in_ball()}, {random.rotation(), reach * random.in_ball()}};
        const auto start = std::chrono::steady_clock::now();
        const field_field::CollideResult net =
            field_field::collide(first_baked ? a.baked : a.solid, pair.pose_a, b.solid, pair.pose_b,
                                 {.goal = field_field::CollideGoal::any, .max_evaluations = 20'000});
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        tally.seconds += seconds;
        tally.longest = std::max(tally.longest, seconds);
        const field_field::CollideResult grids = field_field::collide(a.baked, pair.pose_a, b.baked, pair.pose_b);
        first_baked ? judge_mixed(pair, net, grids, tally) : judge(pair, net, grids, other, tally);
    }
    return tally;
}

void expect_both_outcomes(const Tally& tally) {
    const std::size_t all = tally.overlapping + tally.disjoint + tally.undecided;
    EXPECT_GT(tally.overlapping, all / 5);
    EXPECT_GT(tally.disjoint, all / 10);
    EXPECT_LE(tally.undecided, all / 10);
}

TEST(NetworkCollide, fitted_networks_agree_with_their_grids_within_the_certified_error) {
    const Body ring = fitted(make_torus({.radius = 0.6, .tube = 0.25}), 40),
               egg = fitted(make_sphere({.radius = 0.5}), 40);
    const std::size_t count = testing::count_of(30, 400);
    const Tally both = meet(ring, egg, false, 1.6, count, 1), mixed = meet(ring, egg, true, 1.6, count, 2);
    both.print("network and network");
    mixed.print("grid and network");
    expect_both_outcomes(both);
    expect_both_outcomes(mixed);
}

TEST(NetworkCollide, real_networks_agree_with_their_grids_within_the_certified_error) {
    FATHOM_NEEDS_MODELS();
    const auto load = [](const char* file) {
        return Body(std::make_shared<NeuralField>(read_network(testing::models() / "neural" / file)), 64);
    };
    const Body fox = load("fox.npz"), part = load("100071_sf.h5");
    const std::size_t count = testing::count_of(20, 100);
    const Tally both = meet(fox, part, false, 1.3, count, 3), mixed = meet(fox, part, true, 1.3, count, 4);
    both.print("fox and 100071");
    mixed.print("fox as a grid and 100071");
    expect_both_outcomes(both);
    expect_both_outcomes(mixed);
}

// A network that is a ball by construction cannot be had; one fitted to a ball is nearly one.
TEST(NetworkCollide, contacts_are_those_of_the_surface) {
    const Body egg = fitted(make_sphere({.radius = 0.5}), 48);
    const FieldSphereTree wall(std::make_shared<AnalyticField>(shapes::box({1, 1, 1})));
    const Pose pose = Pose::from_translation({0.93, 0.05, -0.02});
    const field_field::CollideResult result = field_field::collide(wall, {}, egg.solid, pose);
    ASSERT_EQ(result.status, Status::overlapping);
    ASSERT_FALSE(result.contacts.empty());
    EXPECT_NEAR(result.depth, 0.07, 0.02);
    EXPECT_GT(result.contacts[0].normal.x(), 0.95);
    EXPECT_FALSE(std::isfinite(result.error_bound)); // a network is no proven distance
}

} // namespace neural_collide_test
} // namespace fathom
