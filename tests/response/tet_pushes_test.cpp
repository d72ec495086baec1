// Pushes of tetrahedral bodies: what they conserve, that they are the slope of their energy, and what the mesh may not
// change.
#include <fathom/response/tet_pushes.h>

#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/base/random.h>
#include <fathom/geometry/generate/generate.h>

#include <support/tet_bodies.h>

#include <gtest/gtest.h>

#include <numeric>

namespace fathom {
namespace tet_pushes_test {

using testing::one_tetrahedron;
using testing::OwnedBody;
using testing::placed;
using testing::shaken;

// Two bodies in one row of points, and how they push each other.
struct Pair {
    OwnedBody a, b;
    BoundaryAreas areas_a, areas_b;
    std::vector<Index> points_a, points_b;
    NodeDepths depths_a, depths_b;

    Pair(TetMesh first, TetMesh second)
        : a(std::move(first)), b(std::move(second)), areas_a(boundary_areas(a.view())),
          areas_b(boundary_areas(b.view())), points_a(a.mesh.vertices.size()), points_b(b.mesh.vertices.size()),
          depths_a(a.mesh), depths_b(b.mesh) {
        std::iota(points_a.begin(), points_a.end(), Index{0});
        std::iota(points_b.begin(), points_b.end(), static_cast<Index>(points_a.size()));
    }

    [[nodiscard]] std::vector<Vec3> positions() const {
        std::vector<Vec3> all = a.mesh.vertices;
        all.insert(all.end(), b.mesh.vertices.begin(), b.mesh.vertices.end());
        return all;
    }

