// Meshes made ready for drawing: their order, and what of them a view may see.
#include <support/test_counts.h>

#include <fathom/base/error.h>
#include <fathom/base/random.h>
#include <fathom/detect/depth/drawn_mesh.h>
#include <fathom/geometry/generate/generate.h>

#include <gtest/gtest.h>

#include <algorithm>

namespace fathom {

namespace drawn_mesh_test {

using testing::count_of;

DepthView random_view(Random& random, const Box& box) {
    DepthView view;
    view.pose = {random.rotation(), random.in_box(box)};
    view.size = Vec3(random.uniform(0.02, 0.5), random.uniform(0.02, 0.5), random.uniform(0.02, 0.5)) * box.diagonal();
    return view;
}

// Vertices of triangle t in the frame of the view's box: may it be in there?
bool surely_seen(const DepthView& view, const DrawnMesh& mesh, const Pose& pose, Index t) {
    for (const Index v : mesh.triangles()[t]) {
        const Vec3 p = view.to_map(pose * (mesh.origin() + mesh.positions()[v].cast<double>()));
        if (p.x() >= 0 && p.y() >= 0 && p.x() <= view.width && p.y() <= view.height && p.z() >= 0 && p.z() <= 1)
            return true;
    }
    return false;
}

TEST(DrawnMesh, draws_every_primitive_once) {
    for (const std::size_t resolution : {1, 3, 20}) {
        const TriangleMesh mesh = make_sphere({.resolution = resolution});
        const DrawnMesh drawn(mesh);
        std::vector<Index> numbers(drawn.numbers().begin(), drawn.numbers().end());
        std::sort(numbers.begin(), numbers.end());
        ASSERT_EQ(numbers.size(), mesh.triangles.size());
        for (Index k = 0; k < numbers.size(); ++k) EXPECT_EQ(numbers[k], k);
        const DrawnClusters& all = drawn.clusters();
        for (const DrawnCluster& cluster : all.clusters())
            for (Index t = cluster.primitives.begin; t < cluster.primitives.end; ++t)
                for (std::size_t k = 0; k < 3; ++k) {
                    const std::size_t at = cluster.first_corner + all.corners(k)[t];
                    EXPECT_EQ(Vec3f(all.places(0)[at], all.places(1)[at], all.places(2)[at]),
                              drawn.positions()[mesh.triangles[drawn.numbers()[t]][k]]);
                }
    }
}

TEST(DrawnMesh, a_view_gets_all_primitives_in_its_box_and_few_others) {
    Random random(41);
    DrawnMesh mesh(make_sphere({.resolution = 40}));
    std::vector<Vec3> moved;
    for (const Vec3f& p : mesh.positions()) moved.push_back(2 * p.cast<double>() + Vec3(1, 0.3 * p.x(), 0));
    std::vector<DrawnRange> ranges;
    std::size_t shown = 0, needed = 0, all = 0;
    for (std::size_t k = 0; k < count_of(120, 10000); ++k) {
        if (k == 60) mesh.move(moved);
        const Pose pose{random.rotation(), 5 * random.direction()};
        DepthView view = random_view(random, mesh.bounds());
        view.pose = pose * view.pose;
        mesh.visible(view, pose, ranges);
        std::vector<bool> seen(mesh.size(), false);
        Index end = 0;
        for (const DrawnRange& range : ranges) {
            EXPECT_TRUE(range.begin < range.end && (end == 0 ? range.begin >= end : range.begin > end));
            end = range.end;
            for (Index t = range.begin; t < range.end; ++t) seen[mesh.numbers()[t]] = true, ++shown;
        }
        for (Index t = 0; t < mesh.size(); ++t) {
            if (!surely_seen(view, mesh, pose, t)) continue;
            ++needed;
            EXPECT_TRUE(seen[t]);
        }
        all += mesh.size();
    }
    EXPECT_GT(needed, all / 50);
    EXPECT_LT(shown, all / 2);
}

TEST(DrawnMesh, keeps_the_order_of_points_and_reports_its_kind) {
    std::vector<Vec3> places;
    for (int k = 0; k < 500; ++k) places.push_back(Vec3(k % 7, k % 11, k % 13));
    const DrawnMesh points = DrawnMesh::points(places);
    EXPECT_EQ(points.kind(), Primitives::points);
    EXPECT_EQ(points.size(), 500u);
    for (Index k = 0; k < 500; ++k) EXPECT_EQ(points.numbers()[k], k);
    const DrawnMesh lines = DrawnMesh::lines(places, std::array{Line{0, 1}, Line{5, 400}});
    EXPECT_EQ(lines.kind(), Primitives::lines);
    EXPECT_EQ(lines.size(), 2u);
    EXPECT_TRUE(lines.triangles().empty());
}

TEST(DrawnMesh, refuses_what_is_not_a_mesh) {
    const std::array places{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, std::numeric_limits<double>::infinity())};
    EXPECT_THROW((void)DrawnMesh::points(places), Error);
    EXPECT_THROW((void)DrawnMesh::lines(std::span(places).first(2), std::array<Line, 1>{{{0, 2}}}), Error);
    DrawnMesh mesh = DrawnMesh::points(std::span(places).first(2));
    EXPECT_THROW(mesh.move(places), Error);
    EXPECT_THROW(mesh.move(std::span(places).last(2)), Error);
}

} // namespace drawn_mesh_test

} // namespace fathom
