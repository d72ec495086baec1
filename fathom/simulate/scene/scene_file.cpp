// Scenes as TOML: the file as a whole. Keys, their ranges and defaults: scene_keys.cpp.
#include <fathom/base/error.h>
#include <fathom/base/file.h>
#include <fathom/simulate/scene/scene_readers.h>

#include <fmt/format.h>

namespace fathom {

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
    keys.whole("record_most", scene.recording.most_frames);
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
        if (!scene.particles) keys.fail("emitter", "is in a scene without [particles]");
        scene.particles->emitters.push_back(read_emitter(std::move(emitter)));
    }
}

// Of rigid bodies where there are any, else of those that deform; what those say themselves counts more.
void read_contact(KeyReader& keys, Scene& scene) {
    const bool rigid = scene.has(BodyKind::rigid), soft = scene.springs || scene.solids;
    auto contact = keys.table("contact", rigid ? rigid_contact_keys() : spring_contact_keys());
    if (!contact) return;
    if (!rigid && !soft)
        keys.fail("contact", scene.particles ? "is in a scene with [particles] alone, which hold their own"
                                             : "is in a scene whose bodies do not push");
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
        motion->fail("objects", fmt::format("asks for {} of {} bodies", scene.motion->objects, bodies));
}

void check_kinds(const KeyReader& keys, const Scene& scene) {
    if (scene.particles && scene.particles->emitters.empty())
        throw Error(Cause::empty, "the scene has [particles] and no [[emitter]]", {.file = scene.file});
    if (scene.bodies.empty() && !scene.particles)
        throw Error(Cause::empty, "the scene has no [[body]]", {.file = scene.file});
    if (!scene.motion) return;
    if (scene.particles || scene.springs || scene.solids)
        keys.fail("motion", "is for scenes in which all bodies are moved");
    for (const SceneBody& body : scene.bodies)
        if (body.kind != BodyKind::moved) keys.fail("body", "all bodies are moved, or none is");
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
        if (!scene.mixed()) keys.fail("coupling", "is in a scene of one kind of bodies");
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
    std::error_code unknown; // then reading says why
    if (const auto size = std::filesystem::file_size(path, unknown); !unknown && size > 16 << 20)
        throw Error(Cause::too_large, "a scene has at most 16 MB", {.file = path.string()});
    const Bytes bytes = read_whole_file(path);
    return parse_scene({reinterpret_cast<const char*>(bytes.span().data()), bytes.size()}, path.string(), options);
}

} // namespace fathom