    [[nodiscard]] std::vector<TetPush> pushes(bool segments, const TetPushOptions& options = {},
                                              DepthMethod method = DepthMethod::exact) {
        tet::TetCollider collider(
            {.pairs = false, .points = !segments, .segments = segments, .boundary_points_only = true});
        const tet::TetCollision found = collider.collide(a.view(), b.view());
        depths_a.compute(a.mesh.vertices, {.method = method});
        depths_b.compute(b.mesh.vertices, {.method = method});
        const PushIntruder in_a{a.view(), points_a, areas_a}, in_b{b.view(), points_b, areas_b};
        const PushHolder by_a{a.view(), points_a, depths_a, method}, by_b{b.view(), points_b, depths_b, method};
        std::vector<TetPush> all = segments ? segment_pushes(in_a, by_b, found.edges_of_a, options)
                                            : point_pushes(in_a, by_b, found.a_in_b, options);
        const std::vector<TetPush> back = segments ? segment_pushes(in_b, by_a, found.edges_of_b, options)
                                                   : point_pushes(in_b, by_a, found.b_in_a, options);
        all.insert(all.end(), back.begin(), back.end());
        return all;
    }
};

std::vector<WeightedContact> contacts_of(std::span<const TetPush> pushes) {
    std::vector<WeightedContact> contacts;
    for (const TetPush& push : pushes) contacts.push_back(push.contact);
    return contacts;
}

struct Forces {
    std::vector<Vec3> on;
    double energy = 0;
};

Forces forces_of(const Pair& pair, std::span<const TetPush> pushes, const WeightedContactLaw& law) {
    const std::size_t count = pair.points_a.size() + pair.points_b.size();
    Forces forces{std::vector<Vec3>(count, Vec3::Zero()), 0};
    const std::vector<double> inverse_masses(count, 1.0);
    const std::vector<Vec3> still(count, Vec3::Zero());
    forces.energy = add_contact_forces(contacts_of(pushes), law, inverse_masses, still, forces.on);
    return forces;
}

double largest(std::span<const Vec3> values) {
    double most = 0;
    for (const Vec3& v : values) most = std::max(most, v.norm());
    return most;
}

TEST(TetPushes, momentum_and_angular_momentum_are_conserved_for_any_depth_and_direction) {
    Random random(3);
    for (const double scale : {1e-3, 1.0, 1e3})
        for (const bool segments : {false, true})
            for (const PushDepth depth : {PushDepth::measured, PushDepth::interpolated})
                for (const PushDirection direction : {PushDirection::nearest, PushDirection::gradient})
                    for (const DepthMethod method :
                         {DepthMethod::exact, DepthMethod::closest_feature, DepthMethod::closest_point}) {
                        Pair pair(
                            placed(shaken(make_tet_ball({.resolution = 3}), random, 0.05), scale, {0, 0, 0}),
                            placed(shaken(make_tet_box({.cells = {3, 3, 3}}), random, 0.1), scale, {0.6, 0.1, 0.2}));
                        const auto pushes = pair.pushes(segments, {depth, direction}, method);
                        EXPECT_GT(pushes.size(), 3u);
                        const auto contacts = contacts_of(pushes);
                        EXPECT_NO_THROW(check(contacts, pair.positions().size()));
                        const Forces forces =
                            forces_of(pair, pushes, {.scaling = ContactScaling::area, .stiffness = 1});
                        const std::vector<Vec3> at = pair.positions();
                        Vec3 sum = Vec3::Zero(), turning = Vec3::Zero();
                        for (std::size_t k = 0; k < at.size(); ++k)
                            sum += forces.on[k], turning += at[k].cross(forces.on[k]);
                        const double most = largest(forces.on);
                        EXPECT_GT(most, 0) << scale;
                        EXPECT_LT(sum.norm(), 1e-12 * most) << scale;
                        EXPECT_LT(turning.norm(), 1e-10 * scale * most) << scale;
                    }
}

// The depth at the points of the intruder: exact, so the slope is too; where the holder moves, only its push as a
// whole.
TEST(TetPushes, the_force_on_a_point_is_minus_the_slope_of_its_energy) {
    const WeightedContactLaw law{.scaling = ContactScaling::area, .stiffness = 3};
    Pair pair(placed(make_tet_ball({.resolution = 2}), 1, {0.07, 0.03, 0.86}), make_tet_box({.cells = {4, 4, 4}}));
    const Forces forces = forces_of(pair, pair.pushes(false), law);
    constexpr double h = 1e-6;
    int pushed = 0;
    for (std::size_t v = 0; v < pair.a.mesh.vertices.size(); ++v)
        for (int axis = 0; axis < 3; ++axis) {
            const Vec3 place = pair.a.mesh.vertices[v];
            double difference = 0;
            for (const double sign : {1.0, -1.0}) {
                pair.a.mesh.vertices[v][axis] = place[axis] + sign * h;
                const auto some = pair.pushes(false); // of a alone: b's vertices see another shape of a
                std::vector<TetPush> own;
                for (const TetPush& p : some)
                    if (p.contact.points[0] < pair.points_a.size()) own.push_back(p);
                difference += sign * forces_of(pair, own, law).energy;
            }
            pair.a.mesh.vertices[v] = place;
            const double force = -difference / (2 * h);
            if (std::abs(force) > 1e-9) ++pushed;
            std::vector<TetPush> own;
            for (const TetPush& p : pair.pushes(false))
                if (p.contact.points[0] < pair.points_a.size()) own.push_back(p);
            EXPECT_NEAR(force, forces_of(pair, own, law).on[v][axis], 1e-6 * largest(forces.on)) << v;
        }
    EXPECT_GT(pushed, 3);
}

// Moved as a whole, so that chains grow at both ends: the sum of their pushes against the slope of the energy of them
// all.
TEST(TetPushes, the_force_of_segments_is_minus_the_slope_of_their_energy) {
    const WeightedContactLaw law{.scaling = ContactScaling::area, .stiffness = 3};
    Random random(5);
    for (int round = 0; round < 10; ++round) {
        const TetMesh ball = make_tet_ball({.resolution = 3});
        const Vec3 at(0.1 * random.uniform(-1, 1), 0.1 * random.uniform(-1, 1), random.uniform(0.8, 0.95));
        const auto of_edges = [&](const Vec3& shift) {
            Pair pair(placed(ball, 1, at + shift), make_tet_box({.cells = {4, 4, 4}}));
            std::vector<TetPush> own;
            for (const TetPush& p : pair.pushes(true))
                if (p.contact.points[0] < pair.points_a.size()) own.push_back(p);
            const Forces forces = forces_of(pair, own, law);
            Vec3 sum = Vec3::Zero();
            for (const Index k : pair.points_a) sum += forces.on[k];
            return std::pair{sum, forces.energy};
        };
        constexpr double h = 1e-5;
        const auto [force, energy] = of_edges(Vec3::Zero());
        const double slope = (of_edges({0, 0, h}).second - of_edges({0, 0, -h}).second) / (2 * h);
        EXPECT_GT(force.z(), 0);
        EXPECT_NEAR(-slope, force.z(), 0.02 * force.z()) << round;
    }
}

TEST(TetPushes, edges_that_cross_push_apart_where_no_point_is_inside) {
    // Two single tetrahedra edge over edge: figure 11 of the paper. All their nodes are on the boundary.
    const double s = std::sqrt(0.5);
    const TetMesh lower = one_tetrahedron({Vec3(-1, 0, 0), Vec3(1, 0, 0), Vec3(0, -s, -1), Vec3(0, s, -1)});
    TetMesh upper = one_tetrahedron({Vec3(0, -1, 0), Vec3(0, 1, 0), Vec3(-s, 0, 1), Vec3(s, 0, 1)});
    orient(upper);
    for (const double scale : {1e-3, 1.0, 1e3})
        for (const PushDepth depth : {PushDepth::measured, PushDepth::interpolated})
            for (const PushDirection direction : {PushDirection::nearest, PushDirection::gradient}) {
                Pair pair(placed(lower, scale, {0, 0, 0.1}), placed(upper, scale, {0, 0, 0}));
                orient(pair.a.mesh);
                EXPECT_TRUE(pair.pushes(false, {depth, direction}).empty());
                const auto pushes = pair.pushes(true, {depth, direction});
                ASSERT_EQ(pushes.size(), 2u);
                for (const TetPush& push : pushes) {
                    const double way = push.contact.points[0] < 4 ? -1 : 1; // a goes down, b up
                    EXPECT_GT(way * push.contact.separating_direction.z(), 0.99);
                    EXPECT_GT(push.contact.depth, 0.03 * scale);
                    EXPECT_LT(push.contact.depth, 0.1 * scale);
                    EXPECT_NEAR(push.contact.weights[0], 0.5, 1e-9);
                    EXPECT_NEAR(push.rate, 2.0 / 3, 0.15);
                }
            }
}

TEST(TetPushes, the_sum_of_pushes_by_area_does_not_depend_on_the_mesh) {
    const auto lift = [](std::size_t cells, bool segments) {
        Pair pair(
            placed(make_tet_box({.size = {0.5, 0.5, 0.5}, .cells = {cells, cells, cells}}), 1, {0.02, 0.03, 0.70}),
            make_tet_box({.cells = {3, 3, 3}}));
        std::vector<TetPush> own;
        for (const TetPush& p : pair.pushes(segments))
            if (p.contact.points[0] < pair.points_a.size()) own.push_back(p);
        const Forces forces = forces_of(pair, own, {.scaling = ContactScaling::area, .stiffness = 1});
        double sum = 0;
        for (const Index k : pair.points_a) sum += forces.on[k].z();
        return sum;
    };
    // A face of 0.25 m^2 at a depth of 0.05 m, and 0.1 m^2 of sides at half of that.
    for (const bool segments : {false, true})
        EXPECT_NEAR(lift(16, segments), lift(8, segments), 0.1 * lift(8, segments));
    EXPECT_NEAR(lift(16, true), 0.015, 0.02 * 0.015);
    EXPECT_NEAR(lift(16, true), lift(16, false), 0.15 * lift(16, true));
}

TEST(TetPushes, a_body_folded_into_itself_is_pushed_out_of_the_layer_that_it_is_in) {
    // A strip bent back over itself: its ends overlap, and the nearest boundary of a vertex is the vertex.
    TetMesh strip = make_tet_box({.size = {6, 0.5, 0.5}, .cells = {24, 2, 2}});
    for (Vec3& v : strip.vertices) {
        const double angle = v.x() / 0.86, radius = 0.85 + v.z(); // a little more than a turn
        v = {radius * std::sin(angle), v.y() + 0.02 * v.x(), -radius * std::cos(angle)};
    }
    orient(strip);
    OwnedBody body(std::move(strip));
    const tet::TetZone zone(body.view());
    const BoundaryAreas areas = boundary_areas(body.view());
    std::vector<Index> points(body.mesh.vertices.size());
    std::iota(points.begin(), points.end(), Index{0});
    NodeDepths depths(body.mesh);
    depths.compute(body.mesh.vertices, {.method = DepthMethod::closest_feature});
    const auto inside = tet::points_in_tets(body.view(), body.view(), zone, {.boundary_only = true});
    const auto chains = tet::segments_in_tets(body.view(), body.topology.boundary_edges(), body.view(), zone);
    ASSERT_GT(inside.size(), 2u);
    ASSERT_GT(chains.chains.size(), 2u);
    const PushIntruder in{body.view(), points, areas};
    const PushHolder by{body.view(), points, depths, DepthMethod::closest_feature};
    std::size_t pushing = 0;
    for (const auto& some : {point_pushes(in, by, inside), segment_pushes(in, by, chains)}) {
        EXPECT_NO_THROW(check(contacts_of(some), points.size()));
        for (const TetPush& push : some) pushing += push.contact.depth > 0;
    }
    EXPECT_GT(pushing, (inside.size() + chains.chains.size()) / 2);
    EXPECT_THROW((void)point_pushes(in, {body.view(), points, depths, DepthMethod::exact}, inside), Error);
}

TEST(TetPushes, flat_and_inverted_tetrahedra_and_points_on_the_boundary_push_finitely) {
    Random random(7);
    for (int round = 0; round < 40; ++round) {
        TetMesh wild = shaken(make_tet_box({.cells = {2, 2, 2}}), random, 0.6);
        for (std::size_t k = 0; k < 3; ++k)
            wild.vertices[random.below(wild.vertices.size())] = wild.vertices[random.below(wild.vertices.size())];
        Pair pair(wild, placed(make_tet_box({.cells = {2, 2, 2}}), 1, {0.5, 0.5, 0.5}));
        for (const bool segments : {false, true})
            for (const PushDirection direction : {PushDirection::nearest, PushDirection::gradient})
                for (const DepthMethod method : {DepthMethod::exact, DepthMethod::closest_feature}) {
                    const auto pushes = pair.pushes(segments, {PushDepth::interpolated, direction}, method);
                    EXPECT_NO_THROW(check(contacts_of(pushes), pair.positions().size()));
                }
    }
}

TEST(TetPushes, any_number_of_threads_gives_the_same_bytes) {
    Pair pair(make_tet_ball({.resolution = 6}), placed(make_tet_ball({.resolution = 5}), 1, {0.4, 0.3, 0.2}));
    const auto numbers = [&](std::size_t threads) {
        set_thread_count(threads);
        std::vector<double> all;
        for (const bool segments : {false, true})
            for (const TetPush& p : pair.pushes(segments))
                all.insert(all.end(), {p.contact.depth, p.contact.area, p.contact.separating_direction.x(),
                                       p.contact.weights[0], p.rate});
        set_thread_count(0);
        return all;
    };
    const auto one = numbers(1);
    EXPECT_GT(one.size(), 100u);
    EXPECT_EQ(one, numbers(2));
}

} // namespace tet_pushes_test
} // namespace fathom
