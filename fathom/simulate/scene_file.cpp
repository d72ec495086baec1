// Room: simulate. Scenes as TOML. The only file that knows toml++.
#include <fathom/base/error.h>
#include <fathom/base/file.h>
#include <fathom/simulate/scene.h>

#include <fmt/format.h>

#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
// toml++ 3.3 rests on assumptions that some broken files do not keep ("[" at the end of a line); taken as promises to the compiler
// they are undefined behaviour, so they are tested instead, in every build.
namespace {
struct BrokenAssumption {};
[[noreturn]] void break_off() { throw BrokenAssumption(); }
} // namespace
#undef NDEBUG
#define TOML_ASSERT(expression) (static_cast<bool>(expression) ? static_cast<void>(0) : break_off())
#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

namespace fathom {

namespace {

// A table whose keys are taken one by one; what is left at the end is refused.
class Keys {
public:
    Keys(const toml::table& table, std::string file, std::string path) : table_(table), file_(std::move(file)), path_(std::move(path)) {}

    [[noreturn]] void fail(const toml::node* node, std::string_view key, std::string_view reason) const {
        const std::int64_t line = node && node->source().begin ? static_cast<std::int64_t>(node->source().begin.line) : -1;
        throw Error(Cause::malformed, std::string(reason), {.file = file_, .line = line, .element = fmt::format("key {}{}", path_, key)});
    }
    [[noreturn]] void fail(std::string_view key, std::string_view reason) const { fail(table_.get(key), key, reason); }

    [[nodiscard]] const toml::node* take(std::string_view key) {
        taken_.emplace(key);
        return table_.get(key);
    }
    [[nodiscard]] bool has(std::string_view key) const { return table_.get(key) != nullptr; }

