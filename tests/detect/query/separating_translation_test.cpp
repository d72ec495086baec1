// The shortest separating translation: the moved shapes are disjoint, and no search over directions finds much less.
#include <fathom/detect/query/query.h>
#include <tool/verify/referee.h>

#include <support/test_counts.h>

#include <gtest/gtest.h>

#include <array>
#include <numbers>
#include <optional>

namespace fathom {
namespace separating_translation_test {

constexpr std::array tested_kinds = {ShapeKind::analytic,   ShapeKind::convex,      ShapeKind::grid,
                                     ShapeKind::neural,     ShapeKind::closed_mesh, ShapeKind::tetrahedra,
                                     ShapeKind::other_field};

struct Overlap {
    Shape a, b;
    Pose pose_a, pose_b;
};

Pose moved(const Pose& pose, const Vec3& by) { return {pose.rotation, pose.translation + by}; }

// Two shapes that overlap: by a little, deeply, or with the same centre, in turns.
std::optional<Overlap> random_overlap(ShapeKind kind_a, ShapeKind kind_b, std::size_t k, Random& random) {
    const double size = std::array{1e-3, 1.0, 1e3}[k % 3];
    Overlap o{random_shape(kind_a, random, size),
              random_shape(kind_b, random, (k % 4 == 3 ? 0.1 : 1.0) * size),
              {random.rotation(), size * random.in_ball()},
              {random.rotation(), Vec3::Zero()}};
    const Vec3 center_a = o.pose_a * o.a.bounds().center(), center_b = o.pose_b * o.b.bounds().center();
    const Vec3 direction = random.direction();
    const double reach = o.a.radius() + o.b.radius();
    o.pose_b.translation += center_a - center_b + std::array{0.0, 0.1, 0.4}[k % 3] * reach * direction;
    if (k % 2 == 1) { // a shallow overlap: 1 % before the shapes separate along the direction
        double inside = 0, outside = reach;
        for (int step = 0; step < 12; ++step) {
            const double middle = 0.5 * (inside + outside);
            const bool touching =
                collide(o.a, o.pose_a, o.b, moved(o.pose_b, middle * direction)).status == Status::overlapping;
            (touching ? inside : outside) = middle;
        }
        o.pose_b = moved(o.pose_b, 0.99 * inside * direction);
    }
    if (collide(o.a, o.pose_a, o.b, o.pose_b).status != Status::overlapping) return std::nullopt;
    return o;
}

bool is_disjoint(const Overlap& o, const Vec3& translation) {
    return collide(o.a, o.pose_a, o.b, moved(o.pose_b, translation)).status == Status::disjoint;
}

// The shortest translation that separates along one of many directions, to 0.1 %, or `limit`.
double shortest_by_directions(const Overlap& o, std::size_t count, double limit) {
    double best = limit;
    for (std::size_t k = 0; k < count; ++k) {
        const double z = 1 - (2 * static_cast<double>(k) + 1) / static_cast<double>(count), r = std::sqrt(1 - z * z);
        const double angle = static_cast<double>(k) * std::numbers::pi * (3 - std::sqrt(5.0));
        const Vec3 direction(r * std::cos(angle), r * std::sin(angle), z);
        if (!is_disjoint(o, 0.999 * best * direction)) continue;
        double inside = 0, outside = 0.999 * best;
        while (outside - inside > 1e-3 * outside) {
            const double middle = 0.5 * (inside + outside);
            (is_disjoint(o, middle * direction) ? outside : inside) = middle;
        }
        best = outside;
    }
    return best;
}

struct Tally {
    std::size_t pairs = 0, proven = 0, separated = 0, compared = 0, short_enough = 0, bounded = 0;
    double worst = 0;
};

void check(const Overlap& o, bool compare, Tally& tally) {
    const CollideResult found = collide(o.a, o.pose_a, o.b, o.pose_b, {.goal = CollideGoal::separation});
    ++tally.pairs;
    ASSERT_EQ(found.status, Status::overlapping);
    tally.proven += found.separates == Separates::proven;
    if (found.separates == Separates::unknown) return;
    EXPECT_NEAR(found.normal.norm(), 1, 1e-9);
    tally.separated += is_disjoint(o, found.depth * (1 + 1e-9) * found.normal);
    tally.bounded += found.local_depth <= found.depth + found.error_bound;
    if (!compare) return;
    const double best = shortest_by_directions(o, 2000, found.depth);
    ++tally.compared;
    tally.short_enough += found.depth <= 1.05 * best;
    tally.worst = std::max(tally.worst, found.depth / best);
}

class SeparatingTranslations : public ::testing::TestWithParam<std::pair<ShapeKind, ShapeKind>> {};

std::vector<std::pair<ShapeKind, ShapeKind>> pairs_of_solids() {
    std::vector<std::pair<ShapeKind, ShapeKind>> pairs;
    for (const ShapeKind a : tested_kinds)
        for (const ShapeKind b : tested_kinds)
            if (a <= b) pairs.emplace_back(a, b);
    return pairs;
}

TEST_P(SeparatingTranslations, separate_and_are_short) {
    const auto [kind_a, kind_b] = GetParam();
    const bool neural = kind_a == ShapeKind::neural || kind_b == ShapeKind::neural;
    const std::size_t count = testing::count_of(neural ? 4 : 12, neural ? 100 : 600), compared = count / 4;
    Random random(7 * static_cast<std::uint64_t>(kind_a) + static_cast<std::uint64_t>(kind_b));
    Tally tally;
    for (std::size_t k = 0; k < count; ++k)
        if (const auto overlap = random_overlap(kind_a, kind_b, k, random)) check(*overlap, k < compared, tally);
    std::printf("%s x %s: %zu pairs, %zu proven, %zu separated; %zu compared with 2000 directions, %zu within 5 %%, "
                "worst %.3f\n",
                std::string(name(kind_a)).c_str(), std::string(name(kind_b)).c_str(), tally.pairs, tally.proven,
                tally.separated, tally.compared, tally.short_enough, tally.worst);
    EXPECT_GE(tally.pairs, count / 2);
    EXPECT_EQ(tally.separated, tally.pairs);
    EXPECT_EQ(tally.bounded, tally.pairs);
    EXPECT_GE(static_cast<double>(tally.proven), 0.999 * static_cast<double>(tally.pairs) - 0.5);
    // A short run compares a few pairs, of which one may miss.
    EXPECT_GE(static_cast<double>(tally.short_enough), 0.95 * static_cast<double>(tally.compared) - 1);
}

INSTANTIATE_TEST_SUITE_P(Kinds, SeparatingTranslations, ::testing::ValuesIn(pairs_of_solids()), [](const auto& info) {
    return std::string(name(info.param.first)) + "_and_" + std::string(name(info.param.second));
});

} // namespace separating_translation_test
} // namespace fathom
