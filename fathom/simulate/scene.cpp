// Room: simulate. From the words of a scene to bodies with shells and fields.
#include <fathom/simulate/scene.h>

#include <fathom/base/error.h>
#include <fathom/base/random.h>
#include <fathom/field/analytic/analytic_field.h>
#include <fathom/field/analytic/parse.h>
#include <fathom/field/analytic/shapes.h>
#include <fathom/geometry/adjacency.h>
#include <fathom/geometry/mass_properties.h>
#include <fathom/geometry/mesh_file.h>

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <numbers>
#include <tuple>

namespace fathom {

namespace {

// A mesh of a kind: its reader, and what to call it.
template <class Mesh>
struct MeshKind;
template <>
struct MeshKind<TriangleMesh> {
    static TriangleMesh read(const std::filesystem::path& path) { return read_triangle_mesh(path); }
    static constexpr bool volume = false;
    static constexpr const char* unlike = "is made of tetrahedra; a body wants a surface";
};
template <>
struct MeshKind<TetMesh> {
    static TetMesh read(const std::filesystem::path& path) { return read_tet_mesh(path); }
    static constexpr bool volume = true;
    static constexpr const char* unlike = "is a surface; a solid wants tetrahedra";
};

template <class Mesh>
Mesh source_mesh(const Scene& scene, const SceneBody& body, bool& generated) {
    generated = false;
    if (!body.model.empty() && !scene.model_folder.empty() && std::filesystem::exists(scene.model_folder / body.model))
        return MeshKind<Mesh>::read(scene.model_folder / body.model);
    if (!body.mesh.empty()) return MeshKind<Mesh>::read(std::filesystem::path(scene.file).parent_path() / body.mesh);
    generated = true;
    if (find_shape(body.shape).volume != MeshKind<Mesh>::volume)
        throw Error(Cause::invalid_argument, fmt::format("'{}' {}", body.shape, MeshKind<Mesh>::unlike), {.element = "shape"});
    return std::get<Mesh>(make_shape(body.shape, body.parameters));
}

// Of a thin sheet on it: closed or not.
Vec3 surface_center(const TriangleMesh& mesh) {
    Vec3 sum = Vec3::Zero();
    double area = 0;
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
        const std::array<Vec3, 3> c = mesh.corners(t);
        const double a = area_vector(c).norm();
        sum += a / 3 * (c[0] + c[1] + c[2]);
        area += a;
    }
    return area > 0 ? Vec3(sum / area) : bounds(mesh.vertices).center();
}

Vec3 center_of(const Scene& scene, const TriangleMesh& mesh) { return scene.springs || scene.solids || scene.particles ? surface_center(mesh) : mass_properties(mesh).center; }

Vec3 center_of(const Scene&, const TetMesh& mesh) {
    Vec3 sum = Vec3::Zero();
    double volume = 0;
    for (std::size_t t = 0; t < mesh.tetrahedra.size(); ++t) {
        const std::array<Vec3, 4> c = mesh.corners(t);
        const double v = std::abs(signed_volume(c));
        sum += v / 4 * (c[0] + c[1] + c[2] + c[3]);
        volume += v;
    }
    return volume > 0 ? Vec3(sum / volume) : bounds(mesh.vertices).center();
}

// Upright, of the wanted size, its centre of mass in the origin.
template <class Mesh>
Mesh placed_mesh(const Scene& scene, const SceneBody& body) {
    bool generated = false;
    Mesh mesh = source_mesh<Mesh>(scene, body, generated);
    check(mesh);
    if (body.up == "y" && !generated)
        for (Vec3& v : mesh.vertices) v = Vec3(v.x(), -v.z(), v.y());
    const double longest = bounds(mesh.vertices).size().maxCoeff();
    const double scale = body.size > 0 && longest > 0 ? body.size / longest : 1;
    const Vec3 center = center_of(scene, mesh);
    for (Vec3& v : mesh.vertices) v = scale * (v - center);
    return mesh;
}

BodyShapePtr built_shape(const Scene& scene, const SceneBody& body, Progress* progress) {
    if (!body.field.empty()) return make_field_shape(std::make_shared<AnalyticField>(parse_shape(body.field)));
    BodyShapeOptions options;
    options.grid.resolution = body.resolution;
    options.grid.progress = progress;
    options.points = body.points;
    options.cached = scene.cached;
    return make_body_shape(placed_mesh<TriangleMesh>(scene, body), options);
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

// add(name, pose) for each copy of a body.
template <class Add>
void each_copy(const SceneBody& body, const Add& add) {
    Random random(body.turn_seed.value_or(0));
    const bool one = body.copies == std::array<int, 3>{1, 1, 1};
    for (int z = 0; z < body.copies[2]; ++z)
        for (int y = 0; y < body.copies[1]; ++y)
            for (int x = 0; x < body.copies[0]; ++x) {
                Pose pose = body.pose;
                pose.translation += body.spacing.cwiseProduct(Vec3(x, y, z));
                if (body.turn_seed) pose.rotation = random.rotation();
                add(one ? body.name : fmt::format("{} {}.{}.{}", body.name, x, y, z), pose);
            }
}

// What goes wrong with a body is told with its name.
template <class Work>
auto for_body(const Scene& scene, const SceneBody& body, const Work& work) {
    try {
        return work();
    } catch (const Error& error) {
        if (!error.place().file.empty() || error.cause() == Cause::cancelled) throw;
        throw Error(error.cause(), fmt::format("{}: {}", error.place().element, error.reason()), {.file = scene.file, .element = fmt::format("body '{}'", body.name)});
    }
}

FieldPtr ground_of(const Scene& scene) { return std::make_shared<AnalyticField>(shapes::plane(Vec3::UnitZ(), *scene.ground)); }

SurfaceMaterial surface_material(const Scene& scene, const SceneBody& body) {
    SurfaceMaterial material = scene.springs ? scene.springs->material : SurfaceMaterial{};
    material.density = body.density;
    material.stretch = body.stretch.value_or(material.stretch);
    material.bending = body.bending.value_or(material.bending);
    material.area = body.area.value_or(material.area);
    material.damping_time = body.damping_time.value_or(material.damping_time);
    return material;
}

SolidMaterial solid_material(const Scene& scene, const SceneBody& body) {
    SolidMaterial material = scene.solids->material;
    material.density = body.density;
    material.stretch = body.stretch.value_or(material.stretch);
    material.volume = body.volume.value_or(material.volume);
    material.damping_time = body.damping_time.value_or(material.damping_time);
    return material;
}

// A copy of a body that deforms, where it starts.
template <class Body, class Mesh, class Material>
Body spring_body(const SceneBody& body, const std::string& name, const Mesh& mesh, const Pose& pose, const Material& material) {
    Body made{.name = name, .mesh = mesh, .material = material};
    for (Vec3& v : made.mesh.vertices) v = pose * v;
    made.velocity = body.velocity;
    made.spin = body.spin;
    made.fixed = body.fixed;
    for (std::size_t k = 0; body.hold_above && k < made.mesh.vertices.size(); ++k)
        if (made.mesh.vertices[k].z() > *body.hold_above) made.fixed_vertices.push_back(static_cast<Index>(k));
    return made;
}

TetWorldTissue tissue_of(const SceneBody& body, DeformingBody surface) {
    const EdgeTable table = edge_table(surface.mesh.triangles, surface.mesh.vertices.size());
    for (std::size_t e = 0; body.hold_border && e < table.edges.size(); ++e)
        if (table.sides[e].size() == 1) surface.fixed_vertices.insert(surface.fixed_vertices.end(), table.edges[e].begin(), table.edges[e].end());
    TetWorldTissue tissue{std::move(surface), {}};
    if (body.strain_limit) tissue.breaking = TissueBreakOptions{.strain = *body.strain_limit};
    return tissue;
}

// What a scene of deforming bodies is made of: Body is DeformingBody or TetWorldBody.
template <class Body>
struct SpringCast {
    std::vector<Body> bodies;
    std::vector<FieldObstacle> obstacles;
};

template <class Body, class Mesh, class MaterialOf>
SpringCast<Body> spring_cast(const Scene& scene, const MaterialOf& material_of) {
    SpringCast<Body> cast;
    for (const SceneBody& body : scene.bodies) {
        if (body.tissue) continue;
        if (!body.field.empty()) {
            const FieldPtr field = std::make_shared<AnalyticField>(parse_shape(body.field));
            each_copy(body, [&](const std::string& name, const Pose& pose) { cast.obstacles.push_back({field, pose, name}); });
            continue;
        }
        const Mesh mesh = for_body(scene, body, [&] { return placed_mesh<Mesh>(scene, body); });
        each_copy(body, [&](const std::string& name, const Pose& pose) { cast.bodies.push_back(spring_body<Body>(body, name, mesh, pose, material_of(scene, body))); });
    }
    if (scene.ground) cast.obstacles.push_back({ground_of(scene), {}, "ground"});
    return cast;
}

std::vector<TetWorldTissue> tissues_of(const Scene& scene) {
    std::vector<TetWorldTissue> tissues;
    for (const SceneBody& body : scene.bodies) {
        if (!body.tissue) continue;
        const TriangleMesh mesh = for_body(scene, body, [&] { return placed_mesh<TriangleMesh>(scene, body); });
        each_copy(body, [&](const std::string& name, const Pose& pose) { tissues.push_back(tissue_of(body, spring_body<DeformingBody>(body, name, mesh, pose, surface_material(scene, body)))); });
    }
    return tissues;
}

void take_stepping(SpringOptions& springs, const Scene& scene) {
    springs.step = scene.options.step;
    springs.gravity = scene.options.gravity;
    springs.energy_limit = scene.options.energy_limit;
}

} // namespace

std::size_t Scene::step_count() const { return static_cast<std::size_t>(std::llround(duration / options.step)); }

std::unique_ptr<SimulatedWorld> make_world(const Scene& scene, Progress* progress) {
    if (scene.solids) return std::make_unique<TetWorld>(make_tet_world(scene));
    if (scene.particles) return std::make_unique<ParticleWorld>(make_particle_world(scene));
    if (scene.springs) return std::make_unique<DeformingWorld>(make_deforming_world(scene));
    return std::make_unique<RigidWorld>(make_rigid_world(scene, progress));
}

RigidWorld make_rigid_world(const Scene& scene, Progress* progress) {
    RigidWorld world(scene.options);
    std::map<ShapeKey, BodyShapePtr> built;
    for (const SceneBody& body : scene.bodies) {
        BodyShapePtr& shape = built[key_of(body)];
        if (!shape) shape = for_body(scene, body, [&] { return built_shape(scene, body, progress); });
        const RigidBody rigid = rigid_body(scene, body, shape);
        each_copy(body, [&](const std::string& name, const Pose& pose) {
            RigidBody copy = rigid;
            copy.name = name;
            copy.pose = pose;
            world.add(std::move(copy));
        });
    }
    if (scene.ground) world.add({.shape = make_field_shape(ground_of(scene)), .name = "ground", .friction = scene.friction, .fixed = true});
    return world;
}

DeformingWorld make_deforming_world(const Scene& scene) {
    if (!scene.springs) throw Error(Cause::invalid_argument, "the scene has no [springs]", {.file = scene.file});
    SpringCast<DeformingBody> cast = spring_cast<DeformingBody, TriangleMesh>(scene, surface_material);
    DeformingOptions options = scene.springs->options;
    take_stepping(options.springs, scene);
    return DeformingWorld(std::move(cast.bodies), std::move(cast.obstacles), options);
}

TetWorld make_tet_world(const Scene& scene) {
    if (!scene.solids) throw Error(Cause::invalid_argument, "the scene has no [solids]", {.file = scene.file});
    SpringCast<TetWorldBody> cast = spring_cast<TetWorldBody, TetMesh>(scene, solid_material);
    TetWorldOptions options = scene.solids->options;
    take_stepping(options.springs, scene);
    return TetWorld(std::move(cast.bodies), tissues_of(scene), std::move(cast.obstacles), options);
}

ParticleWorld make_particle_world(const Scene& scene, std::shared_ptr<DepthBackend> backend) {
    if (!scene.particles) throw Error(Cause::invalid_argument, "the scene has no [particles]", {.file = scene.file});
    std::vector<MovingObstacle> obstacles;
    for (const SceneBody& body : scene.bodies) {
        const auto mesh = for_body(scene, body, [&] { return std::make_shared<const TriangleMesh>(placed_mesh<TriangleMesh>(scene, body)); });
        each_copy(body, [&](const std::string& name, const Pose& pose) {
            if (body.fixed) obstacles.push_back({.name = name, .mesh = mesh, .pose = pose});
            else obstacles.push_back({name, mesh, pose, body.velocity, body.spin, body.sway, body.sway_period});
        });
    }
    ParticleOptions options = scene.particles->options;
    options.step = scene.options.step;
    options.gravity = scene.options.gravity;
    return ParticleWorld(scene.particles->emitters, std::move(obstacles), options, std::move(backend));
}

} // namespace fathom
