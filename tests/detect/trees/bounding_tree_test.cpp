// Nodes of bounding trees contain their content at every depth, and pairs of nodes give lower bounds on known
// distances.
#include <fathom/detect/query/distance_lower_bound.h>
#include <fathom/detect/query/query.h>
#include <fathom/detect/trees/dual_tree_bound.h>
#include <fathom/field/analytic/analytic_field.h>
#include <fathom/field/analytic/primitives.h>
#include <fathom/field/grid/bake.h>
#include <fathom/geometry/generate/generate.h>
#include <tool/verify/referee.h>

#include <support/test_counts.h>

#include <gtest/gtest.h>

namespace fathom {
namespace bounding_tree_test {

// Down the parts that hold a point, first one found first. How deep it went; every part on the way must hold the point
// in every bound.
int depth_of(BoundingTree& tree, const Vec3& x, Random& random, double slack) {
    const auto holds = [&](Index part) {
        const Sphere ball = tree.sphere(part);
        if ((x - ball.center).norm() > ball.radius + slack) return false;
        for (int k = 0; k < 6; ++k)
            if (const Vec3 way = random.direction(); way.dot(x - ball.center) > tree.reach(part, way) + slack)
                return false;
        return true;
    };
    std::vector<Index> open = {0};
    EXPECT_TRUE(holds(0));
    for (int depth = 0;; ++depth) {
        std::vector<Index> below;
        bool last = false;
        for (const Index part : open) {
            const BoundingTree::Parts parts = tree.open(part);
            last = last || parts.last;
            for (Index k = 0; k < parts.count; ++k)
                if (holds(parts.first + k)) below.push_back(parts.first + k);
        }
        if (last) return depth;
        if (below.empty()) {
            ADD_FAILURE() << "no part holds a point of the shape at depth " << depth + 1;
            return depth;
        }
        if (below.size() > 8) below.resize(8);
        open = below;
    }
}

TEST(BoundingTree, every_node_contains_its_content_at_every_depth_and_scale) {
    Random random(3);
    for (const ShapeKind kind : all_shape_kinds) {
        if (!has_field(kind) || kind == ShapeKind::half_space) continue;
        int inside = 0, deepest = 0;
        for (const double size : {1e-3, 1.0, 1e3}) {
            const Shape shape = random_shape(kind, random, size);
            BoundingTree tree(shape.solid(), 0.01 * size);
            for (std::size_t k = 0; k < testing::count_of(200, 20'000); ++k) {
                const Vec3 x = random.in_box(shape.bounds());
                if (shape.field()->distance(x) > 0) continue;
                ++inside;
                deepest = std::max(deepest, depth_of(tree, x, random, 1e-12 * size));
            }
        }
        EXPECT_GT(inside, 30) << name(kind);
        EXPECT_GT(deepest, 4) << name(kind);
    }
}

TEST(BoundingTree, nodes_proven_empty_are_dropped) {
    // Ranges of this sum are loose in large cells and tight in small ones: many cells are cleared only by their parts.
    Random random(8);
    for (int k = 0; k < 5; ++k) {
        const Shape shape = random_shape(ShapeKind::neural, random);
        const FieldSphereTree& solid = shape.solid();
        for (const FieldSphereNode& node : solid.nodes()) ASSERT_GT(node.radius, 0) << "a node that holds nothing";
    }
}

Shape ball_grid(double radius, int resolution) {
    return Shape(std::make_shared<GridField>(bake(AnalyticField(shapes::sphere(radius)), {.resolution = resolution})));
}

TEST(DistanceLowerBound, of_spheres_beyond_each_others_grids_is_tighter_with_smaller_nodes) {
    for (const double size : {1e-3, 1.0, 1e3})
        for (const double apart : {0.1, 0.5, 3.0}) {
            const Shape a = ball_grid(0.5 * size, 64), b = ball_grid(0.3 * size, 48);
            const Vec3 way = Vec3(1, -2, 0.5).normalized();
            const Pose pose_b = {Quat(Eigen::AngleAxisd(1, Vec3::UnitY())), (0.8 + apart) * size * way};
            const double coarse = distance_lower_bound(a, {}, b, pose_b, {.sufficient = 10 * size, .effort = 2000});
            const double fine = distance_lower_bound(
                a, {}, b, pose_b,
                {.sufficient = 10 * size, .effort = 2000, .min_radius = 1e-4 * size, .direction = way});
            EXPECT_LE(fine, (apart + 2e-3) * size); // of grids that interpolate a ball
            EXPECT_GE(fine, (apart - 0.055) * size);
            EXPECT_LE(apart * size - fine, 0.6 * (apart * size - coarse));
            const DistanceResult d = distance(a, {}, b, pose_b);
            EXPECT_LE(d.lower_bound, (apart + 2e-3) * size);
            EXPECT_GE(d.upper_bound, (apart - 2e-3) * size);
            EXPECT_LE(d.upper_bound - d.lower_bound, 4.01 * d.error_bound) << size << " " << apart;
            EXPECT_TRUE(d.converged);
        }
}

TEST(DistanceLowerBound, never_exceeds_the_distance_of_points_that_were_seen) {
    Random random(12);
    std::size_t apart = 0, near = 0;
    for (std::size_t k = 0; k < testing::count_of(60, 1000); ++k) {
        const std::array kinds = {ShapeKind::grid,         ShapeKind::neural,    ShapeKind::analytic,
                                  ShapeKind::height_field, ShapeKind::open_mesh, ShapeKind::point_shell};
        const double size = std::array{1e-3, 1.0, 1e3}[k % 3];
        const Shape a = random_shape(kinds[random.below(4)], random, size),
                    b = random_shape(kinds[random.below(kinds.size())], random, size);
        const RandomPoses poses = random_poses(a, b, random);
        const DistanceResult d = distance(a, poses.a, b, poses.b);
        const double gap = distance_lower_bound(a, poses.a, b, poses.b,
                                                {.sufficient = 10 * size,
                                                 .effort = 500,
                                                 .min_radius = 1e-3 * size,
                                                 .direction = d.upper_bound > 0 ? d.normal : Vec3(Vec3::Zero())});
        EXPECT_LE(gap, std::max(d.upper_bound, 0.0) + 1e-9 * size);
        if (!(d.upper_bound > 0.05 * size)) continue;
        ++apart;
        near += gap > 0.8 * d.upper_bound;
    }
    EXPECT_GT(apart, 10u);
    EXPECT_GT(near, apart / 2);
}

} // namespace bounding_tree_test
} // namespace fathom
