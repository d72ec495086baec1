// The tree of a solid holds its inside: every inside point is in the ball of each node whose cell it is in, and below
// its cap.
#include <fathom/base/random.h>
#include <fathom/detect/trees/field_sphere_tree.h>
#include <fathom/field/analytic/analytic_field.h>
#include <fathom/field/analytic/primitives.h>
#include <fathom/field/mesh/grid_builder.h>
#include <fathom/field/mesh/mesh_field.h>
#include <fathom/geometry/generate/generate.h>

#include <gtest/gtest.h>

namespace fathom {
namespace field_sphere_tree_test {

// Down the cells that hold an inside point, as far as they go. How many nodes were passed.
int passed_nodes(const FieldSphereTree& solid, const Vec3& x, Random& random) {
    Box cell = solid.root();
    EXPECT_TRUE(cell.contains(x));
    const FieldSphereNode* node = &solid.nodes()[0];
    for (int depth = 1;; ++depth) {
        const Sphere ball = solid.sphere(*node);
        EXPECT_LE((x - ball.center).norm(), ball.radius) << "depth " << depth;
        const Vec3 way = random.direction();
        EXPECT_LE(way.dot(x - ball.center), solid.reach(*node, way) * (1 + 1e-9)) << "depth " << depth;
        if (node->full || node->children == 0) return depth;
        const Vec3 middle = cell.center();
        unsigned octant = 0;
        for (int k = 0; k < 3; ++k) {
            const bool upper = x[k] > middle[k];
            octant |= upper ? 1u << k : 0u;
            (upper ? cell.lower : cell.upper)[k] = middle[k];
        }
        const FieldSphereNode* next = nullptr;
        for (Index c = 0; c < node->children; ++c)
            if (solid.nodes()[node->first + c].octant == octant) next = &solid.nodes()[node->first + c];
        if (!next) {
            ADD_FAILURE() << "an inside point in a cell that was dropped, depth " << depth;
            return depth;
        }
        node = next;
    }
}

void expect_cover(const FieldPtr& field, const FieldSphereTreeOptions& options, std::uint64_t seed) {
    const FieldSphereTree solid(field, options);
    Random random(seed);
    int inside = 0, deepest = 0;
    for (int k = 0; k < 20'000 && inside < 1500; ++k) {
        const Vec3 x = random.in_box(field->bounds());
        if (!(field->distance(x) <= 0)) continue;
        ++inside;
        deepest = std::max(deepest, passed_nodes(solid, x, random));
    }
    EXPECT_GT(inside, 300);
    EXPECT_GT(deepest, 1);
}

TEST(FieldSphereTree, the_spheres_and_caps_of_the_tree_contain_every_inside_point_at_any_depth) {
    const TriangleMesh creature = make_creature({.triangles = 2000}), ring = make_torus();
    const std::array<FieldPtr, 5> fields = {
        std::make_shared<GridField>(build_grid(creature, {.resolution = 96})),
        std::make_shared<GridField>(build_grid(ring, {.resolution = 64, .storage = GridStorage::float32})),
        std::make_shared<GridField>(build_grid(ring, {.resolution = 40, .margin = 0.4, .dense = true})),
        std::make_shared<AnalyticField>(shapes::torus(0.5, 0.2)), std::make_shared<MeshField>(ring)};
    for (std::size_t f = 0; f < fields.size(); ++f)
        for (const int levels : {0, 1, 2, 3}) {
            SCOPED_TRACE(::testing::Message() << "field " << f << ", levels " << levels);
            expect_cover(fields[f], {.levels = levels}, f);
        }
    expect_cover(fields[0], {.max_nodes = 60}, 9);
}

TEST(FieldSphereTree, marks_centres_inside_and_full_cells) {
    const FieldSphereTree solid(std::make_shared<GridField>(build_grid(make_sphere(), {.resolution = 64})));
    int inside = 0, full = 0, outside = 0;
    for (const FieldSphereNode& node : solid.nodes()) {
        EXPECT_EQ(node.center_inside, solid.field().distance(solid.center(node)) <= 0);
        (node.center_inside ? inside : outside)++;
        full += node.full ? 1 : 0;
    }
    EXPECT_GT(inside, 100);
    EXPECT_GT(full, 10);
}

TEST(FieldSphereTree, a_body_without_interior_has_an_empty_tree_and_an_unbounded_one_has_none) {
    EXPECT_TRUE(FieldSphereTree(std::make_shared<AnalyticField>(shapes::intersection(
                                    shapes::sphere(1), shapes::translate({5, 0, 0}, shapes::sphere(1)))))
                    .empty());
    const FieldSphereTree plane(std::make_shared<AnalyticField>(shapes::plane({0, 0, 1}, 0)));
    EXPECT_FALSE(plane.bounded());
    EXPECT_FALSE(plane.empty());
}

} // namespace field_sphere_tree_test
} // namespace fathom
