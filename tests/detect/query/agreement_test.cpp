// Every pair of kinds of shapes, at random poses: all methods, both orders, no contradictions.
#include <fathom/detect/query/query.h>
#include <tool/verify/referee.h>

#include <support/test_counts.h>

#include <gtest/gtest.h>

namespace fathom {
namespace agreement_test {

class Agreement : public ::testing::TestWithParam<std::pair<ShapeKind, ShapeKind>> {};

std::vector<std::pair<ShapeKind, ShapeKind>> all_pairs() {
    std::vector<std::pair<ShapeKind, ShapeKind>> pairs;
    for (const ShapeKind a : all_shape_kinds)
        for (const ShapeKind b : all_shape_kinds)
            if (a <= b) pairs.emplace_back(a, b);
    return pairs;
}

TEST_P(Agreement, of_all_methods_in_both_orders) {
    const auto [kind_a, kind_b] = GetParam();
    Random random(100 * static_cast<std::uint64_t>(kind_a) + static_cast<std::uint64_t>(kind_b) + 1);
    RefereeReport all;
    const bool network = kind_a == ShapeKind::neural || kind_b == ShapeKind::neural;
    const std::size_t poses = testing::count_of(network ? 12 : 10, 200);
    for (std::size_t k = 0; k < poses; ++k) {
        const double size = std::array{1e-3, 1.0, 1e3}[k % 3];
        const Shape a = random_shape(kind_a, random, size), b = random_shape(kind_b, random, size);
        RandomPoses poses_now = random_poses(a, b, random), later = random_poses(a, b, random);
        if (kind_a == ShapeKind::half_space && kind_b == ShapeKind::half_space) poses_now.a.translation *= size;
        const RefereeReport one = judge(
            a, poses_now.a, b, poses_now.b, later.b, random,
            {.samples = 60, .times = 6, .sweeps = k % 2 == 0, .sampling = k % 5 == 0, .slow = k % 10 == 0 && !network});
        all.add(one);
        for (const std::string& words : one.contradictions)
            ADD_FAILURE() << "pose " << k << " at size " << size << ": " << words;
        if (all.contradictions.size() > 5) break;
    }
    EXPECT_GT(all.claims, 10 * poses);
    const auto is_points = [](ShapeKind k) { return k == ShapeKind::point_shell; };
    const bool may_touch = !(is_points(kind_a) && is_surface(kind_b)) &&
                           !(is_points(kind_b) && is_surface(kind_a)); // points miss surfaces
    EXPECT_EQ(all.touching > 0, may_touch);
    EXPECT_GT(all.apart, 0u);
    EXPECT_LE(all.unproven, 3 + all.claims / 1000); // an answer that claims nothing is right, and of no use
    RecordProperty("claims", static_cast<int>(all.claims));
    std::printf("%s x %s: %zu claims, %zu touching, %zu apart, %zu open, %zu moving contacts, %zu unproven, bounds "
                "within %.3g\n",
                std::string(name(kind_a)).c_str(), std::string(name(kind_b)).c_str(), all.claims, all.touching,
                all.apart, all.open, all.contacts_in_motion, all.unproven, all.worst_bound_gap);
}

INSTANTIATE_TEST_SUITE_P(Kinds, Agreement, ::testing::ValuesIn(all_pairs()), [](const auto& info) {
    return std::string(name(info.param.first)) + "_and_" + std::string(name(info.param.second));
});

} // namespace agreement_test
} // namespace fathom
