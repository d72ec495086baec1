#include "support/closed_intervals.h"
#include "support/plain_fields.h"
#include "support/test_counts.h"
#include <fathom/detect/bounds/clearance_radius.h>
#include <fathom/detect/point_field/segment_caster.h>
#include <fathom/field/analytic/analytic_field.h>
#include <fathom/field/analytic/primitives.h>
#include <fathom/field/mesh/mesh_field.h>
#include <fathom/geometry/generate/generate.h>

#include <gtest/gtest.h>

#include <functional>

namespace fathom::point_field {
namespace field_cast_test {

using testing::TimeSpan;
using testing::TimeSpans;

struct Tally {
    std::size_t segments = 0, hits = 0, twice = 0, unproven = 0;
    double unproven_time = 0;
};

double distance_to(const TimeSpans& spans, double t) {
    double least = HUGE_VAL;
    for (const TimeSpan& s : spans) least = std::min(least, std::max({s.start - t, t - s.end, 0.0}));
    return least;
}

bool covers(std::span<const ContactInterval> found, double t, double spare) {
    return std::any_of(found.begin(), found.end(),
                       [&](const ContactInterval& c) { return c.start - spare <= t && t <= c.end + spare; });
}

// Nothing of the truth is missing, and nothing is claimed but within the tolerance of it.
void expect_true(std::span<const ContactInterval> found, const TimeSpans& truth, double tolerance, Tally& tally) {
    const double rounding = 1e-10;
    for (const TimeSpan& s : truth) {
        // The formula of a very short contact is itself rounded.
        if (s.end - s.start < rounding) continue;
        for (const double t : {s.start, 0.5 * (s.start + s.end), s.end}) EXPECT_TRUE(covers(found, t, rounding)) << t;
    }
    for (std::size_t k = 0; k < found.size(); ++k) {
        EXPECT_LE(found[k].start, found[k].end);
        if (k > 0) {
            EXPECT_GT(found[k].start, found[k - 1].end);
        }
        if (!found[k].proven) {
            ++tally.unproven;
            tally.unproven_time += found[k].end - found[k].start;
            continue;
        }
        EXPECT_LE(distance_to(truth, found[k].start), 3 * tolerance + rounding);
        EXPECT_LE(distance_to(truth, found[k].end), 3 * tolerance + rounding);
        for (std::size_t n = 0; n + 1 < truth.size(); ++n)
            if (truth[n].end > found[k].start && truth[n + 1].start < found[k].end) {
                EXPECT_LE(truth[n + 1].start - truth[n].end, 3 * tolerance + rounding) << "a gap was bridged";
            }
    }
    ++tally.segments;
    tally.hits += !truth.empty();
    tally.twice += truth.size() > 1;
}

using Truth = std::function<TimeSpans(const Segment&)>;

Tally check_random(const Field& field, double level, const Box& box, const Truth& truth, std::size_t count,
                   std::uint64_t seed) {
    Random random(seed);
    const ClearanceRadius radius(field, level);
    const CastOptions options{.level = level};
    std::vector<ContactInterval> found;
    Tally tally;
    for (std::size_t k = 0; k < count && !::testing::Test::HasFailure(); ++k) {
        Segment s{random.in_box(box), random.in_box(box)};
        if (random.chance(0.1)) s.end = s.start + 1e-3 * box.diagonal() * random.in_ball();
        found.clear();
        const Status status = cast_all(field, radius, s, options, found);
        const TimeSpans spans = truth(s);
        expect_true(found, spans, options.tolerance, tally);
        const CastHit first = cast_first(field, radius, s, options);
        EXPECT_EQ(first.status, status);
        if (!found.empty()) {
            EXPECT_EQ(first.time, found[0].start);
        }
        if (!spans.empty() && status == Status::overlapping) {
            EXPECT_LE(first.time, spans[0].start + 1e-10);
            EXPECT_GE(first.time + first.error, spans[0].start - 1e-10);
        }
    }
    return tally;
}

std::size_t each_count() { return testing::count_of(1500, 25000); }

void expect_both_outcomes(const Tally& tally) {
    EXPECT_GT(tally.hits, tally.segments / 5);
    EXPECT_LT(tally.hits, tally.segments * 4 / 5);
    EXPECT_LE(tally.unproven, tally.segments / 100);
    EXPECT_LE(tally.unproven_time, 1e-4 * static_cast<double>(tally.segments));
}

TEST(FieldCast, agrees_with_the_closed_form_of_spheres_at_every_scale_and_level) {
    for (const double scale : {1e-3, 1.0, 1e3})
        for (const double level : {0.0, 0.2 * scale, -0.1 * scale}) {
            const AnalyticField field(shapes::sphere(scale));
            expect_both_outcomes(check_random(
                field, level, Box::around(Vec3::Zero(), Vec3::Constant(1.5 * scale)),
                [&](const Segment& s) { return testing::in_ball(s, Vec3::Zero(), scale + level); }, each_count() / 9,
                1));
        }
}

TEST(FieldCast, agrees_with_the_closed_form_of_tori) {
    const AnalyticField field(shapes::torus(1, 0.3));
    for (const double level : {0.0, 0.1}) {
        const Tally tally = check_random(
            field, level, Box::around(Vec3::Zero(), Vec3(1.5, 1.5, 0.8)),
            [&](const Segment& s) { return testing::in_torus(s, 1, 0.3 + level); }, each_count() / 2, 2);
        expect_both_outcomes(tally);
        EXPECT_GT(tally.twice, tally.segments / 50);
    }
}

TEST(FieldCast, agrees_with_the_closed_form_of_boxes) {
    const Vec3 half(0.5, 0.7, 0.2);
    const AnalyticField field(shapes::box(2 * half));
    expect_both_outcomes(check_random(
        field, 0, Box::around(Vec3::Zero(), 1.6 * half), [&](const Segment& s) { return testing::in_block(s, half); },
        each_count(), 3));
}

TEST(FieldCast, agrees_with_the_closed_form_of_rounded_boxes) {
    const Vec3 half(0.5, 0.7, 0.2);
    const AnalyticField rounded(shapes::rounded_box(2 * half, 0.1)), sharp(shapes::box(2 * half));
    const Box box = Box::around(Vec3::Zero(), 1.8 * half);
    expect_both_outcomes(check_random(
        rounded, 0, box, [&](const Segment& s) { return testing::in_grown_block(s, half - Vec3::Constant(0.1), 0.1); },
        each_count() / 2, 4));
    // A ball of radius 0.05 that moves is the level 0.05.
    expect_both_outcomes(check_random(
        sharp, 0.05, box, [&](const Segment& s) { return testing::in_grown_block(s, half, 0.05); }, each_count() / 2,
        5));
}

TEST(FieldCast, agrees_with_the_closed_form_where_a_field_knows_only_its_slope) {
    const testing::TorusField field(1, 0.3);
    expect_both_outcomes(check_random(
        field, 0, Box::around(Vec3::Zero(), Vec3(1.5, 1.5, 0.8)),
        [&](const Segment& s) { return testing::in_torus(s, 1, 0.3); }, each_count() / 2, 6));
}

TEST(FieldCast, grazing_segments_are_never_missed) {
    const AnalyticField field(shapes::sphere(1));
    const ClearanceRadius radius(field, 0);
    Random random(7);
    std::vector<ContactInterval> found;
    std::size_t undecided = 0, hits = 0, misses = 0;
    for (std::size_t k = 0; k < testing::count_of(300, 5000); ++k) {
        const Vec3 n = random.direction(), along = any_perpendicular(n);
        const double height = std::pow(10.0, random.uniform(-12, -2)) * (random.chance(0.5) ? 1 : -1);
        const Segment s{(1 + height) * n - random.uniform(0.1, 2) * along,
                        (1 + height) * n + random.uniform(0.1, 2) * along};
        found.clear();
        const Status status = cast_all(field, radius, s, {}, found);
        if (height < -1e-12) {
            EXPECT_NE(status, Status::disjoint) << height;
        }
        if (height > 1e-12) {
            EXPECT_NE(status, Status::overlapping) << height;
        }
        undecided += status == Status::undecided;
        hits += status == Status::overlapping;
        misses += status == Status::disjoint;
    }
    EXPECT_GT(hits, 50u);
    EXPECT_GT(misses, 50u);
    EXPECT_LT(undecided, hits + misses);
}

TEST(FieldCast, an_exhausted_budget_is_undecided_and_names_the_time) {
    const testing::BallField field(Vec3::Zero(), 1);
    const ClearanceRadius radius(field, 0);
    std::vector<ContactInterval> found;
    const Segment grazing{Vec3(-2, 1 + 1e-9, 0), Vec3(2, 1 + 1e-9, 0)};
    EXPECT_EQ(cast_all(field, radius, grazing, {.max_evaluations = 50}, found), Status::undecided);
    ASSERT_FALSE(found.empty());
    EXPECT_FALSE(found[0].proven);
    EXPECT_LE(found[0].start, 0.5);
    const CastHit first = cast_first(field, radius, grazing, {.max_evaluations = 50});
    EXPECT_EQ(first.status, Status::undecided);
    EXPECT_LE(first.time, 0.5);
    EXPECT_GT(first.time, 0.1) << "what was proven free is not undecided";

    // The result encloses the truth for any budget.
    Random random(8);
    std::size_t open = 0;
    for (std::size_t max_evaluations = 1; max_evaluations < 60; ++max_evaluations)
        for (int k = 0; k < 20; ++k) {
            const Segment s{2 * random.in_ball(), 2 * random.in_ball()};
            found.clear();
            const Status status = cast_all(field, radius, s, {.max_evaluations = max_evaluations}, found);
            for (const TimeSpan& span : testing::in_ball(s, Vec3::Zero(), 1))
                for (const double t : {span.start, span.end}) EXPECT_TRUE(covers(found, t, 1e-12));
            open += status == Status::undecided;
        }
    EXPECT_GT(open, 20u);
}

TEST(FieldCast, points_and_starts_on_the_surface_count_as_contact) {
    const AnalyticField box(shapes::box({2, 2, 2}));
    const ClearanceRadius radius(box, 0);
    const auto status = [&](const Vec3& a, const Vec3& b) { return cast_first(box, radius, {a, b}, {}).status; };
    EXPECT_EQ(status({0, 0, 0.5}, {0, 0, 0.5}), Status::overlapping);
    EXPECT_EQ(status({0, 0, 1}, {0, 0, 1}), Status::overlapping);
    EXPECT_EQ(status({0, 0, 1.5}, {0, 0, 1.5}), Status::disjoint);
    EXPECT_EQ(status({0, 0, 1}, {0, 0, 3}), Status::overlapping);
    EXPECT_EQ(status({0, 0, 3}, {0, 0, 1}), Status::overlapping);
    EXPECT_EQ(status({-3, 0, 1}, {3, 0, 1}), Status::overlapping) << "along the face";
    EXPECT_EQ(status({-3, 0, 1 + 1e-9}, {3, 0, 1 + 1e-9}), Status::disjoint) << "just above the face";
    std::vector<ContactInterval> found;
    cast_all(box, radius, {{0, 0, 0.5}, {0, 0, 0.5}}, {}, found);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0], (ContactInterval{0, 1, true}));
}

