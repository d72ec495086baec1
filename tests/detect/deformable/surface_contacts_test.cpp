#include "detect/deformable/deforming_shapes.h"
#include "support/small_meshes.h"
#include "support/test_counts.h"
#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/detect/deformable/surface_contacts.h>
#include <fathom/geometry/exact/predicates.h>
#include <fathom/geometry/mesh/normals.h>
#include <fathom/geometry/surface_tree/triangle_exact.h>
#include <fathom/geometry/surface_tree/winding_number.h>

#include <gtest/gtest.h>

namespace fathom::deformable {
namespace surface_contacts_test {

constexpr double scales[] = {1e-3, 1.0, 1e3};

// Two surfaces that were deformed twice: made, then moved, so that their trees have been refitted.
struct RandomPair {
    DeformingSurface a, b;

    RandomPair(Random& random, double scale, double apart, bool may_be_open = true)
        : a(random_one(random, scale, may_be_open)), b(random_one(random, scale, may_be_open)) {
        move(random, a, scale, Pose{random.rotation(), Vec3::Zero()});
        move(random, b, scale, Pose{random.rotation(), apart * random.direction()});
    }
    static DeformingSurface random_one(Random& random, double scale, bool may_be_open) {
        TriangleMesh mesh = testing::random_shape(random, may_be_open);
        for (Vec3& v : mesh.vertices) v *= scale;
        return DeformingSurface(mesh);
    }
    static void move(Random& random, DeformingSurface& surface, double scale, const Pose& pose) {
        TriangleMesh mesh = surface.mesh();
        for (Vec3& v : mesh.vertices) v /= scale;
        surface.update(testing::deformed(mesh, testing::Waves(random, 0.12), pose, scale));
    }
};

std::vector<IdPair> crossing_by_brute_force(const TriangleMesh& a, const TriangleMesh& b) {
    std::vector<IdPair> pairs;
    for (Index s = 0; s < a.triangles.size(); ++s)
        for (Index t = 0; t < b.triangles.size(); ++t)
            if (a.bounds(s).overlaps(b.bounds(t)) && triangles_overlap(a.corners(s), b.corners(t)))
                pairs.push_back({s, t});
    return pairs;
}

std::vector<IdPair> pairs_of(const SurfaceContacts& result) {
    std::vector<IdPair> pairs;
    for (const SurfaceContact& c : result.contacts) pairs.push_back({c.triangle_a, c.triangle_b});
    return pairs;
}

// The sum of all solid angles.
double winding_by_brute_force(const TriangleMesh& mesh, const Vec3& p) {
    double sum = 0;
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) sum += solid_angle_share(p, mesh.corners(t));
    return sum;
}

double distance_by_brute_force(const TriangleMesh& mesh, const Vec3& p) {
    double least = HUGE_VAL;
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
        least = std::min(least, closest_point(p, mesh.corners(t)).squared_distance);
    return std::sqrt(least);
}

TEST(SurfaceContacts, equal_brute_force_over_all_triangles_of_random_deforming_pairs) {
    Random random(1);
    std::size_t touching = 0, contacts = 0;
    const std::size_t count = testing::count_of(300, 10'000);
    for (std::size_t k = 0; k < count; ++k) {
        const RandomPair pair(random, scales[k % 3], random.uniform(0, 1.7));
        const SurfaceContacts found = surface_contacts(pair.a, pair.b);
        const auto truth = crossing_by_brute_force(pair.a.mesh(), pair.b.mesh());
        ASSERT_EQ(pairs_of(found), truth) << k;
        ASSERT_EQ(found.status, truth.empty() ? Status::disjoint : Status::overlapping);
        touching += !truth.empty();
        contacts += truth.size();
    }
    EXPECT_GT(touching, count / 5);
    EXPECT_LT(touching, count * 4 / 5);
    EXPECT_GT(contacts, 10 * count);
}

TEST(SurfaceContacts, describe_the_intersection_and_a_separating_direction) {
    Random random(2);
    std::size_t from_bodies = 0, all = 0;
    for (std::size_t k = 0; k < testing::count_of(60, 1000); ++k) {
        const RandomPair pair(random, scales[k % 3], random.uniform(0, 1.2));
        for (const ContactDepth depth : {ContactDepth::none, ContactDepth::triangles, ContactDepth::bodies})
            for (const SurfaceContact& c : surface_contacts(pair.a, pair.b, {.depth = depth}).contacts) {
                const TriangleContact own =
                    triangle_contact(pair.a.corners(c.triangle_a), pair.b.corners(c.triangle_b));
                EXPECT_EQ(c.kind, own.kind);
                EXPECT_EQ(c.segment.start, own.segment.start);
                EXPECT_EQ(c.segment.end, own.segment.end);
                EXPECT_EQ(c.normal_a, own.normal_a);
                EXPECT_EQ(c.normal_b, own.normal_b);
                if (depth == ContactDepth::triangles || (depth == ContactDepth::bodies && !c.from_bodies)) {
                    EXPECT_EQ(c.depth, own.depth);
                    EXPECT_EQ(c.separating_direction, own.separating_direction);
                }
                from_bodies += c.from_bodies;
                all += depth == ContactDepth::bodies;
            }
    }
    EXPECT_GT(from_bodies, all / 5);
    EXPECT_LT(from_bodies, all);
}

TEST(SurfaceContacts, take_the_depth_of_the_deepest_corner_inside_the_other_body) {
    Random random(3);
    for (std::size_t k = 0; k < testing::count_of(40, 1000); ++k) {
        const RandomPair pair(random, scales[k % 3], random.uniform(0, 1.2), false);
        const CollidingVertices vertices = colliding_vertices(pair.a, pair.b);
        for (const SurfaceContact& c : surface_contacts(pair.a, pair.b).contacts) {
            double deepest = -1;
            for (const CollidingVertex& v : vertices.vertices) {
                const Triangle& t = v.of_b ? pair.b.triangle(c.triangle_b) : pair.a.triangle(c.triangle_a);
                if (std::find(t.begin(), t.end(), v.vertex) != t.end()) deepest = std::max(deepest, v.depth);
            }
            ASSERT_EQ(c.from_bodies, deepest >= 0);
            if (c.from_bodies) {
                ASSERT_EQ(c.depth, deepest);
            }
        }
    }
}

TEST(CollidingVertices, equal_brute_force_winding_numbers_and_distances) {
    Random random(4);
    std::size_t inside = 0, all = 0, tests = 0;
    for (std::size_t k = 0; k < testing::count_of(60, 2000); ++k) {
        const double scale = scales[k % 3];
        const RandomPair pair(random, scale, random.uniform(0, 1.2));
        const CollidingVertices found = colliding_vertices(pair.a, pair.b);
        tests += found.inside_tests;
        std::size_t next = 0;
        for (const bool of_b : {false, true}) {
            const DeformingSurface &of = of_b ? pair.b : pair.a, &in = of_b ? pair.a : pair.b;
            const TriangleMesh mesh = in.mesh();
            if (!in.closed()) continue;
            for (Index v = 0; v < of.vertices().size(); ++v) {
                const Vec3& p = of.vertices()[v];
                const bool truth = std::lround(winding_by_brute_force(mesh, p)) != 0;
                const bool listed = next < found.vertices.size() && found.vertices[next].of_b == of_b &&
                                    found.vertices[next].vertex == v;
                ASSERT_EQ(listed, truth) << k << " vertex " << v;
                inside += truth;
                ++all;
                if (!listed) continue;
                const CollidingVertex& c = found.vertices[next++];
                ASSERT_NEAR(c.depth, distance_by_brute_force(mesh, p), 1e-9 * scale);
                ASSERT_NEAR((c.point - p).norm(), c.depth, 1e-9 * scale);
                const auto corners = in.corners(c.triangle);
                ASSERT_LT((c.barycentric[0] * corners[0] + c.barycentric[1] * corners[1] +
                           c.barycentric[2] * corners[2] - c.point)
                              .norm(),
                          1e-9 * scale);
                // On a folded surface the nearest sheet may be one that faces the other way.
                EXPECT_NEAR(c.separating_direction.norm(), 1, 1e-9);
            }
        }
        ASSERT_EQ(next, found.vertices.size());
    }
    EXPECT_GT(inside, all / 50);
    EXPECT_LT(inside, all / 2);
    EXPECT_LT(tests, all / 20);
}

TEST(CollidingVertices, have_the_separating_direction_of_a_simple_body) {
    Random random(5);
    const DeformingSurface ball(make_sphere({.radius = 1, .resolution = 6}));
    std::size_t inside = 0;
    for (std::size_t k = 0; k < testing::count_of(50, 1000); ++k) {
        TriangleMesh small = make_box({.size = {0.4, 0.4, 0.4}, .cells = {2, 2, 2}});
        const Vec3 at = 1.2 * random.in_ball();
        for (Vec3& v : small.vertices) v += at;
        for (const CollidingVertex& c : colliding_vertices(DeformingSurface(small), ball).vertices) {
            if (c.of_b) continue;
            const Vec3 p = small.vertices[c.vertex];
            if (c.depth > 1e-6) {
                EXPECT_GT(c.separating_direction.dot(c.point - p), 0.9 * c.depth);
            }
            ++inside;
        }
    }
    EXPECT_GT(inside, 0u);
}

TEST(CollidingVertices, find_bodies_wholly_inside_with_one_test_a_part) {
    TriangleMesh inner = testing::joined(testing::cube_mesh({-0.5, 0, 0}, 0.1), testing::cube_mesh({0.5, 0, 0}, 0.1));
    append(inner, testing::cube_mesh({5, 0, 0}, 0.1));
    const DeformingSurface a(inner), b(testing::cube_mesh());
    const CollidingVertices found = colliding_vertices(a, b);
    EXPECT_EQ(found.status, Status::overlapping);
    ASSERT_EQ(found.vertices.size(), 16u);
    EXPECT_LE(found.inside_tests, 4u);
    EXPECT_NEAR(found.vertices.front().depth, 0.4, 1e-12);
    EXPECT_EQ(surface_contacts(a, b).contacts.size(), 0u);
}

TEST(CollidingVertices, count_vertices_exactly_on_the_other_surface_with_depth_zero) {
    const DeformingSurface a(testing::cube_mesh({2, 0, 0}, 1)), b(testing::cube_mesh());
    const CollidingVertices found = colliding_vertices(a, b);
    ASSERT_EQ(found.vertices.size(), 8u); // four of each, corner on corner
    for (const CollidingVertex& c : found.vertices) EXPECT_EQ(c.depth, 0.0);
    // Corners of a small cube on a face, an edge and no more.
    const DeformingSurface small(testing::cube_mesh({1.25, 0, 0.75}, 0.25));
    std::size_t of_small = 0;
    for (const CollidingVertex& c : colliding_vertices(small, b).vertices) {
        EXPECT_FALSE(c.of_b);
        EXPECT_EQ(c.depth, 0.0);
        ++of_small;
    }
    EXPECT_EQ(of_small, 4u);
}

TEST(CollidingVertices, are_none_in_an_open_surface_that_still_crosses) {
    TriangleMesh cloth = make_cloth({.size = {3, 3}, .cells = {4, 4}});
    const DeformingSurface sheet(cloth), cube(testing::cube_mesh());
    EXPECT_FALSE(sheet.closed());
    EXPECT_TRUE(cube.closed());
    const CollidingVertices found = colliding_vertices(sheet, cube);
    EXPECT_EQ(found.status, Status::overlapping);
    for (const CollidingVertex& c : found.vertices) EXPECT_FALSE(c.of_b);
    EXPECT_EQ(found.vertices.size(), 9u);
}

std::vector<SurfaceProximity> proximities_by_brute_force(const DeformingSurface& a, const DeformingSurface& b,
                                                         double distance) {
    const bool self = &a == &b;
    std::vector<SurfaceProximity> found;
    const auto try_faces = [&](const DeformingSurface& of, const DeformingSurface& in, bool swapped) {
        for (Index v = 0; v < of.vertices().size(); ++v)
            for (Index t = 0; t < in.triangle_limit(); ++t) {
                const Triangle& f = in.triangle(t);
                if (self && std::find(f.begin(), f.end(), v) != f.end()) continue;
                const FeatureProximity near = vertex_face_proximity(of.vertices()[v], in.corners(t));
                if (near.distance <= distance)
                    found.push_back({{FeatureKind::vertex_face, swapped, {v, f[0], f[1], f[2]}, t}, near});
            }
    };
    try_faces(a, b, false);
    if (!self) try_faces(b, a, true);
    const EdgeTable of_a = edge_table(a.mesh().triangles, a.vertices().size()),
                    of_b = edge_table(b.mesh().triangles, b.vertices().size());
    for (const Edge& e : of_a.edges)
        for (const Edge& f : of_b.edges) {
            if (self && (!(e < f) || e[0] == f[0] || e[0] == f[1] || e[1] == f[0] || e[1] == f[1])) continue;
            const FeatureProximity near =
                edge_edge_proximity({a.vertices()[e[0]], a.vertices()[e[1]]}, {b.vertices()[f[0]], b.vertices()[f[1]]});
            if (near.distance <= distance)
                found.push_back({{FeatureKind::edge_edge, false, {e[0], e[1], f[0], f[1]}, no_index}, near});
        }
    std::sort(found.begin(), found.end(), [](const auto& p, const auto& q) { return p.features < q.features; });
    return found;
}

void expect_same(const std::vector<SurfaceProximity>& found, const std::vector<SurfaceProximity>& truth) {
    ASSERT_EQ(found.size(), truth.size());
    for (std::size_t k = 0; k < found.size(); ++k) {
        ASSERT_EQ(found[k].features, truth[k].features);
        ASSERT_EQ(found[k].nearness.distance, truth[k].nearness.distance);
        ASSERT_EQ(found[k].nearness.separating_direction, truth[k].nearness.separating_direction);
        ASSERT_EQ(found[k].nearness.weight, truth[k].nearness.weight);
    }
}

TEST(SurfaceProximities, equal_brute_force_over_all_features) {
    Random random(6);
    std::size_t near = 0, none = 0;
    const std::size_t count = testing::count_of(24, 1000);
    for (std::size_t k = 0; k < count; ++k) {
        const double scale = scales[k % 3], distance = scale * random.uniform(0, 0.1);
        const RandomPair pair(random, scale, random.uniform(0.4, 1.5));
        const SurfaceProximities found = surface_proximities(pair.a, pair.b, {.distance = distance});
        expect_same(found.pairs, proximities_by_brute_force(pair.a, pair.b, distance));
        (found.pairs.empty() ? none : near) += 1;
    }
    EXPECT_GT(near, count / 5);
    EXPECT_GT(none, count / 10);
}

TEST(SurfaceProximities, of_a_surface_with_itself_leave_out_features_that_share_a_vertex) {
    Random random(7);
    std::size_t pairs = 0;
    for (std::size_t k = 0; k < testing::count_of(12, 500); ++k) {
        const double scale = scales[k % 3], distance = scale * random.uniform(0, 0.08);
        const RandomPair pair(random, scale, 1);
        const SurfaceProximities found = surface_proximities(pair.a, {.distance = distance});
        expect_same(found.pairs, proximities_by_brute_force(pair.a, pair.a, distance));
        pairs += found.pairs.size();
    }
    EXPECT_GT(pairs, 100u);
}

TEST(SelfCollision, of_folded_sheets_equals_brute_force) {
    Random random(8);
    std::size_t folded = 0, contacts = 0;
    const std::size_t count = testing::count_of(60, 3000);
    for (std::size_t k = 0; k < count; ++k) {
        const double scale = scales[k % 3];
        const TriangleMesh flat = make_cloth({.size = {1, 1}, .cells = {9, 8}});
        DeformingSurface sheet(flat);
        sheet.update(testing::deformed(flat, testing::Waves(random, random.uniform(0, 1.6)), {}, scale));
        const TriangleMesh mesh = sheet.mesh();
        std::vector<IdPair> truth;
        for (Index s = 0; s < mesh.triangles.size(); ++s)
            for (Index t = s + 1; t < mesh.triangles.size(); ++t)
                if (triangles_cross(mesh, s, t)) truth.push_back({s, t});
        ASSERT_EQ(pairs_of(surface_contacts(sheet)), truth);
        folded += !truth.empty();
        contacts += truth.size();
    }
    EXPECT_GT(folded, count / 5);
    EXPECT_LT(folded, count * 9 / 10);
    EXPECT_GT(contacts, count);
}

TEST(SelfCollision, of_two_parts_equals_the_contacts_of_two_surfaces) {
    Random random(9);
    std::size_t inside = 0, same_depth = 0;
    for (std::size_t k = 0; k < testing::count_of(40, 1000); ++k) {
        // Bodies that do not fold into themselves.
        TriangleMesh one = make_sphere({.radius = 0.5, .resolution = 3}),
                     two = make_torus({.segments = 14, .tube_segments = 7});
        one.vertices = testing::deformed(one, testing::Waves(random, 0.02), {random.rotation(), Vec3::Zero()}, 1);
        two.vertices = testing::deformed(two, testing::Waves(random, 0.02),
                                         {random.rotation(), random.uniform(0, 1) * random.direction()}, 1);
        const DeformingSurface a(one), b(two), both(testing::joined(one, two));
        const auto shift_vertex = static_cast<Index>(one.vertices.size()),
                   shift = static_cast<Index>(one.triangles.size());
        std::vector<IdPair> apart = pairs_of(surface_contacts(a, b));
        for (IdPair& pair : apart) pair[1] += shift;
        ASSERT_EQ(pairs_of(surface_contacts(both)), apart);
        const CollidingVertices truth = colliding_vertices(a, b), self = colliding_vertices(both);
        ASSERT_EQ(self.vertices.size(), truth.vertices.size());
        for (std::size_t i = 0; i < truth.vertices.size(); ++i) {
            const CollidingVertex &two_bodies = truth.vertices[i], &one_body = self.vertices[i];
            ASSERT_EQ(one_body.vertex, two_bodies.vertex + (two_bodies.of_b ? shift_vertex : 0)) << k;
            // The far side of its own part may be nearer.
            ASSERT_LE(one_body.depth, two_bodies.depth);
            same_depth += one_body.depth == two_bodies.depth;
        }
        inside += self.vertices.size();
    }
    EXPECT_GT(inside, 100u);
    EXPECT_GT(same_depth, inside * 9 / 10);
}

TEST(SurfaceContacts, are_the_same_bytes_for_one_thread_and_two) {
    Random random(10);
    TriangleMesh mesh = make_sphere({.radius = 0.5, .resolution = 30});
    DeformingSurface a(mesh), b(mesh);
    b.update(testing::deformed(mesh, testing::Waves(random, 0.1), {random.rotation(), {0.4, 0, 0}}, 1));
    const auto ask = [&] {
        return std::tuple(surface_contacts(a, b), colliding_vertices(a, b),
                          surface_proximities(a, b, {.distance = 0.01}));
    };
    set_thread_count(1);
    const auto one = ask();
    set_thread_count(2);
    const auto two = ask();
    set_thread_count(0);
    EXPECT_GT(std::get<0>(one).contacts.size(), 100u);
    EXPECT_EQ(pairs_of(std::get<0>(one)), pairs_of(std::get<0>(two)));
    for (std::size_t k = 0; k < std::get<0>(one).contacts.size(); ++k) {
        const SurfaceContact &p = std::get<0>(one).contacts[k], &q = std::get<0>(two).contacts[k];
        ASSERT_TRUE(p.depth == q.depth && p.separating_direction == q.separating_direction &&
                    p.segment.start == q.segment.start && p.segment.end == q.segment.end);
    }
    ASSERT_EQ(std::get<1>(one).vertices.size(), std::get<1>(two).vertices.size());
    for (std::size_t k = 0; k < std::get<1>(one).vertices.size(); ++k) {
        const CollidingVertex &p = std::get<1>(one).vertices[k], &q = std::get<1>(two).vertices[k];
        ASSERT_TRUE(p.vertex == q.vertex && p.depth == q.depth && p.triangle == q.triangle && p.point == q.point &&
                    p.separating_direction == q.separating_direction);
    }
    expect_same(std::get<2>(two).pairs, std::get<2>(one).pairs);
}

TEST(SurfaceContacts, say_when_a_limit_cuts_the_answer) {
    Random random(11);
    const DeformingSurface a(testing::cube_mesh()), b(testing::cube_mesh({0.5, 0.4, 0.3}));
    const std::size_t all = surface_contacts(a, b).contacts.size();
    ASSERT_GT(all, 3u);
    EXPECT_FALSE(surface_contacts(a, b, {.max_contacts = all}).more_contacts);
    const SurfaceContacts cut = surface_contacts(a, b, {.max_contacts = 3});
    EXPECT_TRUE(cut.more_contacts);
    ASSERT_EQ(cut.contacts.size(), 3u);
    EXPECT_EQ(pairs_of(cut)[2], pairs_of(surface_contacts(a, b))[2]);
    EXPECT_TRUE(colliding_vertices(a, b, {.max_contacts = 1}).more_contacts);
    EXPECT_EQ(colliding_vertices(a, b, {.max_contacts = 1}).vertices.size(), 1u);
    EXPECT_TRUE(surface_proximities(a, b, {.distance = 0.6, .max_contacts = 2}).more_contacts);
    EXPECT_THROW(static_cast<void>(surface_proximities(a, b, {.distance = -1})), Error);
    EXPECT_THROW(static_cast<void>(surface_proximities(a, b, {.distance = NAN})), Error);
}

TEST(SurfaceContacts, of_nothing_and_of_degenerate_triangles_are_answered) {
    const DeformingSurface nothing(TriangleMesh{}), cube(testing::cube_mesh());
    EXPECT_EQ(surface_contacts(nothing, cube).status, Status::disjoint);
    EXPECT_EQ(colliding_vertices(cube, nothing).status, Status::disjoint);
    EXPECT_EQ(surface_contacts(nothing).status, Status::disjoint);
    TriangleMesh flat;
    flat.vertices = {{0, 0, 0}, {3, 0, 0}, {1, 0, 0}, {0.5, 0.5, 0.5}};
    flat.triangles = {{0, 1, 2}, {3, 3, 3}, {0, 0, 1}}; // a line, a point, a line that names a vertex twice
    const DeformingSurface lines(flat);
    EXPECT_EQ(surface_contacts(lines, cube).status, Status::overlapping);
    const CollidingVertices found = colliding_vertices(lines, cube);
    std::vector<Index> inside;
    for (const CollidingVertex& c : found.vertices)
        if (!c.of_b) inside.push_back(c.vertex);
    EXPECT_EQ(inside, (std::vector<Index>{0, 2, 3}));
}

} // namespace surface_contacts_test
} // namespace fathom::deformable
