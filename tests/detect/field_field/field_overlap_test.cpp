#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/base/random.h>
#include <fathom/detect/bounds/transformed_field.h>
#include <fathom/detect/field_field/field_overlap.h>
#include <fathom/field/analytic/analytic_field.h>
#include <fathom/field/analytic/primitives.h>
#include <fathom/field/grid/bake.h>
#include <fathom/field/mesh/grid_builder.h>
#include <fathom/field/mesh/mesh_field.h>
#include <fathom/geometry/generate/generate.h>

#include "support/test_counts.h"

#include <gtest/gtest.h>

#include <numbers>

namespace fathom {
namespace field_overlap_test {

using std::numbers::pi;

FieldPtr formula(const AnalyticExpression& shape) { return std::make_shared<AnalyticField>(shape); }

// Of the common part of two balls.
double lens_volume(double r, double s, double d) {
    if (d >= r + s) return 0;
    if (d <= std::abs(r - s)) return 4 * pi / 3 * std::pow(std::min(r, s), 3);
    return pi * std::pow(r + s - d, 2) * (d * d + 2 * d * (r + s) - 3 * (r - s) * (r - s)) / (12 * d);
}

constexpr field_field::FieldOverlapOptions yes_or_no{
    .depth = 30, .order = field_field::OverlapOrder::best_first, .stop_at_first = true};

bool is_common(const Field& a, const Pose& pose_a, const Field& b, const Pose& pose_b, const Vec3& p, double slack) {
    return a.distance(pose_a.to_local(p)) <= slack && b.distance(pose_b.to_local(p)) <= slack;
}

TEST(FieldOverlap, the_common_volume_of_two_spheres_is_enclosed_and_the_bounds_tighten_with_depth) {
    Random random(1);
    for (const double scale : {1e-3, 1.0, 1e3}) {
        for (std::size_t k = 0; k < testing::count_of(4, 50); ++k) {
            const double r = scale, s = random.uniform(0.4, 1.5) * scale, d = random.uniform(0.05, 1.1) * (r + s);
            const FieldPtr a = formula(shapes::sphere(r)), b = formula(shapes::sphere(s));
            const Pose pose_a{random.rotation(), scale * random.in_ball()};
            const Pose pose_b{random.rotation(), pose_a.translation + d * random.direction()};
            const double truth = lens_volume(r, s, d), rounding = 1e-12 * scale * scale * scale;
            double width = HUGE_VAL;
            for (const int depth : {2, 4, 6}) {
                const field_field::FieldOverlap overlap =
                    field_field::field_overlap(*a, pose_a, *b, pose_b, {.depth = depth});
                EXPECT_LE(overlap.volume.lower, truth + rounding);
                EXPECT_GE(overlap.volume.upper, truth - rounding);
                EXPECT_LE(overlap.volume.width(), truth > 0 ? 0.6 * width : width);
                EXPECT_EQ(overlap.inside.size(), overlap.inside_count);
                EXPECT_EQ(overlap.border.size(), overlap.border_count);
                EXPECT_FALSE(overlap.budget_exhausted);
                width = overlap.volume.width();
            }
            EXPECT_LT(width, 0.5 * truth + 0.05 * std::pow(std::min(r, s), 3));
        }
    }
}

TEST(FieldOverlap, axis_aligned_boxes_have_their_exact_common_volume) {
    Random random(2);
    for (std::size_t k = 0; k < testing::count_of(20, 300); ++k) {
        const Vec3 size_a = Vec3(random.uniform(0.5, 2), random.uniform(0.5, 2), random.uniform(0.5, 2)),
                   size_b = Vec3(1, 2, 0.5);
        const Vec3 move = 1.2 * random.in_ball();
        const FieldPtr a = formula(shapes::box(size_a)), b = formula(shapes::box(size_b));
        const double truth =
            intersection(Box::around(Vec3::Zero(), size_a / 2), Box::around(move, size_b / 2)).volume();
        const field_field::FieldOverlap overlap =
            field_field::field_overlap(*a, {}, *b, Pose::from_translation(move), {.depth = 5});
        EXPECT_LE(overlap.volume.lower, truth + 1e-13);
        EXPECT_GE(overlap.volume.upper, truth - 1e-13);
        EXPECT_LT(overlap.volume.upper, truth + 0.02) << "the region is the common box itself";
        EXPECT_EQ(overlap.status, truth > 0 ? Status::overlapping : Status::disjoint);
    }
}

TEST(FieldOverlap, a_sphere_at_a_corner_of_a_rotated_box_shares_an_eighth) {
    const FieldPtr ball = formula(shapes::sphere(0.5)), box = formula(shapes::box({2, 2, 2}));
    Random random(3);
    for (std::size_t k = 0; k < 5; ++k) {
        const Pose pose_box{random.rotation(), random.in_ball()};
        const field_field::FieldOverlap overlap = field_field::field_overlap(
            *ball, Pose{random.rotation(), pose_box * Vec3(1, -1, 1)}, *box, pose_box, {.depth = 6});
        const double truth = 4 * pi / 3 * 0.125 / 8;
        EXPECT_LE(overlap.volume.lower, truth);
        EXPECT_GE(overlap.volume.upper, truth);
        EXPECT_LT(overlap.volume.width(), 0.3 * truth);
    }
}

TEST(FieldOverlap, nested_bodies_overlap_in_the_inner_one) {
    const FieldPtr inner = formula(shapes::torus(0.5, 0.2)), outer = formula(shapes::box({4, 4, 4})),
                   hollow = formula(shapes::shell(0.02, shapes::sphere(1.5)));
    const Pose turned = Pose::from_axis_angle(1, Vec3(1, 2, 3).normalized(), {0.2, 0.1, -0.3});
    const double torus = 2 * pi * pi * 0.5 * 0.04;
    for (const bool swapped : {false, true}) {
        const field_field::FieldOverlap overlap =
            swapped ? field_field::field_overlap(*outer, {}, *inner, turned, {.depth = 6})
                    : field_field::field_overlap(*inner, turned, *outer, {}, {.depth = 6});
        EXPECT_EQ(overlap.status, Status::overlapping);
        EXPECT_TRUE(overlap.volume.contains(torus));
        EXPECT_LT(overlap.volume.width(), 0.5 * torus);
    }
    EXPECT_EQ(field_field::field_overlap(*inner, turned, *hollow, {}, yes_or_no).status, Status::disjoint)
        << "a bubble in an empty ball";
}

// 1e-9 of their size apart is proven to be apart; a shallow overlap is found; a touch in one point is not denied.
TEST(FieldOverlap, tiny_gaps_and_tiny_overlaps_are_decided) {
    Random random(4);
    for (const double scale : {1e-3, 1.0, 1e3}) {
        const FieldPtr ball = formula(shapes::sphere(scale)),
                       other = formula(shapes::capsule(scale * Vec3(0, 0, -1), scale * Vec3(0, 0, 1), 0.5 * scale));
        for (std::size_t k = 0; k < testing::count_of(10, 200); ++k) {
            const Vec3 direction = random.direction();
            const Quat turn = random.rotation();
            const Vec3 middle = turn * Vec3(0, 0, random.uniform(-1, 1) * scale);
            const Vec3 across = (direction - turn * Vec3(0, 0, 1) * direction.dot(turn * Vec3(0, 0, 1))).normalized();
            const auto overlap_at = [&](double distance, int depth = 30) {
                field_field::FieldOverlapOptions options = yes_or_no;
                options.depth = depth;
                return field_field::field_overlap(*ball, Pose{random.rotation(), middle + distance * scale * across},
                                                  *other, {turn, Vec3::Zero()}, options);
            };
            const field_field::FieldOverlap apart = overlap_at(1.5 + 1e-9);
            EXPECT_EQ(apart.status, Status::disjoint);
            EXPECT_LT(apart.evaluations, 200'000u);
            EXPECT_NE(overlap_at(1.5, 12).status, Status::disjoint);
            EXPECT_EQ(overlap_at(1.5 - 1e-4).status, Status::overlapping);
        }
    }
}

struct Kinds {
    std::vector<FieldPtr> fields;
    std::vector<double> errors; // of the zero surface
};

// One ball of radius 0.5 in all its forms.
Kinds balls() {
    const TriangleMesh mesh = make_sphere({.radius = 0.5, .resolution = 12});
    Kinds kinds;
    kinds.fields = {formula(shapes::sphere(0.5)), std::make_shared<GridField>(build_grid(mesh, {.resolution = 48})),
                    std::make_shared<MeshField>(mesh),
                    std::make_shared<GridField>(
                        bake(AnalyticField(shapes::sphere(0.5)), {.box = {}, .resolution = 48, .dense = true}))};
    kinds.errors = {0, 0.01, 0.005, 0.01};
    return kinds;
}

TEST(FieldOverlap, every_kind_of_field_is_tested_with_every_other_in_both_orders) {
    const Kinds kinds = balls();
    Random random(5);
    std::size_t hits = 0, runs = 0;
    for (std::size_t i = 0; i < kinds.fields.size(); ++i)
        for (std::size_t j = 0; j < kinds.fields.size(); ++j)
            for (std::size_t k = 0; k < testing::count_of(4, 60); ++k) {
                const double d = random.uniform(0.5, 1.6), error = kinds.errors[i] + kinds.errors[j];
                const Pose pose_a{random.rotation(), random.in_ball()},
                    pose_b{random.rotation(), pose_a.translation + d * random.direction()};
                const field_field::FieldOverlap yes =
                    field_field::field_overlap(*kinds.fields[i], pose_a, *kinds.fields[j], pose_b, yes_or_no);
                const field_field::FieldOverlap swapped =
                    field_field::field_overlap(*kinds.fields[j], pose_b, *kinds.fields[i], pose_a, yes_or_no);
                if (d < 1 - error) {
                    EXPECT_EQ(yes.status, Status::overlapping) << i << j;
                }
                if (d > 1 + error) {
                    EXPECT_EQ(yes.status, Status::disjoint) << i << j << " " << d;
                }
                EXPECT_EQ(yes.status, swapped.status);
                if (yes.status == Status::overlapping) {
                    EXPECT_TRUE(is_common(*kinds.fields[i], pose_a, *kinds.fields[j], pose_b, yes.witness, 1e-12));
                }
                const field_field::FieldOverlap cells =
                    field_field::field_overlap(*kinds.fields[i], pose_a, *kinds.fields[j], pose_b, {.depth = 5});
                EXPECT_LE(cells.volume.lower, lens_volume(0.5, 0.5, std::max(d - error, 1e-9)));
                EXPECT_GE(cells.volume.upper, lens_volume(0.5, 0.5, d + error));
                hits += yes.status == Status::overlapping;
                ++runs;
            }
    EXPECT_GT(hits, runs / 5);
    EXPECT_LT(hits, 4 * runs / 5);
}

// Dense samples of both bodies: none is where cells say there is nothing, and all points of inside cells are common.
TEST(FieldOverlap, samples_never_contradict_the_cells) {
    const TriangleMesh mesh = make_creature({.triangles = 3000});
    const auto grid = std::make_shared<GridField>(build_grid(mesh, {.resolution = 48}));
    const double size = grid->bounds().diagonal();
    const std::vector<FieldPtr> fields = {
        grid,
        formula(shapes::scale(0.4 * size, shapes::difference(shapes::torus(0.7, 0.25), shapes::box({0.5, 0.5, 3})))),
        formula(shapes::scale(size / 60, shapes::heart())), std::make_shared<MeshField>(mesh)};
    Random random(6);
    std::size_t seen = 0, runs = 0, disjoint = 0, undecided = 0;
    for (std::size_t k = 0; k < testing::count_of(12, 300); ++k) {
        const Field &a = *fields[k % 4], &b = *fields[random.below(4)];
        const Pose pose_a{random.rotation(), size * random.in_ball()},
            pose_b{random.rotation(), pose_a.translation + 0.6 * size * random.in_ball()};
        const field_field::FieldOverlap overlap = field_field::field_overlap(a, pose_a, b, pose_b, {.depth = 5});
        const Box bounds = a.bounds();
        bool any = false;
        for (int i = 0; i < 4000; ++i) {
            const Vec3 p = pose_a * random.in_box(bounds), local = overlap.frame.to_local(p);
            const bool common = is_common(a, pose_a, b, pose_b, p, 0);
            any = any || common;
            const auto holds = [&](const Box& box) { return box.grown(1e-12 * size).contains(local); };
            if (common) {
                EXPECT_TRUE(std::ranges::any_of(overlap.inside, holds) || std::ranges::any_of(overlap.border, holds));
            }
        }
        for (const Box& box : overlap.inside)
            EXPECT_TRUE(is_common(a, pose_a, b, pose_b, overlap.frame * random.in_box(box), 1e-12 * size));
        if (any) {
            EXPECT_NE(overlap.status, Status::disjoint);
        }
        undecided += any && overlap.status == Status::undecided;
        disjoint += overlap.status == Status::disjoint;
        seen += any;
        ++runs;
    }
    EXPECT_GT(seen, runs / 5);
    EXPECT_GT(disjoint, 0u);
    EXPECT_LE(undecided, runs / 20);
}

TEST(FieldOverlap, order_threads_and_comparisons_agree) {
    std::vector<AnalyticExpression> many;
    Random random(7);
    for (int k = 0; k < 60; ++k)
        many.push_back(shapes::translate(random.in_ball(), shapes::rounded_box({0.3, 0.2, 0.1}, 0.02)));
    const FieldPtr a = formula(shapes::union_of(many)), b = formula(shapes::torus(0.7, 0.3));
    const Pose pose = Pose::from_axis_angle(0.7, Vec3(1, 2, 2).normalized(), {0.3, 0.1, 0.2});
    const field_field::FieldOverlap whole = field_field::field_overlap(*a, {}, *b, pose, {.depth = 6});
    EXPECT_GT(whole.inside_count, 100u);
    const std::size_t threads = thread_count();
    const auto same_boxes = [](const std::vector<Box>& x, const std::vector<Box>& y) {
        return std::ranges::equal(x, y,
                                  [](const Box& s, const Box& t) { return s.lower == t.lower && s.upper == t.upper; });
    };
    std::array<field_field::FieldOverlap, 2> first; // with one thread, for both budgets
    for (const std::size_t count : {1u, 2u, 5u}) {
        set_thread_count(count);
        for (const std::size_t max_evaluations : {4'000'000u, 20'000u}) {
            const field_field::FieldOverlap again =
                field_field::field_overlap(*a, {}, *b, pose, {.depth = 6, .max_evaluations = max_evaluations});
            field_field::FieldOverlap& reference = first[max_evaluations == 20'000u];
            if (count == 1) reference = again;
            EXPECT_TRUE(same_boxes(again.inside, reference.inside) && same_boxes(again.border, reference.border));
            EXPECT_EQ(again.volume, reference.volume);
            EXPECT_EQ(again.evaluations, reference.evaluations);
            EXPECT_EQ(again.witness, reference.witness);
            EXPECT_EQ(again.budget_exhausted, max_evaluations == 20'000u);
            EXPECT_LT(again.evaluations, max_evaluations + 100);
            EXPECT_TRUE(again.volume.contains(whole.volume.middle()));
        }
    }
    set_thread_count(threads);
    const field_field::FieldOverlap best =
        field_field::field_overlap(*a, {}, *b, pose, {.depth = 6, .order = field_field::OverlapOrder::best_first});
    const field_field::FieldOverlap plain =
        field_field::field_overlap(*a, {}, *b, pose, {.depth = 6, .shorten = false});
    EXPECT_EQ(plain.inside_count, whole.inside_count) << "a shortened formula answers the same";
    EXPECT_EQ(best.inside_count, whole.inside_count);
    EXPECT_NEAR(best.volume.lower, whole.volume.lower, 1e-12);
    const field_field::FieldOverlap counted =
        field_field::field_overlap(*a, {}, *b, pose, {.depth = 6, .keep_cells = false});
    EXPECT_TRUE(counted.inside.empty() && counted.border.empty());
    EXPECT_EQ(counted.volume, whole.volume);
}

TEST(FieldOverlap, regions_sizes_and_levels_have_their_stated_meaning) {
    const FieldPtr ball = formula(shapes::sphere(1)), floor = formula(shapes::plane(Vec3::UnitZ(), 0));
    const field_field::FieldOverlap half = field_field::field_overlap(*ball, {}, *floor, {}, {.size = 0.05});
    EXPECT_TRUE(half.volume.contains(2 * pi / 3)) << "a half space has no bounds, the ball has";
    for (const Box& cell : half.border) EXPECT_LE(cell.size().maxCoeff(), 0.05);
    const field_field::FieldOverlap eighth = field_field::field_overlap(
        *ball, Pose::from_axis_angle(1, Vec3::UnitX()), *floor, {}, {.depth = 6, .region = Box{{0, 0, -1}, {1, 1, 0}}});
    EXPECT_TRUE(eighth.volume.contains(pi / 6));
    EXPECT_LT(eighth.volume.width(), 0.1);
    EXPECT_EQ(eighth.frame.translation, Vec3::Zero());

    const auto grid = std::make_shared<GridField>(bake(*ball, {.box = {}, .resolution = 32}));
    for (const FieldPtr& other : {ball, FieldPtr(grid)}) {
        EXPECT_EQ(field_field::field_overlap(*ball, {}, *other, Pose::from_translation({2.5, 0, 0}), yes_or_no).status,
                  Status::disjoint);
        field_field::FieldOverlapOptions grown = yes_or_no;
        grown.level = 0.3;
        EXPECT_EQ(field_field::field_overlap(*ball, {}, *other, Pose::from_translation({2.5, 0, 0}), grown).status,
                  Status::overlapping);
        EXPECT_EQ(field_field::field_overlap(*ball, {}, *other, Pose::from_translation({2.7, 0, 0}), grown).status,
                  Status::disjoint);
        grown.level = -0.3;
        EXPECT_EQ(field_field::field_overlap(*ball, {}, *other, Pose::from_translation({1.5, 0, 0}), grown).status,
                  Status::disjoint);
        EXPECT_EQ(field_field::field_overlap(*ball, {}, *other, Pose::from_translation({1.3, 0, 0}), grown).status,
                  Status::overlapping);
    }
    EXPECT_THROW((void)field_field::field_overlap(*floor, {}, *floor, {}), Error);
    EXPECT_THROW((void)field_field::field_overlap(*ball, {}, *ball, {}, {.depth = -1}), Error);
    EXPECT_THROW((void)field_field::field_overlap(*ball, {}, *ball, {}, {.size = std::nan("")}), Error);
    EXPECT_THROW((void)field_field::field_overlap(*ball, {}, *ball, {}, {.level = HUGE_VAL}), Error);
    EXPECT_THROW(
        (void)field_field::field_overlap(*ball, {}, *ball, {}, {.region = Box{Vec3::Zero(), Vec3::Constant(HUGE_VAL)}}),
        Error);
}

TEST(FieldOverlap, invalid_poses_leave_it_undecided) {
    const FieldPtr ball = formula(shapes::sphere(1));
    for (const double bad : {std::nan(""), HUGE_VAL, -HUGE_VAL, 1e200})
        for (const int where : {0, 1, 2}) {
            Pose pose;
            if (where < 2)
                pose.translation[where] = bad;
            else
                pose.rotation.x() = bad;
            if (where == 2 && std::isfinite(bad)) continue;
            EXPECT_EQ(field_field::field_overlap(*ball, pose, *ball, {}).status, Status::undecided);
            EXPECT_EQ(field_field::field_overlap(*ball, {}, *ball, pose, yes_or_no).status, Status::undecided);
            EXPECT_EQ(field_field::field_overlap(*ball, {}, *ball, pose).volume.upper, HUGE_VAL);
        }
    EXPECT_EQ(field_field::field_overlap(*ball, {}, *ball, Pose::from_translation({1e90, 0, 0})).status,
              Status::disjoint);
}

TEST(TransformedField, a_sphere_within_the_covered_radius_lies_in_the_union_of_the_two) {
    Random random(8);
    std::size_t covered = 0, runs = 0;
    for (std::size_t k = 0; k < 5000; ++k) {
        const Vec3 center = random.in_ball(), a = 2 * random.in_ball(), b = 2 * random.in_ball();
        const double radius_a = random.uniform(0, 3), radius_b = random.uniform(0, 3),
                     radius = covered_radius(center, a, radius_a, b, radius_b);
        covered += radius > 0;
        ++runs;
        for (int i = 0; i < 20 && radius > 0; ++i) {
            const Vec3 p = center + radius * random.direction();
            EXPECT_TRUE((p - a).norm() <= radius_a * (1 + 1e-12) || (p - b).norm() <= radius_b * (1 + 1e-12));
        }
    }
    EXPECT_GT(covered, runs / 5);
    EXPECT_LT(covered, 4 * runs / 5);
}

} // namespace field_overlap_test
} // namespace fathom
