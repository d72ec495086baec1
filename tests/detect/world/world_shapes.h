// Shapes of every kind that is quick to make, about `size` across, and what tests of worlds compare.
#pragma once

#include <fathom/base/random.h>
#include <fathom/detect/world/world.h>
#include <fathom/field/analytic/analytic_field.h>
#include <fathom/field/analytic/primitives.h>
#include <fathom/field/grid/bake.h>
#include <fathom/field/height/height_field.h>
#include <fathom/field/mesh/mesh_field.h>
#include <fathom/geometry/generate/generate.h>

#include <cmath>
#include <map>

namespace fathom::testing {

[[nodiscard]] inline Shape formula_shape(const AnalyticExpression& formula) {
    return Shape(std::make_shared<AnalyticField>(formula));
}
[[nodiscard]] inline Shape ball_shape(double radius) { return formula_shape(shapes::sphere(radius)); }

[[nodiscard]] inline Shape hill_shape(double size) {
    HeightSamples samples{.columns = 9,
                          .rows = 9,
                          .origin = {-0.5 * size, -0.5 * size},
                          .spacing = {size / 8, size / 8},
                          .floor = -0.5 * size,
                          .ceiling = 0.5 * size};
    for (int k = 0; k < 81; ++k)
        samples.heights.push_back(static_cast<float>(0.2 * size * std::sin(0.5 * (k % 9)) * std::cos(0.4 * (k / 9))));
    return Shape(std::make_shared<HeightField>(samples));
}

[[nodiscard]] inline Shape shape_of(ShapeKind kind, double size) {
    switch (kind) {
    case ShapeKind::analytic:
        return formula_shape(shapes::torus(0.35 * size, 0.15 * size));
    case ShapeKind::grid:
        return Shape(std::make_shared<GridField>(
            bake(AnalyticField(shapes::box({size, 0.7 * size, 0.5 * size})), {.resolution = 24})));
    case ShapeKind::other_field:
        return Shape(std::make_shared<MeshField>(make_cone({.radius = 0.4 * size, .height = size, .segments = 12})));
    case ShapeKind::open_mesh:
        return Shape(make_cloth({.size = {size, size}, .cells = {4, 4}}));
    case ShapeKind::point_shell:
        return Shape(make_sphere({.radius = 0.5 * size, .resolution = 3}).vertices);
    case ShapeKind::tetrahedra:
        return Shape(make_tet_ball({.radius = 0.5 * size, .resolution = 2}));
    case ShapeKind::height_field:
        return hill_shape(size);
    case ShapeKind::half_space:
        return Shape::half_space(Vec3::UnitZ(), 0);
    default:
        return Shape(make_torus({.radius = 0.35 * size, .tube = 0.15 * size, .segments = 16, .tube_segments = 8}));
    }
}
// All but networks, whose trees take seconds.
inline constexpr std::array quick_kinds = {ShapeKind::analytic,    ShapeKind::grid,         ShapeKind::other_field,
                                           ShapeKind::closed_mesh, ShapeKind::open_mesh,    ShapeKind::point_shell,
                                           ShapeKind::tetrahedra,  ShapeKind::height_field, ShapeKind::half_space};

[[nodiscard]] inline Pose random_pose(Random& random, double spread) {
    return {random.rotation(), spread * random.in_ball()};
}

[[nodiscard]] inline bool same_contact(const Contact& x, const Contact& y) {
    return x.point_a == y.point_a && x.point_b == y.point_b && x.normal == y.normal && x.depth == y.depth &&
           x.region == y.region && x.feature_a.element == y.feature_a.element &&
           x.feature_b.element == y.feature_b.element;
}
[[nodiscard]] inline bool same_collision(const CollideResult& x, const CollideResult& y) {
    return x.status == y.status && x.proven == y.proven && x.method == y.method && x.witness == y.witness &&
           x.local_depth == y.local_depth && x.error_bound == y.error_bound && x.more_contacts == y.more_contacts &&
           std::ranges::equal(x.contacts, y.contacts, same_contact);
}
[[nodiscard]] inline bool same_pair(const WorldPair& x, const WorldPair& y) {
    return x.a == y.a && x.b == y.b && same_collision(x.collision, y.collision);
}

// Queries every pair of bodies separately.
template <class Allowed>
[[nodiscard]] std::vector<WorldPair> pairs_one_by_one(const World& world, Allowed&& allowed) {
    std::vector<WorldPair> pairs;
    for (Index a = 0; a < world.id_limit(); ++a)
        for (Index b = a + 1; b < world.id_limit(); ++b) {
            if (!world.contains(a) || !world.contains(b) || !allowed(a, b)) continue;
            WorldPair pair{
                a, b, collide(world.shape(a), world.pose(a), world.shape(b), world.pose(b), world.options().query)};
            if (pair.touching()) pairs.push_back(std::move(pair));
        }
    return pairs;
}
[[nodiscard]] inline std::vector<WorldPair> pairs_one_by_one(const World& world) {
    return pairs_one_by_one(world, [](Index, Index) { return true; });
}

} // namespace fathom::testing
