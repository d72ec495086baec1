// Builds worlds from scenes.
#include <fathom/simulate/scene/scene.h>

#include <fathom/base/error.h>
#include <fathom/base/random.h>
#include <fathom/geometry/mesh/adjacency.h>
#include <fathom/simulate/scene/scene_shapes.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace fathom {

namespace {

// All properties that determine the shape of a body.
using ShapeKey = std::tuple<BodyKind, std::string, std::string, std::string, ShapeValues, std::string, std::string,
                            double, int, std::size_t>;
ShapeKey key_of(const SceneBody& b) {
    return {b.kind, b.model, b.mesh, b.shape, b.parameters, b.field, b.up, b.size, b.resolution, b.points};
}

bool moves(const SceneBody& body) {
    return !body.fixed && !(body.velocity.isZero(0) && body.spin.isZero(0) && body.sway.isZero(0));
}

// Whether the body is a mesh obstacle for dynamic bodies; it becomes a fixed rigid body. A moving obstacle affects only
// particles.
bool is_static_mesh_obstacle(const Scene& scene, const SceneBody& body) {
    const bool bodies = scene.springs || scene.solids || scene.has(BodyKind::rigid);
    return body.kind == BodyKind::obstacle && body.field.empty() && bodies && !moves(body);
}

bool is_rigid(const Scene& scene, const SceneBody& body) {
    return body.kind == BodyKind::rigid || is_static_mesh_obstacle(scene, body);
}

bool needs_rigid_world(const Scene& scene) {
    return std::any_of(scene.bodies.begin(), scene.bodies.end(),
                       [&](const SceneBody& body) { return is_rigid(scene, body); });
}

Body rigid_body(const Scene& scene, const SceneBody& body, const BodyShapePtr& shape) {
    const std::size_t points = shape->points().size();
    const double share = scene.per_area && points > 0 ? shape->mass.area / static_cast<double>(points) : 1;
    Body rigid{.shape = shape,
               .name = body.name,
               .pose = body.pose,
               .velocity = body.velocity,
               .spin = body.spin,
               .density = body.density};
    rigid.stiffness = body.stiffness.value_or(scene.stiffness) * share;
    rigid.damping = body.damping.value_or(scene.damping) * share;
    rigid.friction = body.friction.value_or(scene.friction);
    rigid.fixed = body.fixed || body.kind == BodyKind::obstacle;
    return rigid;
}

// Calls add(name, pose) for each copy of a body.
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

// Adds the name of the body, and the place in the file that names its shape, to errors.
template <class Work>
auto for_body(const Scene& scene, const SceneBody& body, const Work& work) {
    try {
        return work();
    } catch (const Error& error) {
        if (error.cause() == Cause::cancelled) throw;
        Place place = body.place;
        if (place.file.empty()) place.file = scene.file;
        place.element = fmt::format("{}{}body '{}'", place.element, place.element.empty() ? "" : ", ", body.name);
        throw Error(error.cause(), error.what(), place);
    }
}

// Adds the file to errors about a world as a whole.
template <class Work>
auto for_scene(const Scene& scene, const Work& work) {
    try {
        return work();
    } catch (const Error& error) {
        if (!error.place().file.empty() || error.cause() == Cause::cancelled) throw;
        Place place = error.place();
        place.file = scene.file;
        throw Error(error.cause(), error.reason(), place);
    }
}

// Static analytic fields and the ground, built once for all worlds in which they are obstacles.
struct StaticFields {
    std::vector<BodyShapePtr> of_body; // null for a body that is not an analytic field
    BodyShapePtr ground;               // null: no ground

