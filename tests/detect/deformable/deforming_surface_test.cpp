#include "detect/deformable/deforming_shapes.h"
#include "support/small_meshes.h"
#include "support/test_counts.h"
#include <fathom/base/error.h>
#include <fathom/detect/deformable/surface_contacts.h>
#include <fathom/geometry/exact/predicates.h>
#include <fathom/geometry/mesh/normals.h>
#include <fathom/geometry/surface_tree/winding_number.h>

#include <gtest/gtest.h>

#include <set>

namespace fathom::deformable {
namespace deforming_surface_test {

// Compares the adjacency of two surfaces whose triangles have the same numbers, or are mapped by `number`.
void expect_same_topology(const DeformingSurface& edited, const DeformingSurface& fresh,
                          const std::vector<Index>& number) {
    ASSERT_EQ(edited.triangle_count(), fresh.triangle_count());
    EXPECT_EQ(edited.closed(), fresh.closed());
    EXPECT_EQ(edited.component_samples().size(), fresh.component_samples().size());
    for (Index v = 0; v < edited.vertices().size(); ++v) {
        ASSERT_EQ(edited.part(v), fresh.part(v));
        std::set<Index> round, truth;
        edited.visit_corners(v, [&](Index corner) { round.insert(corner); });
        fresh.visit_corners(v, [&](Index corner) { truth.insert(3 * number[corner / 3] + corner % 3); });
        ASSERT_EQ(round, truth);
    }
    std::size_t corners = 0, sides = 0, truth_corners = 0, truth_sides = 0;
    for (Index t = 0; t < number.size(); ++t)
        for (std::size_t k = 0; k < 3; ++k) {
            const Index across = fresh.neighbour(t, k);
            ASSERT_EQ(edited.neighbour(number[t], k), across == no_index ? no_index : number[across]);
            corners += edited.owns_corner(number[t], k);
            sides += edited.owns_side(number[t], k);
            truth_corners += fresh.owns_corner(t, k);
            truth_sides += fresh.owns_side(t, k);
        }
    EXPECT_EQ(corners, truth_corners);
    EXPECT_EQ(sides, truth_sides);
}

std::vector<Index> numbers_of(const DeformingSurface& surface) {
    std::vector<Index> number;
    for (Index t = 0; t < surface.triangle_limit(); ++t)
        if (surface.contains(t)) number.push_back(t);
    return number;
}

// One triangle becomes three about a new vertex, one becomes two halves with its neighbour, or a few go.
void random_edit(Random& random, DeformingSurface& surface) {
    const std::vector<Index> there = numbers_of(surface);
    if (there.empty()) return;
    const Index t = there[random.below(there.size())];
    const auto [a, b, c] = surface.triangle(t);
    const auto fresh = static_cast<Index>(surface.vertices().size());
    const std::array<Index, 1> one = {t};
    if (random.chance(0.3)) {
        std::vector<Index> gone;
        surface.visit_corners(a, [&](Index corner) {
            if (gone.empty() || gone.back() != corner / 3) gone.push_back(corner / 3);
        });
        surface.edit({.remove = gone});
    } else if (random.chance(0.3) && surface.neighbour(t, 0) != no_index) {
        const Index other = surface.neighbour(t, 0);
        const Triangle o = surface.triangle(other);
        const Index d = o[0] != a && o[0] != b ? o[0] : o[1] != a && o[1] != b ? o[1] : o[2];
        const std::array<Index, 2> both = {t, other};
        const std::array<Triangle, 2> flipped = {Triangle{a, d, c}, Triangle{d, b, c}};
        surface.edit({.remove = both, .add = flipped});
    } else {
        const auto corners = surface.corners(t);
        const std::array<Vec3, 1> middle = {(corners[0] + corners[1] + corners[2]) / 3 + 0.05 * random.in_ball()};
        const std::array<Triangle, 3> three = {Triangle{a, b, fresh}, Triangle{b, c, fresh}, Triangle{c, a, fresh}};
        surface.edit({.remove = one, .new_vertices = middle, .add = three});
    }
}

TEST(DeformingSurface, after_local_edits_equals_a_newly_built_surface) {
    Random random(1);
    std::size_t closed = 0, open = 0, contacts = 0;
    for (std::size_t k = 0; k < testing::count_of(40, 1000); ++k) {
        DeformingSurface surface(testing::random_shape(random));
        const DeformingSurface other(make_sphere({.radius = 0.4, .resolution = 3}));
        for (std::size_t edits = 1 + random.below(12); edits > 0; --edits) random_edit(random, surface);
        std::vector<Vec3> moved(surface.vertices().begin(), surface.vertices().end());
        for (Vec3& v : moved) v += Vec3(0.3, 0.1, 0.2) + 0.02 * random.in_ball();
        surface.update(moved);

        const DeformingSurface fresh(surface.mesh());
        const std::vector<Index> number = numbers_of(surface);
        expect_same_topology(surface, fresh, number);
        const SurfaceContacts found = surface_contacts(surface, other), truth = surface_contacts(fresh, other);
        ASSERT_EQ(found.contacts.size(), truth.contacts.size());
        for (std::size_t i = 0; i < found.contacts.size(); ++i) {
            ASSERT_EQ(found.contacts[i].triangle_a, number[truth.contacts[i].triangle_a]);
            ASSERT_EQ(found.contacts[i].triangle_b, truth.contacts[i].triangle_b);
        }
        ASSERT_EQ(colliding_vertices(surface, other).vertices.size(), colliding_vertices(fresh, other).vertices.size());
        ASSERT_EQ(surface_proximities(surface, other, {.distance = 0.03}).pairs.size(),
                  surface_proximities(fresh, other, {.distance = 0.03}).pairs.size());
        ASSERT_EQ(surface_contacts(surface).contacts.size(), surface_contacts(fresh).contacts.size());
        (surface.closed() ? closed : open) += 1;
        contacts += found.contacts.size();
    }
    EXPECT_GT(closed, 2u);
    EXPECT_GT(open, 2u);
    EXPECT_GT(contacts, 100u);
}

TEST(DeformingSurface, reuses_freed_numbers_lowest_first) {
    DeformingSurface cube(testing::cube_mesh());
    const std::array<Index, 2> gone = {7, 3};
    cube.edit({.remove = gone});
    EXPECT_FALSE(cube.closed());
    EXPECT_FALSE(cube.contains(3));
    EXPECT_TRUE(cube.contains(4));
    const auto& mesh = testing::cube_mesh();
    const std::array<Triangle, 3> back = {mesh.triangles[7], mesh.triangles[3], mesh.triangles[0]};
    EXPECT_EQ(cube.edit({.add = back}), (std::vector<Index>{3, 7, 12}));
    EXPECT_EQ(cube.triangle_count(), 13u);
    const std::array<Index, 1> doubled = {12};
    cube.edit({.remove = doubled});
    EXPECT_TRUE(cube.closed());
}

TEST(DeformingSurface, names_the_invalid_vertex_or_triangle_and_stays_unchanged) {
    const TriangleMesh mesh = testing::cube_mesh();
    DeformingSurface cube(mesh);
    const auto cause_of = [](auto&& act) -> std::pair<Cause, std::int64_t> {
        try {
            act();
        } catch (const Error& error) {
            return {error.cause(), error.place().index};
        }
        return {Cause::cancelled, -1};
    };
    std::vector<Vec3> bad = mesh.vertices;
    bad[5].y() = NAN;
    EXPECT_EQ(cause_of([&] { cube.update(bad); }), std::pair(Cause::non_finite, std::int64_t{5}));
    EXPECT_EQ(cause_of([&] { cube.update(mesh.vertices, bad); }), std::pair(Cause::non_finite, std::int64_t{5}));
    EXPECT_EQ(cause_of([&] { cube.update(bad, mesh.vertices); }), std::pair(Cause::non_finite, std::int64_t{5}));
    bad.pop_back();
    EXPECT_EQ(cause_of([&] { cube.update(bad); }).first, Cause::count_mismatch);
    const std::array<Index, 1> unknown = {12};
    const std::array<Index, 2> twice = {1, 1};
    const std::array<Triangle, 1> beyond = {Triangle{0, 1, 8}};
    const std::array<Vec3, 1> infinite = {Vec3(INFINITY, 0, 0)};
    EXPECT_EQ(cause_of([&] { cube.edit({.remove = unknown}); }),
              std::pair(Cause::index_out_of_range, std::int64_t{12}));
    EXPECT_EQ(cause_of([&] { cube.edit({.remove = twice}); }).first, Cause::invalid_argument);
    EXPECT_EQ(cause_of([&] { cube.edit({.add = beyond}); }), std::pair(Cause::index_out_of_range, std::int64_t{0}));
    EXPECT_EQ(cause_of([&] { cube.edit({.new_vertices = infinite}); }), std::pair(Cause::non_finite, std::int64_t{8}));
    EXPECT_EQ(cube.mesh(), mesh);
    EXPECT_FALSE(cube.moving());
    TriangleMesh broken = mesh;
    broken.triangles[2][1] = 99;
    EXPECT_EQ(cause_of([&] { DeformingSurface made(broken); }).first, Cause::index_out_of_range);
}

TEST(DeformingSurface, may_be_updated_from_its_own_vertices) {
    const TriangleMesh mesh = testing::cube_mesh();
    DeformingSurface cube(mesh);
    std::vector<Vec3> next = mesh.vertices;
    for (Vec3& v : next) v += Vec3(1, 0, 0);
    cube.update(cube.vertices(), next);
    EXPECT_EQ(std::vector<Vec3>(cube.start_vertices().begin(), cube.start_vertices().end()), mesh.vertices);
    EXPECT_LT((cube.bounds().lower - Vec3(-1, -1, -1)).norm(), 1e-5); // trees may round outward
    EXPECT_LT((cube.bounds().upper - Vec3(2, 1, 1)).norm(), 1e-5);
    cube.update(cube.vertices());
    EXPECT_LT((cube.bounds().lower - Vec3(0, -1, -1)).norm(), 1e-5);
}

TEST(DeformingSurface, winding_numbers_equal_sums_of_solid_angles) {
    Random random(2);
    int seen[4] = {};
    for (std::size_t k = 0; k < testing::count_of(40, 1000); ++k) {
        TriangleMesh mesh = testing::random_shape(random, false);
        mesh.vertices =
            testing::deformed(mesh, testing::Waves(random, 0.7), {}, 1); // folded, so that some is covered twice
        const DeformingSurface surface(mesh);
        ASSERT_TRUE(surface.closed());
        for (int point = 0; point < 50; ++point) {
            const Vec3 p = 0.7 * random.in_ball();
            double truth = 0;
            for (std::size_t t = 0; t < mesh.triangles.size(); ++t) truth += solid_angle_share(p, mesh.corners(t));
            ASSERT_EQ(surface.winding(p), std::lround(truth));
            ++seen[std::clamp<long>(std::lround(truth) + 1, 0, 3)];
        }
    }
    EXPECT_GT(seen[1], 100);
    EXPECT_GT(seen[2], 100);
    EXPECT_GT(seen[0] + seen[3], 5);
}

TEST(DeformingSurface, winding_numbers_are_exact_where_rays_pass_through_corners_and_edges) {
    // All coordinates are small integers, so that rays along the axes hit corners, edges and faces edge-on all the
    // time.
    const TriangleMesh mesh =
        testing::joined(testing::cube_mesh({0, 0, 0}, 2), testing::box_mesh({{2, -1, -1}, {4, 1, 3}}));
    const DeformingSurface surface(mesh);
    std::size_t inside = 0;
    for (int x = -3; x <= 5; ++x)
        for (int y = -3; y <= 3; ++y)
            for (int z = -3; z <= 4; ++z) {
                const auto within = [&](const Vec3& low, const Vec3& high) {
                    return x > low.x() && x < high.x() && y > low.y() && y < high.y() && z > low.z() && z < high.z();
                };
                bool on = false;
                for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
                    on = on || segment_overlaps_triangle({Vec3(x, y, z), Vec3(x, y, z)}, mesh.corners(t));
                if (on) continue;
                const int truth = within({-2, -2, -2}, {2, 2, 2}) + within({2, -1, -1}, {4, 1, 3});
                ASSERT_EQ(surface.winding(Vec3(x, y, z)), truth) << x << ' ' << y << ' ' << z;
                inside += truth != 0;
            }
    EXPECT_GE(inside, 28u);
}

TEST(DeformingSurface, has_the_nearest_point_and_its_normal) {
    Random random(3);
    for (std::size_t k = 0; k < testing::count_of(20, 500); ++k) {
        TriangleMesh mesh = testing::random_shape(random);
        DeformingSurface surface(mesh);
        mesh.vertices = testing::deformed(mesh, testing::Waves(random, 0.05), {random.rotation(), Vec3::Zero()}, 1);
        surface.update(mesh.vertices);
        const auto at_vertices = vertex_normals(mesh);
        for (int point = 0; point < 20; ++point) {
            const Vec3 p = random.in_ball();
            double least = HUGE_VAL;
            for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
                least = std::min(least, closest_point(p, mesh.corners(t)).squared_distance);
            const ClosestPoint found = surface.nearest(p);
            ASSERT_NEAR(found.squared_distance, least, 1e-12);
            ASSERT_FALSE(surface.nearest(p, 0.99 * least).found());
            const Vec3 normal = surface.normal_at(found);
            if (found.feature == TriangleFeature::face) {
                ASSERT_EQ(normal, unit_normal(mesh.corners(found.triangle)));
            }
            if (found.feature < TriangleFeature::edge_0) {
                ASSERT_LT(
                    (normal - at_vertices[mesh.triangles[found.triangle][static_cast<std::size_t>(found.feature)]])
                        .norm(),
                    1e-9);
            }
        }
    }
}

} // namespace deforming_surface_test
} // namespace fathom::deformable
