#include <fathom/detect/decomposition/detection_points.h>

#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/base/random.h>
#include <fathom/field/analytic/analytic_field.h>
#include <fathom/field/analytic/primitives.h>
#include <fathom/field/grid/bake.h>
#include <fathom/field/mesh/grid_builder.h>
#include <fathom/geometry/io/mesh_file.h>
#include <fathom/geometry/primitive/oriented_box.h>

#include <support/models.h>
#include <support/plain_fields.h>
#include <support/test_counts.h>

#include <gtest/gtest.h>

namespace fathom {
namespace detection_points_test {

using testing::count_of;

OrientedBox random_box(Random& random, double scale) {
    return {{random.rotation(), scale * random.in_ball()},
            scale * random.in_box({Vec3::Constant(0.05), Vec3::Constant(0.8)})};
}

TEST(CommonPoints, lie_in_both_boxes_and_one_exists_wherever_the_boxes_overlap) {
    Random random(91);
    std::size_t meet = 0;
    const std::size_t count = count_of(600, 20000);
    std::vector<Vec3> points;
    for (std::size_t k = 0; k < count; ++k) {
        const double scale = std::array{1e-3, 1.0, 1e3}[k % 3];
        const OrientedBox a = random_box(random, scale), b = random_box(random, scale);
        common_points(a, b, points);
        EXPECT_EQ(!points.empty(), boxes_overlap(a, b));
        meet += !points.empty();
        for (const Vec3& p : points) {
            EXPECT_LE((a.closest(p) - p).norm(), 1e-12 * scale);
            EXPECT_LE((b.closest(p) - p).norm(), 1e-12 * scale);
        }
        EXPECT_LE(points.size(), 64u);
    }
    EXPECT_GT(meet, count / 5);
    EXPECT_LT(meet, count * 4 / 5);
}

TEST(CommonPoints, spread_over_the_common_region) {
    const OrientedBox a{{}, Vec3(1, 1, 1)}, b{Pose::from_translation(Vec3(1, 1, 0)), Vec3(1, 1, 1)};
    std::vector<Vec3> points;
    common_points(a, b, points, {.depth = 4});
    Box bounds;
    for (const Vec3& p : points) bounds.extend(p);
    EXPECT_GE(points.size(), 1u);
    const OrientedBox turned{Pose::from_axis_angle(0.5, Vec3(1, 1, 1).normalized(), Vec3(0.5, 0.5, 0)), Vec3(1, 1, 1)};
    common_points(a, turned, points, {.depth = 4});
    ASSERT_GT(points.size(), 30u);
    bounds = Box{};
    for (const Vec3& p : points) bounds.extend(p);
    EXPECT_GT(bounds.size().minCoeff(), 0.8);
    EXPECT_THROW(common_points(a, b, points, {.depth = 9}), Error);
    EXPECT_THROW(common_points(a, b, points, {.max_points = 0}), Error);
}

TEST(BoxDistanceRange, encloses_the_distance_at_every_point_and_tightens) {
    Random random(92);
    std::size_t inside = 0, outside = 0;
    for (int k = 0; k < 500; ++k) {
        const OrientedBox box = random_box(random, 1);
        const Vec3 center = box.pose.translation + random.in_ball();
        for (const double size : {0.3, 1e-9}) {
            const Box over = Box::around(center, size * random.in_box({Vec3::Zero(), Vec3::Ones()}));
            const Interval range = box_distance_range(box, over);
            for (int n = 0; n < 20; ++n) {
                const Vec3 q = box.pose.to_local(random.in_box(over)).cwiseAbs() - box.half;
                const double truth = q.cwiseMax(0.0).norm() + std::min(q.maxCoeff(), 0.0);
                EXPECT_LE(range.lower, truth);
                EXPECT_GE(range.upper, truth);
            }
            EXPECT_LE(range.width(), 6 * size + 1e-12);
            inside += range.upper <= 0;
            outside += range.lower > 0;
        }
    }
    EXPECT_GT(inside, 50u);
    EXPECT_GT(outside, 50u);
}

// ---- Protrusions

// A ball with spikes along given directions.
AnalyticExpression star_of(std::span<const Vec3> directions, double scale) {
    using namespace shapes;
    std::vector<AnalyticExpression> shapes = {sphere(scale)};
    for (const Vec3& d : directions) shapes.push_back(capsule(Vec3::Zero(), 1.6 * scale * d, 0.06 * scale));
    return union_of(std::move(shapes));
}

double nearest(std::span<const Vec3> points, const Vec3& p) {
    double least = HUGE_VAL;
    for (const Vec3& q : points) least = std::min(least, (p - q).norm());
    return least;
}

TEST(ProtrusionPoints, every_spike_keeps_a_point_and_a_smooth_sphere_keeps_few) {
    const std::vector<Vec3> spikes = {Vec3(1, 0, 0), Vec3(0, -1, 0), Vec3(1, 1, 1).normalized(),
                                      Vec3(-1, 2, -1).normalized(), Vec3(0.3, -0.2, -0.9).normalized()};
    for (const double scale : {1e-3, 1.0, 1e3}) {
        const AnalyticField field(star_of(spikes, scale));
        const ProtrusionPoints found = protrusion_points(field);
        for (const Vec3& p : found.points) EXPECT_LT(field.distance(p), 0);
        for (const Vec3& d : spikes) EXPECT_LT(nearest(found.points, 1.6 * scale * d), 0.06 * scale + found.reach);
        for (std::size_t i = 0; i < found.points.size(); ++i)
            for (std::size_t j = 0; j < i; ++j) EXPECT_GE((found.points[i] - found.points[j]).norm(), found.reach);
        EXPECT_LT(found.points.size(), 400u);
    }
}

TEST(ProtrusionPoints, satisfy_the_rule_of_the_paper_and_are_complete_on_the_lattice) {
    const AnalyticField formula(star_of(std::vector<Vec3>{Vec3(0, 0, 1), Vec3(0.6, 0.8, 0)}, 1));
    const GridField field = bake(formula, {.box = {}, .resolution = 48});
    const ProtrusionPoints found = protrusion_points(field);
    const auto outside = [&](const Vec3& p) {
        int count = 0;
        for (int n = 0; n < 6; ++n)
            count += field.distance(p + (n % 2 ? 1 : -1) * found.reach * Vec3::Unit(n / 2)) > found.boundary;
        return count;
    };
    EXPECT_LE(found.boundary, 0);
    EXPECT_FALSE(found.points.empty());
    for (const Vec3& p : found.points) {
        EXPECT_LT(field.distance(p), found.boundary);
        EXPECT_GE(outside(p), 4);
    }
    // By brute force over the whole lattice: every point that qualifies has a kept one near.
    std::size_t qualify = 0, points = 0;
    const Box box = field.bounds();
    for (double z = std::ceil(box.lower.z() / found.spacing); z * found.spacing <= box.upper.z(); ++z)
        for (double y = std::ceil(box.lower.y() / found.spacing); y * found.spacing <= box.upper.y(); ++y)
            for (double x = std::ceil(box.lower.x() / found.spacing); x * found.spacing <= box.upper.x(); ++x) {
                const Vec3 p = found.spacing * Vec3(x, y, z);
                ++points;
                if (!(field.distance(p) < found.boundary) || outside(p) < 4) continue;
                ++qualify;
                EXPECT_LE(nearest(found.points, p), found.reach * (1 + 1e-12));
            }
    EXPECT_GT(qualify, found.points.size());
    EXPECT_LT(qualify, points / 5);
}

TEST(ProtrusionPoints, the_flat_sides_of_a_box_keep_none_its_corners_all) {
    const AnalyticField field(shapes::rotate(0.4, Vec3(1, 1, 0).normalized(), shapes::box(Vec3(2, 2, 2))));
    const ProtrusionPoints found = protrusion_points(field);
    for (int k = 0; k < 8; ++k) {
        const Vec3 corner = Pose::from_axis_angle(0.4, Vec3(1, 1, 0).normalized()) *
                            Box{Vec3::Constant(-1), Vec3::Constant(1)}.corner(k);
        EXPECT_LT(nearest(found.points, corner), 3 * found.reach);
    }
    const Pose turn = Pose::from_axis_angle(0.4, Vec3(1, 1, 0).normalized());
    for (const Vec3& p : found.points) { // near an edge at least: two coordinates of the box's own frame are nearly 1
        Vec3 q = turn.to_local(p).cwiseAbs();
        std::sort(q.begin(), q.end());
        EXPECT_GT(q[1], 1 - 2 * found.reach);
    }
}

TEST(ProtrusionPoints, threads_change_nothing_and_bad_options_are_refused) {
    const AnalyticField field(star_of(std::vector<Vec3>{Vec3(0, 0, 1)}, 1)), plane(shapes::plane(Vec3::UnitZ(), 0));
    set_thread_count(1);
    const auto one = protrusion_points(field).points;
    set_thread_count(4);
    EXPECT_EQ(protrusion_points(field).points, one);
    set_thread_count(0);
    EXPECT_THROW((void)protrusion_points(plane), Error);
    EXPECT_THROW((void)protrusion_points(field, {.spacing = -1}), Error);
    EXPECT_THROW((void)protrusion_points(field, {.reach = std::nan("")}), Error);
    EXPECT_THROW((void)protrusion_points(field, {.max_candidates = 1}), Error);
    EXPECT_GT(protrusion_points(field, {.max_candidates = 1000}).spacing, protrusion_points(field).spacing);
}

TEST(ProtrusionPoints, of_a_dragon_are_some_hundred) {
    FATHOM_NEEDS_MODELS();
    const auto path = testing::models() / "dragon_vrip_res3.ply";
    if (!std::filesystem::exists(path)) GTEST_SKIP();
    const GridField field = build_grid(read_triangle_mesh(path), {.resolution = 128});
    const ProtrusionPoints found = protrusion_points(field);
    EXPECT_GT(found.points.size(), 50u);
    EXPECT_LT(found.points.size(), 5000u);
    RecordProperty("points", std::to_string(found.points.size()));
}

} // namespace detection_points_test
} // namespace fathom
