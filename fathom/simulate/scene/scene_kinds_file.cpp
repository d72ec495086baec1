// Tables of a scene file that belong to a kind of body.
#include <fathom/simulate/scene/scene_readers.h>

#include <cmath>
#include <numbers>

namespace fathom {

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
    keys.whole("most_broken", options.most);
    if (limit) options.strain = *limit, breaking = options;
    for (const char* key : {"break_rule", "most_broken"})
        if (!limit && keys.has(key)) keys.fail(key, "is without a strain_limit: nothing breaks");
}

void read_particle_maps(KeyReader& keys, ParticleOptions& o) {
    keys.vector("look", o.look);
    if (!(o.look.norm() > 1e-9)) keys.fail("look", "has no length");
    keys.flag("around", o.around);
    keys.box("region", o.region);
    keys.whole("pixels", o.pixels);
    keys.whole("layers", o.maps.layers);
    keys.flag("exits", o.maps.exits);
    if (o.maps.layers > 1 && !o.maps.exits) keys.fail("layers", "behind the first need exits");
    keys.choice("ask", o.maps.ask, {AskMaps::every, AskMaps::main_axis});
}

} // namespace

void read_springs(KeyReader keys, SceneSprings& springs) {
    SurfaceMaterial& material = springs.material;
    keys.number("density", material.density);
    keys.number("stretch", material.stretch);
    keys.number("bending", material.bending);
    keys.number("area", material.area);
    keys.number("damping_time", material.damping_time);
    keys.number("least_mass", material.least_mass);
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
    keys.number("least_mass", material.least_mass);
    TetWorldOptions& o = solids.options;
    read_spring_options(keys, o.springs, o.self, o.recovery_time);
    keys.choice("response", o.response, {TetResponse::points, TetResponse::segments, TetResponse::none});
    keys.choice("depth", o.depth.method,
                {DepthMethod::exact, DepthMethod::closest_feature, DepthMethod::closest_point});
    keys.choice("push_depth", o.push.depth, {PushDepth::measured, PushDepth::interpolated});
    keys.choice("push_direction", o.push.direction, {PushDirection::nearest, PushDirection::gradient});
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
    keys.whole("most_impacts", o.most_impacts);
    keys.whole("most", o.most);
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
    if (!(e.direction.norm() > 1e-9)) keys.fail("direction", "has no length");
    keys.number("radius", e.radius);
    keys.number("rate", e.rate);
    keys.whole("burst", e.burst);
    keys.number("start", e.start);
    keys.number("end", e.end);
    if (e.end < e.start) keys.fail("end", "is before start");
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

void read_motion(KeyReader keys, MovedOptions& o) {
    keys.choice("method", o.method,
                {MovedMethod::fields, MovedMethod::descent, MovedMethod::mesh_field, MovedMethod::meshes,
                 MovedMethod::depth_maps, MovedMethod::sweep});
    keys.whole("most_contacts", o.most_contacts);
    keys.whole("parts", o.parts);
    keys.number("descent_step", o.descent_step);
    keys.whole("pixels", o.pixels);
    keys.whole("directions", o.directions);
    keys.whole("objects", o.objects);
    keys.flag("tree", o.tree);
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
