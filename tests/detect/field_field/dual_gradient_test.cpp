#include <fathom/detect/field_field/dual_gradient.h>

#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/base/random.h>
#include <fathom/detect/decomposition/detection_points.h>
#include <fathom/field/analytic/analytic_field.h>
#include <fathom/field/analytic/primitives.h>
#include <fathom/field/grid/bake.h>
#include <fathom/field/mesh/grid_builder.h>
#include <fathom/geometry/generate/generate.h>

#include <support/plain_fields.h>
#include <support/test_counts.h>

#include <gtest/gtest.h>

namespace fathom {
namespace dual_gradient_test {

using testing::count_of;

constexpr std::array both_rules = {field_field::StepRule::fixed, field_field::StepRule::adaptive};

// ---- Precision (the paper's figure 8)

TEST(DualGradient, two_curved_bodies_to_the_last_digit_with_the_step_of_the_paper) {
    const AnalyticField ball(shapes::sphere(1)), ring(shapes::torus(2, 0.5));
    const field_field::PlacedField a{&ball, Pose::from_translation(Vec3(5, 1, 2))}, b{&ring, {}};
    // The torus is as far as its centre circle, less its tube.
    const double flat = std::hypot(5, 1), truth = std::hypot(flat - 2, 2) - 0.5 - 1;
    for (const int steps : {5, 20, 89}) {
        const field_field::DescentEnd end = field_field::nearest_to(
            b, a, Vec3(5.4, 0.7, 2.5),
            {.rule = field_field::StepRule::fixed, .step = 0.5, .tolerance = 1e-18, .max_steps = steps});
        EXPECT_LE(std::abs(end.distance_b - truth), steps == 5 ? 0.3 : steps == 20 ? 1e-3 : 1e-12) << steps;
        EXPECT_LE(end.steps, steps);
    }
    const field_field::DescentEnd end = field_field::nearest_to(b, a, Vec3(5.4, 0.7, 2.5));
    EXPECT_NEAR(end.distance_b, truth, 1e-13);
    EXPECT_LT(end.steps, 60);
}

TEST(DualGradient, distances_of_smooth_pairs_are_those_of_the_closed_form_at_every_scale) {
    Random random(101);
    int most = 0;
    for (std::size_t k = 0; k < count_of(300, 20000); ++k) {
        const double scale = std::array{1e-3, 1.0, 1e3}[k % 3], ra = scale * random.uniform(0.2, 2),
                     rb = scale * random.uniform(0.2, 2), gap = scale * random.uniform(0.01, 3);
        const AnalyticField ball_a(shapes::sphere(ra)), ball_b(shapes::sphere(rb));
        const Vec3 center = scale * random.in_ball(), way = random.direction();
        const field_field::PlacedField a{&ball_a, {random.rotation(), center}},
            b{&ball_b, {random.rotation(), center + (ra + rb + gap) * way}};
        const field_field::DescentEnd end = field_field::nearest_to(b, a, center + 0.99 * ra * random.in_ball());
        EXPECT_NEAR(end.distance_b, gap, 1e-12 * scale);
        EXPECT_LT((end.point - (center + ra * way)).norm(), 1e-6 * scale);
        EXPECT_FALSE(end.common);
        most = std::max(most, end.steps);
        const field_field::DescentEnd swapped = field_field::nearest_to(a, b, center + (ra + rb + gap) * way);
        EXPECT_NEAR(swapped.distance_b, gap, 1e-12 * scale);
    }
    EXPECT_LT(most, 200);
}

TEST(DualGradient, deepest_points_of_spheres_and_capsules_match_the_closed_form) {
    Random random(102);
    for (std::size_t k = 0; k < count_of(300, 20000); ++k) {
        const double scale = std::array{1e-3, 1.0, 1e3}[k % 3], ra = scale * random.uniform(0.3, 1),
                     rb = scale * random.uniform(0.3, 1);
        const double depth = random.uniform(0.05, 0.6) * std::min(ra, rb);
        const Vec3 center = scale * random.in_ball(), way = random.direction();
        const AnalyticField ball(shapes::sphere(ra)),
            pill(shapes::capsule(-2 * scale * Vec3::UnitX(), 2 * scale * Vec3::UnitX(), rb));
        const Quat turn = Quat(Eigen::Quaterniond::FromTwoVectors(Vec3::UnitZ(), way)); // the pill lies across the way
        const field_field::PlacedField a{&ball, Pose::from_translation(center)},
            b{&pill, {turn, center + (ra + rb - depth) * way}};
        const Vec3 middle = center + (ra - 0.5 * depth) * way;
        const field_field::DescentEnd found = field_field::dual_descent(a, b, middle);
        ASSERT_TRUE(found.common);
        const field_field::DualContact contact = field_field::deepest_points(a, b, found.point);
        EXPECT_NEAR(contact.depth_a, depth, 1e-12 * scale);
        EXPECT_NEAR(contact.depth_b, depth, 1e-12 * scale);
        EXPECT_LT((contact.point_a - (center + ra * way)).norm(), 1e-6 * scale);
        EXPECT_LT((contact.point_b - (center + (ra - depth) * way)).norm(), 1e-6 * scale);
        EXPECT_LT((contact.normal_a - way).norm(), 1e-5);
        EXPECT_LT((contact.normal_b - way).norm(), 1e-5);
    }
}

TEST(DualGradient, the_contact_generation_of_the_paper_is_as_precise_as_its_step) {
    const AnalyticField ball(shapes::sphere(1)), other(shapes::sphere(0.8));
    const field_field::PlacedField a{&ball, {}}, b{&other, Pose::from_translation(Vec3(1.5, 0, 0))};
    const field_field::DualDescentOptions fixed{
        .rule = field_field::StepRule::fixed, .step = 0.02, .tolerance = 1e-14, .max_steps = 2000};
    const field_field::DualContact contact = field_field::deepest_points(a, b, Vec3(0.85, 0.1, 0.1), fixed);
    EXPECT_NEAR(contact.depth_a, 0.3, 1e-9);
    EXPECT_NEAR(contact.depth_b, 0.3, 1e-9);
    EXPECT_LT((contact.normal_a - Vec3::UnitX()).norm(), 1e-4);
    EXPECT_LT((contact.normal_b - Vec3::UnitX()).norm(), 1e-4);
}

// ---- Yes and no

TEST(DualGradient, both_rules_separate_disjoint_spheres) {
    Random random(103);
    for (const field_field::StepRule rule : both_rules) {
        std::size_t hits = 0;
        const std::size_t count = count_of(300, 20000);
        for (std::size_t k = 0; k < count; ++k) {
            const double scale = std::array{1e-3, 1.0, 1e3}[k % 3], ra = scale * random.uniform(0.3, 1),
                         rb = scale * random.uniform(0.3, 1);
            const Vec3 way = scale * 1.9 * random.in_ball();
            const double gap = way.norm() - ra - rb;
            if (std::abs(gap) < 1e-3 * scale) continue;
            const AnalyticField ball_a(shapes::sphere(ra)), ball_b(shapes::sphere(rb));
            const field_field::PlacedField a{&ball_a, {}}, b{&ball_b, Pose::from_translation(way)};
            const field_field::DescentEnd end =
                field_field::dual_descent(a, b, scale * 2 * random.in_ball(), {.rule = rule, .max_steps = 1000});
            EXPECT_EQ(end.common, gap < 0)
                << "gap " << gap / scale << " ends at " << end.distance_a << ", " << end.distance_b << " after "
                << end.steps << " rule " << static_cast<int>(rule);
            hits += end.common;
            if (end.common) {
                EXPECT_LE(a.sample(end.point).distance, 1e-15 * scale);
                EXPECT_LE(b.sample(end.point).distance, 1e-15 * scale);
            }
        }
        EXPECT_GT(hits, count / 5);
        EXPECT_LT(hits, count * 4 / 5);
    }
}

TEST(DualGradient, a_common_point_is_in_both_grids_and_a_single_point_may_miss) {
    const GridField field = build_grid(make_creature({.triangles = 5000}), {.resolution = 64});
    const Decomposition parts = decompose(field);
    Random random(104);
    const double size = field.bounds().diagonal();
    std::size_t hits = 0, single = 0, truths = 0;
    const std::size_t count = count_of(60, 2000);
    std::vector<Vec3> dense;
    for (int k = 0; k < 20000; ++k) {
        const Vec3 p = random.in_box(field.bounds());
        if (field.distance(p) < 0) dense.push_back(p);
    }
    for (std::size_t k = 0; k < count; ++k) {
        const Pose pose{random.rotation(), 0.5 * size * random.in_ball()};
        const field_field::PlacedField a{&field, {}}, b{&field, pose};
        const bool truth = std::any_of(dense.begin(), dense.end(),
                                       [&](const Vec3& p) { return field.distance(pose.to_local(p)) < 0; });
        const PlainResult result = plain_field_collision({a, &parts}, {b, &parts}, {.descent = {}});
        truths += truth;
        hits += truth && result.status == Status::overlapping;
        single += truth && field_field::dual_descent(a, b, 0.5 * pose.translation).common;
        if (result.status == Status::overlapping) {
            EXPECT_LE(field.distance(result.common), 1e-12);
            EXPECT_LE(field.distance(pose.to_local(result.common)), 1e-12);
            EXPECT_FALSE(result.contacts.empty());
        }
        if (result.status == Status::disjoint) {
            EXPECT_FALSE(truth);
        }
    }
    EXPECT_GT(truths, count / 5);
    EXPECT_LT(truths, count * 9 / 10);
    EXPECT_GE(hits, truths * 95 / 100);
    EXPECT_LT(single, hits);
}

TEST(DualGradient, ends_of_a_batch_are_those_of_single_points_for_any_number_of_threads) {
    const AnalyticField shape(shapes::smooth_union(shapes::torus(1, 0.3), shapes::box(Vec3(0.5, 0.5, 2)), 0.2)),
        ball(shapes::sphere(0.7));
    const field_field::PlacedField a{&shape, Pose::from_axis_angle(0.4, Vec3::UnitX())},
        b{&ball, Pose::from_translation(Vec3(1.2, 0.5, 0.9))};
    Random random(105);
    std::vector<Vec3> starts;
    for (int k = 0; k < 200; ++k) starts.push_back(2 * random.in_ball());
    for (const field_field::StepRule rule : both_rules) {
        const field_field::DualDescentOptions options{.rule = rule};
        std::vector<field_field::DescentEnd> ends(starts.size());
        std::optional<field_field::DescentEnd> first;
        for (const std::size_t threads : {1u, 4u}) {
            set_thread_count(threads);
            field_field::dual_descents(a, b, starts, ends, options);
            const auto common =
                std::find_if(ends.begin(), ends.end(), [](const field_field::DescentEnd& e) { return e.common; });
            ASSERT_NE(common, ends.end());
            first = field_field::first_common_point(a, b, starts, options);
            ASSERT_TRUE(first);
            EXPECT_EQ(first->point, common->point);
            for (std::size_t k = 0; k < starts.size(); ++k) {
                const field_field::DescentEnd one = field_field::dual_descent(a, b, starts[k], options);
                EXPECT_EQ(one.point, ends[k].point);
                EXPECT_EQ(one.steps, ends[k].steps);
                EXPECT_EQ(one.common, ends[k].common);
            }
        }
    }
    set_thread_count(0);
    EXPECT_FALSE(
        field_field::first_common_point(a, {&ball, Pose::from_translation(Vec3(9, 9, 9))}, starts).has_value());
    EXPECT_FALSE(field_field::first_common_point(a, b, {}).has_value());
}

TEST(DualGradient, step_control_needs_fewer_steps_than_any_fixed_step_of_three_sizes) {
    const AnalyticField egg(shapes::sphere(1)), ring(shapes::torus(2, 0.5));
    Random random(106);
    std::size_t ours = 0;
    std::array<std::size_t, 3> fixed{};
    for (int k = 0; k < 50; ++k) {
        const field_field::PlacedField a{&egg, Pose::from_translation(3.6 * random.direction())},
            b{&ring, {random.rotation(), Vec3::Zero()}};
        const Vec3 start = a.pose.translation + 0.9 * random.in_ball();
        ours += static_cast<std::size_t>(field_field::nearest_to(b, a, start, {.tolerance = 1e-9}).steps);
        for (std::size_t s = 0; s < 3; ++s)
            fixed[s] += static_cast<std::size_t>(field_field::nearest_to(b, a, start,
                                                                         {.rule = field_field::StepRule::fixed,
                                                                          .step = std::array{0.01, 0.1, 0.5}[s],
                                                                          .tolerance = 1e-9,
                                                                          .max_steps = 1000})
                                                     .steps);
    }
    for (const std::size_t steps : fixed) EXPECT_LT(ours, steps);
}

// ---- Hostile

TEST(DualGradient, invalid_input_is_rejected_or_undecided) {
    const AnalyticField ball(shapes::sphere(1)), plane(shapes::plane(Vec3::UnitZ(), 0));
    const field_field::PlacedField a{&ball, {}}, b{&ball, Pose::from_translation(Vec3(1, 0, 0))};
    for (const field_field::StepRule rule : both_rules) {
        EXPECT_FALSE(field_field::dual_descent(a, b, Vec3(std::nan(""), 0, 0), {.rule = rule}).common);
        EXPECT_FALSE(field_field::dual_descent(a, b, Vec3(HUGE_VAL, 0, 0), {.rule = rule}).common);
        EXPECT_TRUE(field_field::dual_descent(a, b, Vec3(1e6, 0, 0), {.rule = rule}).common);
        EXPECT_TRUE(field_field::dual_descent(a, {&plane, Pose::from_translation(Vec3(0, 0, -0.5))}, Vec3::Zero(),
                                              {.rule = rule})
                        .common);
        EXPECT_FALSE(field_field::dual_descent(a, {&plane, Pose::from_translation(Vec3(0, 0, -1.5))}, Vec3::Zero(),
                                               {.rule = rule})
                         .common);
    }
    EXPECT_THROW((void)field_field::dual_descent(a, b, Vec3::Zero(), {.step = -1}), Error);
    EXPECT_THROW((void)field_field::dual_descent(a, b, Vec3::Zero(), {.tolerance = std::nan("")}), Error);
    EXPECT_THROW((void)field_field::dual_descent(a, b, Vec3::Zero(), {.max_steps = 0}), Error);
    EXPECT_THROW((void)plain_field_collision({a, nullptr}, {b, nullptr}), Error);
}

// ---- The whole way

TEST(PlainFieldCollision, finds_every_contact_of_a_bar_on_two_posts_and_proves_distant_bars_disjoint) {
    using namespace shapes;
    const AnalyticField bar(capsule(Vec3(-2, 0, 0), Vec3(2, 0, 0), 0.2));
    const AnalyticField posts(
        union_of(translate(Vec3(-1.5, 0, 0), cylinder(0.3, 2)), translate(Vec3(1.5, 0, 0), cylinder(0.3, 2))));
    const Decomposition bar_parts = decompose(bar), post_parts = decompose(posts);
    ASSERT_EQ(post_parts.boxes.size(), 2u);
    for (const field_field::StepRule rule : both_rules) {
        const PlainOptions options{.descent = {.rule = rule}};
        const PlainBody standing{{&posts, {}}, &post_parts};
        const PlainResult lying =
            plain_field_collision({{&bar, Pose::from_translation(Vec3(0, 0, 1.15))}, &bar_parts}, standing, options);
        EXPECT_EQ(lying.status, Status::overlapping);
        EXPECT_GE(lying.contacts.size(), 2u);
        bool left = false, right = false;
        for (const field_field::DualContact& c : lying.contacts) {
            left = left || c.point_a.x() < -1;
            right = right || c.point_a.x() > 1;
            EXPECT_NEAR(c.depth_a, 0.05, 0.01);
            EXPECT_LT(c.normal_a.z(), -0.9) << "from the bar down to the posts";
        }
        EXPECT_TRUE(left && right);
        EXPECT_EQ(plain_field_collision({{&bar, Pose::from_translation(Vec3(0, 0, 5))}, &bar_parts}, standing, options)
                      .status,
                  Status::disjoint);
        const PlainResult between = plain_field_collision(
            {{&bar, Pose::from_axis_angle(1.5707963, Vec3::UnitZ())}, &bar_parts}, standing, options);
        EXPECT_NE(between.status, Status::overlapping);
        const PlainOptions first{.descent = {.rule = rule}, .all = false};
        EXPECT_EQ(plain_field_collision({{&bar, Pose::from_translation(Vec3(0, 0, 1.15))}, &bar_parts}, standing, first)
                      .contacts.size(),
                  1u);
    }
}

TEST(PlainFieldCollision, protrusions_find_a_spike_that_coarse_boxes_miss) {
    using namespace shapes;
    const AnalyticField thorny(union_of(sphere(1), capsule(Vec3::Zero(), Vec3(0, 0, 1.5), 0.03))),
        wall(box(Vec3(4, 4, 0.1)));
    const Decomposition one = decompose(thorny, {.parts = 1}), wall_parts = decompose(wall);
    const ProtrusionPoints tips = protrusion_points(thorny);
    const Pose above = Pose::from_translation(Vec3(0.6, 0.7, 1.5));
    const PlainResult found = plain_field_collision({{&thorny, {}}, &one, tips.points}, {{&wall, above}, &wall_parts},
                                                    {.octree_depth = 1, .max_points = 1});
    EXPECT_EQ(found.status, Status::overlapping);
}

} // namespace dual_gradient_test
} // namespace fathom
