// A few families of shapes for each kind, with random sizes.
#include <tool/verify/referee.h>

#include <fathom/field/analytic/analytic_field.h>
#include <fathom/field/analytic/primitives.h>
#include <fathom/field/grid/bake.h>
#include <fathom/field/height/height_field.h>
#include <fathom/field/mesh/mesh_field.h>
#include <fathom/field/neural/neural_field.h>
#include <fathom/geometry/generate/generate.h>
#include <fathom/geometry/sample/point_shell.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace fathom {

namespace {

double about(double value, Random& random) { return value * random.uniform(0.7, 1.3); }

AnalyticExpression random_formula(Random& random, double size) {
    const auto s = [&](double share) { return about(share * size, random); };
    switch (random.below(7)) {
    case 0:
        return shapes::sphere(s(0.45));
    case 1:
        return shapes::box({s(0.8), s(0.6), s(0.5)});
    case 2:
        return shapes::torus(s(0.35), s(0.13));
    case 3:
        return shapes::capsule(Vec3(0, 0, -s(0.25)), Vec3(0, 0, s(0.25)), s(0.2));
    case 4:
        return shapes::rounded_cone(s(0.28), s(0.15), s(0.5));
    case 5:
        return shapes::smooth_union(shapes::sphere(s(0.3)),
                                    shapes::translate({s(0.3), 0, 0}, shapes::box({s(0.4), s(0.3), s(0.5)})),
                                    0.1 * size);
    default:
        return shapes::difference(shapes::box({s(0.7), s(0.7), s(0.7)}),
                                  shapes::translate({0, 0, s(0.3)}, shapes::sphere(s(0.35))));
    }
}

Shape random_convex(Random& random, double size) {
    const auto s = [&](double share) { return about(share * size, random); };
    const double radius = random.chance(0.3) ? s(0.08) : 0;
    switch (random.below(7)) {
    case 0:
        return Shape::sphere(s(0.45));
    case 1:
        return Shape::box({s(0.8), s(0.6), s(0.5)}, radius);
    case 2:
        return Shape::capsule(s(0.2), s(0.5));
    case 3:
        return Shape::cylinder(s(0.35), s(0.7), radius);
    case 4:
        return Shape::cone(s(0.4), s(0.8), radius);
    case 5:
        return Shape::ellipsoid({s(0.45), s(0.35), s(0.25)}, radius);
    default: {
        std::vector<Vec3> points;
        for (std::uint64_t k = 8 + random.below(60); k > 0; --k)
            points.push_back(0.45 * size * random.direction().cwiseProduct(Vec3(1, 0.8, 0.6)));
        return Shape::convex_hull(points, radius);
    }
    }
}

// Not one of the primitives that count as convex shapes.
Shape random_analytic(Random& random, double size) {
    for (;;) {
        Shape shape(std::make_shared<AnalyticField>(random_formula(random, size)));
        if (shape.kind() == ShapeKind::analytic) return shape;
    }
}

TriangleMesh random_mesh(Random& random, double size) {
    const auto s = [&](double share) { return about(share * size, random); };
    switch (random.below(6)) {
    case 0:
        return make_sphere({.radius = s(0.45), .resolution = 4 + random.below(5)});
    case 1:
        return make_box({.size = {s(0.8), s(0.6), s(0.5)}, .cells = {1 + random.below(4), 1, 2}});
    case 2:
        return make_torus({.radius = s(0.3), .tube = 0.12 * size, .segments = 24, .tube_segments = 12});
    case 3:
        return make_cone({.radius = s(0.4), .height = s(0.8), .segments = 20});
    case 4:
        return make_bowl({.radius = s(0.45), .thickness = 0.1 * size, .segments = 20});
    default: { // two bodies that form one shape
        TriangleMesh pair = mapped(make_sphere({.radius = s(0.2), .resolution = 4}),
                                   [&](const Vec3& p) { return Vec3(p - Vec3(0.3 * size, 0, 0)); });
        append(pair, mapped(make_box({.size = Vec3::Constant(0.3 * size)}),
                            [&](const Vec3& p) { return Vec3(p + Vec3(0.3 * size, 0, 0)); }));
        return pair;
    }
    }
}

// A mesh without some of its triangles: a surface with borders.
TriangleMesh random_sheet(Random& random, double size) {
    TriangleMesh sheet =
        random.chance(0.3) ? make_cloth({.size = {size, 0.7 * size}, .cells = {6, 5}}) : random_mesh(random, size);
    const Vec3 side = random.direction();
    const std::vector<Triangle> all = sheet.triangles;
    std::erase_if(sheet.triangles, [&](const Triangle& t) {
        return side.dot(sheet.vertices[t[0]] + sheet.vertices[t[1]] + sheet.vertices[t[2]]) > 0.3 * size;
    });
    if (sheet.triangles.size() < 2)
        sheet.triangles.assign(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2));
    return sheet;
}

TetMesh random_tetrahedra(Random& random, double size) {
    TetMesh mesh = random.chance(0.5) ? make_tet_box({.size = size * Vec3(0.8, 0.6, 0.5), .cells = {4, 3, 2}})
                                      : make_tet_ball({.radius = about(0.42 * size, random), .resolution = 4});
    const double twist = random.uniform(-0.8, 0.8) / size; // the current shape, not the rest shape
    for (Vec3& v : mesh.vertices) v = Eigen::AngleAxisd(twist * v.z(), Vec3::UnitZ()) * v;
    return mesh;
}

