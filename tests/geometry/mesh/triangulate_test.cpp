#include <fathom/base/random.h>
#include <fathom/geometry/io/mesh_file.h>
#include <fathom/geometry/mesh/triangulate.h>
#include <support/models.h>
#include <support/test_counts.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <numbers>
#include <numeric>

namespace fathom {
namespace triangulate_test {

using Points = std::vector<Vec3>;

std::vector<Index> all_corners(std::size_t count) {
    std::vector<Index> corners(count);
    std::iota(corners.begin(), corners.end(), Index{0});
    return corners;
}

struct Cut {
    std::vector<Triangle> triangles;
    bool clean = false;
};

Cut cut(const Points& points, std::vector<Index> corners = {}) {
    if (corners.empty()) corners = all_corners(points.size());
    Cut out;
    PolygonTriangulator triangulator;
    out.clean = triangulator.triangulate(points, corners, out.triangles);
    return out;
}

Vec3 area_of(const Points& points, const std::vector<Index>& corners) {
    Vec3 sum = Vec3::Zero();
    for (std::size_t i = 0; i < corners.size(); ++i)
        sum += (points[corners[i]] - points[corners[0]])
                   .cross(points[corners[(i + 1) % corners.size()]] - points[corners[0]]);
    return sum;
}

// The triangles cover the polygon exactly when their absolute areas add up to its area.
void expect_exact_cover(const Points& points, std::vector<Index> corners = {}) {
    if (corners.empty()) corners = all_corners(points.size());
    const Cut result = cut(points, corners);
    ASSERT_EQ(result.triangles.size(), corners.size() - 2);
    const Vec3 whole = area_of(points, corners);
    const Vec3 normal = whole.normalized();
    double sum = 0;
    for (const Triangle& t : result.triangles) {
        const double area = area_vector({points[t[0]], points[t[1]], points[t[2]]}).dot(normal);
        EXPECT_GT(area, -1e-12 * whole.norm());
        sum += std::abs(area);
    }
    EXPECT_NEAR(sum, whole.norm(), 1e-9 * whole.norm());
    EXPECT_TRUE(result.clean);
}

// A star-shaped polygon around the origin: concave almost everywhere, never crossing itself.
Points star(std::size_t count, Random& random, const Quat& turn, double scale) {
    Points points;
    for (std::size_t i = 0; i < count; ++i) {
        const double angle =
            2 * std::numbers::pi * (static_cast<double>(i) + random.uniform(0, 0.9)) / static_cast<double>(count);
        const double radius = scale * random.uniform(0.1, 1);
        points.push_back(turn * Vec3(radius * std::cos(angle), radius * std::sin(angle), 0));
    }
    return points;
}

TEST(Triangulate, covers_random_concave_polygons_exactly) {
    Random random(1);
    const std::size_t runs = testing::count_of(2000, 100000);
    for (std::size_t i = 0; i < runs; ++i) {
        const double scale = std::array{1e-3, 1.0, 1e3}[i % 3];
        expect_exact_cover(star(5 + random.below(i % 50 == 0 ? 400 : 40), random, random.rotation(), scale));
        if (HasFailure()) FAIL() << "run " << i;
    }
}

TEST(Triangulate, covers_polygons_with_corners_on_straight_edges_without_flat_triangles) {
    Points points;
    for (int i = 0; i < 10; ++i) points.emplace_back(i, 0, 0);
    for (int i = 0; i < 10; ++i) points.emplace_back(10, i, 0);
    for (int i = 0; i < 10; ++i) points.emplace_back(10 - i, 10, 0);
    for (int i = 0; i < 10; ++i) points.emplace_back(0, 10 - i, 0);
    expect_exact_cover(points);
    for (const Triangle& t : cut(points).triangles)
        EXPECT_GT(area_vector({points[t[0]], points[t[1]], points[t[2]]}).z(), 0.5);
}

TEST(Triangulate, cuts_around_holes_on_keyhole_bridges) {
    // A square with two square holes, each on a bridge that is walked along twice.
    const Points points = {Vec3(0, 0, 1), Vec3(9, 0, 1), Vec3(9, 9, 1), Vec3(0, 9, 1), Vec3(1, 1, 1), Vec3(1, 3, 1),
                           Vec3(3, 3, 1), Vec3(3, 1, 1), Vec3(5, 5, 1), Vec3(5, 8, 1), Vec3(8, 8, 1), Vec3(8, 5, 1)};
    const std::vector<Index> corners = {0, 4, 5, 6, 8, 9, 10, 11, 8, 6, 7, 4, 0, 1, 2, 3};
    expect_exact_cover(points, corners);
    const Cut result = cut(points, corners);
    for (const Triangle& t : result.triangles)
        EXPECT_GT(area_vector({points[t[0]], points[t[1]], points[t[2]]}).z(), 0);
    std::vector<Index> backwards(corners.rbegin(), corners.rend());
    expect_exact_cover(points, backwards);
}

TEST(Triangulate, reads_the_wall_with_a_hole_as_a_closed_surface) {
    FATHOM_NEEDS_MODELS();
    const MeshFile file = read_mesh(testing::models() / "bad/wallhole.obj");
    EXPECT_EQ(file.surface.triangles.size(), 66u);
    double volume = 0;
    for (std::size_t i = 0; i < file.surface.triangles.size(); ++i) {
        const auto c = file.surface.corners(i);
        EXPECT_GT(area_vector(c).norm(), 0);
        volume += c[0].dot(c[1].cross(c[2])) / 6;
    }
    EXPECT_GT(std::abs(volume), 0);
}

TEST(Triangulate, cuts_quadrilaterals_along_the_shorter_inner_diagonal) {
    const Points kite = {Vec3(0, 0, 0), Vec3(1, -1, 0), Vec3(5, 0, 0), Vec3(1, 1, 0)};
    EXPECT_EQ(cut(kite).triangles, (std::vector<Triangle>{{0, 1, 3}, {1, 2, 3}}));
    const Points dart = {Vec3(0, 0, 0), Vec3(1, -3, 0), Vec3(0.5, 0, 0),
                         Vec3(1, 3, 0)}; // the diagonal 1-3 lies outside
    expect_exact_cover(dart);
    const Points square = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(1, 1, 0), Vec3(0, 1, 0)};
    for (std::size_t first = 0; first < 4; ++first) {
        std::vector<Index> corners = {0, 1, 2, 3};
        std::rotate(corners.begin(), corners.begin() + static_cast<std::ptrdiff_t>(first), corners.end());
        for (const Triangle& t : cut(square, corners).triangles) EXPECT_EQ(std::count(t.begin(), t.end(), Index{0}), 1);
        std::reverse(corners.begin(), corners.end());
        for (const Triangle& t : cut(square, corners).triangles) EXPECT_EQ(std::count(t.begin(), t.end(), Index{0}), 1);
    }
}

TEST(Triangulate, gives_n_minus_2_triangles_for_any_corners) {
    Random random(2);
    const std::size_t runs = testing::count_of(600, 30000);
    std::size_t unclean = 0;
    for (std::size_t i = 0; i < runs; ++i) {
        Points points;
        const std::size_t count = 3 + random.below(i % 100 == 0 ? 300 : 12);
        const double scale = std::array{1.0, 1e-300, 1e300, 1e-3, 1.7e308}[i % 5];
        for (std::size_t k = 0; k < count; ++k) { // a coarse grid: many equal and collinear points
            const auto coordinate = [&] { return scale * (static_cast<double>(random.below(4)) - 1.5) / 2; };
            points.emplace_back(coordinate(), coordinate(), i % 2 == 0 ? 0.0 : coordinate());
        }
        std::vector<Index> corners;
        for (std::size_t k = 0; k < count; ++k) corners.push_back(static_cast<Index>(random.below(count)));
        const Cut result = cut(points, corners);
        ASSERT_EQ(result.triangles.size(), count - 2);
        for (const Triangle& t : result.triangles)
            for (const Index v : t) ASSERT_LT(v, count);
        if (!result.clean) ++unclean;
    }
    EXPECT_GT(unclean, runs / 20); // both outcomes occur
    EXPECT_LT(unclean, runs);
}

TEST(Triangulate, ends_on_degenerate_polygons) {
    EXPECT_EQ(cut(Points(1000, Vec3(1, 2, 3))).triangles.size(), 998u);
    Points line;
    for (int i = 0; i < 1000; ++i) line.emplace_back(i, 2 * i, 3 * i);
    EXPECT_EQ(cut(line).triangles.size(), 998u);
    Points spike = {Vec3(0, 0, 0), Vec3(2, 0, 0), Vec3(2, 2, 0), Vec3(2, 5, 0), Vec3(2, 2, 0), Vec3(0, 2, 0)};
    EXPECT_EQ(cut(spike).triangles.size(), 4u);
    double area = 0;
    for (const Triangle& t : cut(spike).triangles)
        area += area_vector({spike[t[0]], spike[t[1]], spike[t[2]]}).norm() / 2;
    EXPECT_NEAR(area, 4, 1e-12);
    EXPECT_TRUE(cut({Vec3(0, 0, 0), Vec3(1, 0, 0)}).triangles.empty());
}

// Polygons of many corners that defeat simple ear clipping in one way or another.
Points large_polygon(const std::string& kind, std::size_t count, Random& random) {
    Points points;
    const double n = static_cast<double>(count);
    for (std::size_t i = 0; i < count; ++i) {
        const double t = static_cast<double>(i) / n;
        const double angle = 2 * std::numbers::pi * t;
        if (kind == "circle") points.emplace_back(std::cos(angle), std::sin(angle), 0);
        if (kind == "comb") points.emplace_back(t, i % 2 == 0 ? 0.0 : 1.0, 0);
        if (kind == "slanting comb") points.emplace_back(i % 2 == 0 ? t : t + 1, i % 2 == 0 ? -t : 1.0, 0);
        if (kind == "spiral") {
            const bool outward = 2 * i < count;
            const double along = 40 * std::numbers::pi * (outward ? 2 * t : 2 - 2 * t);
            const double radius = along + (outward ? 1.0 : 3.0);
            points.emplace_back(radius * std::cos(along), radius * std::sin(along), 0);
        }
        if (kind == "ribbon") { // thin and winding: ears appear at its ends only
            const bool back = 2 * i >= count;
            const double along = 20 * (back ? 2 - 2 * t : 2 * t);
            points.emplace_back(along, std::sin(along) + (back ? 1e-4 : 0.0), 0);
        }
    }
    if (kind == "comb" || kind == "slanting comb") points.emplace_back(3, -4, 0);
    if (kind == "star") return star(count, random, Quat::Identity(), 1);
    return points;
}

TEST(Triangulate, cuts_large_polygons_cleanly_in_bounded_time) {
    Random random(3);
    for (const char* kind : {"circle", "comb", "slanting comb", "spiral", "ribbon", "star"}) {
        const Points points = large_polygon(kind, 100000, random);
        const auto start = std::chrono::steady_clock::now();
        const Cut result = cut(points);
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        RecordProperty(kind, std::to_string(seconds));
        EXPECT_EQ(result.triangles.size(), points.size() - 2) << kind;
        EXPECT_TRUE(result.clean) << kind;
    }
}

TEST(Triangulate, ends_in_bounded_time_on_large_polygons_that_cross_themselves) {
    Random random(4);
    Points points;
    for (int i = 0; i < 100000; ++i) points.push_back(random.in_ball());
    EXPECT_EQ(cut(points).triangles.size(), points.size() - 2);
    EXPECT_FALSE(cut(points).clean);
}

TEST(Triangulate, gives_the_same_triangles_every_time) {
    Random random(5);
    const Points points = star(500, random, random.rotation(), 1);
    PolygonTriangulator reused;
    std::vector<Triangle> first;
    std::vector<Triangle> second;
    reused.triangulate(points, all_corners(points.size()), first);
    reused.triangulate(Points(7, Vec3::Zero()), all_corners(7), second);
    second.clear();
    reused.triangulate(points, all_corners(points.size()), second);
    EXPECT_EQ(first, second);
}

} // namespace triangulate_test
} // namespace fathom
