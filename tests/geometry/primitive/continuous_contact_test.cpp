#include <fathom/base/random.h>
#include <fathom/geometry/primitive/continuous_contact.h>

#include <support/continuous_oracle.h>
#include <support/continuous_queries.h>
#include <support/models.h>
#include <support/test_counts.h>

#include <gtest/gtest.h>

#include <chrono>
#include <limits>

namespace fathom {
namespace continuous_contact_test {

using namespace fathom::testing;

// --- Real queries with known truth ---

struct Tally {
    std::size_t asked = 0, truths = 0, missed = 0, extra = 0, truncated = 0;
    double seconds = 0;
};

template <class Step>
void count(const std::vector<KnownStep<Step>>& steps, const ContinuousContactOptions& options, Tally& tally) {
    const auto start = std::chrono::steady_clock::now();
    for (const auto& [step, truth] : steps) {
        const TimeOfImpact found = time_of_impact(step, options);
        ++tally.asked;
        tally.truths += truth;
        tally.missed += truth && !found.hit;
        tally.extra += !truth && found.hit;
        tally.truncated += found.truncated;
    }
    tally.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

TEST(ContinuousContact, misses_none_of_the_real_queries_with_known_truth) {
    FATHOM_NEEDS_MODELS();
    const KnownSteps steps = read_known_steps(models() / "ccd");
    for (const double separation : {0.0, 1e-9, 1e-4}) {
        Tally tally;
        count(steps.vertex_face, {.minimum_separation = separation}, tally);
        count(steps.edge_edge, {.minimum_separation = separation}, tally);
        EXPECT_EQ(tally.asked, 3324u);
        EXPECT_EQ(tally.truths, 348u);
        EXPECT_EQ(tally.missed, 0u) << separation;
        EXPECT_EQ(tally.truncated, 0u) << separation;
        if (separation == 0) {
            EXPECT_LT(tally.extra, tally.asked / 20);
            RecordProperty("false_positives", std::to_string(tally.extra));
            RecordProperty("mean_us", std::to_string(1e6 * tally.seconds / static_cast<double>(tally.asked)));
            std::printf("           %zu queries: %zu false positives, mean %.3f us\n", tally.asked, tally.extra,
                        1e6 * tally.seconds / static_cast<double>(tally.asked));
        }
    }
}

// --- Steps that touch by construction ---

enum class Shape { general, flat_face, parallel, still, coplanar, shared_motion };
constexpr std::array all_shapes = {Shape::general, Shape::flat_face, Shape::parallel,
                                   Shape::still,   Shape::coplanar,  Shape::shared_motion};
constexpr std::array scales = {0x1p-10, 1.0, 0x1p10};

// Coordinates with few digits, so that every point made of them here is a double.
class Steps {
public:
    Steps(std::uint64_t seed, double scale) : random(seed), scale_(scale) {}

    Random random;

    Vec3 point(Shape shape) {
        const auto coordinate = [&] { return scale_ * (static_cast<double>(random.below(257)) - 128) / 64; };
        const Vec3 p(coordinate(), coordinate(), coordinate());
        return shape == Shape::coplanar ? Vec3(p[0], p[1], 0) : p;
    }
    double weight() { return 0.25 * static_cast<double>(random.below(5)); } // ends and corners are frequent
    double time() { return std::array{0.25, 0.5, 1.0}[random.below(3)]; }

    // Where a point of the shape ends that starts here.
    Vec3 moved(Shape shape, const Vec3& start, const Vec3& common) {
        if (shape == Shape::still) return start;
        return shape == Shape::shared_motion ? Vec3(start + common) : point(shape);
    }

private:
    double scale_;
};

// Where a point that starts here must end to be at `middle` at the time.
Vec3 end_through(const Vec3& start, const Vec3& middle, double time) { return start + (middle - start) / time; }

// `time` is that of a contact; there may be earlier ones.
VertexFaceStep touching_vertex_face(Steps& steps, Shape shape, double& time) {
    VertexFaceStep s;
    const Vec3 common = steps.point(shape);
    for (std::size_t k = 0; k < 3; ++k) {
        s.face_start[k] = steps.point(shape);
        s.face_end[k] = steps.moved(shape, s.face_start[k], common);
    }
    if (shape == Shape::flat_face) {
        s.face_start[2] = s.face_start[1];
        s.face_end[2] = s.face_end[1];
    }
    time = steps.time();
    const double u = steps.weight(), v = (1 - u) * steps.weight();
    const auto face = s.face_at(time);
    const Vec3 middle = face[0] + u * (face[1] - face[0]) + v * (face[2] - face[0]);
    s.vertex_start = shape == Shape::still && steps.random.chance(0.5) ? middle : steps.point(shape);
    s.vertex_end = end_through(s.vertex_start, middle, time);
    return s;
}

EdgeEdgeStep touching_edge_edge(Steps& steps, Shape shape, double& time) {
    EdgeEdgeStep s;
    const Vec3 common = steps.point(shape);
    s.b_start = {steps.point(shape), steps.point(shape)};
    s.b_end = {steps.moved(shape, s.b_start.start, common), steps.moved(shape, s.b_start.end, common)};
    time = steps.time();
    const Segment b = s.b_at(time);
    const Vec3 meeting = b.at(steps.weight());
    // The edge through the meeting point: one end anywhere or parallel, the other so that the point lies at 0, 1/2
    // or 1.
    const Vec3 along = shape == Shape::parallel ? Vec3(b.end - b.start) : steps.point(shape);
    const double share = 0.5 * static_cast<double>(steps.random.below(3));
    const Segment a{meeting - 2 * share * along, meeting + 2 * (1 - share) * along};
    s.a_start = {steps.point(shape), steps.point(shape)};
    s.a_end = {end_through(s.a_start.start, a.start, time), end_through(s.a_start.end, a.end, time)};
    return s;
}

template <class Step>
void expect_touch_found(const Step& step, double time, Shape shape, double scale, std::size_t i) {
    ASSERT_EQ(exact_squared_distance(step, mpq_class(time)), 0) << "the construction is exact: " << i;
    for (const double tolerance : {0.0, 1e-12}) {
        const TimeOfImpact found = time_of_impact(step, {.tolerance = tolerance});
        ASSERT_TRUE(found.hit) << i;
        ASSERT_LE(found.time, time) << i;
        // Edges that become parallel as they touch do so along their whole length: the smallest tolerance cannot be
        // reached.
        ASSERT_FALSE(found.truncated && (shape != Shape::parallel || tolerance == 0)) << i;
        ASSERT_LT(found.tolerance, 1e-6 * 80 * scale) << i;
    }
    ASSERT_LE(time_of_impact(step, {.max_refinements = 3}).time, time) << i;
}

TEST(ContinuousContact, finds_every_contact_made_to_happen_at_a_known_time) {
    const std::size_t whole = count_of(1000, 100000);
    for (const Shape shape : all_shapes)
        for (const double scale : scales) {
            Steps steps(31 + static_cast<std::uint64_t>(shape), scale);
            for (std::size_t i = 0; i < whole / (all_shapes.size() * scales.size()); ++i) {
                double time = 0;
                const VertexFaceStep vertex_face = touching_vertex_face(steps, shape, time);
                expect_touch_found(vertex_face, time, shape, scale, i);
                const EdgeEdgeStep edge_edge = touching_edge_edge(steps, shape, time);
                expect_touch_found(edge_edge, time, shape, scale, i);
                if (HasFatalFailure()) return;
            }
        }
}

// --- What an answer claims, in exact arithmetic ---

// No contact at sampled times before the one given, and at that time no more than a near miss.
template <class Step>
void expect_claims_hold(const Step& step, const ContinuousContactOptions& options, Random& random, std::size_t& hits) {
    const TimeOfImpact found = time_of_impact(step, options);
    hits += found.hit;
    const mpq_class separation(options.minimum_separation);
    for (int k = 0; k < 4; ++k) {
        const double time = found.time * (k == 0 ? 1 - 1e-7 : random.uniform());
        if (time >= found.time && found.hit) continue;
        ASSERT_GT(exact_squared_distance(step, mpq_class(time)), separation * separation)
            << time << " of " << found.time;
    }
    if (!found.hit || found.truncated) return;
    const mpq_class reach = separation + mpq_class(found.tolerance * (1 + 1e-6));
    ASSERT_LE(exact_squared_distance(step, mpq_class(found.time)), reach * reach) << found.time;
}

TEST(ContinuousContact, results_are_true_in_exact_arithmetic_for_steps_that_nearly_touch) {
    const std::size_t whole = count_of(900, 20000);
    std::size_t hits = 0, asked = 0;
    for (const Shape shape : all_shapes)
        for (const double scale : scales) {
            Steps steps(77 + static_cast<std::uint64_t>(shape), scale);
            Random& random = steps.random;
            for (std::size_t i = 0; i < whole / (all_shapes.size() * scales.size()); ++i) {
                double time = 0;
                VertexFaceStep vertex_face = touching_vertex_face(steps, shape, time);
                EdgeEdgeStep edge_edge = touching_edge_edge(steps, shape, time);
                const Vec3 off = scale * std::pow(10.0, random.uniform(-9, 0.5)) * random.direction();
                vertex_face.vertex_start += off;
                vertex_face.vertex_end += off;
                for (Segment* edge : {&edge_edge.a_start, &edge_edge.a_end})
                    *edge = {edge->start + off, edge->end + off};
                const double separation = random.chance(0.5) ? 0 : scale * std::pow(10.0, random.uniform(-8, -1));
                const double tolerance = random.chance(0.5) ? 0 : scale * std::pow(10.0, random.uniform(-12, -2));
                expect_claims_hold(vertex_face, {.minimum_separation = separation, .tolerance = tolerance}, random,
                                   hits);
                expect_claims_hold(edge_edge, {.minimum_separation = separation, .tolerance = tolerance}, random, hits);
                asked += 2;
                if (HasFatalFailure()) return;
            }
        }
    RecordProperty("hit_percent", std::to_string(100.0 * static_cast<double>(hits) / static_cast<double>(asked)));
    EXPECT_GT(hits, asked / 5);
    EXPECT_LT(hits, asked * 4 / 5);
}

// The first time of contact by the roots of the cubic; infinity for none, negative where too close to call.
template <class Step>
double contact_by_roots(const Step& step) {
    const FlatTimes flat = flat_times(points_of(step));
    if (!flat.sure) return -1;
    for (const mpq_class& time : flat.times) {
        const double distance = std::sqrt(exact_squared_distance(step, time).get_d());
        if (distance < 1e-14) return time.get_d();
        if (distance < 1e-5) return -1;
    }
    return infinity;
}

template <class Step>
void compare_with_roots(const Step& step, std::size_t i, std::array<std::size_t, 2>& seen) {
    const double truth = contact_by_roots(step);
    if (truth < 0) return;
    const TimeOfImpact found = time_of_impact(step, {.tolerance = 1e-9});
    ASSERT_EQ(found.hit, truth <= 1) << i;
    ++seen[found.hit];
    if (!found.hit) return;
    ASSERT_LE(found.time, truth + 1e-15) << i;
    ASSERT_LE(exact_squared_distance(step, mpq_class(found.time)), mpq_class(1.001e-18)) << i;
}

TEST(ContinuousContact, agrees_with_the_roots_of_the_cubic_in_rational_numbers) {
    Random random(5);
    const Box box{Vec3::Constant(-1), Vec3::Constant(1)};
    std::array<std::size_t, 2> seen{};
    const std::size_t whole = count_of(400, 50000);
    for (std::size_t i = 0; i < whole; ++i) {
        std::array<Vec3, 8> p;
        for (Vec3& x : p) x = random.in_box(box);
        compare_with_roots(edge_edge(p), i, seen);
        p[0] = Vec3(0.3 * p[0][0], 0.3 * p[0][1], 1); // from above to below, through the face or beside it
        p[4] = Vec3(0.3 * p[4][0], 0.3 * p[4][1], -1);
        for (const std::size_t k : {1u, 2u, 3u, 5u, 6u, 7u}) p[k][2] *= 0.5;
        compare_with_roots(vertex_face(p), i, seen);
        if (HasFatalFailure()) return;
    }
    EXPECT_GT(seen[0] + seen[1], whole * 19 / 10) << "few are too close to call";
    EXPECT_GT(seen[1], (seen[0] + seen[1]) / 5);
    EXPECT_LT(seen[1], (seen[0] + seen[1]) * 4 / 5);
}

// --- Properties ---

std::array<Vec3, 8> random_points(Random& random) {
    std::array<Vec3, 8> p;
    for (Vec3& x : p) x = random.in_ball();
    return p;
}

TEST(ContinuousContact, is_no_later_for_a_larger_separation) {
    Random random(8);
    for (std::size_t i = 0; i < count_of(2000, 100000); ++i) {
        const auto p = random_points(random);
        TimeOfImpact face, edge; // of a smaller separation
        for (const double separation : {0.0, 1e-5, 1e-3, 1e-1}) {
            const ContinuousContactOptions options{.minimum_separation = separation, .tolerance = 1e-6};
            const TimeOfImpact face_now = time_of_impact(vertex_face(p), options);
            const TimeOfImpact edge_now = time_of_impact(edge_edge(p), options);
            ASSERT_LE(face_now.time, face.time) << i;
            ASSERT_LE(edge_now.time, edge.time) << i;
            ASSERT_GE(face_now.hit, face.hit) << i;
            ASSERT_GE(edge_now.hit, edge.hit) << i;
            face = face_now;
            edge = edge_now;
        }
    }
}

TEST(ContinuousContact, does_not_change_with_the_scale) {
    Random random(9);
    std::size_t hits = 0;
    for (std::size_t i = 0; i < 1000; ++i) {
        const auto p = random_points(random);
        const TimeOfImpact one = time_of_impact(edge_edge(p), {.minimum_separation = 0.01});
        hits += one.hit;
        for (const double scale : {0x1p-300, 0x1p-10, 0x1p10, 0x1p300}) {
            auto scaled = p;
            for (Vec3& x : scaled) x *= scale;
            const TimeOfImpact other = time_of_impact(edge_edge(scaled), {.minimum_separation = 0.01 * scale});
            ASSERT_EQ(one.hit, other.hit) << i;
            ASSERT_EQ(one.time, other.time) << i;
            ASSERT_EQ(one.tolerance * scale, other.tolerance) << i;
        }
    }
    EXPECT_GT(hits, 100u);
}

TEST(ContinuousContact, searches_no_later_than_the_latest_time) {
    Random random(10);
    for (std::size_t i = 0; i < 1000; ++i) {
        const auto p = random_points(random);
        const TimeOfImpact whole = time_of_impact(edge_edge(p));
        const double latest = random.uniform();
        const TimeOfImpact early = time_of_impact(edge_edge(p), {.latest = latest});
        ASSERT_LE(early.time, latest);
        if (whole.hit && whole.time <= latest) {
            ASSERT_TRUE(early.hit) << i;
        } else if (!whole.hit) {
            ASSERT_FALSE(early.hit) << i;
        }
    }
}

const std::array<Vec3, 8> through = {Vec3(0.2, 0.3, 1),  Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0),
                                     Vec3(0.2, 0.3, -1), Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)};

TEST(ContinuousContact, answers_the_named_cases) {
    EXPECT_NEAR(time_of_impact(vertex_face(through)).time, 0.5, 1e-6);
    EXPECT_NEAR(time_of_impact(vertex_face(through), {.minimum_separation = 0.5}).time, 0.25, 1e-6);
    auto inside = through;
    inside[0] = Vec3(0.2, 0.3, 0);
    EXPECT_EQ(time_of_impact(vertex_face(inside)).time, 0) << "in contact at the start";
    auto beside = through;
    beside[0][0] = beside[4][0] = 0.7001;
    EXPECT_FALSE(time_of_impact(vertex_face(beside)).hit) << "past the long side";
    beside[0][0] = beside[4][0] = 0.7;
    EXPECT_TRUE(time_of_impact(vertex_face(beside)).hit) << "through the long side";
    const std::array<Vec3, 8> point = {Vec3::Ones(), Vec3::Ones(), Vec3::Ones(), Vec3::Ones(),
                                       Vec3::Ones(), Vec3::Ones(), Vec3::Ones(), Vec3::Ones()};
    EXPECT_TRUE(time_of_impact(vertex_face(point)).hit) << "all in one point";
    EXPECT_EQ(time_of_impact(edge_edge(point)).time, 0);
    const std::array<Vec3, 8> line = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(3, 0, 0),  Vec3(4, 0, 0),
                                      Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(-3, 0, 0), Vec3(-2, 0, 0)};
    EXPECT_NEAR(time_of_impact(edge_edge(line)).time, 1.0 / 3, 1e-5) << "edges that meet along their line";
}

