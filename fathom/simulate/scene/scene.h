// Named scenes: bodies of every kind, ground, contact and step, read from TOML (docs of the keys:
// docs/scenes.md). Every byte is taken for hostile: an Error names file, line and key. Unknown keys are refused, so
// that a typo cannot hide.
#pragma once

#include <fathom/base/error.h>
#include <fathom/geometry/generate/mesh_catalogue.h>
#include <fathom/simulate/kinematic/scripted_world.h>
#include <fathom/simulate/record/recording.h>
#include <fathom/simulate/world/mixed_world.h>

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fathom {

// What a body is. The order is that of kind_names (scene_keys.h).
enum class BodyKind {
    rigid,
    surface,  // of springs
    solid,    // of tetrahedra
    membrane, // an open surface of springs that solids push and that may tear
    obstacle, // moves as it is told, for particles; where nothing else is there it may also be a formula that never
              // moves
    moved     // goes where it is told, and is asked what it meets
};

// One entry `[[body]]`, which may stand for several copies of a body.
struct SceneBody {
    BodyKind kind = BodyKind::rigid;
    std::string name; // no other body has it
    Place place{};    // of the key that names its shape, for messages
    std::string
        model; // a file of the model folder (of solids: "tet/" and a file); `shape` stands in where it is not there
    std::string mesh;  // a mesh file, beside the scene file or absolute
    std::string shape; // of the catalogue, with `parameters`
    ShapeValues parameters;
    std::string field;    // a formula (parse.h), for bodies that are fixed or moved: has no points
    std::string network;  // a file of a trained network, beside the scene file or absolute; `field` stands in where it
                          // is not there
    std::string up = "z"; // of the model or mesh: "y" turns it upright
    double size = 0;      // m, of its longest side; 0: as it is
    int resolution = 64;  // cells of its field along the longest side
    std::size_t points = 0; // of its shell; 0: the vertices
    Pose pose;              // of its centre of mass
    Vec3 velocity = Vec3::Zero(), spin = Vec3::Zero();
    double density = 1000;
    bool fixed = false;
    std::optional<double> stiffness, damping, friction;                 // of this body; else those of the scene
    std::array<int, 3> copies = {1, 1, 1};                              // along x, y and z
    Vec3 spacing = Vec3::Zero();                                        // between copies (m)
    std::optional<std::uint64_t> turn_seed;                             // turns each copy at random
    std::optional<double> stretch, bending, area, volume, damping_time; // of its springs; else those of the scene
    std::optional<double> hold_above;   // vertices that start above this height are held (m)
    bool hold_border = false;           // of a membrane: vertices at open edges are held
    std::optional<double> strain_limit; // of a membrane: it tears where stretched beyond
    Vec3 sway = Vec3::Zero();           // of bodies that move as they are told: m to both sides,
    double sway_period = 1;             // s
    MotionPath path;                    // of one that is moved; empty: by position, velocity, spin and sway
    double wander = 0;                  // of one that is moved: random places instead, this far along each axis (m)
    std::uint64_t wander_seed = 1;
};

// The table `[springs]`: of surfaces, whose densities are in kg/m^2. Step, gravity and the guard are those of
// Scene::options.
struct SceneSprings {
    DeformingOptions options;
    SurfaceMaterial material;
};

// The table `[solids]`: of solids and membranes. Step, gravity and the guard are those of Scene::options.
struct SceneSolids {
    TetWorldOptions options;
    SolidMaterial material;
};

// The table `[particles]`, and the emitters `[[emitter]]`. The step is that of Scene::options.
struct SceneParticles {
    ParticleOptions options;
    std::vector<ParticleEmitter> emitters;
    std::optional<Vec3> gravity; // else that of Scene::options
};

struct Scene {
    std::string name;
    std::string file;                   // that it was read from
    std::filesystem::path model_folder; // from SceneOptions
    RigidOptions options;
    double duration = 1;          // s
    std::optional<double> ground; // height of a floor without end, friction as the scene's
    double stiffness = 1e4;       // N/m of a point,
    double damping = 10;          // N s/m of a point;
    bool per_area = false;        // or N/m^3 and N s/m^3, so that shells of any density act alike
    double friction = 0.3;
    RecordingOptions recording;
    // Settings of the kinds that there are.
    std::optional<SceneSprings> springs;
    std::optional<SceneSolids> solids;
    std::optional<SceneParticles> particles;
    std::optional<ScriptedOptions> motion;
    CouplingOptions coupling; // between kinds
    bool cached = false;      // keep fields in the field cache
    std::vector<SceneBody> bodies;

    [[nodiscard]] std::size_t step_count() const; // of the whole duration
    [[nodiscard]] bool has(BodyKind kind) const;  // a body of it
    [[nodiscard]] bool mixed() const;             // more than one kind of world is needed
};

struct SceneOptions {
    std::filesystem::path model_folder{}; // empty: stand-ins everywhere
    std::vector<std::string> overrides{}; // lines as in the file: "step = 0.002", "contact.friction = 0"
};

[[nodiscard]] Scene read_scene(const std::filesystem::path& path, const SceneOptions& options = {});
// The same from memory; `name` serves the messages, and meshes are looked for beside it.
[[nodiscard]] Scene parse_scene(std::string_view text, std::string_view name, const SceneOptions& options = {});

// Models and networks that bodies name and that are not there, each once: shapes and formulas stand in for them.
[[nodiscard]] std::vector<std::string> absent_models(const Scene& scene);

// The bodies of a scene in a world of the kind that it asks for. Throws Error with the body's name.
[[nodiscard]] std::unique_ptr<SimulatedWorld> make_world(const Scene& scene, Progress* progress = nullptr);
// The bodies of one kind, and what stands in their way; Error{invalid_argument} where the scene has none. Rigid ones:
// fields are built, for equal shapes once. Particles without a backend: the CPU's.
[[nodiscard]] RigidWorld make_rigid_world(const Scene& scene, Progress* progress = nullptr);
[[nodiscard]] DeformingWorld make_deforming_world(const Scene& scene);
[[nodiscard]] TetWorld make_tet_world(const Scene& scene);
[[nodiscard]] ParticleWorld make_particle_world(const Scene& scene, std::shared_ptr<DepthBackend> backend = nullptr);
[[nodiscard]] ScriptedWorld make_moved_world(const Scene& scene, Progress* progress = nullptr);
// All of them.
[[nodiscard]] MixedWorld make_mixed_world(const Scene& scene, Progress* progress = nullptr,
                                          std::shared_ptr<DepthBackend> backend = nullptr);

} // namespace fathom
