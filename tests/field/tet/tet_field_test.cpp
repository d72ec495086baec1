#include <contract/field_contract.h>
#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/field/mesh/mesh_field.h>
#include <fathom/field/tet/tet_field.h>
#include <field/tet/tet_bodies.h>
#include <support/plain_fields.h>

#include <gtest/gtest.h>

#include <limits>

namespace fathom {
namespace tet_field_test {

using testing::bent;
using testing::bodies;
using testing::check_field_contract;
using testing::ContractCounts;
using testing::FieldContract;
using testing::NamedBody;
using testing::scaled;

constexpr std::array methods = {DepthMethod::exact, DepthMethod::closest_feature, DepthMethod::closest_point};
constexpr std::array handlings = {DefectHandling::none, DefectHandling::paper, DefectHandling::samples};

ContractCounts check_contract(const TetField& field, const std::string& name, std::size_t boxes) {
    FieldContract contract;
    contract.name = name;
    contract.region = field.bounds().grown(0.2 * field.bounds().diagonal());
    contract.boxes = testing::count_of(boxes, 1000000);
    return check_field_contract(field, contract);
}

TEST(TetField, keeps_the_contract_in_every_mode) {
    const TetMesh mesh = bent(make_tet_box({.cells = {5, 4, 3}}), 0.01);
    ContractCounts all;
    for (const DepthMethod method : methods)
        for (const DefectHandling defects : handlings) {
            const TetField field(mesh, {.depth = {.method = method}, .defects = defects});
            const ContractCounts counts = check_contract(field, "bent box", 300);
            all.outside += counts.outside;
            all.inside += counts.inside;
            all.mixed += counts.mixed;
        }
    EXPECT_GT(all.outside, 0u);
    EXPECT_GT(all.inside, 0u);
    EXPECT_GT(all.mixed, 0u);
}

TEST(TetField, keeps_the_contract_for_every_body_and_scale) {
    for (const NamedBody& body : bodies())
        for (const double scale : {1e-3, 1.0, 1e3}) check_contract(TetField(scaled(body.mesh, scale)), body.name, 150);
}

TEST(TetField, keeps_the_contract_after_a_large_deformation) {
    TetMesh mesh = make_tet_cylinder({.rings = 3, .layers = 9});
    TetField field(mesh);
    for (Vec3& v : mesh.vertices) v = Vec3(v.x() + 0.6 * v.z() * v.z(), v.y(), 0.5 * v.z());
    field.update(mesh.vertices);
    check_contract(field, "rod, bent", 400);
    EXPECT_TRUE(field.inverted().empty());
}

// Against the boundary as a mesh: the sign is right everywhere, the outside is exact, the inside within the stated
// bound.
TEST(TetField, is_the_signed_distance_within_its_error_bound) {
    for (const NamedBody& body : bodies())
        for (const DepthMethod method : methods) {
            const TetField field(body.mesh, {.depth = {.method = method}});
            const MeshField truth(boundary(body.mesh));
            Random random(11);
            int inside = 0;
            constexpr int count = 1500;
            for (int i = 0; i < count; ++i) {
                const Vec3 p = random.in_box(field.bounds().grown(0.05));
                const double expected = truth.distance(p), found = field.distance(p);
                if (std::abs(expected) > 1e-9) {
                    ASSERT_EQ(found <= 0, expected <= 0) << body.name << " at " << p.transpose();
                }
                if (expected > 0) {
                    ASSERT_NEAR(found, expected, 1e-12) << body.name;
                }
                ASSERT_LE(std::abs(found - expected), field.error_bound()) << body.name;
                inside += found < 0;
            }
            EXPECT_GT(inside, count / 5) << body.name;
            EXPECT_LT(inside, count * 4 / 5) << body.name;
        }
}

// Section 5.1, in its own words: linear between the nodes.
TEST(TetField, is_linear_in_a_tetrahedron_with_a_constant_gradient) {
    const TetMesh mesh = bent(make_tet_ball({.resolution = 5}), 0.004);
    const TetField field(mesh, {.defects = DefectHandling::none});
    Random random(5);
    for (Index t = 0; t < mesh.tetrahedra.size(); t += 3) {
        const auto c = mesh.corners(t);
        const Tetrahedron& nodes = mesh.tetrahedra[t];
        Vec3 gradient = Vec3::Zero();
        for (int i = 0; i < 4; ++i) {
            std::array<double, 4> w{};
            double sum = 0;
            for (double& x : w) sum += x = 0.05 + random.uniform();
            Vec3 p = Vec3::Zero();
            double expected = 0;
            for (std::size_t k = 0; k < 4; ++k) {
                p += w[k] / sum * c[k];
                expected -= w[k] / sum * field.depths().depths()[nodes[k]];
            }
            const Sample at = field.sample(p);
            ASSERT_NEAR(at.distance, expected, 1e-13);
            if (i > 0) {
                ASSERT_EQ(at.gradient, gradient);
            }
            gradient = at.gradient;
        }
        // Along each edge the gradient accounts for the difference of the depths.
        for (std::size_t k = 1; k < 4; ++k)
            ASSERT_NEAR(gradient.dot(c[k] - c[0]),
                        field.depths().depths()[nodes[0]] - field.depths().depths()[nodes[k]], 1e-12);
    }
}

TEST(TetField, reads_the_same_through_locate_and_the_interpolant) {
    const TetMesh mesh = bent(make_tet_box({.cells = {3, 3, 3}}));
    const TetField field(mesh);
    Random random(6);
    int inside = 0;
    for (int i = 0; i < 500; ++i) {
        const Vec3 p = random.in_box(field.bounds());
        const TetField::Spot spot = field.locate(p);
        ASSERT_EQ(spot.tetrahedron != no_index, field.distance(p) <= 0);
        if (spot.tetrahedron == no_index) continue;
        ++inside;
        Vec3 back = Vec3::Zero();
        for (std::size_t k = 0; k < 4; ++k) back += spot.weights[k] * mesh.corners(spot.tetrahedron)[k];
        ASSERT_LT((back - p).norm(), 1e-14);
        ASSERT_NEAR(-field.interpolant().depth(spot.tetrahedron, spot.weights), field.distance(p), 1e-15);
    }
    EXPECT_GT(inside, 100);
}

// ---- Where depth reads 0 inside.

// One tetrahedron: all four nodes are boundary.
TetMesh single() { return {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{0, 1, 2, 3}}}; }

// Two tetrahedra on a common face: all three of its nodes are boundary, and its edges lie on the boundary.
TetMesh glued() { return {{{1, 0, 0}, {0, 1, 0}, {-1, -1, 0}, {0, 0, 1}, {0, 0, -1}}, {{0, 1, 2, 3}, {0, 2, 1, 4}}}; }

// Four about a common edge, which runs through the inside from boundary node to boundary node.
TetMesh about_an_edge() {
    return {{{0, 0, -1}, {0, 0, 1}, {1, 0, 0}, {0, 1, 0}, {-1, 0, 0}, {0, -1, 0}},
            {{0, 1, 2, 3}, {0, 1, 3, 4}, {0, 1, 4, 5}, {0, 1, 5, 2}}};
}

double depth_at(const TetMesh& mesh, const Vec3& p, DefectHandling defects, DepthMethod method = DepthMethod::exact) {
    TetMesh oriented = mesh;
    orient(oriented);
    return -TetField(oriented, {.depth = {.method = method}, .defects = defects}).distance(p);
}

TEST(TetFieldDefects, tetrahedra_of_four_boundary_nodes_read_zero_without_care_and_right_with) {
    const Vec3 middle(0.25, 0.25, 0.25);
    const double truth = -MeshField(boundary(single())).distance(middle);
    EXPECT_NEAR(truth, 0.25 / std::sqrt(3.0), 1e-12);
    EXPECT_EQ(depth_at(single(), middle, DefectHandling::none), 0);
    for (const DepthMethod method : {DepthMethod::exact, DepthMethod::closest_feature}) {
        EXPECT_NEAR(depth_at(single(), middle, DefectHandling::paper, method), truth, 1e-12);
        EXPECT_NEAR(depth_at(single(), middle, DefectHandling::samples, method), truth, 1e-12);
    }
    EXPECT_GE(depth_at(single(), middle, DefectHandling::samples, DepthMethod::closest_point), truth);
}

TEST(TetFieldDefects, inner_faces_between_boundary_nodes_need_samples) {
    const double truth = -MeshField(boundary(glued())).distance(Vec3::Zero());
    EXPECT_GT(truth, 0.2);
    EXPECT_EQ(depth_at(glued(), Vec3::Zero(), DefectHandling::none), 0);
    EXPECT_NEAR(depth_at(glued(), Vec3::Zero(), DefectHandling::paper), 0,
                1e-15); // the cut about the centre leaves the face
    EXPECT_NEAR(depth_at(glued(), Vec3::Zero(), DefectHandling::samples), truth, 1e-12);
}

TEST(TetFieldDefects, inner_edges_between_boundary_nodes_need_samples) {
    const double truth = -MeshField(boundary(about_an_edge())).distance(Vec3::Zero());
    EXPECT_NEAR(truth, 1 / std::sqrt(3.0), 1e-12);
    EXPECT_EQ(depth_at(about_an_edge(), Vec3::Zero(), DefectHandling::none), 0);
    EXPECT_NEAR(depth_at(about_an_edge(), Vec3::Zero(), DefectHandling::paper), 0, 1e-15);
    for (const DepthMethod method : {DepthMethod::exact, DepthMethod::closest_feature})
        EXPECT_NEAR(depth_at(about_an_edge(), Vec3::Zero(), DefectHandling::samples, method), truth, 1e-12);
    EXPECT_GE(depth_at(about_an_edge(), Vec3::Zero(), DefectHandling::samples, DepthMethod::closest_point), truth);
}

// A plate one cell thick has no inner node: every depth is a defect.
TEST(TetFieldDefects, a_plate_of_one_layer_has_depth_only_with_samples) {
    const TetMesh mesh = make_tet_box({.size = {1, 1, 0.2}, .cells = {6, 6, 1}});
    const MeshField truth(boundary(mesh));
    std::array<double, 3> error{};
    for (std::size_t h = 0; h < handlings.size(); ++h) {
        const TetField field(mesh, {.defects = handlings[h]});
        Random random(8);
        int zero = 0;
        for (int i = 0; i < 2000; ++i) {
            const Vec3 p = random.in_box(field.bounds().grown(-0.02));
            const double found = field.distance(p);
            error[h] += (found - truth.distance(p)) / 2000;
            zero += found > -1e-12;
        }
        EXPECT_EQ(zero > 1000, handlings[h] == DefectHandling::none);
        if (handlings[h] == DefectHandling::samples) {
            EXPECT_EQ(zero, 0);
        }
    }
    EXPECT_LT(error[2], 0.5 * error[1]);
    EXPECT_LT(error[1], 0.7 * error[0]);
}

TEST(TetFieldDefects, samples_leave_the_boundary_at_zero_and_the_field_continuous) {
    for (const NamedBody& body : bodies()) {
        const TetField field(body.mesh);
        const TriangleMesh surface = boundary(body.mesh);
        Random random(9);
        for (std::size_t t = 0; t < surface.triangles.size(); t += 5) {
            const auto c = surface.corners(t);
            const Vec3 middle = (c[0] + c[1] + c[2]) / 3;
            ASSERT_NEAR(field.distance(middle), 0, 1e-13) << body.name;
        }
        // Steps across many tetrahedra: no jump beyond the Lipschitz bound.
        for (int i = 0; i < 40; ++i) {
            const Vec3 from = random.in_box(field.bounds()), to = random.in_box(field.bounds());
            double last = field.distance(from);
            for (int step = 1; step <= 200; ++step) {
                const double next = field.distance(from + step / 200.0 * (to - from));
                ASSERT_LE(std::abs(next - last), field.lipschitz() * (to - from).norm() / 200 + 1e-12) << body.name;
                last = next;
            }
        }
    }
}

// ---- Outer field, hostile shapes, errors.

TEST(TetField, asks_the_outer_field_outside_alone) {
    const auto ball = std::make_shared<testing::BallField>(Vec3(0, 0, 0), 0.5);
    const TetField field(make_tet_ball({.radius = 0.5, .resolution = 6}), {.outer = ball});
    Random random(4);
    int outside = 0;
    for (int i = 0; i < 2000; ++i) {
        const Vec3 p = random.in_box(Box::around(Vec3::Zero(), Vec3::Constant(0.8)));
        const bool out = field.locate(p).tetrahedron == no_index;
        if (out) {
            ASSERT_EQ(field.distance(p), ball->distance(p));
        }
        outside += out;
        const Box box = Box::around(p, Vec3::Constant(0.2 * random.uniform()));
        const Interval range = field.range(box);
        for (int k = 0; k < 8; ++k) ASSERT_TRUE(range.contains(field.distance(box.corner(k))));
    }
    EXPECT_GT(outside, 200);
    EXPECT_LT(outside, 1800);
    EXPECT_EQ(field.lipschitz(), HUGE_VAL);
}

TEST(TetField, folded_and_flat_tetrahedra_are_answered) {
    TetMesh mesh = make_tet_box({.cells = {4, 4, 4}});
    TetField field(mesh);
    Random random(12);
    std::size_t inverted = 0, flat = 0;
    for (int step = 0; step < 12; ++step) {
        std::vector<Vec3> positions = mesh.vertices;
        for (int i = 0; i < 5; ++i) positions[random.below(positions.size())] += 0.6 * random.in_ball();
        const Index squashed = static_cast<Index>(random.below(mesh.tetrahedra.size()));
        positions[mesh.tetrahedra[squashed][0]] = positions[mesh.tetrahedra[squashed][1]];
        field.update(positions);
        inverted += field.inverted().size();
        flat += field.flat().size();
        if (!field.inverted().empty()) {
            EXPECT_EQ(field.lipschitz(), HUGE_VAL);
        }
        for (int i = 0; i < 300; ++i) {
            const Vec3 p = random.in_box(field.bounds());
            ASSERT_TRUE(std::isfinite(field.distance(p)));
            ASSERT_EQ(field.sample(p).distance, field.distance(p));
            const Box box =
                Box::around(p, 0.3 * random.uniform() * Vec3(random.uniform(), random.uniform(), random.uniform()));
            const Interval range = field.range(box);
            for (int k = 0; k < 8; ++k)
                ASSERT_TRUE(range.contains(field.distance(box.corner(k))))
                    << field.distance(box.corner(k)) << " not in " << range.lower << ", " << range.upper;
        }
    }
    EXPECT_GT(inverted, 20u);
    EXPECT_GT(flat, 0u);
}

TEST(TetField, points_of_shared_faces_edges_and_nodes_are_inside) {
    for (const NamedBody& body : bodies()) {
        const TetField field(body.mesh);
        for (std::size_t t = 0; t < body.mesh.tetrahedra.size(); ++t) {
            const auto c = body.mesh.corners(t);
            for (const Vec3& p : {c[0], Vec3(0.5 * (c[0] + c[1])), Vec3((c[1] + c[2] + c[3]) / 3)})
                ASSERT_LE(field.distance(p), 1e-15) << body.name;
        }
    }
}

TEST(TetField, bad_input_is_refused_and_the_old_shape_kept) {
    EXPECT_THROW(TetField{TetMesh{}}, Error);
    EXPECT_THROW(TetField(TetMesh{{{0, 0, 0}, {1, 0, 0}}, {{0, 1, 1, 0}}}), Error);
    const TetMesh mesh = make_tet_box({.cells = {2, 2, 2}});
    TetField field(mesh);
    const double before = field.distance(Vec3::Zero());
    std::vector<Vec3> positions = mesh.vertices;
    positions[4].x() = std::numeric_limits<double>::infinity();
    EXPECT_THROW(field.update(positions), Error);
    EXPECT_THROW(field.update(std::span(positions).first(3)), Error);
    EXPECT_EQ(field.distance(Vec3::Zero()), before);
    const Vec3 nowhere = Vec3::Constant(std::numeric_limits<double>::quiet_NaN());
    EXPECT_TRUE(std::isnan(field.distance(nowhere)));
    EXPECT_TRUE(std::isnan(field.sample(nowhere).distance));
    const Interval everything = field.range({Vec3::Constant(-HUGE_VAL), Vec3::Constant(HUGE_VAL)});
    EXPECT_LE(everything.lower, before);
    EXPECT_EQ(everything.upper, HUGE_VAL);
}

TEST(TetField, has_the_same_bytes_for_any_number_of_threads) {
    const TetMesh mesh = bent(make_tet_ball({.resolution = 6}), 0.004);
    std::vector<std::vector<double>> results;
    for (const std::size_t threads : {1u, 2u, 7u}) {
        set_thread_count(threads);
        const TetField field(mesh);
        Random random(2);
        std::vector<double>& values = results.emplace_back();
        for (int i = 0; i < 300; ++i) {
            const Vec3 p = random.in_box(field.bounds());
            const Interval range = field.range(Box::around(p, Vec3::Constant(0.1)));
            values.insert(values.end(), {field.distance(p), range.lower, range.upper});
        }
        values.insert(values.end(), {field.lipschitz(), field.error_bound()});
    }
    set_thread_count(0);
    EXPECT_EQ(results[0], results[1]);
    EXPECT_EQ(results[0], results[2]);
}

} // namespace tet_field_test
} // namespace fathom