// A wavy hill over a square, solid down to its floor.
std::shared_ptr<HeightField> random_heights(Random& random, double size) {
    HeightSamples samples{.columns = 24,
                          .rows = 24,
                          .origin = Vec2::Constant(-0.5 * size),
                          .spacing = Vec2::Constant(size / 23),
                          .floor = -0.4 * size,
                          .ceiling = 0.4 * size};
    const double fx = random.uniform(2, 7) / size, fy = random.uniform(2, 7) / size, phase = random.uniform(0, 6);
    for (int row = 0; row < samples.rows; ++row)
        for (int column = 0; column < samples.columns; ++column) {
            const Vec2 p = samples.origin + Vec2(column, row).cwiseProduct(samples.spacing);
            samples.heights.push_back(
                static_cast<float>(0.12 * size * (std::sin(fx * p.x() + phase) + std::cos(fy * p.y()))));
        }
    return std::make_shared<HeightField>(std::move(samples));
}

// A sum of ramps: convex if all have positive weights, with dents if some are negative.
Network random_network(Random& random, double size) {
    const int units = 14;
    DenseLayer ramps{.inputs = 3, .outputs = units, .activation = Activation::relu}, sum{.inputs = units, .outputs = 1};
    for (int k = 0; k < units; ++k) {
        const Vec3 way = random.direction();
        for (int c = 0; c < 3; ++c) ramps.weights.push_back(static_cast<float>(way[c]));
        ramps.biases.push_back(static_cast<float>(random.uniform(-0.1, 0.1)));
        sum.weights.push_back(static_cast<float>(k % 7 == 6 ? -0.15 : random.uniform(0.25, 0.35)));
    }
    sum.biases.push_back(static_cast<float>(-random.uniform(0.5, 0.65)));
    return {.encoding = {},
            .layers = {ramps, sum},
            .scale = size,
            .domain = Box::around(Vec3::Zero(), Vec3::Constant(size))};
}

// Two to five small parts of other kinds, but of networks and half-spaces; some are compounds themselves.
Shape random_compound(Random& random, double size) {
    constexpr std::array kinds = {ShapeKind::analytic,    ShapeKind::closed_mesh, ShapeKind::analytic,
                                  ShapeKind::closed_mesh, ShapeKind::tetrahedra,  ShapeKind::other_field,
                                  ShapeKind::open_mesh,   ShapeKind::compound};
    std::vector<CompoundPart> parts;
    for (std::size_t k = 2 + random.below(3); k > 0; --k) {
        const ShapeKind kind = kinds[random.below(kinds.size())];
        parts.push_back({random_shape(kind, random, 0.6 * size), {random.rotation(), 0.35 * size * random.in_ball()}});
    }
    return Shape::compound(std::move(parts));
}

} // namespace

Shape random_shape(ShapeKind kind, Random& random, double size) {
    switch (kind) {
    case ShapeKind::analytic:
        return random_analytic(random, size);
    case ShapeKind::convex:
        return random_convex(random, size);
    case ShapeKind::grid:
        return Shape(
            std::make_shared<GridField>(bake(AnalyticField(random_formula(random, size)), {.resolution = 32})));
    case ShapeKind::neural:
        return Shape(std::make_shared<NeuralField>(random_network(random, size)));
    case ShapeKind::other_field:
        return Shape(std::make_shared<MeshField>(random_mesh(random, size)));
    case ShapeKind::closed_mesh:
        return Shape(random_mesh(random, size), MeshInside::closed);
    case ShapeKind::open_mesh:
        return Shape(random_sheet(random, size), MeshInside::open);
    case ShapeKind::point_shell:
        return Shape(vertex_shell(random_mesh(random, size)).points);
    case ShapeKind::tetrahedra:
        return Shape(random_tetrahedra(random, size));
    case ShapeKind::height_field:
        return Shape(random_heights(random, size));
    case ShapeKind::compound:
        return random_compound(random, size);
    case ShapeKind::half_space:
        break;
    }
    return Shape::half_space(random.direction(), random.uniform(-0.5, 0.5) * size);
}

RandomPoses random_poses(const Shape& a, const Shape& b, Random& random) {
    const auto turned = [&] { return Pose{random.rotation(), Vec3::Zero()}; };
    RandomPoses poses{turned(), turned()};
    const double reach = (a.bounded() ? a.radius() : 0) + (b.bounded() ? b.radius() : 0);
    if (a.bounded() != b.bounded() && (a.kind() == ShapeKind::half_space || b.kind() == ShapeKind::half_space)) {
        // The centre of the body at some height above the plane.
        const bool first = a.kind() == ShapeKind::half_space;
        const Pose &of_plane = first ? poses.a : poses.b, &of_body = first ? poses.b : poses.a;
        const Shape::HalfSpace& half = (first ? a : b).half_space();
        const Vec3 normal = of_plane.rotate(half.normal), middle = of_body.rotate((first ? b : a).bounds().center());
        const Vec3 move = (half.offset + random.uniform(-0.5, 1.5) * reach - normal.dot(middle)) * normal;
        poses.b.translation = first ? move : Vec3(-move);
        return poses;
    }
    if (reach > 0) {
        poses.b.translation = random.uniform(0.1, 1.3) * reach * random.direction();
        return poses;
    }
    // Two half-spaces are disjoint only if they face each other.
    const Vec3 facing = -poses.a.rotate(a.half_space().normal);
    if (random.chance(0.5)) poses.b.rotation = Quat::FromTwoVectors(b.half_space().normal, facing);
    poses.b.translation = 2 * random.in_ball();
    return poses;
}

} // namespace fathom
