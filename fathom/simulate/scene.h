// Room: simulate. Named scenes: bodies, ground, contact and step, read from TOML (docs of the keys: scenes/README.md).
// Every byte is taken for hostile: an Error names file, line and key. Unknown keys are refused, so that a typo cannot hide.
#pragma once

#include <fathom/geometry/shape_catalogue.h>
#include <fathom/simulate/deforming_world.h>
#include <fathom/simulate/particles.h>
#include <fathom/simulate/recording.h>
#include <fathom/simulate/rigid_world.h>
#include <fathom/simulate/tet_world.h>

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fathom {

// One entry `[[body]]`, which may stand for several copies of a body.
struct SceneBody {
    std::string name;
    std::string model;      // a file of the model folder (of solids: "tet/" and a file); `shape` stands in where it is not there
    std::string mesh;       // a mesh file, beside the scene file or absolute
    std::string shape;      // of the catalogue, with `parameters`
    ShapeValues parameters;
    std::string field;      // a formula (parse.h), for fixed bodies: has no points
    std::string up = "z";   // of the model or mesh: "y" turns it upright
    double size = 0;        // m, of its longest side; 0: as it is
    int resolution = 64;    // cells of its field along the longest side
    std::size_t points = 0; // of its shell; 0: the vertices
    Pose pose;              // of its centre of mass
    Vec3 velocity = Vec3::Zero(), spin = Vec3::Zero();
    double density = 1000;
    bool fixed = false;
    std::optional<double> stiffness, damping, friction;  // of this body; else those of the scene
    std::array<int, 3> copies = {1, 1, 1};               // along x, y and z
    Vec3 spacing = Vec3::Zero();                         // between copies (m)
    std::optional<std::uint64_t> turn_seed;              // turns each copy at random
    std::optional<double> stretch, bending, area, volume, damping_time; // of its springs; else those of the scene
    std::optional<double> hold_above;                    // vertices that start above this height are held (m)
    bool tissue = false;                                 // among solids: an open surface instead; its density is in kg/m^2
    bool hold_border = false;                            // of a tissue: vertices at open edges are held
    std::optional<double> strain_limit;                  // of a tissue: it tears where stretched beyond
    Vec3 sway = Vec3::Zero();                            // of an obstacle among particles: m to both sides,
    double sway_period = 1;                              // s
};

// The table `[springs]`: all bodies are surfaces that deform (but for those that are fixed), and densities are in kg/m^2. Step, gravity and
// the guard are those of Scene::options.
struct SceneSprings {
    DeformingOptions options;
    SurfaceMaterial material;
};

// The table `[solids]`: bodies are made of tetrahedra that deform (but for those that are fixed), or are tissues. Step, gravity and the guard are
// those of Scene::options.
struct SceneSolids {
    TetWorldOptions options;
    SolidMaterial material;
};

// The table `[particles]`, and the emitters `[[emitter]]`: all bodies are obstacles that move as they are told. Step and gravity are those of
// Scene::options.
struct SceneParticles {
    ParticleOptions options;
    std::vector<ParticleEmitter> emitters;
};

struct Scene {
    std::string name;
    std::string file;                   // that it was read from
    std::filesystem::path model_folder; // from SceneOptions
    RigidOptions options;
    double duration = 1;                // s
    std::optional<double> ground;       // height of a floor without end, friction as the scene's
    double stiffness = 1e4;             // N/m of a point,
    double damping = 10;                // N s/m of a point;
    bool per_area = false;              // or N/m^3 and N s/m^3, so that shells of any density act alike
    double friction = 0.3;
    RecordingOptions recording;
    std::optional<SceneSprings> springs; // at most one of the three
    std::optional<SceneSolids> solids;
    std::optional<SceneParticles> particles;
    bool cached = false;                // keep fields in the field cache
    std::vector<SceneBody> bodies;

    [[nodiscard]] std::size_t step_count() const; // of the whole duration
};

struct SceneOptions {
    std::filesystem::path model_folder{};  // empty: stand-ins everywhere
    std::vector<std::string> overrides{};  // lines as in the file: "step = 0.002", "contact.friction = 0"
};

[[nodiscard]] Scene read_scene(const std::filesystem::path& path, const SceneOptions& options = {});
// The same from memory; `name` serves the messages, and meshes are looked for beside it.
[[nodiscard]] Scene parse_scene(std::string_view text, std::string_view name, const SceneOptions& options = {});

// The bodies of a scene in a world of the kind that it asks for. Throws Error with the body's name.
[[nodiscard]] std::unique_ptr<SimulatedWorld> make_world(const Scene& scene, Progress* progress = nullptr);
// Of a scene without springs, solids and particles: fields are built, for equal shapes once.
[[nodiscard]] RigidWorld make_rigid_world(const Scene& scene, Progress* progress = nullptr);
// Of a scene with springs.
[[nodiscard]] DeformingWorld make_deforming_world(const Scene& scene);
// Of a scene with solids.
[[nodiscard]] TetWorld make_tet_world(const Scene& scene);
// Of a scene with particles. Without a backend: the CPU's.
[[nodiscard]] ParticleWorld make_particle_world(const Scene& scene, std::shared_ptr<DepthBackend> backend = nullptr);

} // namespace fathom
