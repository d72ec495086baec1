// Room: simulate. From the words of a scene to bodies with shells and fields.
#include <fathom/simulate/scene.h>

#include <fathom/base/error.h>
#include <fathom/base/random.h>
#include <fathom/field/analytic/analytic_field.h>
#include <fathom/field/analytic/parse.h>
#include <fathom/field/analytic/shapes.h>
#include <fathom/geometry/mass_properties.h>
#include <fathom/geometry/mesh_file.h>

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <numbers>
#include <tuple>

namespace fathom {

namespace {

TriangleMesh source_mesh(const Scene& scene, const SceneBody& body, bool& generated) {
    generated = false;
    if (!body.model.empty() && !scene.model_folder.empty() && std::filesystem::exists(scene.model_folder / body.model))
        return read_triangle_mesh(scene.model_folder / body.model);
    if (!body.mesh.empty()) return read_triangle_mesh(std::filesystem::path(scene.file).parent_path() / body.mesh);
    generated = true;
    const CatalogueShape& shape = find_shape(body.shape);
    if (shape.volume) throw Error(Cause::invalid_argument, fmt::format("'{}' is made of tetrahedra; a body wants a surface", body.shape), {.element = "shape"});
    return std::get<TriangleMesh>(make_shape(body.shape, body.parameters));
}

// Upright, of the wanted size, its centre of mass in the origin.
TriangleMesh placed_mesh(const Scene& scene, const SceneBody& body) {
    bool generated = false;
    TriangleMesh mesh = source_mesh(scene, body, generated);
    check(mesh);
    if (body.up == "y" && !generated) mesh = mapped(std::move(mesh), [](const Vec3& v) { return Vec3(v.x(), -v.z(), v.y()); });
    const double longest = bounds(mesh.vertices).size().maxCoeff();
    const double scale = body.size > 0 && longest > 0 ? body.size / longest : 1;
    const Vec3 center = mass_properties(mesh).center;
    return mapped(std::move(mesh), [&](const Vec3& v) { return Vec3(scale * (v - center)); });
}

BodyShapePtr built_shape(const Scene& scene, const SceneBody& body, Progress* progress) {
    if (!body.field.empty()) return make_field_shape(std::make_shared<AnalyticField>(parse_shape(body.field)));
    BodyShapeOptions options;
    options.grid.resolution = body.resolution;
    options.grid.progress = progress;
    options.points = body.points;
    options.cached = scene.cached;
    return make_body_shape(placed_mesh(scene, body), options);
}

// What decides the shape of a body.
using ShapeKey = std::tuple<std::string, std::string, std::string, ShapeValues, std::string, std::string, double, int, std::size_t>;
ShapeKey key_of(const SceneBody& b) { return {b.model, b.mesh, b.shape, b.parameters, b.field, b.up, b.size, b.resolution, b.points}; }

RigidBody rigid_body(const Scene& scene, const SceneBody& body, const BodyShapePtr& shape) {
    const double share = scene.per_area && shape->point_count() > 0 ? shape->area / static_cast<double>(shape->point_count()) : 1;
    RigidBody rigid{.shape = shape, .name = body.name, .pose = body.pose, .velocity = body.velocity, .spin = body.spin, .density = body.density};
    rigid.stiffness = body.stiffness.value_or(scene.stiffness) * share;
    rigid.damping = body.damping.value_or(scene.damping) * share;
    rigid.friction = body.friction.value_or(scene.friction);
    rigid.fixed = body.fixed;
    return rigid;
}

void add_copies(RigidWorld& world, const SceneBody& body, const RigidBody& rigid) {
    Random random(body.turn_seed.value_or(0));
    for (int z = 0; z < body.copies[2]; ++z)
        for (int y = 0; y < body.copies[1]; ++y)
            for (int x = 0; x < body.copies[0]; ++x) {
                RigidBody copy = rigid;
                copy.pose.translation += body.spacing.cwiseProduct(Vec3(x, y, z));
                if (body.turn_seed) copy.pose.rotation = random.rotation();
                if (body.copies != std::array<int, 3>{1, 1, 1}) copy.name = fmt::format("{} {}.{}.{}", body.name, x, y, z);
                world.add(std::move(copy));
            }
}

} // namespace

std::size_t Scene::step_count() const { return static_cast<std::size_t>(std::llround(duration / options.step)); }

std::unique_ptr<SimulatedWorld> make_world(const Scene& scene, Progress* progress) { return std::make_unique<RigidWorld>(make_rigid_world(scene, progress)); }

RigidWorld make_rigid_world(const Scene& scene, Progress* progress) {
    RigidWorld world(scene.options);
    std::map<ShapeKey, BodyShapePtr> shapes;
    for (const SceneBody& body : scene.bodies) {
        BodyShapePtr& shape = shapes[key_of(body)];
        try {
            if (!shape) shape = built_shape(scene, body, progress);
        } catch (const Error& error) {
            if (!error.place().file.empty() || error.cause() == Cause::cancelled) throw;
            throw Error(error.cause(), fmt::format("{}: {}", error.place().element, error.reason()), {.file = scene.file, .element = fmt::format("body '{}'", body.name)});
        }
        add_copies(world, body, rigid_body(scene, body, shape));
    }
    if (scene.ground) {
        const auto plane = std::make_shared<AnalyticField>(shapes::plane(Vec3::UnitZ(), *scene.ground));
        world.add({.shape = make_field_shape(plane), .name = "ground", .friction = scene.friction, .fixed = true});
    }
    return world;
}

} // namespace fathom