    explicit StaticFields(const Scene& scene) {
        for (const SceneBody& body : scene.bodies)
            of_body.push_back(body.field.empty() || body.kind == BodyKind::moved ? nullptr : for_body(scene, body, [&] {
                return make_body_shape(Shape(field_of(scene, body)));
            }));
        if (scene.ground) ground = make_body_shape(Shape::half_space(Vec3::UnitZ(), *scene.ground));
    }
};

SurfaceMaterial surface_material(const Scene& scene, const SceneBody& body) {
    SurfaceMaterial material =
        scene.springs && body.kind == BodyKind::surface ? scene.springs->material : SurfaceMaterial{};
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

// A copy of a deformable body at its initial pose.
template <class Body, class Mesh, class Material>
Body spring_body(const SceneBody& body, const std::string& name, const Mesh& mesh, const Pose& pose,
                 const Material& material) {
    Body made{.name = name, .mesh = mesh, .material = material};
    for (Vec3& v : made.mesh.vertices) v = pose * v;
    made.velocity = body.velocity;
    made.spin = body.spin;
    made.fixed = body.fixed;
    for (std::size_t k = 0; body.hold_above && k < made.mesh.vertices.size(); ++k)
        if (made.mesh.vertices[k].z() > *body.hold_above) made.fixed_vertices.push_back(static_cast<Index>(k));
    return made;
}

TetWorldMembrane membrane_of(const SceneBody& body, DeformingBody surface) {
    const EdgeTable table = edge_table(surface.mesh.triangles, surface.mesh.vertices.size());
    for (std::size_t e = 0; body.hold_border && e < table.edges.size(); ++e)
        if (table.sides[e].size() == 1)
            surface.fixed_vertices.insert(surface.fixed_vertices.end(), table.edges[e].begin(), table.edges[e].end());
    TetWorldMembrane membrane{std::move(surface), {}};
    if (body.strain_limit) membrane.breaking = MembraneBreakOptions{.strain = *body.strain_limit};
    return membrane;
}

// A body with a scripted motion.
Body kinematic_body(const SceneBody& body, const std::string& name, const BodyShapePtr& shape, const Pose& pose) {
    Body made{.shape = shape, .name = name, .pose = pose, .fixed = body.fixed};
    if (body.fixed) return made;
    made.velocity = body.velocity;
    made.spin = body.spin;
    made.sway = body.sway;
    made.sway_period = body.sway_period;
    return made;
}

// The bodies and obstacles of a scene of deformable bodies; Body is DeformingBody or TetWorldBody.
template <class Body>
struct DeformableParts {
    std::vector<Body> bodies;
    std::vector<fathom::Body> obstacles;
};

template <class Body, class Mesh, class MaterialOf>
DeformableParts<Body> spring_cast(const Scene& scene, BodyKind kind, const StaticFields& static_fields,
                                  const MaterialOf& material_of) {
    DeformableParts<Body> cast;
    for (std::size_t k = 0; k < scene.bodies.size(); ++k) {
        const SceneBody& body = scene.bodies[k];
        if (const BodyShapePtr& field = static_fields.of_body[k])
            each_copy(body, [&](const std::string& name, const Pose& pose) {
                cast.obstacles.push_back({.shape = field, .name = name, .pose = pose, .fixed = true});
            });
        if (body.kind != kind) continue;
        const Mesh mesh = for_body(scene, body, [&] { return placed_mesh<Mesh>(scene, body); });
        each_copy(body, [&](const std::string& name, const Pose& pose) {
            cast.bodies.push_back(spring_body<Body>(body, name, mesh, pose, material_of(scene, body)));
        });
    }
    if (static_fields.ground)
        cast.obstacles.push_back({.shape = static_fields.ground, .name = "ground", .fixed = true});
    return cast;
}

std::vector<TetWorldMembrane> membranes_of(const Scene& scene) {
    std::vector<TetWorldMembrane> membranes;
    for (const SceneBody& body : scene.bodies) {
        if (body.kind != BodyKind::membrane) continue;
        const TriangleMesh mesh = for_body(scene, body, [&] { return placed_mesh<TriangleMesh>(scene, body); });
        each_copy(body, [&](const std::string& name, const Pose& pose) {
            membranes.push_back(
                membrane_of(body, spring_body<DeformingBody>(body, name, mesh, pose, surface_material(scene, body))));
        });
    }
    return membranes;
}

void take_stepping(SpringOptions& springs, const Scene& scene) {
    springs.step = scene.options.step;
    springs.gravity = scene.options.gravity;
    springs.energy_limit = scene.options.energy_limit;
}

// ---- Worlds of one kind, in a scene that may contain others

RigidWorld rigid_world(const Scene& scene, const StaticFields& static_fields, Progress* progress) {
    RigidWorld world(scene.options);
    std::map<ShapeKey, BodyShapePtr> built;
    for (std::size_t k = 0; k < scene.bodies.size(); ++k) {
        const SceneBody& body = scene.bodies[k];
        BodyShapePtr shape = static_fields.of_body[k];
        if (!shape && !is_rigid(scene, body)) continue;
        if (!shape) {
            BodyShapePtr& known = built[key_of(body)];
            if (!known) known = for_body(scene, body, [&] { return shape_of(scene, body, progress); });
            shape = known;
        }
        const Body rigid = rigid_body(scene, body, shape);
        each_copy(body, [&](const std::string& name, const Pose& pose) {
            Body copy = rigid;
            copy.name = name;
            copy.pose = pose;
            world.add(std::move(copy));
        });
    }
    if (static_fields.ground)
        world.add({.shape = static_fields.ground, .name = "ground", .friction = scene.friction, .fixed = true});
    return world;
}

DeformingWorld deforming_world(const Scene& scene, const StaticFields& static_fields) {
    DeformableParts<DeformingBody> cast =
        spring_cast<DeformingBody, TriangleMesh>(scene, BodyKind::surface, static_fields, surface_material);
    DeformingOptions options = scene.springs->options;
    take_stepping(options.springs, scene);
    return DeformingWorld(std::move(cast.bodies), std::move(cast.obstacles), options);
}

TetWorld tet_world(const Scene& scene, const StaticFields& static_fields) {
    DeformableParts<TetWorldBody> cast =
        spring_cast<TetWorldBody, TetMesh>(scene, BodyKind::solid, static_fields, solid_material);
    TetWorldOptions options = scene.solids->options;
    take_stepping(options.springs, scene);
    return TetWorld(std::move(cast.bodies), membranes_of(scene), std::move(cast.obstacles), options);
}

ParticleSystem particles_of(const Scene& scene, std::shared_ptr<DepthBackend> backend) {
    ParticleSystem particles{scene.particles->emitters, {}, scene.particles->options, std::move(backend)};
    for (const SceneBody& body : scene.bodies) {
        if (body.kind != BodyKind::obstacle || !body.field.empty() || is_static_mesh_obstacle(scene, body)) continue;
        const BodyShapePtr shape = for_body(scene, body, [&] {
            return make_body_shape(Shape(placed_mesh<TriangleMesh>(scene, body), MeshInside::open));
        });
        each_copy(body, [&](const std::string& name, const Pose& pose) {
            particles.obstacles.push_back(kinematic_body(body, name, shape, pose));
        });
    }
    particles.options.step = scene.options.step;
    particles.options.gravity = scene.particles->gravity.value_or(scene.options.gravity);
    return particles;
}

void need(bool there, const Scene& scene, const char* what) {
    if (!there) throw Error(Cause::invalid_argument, fmt::format("the scene has no {}", what), {.file = scene.file});
}

void refuse_stray_obstacles(const Scene& scene) {
    for (const SceneBody& body : scene.bodies)
        if (body.kind == BodyKind::obstacle && moves(body) && !scene.particles)
            throw Error(Cause::invalid_argument,
                        "a moving obstacle collides with particles only, and the scene has none",
                        {.file = scene.file, .element = fmt::format("body '{}'", body.name)});
}

// ---- Kinematic bodies

// A motion path with one key frame per step.
MotionPath wandering(const Scene& scene, const SceneBody& body) {
    constexpr std::size_t most = 1'000'000;
    if (scene.step_count() > most)
        throw Error(Cause::too_large, fmt::format("wander needs {} steps, more than {}", scene.step_count(), most),
                    {.element = "wander"});
    Random random(body.wander_seed);
    MotionPath path;
    for (std::size_t k = 0; k <= scene.step_count(); ++k) {
        const Vec3 by(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
        path.keys.push_back({static_cast<double>(k) * scene.options.step,
                             {random.rotation(), body.pose.translation + body.wander * by}});
    }
    return path;
}

// Fields are contoured for pictures and for methods on triangles. A mesh stays one, unless the method works on fields.
BodyShapePtr moved_shape(const Scene& scene, const SceneBody& body, Progress* progress) {
    const Method method = scene.motion->method;
    const bool of_fields = method == Method::field_field || method == Method::octree || method == Method::mesh_field ||
                           method == Method::dual_gradient || method == Method::point_field;
    const bool of_triangles = method == Method::mesh_mesh || method == Method::depth_maps;
    if (!body.field.empty() || !body.network.empty()) {
        const FieldPtr field = field_of(scene, body);
        TriangleMesh mesh = mesh_of(*field, body.resolution);
        if (mesh.triangles.empty()) return make_body_shape(Shape(field));
        if (of_triangles) return make_body_shape(Shape(std::move(mesh)));
        return make_body_shape(Shape(std::move(mesh), MeshInside::open), Shape(field));
    }
    if (of_fields) return shape_of(scene, body, progress);
    return make_body_shape(Shape(placed_mesh<TriangleMesh>(scene, body)));
}

} // namespace

std::size_t Scene::step_count() const { return static_cast<std::size_t>(std::llround(duration / options.step)); }

bool Scene::has(BodyKind kind) const {
    return std::any_of(bodies.begin(), bodies.end(), [&](const SceneBody& body) { return body.kind == kind; });
}

bool Scene::mixed() const {
    const bool soft = has(BodyKind::solid) || has(BodyKind::membrane), surface = has(BodyKind::surface);
    return needs_rigid_world(*this) + soft + surface + particles.has_value() > 1;
}

SimulationWorld make_world(const Scene& scene, Progress* progress, std::shared_ptr<DepthBackend> backend) {
    return for_scene(scene, [&] {
        SimulationSystems systems;
        if (scene.motion) {
            systems.scripted.emplace(make_moved_world(scene, progress));
            return SimulationWorld(std::move(systems));
        }
        refuse_stray_obstacles(scene);
        const StaticFields static_fields(scene);
        if (needs_rigid_world(scene)) systems.rigid.emplace(rigid_world(scene, static_fields, progress));
        if (scene.has(BodyKind::solid) || scene.has(BodyKind::membrane))
            systems.solids.emplace(tet_world(scene, static_fields));
        if (scene.has(BodyKind::surface)) systems.surfaces.emplace(deforming_world(scene, static_fields));
        if (scene.particles) systems.particles = particles_of(scene, std::move(backend));
        return SimulationWorld(std::move(systems),
                               {.coupling = scene.coupling, .energy_limit = scene.options.energy_limit});
    });
}

RigidWorld make_rigid_world(const Scene& scene, Progress* progress) {
    need(needs_rigid_world(scene), scene, "rigid body");
    return rigid_world(scene, StaticFields(scene), progress);
}

DeformingWorld make_deforming_world(const Scene& scene) {
    need(scene.springs.has_value(), scene, "[springs]");
    return deforming_world(scene, StaticFields(scene));
}

TetWorld make_tet_world(const Scene& scene) {
    need(scene.solids.has_value(), scene, "[solids]");
    return tet_world(scene, StaticFields(scene));
}

ParticleWorld make_particle_world(const Scene& scene, std::shared_ptr<DepthBackend> backend) {
    need(scene.particles.has_value(), scene, "[particles]");
    ParticleSystem particles = particles_of(scene, std::move(backend));
    return ParticleWorld(std::move(particles.emitters), std::move(particles.obstacles), particles.options,
                         std::move(particles.backend));
}

ScriptedWorld make_moved_world(const Scene& scene, Progress* progress) {
    need(scene.motion.has_value(), scene, "[motion]");
    std::vector<Body> bodies;
    for (const SceneBody& body : scene.bodies) {
        const BodyShapePtr shape = for_body(scene, body, [&] { return moved_shape(scene, body, progress); });
        const MotionPath path =
            for_body(scene, body, [&] { return body.wander > 0 ? wandering(scene, body) : body.path; });
        each_copy(body, [&](const std::string& name, const Pose& pose) {
            bodies.push_back(kinematic_body(body, name, shape, pose));
            bodies.back().path = path;
        });
    }
    return ScriptedWorld(std::move(bodies), scene.options.step, *scene.motion);
}

} // namespace fathom
