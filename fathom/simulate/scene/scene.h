// Scenes: bodies of every kind, ground, contact and step, read from TOML files (the keys are described in
// docs/scenes.md). Input is untrusted: an Error names file, line and key. Unknown keys are rejected, so that a typo is
// always reported.
#pragma once

#include <fathom/base/error.h>
#include <fathom/geometry/generate/mesh_catalogue.h>
#include <fathom/simulate/world/simulation_world.h>

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fathom {

// Kind of a body. The order is that of kind_names (scene_keys.h).
enum class BodyKind {
    rigid,
    surface,  // mass-spring surface
    solid,    // tetrahedral
    membrane, // an open mass-spring surface that solids push and that may tear
    obstacle, // scripted motion, for particles; in a scene without other kinds it may also be a static analytic field
    moved     // scripted (kinematic) motion; each step reports its collisions
};

// One entry `[[body]]`, which may stand for several copies of a body.
struct SceneBody {
    BodyKind kind = BodyKind::rigid;
    std::string name; // unique
    Place place{};    // of the key that names its shape, for messages
    // A file of the model folder (of solids: "tet/" and a file); `shape` is used if the file is absent.
    std::string model;
    std::string mesh;  // a mesh file, relative to the scene file or absolute
    std::string shape; // of the catalogue, with `parameters`
    ShapeValues parameters;
    std::string field; // an analytic expression (analytic_expression.h), for fixed or scripted bodies: it has no points
    // A neural network file, relative to the scene file or absolute; `field` is used if the file is absent.
    std::string network;
    std::string up = "z";   // of the model or mesh: "y" is rotated to z
    double size = 0;        // m, of its longest side; 0: unchanged
    int resolution = 64;    // cells of its field along the longest side
    std::size_t points = 0; // of its point shell; 0: the vertices
    Pose pose;              // of its centre of mass
    Vec3 velocity = Vec3::Zero(), spin = Vec3::Zero();
    double density = 1000;
    bool fixed = false;
    std::optional<double> stiffness, damping, friction;                 // of this body; default: those of the scene
    std::array<int, 3> copies = {1, 1, 1};                              // along x, y and z
    Vec3 spacing = Vec3::Zero();                                        // between copies (m)
    std::optional<std::uint64_t> turn_seed;                             // each copy gets a random rotation
    std::optional<double> stretch, bending, area, volume, damping_time; // of its springs; default: those of the scene
    std::optional<double> hold_above;   // vertices that start above this height are held fixed (m)
    bool hold_border = false;           // of a membrane: vertices at open edges are held fixed
    std::optional<double> strain_limit; // of a membrane: it tears where the strain exceeds this
    Vec3 sway = Vec3::Zero();           // of scripted bodies: amplitude of an oscillation (m)
    double sway_period = 1;             // period of the oscillation (s)
    MotionPath path;                    // of a scripted body; empty: by position, velocity, spin and sway
    double wander = 0; // of a scripted body: random poses instead, up to this distance along each axis (m)
    std::uint64_t wander_seed = 1;
};

// The table `[springs]`, for surfaces, whose densities are in kg/m^2. Step, gravity and the energy guard are those of
// Scene::options.
struct SceneSprings {
    DeformingOptions options;
    SurfaceMaterial material;
};

// The table `[solids]`, for solids and membranes. Step, gravity and the energy guard are those of Scene::options.
struct SceneSolids {
    TetWorldOptions options;
    SolidMaterial material;
};

// The table `[particles]`, and the emitters `[[emitter]]`. The step is that of Scene::options.
struct SceneParticles {
    ParticleOptions options;
    std::vector<ParticleEmitter> emitters;
    std::optional<Vec3> gravity; // default: that of Scene::options
};

struct Scene {
    std::string name;
    std::string file;                   // file from which it was read
    std::filesystem::path model_folder; // from SceneOptions
    RigidOptions options;
    double duration = 1;          // s
    std::optional<double> ground; // height of an infinite floor, with the friction of the scene (m)
    double stiffness = 1e4;       // N/m per point,
    double damping = 10;          // N s/m per point;
    bool per_area = false;        // N/m^3 and N s/m^3 instead, so that shells of any point density behave alike
    double friction = 0.3;
    RecordingOptions recording;
    // Settings of the kinds that are present.
    std::optional<SceneSprings> springs;
    std::optional<SceneSolids> solids;
    std::optional<SceneParticles> particles;
    std::optional<ScriptedOptions> motion;
    CouplingOptions coupling; // between kinds
    bool cached = false;      // store fields in the field cache
    std::vector<SceneBody> bodies;

    [[nodiscard]] std::size_t step_count() const; // of the whole duration
    [[nodiscard]] bool has(BodyKind kind) const;  // whether there is a body of this kind
    [[nodiscard]] bool mixed() const;             // whether it needs more than one system
};

struct SceneOptions {
    std::filesystem::path model_folder{}; // empty: substitutes for all models
    std::vector<std::string> overrides{}; // lines as in the file: "step = 0.002", "contact.friction = 0"
};

[[nodiscard]] Scene read_scene(const std::filesystem::path& path, const SceneOptions& options = {});
// The same from memory; `name` is used in messages, and meshes are searched relative to it.
[[nodiscard]] Scene parse_scene(std::string_view text, std::string_view name, const SceneOptions& options = {});

// Models and neural networks that bodies name and that do not exist, each once; shapes and analytic fields are used
// instead.
[[nodiscard]] std::vector<std::string> absent_models(const Scene& scene);

// The world of a scene, with a system for each kind of body. Throws Error with the body's name. Particles without a
// backend use the CPU backend.
[[nodiscard]] SimulationWorld make_world(const Scene& scene, Progress* progress = nullptr,
                                         std::shared_ptr<DepthBackend> backend = nullptr);
// One system alone: the bodies of one kind and their obstacles; Error{invalid_argument} if the scene has none. Rigid
// bodies: fields are built, once for equal shapes.
[[nodiscard]] RigidWorld make_rigid_world(const Scene& scene, Progress* progress = nullptr);
[[nodiscard]] DeformingWorld make_deforming_world(const Scene& scene);
[[nodiscard]] TetWorld make_tet_world(const Scene& scene);
[[nodiscard]] ParticleWorld make_particle_world(const Scene& scene, std::shared_ptr<DepthBackend> backend = nullptr);
[[nodiscard]] ScriptedWorld make_moved_world(const Scene& scene, Progress* progress = nullptr);

} // namespace fathom
