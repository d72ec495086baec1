#include <fathom/index/space_order.h>

#include <fathom/base/parallel.h>
#include <fathom/base/random.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

namespace fathom {
namespace space_order_test {

std::vector<Vec3> random_points(std::size_t count, double scale) {
    Random random(1);
    std::vector<Vec3> points(count);
    for (Vec3& p : points) p = scale * random.in_ball();
    return points;
}

double walk(const std::vector<Vec3>& points, const std::vector<Index>& order) {
    double length = 0;
    for (std::size_t k = 1; k < order.size(); ++k) length += (points[order[k]] - points[order[k - 1]]).norm();
    return length;
}

TEST(SpaceOrder, is_a_permutation_that_shortens_the_walk_at_every_scale) {
    for (const double scale : {1e-150, 1e-3, 1.0, 1e3, 1e150}) {
        const std::vector<Vec3> points = random_points(20000, scale);
        std::vector<Index> order = order_in_space(points), as_given(points.size());
        for (Index k = 0; k < as_given.size(); ++k) as_given[k] = k;
        EXPECT_LT(walk(points, order), 0.1 * walk(points, as_given));
        std::sort(order.begin(), order.end());
        EXPECT_EQ(order, as_given);
    }
}

TEST(SpaceOrder, is_the_same_on_one_thread_and_on_two) {
    const std::vector<Vec3> points = random_points(50000, 1);
    set_thread_count(1);
    const std::vector<Index> one = order_in_space(points);
    set_thread_count(2);
    EXPECT_EQ(order_in_space(points), one);
    set_thread_count(0);
}

TEST(SpaceOrder, accepts_points_that_are_equal_or_not_finite) {
    EXPECT_TRUE(order_in_space({}).empty());
    const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
    std::vector<Vec3> points(100, Vec3(1, 2, 3));
    points[7] = Vec3::Constant(nan);
    points[8] = Vec3(infinity, 0, -infinity);
    std::vector<Index> order = order_in_space(points);
    std::sort(order.begin(), order.end());
    for (Index k = 0; k < order.size(); ++k) EXPECT_EQ(order[k], k);
    EXPECT_EQ(order_in_space(std::vector<Vec3>(3, Vec3::Constant(nan))).size(), 3u);
}

} // namespace space_order_test
} // namespace fathom
