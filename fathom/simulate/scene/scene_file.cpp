// Reads scene files in TOML. Keys, their ranges and defaults are in scene_keys.cpp.
#include <fathom/base/error.h>
#include <fathom/base/file.h>
#include <fathom/field/analytic/analytic_expression.h>
#include <fathom/simulate/scene/key_reader.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace fathom {

// ---- Entries [[body]] of a scene file.

namespace {

BodyKind kind_by_tables(const Scene& scene, bool formula) {
    if (scene.motion) return BodyKind::moved;
    if (formula && (scene.springs || scene.solids)) return BodyKind::obstacle;
    if (scene.solids) return BodyKind::solid;
    if (scene.springs) return BodyKind::surface;
    return scene.particles ? BodyKind::obstacle : BodyKind::rigid;
}

// Adds the settings of the kind and returns the default density of its bodies.
double begin_kind(BodyKind kind, Scene& scene) {
    if (kind == BodyKind::moved && !scene.motion) scene.motion.emplace();
    if (kind == BodyKind::surface && !scene.springs) scene.springs.emplace();
    if ((kind == BodyKind::solid || kind == BodyKind::membrane) && !scene.solids) scene.solids.emplace();
    if (kind == BodyKind::surface) return scene.springs->material.density;
    if (kind == BodyKind::solid) return scene.solids->material.density;
    return kind == BodyKind::membrane ? SurfaceMaterial{}.density : SceneBody{}.density;
}

void read_rotation(KeyReader& keys, Quat& rotation) {
    if (const auto q = keys.quaternion("rotation")) {
        rotation = Quat((*q)[0], (*q)[1], (*q)[2], (*q)[3]);
        if (!(rotation.norm() > 1e-6)) keys.fail("rotation", "is not a quaternion w, x, y, z");
        rotation.normalize();
    }
    Vec3 axis = Vec3::UnitZ();
    double degrees = 0;
    keys.vector("turn_axis", axis);
    keys.number("turn_degrees", degrees);
    if (!(axis.norm() > 1e-9)) keys.fail("turn_axis", "has length zero");
    if (degrees != 0)
        rotation = Quat(Quat(Eigen::AngleAxisd(degrees * std::numbers::pi / 180, axis.normalized())) * rotation);
}

void check_shape(const KeyReader& keys, const SceneBody& body) {
    std::string_view file = body.model;
    if (body.kind == BodyKind::solid && file.starts_with("tet/")) file.remove_prefix(4);
    if (file.find('/') != std::string_view::npos || file.starts_with("."))
        keys.fail("model", "is not a plain file name");
    const int sources = !body.mesh.empty() + !body.shape.empty() + !body.field.empty();
    if (sources != 1 && !(sources == 0 && !body.network.empty()))
        keys.fail("shape",
                  "a body must have exactly one of shape, mesh and field (and may also name a model or a network)");
    const auto check = [&](const char* key, const auto& work) {
        try {
            work();
        } catch (const Error& error) {
            keys.fail(key, error.what());
        }
    };
    if (!body.shape.empty()) check("shape", [&] { (void)completed(find_shape(body.shape), body.parameters); });
    if (!body.field.empty()) check("field", [&] { (void)parse_shape(body.field); });
}

void read_source(KeyReader& keys, SceneBody& body) {
    keys.text("model", body.model);
    keys.text("mesh", body.mesh);
    keys.text("shape", body.shape);
    keys.text("field", body.field);
    keys.text("network", body.network);
    for (const auto& [name, value] : keys.numbers("parameters")) body.parameters[name] = value;
    check_shape(keys, body);
    for (const char* key : {"network", "model", "mesh", "shape", "field"})
        if (keys.has(key)) body.place = keys.place(key);
    keys.choice<std::string>("up", body.up, {"y", "z"});
    keys.number("size", body.size);
    keys.whole("resolution", body.resolution);
    keys.whole("points", body.points);
}

void read_copies(KeyReader& keys, SceneBody& body) {
    Vec3 copies = Vec3::Ones();
    keys.vector("copies", copies);
    for (Eigen::Index k = 0; k < 3; ++k) {
        if (copies[k] != std::floor(copies[k])) keys.fail("copies", "are not integers from 1 to 1000");
        body.copies[static_cast<std::size_t>(k)] = static_cast<int>(copies[k]);
    }
    if (copies.prod() > 100'000) keys.fail("copies", "are more than 100000 in total");
    keys.vector("spacing", body.spacing);
    if (!keys.has("turn_seed")) return;
    body.turn_seed = 0;
    keys.whole("turn_seed", *body.turn_seed);
}

// Keys that only some kinds of bodies have.
void read_substance(KeyReader& keys, SceneBody& body) {
    keys.number("stiffness", body.stiffness);
    keys.number("damping", body.damping);
    keys.number("friction", body.friction);
    keys.number("stretch", body.stretch);
    keys.number("damping_time", body.damping_time);
    keys.number("hold_above", body.hold_above);
    keys.number("bending", body.bending);
    keys.number("area", body.area);
    keys.number("volume", body.volume);
    keys.flag("hold_border", body.hold_border);
    keys.number("strain_limit", body.strain_limit);
    keys.vector("sway", body.sway);
    keys.number("sway_period", body.sway_period);
    keys.number("wander", body.wander);
    keys.whole("wander_seed", body.wander_seed);
    for (const std::vector<double>& row : keys.path("path")) {
        const bool turned = row.size() == 8;
        const Quat rotation = turned ? Quat(row[4], row[5], row[6], row[7]) : Quat(1, 0, 0, 0);
        if (!(rotation.norm() > 1e-6)) keys.fail("path", "a key frame has no valid quaternion w, x, y, z");
        body.path.keys.push_back({row[0], {rotation.normalized(), {row[1], row[2], row[3]}}});
    }
}

void check_field(const KeyReader& keys, const SceneBody& body, const Scene& scene) {
    if (body.field.empty()) return;
    const bool scripted = body.kind == BodyKind::moved;
    if (!scripted && !body.fixed) keys.fail("field", "is only allowed for fixed bodies");
    if (body.kind == BodyKind::surface || body.kind == BodyKind::solid)
        keys.fail("field", "cannot define a deformable body; omit its kind or make it an obstacle");
    if (body.kind == BodyKind::obstacle && scene.particles && !scene.springs && !scene.solids)
        keys.fail("field", "cannot be an obstacle for particles, which collide with meshes only");
}

} // namespace

SceneBody read_body(KeyReader keys, std::size_t number, Scene& scene) {
    SceneBody body;
    body.kind = kind_by_tables(scene, keys.has("field"));
    keys.choice(
        "kind", body.kind,
        {BodyKind::rigid, BodyKind::surface, BodyKind::solid, BodyKind::membrane, BodyKind::obstacle, BodyKind::moved});
    keys.set_kind(1u << static_cast<unsigned>(body.kind));
    body.density = begin_kind(body.kind, scene);
    body.name = fmt::format("body {}", number);
    keys.text("name", body.name);
    if (std::any_of(scene.bodies.begin(), scene.bodies.end(),
                    [&](const SceneBody& other) { return other.name == body.name; }))
        keys.fail("name", fmt::format("'{}' is the name of another body", body.name));
    read_source(keys, body);
    keys.vector("position", body.pose.translation);
    read_rotation(keys, body.pose.rotation);
    keys.vector("velocity", body.velocity);
    keys.vector("spin", body.spin);
    keys.number("density", body.density);
    keys.flag("fixed", body.fixed);
    check_field(keys, body, scene);
    read_substance(keys, body);
    read_copies(keys, body);
    keys.finish();
    return body;
}

namespace {

void read_stepping(KeyReader& keys, Scene& scene) {
    RigidOptions& o = scene.options;
    keys.number("step", o.step);
    keys.number("duration", scene.duration);
    if (scene.duration / o.step > 1e9) keys.fail("duration", "is more than a billion steps");
    keys.vector("gravity", o.gravity);
    keys.number("ground", scene.ground);
    keys.choice("mode", o.mode, {ContactMode::continuous, ContactMode::discrete});
    keys.choice("span", o.span, {ContactSpan::coming, ContactSpan::last});
    keys.choice("stepping", o.stepping, {Stepping::symplectic, Stepping::implicit});
    keys.number("energy_limit", o.energy_limit);
    keys.number("sleep_speed", o.sleep_speed);
    keys.whole("sleep_steps", o.sleep_steps);
    keys.whole("record_every", scene.recording.every);
    keys.whole("record_most", scene.recording.max_frames);
    keys.flag("record_contacts", scene.recording.contacts);
    keys.flag("cached", scene.cached);
}

void read_kinds(KeyReader& keys, Scene& scene) {
    if (auto springs = keys.table("springs", springs_keys()))
        read_springs(std::move(*springs), scene.springs.emplace());
    if (auto solids = keys.table("solids", solids_keys())) read_solids(std::move(*solids), scene.solids.emplace());
    if (auto particles = keys.table("particles", particles_keys()))
        read_particles(std::move(*particles), scene.particles.emplace());
    if (auto motion = keys.table("motion", motion_keys())) read_motion(std::move(*motion), scene.motion.emplace());
    for (KeyReader& emitter : keys.list("emitter", emitter_keys())) {
        if (!scene.particles) keys.fail("emitter", "requires a table [particles]");
        scene.particles->emitters.push_back(read_emitter(std::move(emitter)));
    }
}

// The contact of rigid bodies if there are any, else of deformable bodies; their own tables take precedence.
void read_contact(KeyReader& keys, Scene& scene) {
    const bool rigid = scene.has(BodyKind::rigid), soft = scene.springs || scene.solids;
    auto contact = keys.table("contact", rigid ? rigid_contact_keys() : spring_contact_keys());
    if (!contact) return;
    if (!rigid && !soft)
        keys.fail("contact", scene.particles
                                 ? "does not apply to a scene with particles only; set the contact in [particles]"
                                 : "does not apply to a scene without contact forces");
    if (rigid) return read_rigid_contact(std::move(*contact), scene);
    WeightedContactLaw law;
    read_spring_contact(std::move(*contact), law);
    const auto own = [&](std::string_view kind, const SceneTable& rules) {
        const auto table = keys.table(kind, rules);
        return table && table->has("contact");
    };
    if (scene.springs && !own("springs", springs_keys())) scene.springs->options.springs.contact = law;
    if (scene.solids && !own("solids", solids_keys())) scene.solids->options.springs.contact = law;
}

void check_objects(KeyReader& keys, const Scene& scene) {
    std::size_t bodies = 0;
    for (const SceneBody& body : scene.bodies)
        bodies += static_cast<std::size_t>(body.copies[0]) * static_cast<std::size_t>(body.copies[1]) *
                  static_cast<std::size_t>(body.copies[2]);
    const auto motion = keys.table("motion", motion_keys());
    if (motion && scene.motion->objects > bodies)
        motion->fail("objects", fmt::format("is {}, but the scene has {} bodies", scene.motion->objects, bodies));
}

void check_kinds(const KeyReader& keys, const Scene& scene) {
    if (scene.particles && scene.particles->emitters.empty())
        throw Error(Cause::empty, "the scene has [particles] but no [[emitter]]", {.file = scene.file});
    if (scene.bodies.empty() && !scene.particles)
        throw Error(Cause::empty, "the scene has no [[body]]", {.file = scene.file});
    if (!scene.motion) return;
    if (scene.particles || scene.springs || scene.solids)
        keys.fail("motion", "requires that all bodies are of kind moved");
    for (const SceneBody& body : scene.bodies)
        if (body.kind != BodyKind::moved) keys.fail("body", "either all bodies are of kind moved, or none");
}

Scene read_table(const TomlTable& table, const std::string& file) {
    Scene scene;
    scene.file = file;
    scene.name = std::filesystem::path(file).stem().string();
    KeyReader keys(table, scene_file_keys(), file, "");
    keys.text("name", scene.name);
    read_stepping(keys, scene);
    read_kinds(keys, scene);
    std::size_t number = 0;
    for (KeyReader& body : keys.list("body", body_keys()))
        scene.bodies.push_back(read_body(std::move(body), number++, scene));
    read_contact(keys, scene);
    if (auto coupling = keys.table("coupling", coupling_keys())) {
        if (!scene.mixed()) keys.fail("coupling", "requires bodies of more than one kind");
        read_coupling(std::move(*coupling), scene.coupling);
    }
    keys.finish();
    check_kinds(keys, scene);
    check_objects(keys, scene);
    return scene;
}

} // namespace

Scene parse_scene(std::string_view text, std::string_view name, const SceneOptions& options) {
    TomlTable table = parse_toml(text, std::string(name));
    for (const std::string& line : options.overrides) merge(table, parse_toml(line, "override"));
    Scene scene = read_table(table, std::string(name));
    scene.model_folder = options.model_folder;
    return scene;
}

Scene read_scene(const std::filesystem::path& path, const SceneOptions& options) {
    std::error_code unknown; // reading then reports the reason
    if (const auto size = std::filesystem::file_size(path, unknown); !unknown && size > 16 << 20)
        throw Error(Cause::too_large, "a scene file is limited to 16 MB", {.file = path.string()});
    const Bytes bytes = read_whole_file(path);
    return parse_scene({reinterpret_cast<const char*>(bytes.span().data()), bytes.size()}, path.string(), options);
}

// ---- Tables of a scene file that belong to a kind of body.

namespace {

void read_law(KeyReader& keys, WeightedContactLaw& law) {
    keys.choice("scaling", law.scaling, {ContactScaling::mass, ContactScaling::area, ContactScaling::none});
    keys.number("stiffness", law.stiffness);
    keys.number("damping_ratio", law.damping_ratio);
    keys.number("friction", law.friction);
    keys.number("slip_speed", law.slip_speed);
}

void read_spring_options(KeyReader& keys, SpringOptions& o, bool& self, double& recovery_time) {
    keys.choice("stepping", o.stepping, {SpringStepping::verlet, SpringStepping::backward_euler});
    keys.choice("unstable", o.unstable, {UnstableStep::refuse, UnstableStep::divide, UnstableStep::allow});
    keys.number("air_friction", o.air_friction);
    keys.number("yield_strain", o.plastic.yield_strain);
    keys.number("creep_rate", o.plastic.creep_rate);
    keys.number("largest_change", o.plastic.largest_change);
    keys.choice("reflection", o.reflection, {Reflection::object, Reflection::point});
    keys.box("environment", o.environment);
    keys.flag("self", self);
    keys.number("recovery_time", recovery_time);
    if (auto contact = keys.table("contact", spring_contact_keys()))
        read_spring_contact(std::move(*contact), o.contact);
}

void read_drift(KeyReader& keys, DeformingOptions& options) {
    RandomMotion motion{.drift = 0, .deformation = 0};
    keys.number("drift", motion.drift);
    keys.number("deformation", motion.deformation);
    keys.whole("seed", motion.seed);
    if (motion.drift > 0 || motion.deformation > 0) options.motion = motion;
}

void read_breaking(KeyReader& keys, std::optional<BreakOptions>& breaking) {
    std::optional<double> limit;
    BreakOptions options;
    keys.number("strain_limit", limit);
    keys.choice("break_rule", options.rule, {BreakRule::springs, BreakRule::faces});
    keys.whole("max_broken", options.max_broken);
    if (limit) options.strain = *limit, breaking = options;
    for (const char* key : {"break_rule", "max_broken"})
        if (!limit && keys.has(key)) keys.fail(key, "requires strain_limit");
}

void read_particle_maps(KeyReader& keys, ParticleOptions& o) {
    keys.vector("view_direction", o.view_direction);
    if (!(o.view_direction.norm() > 1e-9)) keys.fail("view_direction", "has length zero");
    keys.flag("around", o.around);
    keys.box("region", o.region);
    keys.whole("pixels", o.pixels);
    keys.whole("layers", o.maps.layers);
    keys.flag("exits", o.maps.exits);
    if (o.maps.layers > 1 && !o.maps.exits) keys.fail("layers", "more than 1 requires exits");
    keys.choice("tested_maps", o.maps.tested, {TestedMaps::every, TestedMaps::main_axis});
}

} // namespace

void read_springs(KeyReader keys, SceneSprings& springs) {
    SurfaceMaterial& material = springs.material;
    keys.number("density", material.density);
    keys.number("stretch", material.stretch);
    keys.number("bending", material.bending);
    keys.number("area", material.area);
    keys.number("damping_time", material.damping_time);
    keys.number("min_mass", material.min_mass);
    DeformingOptions& o = springs.options;
    read_spring_options(keys, o.springs, o.self, o.recovery_time);
    read_drift(keys, o);
    keys.flag("respond", o.respond);
    keys.number("thickness", o.thickness);
    keys.finish();
}

void read_solids(KeyReader keys, SceneSolids& solids) {
    SolidMaterial& material = solids.material;
    keys.number("density", material.density);
    keys.number("stretch", material.stretch);
    keys.number("volume", material.volume);
    keys.number("damping_time", material.damping_time);
    keys.number("min_mass", material.min_mass);
    TetWorldOptions& o = solids.options;
    read_spring_options(keys, o.springs, o.self, o.recovery_time);
    keys.choice("response", o.response, {TetResponse::points, TetResponse::segments, TetResponse::none});
    keys.choice("depth", o.depth.method,
                {DepthMethod::exact, DepthMethod::closest_feature, DepthMethod::closest_point});
    keys.choice("push_depth", o.push.depth, {PushDepth::measured, PushDepth::interpolated});
    keys.choice("separating_direction", o.push.direction, {PushDirection::nearest, PushDirection::gradient});
    read_breaking(keys, o.breaking);
    keys.finish();
}

void read_particles(KeyReader keys, SceneParticles& particles) {
    ParticleOptions& o = particles.options;
    keys.number("drag", o.drag);
    keys.number("turbulence", o.turbulence);
    keys.number("turbulence_size", o.turbulence_size);
    keys.vector("turbulence_drift", o.turbulence_drift);
    keys.choice("impact", o.impact, {ParticleImpact::bounce, ParticleImpact::slide, ParticleImpact::die});
    keys.number("restitution", o.restitution);
    keys.number("friction", o.friction);
    keys.whole("max_impacts", o.max_impacts);
    keys.whole("max_particles", o.max_particles);
    keys.number("mass", o.mass);
    keys.whole("seed", o.seed);
    Vec3 gravity = Vec3::Zero();
    keys.vector("gravity", gravity);
    if (keys.has("gravity")) particles.gravity = gravity;
    read_particle_maps(keys, o);
    keys.finish();
}

ParticleEmitter read_emitter(KeyReader keys) {
    ParticleEmitter e;
    keys.vector("position", e.center);
    keys.vector("direction", e.direction);
    if (!(e.direction.norm() > 1e-9)) keys.fail("direction", "has length zero");
    keys.number("radius", e.radius);
    keys.number("rate", e.rate);
    keys.whole("burst", e.burst);
    keys.number("start", e.start);
    keys.number("end", e.end);
    if (e.end < e.start) keys.fail("end", "is earlier than start");
    keys.number("speed", e.speed);
    keys.number("speed_spread", e.speed_spread);
    double degrees = 0;
    keys.number("spread_degrees", degrees);
    e.spread = std::min(degrees * std::numbers::pi / 180, std::numbers::pi);
    keys.number("life", e.life);
    keys.number("life_spread", e.life_spread);
    keys.whole("seed", e.seed);
    keys.finish();
    return e;
}

void read_motion(KeyReader keys, ScriptedOptions& motion) {
    std::vector<Method> methods{Method::automatic};
    methods.insert(methods.end(), all_methods.begin(), all_methods.end());
    keys.choice("method", motion.method, methods);
    keys.whole("max_contacts", motion.max_contacts);
    keys.whole("objects", motion.objects);
    keys.finish();
}

void read_spring_contact(KeyReader keys, WeightedContactLaw& law) {
    read_law(keys, law);
    keys.finish();
}

void read_coupling(KeyReader keys, CouplingOptions& coupling) {
    read_law(keys, coupling.law);
    keys.number("recovery_time", coupling.recovery_time);
    keys.finish();
}

void read_rigid_contact(KeyReader keys, Scene& scene) {
    keys.number("stiffness", scene.stiffness);
    keys.number("damping", scene.damping);
    keys.flag("per_area", scene.per_area);
    keys.number("friction", scene.friction);
    ContactLaw& law = scene.options.law;
    keys.number("slip_speed", law.slip_speed);
    keys.choice("normal", law.normal, {ContactNormal::unit_gradient, ContactNormal::gradient, ContactNormal::shell});
    keys.choice("damped", law.damped, {DampedPart::all, DampedPart::normal});
    keys.choice("path", law.path, {PathInTime::chord, PathInTime::screw, PathInTime::acceleration});
    keys.choice("handle", law.handle, {HandleCenter::end, HandleCenter::moving});
    keys.choice("quadrature", law.quadrature.rule, {QuadratureRule::adaptive, QuadratureRule::midpoint});
    keys.whole("quadrature_points", law.quadrature.points);
    keys.number("quadrature_tolerance", law.quadrature.tolerance);
    keys.finish();
}

} // namespace fathom
