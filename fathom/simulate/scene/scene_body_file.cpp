// Entries [[body]] of a scene file.
#include <fathom/field/analytic/parse.h>
#include <fathom/simulate/scene/scene_readers.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace fathom {

namespace {

BodyKind kind_by_tables(const Scene& scene, bool formula) {
    if (scene.motion) return BodyKind::moved;
    if (formula && (scene.springs || scene.solids)) return BodyKind::obstacle;
    if (scene.solids) return BodyKind::solid;
    if (scene.springs) return BodyKind::surface;
    return scene.particles ? BodyKind::obstacle : BodyKind::rigid;
}

// Settings of the kind, and the density that its bodies have.
double begin_kind(BodyKind kind, Scene& scene) {
    if (kind == BodyKind::moved && !scene.motion) scene.motion.emplace();
    if (kind == BodyKind::surface && !scene.springs) scene.springs.emplace();
    if ((kind == BodyKind::solid || kind == BodyKind::tissue) && !scene.solids) scene.solids.emplace();
    if (kind == BodyKind::surface) return scene.springs->material.density;
    if (kind == BodyKind::solid) return scene.solids->material.density;
    return kind == BodyKind::tissue ? SurfaceMaterial{}.density : SceneBody{}.density;
}

void read_rotation(KeyReader& keys, Quat& rotation) {
    if (const auto q = keys.quaternion("rotation")) {
        rotation = Quat((*q)[0], (*q)[1], (*q)[2], (*q)[3]);
        if (!(rotation.norm() > 1e-6)) keys.fail("rotation", "is no quaternion w, x, y, z");
        rotation.normalize();
    }
    Vec3 axis = Vec3::UnitZ();
    double degrees = 0;
    keys.vector("turn_axis", axis);
    keys.number("turn_degrees", degrees);
    if (!(axis.norm() > 1e-9)) keys.fail("turn_axis", "has no length");
    if (degrees != 0)
        rotation = Quat(Quat(Eigen::AngleAxisd(degrees * std::numbers::pi / 180, axis.normalized())) * rotation);
}

void check_shape(const KeyReader& keys, const SceneBody& body) {
    const std::string_view file =
        std::string_view(body.model).substr(body.kind == BodyKind::solid && body.model.starts_with("tet/") ? 4 : 0);
    if (file.find('/') != file.npos || file.starts_with(".")) keys.fail("model", "is not the plain name of a file");
    const int sources = !body.mesh.empty() + !body.shape.empty() + !body.field.empty();
    if (sources != 1 && !(sources == 0 && !body.network.empty()))
        keys.fail("shape",
                  "a body has exactly one of shape, mesh and field (and may name a model or a network besides)");
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
        if (copies[k] != std::floor(copies[k])) keys.fail("copies", "are not whole numbers from 1 to 1000");
        body.copies[static_cast<std::size_t>(k)] = static_cast<int>(copies[k]);
    }
    if (copies.prod() > 100'000) keys.fail("copies", "are more than 100000 in all");
    keys.vector("spacing", body.spacing);
    if (!keys.has("turn_seed")) return;
    body.turn_seed = 0;
    keys.whole("turn_seed", *body.turn_seed);
}

// What only some kinds of bodies have.
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
        if (!(rotation.norm() > 1e-6)) keys.fail("path", "a key frame has no quaternion w, x, y, z");
        body.path.keys.push_back({row[0], {rotation.normalized(), {row[1], row[2], row[3]}}});
    }
}

void check_field(const KeyReader& keys, const SceneBody& body, const Scene& scene) {
    if (body.field.empty()) return;
    const bool told = body.kind == BodyKind::moved;
    if (!told && !body.fixed) keys.fail("field", "is only for bodies that are fixed");
    if (body.kind == BodyKind::surface || body.kind == BodyKind::solid)
        keys.fail("field", "is no body that deforms; leave out its kind, or make it an obstacle");
    if (body.kind == BodyKind::obstacle && scene.particles && !scene.springs && !scene.solids)
        keys.fail("field", "is no obstacle for particles: they meet meshes");
}

} // namespace

SceneBody read_body(KeyReader keys, std::size_t number, Scene& scene) {
    SceneBody body;
    body.kind = kind_by_tables(scene, keys.has("field"));
    keys.choice(
        "kind", body.kind,
        {BodyKind::rigid, BodyKind::surface, BodyKind::solid, BodyKind::tissue, BodyKind::obstacle, BodyKind::moved});
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

} // namespace fathom