    void number(std::string_view key, double& value, double low, double high) {
        const toml::node* node = take(key);
        if (!node) return;
        const auto found = node->value<double>();
        if (!found || !node->is_number()) fail(node, key, "is not a number");
        if (!(*found >= low && *found <= high)) fail(node, key, fmt::format("{} is not between {} and {}", *found, low, high));
        value = *found;
    }
    void number(std::string_view key, std::optional<double>& value, double low, double high) {
        if (!has(key)) return;
        double found = 0;
        number(key, found, low, high);
        value = found;
    }
    template <class T>
    void whole(std::string_view key, T& value, std::int64_t low, std::int64_t high) {
        const toml::node* node = take(key);
        if (!node) return;
        const auto found = node->value_exact<std::int64_t>();
        if (!found) fail(node, key, "is not a whole number");
        if (*found < low || *found > high) fail(node, key, fmt::format("{} is not between {} and {}", *found, low, high));
        value = static_cast<T>(*found);
    }
    void flag(std::string_view key, bool& value) {
        const toml::node* node = take(key);
        if (!node) return;
        if (!node->is_boolean()) fail(node, key, "is neither true nor false");
        value = *node->value<bool>();
    }
    void text(std::string_view key, std::string& value) {
        const toml::node* node = take(key);
        if (!node) return;
        if (!node->is_string()) fail(node, key, "is not a text in quotes");
        value = *node->value<std::string>();
    }
    template <std::size_t N>
    [[nodiscard]] std::optional<std::array<double, N>> numbers(std::string_view key) {
        const toml::node* node = take(key);
        if (!node) return {};
        const toml::array* array = node->as_array();
        if (!array || array->size() != N) fail(node, key, fmt::format("is not a list of {} numbers", N));
        std::array<double, N> values;
        for (std::size_t k = 0; k < N; ++k) {
            const auto found = (*array)[k].value<double>();
            if (!found || !(*array)[k].is_number() || !(std::abs(*found) <= 1e9)) fail(node, key, fmt::format("element {} is not a number within +-1e9", k));
            values[k] = *found;
        }
        return values;
    }
    void vector(std::string_view key, Vec3& value) {
        if (const auto found = numbers<3>(key)) value = {(*found)[0], (*found)[1], (*found)[2]};
    }
    template <class Enum>
    void choice(std::string_view key, Enum& value, std::initializer_list<std::pair<std::string_view, Enum>> choices) {
        std::string word;
        text(key, word);
        if (!has(key)) return;
        std::string all;
        for (const auto& [name, meaning] : choices) {
            if (name == word) {
                value = meaning;
                return;
            }
            all += fmt::format("{}{}", all.empty() ? "" : ", ", name);
        }
        fail(key, fmt::format("'{}' is none of {}", word, all));
    }
    [[nodiscard]] std::optional<Keys> table(std::string_view key) {
        const toml::node* node = take(key);
        if (!node) return {};
        if (!node->is_table()) fail(node, key, "is not a table");
        return Keys(*node->as_table(), file_, fmt::format("{}{}.", path_, key));
    }
    template <class Each>
    void each(const Each& each) { // key and number of every entry
        for (const auto& [key, node] : table_) {
            double value = 0;
            number(key.str(), value, -1e15, 1e15);
            each(std::string(key.str()), value);
        }
    }
    void refuse_rest() const {
        for (const auto& [key, node] : table_)
            if (!taken_.contains(std::string(key.str()))) fail(&node, key.str(), "is not known");
    }

private:
    const toml::table& table_;
    std::string file_, path_;
    std::set<std::string, std::less<>> taken_;
};

constexpr double huge = 1e15;

void read_quadrature(Keys& keys, QuadratureOptions& options) {
    keys.choice("quadrature", options.rule, {{"adaptive", QuadratureRule::adaptive}, {"midpoint", QuadratureRule::midpoint}});
    keys.whole("quadrature_points", options.points, 1, 100'000);
    keys.number("quadrature_tolerance", options.tolerance, 1e-15, 1);
}

void read_contact(Keys keys, Scene& scene) {
    keys.number("stiffness", scene.stiffness, 0, huge);
    keys.number("damping", scene.damping, 0, huge);
    keys.flag("per_area", scene.per_area);
    keys.number("friction", scene.friction, 0, 1e3);
    ContactLaw& law = scene.options.law;
    keys.number("slip_speed", law.slip_speed, 1e-12, huge);
    keys.choice("normal", law.normal, {{"unit_gradient", ContactNormal::unit_gradient}, {"gradient", ContactNormal::gradient}, {"shell", ContactNormal::shell}});
    keys.choice("damped", law.damped, {{"all", DampedPart::all}, {"normal", DampedPart::normal}});
    keys.choice("path", law.path, {{"chord", PathInTime::chord}, {"screw", PathInTime::screw}, {"acceleration", PathInTime::acceleration}});
    keys.choice("handle", law.handle, {{"applied", HandleCenter::end}, {"moving", HandleCenter::moving}});
    read_quadrature(keys, law.quadrature);
    keys.refuse_rest();
}

void read_box(Keys& keys, std::string_view key, Box& box) {
    const auto found = keys.numbers<6>(key);
    if (!found) return;
    const auto& e = *found;
    box = {{e[0], e[1], e[2]}, {e[3], e[4], e[5]}};
    if (box.empty()) keys.fail(key, "has a lower corner above its upper one");
}

void read_drift(Keys& keys, DeformingOptions& options) {
    RandomMotion motion{.drift = 0, .deformation = 0};
    keys.number("drift", motion.drift, 0, huge);
    keys.number("deformation", motion.deformation, 0, huge);
    keys.whole("seed", motion.seed, 0, INT64_MAX);
    if (motion.drift > 0 || motion.deformation > 0) options.motion = motion;
}

void read_spring_options(Keys& keys, SpringOptions& o) {
    keys.choice("stepping", o.stepping, {{"verlet", SpringStepping::verlet}, {"backward_euler", SpringStepping::backward_euler}});
    keys.choice("unstable", o.unstable, {{"refuse", UnstableStep::refuse}, {"divide", UnstableStep::divide}, {"allow", UnstableStep::allow}});
    keys.number("air_friction", o.air_friction, 0, huge);
    keys.number("yield_strain", o.plastic.yield_strain, 0, huge);
    keys.number("creep_rate", o.plastic.creep_rate, 0, huge);
    keys.number("largest_change", o.plastic.largest_change, 0, 0.999);
    keys.choice("reflection", o.reflection, {{"object", Reflection::object}, {"point", Reflection::point}});
    read_box(keys, "environment", o.environment);
}

void read_springs(Keys keys, SceneSprings& springs) {
    SurfaceMaterial& material = springs.material;
    keys.number("density", material.density, 1e-9, huge);
    keys.number("stretch", material.stretch, 0, huge);
    keys.number("bending", material.bending, 0, huge);
    keys.number("area", material.area, 0, huge);
    keys.number("damping_time", material.damping_time, 0, huge);
    read_spring_options(keys, springs.options.springs);
    read_drift(keys, springs.options);
    keys.flag("respond", springs.options.respond);
    keys.flag("self", springs.options.self);
    keys.number("thickness", springs.options.thickness, 0, 1e9);
    keys.refuse_rest();
}

void read_breaking(Keys& keys, std::optional<BreakOptions>& breaking) {
    if (!keys.has("strain_limit")) return;
    breaking.emplace();
    keys.number("strain_limit", breaking->strain, 1e-6, 1e6);
    keys.choice("break_rule", breaking->rule, {{"springs", BreakRule::springs}, {"faces", BreakRule::faces}});
    keys.whole("most_broken", breaking->most, 1, INT64_MAX);
}

void read_solids(Keys keys, SceneSolids& solids) {
    SolidMaterial& material = solids.material;
    keys.number("density", material.density, 1e-9, huge);
    keys.number("stretch", material.stretch, 0, huge);
    keys.number("volume", material.volume, 0, huge);
    keys.number("damping_time", material.damping_time, 0, huge);
    TetWorldOptions& o = solids.options;
    read_spring_options(keys, o.springs);
    keys.choice("response", o.response, {{"points", TetResponse::points}, {"segments", TetResponse::segments}, {"none", TetResponse::none}});
    keys.choice("depth", o.depth.method, {{"exact", DepthMethod::exact}, {"closest_feature", DepthMethod::closest_feature}, {"closest_point", DepthMethod::closest_point}});
    keys.choice("push_depth", o.push.depth, {{"measured", PushDepth::measured}, {"interpolated", PushDepth::interpolated}});
    keys.choice("push_direction", o.push.direction, {{"nearest", PushDirection::nearest}, {"gradient", PushDirection::gradient}});
    keys.flag("self", o.self);
    keys.number("recovery_time", o.recovery_time, 1e-9, huge);
    read_breaking(keys, o.breaking);
    keys.refuse_rest();
}

void read_particle_maps(Keys& keys, ParticleOptions& o) {
    keys.vector("look", o.look);
    if (!(o.look.norm() > 1e-9)) keys.fail("look", "has no length");
    keys.flag("around", o.around);
    read_box(keys, "region", o.region);
    keys.whole("pixels", o.pixels, 1, 16384);
    keys.whole("layers", o.maps.layers, 1, 16);
    keys.flag("exits", o.maps.exits);
    if (o.maps.layers > 1 && !o.maps.exits) keys.fail("layers", "behind the first need exits");
    keys.choice("ask", o.maps.ask, {{"every", AskMaps::every}, {"main_axis", AskMaps::main_axis}});
}

void read_particles(Keys keys, ParticleOptions& o) {
    keys.number("drag", o.drag, 0, 1e9);
    keys.number("turbulence", o.turbulence, 0, 1e9);
    keys.number("turbulence_size", o.turbulence_size, 1e-9, 1e9);
    keys.vector("turbulence_drift", o.turbulence_drift);
    keys.choice("impact", o.impact, {{"bounce", ParticleImpact::bounce}, {"slide", ParticleImpact::slide}, {"die", ParticleImpact::die}});
    keys.number("restitution", o.restitution, 0, 1);
    keys.number("friction", o.friction, 0, 1e3);
    keys.whole("most_impacts", o.most_impacts, 1, 100);
    keys.whole("most", o.most, 1, 100'000'000);
    keys.number("mass", o.mass, 0, 1e9);
    keys.whole("seed", o.seed, 0, INT64_MAX);
    read_particle_maps(keys, o);
    keys.refuse_rest();
}

ParticleEmitter read_emitter(Keys keys) {
    ParticleEmitter e;
    keys.vector("position", e.center);
    keys.vector("direction", e.direction);
    if (!(e.direction.norm() > 1e-9)) keys.fail("direction", "has no length");
    keys.number("radius", e.radius, 0, 1e9);
    keys.number("rate", e.rate, 0, 1e12);
    keys.whole("burst", e.burst, 0, 1'000'000'000);
    keys.number("start", e.start, 0, 1e30);
    keys.number("end", e.end, e.start, 1e30);
    keys.number("speed", e.speed, 0, 1e9);
    keys.number("speed_spread", e.speed_spread, 0, 1);
    double degrees = 0;
    keys.number("spread_degrees", degrees, 0, 180);
    e.spread = std::min(degrees * std::numbers::pi / 180, std::numbers::pi);
    keys.number("life", e.life, 1e-9, 1e9);
    keys.number("life_spread", e.life_spread, 0, 1);
    keys.whole("seed", e.seed, 0, INT64_MAX);
    keys.refuse_rest();
    return e;
}

void read_spring_contact(Keys keys, WeightedContactLaw& law) {
    keys.choice("scaling", law.scaling, {{"mass", ContactScaling::mass}, {"area", ContactScaling::area}, {"none", ContactScaling::none}});
    keys.number("stiffness", law.stiffness, 0, huge);
    keys.number("damping_ratio", law.damping_ratio, 0, 1e3);
    keys.number("friction", law.friction, 0, 1e3);
    keys.number("slip_speed", law.slip_speed, 1e-12, huge);
    keys.refuse_rest();
}

void read_rotation(Keys& keys, Quat& rotation) {
    if (const auto q = keys.numbers<4>("rotation")) {
        rotation = Quat((*q)[0], (*q)[1], (*q)[2], (*q)[3]);
        if (!(rotation.norm() > 1e-6)) keys.fail("rotation", "is no quaternion w, x, y, z");
        rotation.normalize();
    }
    Vec3 axis = Vec3::UnitZ();
    double degrees = 0;
    keys.vector("turn_axis", axis);
    keys.number("turn_degrees", degrees, -1e6, 1e6);
    if (!(axis.norm() > 1e-9)) keys.fail("turn_axis", "has no length");
    if (degrees != 0) rotation = Quat(Quat(Eigen::AngleAxisd(degrees * std::numbers::pi / 180, axis.normalized())) * rotation);
}

void read_source(Keys& keys, SceneBody& body, bool solids) {
    keys.text("model", body.model);
    keys.text("mesh", body.mesh);
    keys.text("shape", body.shape);
    keys.text("field", body.field);
    if (auto parameters = keys.table("parameters")) parameters->each([&](const std::string& name, double value) { body.parameters[name] = value; });
    const std::string_view file = std::string_view(body.model).substr(solids && body.model.starts_with("tet/") ? 4 : 0);
    if (file.find('/') != file.npos || file.starts_with(".")) keys.fail("model", "is not the plain name of a file");
    const int sources = !body.mesh.empty() + !body.shape.empty() + !body.field.empty();
    if (sources != 1) keys.fail("shape", "a body has exactly one of shape, mesh and field (and may name a model besides)");
    if (!body.shape.empty()) try {
            (void)completed(find_shape(body.shape), body.parameters);
        } catch (const Error& error) {
            keys.fail("shape", error.what());
        }
    keys.text("up", body.up);
    if (body.up != "y" && body.up != "z") keys.fail("up", "is neither \"y\" nor \"z\"");
    keys.number("size", body.size, 1e-9, 1e9);
    keys.whole("resolution", body.resolution, 8, 4096);
    keys.whole("points", body.points, 0, 100'000'000);
}

void read_copies(Keys& keys, SceneBody& body) {
    if (const auto copies = keys.numbers<3>("copies")) {
        for (std::size_t k = 0; k < 3; ++k) {
            if (!((*copies)[k] >= 1 && (*copies)[k] <= 1000 && (*copies)[k] == std::floor((*copies)[k]))) keys.fail("copies", "are not whole numbers from 1 to 1000");
            body.copies[k] = static_cast<int>((*copies)[k]);
        }
        if (body.copies[0] * body.copies[1] * body.copies[2] > 100'000) keys.fail("copies", "are more than 100000 in all");
    }
    keys.vector("spacing", body.spacing);
    if (keys.has("turn_seed")) {
        std::uint64_t seed = 0;
        keys.whole("turn_seed", seed, 0, INT64_MAX);
        body.turn_seed = seed;
    }
}

// What only some kinds of bodies have.
void read_substance(Keys& keys, SceneBody& body, const Scene& scene) {
    if (scene.particles) {
        keys.vector("sway", body.sway);
        keys.number("sway_period", body.sway_period, 1e-9, 1e9);
        if (!body.field.empty()) keys.fail("field", "is no obstacle for particles: they meet meshes");
        return;
    }
    if (!scene.springs && !scene.solids) {
        keys.number("stiffness", body.stiffness, 0, huge);
        keys.number("damping", body.damping, 0, huge);
        keys.number("friction", body.friction, 0, 1e3);
        return;
    }
    keys.number("stretch", body.stretch, 0, huge);
    keys.number("damping_time", body.damping_time, 0, huge);
    keys.number("hold_above", body.hold_above, -1e9, 1e9);
    const bool surface = scene.springs || body.tissue;
    if (surface) keys.number("bending", body.bending, 0, huge);
    if (surface) keys.number("area", body.area, 0, huge);
    if (!surface) keys.number("volume", body.volume, 0, huge);
    if (!body.tissue) return;
    keys.flag("hold_border", body.hold_border);
    keys.number("strain_limit", body.strain_limit, 1e-6, 1e6);
}

SceneBody read_body(Keys keys, std::size_t number, const Scene& scene) {
    SceneBody body;
    if (scene.springs) body.density = scene.springs->material.density;
    if (scene.solids) {
        keys.choice("kind", body.tissue, {{"solid", false}, {"tissue", true}});
        body.density = body.tissue ? SurfaceMaterial{}.density : scene.solids->material.density;
    }
    body.name = fmt::format("body {}", number);
    keys.text("name", body.name);
    read_source(keys, body, scene.solids.has_value());
    keys.vector("position", body.pose.translation);
    read_rotation(keys, body.pose.rotation);
    keys.vector("velocity", body.velocity);
    keys.vector("spin", body.spin);
    keys.number("density", body.density, 1e-9, huge);
    keys.flag("fixed", body.fixed);
    if (!body.field.empty() && body.tissue) keys.fail("field", "is no surface that a tissue could have");
    if (!body.field.empty() && !body.fixed) keys.fail("field", "is only for bodies that are fixed");
    read_substance(keys, body, scene);
    read_copies(keys, body);
    keys.refuse_rest();
    return body;
}

void read_stepping(Keys& keys, Scene& scene) {
    RigidOptions& o = scene.options;
    keys.number("step", o.step, 1e-9, 10);
    keys.number("duration", scene.duration, 0, 1e6);
    if (scene.duration / o.step > 1e9) keys.fail("duration", "is more than a billion steps");
    keys.vector("gravity", o.gravity);
    keys.choice("mode", o.mode, {{"continuous", ContactMode::continuous}, {"discrete", ContactMode::discrete}});
    keys.choice("span", o.span, {{"coming", ContactSpan::coming}, {"last", ContactSpan::last}});
    keys.choice("stepping", o.stepping, {{"symplectic", Stepping::symplectic}, {"implicit", Stepping::implicit}});
    keys.number("energy_limit", o.energy_limit, 1e-9, huge);
    keys.number("sleep_speed", o.sleep_speed, 0, huge);
    keys.whole("sleep_steps", o.sleep_steps, 1, 1'000'000'000);
    keys.whole("record_every", scene.recording.every, 1, 1'000'000'000);
    keys.whole("record_most", scene.recording.most_frames, 2, 10'000'000);
    keys.flag("record_contacts", scene.recording.contacts);
}

// each(keys, number) for every table [[key]].
template <class Each>
void read_list(Keys& keys, std::string_view key, const std::string& file, const Each& each) {
    const toml::node* node = keys.take(key);
    if (!node) return;
    const toml::array* list = node->as_array();
    if (!list || !list->is_array_of_tables()) keys.fail(node, key, fmt::format("is not a list of tables [[{}]]", key));
    for (std::size_t k = 0; k < list->size(); ++k) each(Keys(*(*list)[k].as_table(), file, fmt::format("{} {}: ", key, k)), k);
}

Scene read_table(const toml::table& table, const std::string& file) {
    Scene scene;
    scene.file = file;
    scene.name = std::filesystem::path(file).stem().string();
    Keys keys(table, file, "");
    keys.text("name", scene.name);
    read_stepping(keys, scene);
    keys.number("ground", scene.ground, -1e9, 1e9);
    keys.flag("cached", scene.cached);
    if (auto springs = keys.table("springs")) read_springs(std::move(*springs), scene.springs.emplace());
    if (auto solids = keys.table("solids")) {
        if (scene.springs) keys.fail("solids", "is in a scene that has [springs] too: bodies are one or the other");
        read_solids(std::move(*solids), scene.solids.emplace());
    }
    if (auto particles = keys.table("particles")) {
        if (scene.springs || scene.solids) keys.fail("particles", "is in a scene that has [springs] or [solids] too");
        read_particles(std::move(*particles), scene.particles.emplace().options);
    }
    read_list(keys, "emitter", file, [&](Keys emitter, std::size_t) {
        if (!scene.particles) keys.fail("emitter", "is in a scene without [particles]");
        scene.particles->emitters.push_back(read_emitter(std::move(emitter)));
    });
    if (auto contact = keys.table("contact")) {
        if (scene.particles) keys.fail("contact", "is in a scene with [particles], which hold their own");
        if (scene.solids) read_spring_contact(std::move(*contact), scene.solids->options.springs.contact);
        else if (scene.springs) read_spring_contact(std::move(*contact), scene.springs->options.springs.contact);
        else read_contact(std::move(*contact), scene);
    }
    read_list(keys, "body", file, [&](Keys body, std::size_t k) { scene.bodies.push_back(read_body(std::move(body), k, scene)); });
    keys.refuse_rest();
    if (scene.particles && scene.particles->emitters.empty()) throw Error(Cause::empty, "the scene has [particles] and no [[emitter]]", {.file = file});
    if (scene.bodies.empty() && !scene.particles) throw Error(Cause::empty, "the scene has no [[body]]", {.file = file});
    return scene;
}

// toml++ 3.3 runs into undefined behaviour on some letters beyond ASCII where it looks for spaces, and on control characters where
// it looks for keys. So letters beyond ASCII are for comments; strings have escapes for them.
void refuse_stray_letters(std::string_view text, const std::string& name) {
    // What looks like a comment in a string of several lines is none.
    const bool plain = text.find("\"\"\"") == text.npos && text.find("'''") == text.npos;
    bool comment = false, quoted = false; // since the line began
    std::int64_t line = 1;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if ((byte < 0x20 && c != '\t' && c != '\n' && c != '\r') || byte == 0x7f) throw Error(Cause::malformed, "a control character", {.file = name, .line = line});
        if (byte >= 0x80 && !comment) throw Error(Cause::malformed, "a letter beyond ASCII outside of a comment; strings take it as \\u and its number", {.file = name, .line = line});
        if (c == '\n') comment = quoted = false, ++line;
        quoted = quoted || c == '"' || c == '\'';
        comment = comment || (c == '#' && !quoted && plain);
    }
}

toml::table parsed(std::string_view text, const std::string& name) {
    refuse_stray_letters(text, name);
    std::optional<toml::parse_result> result;
    try {
        result = toml::parse(text, name);
    } catch (const BrokenAssumption&) {
        throw Error(Cause::malformed, "this is not TOML", {.file = name});
    }
    if (*result) return std::move(*result).table();
    const toml::parse_error& error = result->error();
    throw Error(Cause::malformed, std::string(error.description()), {.file = name, .line = static_cast<std::int64_t>(error.source().begin.line)});
}

// What `from` says replaces what `into` said, key by key in nested tables.
void merge(toml::table& into, toml::table&& from) {
    for (auto&& [key, node] : from) {
        toml::table* old = into.get_as<toml::table>(key.str());
        if (old && node.is_table()) merge(*old, std::move(*node.as_table()));
        else into.insert_or_assign(key.str(), std::move(node));
    }
}

} // namespace

Scene parse_scene(std::string_view text, std::string_view name, const SceneOptions& options) {
    toml::table table = parsed(text, std::string(name));
    for (const std::string& line : options.overrides) merge(table, parsed(line, "override"));
    Scene scene = read_table(table, std::string(name));
    scene.model_folder = options.model_folder;
    return scene;
}

Scene read_scene(const std::filesystem::path& path, const SceneOptions& options) {
    const Bytes bytes = read_whole_file(path);
    if (bytes.size() > 16 << 20) throw Error(Cause::too_large, "a scene has at most 16 MB", {.file = path.string()});
    return parse_scene({reinterpret_cast<const char*>(bytes.span().data()), bytes.size()}, path.string(), options);
}

} // namespace fathom