TEST(FieldCast, segments_that_are_not_finite_are_undecided) {
    const AnalyticField box(shapes::box({2, 2, 2}));
    const ClearanceRadius radius(box, 0);
    for (const double bad : {std::nan(""), HUGE_VAL, 1e308}) {
        std::vector<ContactInterval> found;
        EXPECT_EQ(cast_all(box, radius, {Vec3(bad, 0, 0), Vec3(-bad, 0, 0)}, {}, found), Status::undecided);
        ASSERT_EQ(found.size(), 1u);
        EXPECT_EQ(found[0], (ContactInterval{0, 1, false}));
        EXPECT_EQ(cast_first(box, radius, {Vec3(bad, 0, 0), Vec3(-bad, 0, 0)}, {}).status, Status::undecided);
    }
}

TEST(FieldCast, works_on_meshes) {
    const Vec3 half(0.5, 0.7, 0.2);
    const MeshField field(make_box({.size = 2 * half}));
    expect_both_outcomes(check_random(
        field, 0, Box::around(Vec3::Zero(), 1.6 * half), [&](const Segment& s) { return testing::in_block(s, half); },
        testing::count_of(200, 5000), 9));
}

// Counts evaluations.
class CountingField final : public Field {
public:
    explicit CountingField(const Field& field) : field_(field) {}
    double distance(const Vec3& p) const override { return ++count, field_.distance(p); }
    Sample sample(const Vec3& p) const override { return ++count, field_.sample(p); }
    Interval range(const Box& box) const override { return ++count, field_.range(box); }
    double lipschitz() const override { return field_.lipschitz(); }
    double error_bound() const override { return field_.error_bound(); }
    Box domain() const override { return field_.domain(); }
    Box bounds() const override { return field_.bounds(); }
    mutable std::size_t count = 0;

private:
    const Field& field_;
};

TEST(FieldCast, smooth_fields_need_few_evaluations) {
    const AnalyticField ball(shapes::sphere(1));
    const CountingField field(ball);
    const ClearanceRadius radius(field, 0);
    Random random(10);
    std::vector<ContactInterval> found;
    const std::size_t segments = 1000;
    for (std::size_t k = 0; k < segments; ++k) {
        const Segment s{3 * random.in_ball(), 3 * random.in_ball()};
        cast_all(field, radius, s, {}, found);
    }
    const double mean = static_cast<double>(field.count) / static_cast<double>(segments);
    RecordProperty("look_ups_a_segment", std::to_string(mean));
    EXPECT_LT(mean, 60);
}

} // namespace field_cast_test
} // namespace fathom::point_field
