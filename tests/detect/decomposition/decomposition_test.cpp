#include <fathom/detect/decomposition/decomposition.h>

#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/base/random.h>
#include <fathom/field/analytic/analytic_field.h>
#include <fathom/field/analytic/primitives.h>
#include <fathom/field/mesh/grid_builder.h>
#include <fathom/geometry/generate/generate.h>
#include <fathom/geometry/io/mesh_file.h>
#include <fathom/geometry/primitive/oriented_box.h>

#include <support/models.h>
#include <support/plain_fields.h>
#include <support/test_counts.h>

#include <gtest/gtest.h>

#include <chrono>
#include <numbers>

namespace fathom {
namespace decomposition_test {

using testing::count_of;

bool in_a_box(const Decomposition& parts, const Vec3& p) {
    return std::any_of(parts.boxes.begin(), parts.boxes.end(), [&](const OrientedBox& box) { return box.contains(p); });
}

// Random points of the bounds; those inside must be in a box, some of those outside must not.
void expect_contained(const Field& field, const Decomposition& parts, std::size_t count) {
    EXPECT_TRUE(parts.contained);
    Random random(81);
    std::size_t inside = 0, lost = 0;
    for (std::size_t k = 0; k < count; ++k) {
        const Vec3 p = random.in_box(field.bounds());
        if (field.distance(p) > 0) continue;
        ++inside;
        lost += !in_a_box(parts, p);
    }
    EXPECT_GT(inside, count / 200);
    EXPECT_EQ(lost, 0u) << "of " << inside;
}

AnalyticExpression angle_iron(double scale) {
    using namespace shapes;
    const AnalyticExpression arm = box(Vec3(4, 1, 1) * scale);
    const AnalyticExpression other = rotate(0.5 * std::numbers::pi, Vec3::UnitZ(), arm);
    return rotate(0.7, Vec3(1, 2, 3).normalized(),
                  union_of(translate(Vec3(1.5, 0, 0) * scale, arm), translate(Vec3(0, 1.5, 0) * scale, other)));
}

TEST(Decomposition, boxes_are_recovered_at_any_rotation_and_size) {
    Random random(82);
    for (const double scale : {1e-3, 1.0, 1e3})
        for (std::size_t k = 0; k < count_of(1, 20); ++k) {
            const Vec3 size = scale * random.in_box({Vec3::Constant(0.4), Vec3::Constant(2)});
            const AnalyticField field(
                shapes::transform({random.rotation(), scale * random.in_ball()}, shapes::box(size)));
            DecompositionReport report;
            const Decomposition parts = decompose(field, {}, &report);
            ASSERT_EQ(parts.boxes.size(), 1u);
            EXPECT_LT(parts.boxes[0].volume(), 1.25 * size.prod());
            EXPECT_LE(report.inside_volume.lower, size.prod());
            EXPECT_GE(report.inside_volume.upper, size.prod());
            EXPECT_LT(report.protrusion.lower, 0.05 * size.norm());
            expect_contained(field, parts, 3000);
        }
}

TEST(Decomposition, an_angle_of_two_arms_becomes_two_parts_at_every_scale) {
    for (const double scale : {1e-3, 1.0, 1e3}) {
        const AnalyticField field(angle_iron(scale));
        DecompositionReport report;
        const Decomposition parts = decompose(field, {}, &report), one = decompose(field, {.parts = 1});
        EXPECT_EQ(parts.boxes.size(), 2u);
        ASSERT_EQ(one.boxes.size(), 1u);
        const double truth = 7 * scale * scale * scale; // 4 + 4 - 1
        EXPECT_LT(report.box_volume, 1.4 * truth);
        EXPECT_GT(one.boxes[0].volume(), 1.5 * truth);
        EXPECT_LE(report.inside_volume.lower, truth);
        EXPECT_GE(report.inside_volume.upper, truth);
        EXPECT_LE(report.fill.lower, truth / report.box_volume);
        EXPECT_GE(report.fill.upper, truth / report.box_volume);
        expect_contained(field, parts, 5000);
        expect_contained(field, one, 5000);
    }
}

TEST(Decomposition, parts_contain_round_hollow_and_thin_shapes_and_fields_that_are_not_distances) {
    using namespace shapes;
    const std::vector<AnalyticExpression> many = {sphere(1),
                                                  torus(1, 0.2),
                                                  shell(0.05, sphere(1)),
                                                  box_frame(Vec3(2, 1.5, 1), 0.1),
                                                  heart(),
                                                  twist(2, 2, box(Vec3(1, 0.4, 2))),
                                                  capsule(Vec3(0, 0, 0), Vec3(3, 2, 1), 0.02),
                                                  union_of(sphere(0.5), translate(Vec3(5, 0, 0), sphere(0.3)))};
    for (const AnalyticExpression& shape : many) {
        SCOPED_TRACE(shape.text());
        const AnalyticField field(shape);
        DecompositionReport report;
        const Decomposition parts = decompose(field, {.max_parts = 12}, &report);
        EXPECT_TRUE(parts.contained);
        EXPECT_TRUE(proven_to_contain(field, parts.boxes));
        EXPECT_GT(report.fill.upper, 0);
        EXPECT_GE(parts.boxes.size(), 1u);
        Random random(83);
        for (int k = 0; k < 20000; ++k) {
            const Vec3 p = random.in_box(field.bounds());
            EXPECT_TRUE(field.distance(p) > 0 || in_a_box(parts, p));
        }
    }
}

TEST(Decomposition, two_bodies_far_apart_are_two_parts_and_the_sum_of_their_boxes_is_small) {
    using namespace shapes;
    const AnalyticField field(union_of(box(Vec3(1, 1, 1)), translate(Vec3(6, 0, 0), box(Vec3(1, 1, 1)))));
    const Decomposition parts = decompose(field);
    EXPECT_EQ(parts.boxes.size(), 2u);
    EXPECT_LT(report_on(field, parts.boxes).box_volume, 2.3);
}

TEST(Decomposition, the_number_of_parts_is_as_requested_and_more_parts_fit_better) {
    const GridField field = build_grid(make_creature({.triangles = 5000}), {.resolution = 64});
    double before = HUGE_VAL;
    for (const int parts : {1, 4, 12}) {
        DecompositionReport report;
        const Decomposition found = decompose(field, {.parts = parts}, &report);
        EXPECT_LE(found.boxes.size(), static_cast<std::size_t>(parts));
        EXPECT_GE(found.boxes.size(), static_cast<std::size_t>(parts) * 2 / 3);
        EXPECT_LT(report.box_volume, before);
        before = report.box_volume;
        expect_contained(field, found, 20000);
    }
}

TEST(Decomposition, protrusion_bounds_enclose_the_sampled_protrusion) {
    const AnalyticField field(angle_iron(1));
    const Decomposition one = decompose(field, {.parts = 1});
    const DecompositionReport report = report_on(field, one.boxes);
    Random random(84);
    double largest = 0;
    for (int k = 0; k < 20000; ++k)
        largest = std::max(largest,
                           field.distance(one.boxes[0].pose * random.in_box({-one.boxes[0].half, one.boxes[0].half})));
    EXPECT_LE(largest, report.protrusion.upper);
    EXPECT_GE(report.protrusion.lower, 0.5 * largest);
    EXPECT_GT(largest, 0.5);
}

TEST(Decomposition, threads_change_nothing) {
    const GridField field = build_grid(make_creature({.triangles = 5000}), {.resolution = 64});
    std::vector<Decomposition> found;
    for (const std::size_t threads : {1u, 2u, 5u}) {
        set_thread_count(threads);
        found.push_back(decompose(field));
    }
    set_thread_count(0);
    for (const Decomposition& other : found) {
        ASSERT_EQ(other.boxes.size(), found[0].boxes.size());
        for (std::size_t k = 0; k < other.boxes.size(); ++k) {
            EXPECT_EQ(other.boxes[k].half, found[0].boxes[k].half);
            EXPECT_EQ(other.boxes[k].pose.translation, found[0].boxes[k].pose.translation);
            EXPECT_EQ(other.boxes[k].pose.rotation.coeffs(), found[0].boxes[k].pose.rotation.coeffs());
        }
    }
}

TEST(Decomposition, boxes_of_others_are_checked_and_grown) {
    const AnalyticField field(shapes::sphere(1));
    const std::vector<OrientedBox> small = {
        {Pose::from_axis_angle(0.3, Vec3::UnitZ(), Vec3(-0.4, 0, 0)), Vec3(0.4, 0.9, 0.9)},
        {Pose::from_translation(Vec3(0.4, 0, 0)), Vec3(0.4, 0.9, 0.9)}};
    EXPECT_FALSE(proven_to_contain(field, small));
    DecompositionReport report;
    const Decomposition large = grown_to_contain(field, small, {}, &report);
    EXPECT_EQ(large.boxes.size(), 2u);
    EXPECT_TRUE(proven_to_contain(field, large.boxes));
    EXPECT_GT(report.cells, 0u);
    expect_contained(field, large, 3000);
    const std::vector<OrientedBox> enough = {{{}, Vec3::Constant(1.001)}};
    EXPECT_TRUE(proven_to_contain(field, enough));
    EXPECT_EQ(grown_to_contain(field, enough).boxes[0].half, enough[0].half);
    EXPECT_EQ(grown_to_contain(field, {}).boxes.size(), 1u);
}

TEST(Decomposition, rejects_unsupported_input_with_a_reason) {
    const AnalyticField plane(shapes::plane(Vec3::UnitZ(), 0)), ball(shapes::sphere(1));
    EXPECT_THROW((void)decompose(plane), Error);
    EXPECT_THROW((void)decompose(ball, {.parts = -1}), Error);
    EXPECT_THROW((void)decompose(ball, {.parts = 1000}), Error);
    EXPECT_THROW((void)decompose(ball, {.worth = std::nan("")}), Error);
    EXPECT_THROW((void)decompose(ball, {.detail = -1}), Error);
    const std::vector<OrientedBox> bad = {{{}, Vec3::Ones()}, {{}, Vec3(1, -1, 1)}};
    try {
        (void)grown_to_contain(ball, bad);
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.place().index, 1);
    }
}

// ---- Pairs

// Nearest points in turn: never less than the distance.
double distance_from_above(const OrientedBox& a, const OrientedBox& b) {
    Vec3 p = a.pose.translation, q = b.closest(p);
    for (int k = 0; k < 300; ++k) p = a.closest(q), q = b.closest(p);
    return (p - q).norm();
}

TEST(DualTreeBound, are_the_pairs_whose_boxes_overlap_or_are_within_the_margin) {
    Random random(85);
    const AnalyticField field(angle_iron(1));
    const Decomposition parts = decompose(field, {.parts = 6});
    std::size_t kept = 0, all = 0;
    std::vector<PartPair> pairs;
    for (std::size_t k = 0; k < count_of(200, 5000); ++k) {
        const Pose a{random.rotation(), 100 * random.in_ball()},
            b{random.rotation(), a.translation + 4 * random.in_ball()};
        const double margin = k % 2 ? 0 : 0.3;
        overlapping_parts(parts, a, parts, b, pairs, margin);
        for (Index i = 0; i < parts.boxes.size(); ++i)
            for (Index j = 0; j < parts.boxes.size(); ++j) {
                const OrientedBox x{a * parts.boxes[i].pose, parts.boxes[i].half},
                    y{b * parts.boxes[j].pose, parts.boxes[j].half};
                const bool found = std::find(pairs.begin(), pairs.end(), PartPair{i, j}) != pairs.end();
                if (margin == 0) {
                    EXPECT_EQ(found, boxes_overlap(x, y));
                } else if (found) {
                    EXPECT_LE(gap_between(x, y), margin * (1 + 1e-9));
                } else {
                    EXPECT_GT(distance_from_above(x, y), margin);
                }
            }
        kept += pairs.size();
        all += parts.boxes.size() * parts.boxes.size();
    }
    EXPECT_GT(kept, all / 20);
    EXPECT_LT(kept, all * 4 / 5);
}

// Two cubes, centred in their frames, touch at a corner of one and a face of the other; the relative pose is rounded by
// more than they overlap.
TEST(OverlappingParts, include_boxes_far_from_the_origin_that_overlap_by_less_than_the_rounding_of_poses) {
    Random random(86);
    Decomposition cube;
    cube.boxes = {{Pose{}, Vec3::Ones()}};
    const double reach = std::sqrt(3.0);
    int overlapping = 0, dropped = 0;
    std::vector<PartPair> pairs;
    for (std::size_t k = 0; k < count_of(300, 5000); ++k) {
        // Face z of a, in the world: the corner of b points at it.
        const Pose a{random.rotation(), 1e6 * random.in_ball()};
        const Quat corner_up = Quat::FromTwoVectors(Vec3::Ones(), -Vec3::UnitZ());
        const Pose b{a.rotation * corner_up,
                     a.translation + (1 + reach + (k % 2 ? -1e-10 : 1e-6)) * (a.rotation * Vec3::UnitZ())};
        overlapping_parts(cube, a, cube, b, pairs);
        using Long = Eigen::Matrix<long double, 3, 1>;
        const auto rotated = [](const Quat& q, const Long& v) -> Long {
            const Eigen::Quaternion<long double> exactly(q.w(), q.x(), q.y(), q.z());
            return exactly.normalized() * v;
        };
        const Long way = b.translation.cast<long double>() - a.translation.cast<long double>();
        const Long corner = rotated(a.rotation.conjugate(), way + rotated(b.rotation, Long::Ones()));
        if (corner.z() <= 1) {
            ++overlapping;
            EXPECT_EQ(pairs.size(), 1u) << static_cast<double>(1 - corner.z());
        }
        dropped += pairs.empty();
    }
    EXPECT_GT(overlapping, 30);
    EXPECT_GT(dropped, 30);
}

// ---- Real meshes

TEST(Decomposition, every_closed_model_is_contained_with_proof) {
    FATHOM_NEEDS_MODELS();
    std::size_t seen = 0;
    double filled = 0, one_filled = 0;
    for (const char* name :
         {"bunny.obj", "armadillo.off", "dragon_vrip_res3.ply", "SaladBowl.obj", "cygnss.stl", "pawn.obj",
          "rocker-arm.obj", "horse.ply", "fish.obj", "human_man.obj", "rabbit.obj", "aneurysm3D_1.off", "bennu.stl"}) {
        if (seen >= count_of(3, 1000)) break;
        if (!std::filesystem::exists(testing::models() / name)) continue;
        SCOPED_TRACE(name);
        const GridField field = build_grid(read_triangle_mesh(testing::models() / name), {.resolution = 128});
        DecompositionReport report;
        const auto start = std::chrono::steady_clock::now();
        const Decomposition parts = decompose(field, {}, &report);
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        const Decomposition one = decompose(field, {.parts = 1});
        expect_contained(field, parts, 50000);
        filled += report.fill.middle();
        one_filled += report.inside_volume.middle() / one.boxes[0].volume();
        ++seen;
        RecordProperty(std::string(name) + "_seconds", std::to_string(seconds));
    }
    EXPECT_GE(seen, 1u);
    EXPECT_GT(filled, 1.3 * one_filled);
}

} // namespace decomposition_test
} // namespace fathom
