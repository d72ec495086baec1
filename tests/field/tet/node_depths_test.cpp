#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/baseline/grid_fast_marching.h>
#include <fathom/field/tet/node_depths.h>
#include <field/tet/tet_bodies.h>
#include <support/planar.h>

#include <gtest/gtest.h>

#include <limits>

namespace fathom {
namespace node_depths_test {

using testing::bent;
using testing::bodies;
using testing::brute_force_depth;
using testing::NamedBody;
using testing::scaled;
using testing::size_of;

constexpr std::array marches = {DepthOptions{.method = DepthMethod::closest_feature},
                                DepthOptions{.method = DepthMethod::closest_feature, .surface_steps = 0},
                                DepthOptions{.method = DepthMethod::closest_point}};

std::vector<double> copied(std::span<const double> values) { return {values.begin(), values.end()}; }

TEST(NodeDepths, exact_equals_brute_force_at_every_scale) {
    for (const NamedBody& body : bodies())
        for (const double scale : {1e-3, 1.0, 1e3}) {
            const TetMesh mesh = scaled(body.mesh, scale);
            NodeDepths depths(mesh);
            depths.compute(mesh.vertices);
            std::size_t inner = 0;
            for (Index k = 0; k < mesh.vertices.size(); ++k) {
                const double truth = brute_force_depth(depths.topology(), mesh.vertices, mesh.vertices[k]);
                ASSERT_NEAR(depths.depths()[k], truth, 1e-12 * size_of(mesh.vertices)) << body.name << " node " << k;
                ASSERT_NEAR((depths.closest(k) - mesh.vertices[k]).norm(), truth, 1e-12 * size_of(mesh.vertices))
                    << body.name;
                inner += truth > 0;
            }
            EXPECT_GT(inner, mesh.vertices.size() / 10) << body.name;
        }
}

TEST(NodeDepths, exact_stays_exact_when_the_body_moves_far_from_its_first_shape) {
    const TetMesh mesh = make_tet_box({.cells = {6, 6, 6}});
    NodeDepths depths(mesh);
    std::vector<Vec3> positions = mesh.vertices;
    for (int step = 1; step <= 5; ++step) {
        for (Vec3& v : positions) v = Vec3(v.x() * 1.3, v.y() + 0.5 * std::sin(3 * v.x()), v.z() * 0.6 + step);
        depths.compute(positions);
        for (Index k = 0; k < positions.size(); ++k)
            ASSERT_NEAR(depths.depths()[k], brute_force_depth(depths.topology(), positions, positions[k]),
                        1e-12 * size_of(positions));
    }
}

TEST(NodeDepths, marches_never_understate_and_are_close) {
    for (const NamedBody& body : bodies())
        for (const DepthOptions& options : marches) {
            NodeDepths exact(body.mesh), marched(exact.shared_topology());
            exact.compute(body.mesh.vertices);
            marched.compute(body.mesh.vertices, options);
            double error = 0, sum = 0;
            for (std::size_t k = 0; k < body.mesh.vertices.size(); ++k) {
                ASSERT_GE(marched.depths()[k], exact.depths()[k] - 1e-12) << body.name;
                error += marched.depths()[k] - exact.depths()[k];
                sum += exact.depths()[k];
            }
            const double allowed = options.method == DepthMethod::closest_point ? 0.25
                                   : options.surface_steps == 0                 ? 0.01
                                                                                : 0.0005;
            EXPECT_LE(error, allowed * sum) << body.name << " steps " << options.surface_steps;
        }
}

TEST(NodeDepths, following_the_surface_makes_marching_more_exact) {
    const TetMesh mesh = bent(make_tet_box({.cells = {14, 14, 14}}), 0.005);
    NodeDepths exact(mesh), plain(exact.shared_topology()), followed(exact.shared_topology());
    exact.compute(mesh.vertices);
    plain.compute(mesh.vertices, {.method = DepthMethod::closest_feature, .surface_steps = 0});
    followed.compute(mesh.vertices, {.method = DepthMethod::closest_feature});
    double plain_error = 0, followed_error = 0;
    for (std::size_t k = 0; k < mesh.vertices.size(); ++k) {
        plain_error += plain.depths()[k] - exact.depths()[k];
        followed_error += followed.depths()[k] - exact.depths()[k];
    }
    EXPECT_GT(plain_error, 0);
    EXPECT_LT(followed_error, 0.1 * plain_error);
}

TEST(NodeDepths, closest_point_depths_are_distances_to_boundary_nodes) {
    const TetMesh mesh = bent(make_tet_ball({.resolution = 5}));
    NodeDepths depths(mesh);
    depths.compute(mesh.vertices, {.method = DepthMethod::closest_point});
    for (Index k = 0; k < mesh.vertices.size(); ++k) {
        const BoundaryFeature feature = depths.feature(k);
        ASSERT_EQ(feature.size(), 1);
        ASSERT_EQ(depths.topology().kind(feature.nodes[0]), BodyTopology::Kind::boundary);
        ASSERT_NEAR(depths.depths()[k], (mesh.vertices[k] - mesh.vertices[feature.nodes[0]]).norm(), 1e-14);
    }
}

// The features that a body can have nearest: all three kinds occur, and each is as far as the depth says.
TEST(NodeDepths, features_are_points_edges_and_faces_of_the_boundary) {
    for (const DepthMethod method : {DepthMethod::exact, DepthMethod::closest_feature}) {
        // A body with a dent whose tip and ridges are nearest from inside.
        TetMesh mesh = make_tet_box({.cells = {8, 8, 8}});
        for (Vec3& v : mesh.vertices)
            if (v.z() > 0) v.z() *= 0.45 + 1.1 * std::max(std::abs(v.x()), std::abs(v.y()));
        NodeDepths depths(mesh);
        depths.compute(mesh.vertices, {.method = method});
        std::array<int, 4> count{};
        for (Index k = 0; k < mesh.vertices.size(); ++k) {
            const BoundaryFeature feature = depths.feature(k);
            ++count[static_cast<std::size_t>(feature.size())];
            if (feature.size() == 1) {
                ASSERT_NEAR((mesh.vertices[feature.nodes[0]] - mesh.vertices[k]).norm(), depths.depths()[k], 1e-12);
            }
            for (int c = 1; c < feature.size(); ++c)
                ASSERT_LT(feature.nodes[static_cast<std::size_t>(c) - 1], feature.nodes[static_cast<std::size_t>(c)]);
        }
        EXPECT_EQ(count[0], 0);
        EXPECT_GT(count[1], 0);
        EXPECT_GT(count[2], 0);
        EXPECT_GT(count[3], 0);
    }
}

TEST(NodeDepths, a_partial_march_equals_a_full_one_on_the_requested_nodes) {
    Random random(3);
    std::size_t stopped_early = 0, runs = 0;
    for (const NamedBody& body : bodies())
        for (DepthOptions options : {marches[0], marches[1], marches[2], DepthOptions{}}) {
            NodeDepths whole(body.mesh), lazy(whole.shared_topology());
            whole.compute(body.mesh.vertices, options);
            for (const std::size_t count : {0u, 1u, 5u, 60u}) {
                std::vector<Index> asked;
                const Vec3 center = body.mesh.vertices[random.below(body.mesh.vertices.size())];
                for (Index k = 0; k < body.mesh.vertices.size() && asked.size() < count; ++k)
                    if ((body.mesh.vertices[k] - center).norm() < 0.3) asked.push_back(k);
                lazy.compute(body.mesh.vertices, asked, options);
                for (const Index k : asked) {
                    ASSERT_EQ(lazy.depths()[k], whole.depths()[k]) << body.name;
                    ASSERT_EQ(lazy.feature(k), whole.feature(k)) << body.name;
                }
                std::size_t unknown = 0;
                for (const double depth : lazy.depths()) unknown += depth == NodeDepths::unknown;
                stopped_early += unknown > 0;
                ++runs;
            }
        }
    EXPECT_GT(stopped_early, runs / 4);
}

TEST(NodeDepths, the_work_of_a_march_grows_linearly_with_the_body) {
    for (const DepthOptions& options : marches)
        for (const std::size_t cells : {5u, 10u, 20u}) {
            const TetMesh mesh = bent(make_tet_box({.cells = {cells, cells, cells}}), 0.1 / static_cast<double>(cells));
            NodeDepths depths(mesh);
            depths.compute(mesh.vertices, options);
            const std::size_t inner = (cells - 1) * (cells - 1) * (cells - 1);
            EXPECT_GE(depths.served(), inner);
            EXPECT_LE(depths.served(), inner + inner / 2);
        }
}

TEST(NodeDepths, results_do_not_depend_on_earlier_calls) {
    const TetMesh mesh = bent(make_tet_box({.cells = {6, 5, 4}}), 0.01);
    NodeDepths used(mesh);
    std::vector<Vec3> other = mesh.vertices;
    for (Vec3& v : other) v *= 3;
    for (const DepthOptions& options : {marches[0], marches[2], DepthOptions{}, marches[1]}) {
        used.compute(other, options);
        used.compute(mesh.vertices, options);
        NodeDepths fresh(used.shared_topology());
        fresh.compute(mesh.vertices, options);
        EXPECT_EQ(copied(used.depths()), copied(fresh.depths()));
    }
}

TEST(NodeDepths, do_not_depend_on_threads_or_on_the_order_of_nodes) {
    const TetMesh mesh = bent(make_tet_ball({.resolution = 6}), 0.003);
    std::vector<std::vector<double>> results;
    for (const std::size_t threads : {1u, 2u, 5u}) {
        set_thread_count(threads);
        NodeDepths depths(mesh);
        depths.compute(mesh.vertices);
        results.push_back(copied(depths.depths()));
    }
    set_thread_count(0);
    EXPECT_EQ(results[0], results[1]);
    EXPECT_EQ(results[0], results[2]);

    TetMesh mixed = mesh;
    const auto last = static_cast<Index>(mesh.vertices.size() - 1);
    for (Index k = 0; k <= last; ++k) mixed.vertices[last - k] = mesh.vertices[k];
    for (Tetrahedron& t : mixed.tetrahedra)
        for (Index& node : t) node = last - node;
    NodeDepths depths(mixed);
    depths.compute(mixed.vertices);
    for (Index k = 0; k <= last; ++k) ASSERT_EQ(depths.depths()[last - k], results[0][k]);
}

TEST(NodeDepths, a_cut_is_boundary_although_its_lips_touch) {
    // The same box twice, touching each other: vertices are distinguished by index.
    const TetMesh half = make_tet_box({.size = {0.5, 1, 1}, .cells = {4, 8, 8}});
    const TetMesh both = testing::joined(half, half, Vec3(0.5, 0, 0));
    NodeDepths depths(both);
    depths.compute(both.vertices, marches[0]);
    for (Index k = 0; k < both.vertices.size(); ++k)
        if (std::abs(both.vertices[k].x() - 0.25) < 1e-9) {
            ASSERT_EQ(depths.depths()[k], 0);
        }
}

TEST(NodeDepths, hostile_bodies_are_answered) {
    for (const DepthOptions& options : {marches[0], marches[1], marches[2], DepthOptions{}}) {
        const TetMesh nothing;
        NodeDepths none(nothing);
        none.compute(nothing.vertices, options);
        EXPECT_TRUE(none.depths().empty());

        // A loose node, a tetrahedron that names a node twice, a flat one, an inverted one, nodes on one spot.
        TetMesh odd = make_tet_box({.cells = {3, 3, 3}});
        const auto loose = static_cast<Index>(odd.vertices.size());
        odd.vertices.emplace_back(9, 9, 9);
        odd.tetrahedra.push_back({0, 1, 1, 2});
        odd.tetrahedra.push_back({0, 1, 2, 3});
        std::swap(odd.tetrahedra[5][0], odd.tetrahedra[5][1]);
        for (Index k = 10; k < 14; ++k) odd.vertices[k] = odd.vertices[10];
        NodeDepths depths(odd);
        depths.compute(odd.vertices, options);
        EXPECT_EQ(depths.depths()[loose], NodeDepths::unknown);
        EXPECT_EQ(depths.feature(loose).size(), 0);
        EXPECT_EQ(depths.closest(loose), odd.vertices[loose]);
        for (Index k = 0; k < loose; ++k) ASSERT_TRUE(std::isfinite(depths.depths()[k]));

        // All on one spot, or on a line.
        for (const double width : {0.0, 1.0}) {
            std::vector<Vec3> collapsed = odd.vertices;
            for (Vec3& v : collapsed) v = Vec3(width * v.x(), 0, 0);
            depths.compute(collapsed, options);
            for (Index k = 0; k < loose; ++k) ASSERT_NEAR(depths.depths()[k], 0, width * 0.2);
        }

        // Twice the same tetrahedron: every face belongs to two, so nothing is boundary.
        TetMesh closed = make_tet_box({.cells = {1, 1, 1}});
        closed.tetrahedra = {closed.tetrahedra[0], closed.tetrahedra[0]};
        NodeDepths without(closed);
        without.compute(closed.vertices, options);
        for (const double depth : without.depths()) EXPECT_EQ(depth, NodeDepths::unknown);
    }
}

TEST(NodeDepths, bad_input_is_named) {
    const TetMesh mesh = make_tet_box({.cells = {2, 2, 2}});
    NodeDepths depths(mesh);
    const auto cause_of = [](const auto& work) {
        try {
            work();
        } catch (const Error& error) {
            return error.cause();
        }
        return Cause::cancelled;
    };
    std::vector<Vec3> positions = mesh.vertices;
    positions[3].y() = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(cause_of([&] { depths.compute(positions); }), Cause::non_finite);
    positions.pop_back();
    EXPECT_EQ(cause_of([&] { depths.compute(positions); }), Cause::count_mismatch);
    EXPECT_EQ(cause_of([&] { depths.compute(mesh.vertices, std::array<Index, 1>{99}); }), Cause::index_out_of_range);
    TetMesh wrong = mesh;
    wrong.tetrahedra[2][1] = 1000;
    EXPECT_EQ(cause_of([&] { NodeDepths broken(wrong); }), Cause::index_out_of_range);
    const BodyTopology topology(mesh);
    EXPECT_EQ(cause_of([&] {
                  (void)grid_fast_marching_depths(topology, mesh.vertices, {.points = {1, 20, 20}});
              }),
              Cause::invalid_argument);
    EXPECT_EQ(cause_of([&] {
                  (void)grid_fast_marching_depths(topology, mesh.vertices, {.points = {1000, 1000, 1000}});
              }),
              Cause::too_large);
}

TEST(NodeDepths, nodes_of_names_each_node_once) {
    const TetMesh mesh = make_tet_box({.cells = {2, 2, 2}});
    std::vector<Index> nodes;
    nodes_of(mesh.tetrahedra, std::array<Index, 3>{4, 5, 4}, nodes);
    EXPECT_TRUE(std::is_sorted(nodes.begin(), nodes.end()));
    EXPECT_TRUE(std::adjacent_find(nodes.begin(), nodes.end()) == nodes.end());
    for (const Index t : {4u, 5u})
        for (const Index node : mesh.tetrahedra[t]) EXPECT_TRUE(std::binary_search(nodes.begin(), nodes.end(), node));
}

// ---- The rival: half a cell off, and nearer with more cells.

TEST(GridMarching, comes_near_the_exact_depths_as_cells_shrink) {
    const TetMesh mesh = bent(make_tet_box({.cells = {6, 6, 6}}));
    NodeDepths exact(mesh);
    exact.compute(mesh.vertices);
    double last = HUGE_VAL;
    for (const std::size_t points : {10u, 20u, 40u}) {
        const std::vector<double> depths =
            grid_fast_marching_depths(exact.topology(), mesh.vertices, {.points = {points, points, points}});
        double worst = 0;
        for (std::size_t k = 0; k < depths.size(); ++k)
            worst = std::max(worst, std::abs(depths[k] - exact.depths()[k]));
        EXPECT_LT(worst, 3.0 / static_cast<double>(points));
        EXPECT_LT(worst, 0.75 * last);
        last = worst;
    }
}

// ---- In the plane: the two objects of Marchal et al. 2004, figures 9 and 10.

struct Errors {
    double largest = 0, mean = 0;
};
Errors errors_of(std::span<const double> depths, std::span<const double> truth) {
    Errors errors;
    for (std::size_t k = 0; k < depths.size(); ++k) {
        errors.largest = std::max(errors.largest, std::abs(depths[k] - truth[k]));
        errors.mean += std::abs(depths[k] - truth[k]) / static_cast<double>(depths.size());
    }
    return errors;
}

TEST(PlanarDepths, exact_equals_brute_force_over_boundary_edges) {
    for (const TriangleMesh& mesh : {testing::make_torn_disc(), testing::make_torn_rectangle()}) {
        NodeDepths depths(std::make_shared<BodyTopology>(BodyTopology::planar(mesh)));
        depths.compute(mesh.vertices);
        for (Index k = 0; k < mesh.vertices.size(); ++k) {
            ASSERT_NEAR(depths.depths()[k], brute_force_depth(depths.topology(), mesh.vertices, mesh.vertices[k]),
                        2e-12);
            ASSERT_LE(depths.feature(k).size(), 2);
        }
    }
}

TEST(PlanarDepths, errors_are_no_worse_than_the_papers) {
    struct Published {
        Errors feature, point;
    };
    const std::array<TriangleMesh, 2> meshes = {testing::make_torn_disc(486), testing::make_torn_rectangle(1000)};
    const std::array<Published, 2> published = {{{{0.02, 8e-5}, {0.12, 0.008}}, {{0.002, 3e-6}, {0.06, 0.001}}}};
    for (std::size_t m = 0; m < 2; ++m) {
        const std::vector<Vec3>& nodes = meshes[m].vertices;
        NodeDepths exact(std::make_shared<BodyTopology>(BodyTopology::planar(meshes[m]))),
            marched(exact.shared_topology());
        exact.compute(nodes);
        const std::vector<double> coarse = grid_fast_marching_depths(exact.topology(), nodes, {.points = {20, 20, 1}});
        const std::vector<double> fine = grid_fast_marching_depths(exact.topology(), nodes, {.points = {100, 100, 1}});
        const Errors coarse_error = errors_of(coarse, exact.depths()), fine_error = errors_of(fine, exact.depths());
        for (const DepthOptions& options : marches) {
            marched.compute(nodes, options);
            const Errors found = errors_of(marched.depths(), exact.depths());
            const Errors& allowed =
                options.method == DepthMethod::closest_point ? published[m].point : published[m].feature;
            EXPECT_LE(found.largest, allowed.largest);
            EXPECT_LE(found.mean, allowed.mean);
            // The paper states no unit. Beside its own grids its marching has the smaller mean error; so has ours.
            EXPECT_LT(found.mean, fine_error.mean);
        }
        EXPECT_LT(fine_error.mean, coarse_error.mean);
    }
}

} // namespace node_depths_test
} // namespace fathom
