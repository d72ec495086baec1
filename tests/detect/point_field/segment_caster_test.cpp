#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/base/random.h>
#include <fathom/detect/point_field/segment_caster.h>
#include <fathom/field/analytic/analytic_field.h>
#include <fathom/field/analytic/primitives.h>
#include <fathom/field/grid/bake.h>

#include <gtest/gtest.h>
#include <support/closed_intervals.h>
#include <support/noise_grid.h>
#include <support/test_counts.h>

#include <cmath>
#include <functional>
#include <memory>

namespace fathom::point_field {
namespace segment_caster_test {

using testing::count_of;

std::shared_ptr<const GridField> baked(const Field& field, double half, int resolution,
                                       GridStorage storage = GridStorage::code16) {
    return std::make_shared<const GridField>(bake(
        field, {.box = Box::around(Vec3::Zero(), Vec3::Constant(half)), .resolution = resolution, .storage = storage}));
}

std::vector<Segment> random_segments(Random& random, double half, std::size_t count) {
    std::vector<Segment> segments(count);
    for (Segment& s : segments) {
        s = {random.in_box(Box::around(Vec3::Zero(), Vec3::Constant(half))),
             random.in_box(Box::around(Vec3::Zero(), Vec3::Constant(half)))};
        if (random.chance(0.2)) s.end = s.start + 0.05 * half * random.in_ball();
    }
    return segments;
}

// --- closed forms ---

struct AnalyticExpression {
    const char* name;
    FieldPtr field;
    std::function<testing::TimeSpans(const Segment&, double grown)> inside; // of the shape grown (or shrunk) by a ball
};

struct Tally {
    std::size_t touched = 0, apart = 0, several = 0;
};

// The grid is off by at most its error bound, so its contact holds that of the shape shrunk by it, and lies in that of
// it grown.
void compare(const AnalyticExpression& shape, const SegmentCaster& caster, const Segment& segment, double error,
             Tally& tally) {
    std::vector<ContactInterval> found;
    caster.all(segment, found);
    const testing::TimeSpans least = shape.inside(segment, -error), most = shape.inside(segment, error);
    const auto holds = [](const auto& outer, double low, double high) {
        for (const auto& o : outer)
            if (o.start <= low + 1e-9 && o.end >= high - 1e-9) return true;
        return false;
    };
    for (const auto& span : least)
        ASSERT_TRUE(holds(found, span.start, span.end)) << shape.name << " lost " << span.start << " to " << span.end;
    for (const auto& i : found)
        ASSERT_TRUE(holds(most, i.start, i.end)) << shape.name << " invented " << i.start << " to " << i.end;
    ++(found.empty() ? tally.apart : tally.touched);
    tally.several += found.size() > 1;
}

TEST(SegmentCaster, agrees_with_closed_forms_within_the_error_bound_of_the_grid) {
    const std::vector<AnalyticExpression> shapes_ = {
        {"ball", std::make_shared<AnalyticField>(shapes::sphere(0.6)),
         [](const Segment& s, double e) { return testing::in_ball(s, Vec3::Zero(), 0.6 + e); }},
        {"torus", std::make_shared<AnalyticField>(shapes::torus(0.5, 0.2)),
         [](const Segment& s, double e) { return testing::in_torus(s, 0.5, 0.2 + e); }},
        {"block", std::make_shared<AnalyticField>(shapes::box(Vec3(1, 0.6, 0.8))), [](const Segment& s, double e) {
             return e > 0 ? testing::in_grown_block(s, Vec3(0.5, 0.3, 0.4), e)
                          : testing::in_block(s, Vec3(0.5, 0.3, 0.4) + Vec3::Constant(e));
         }}};
    Random random(91);
    Tally tally;
    for (const AnalyticExpression& shape : shapes_) {
        const auto grid = baked(*shape.field, 1, 96);
        const SegmentCaster caster(grid);
        for (const Segment& s : random_segments(random, 1, count_of(3000, 100000))) {
            compare(shape, caster, s, grid->near_error_bound(), tally);
            if (HasFatalFailure()) return;
        }
    }
    const std::size_t total = tally.touched + tally.apart;
    EXPECT_GT(tally.touched, total / 5);
    EXPECT_GT(tally.apart, total / 5);
    EXPECT_GT(tally.several, total / 500);
}

// --- beyond the domain ---

// Dense samples of the field itself, away from where it crosses the level.
void compare_with_samples(const GridField& grid, const SegmentCaster& caster, const Segment& segment, Tally& tally) {
    const double level = caster.options().level;
    std::vector<ContactInterval> found;
    const Status status = caster.all(segment, found);
    ASSERT_NE(status, Status::undecided);
    const double doubt = 1e-6 * grid.layout().cell + 1e-6 * std::abs(level) +
                         4e-7 * segment.length() * grid.lipschitz(); // the tolerance of times beyond the domain
    bool some = false;
    for (int n = 0; n <= 500; ++n) {
        const double t = n / 500.0, value = grid.distance(segment.at(t)) - level;
        bool in = false;
        for (const ContactInterval& i : found) in |= i.proven && i.start <= t && t <= i.end;
        some |= value < -doubt;
        ASSERT_TRUE(in || value >= -doubt) << "lost at " << t << " of " << segment.start.transpose() << " to "
                                           << segment.end.transpose() << ", level " << level;
        ASSERT_TRUE(!in || value <= doubt) << "invented at " << t << " of " << segment.start.transpose() << " to "
                                           << segment.end.transpose() << ", level " << level;
    }
    const CastHit hit = caster.first(segment);
    ASSERT_EQ(hit.status, status);
    ASSERT_NEAR(hit.time, found.empty() ? 1 : found.front().start, hit.error + 1e-6);
    ++(some ? tally.touched : tally.apart);
}

TEST(SegmentCaster, agrees_with_the_field_itself_in_and_beyond_its_domain_at_any_level) {
    Random random(92);
    const AnalyticField ball(shapes::sphere(0.7));
    Tally tally;
    for (const GridStorage storage : {GridStorage::code16, GridStorage::float32}) {
        const auto grid = baked(ball, 0.8, 48, storage);
        for (const double level : {0.0, 0.02, 0.15, 0.5, -0.1, -0.6, -0.8}) {
            const SegmentCaster caster(grid, {.level = level});
            for (const Segment& s : random_segments(random, 1.6, count_of(60, 3000))) {
                compare_with_samples(*grid, caster, s, tally);
                if (HasFatalFailure()) return;
            }
        }
    }
    // The surface leaves the box: values below the level touch the border.
    const auto cut = baked(ball, 0.5, 32);
    for (const double level : {0.0, 0.1, -0.2}) {
        const SegmentCaster caster(cut, {.level = level});
        for (const Segment& s : random_segments(random, 1.2, count_of(60, 3000))) {
            compare_with_samples(*cut, caster, s, tally);
            if (HasFatalFailure()) return;
        }
    }
    EXPECT_GT(tally.touched, 200u);
    EXPECT_GT(tally.apart, 200u);
}

TEST(SegmentCaster, agrees_with_the_field_in_noise_also_across_discontinuous_bricks) {
    Random random(94);
    Tally tally;
    for (std::size_t g = 0; g < count_of(30, 1000); ++g) {
        const double height = g % 2 ? 1 : 60;
        const auto grid =
            std::make_shared<const GridField>(testing::noise_grid(random, 0.6, GridStorage::code16, height));
        const double cell = grid->layout().cell;
        const SegmentCaster caster(grid, {.level = cell * random.uniform(-0.5, 0.5) * height});
        for (int n = 0; n < 20; ++n) {
            const Segment s{random.in_box(grid->domain()), random.in_box(grid->domain())};
            compare_with_samples(*grid, caster, s, tally);
            if (HasFatalFailure()) return;
        }
    }
    EXPECT_GT(tally.touched, 200u);
}

// --- batches ---

std::vector<Segment> hostile_segments() {
    const double nan = std::nan(""), inf = HUGE_VAL;
    return {
        {Vec3(nan, 0, 0), Vec3(1, 0, 0)},    {Vec3(0, 0, 0), Vec3(0, inf, 0)}, {Vec3(-1e308, 0, 0), Vec3(1e308, 0, 0)},
        {Vec3(0, 0, 0), Vec3(0, 0, 0)},      {Vec3(9, 9, 9), Vec3(9, 9, 9)},   {Vec3(9, 9, 9), Vec3(-9, -9, -9)},
        {Vec3(1e6, 1e6, 1e6), Vec3::Zero()}, {Vec3(-1, 0, 0), Vec3(1, 0, 0)},  {Vec3(1, 1, 1), Vec3(1, 1, -1)},
        {Vec3(0, 1e-320, 0), Vec3(0, 0, 0)}, {Vec3(-1, -1, -1), Vec3(1, 1, 1)}};
}

void expect_batch_is_single(const SegmentCaster& caster, std::span<const Segment> segments) {
    std::vector<CastHit> hits(segments.size());
    caster.first(segments, hits);
    CastIntervals all;
    caster.all(segments, all);
    ASSERT_EQ(all.begin.size(), segments.size() + 1);
    std::vector<ContactInterval> single;
    for (std::size_t k = 0; k < segments.size(); ++k) {
        ASSERT_EQ(hits[k], caster.first(segments[k])) << k;
        single.clear();
        caster.all(segments[k], single);
        const auto batch = all.of(k);
        ASSERT_TRUE(std::equal(single.begin(), single.end(), batch.begin(), batch.end())) << k;
    }
}

TEST(SegmentCaster, a_batch_has_the_bits_of_single_calls_with_any_number_of_threads) {
    Random random(93);
    const auto grid = baked(AnalyticField(shapes::torus(0.5, 0.2)), 1, 64);
    std::vector<Segment> segments = random_segments(random, 1.1, count_of(5000, 200000));
    for (const Segment& s : hostile_segments()) segments.push_back(s);
    for (const double level : {0.0, 0.3, 0.9, -0.1})
        for (const std::size_t threads : {1, 2}) {
            set_thread_count(threads);
            expect_batch_is_single(SegmentCaster(grid, {.level = level}), segments);
            set_thread_count(0);
            if (HasFatalFailure()) return;
        }
    expect_batch_is_single(SegmentCaster(std::make_shared<AnalyticField>(shapes::sphere(0.5))),
                           std::span(segments).first(300));
    expect_batch_is_single(SegmentCaster(grid), {});
}

TEST(SegmentCaster, segments_that_are_not_finite_are_undecided_and_points_have_zero_length) {
    const SegmentCaster caster(baked(AnalyticField(shapes::sphere(0.5)), 1, 32));
    for (const Segment& s :
         {Segment{Vec3(std::nan(""), 0, 0), Vec3::Zero()}, Segment{Vec3::Zero(), Vec3(HUGE_VAL, 0, 0)}}) {
        std::vector<ContactInterval> found;
        EXPECT_EQ(caster.first(s), (CastHit{Status::undecided, 0, 0}));
        EXPECT_EQ(caster.any(s), Status::undecided);
        EXPECT_EQ(caster.all(s, found), Status::undecided);
        EXPECT_EQ(found, (std::vector<ContactInterval>{{0, 1, false}}));
    }
    std::vector<ContactInterval> found;
    EXPECT_EQ(caster.all({Vec3(0.1, 0, 0), Vec3(0.1, 0, 0)}, found), Status::overlapping);
    EXPECT_EQ(found, (std::vector<ContactInterval>{{0, 1, true}}));
    EXPECT_EQ(caster.any({Vec3(0.9, 0, 0), Vec3(0.9, 0, 0)}), Status::disjoint);
}

TEST(SegmentCaster, refuses_options_out_of_range) {
    const FieldPtr field = std::make_shared<AnalyticField>(shapes::sphere(0.5));
    EXPECT_THROW(SegmentCaster(nullptr), Error);
    EXPECT_THROW(SegmentCaster(field, {.level = std::nan("")}), Error);
    EXPECT_THROW(SegmentCaster(field, {.tolerance = 0}), Error);
    EXPECT_THROW(SegmentCaster(field, {.max_evaluations = 0}), Error);
}

} // namespace segment_caster_test
} // namespace fathom::point_field
