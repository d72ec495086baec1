#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/detect/tet/tet_collision.h>
#include <fathom/geometry/generate/generate.h>
#include <fathom/geometry/io/mesh_file.h>
#include <fathom/geometry/primitive/tetrahedron_tetrahedron.h>

#include <support/models.h>
#include <support/simplex_pairs.h>
#include <support/small_meshes.h>
#include <support/test_counts.h>
#include <support/tet_bodies.h>

#include <gtest/gtest.h>

namespace fathom::tet {
namespace tet_contacts_test {

using namespace fathom::testing;

constexpr std::array<double, 3> scales = {1e-3, 1, 1e3};

// Two shaken boxes that reach into each other; `turned` share of shaking turns tetrahedra inside out.
struct Scene {
    OwnedBody a, b;

    Scene(Random& random, double scale, double shake)
        : a(placed(shaken(make_tet_box({.cells = {3, 4, 3}}), random, shake), scale, Vec3::Zero())),
          b(placed(shaken(make_tet_box({.cells = {4, 3, 3}, .five = true}), random, shake), scale,
                   Vec3(0.6, 0.3, 0.2) + 0.2 * random.in_ball())) {}
};

TEST(TetPairs, overlapping_pairs_of_bodies_are_those_of_brute_force) {
    Random random(41);
    for (std::size_t k = 0; k < count_of(6, 300); ++k) {
        const Scene scene(random, scales[k % 3], k % 2 ? 0.3 : 0.05);
        std::vector<IdPair> truth;
        std::size_t all = 0;
        for (Index i = 0; i < scene.a.mesh.tetrahedra.size(); ++i)
            for (Index j = 0; j < scene.b.mesh.tetrahedra.size(); ++j, ++all)
                if (tetrahedra_overlap_exact(scene.a.mesh.corners(i), scene.b.mesh.corners(j))) truth.push_back({i, j});
        EXPECT_EQ(overlapping_tetrahedra(scene.a.view(), scene.b.view()), truth);
        EXPECT_GT(truth.size(), 20u);
        EXPECT_LT(truth.size(), all / 2);
    }
}

TEST(PointsInTets, single_tetrahedra_of_every_family_agree_with_exact_arithmetic) {
    const std::size_t count = count_of(9000, 1000000);
    std::size_t hits = 0, asked = 0, wrong = 0;
    SimplexPairs pairs(43);
    for (std::size_t k = 0; k < count; ++k) {
        const auto [a, b] = pairs.make<4>(all_families[k % all_families.size()]);
        const OwnedBody holder(one_tetrahedron(b)), intruder(one_tetrahedron(a));
        const auto found = points_in_tets(intruder.view(), holder.view());
        const bool flat = sgn(exact_volume(b[0], b[1], b[2], b[3])) == 0;
        for (Index v = 0; v < 4; ++v) {
            const bool truth = !flat && hulls_meet(b, std::span(&a[v], 1));
            const auto point =
                std::find_if(found.begin(), found.end(), [&](const PointInTet& p) { return p.vertex == v; });
            wrong += (point != found.end()) != truth;
            hits += truth;
            ++asked;
            if (!truth || point == found.end()) continue;
            double sum = 0, lowest = 1, reach = 0;
            Vec3 back = -a[v];
            for (std::size_t c = 0; c < 4; ++c) {
                sum += point->barycentric[c];
                lowest = std::min(lowest, point->barycentric[c]);
                back += point->barycentric[c] * b[c];
                reach = std::max(reach, b[c].cwiseAbs().maxCoeff());
            }
            ASSERT_GE(lowest, 0);
            ASSERT_NEAR(sum, 1, 1e-14);
            ASSERT_LT(back.norm(), 1e-10 * reach);
        }
    }
    EXPECT_EQ(wrong, 0u) << "of " << asked;
    EXPECT_GT(hits, asked / 50);
    EXPECT_LT(hits, asked / 2);
}

TEST(PointsInTets, every_vertex_is_in_the_smallest_tetrahedron_that_contains_it_and_no_other) {
    Random random(44);
    std::size_t hits = 0, asked = 0, fewer = 0;
    for (std::size_t k = 0; k < count_of(6, 300); ++k) {
        const Scene scene(random, scales[k % 3], k % 2 ? 0.3 : 0.0); // unshaken: vertices on faces, edges and corners
        std::vector<PointInTet> truth;
        const auto found = points_in_tets(scene.a.view(), scene.b.view());
        for (Index v = 0; v < scene.a.mesh.vertices.size(); ++v, ++asked)
            for (Index t = 0; t < scene.b.mesh.tetrahedra.size(); ++t)
                if (tetrahedron_contains(scene.b.mesh.corners(t), scene.a.mesh.vertices[v])) {
                    truth.push_back({v, t, barycentric_coordinates(scene.b.mesh.corners(t), scene.a.mesh.vertices[v])});
                    break;
                }
        hits += truth.size();
        EXPECT_EQ(found, truth);
        const auto outer = points_in_tets(scene.a.view(), scene.b.view(), {.boundary_only = true});
        EXPECT_LE(outer.size(), found.size());
        fewer += outer.size() < found.size();
        EXPECT_TRUE(std::includes(found.begin(), found.end(), outer.begin(), outer.end(),
                                  [](auto& p, auto& q) { return p.vertex < q.vertex; }));
        const std::vector<double> x = [&] {
            std::vector<double> values;
            for (const Vec3& p : scene.b.mesh.vertices) values.push_back(p.x());
            return values;
        }();
        for (const PointInTet& p : found)
            EXPECT_NEAR(interpolated(scene.b.view(), p, x), scene.a.mesh.vertices[p.vertex].x(), 1e-10 * scales[k % 3]);
    }
    EXPECT_GT(fewer, 0u);
    EXPECT_GT(hits, asked / 20);
    EXPECT_LT(hits, asked / 2);
}

TEST(PointsInTets, a_point_on_a_face_that_two_share_is_counted_once) {
    const OwnedBody b(make_tet_box({.size = {4, 4, 4}, .cells = {4, 4, 4}}));
    TetMesh lattice =
        make_tet_box({.size = {2, 2, 2}, .cells = {4, 4, 4}}); // half steps: corners, edges, faces and insides
    const OwnedBody a(lattice);
    const auto found = points_in_tets(a.view(), b.view());
    EXPECT_EQ(found.size(), lattice.vertices.size());
}

// Chains compared with rational arithmetic. Counts the tested edges and those with an interval inside.
struct Tally {
    std::size_t edges = 0, inside = 0, wrong = 0;
    double worst = 0;
};

void compare(const TetBody& a, std::span<const Edge> edges, const TetBody& b, const SegmentsInTets& found,
             std::size_t step, Tally& tally) {
    for (std::size_t e = 0; e < edges.size(); e += step) {
        const auto truth = exact_chains(b, {a.vertices[edges[e][0]], a.vertices[edges[e][1]]});
        std::vector<InsideChain> ours;
        for (const InsideChain& chain : found.chains)
            if (chain.edge == e) ours.push_back(chain);
        ++tally.edges;
        tally.inside += !truth.empty();
        if (ours.size() != truth.size()) {
            ++tally.wrong;
            continue;
        }
        for (std::size_t k = 0; k < ours.size(); ++k)
            tally.worst =
                std::max({tally.worst, std::abs(ours[k].enter - truth[k][0]), std::abs(ours[k].leave - truth[k][1])});
    }
}

void expect_seamless(const SegmentsInTets& found) {
    for (const InsideChain& chain : found.chains) {
        const auto pieces = found.pieces_of(chain);
        ASSERT_FALSE(pieces.empty());
        EXPECT_EQ(pieces.front().enter, chain.enter);
        EXPECT_EQ(pieces.back().leave, chain.leave);
        for (std::size_t k = 0; k < pieces.size(); ++k) {
            EXPECT_LT(pieces[k].enter, pieces[k].leave);
            if (k > 0) {
                EXPECT_EQ(pieces[k].enter, pieces[k - 1].leave);
            }
            for (const auto& weights : {pieces[k].at_enter, pieces[k].at_leave}) {
                EXPECT_NEAR(weights[0] + weights[1] + weights[2] + weights[3], 1, 1e-14);
                EXPECT_GE(*std::min_element(weights.begin(), weights.end()), 0);
            }
        }
    }
}

TEST(SegmentsInTets, single_tetrahedra_of_every_family_clip_edges_as_rational_numbers_do) {
    const std::size_t count = count_of(3000, 1000000 / 6); // six edges a pair
    SimplexPairs pairs(45);
    Tally tally;
    for (std::size_t k = 0; k < count; ++k) {
        const auto [a, b] = pairs.make<4>(all_families[k % all_families.size()]);
        const OwnedBody intruder(one_tetrahedron(a)), holder(one_tetrahedron(b));
        const auto edges = tetrahedron_edges(intruder.mesh.tetrahedra);
        const auto found = segments_in_tets(intruder.view(), edges, holder.view(), TetZone(holder.view()));
        compare(intruder.view(), edges, holder.view(), found, 1, tally);
        expect_seamless(found);
    }
    EXPECT_EQ(tally.wrong, 0u) << "of " << tally.edges;
    EXPECT_LT(tally.worst, 1e-10);
    EXPECT_GT(tally.inside, tally.edges / 20);
    EXPECT_LT(tally.inside, tally.edges * 4 / 5);
}

TEST(SegmentsInTets, chains_through_many_tetrahedra_are_the_union_by_rational_numbers) {
    Random random(46);
    Tally tally;
    for (std::size_t k = 0; k < count_of(5, 200); ++k) {
        const Scene scene(random, scales[k % 3], k % 2 ? 0.35 : 0.06);
        const auto edges = tetrahedron_edges(scene.a.mesh.tetrahedra);
        const auto found = segments_in_tets(scene.a.view(), edges, scene.b.view(), TetZone(scene.b.view()));
        compare(scene.a.view(), edges, scene.b.view(), found, 1, tally);
        expect_seamless(found);
    }
    EXPECT_EQ(tally.wrong, 0u) << "of " << tally.edges;
    EXPECT_LT(tally.worst, 1e-10);
    EXPECT_GT(tally.inside, tally.edges / 20);
    EXPECT_LT(tally.inside, tally.edges * 4 / 5);
}

TEST(SegmentsInTets, long_edges_through_vertices_edges_and_faces_of_a_lattice_are_one_chain) {
    for (const bool five : {false, true})
        for (const double scale : {0x1p-10, 1.0, 1e-3 * 7, 0x1p10}) {
            const OwnedBody b(
                placed(make_tet_box({.size = {4, 4, 4}, .cells = {4, 4, 4}, .five = five}), scale, Vec3::Zero()));
            Random random(47);
            TetMesh lines;
            for (Index k = 0; k < 400; ++k) {
                const auto lattice = [&] { return 0.5 * (static_cast<double>(random.below(21)) - 10.0); };
                for (int i = 0; i < 4; ++i) lines.vertices.push_back(scale * Vec3(lattice(), lattice(), lattice()));
                lines.tetrahedra.push_back({4 * k, 4 * k + 1, 4 * k + 2, 4 * k + 3});
            }
            const OwnedBody a(lines);
            const auto edges = tetrahedron_edges(lines.tetrahedra);
            const auto found = segments_in_tets(a.view(), edges, b.view(), TetZone(b.view()));
            expect_seamless(found);
            std::vector<double> inside(edges.size(), 0);
            std::vector<int> chains(edges.size(), 0);
            for (const InsideChain& chain : found.chains)
                inside[chain.edge] += chain.leave - chain.enter, ++chains[chain.edge];
            std::size_t with_chain = 0;
            for (std::size_t e = 0; e < edges.size(); ++e) {
                // The body is convex: the inside of an edge is one clipping by its box.
                const Segment s{a.mesh.vertices[edges[e][0]], a.mesh.vertices[edges[e][1]]};
                double from = 0, to = 1;
                bool out = false;
                for (int axis = 0; axis < 3; ++axis) {
                    const double d = s.end[axis] - s.start[axis], half = 2 * scale;
                    if (d == 0) {
                        out = out || std::abs(s.start[axis]) > half;
                        continue;
                    }
                    const double p = (-half - s.start[axis]) / d, q = (half - s.start[axis]) / d;
                    from = std::max(from, std::min(p, q));
                    to = std::min(to, std::max(p, q));
                }
                const double length = out ? 0 : std::max(0.0, to - from);
                EXPECT_NEAR(inside[e], length, 1e-10);
                EXPECT_EQ(chains[e], length > 1e-9 ? 1 : 0) << five << " edge " << e;
                with_chain += length > 1e-9;
            }
            EXPECT_GT(with_chain, edges.size() / 5);
            EXPECT_LT(with_chain, edges.size() * 4 / 5);
        }
}

TEST(SegmentsInTets, an_intersecting_edge_is_found_without_a_vertex_inside) {
    // Two wedges cross by their edges (figure 11 of the paper): no vertex of either is inside the other.
    const OwnedBody a(one_tetrahedron({Vec3(-1, 0, 0.1), Vec3(1, 0, 0.1), Vec3(0, 1, -2), Vec3(0, -1, -2)}));
    const OwnedBody b(one_tetrahedron({Vec3(0, -1, 0), Vec3(0, 1, 0), Vec3(1, 0, 2), Vec3(-1, 0, 2)}));
    EXPECT_TRUE(points_in_tets(a.view(), b.view()).empty());
    EXPECT_TRUE(points_in_tets(b.view(), a.view()).empty());
    const auto found = segments_in_tets(a.view(), b.view());
    ASSERT_EQ(found.chains.size(), 1u);
    EXPECT_EQ(a.topology.boundary_edges()[found.chains[0].edge], (Edge{0, 1}));
    EXPECT_NEAR(found.chains[0].enter + found.chains[0].leave, 1, 1e-12);
}

TEST(SegmentsInTets, a_folded_body_sees_itself_but_not_its_neighbours) {
    TetMesh mesh = make_tet_box({.size = {4, 1, 1}, .cells = {8, 2, 2}});
    const OwnedBody straight(mesh);
    EXPECT_TRUE(segments_in_tets(straight.view(), straight.view()).chains.empty());
    EXPECT_TRUE(points_in_tets(straight.view(), straight.view()).empty());
    for (Vec3& v : mesh.vertices)
        if (v.x() > 0) v = Vec3(-v.x() + 0.1, v.y() + 0.3, v.z() + 0.2);
    const OwnedBody folded(mesh);
    EXPECT_GT(segments_in_tets(folded.view(), folded.view()).chains.size(), 10u);
    EXPECT_GT(points_in_tets(folded.view(), folded.view()).size(), 5u);
}

TEST(TetContacts, one_and_two_threads_give_the_same_bytes) {
    Random random(49);
    const Scene scene(random, 1, 0.1);
    std::vector<std::vector<IdPair>> pairs;
    std::vector<std::vector<PointInTet>> points;
    std::vector<SegmentsInTets> segments;
    for (const std::size_t threads : {1, 2}) {
        set_thread_count(threads);
        pairs.push_back(overlapping_tetrahedra(scene.a.view(), scene.b.view()));
        points.push_back(points_in_tets(scene.a.view(), scene.b.view()));
        segments.push_back(segments_in_tets(scene.a.view(), scene.b.view()));
    }
    set_thread_count(0);
    EXPECT_EQ(pairs[0], pairs[1]);
    EXPECT_EQ(points[0], points[1]);
    EXPECT_EQ(segments[0], segments[1]);
    EXPECT_FALSE(pairs[0].empty() || points[0].empty() || segments[0].chains.empty());
}

TEST(TetContacts, a_collider_steps_moving_bodies_as_the_single_questions_do) {
    Random random(50);
    Scene scene(random, 1, 0.05);
    TetCollider collider;
    std::size_t apart = 0, in_contact = 0;
    for (int step = 0; step < 12; ++step) {
        const TetCollision found = collider.collide(scene.a.view(), scene.b.view());
        EXPECT_EQ(found.pairs, overlapping_tetrahedra(scene.a.view(), scene.b.view()));
        EXPECT_EQ(found.a_in_b, points_in_tets(scene.a.view(), scene.b.view()));
        EXPECT_EQ(found.b_in_a, points_in_tets(scene.b.view(), scene.a.view()));
        EXPECT_EQ(found.edges_of_a, segments_in_tets(scene.a.view(), scene.b.view()));
        EXPECT_EQ(found.edges_of_b, segments_in_tets(scene.b.view(), scene.a.view()));
        const auto nodes = nodes_in_contact(scene.b.view(), found.a_in_b, found.edges_of_a);
        EXPECT_TRUE(std::is_sorted(nodes.begin(), nodes.end()));
        for (const PointInTet& point : found.a_in_b)
            for (const Index v : scene.b.mesh.tetrahedra[point.tetrahedron])
                EXPECT_TRUE(std::binary_search(nodes.begin(), nodes.end(), v));
        (found.empty() ? apart : in_contact) += 1;
        for (Vec3& v : scene.b.mesh.vertices) v += Vec3(0.08, 0.02, 0) + 0.01 * random.in_ball();
    }
    EXPECT_GT(apart, 1u);
    EXPECT_GT(in_contact, 3u);
    const TetCollision nothing =
        TetCollider({.pairs = false, .points = false, .segments = false}).collide(scene.a.view(), scene.a.view());
    EXPECT_TRUE(nothing.empty());
}

TEST(TetContacts, hostile_bodies_are_rejected_and_empty_ones_overlap_nothing) {
    const OwnedBody good(make_tet_box());
    const OwnedBody none(TetMesh{});
    EXPECT_TRUE(overlapping_tetrahedra(none.view(), good.view()).empty());
    EXPECT_TRUE(points_in_tets(good.view(), none.view()).empty());
    EXPECT_TRUE(segments_in_tets(good.view(), none.view()).chains.empty());
    std::vector<Vec3> vertices = good.mesh.vertices;
    vertices[5].y() = std::numeric_limits<double>::quiet_NaN();
    try {
        (void)overlapping_tetrahedra(good.view(), TetBody{vertices, good.topology});
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.cause(), Cause::non_finite);
        EXPECT_EQ(error.place().index, 5);
    }
    EXPECT_THROW((void)bounds(TetBody{std::span(vertices).first(3), good.topology}), Error);
    EXPECT_THROW(TetTopology(TetMesh{{Vec3::Zero()}, {{0, 0, 0, 7}}}), Error);
    // All in one point: flat tetrahedra overlap as points do, and hold nothing.
    const std::vector<Vec3> collapsed(good.mesh.vertices.size(), Vec3::Zero());
    const TetBody point{collapsed, good.topology};
    EXPECT_FALSE(overlapping_tetrahedra(point, good.view()).empty());
    EXPECT_TRUE(points_in_tets(good.view(), point).empty());
    EXPECT_TRUE(segments_in_tets(good.view(), point).chains.empty());
}

TEST(TetContacts, real_models_against_themselves_moved) {
    FATHOM_NEEDS_MODELS();
    for (const char* name :
         {"banana.vtk", "bunny.msh", "hand.msh", "horse.ele", "torus_low_res.msh", "Armadillo_Tetra_4406.vtu"}) {
        const TetMesh mesh = read_tet_mesh(models() / "tet" / name);
        const OwnedBody b(mesh);
        const double size = bounds(b.view()).diagonal();
        const OwnedBody a(placed(mesh, 1, size * Vec3(0.11, 0.05, -0.07)));
        const auto found = points_in_tets(a.view(), b.view());
        const auto chains = segments_in_tets(a.view(), b.view());
        EXPECT_GT(found.size(), 10u) << name;
        EXPECT_GT(chains.chains.size(), 10u) << name;
        EXPECT_FALSE(overlapping_tetrahedra(a.view(), b.view()).empty()) << name;
        std::size_t wrong = 0;
        for (Index v = 0; v < mesh.vertices.size(); v += static_cast<Index>(count_of(37, 1))) {
            Index truth = no_index;
            for (Index t = 0; t < mesh.tetrahedra.size() && truth == no_index; ++t)
                if (tetrahedron_contains(mesh.corners(t), a.mesh.vertices[v])) truth = t;
            const auto ours =
                std::find_if(found.begin(), found.end(), [&](const PointInTet& p) { return p.vertex == v; });
            wrong += (ours == found.end() ? no_index : ours->tetrahedron) != truth;
        }
        EXPECT_EQ(wrong, 0u) << name;
        Tally tally;
        compare(a.view(), a.topology.boundary_edges(), b.view(), chains, count_of(211, 11), tally);
        EXPECT_EQ(tally.wrong, 0u) << name;
        EXPECT_LT(tally.worst, 1e-10) << name;
        expect_seamless(chains);
    }
}

} // namespace tet_contacts_test
} // namespace fathom::tet