TEST(ContinuousContact, reports_an_immediate_hit_for_numbers_that_are_not_finite) {
    for (const double bad : {std::numeric_limits<double>::quiet_NaN(), infinity, -infinity})
        for (std::size_t k = 0; k < 24; ++k) {
            auto p = through;
            p[k / 3][static_cast<int>(k % 3)] = bad;
            for (const TimeOfImpact& found : {time_of_impact(vertex_face(p)), time_of_impact(edge_edge(p))}) {
                EXPECT_TRUE(found.hit && found.truncated);
                EXPECT_EQ(found.time, 0);
                EXPECT_EQ(found.tolerance, infinity);
            }
        }
    const double nan = std::numeric_limits<double>::quiet_NaN();
    EXPECT_TRUE(time_of_impact(vertex_face(through), {.minimum_separation = nan}).truncated);
    EXPECT_TRUE(time_of_impact(vertex_face(through), {.minimum_separation = infinity}).hit);
    EXPECT_TRUE(time_of_impact(vertex_face(through), {.tolerance = nan}).truncated);
    EXPECT_TRUE(time_of_impact(vertex_face(through), {.latest = nan}).truncated);
    auto huge = through;
    for (Vec3& x : huge) x *= 1e308;
    EXPECT_TRUE(time_of_impact(vertex_face(huge)).hit);
    auto tiny = through;
    for (Vec3& x : tiny) x *= 0x1p-1070;
    EXPECT_TRUE(time_of_impact(vertex_face(tiny)).hit);
}

TEST(ContinuousContact, respects_its_budget_stays_safe_and_is_tighter_with_more) {
    Random random(12);
    std::size_t truncated = 0;
    for (std::size_t i = 0; i < 2000; ++i) {
        const auto p = random_points(random);
        const TimeOfImpact full = time_of_impact(edge_edge(p));
        double before = 0;
        for (const std::size_t most : {0u, 1u, 2u, 4u, 8u, 16u}) {
            const TimeOfImpact some = time_of_impact(edge_edge(p), {.max_refinements = most});
            truncated += some.truncated;
            ASSERT_LE(some.time, full.time) << i;
            ASSERT_GE(some.time, before) << i;
            ASSERT_GE(some.hit, full.hit) << i;
            before = some.time;
        }
    }
    EXPECT_GT(truncated, 100u);
}

} // namespace continuous_contact_test
} // namespace fathom
