// Times of contact from gaps alone, against gaps whose zeros are known.
#include <fathom/base/random.h>
#include <fathom/detect/query/conservative_advancement.h>

#include <support/test_counts.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace fathom {
namespace conservative_advancement_test {

// Touching inside of given intervals; outside, the gap is `slope` times the distance in time to the nearest, and
// `share` of it is proven.
struct Known {
    std::vector<ContactInterval> contacts;
    double slope = 1, share = 0.9;

    TimeProbe operator()(double t) const {
        double gap = 10;
        for (const ContactInterval& c : contacts) {
            if (c.start <= t && t <= c.end) return {true, 0};
            gap = std::min(gap, slope * std::max(c.start - t, t - c.end));
        }
        return {false, share * gap};
    }
};

Known random_contacts(Random& random, std::size_t most) {
    Known known{{}, random.uniform(0.1, 10), random.uniform(0.3, 1)};
    double t = random.uniform(0, 0.3);
    for (std::size_t k = random.below(most + 1); k > 0 && t < 1; --k) {
        const double end = std::min(1.0, t + random.uniform(0.005, 0.2));
        known.contacts.push_back({t, end});
        t = end + random.uniform(0.02, 0.3);
    }
    return known;
}

TEST(AdvancementResult, finds_every_interval_and_nothing_else) {
    Random random(1);
    std::size_t with = 0, without = 0;
    for (std::size_t k = 0; k < testing::count_of(2000, 100000); ++k) {
        const Known known = random_contacts(random, 4);
        const AdvancementResult found = conservative_advancement(
            known,
            {.speed = known.slope, .all = true, .tolerance = 1e-6, .resolution = 0.01, .max_evaluations = 10'000});
        ++(known.contacts.empty() ? without : with);
        ASSERT_EQ(found.intervals.size(), known.contacts.size());
        ASSERT_EQ(found.status, known.contacts.empty() ? Status::disjoint : Status::overlapping);
        for (std::size_t i = 0; i < known.contacts.size(); ++i) {
            EXPECT_LE(found.intervals[i].start, known.contacts[i].start);
            EXPECT_GE(found.intervals[i].end, known.contacts[i].end);
            EXPECT_NEAR(found.intervals[i].start, known.contacts[i].start, 2e-6);
            EXPECT_NEAR(found.intervals[i].end, known.contacts[i].end, 2e-6);
            EXPECT_TRUE(found.intervals[i].proven);
        }
        EXPECT_FALSE(found.budget_exhausted);
    }
    EXPECT_GT(with, without / 4);
    EXPECT_GT(without, with / 20);
}

TEST(AdvancementResult, the_first_contact_is_between_its_bounds) {
    Random random(2);
    for (std::size_t k = 0; k < testing::count_of(2000, 100000); ++k) {
        const Known known = random_contacts(random, 3);
        const AdvancementResult found =
            conservative_advancement(known, {.speed = known.slope, .tolerance = 1e-6, .max_evaluations = 2000});
        if (known.contacts.empty()) {
            EXPECT_EQ(found.status, Status::disjoint);
            continue;
        }
        ASSERT_EQ(found.status, Status::overlapping);
        EXPECT_LE(found.time, known.contacts.front().start);
        EXPECT_GE(found.time + found.error, known.contacts.front().start);
        EXPECT_LE(found.error, 3e-6);
        EXPECT_FALSE(found.budget_exhausted);
    }
}

TEST(AdvancementResult, contact_at_either_end_is_seen) {
    const AdvancementResult at_start = conservative_advancement(Known{{{0, 0}}}, {.speed = 1, .all = true});
    ASSERT_EQ(at_start.intervals.size(), 1u);
    EXPECT_EQ(at_start.intervals.front().start, 0);
    EXPECT_EQ(at_start.time, 0);
    const AdvancementResult at_end = conservative_advancement(Known{{{1, 1}}}, {.speed = 1, .all = true});
    ASSERT_EQ(at_end.intervals.size(), 1u);
    EXPECT_EQ(at_end.intervals.front().end, 1);
    EXPECT_TRUE(at_end.intervals.front().proven);
}

TEST(AdvancementResult, without_known_gaps_all_times_stay_undecided) {
    const auto silent = [](double) { return TimeProbe{false, 0}; };
    const AdvancementResult found = conservative_advancement(silent, {.speed = 1, .all = true, .max_evaluations = 100});
    EXPECT_EQ(found.status, Status::undecided);
    EXPECT_TRUE(found.budget_exhausted);
    ASSERT_EQ(found.intervals.size(), 1u);
    EXPECT_EQ(found.intervals.front().start, 0);
    EXPECT_EQ(found.intervals.front().end, 1);
    EXPECT_FALSE(found.intervals.front().proven);
}

TEST(AdvancementResult, contact_of_no_length_is_found_where_it_is_certain) {
    Random random(9);
    for (int k = 0; k < 50; ++k) {
        const double when = random.uniform(0.05, 0.95);
        const auto probe = [&](double t) { return TimeProbe{false, std::abs(t - when)}; };
        AdvancementOptions options{.speed = 1, .all = k % 2 == 0};
        EXPECT_NE(conservative_advancement(probe, options).status, Status::overlapping) << "no look meets it";
        options.certain = [&](double start, double end) { return start <= when && when <= end; };
        const AdvancementResult found = conservative_advancement(probe, options);
        ASSERT_EQ(found.status, Status::overlapping);
        EXPECT_LE(found.time, when);
        EXPECT_GE(found.time + found.error, when);
        EXPECT_LT(found.error, 1e-11);
        EXPECT_EQ(found.intervals.size(), options.all ? 1u : 0u);
    }
}

// Signed distances: waves about a height, as fast as 4 pi a unit of time; contact where they are below 0.
struct Waves {
    double height, phase, uncertainty = 0; // uncertainty: reported distances are too small by this
    bool holds = false;

    static constexpr double speed = 4 * std::numbers::pi;
    [[nodiscard]] double distance(double t) const { return height + std::cos(speed * t + phase); }
    TimeProbe operator()(double t) const {
        const double d = distance(t);
        return {d <= 0, d - uncertainty, holds ? -d - uncertainty : 0, d > 0 ? uncertainty : 0};
    }
};

TEST(AdvancementResult, depths_fill_the_times_round_them) {
    Random random(5);
    std::size_t with = 0, without = 0, apart = 0;
    for (std::size_t k = 0; k < testing::count_of(500, 20000); ++k) {
        Waves waves{random.uniform(-1.3, 1.3), random.uniform(0, 6)};
        const AdvancementOptions options{.speed = Waves::speed, .all = true, .max_evaluations = 20'000};
        const AdvancementResult plain = conservative_advancement(waves, options);
        waves.holds = true;
        const AdvancementResult found = conservative_advancement(waves, options);
        without += plain.probes, with += found.probes;
        ASSERT_EQ(found.status, plain.status);
        ASSERT_EQ(found.intervals.size(), plain.intervals.size());
        for (std::size_t i = 0; i < found.intervals.size(); ++i) {
            EXPECT_NEAR(found.intervals[i].start, plain.intervals[i].start, 3e-6);
            EXPECT_NEAR(found.intervals[i].end, plain.intervals[i].end, 3e-6);
        }
        apart += found.status == Status::disjoint;
        if (found.status != Status::overlapping) continue;
        EXPECT_LE(waves.distance(found.time + found.error), 1e-9); // certain, seen or not
    }
    EXPECT_GT(apart, 10u);
    EXPECT_LT(3 * with, without);
}

TEST(AdvancementResult, uncertain_probes_end_early_and_stay_correct) {
    Random random(6);
    std::size_t with_uncertainty = 0, without_uncertainty = 0, touching = 0;
    for (std::size_t k = 0; k < testing::count_of(500, 20000); ++k) {
        const Waves waves{random.uniform(-1, 1.2), random.uniform(0, 6), 1e-3};
        const AdvancementOptions options{.speed = Waves::speed};
        const AdvancementResult found = conservative_advancement(waves, options);
        without_uncertainty += conservative_advancement(
                                   [&](double t) {
                                       TimeProbe probe = waves(t);
                                       probe.uncertainty = 0;
                                       return probe;
                                   },
                                   options)
                                   .probes;
        with_uncertainty += found.probes;
        touching += found.status == Status::overlapping;
        for (double t = 0; t < found.time; t += 1e-3) EXPECT_GT(waves.distance(t), 0); // what is called clear is clear
        if (found.status != Status::overlapping) continue;
        EXPECT_LE(waves.distance(found.time + found.error), 1e-9);
    }
    EXPECT_GT(touching, 100u);
    EXPECT_LT(3 * with_uncertainty, without_uncertainty);
}

TEST(AdvancementResult, shapes_that_cannot_approach_are_clear_after_one_probe) {
    const auto apart = [](double) { return TimeProbe{false, 1e-9}; };
    const AdvancementResult found = conservative_advancement(apart, {.speed = 0});
    EXPECT_EQ(found.status, Status::disjoint);
    EXPECT_LE(found.probes, 2u);
}

} // namespace conservative_advancement_test
} // namespace fathom
