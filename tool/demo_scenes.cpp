// Demo of simulations: rigid, soft and fracturing bodies, and particles. Each scene writes a film strip, an energy
// plot, and files for playback.
#include <tool/demo.h>
#include <tool/output.h>

#include <fathom/base/progress.h>
#include <fathom/show/recording_picture.h>
#include <fathom/show/viewer_sources.h>
#include <fathom/simulate/particles/particles.h>
#include <fathom/simulate/record/recording_files.h>
#include <fathom/simulate/scene/scene.h>
#include <fathom/simulate/scene/simulation.h>
#include <fathom/simulate/tets/tet_world.h>

#include <fmt/format.h>

#include <algorithm>

namespace fathom::tool {

namespace {

constexpr std::string_view drop_scene = R"~(
name = "drop"
step = 0.001
duration = 1.2
ground = 0.0
record_every = 12
[contact]
stiffness = 2e3
damping = 4
[[body]]
name = "creature"
shape = "creature"
parameters = { triangles = 2000 }
size = 0.5
position = [-0.3, -0.3, 0.5]
copies = [2, 2, 1]
spacing = [0.6, 0.6, 0.4]
turn_seed = 5
[[body]]
name = "bowl"
shape = "bowl"
size = 0.6
position = [0, 0, 1.0]
turn_axis = [1, 0, 0]
turn_degrees = 160
)~";

constexpr std::string_view soft_scene = R"~(
name = "soft"
step = 0.002
duration = 1.1
ground = 0.0
record_every = 10
[springs]
stretch = 2000.0
bending = 400.0
area = 2000.0
damping_time = 0.002
air_friction = 0.3
stepping = "backward_euler"
[contact]
stiffness = 4e4
damping_ratio = 0.3
friction = 0.5
[[body]]
name = "ball"
shape = "sphere"
parameters = { resolution = 6 }
size = 0.6
position = [0, 0, 0.4]
[[body]]
name = "ring"
shape = "torus"
parameters = { resolution = 24 }
size = 0.9
position = [0.15, 0.1, 0.9]
turn_axis = [1, 0.3, 0]
turn_degrees = 20
[[body]]
name = "heart"
shape = "heart"
parameters = { resolution = 8 }
size = 0.7
position = [0.05, 0, 1.5]
)~";

constexpr std::string_view breaking_scene = R"~(
name = "breaking"
step = 0.002
duration = 0.42
ground = -0.7
record_every = 5
[solids]
stretch = 2e5
volume = 2e5
damping_time = 0.001
stepping = "backward_euler"
[contact]
scaling = "area"
stiffness = 2e6
damping_ratio = 0.1
friction = 0.2
[[body]]
name = "ball"
shape = "tet_ball"
parameters = { radius = 0.25, resolution = 4 }
density = 500
position = [0.01, 0.02, 0.35]
velocity = [0, 0, -2.5]
[[body]]
name = "sheet"
kind = "membrane"
shape = "cloth"
parameters = { width = 1.2, depth = 1.2, resolution = 22 }
density = 2.0
stretch = 6e3
bending = 100.0
area = 1e3
damping_time = 0.002
hold_border = true
strain_limit = 0.2
)~";

constexpr std::string_view fire_scene = R"~(
name = "fire"
step = 0.016666666666666666
duration = 2.0
gravity = [0, 0, 0.6]
record_every = 4
record_contacts = false
[particles]
drag = 1.2
turbulence = 1.6
turbulence_size = 0.3
turbulence_drift = [0, 0, 0.5]
restitution = 0.2
friction = 0.05
pixels = 512
[[emitter]]
rate = 15000.0
radius = 0.05
speed = 0.75
speed_spread = 0.3
spread_degrees = 25.0
life = 0.8
life_spread = 0.3
[[body]]
name = "skillet"
shape = "skillet"
parameters = { radius = 0.15, handle = 0.2, resolution = 64 }
position = [0.04, 0, 0.13]
sway = [0.1, 0.03, 0]
sway_period = 2.0
)~";

struct SceneSummary {
    std::string line; // one line for the terminal
    std::vector<std::pair<std::string, std::string>> figures;
};

// Runs a scene and writes the film strip NAME.png, the energy plot NAME_energy.svg, the frames NAME.pvd and NAME.glb,
// and the page NAME.html. `summarize(simulation, seconds)` returns the summary.
template <class Summarize>
void show_scene(Demo& demo, ReportSection section, const std::string& name, std::string_view scene,
                const Summarize& summarize) {
    Simulation simulation(parse_scene(scene, name), demo.session.progress());
    const Stopwatch start;
    simulation.run(demo.session.progress());
    const SceneSummary summary = summarize(simulation, start.seconds());
    const Recording& recording = simulation.recording();
    write_vtk(demo.folder / (name + ".pvd"), recording);
    write_glb(demo.folder / (name + ".glb"), recording);
    write_svg(demo.folder / (name + "_energy.svg"), energy_plot(recording));
    section.figures = summary.figures;
    const bool any_contacts = std::any_of(recording.frames().begin(), recording.frames().end(),
                                          [](const RecordedFrame& frame) { return !frame.contacts.empty(); });
    section.pictures.push_back(
        demo.picture(name + ".png", film_strip(recording),
                     fmt::format("From start to end{}.", any_contacts ? "; contacts in red" : "")));
    section.pictures.push_back(picture_from(demo.folder / (name + "_energy.svg"), "Energy over time."));
    demo.add_view(section, name, "Play the recording", recording_document(name, recording));
    section.links.push_back({name + ".pvd for ParaView", name + ".pvd"});
    section.links.push_back({name + ".glb for Blender", name + ".glb"});
    demo.report.sections.push_back(std::move(section));
    demo.print_line(
        fmt::format("{:<10} {} -> {}.png, {}_energy.svg, {}.pvd, {}.glb", name, summary.line, name, name, name, name));
}

std::string seconds_of(double value) { return fmt::format("{:.2f} s", value); }
std::string millimetres(double value) { return fmt::format("{:.1f} mm", 1e3 * value); }

} // namespace

// Rigid bodies fall in a heap; continuous collision detection with contact forces.
void show_rigid_drop(Demo& demo) {
    show_scene(demo,
               {.title = "Rigid bodies",
                .text =
                    "Creatures and a bowl fall in a heap. Every point is followed over the whole time step, so that "
                    "thin walls stop fast bodies. The forces depend on the depth and the duration of each contact "
                    "and therefore change smoothly."},
               "drop", drop_scene, [](const Simulation& simulation, double seconds) {
                   const Recording& recording = simulation.recording();
                   const SimulatedWorld& world = simulation.world();
                   return SceneSummary{fmt::format("{:.1f} s of {} bodies in {:.2f} s, {} steps; continuous collision "
                                                   "detection, deepest penetration {:.1f} mm",
                                                   world.time(), recording.bodies().size(), seconds, world.steps(),
                                                   1e3 * recording.worst_penetration()),
                                       {{"bodies", fmt::format("{}", recording.bodies().size())},
                                        {"simulated", seconds_of(world.time())},
                                        {"steps", with_commas(world.steps())},
                                        {"computed in", seconds_of(seconds)},
                                        {"deepest penetration", millimetres(recording.worst_penetration())}}};
               });
}

// Soft bodies of springs fall on each other; contacts are found with their bounding volume hierarchies and resolved by
// penalty forces.
void show_soft_bodies(Demo& demo) {
    show_scene(
        demo,
        {.title = "Soft bodies",
         .text =
             "Spring surfaces fall on each other and deform. In every step the bounding volume hierarchy of each "
             "body is refitted to its vertices and traversed against those of the others down to exact triangle pairs. "
             "(After Madera et al., 2006.)"},
        "soft", soft_scene, [](const Simulation& simulation, double seconds) {
            const Recording& recording = simulation.recording();
            const double detection = 1e3 * recording.detect_seconds() / static_cast<double>(simulation.world().steps());
            return SceneSummary{fmt::format("{:.1f} s of {} soft bodies in {:.2f} s ({:.2f} ms of detection per step); "
                                            "deepest penetration {:.1f} mm",
                                            simulation.world().time(), recording.bodies().size() - 1, seconds,
                                            detection, 1e3 * recording.worst_penetration()),
                                {{"soft bodies", fmt::format("{}", recording.bodies().size() - 1)},
                                 {"simulated", seconds_of(simulation.world().time())},
                                 {"computed in", seconds_of(seconds)},
                                 {"detection per step", fmt::format("{:.2f} ms", detection)},
                                 {"deepest penetration", millimetres(recording.worst_penetration())}}};
        });
}

// A tetrahedral ball falls on a membrane that tears.
void show_fracture(Demo& demo) {
    show_scene(demo,
               {.title = "Fracture of a membrane",
                .text = "A tetrahedral ball tears through a membrane. The tetrahedra carry the distance field. Where "
                        "springs break, triangles are separated, and the collision data structures are updated locally "
                        "instead of being rebuilt. (After Marchal et al., 2004.)"},
               "breaking", breaking_scene, [](const Simulation& simulation, double seconds) {
                   const TetWorld& world = *simulation.systems().solids();
                   const std::size_t tetrahedra = world.body(0).topology.tetrahedra().size(),
                                     triangles = world.body(1).topology.boundary().size();
                   const double share = 100 * world.statistics().collision_share();
                   return SceneSummary{
                       fmt::format("{:.2f} s of a ball of {} tetrahedra on a membrane of {} triangles in {:.2f} "
                                   "s: {} springs broken, membrane in {} pieces; {:.0f} % of the time in "
                                   "collision detection",
                                   world.time(), tetrahedra, triangles, seconds, world.statistics().broken,
                                   world.pieces(1), share),
                       {{"tetrahedra", with_commas(tetrahedra)},
                        {"membrane triangles", with_commas(triangles)},
                        {"broken springs", with_commas(world.statistics().broken)},
                        {"membrane pieces", fmt::format("{}", world.pieces(1))},
                        {"computed in", seconds_of(seconds)},
                        {"share of collision detection", fmt::format("{:.0f} %", share)}}};
               });
}

// Particles collide with a moving skillet; all particles share its depth maps.
void show_particles(Demo& demo) {
    show_scene(
        demo,
        {.title = "Particles",
         .text =
             "Thousands of particles and a moving skillet. The skillet is rendered into depth maps once per step, and "
             "every particle reads one pixel, so that a collision test is very cheap."},
        "fire", fire_scene, [](const Simulation& simulation, double seconds) {
            const ParticleWorld& world = *simulation.systems().particles();
            return SceneSummary{
                fmt::format("{:.1f} s of {} particles in {:.2f} s, {} steps: {} particle hits on the skillet",
                            world.time(), world.positions().size(), seconds, world.steps(), world.total_hits()),
                {{"particles at the end", with_commas(world.positions().size())},
                 {"simulated", seconds_of(world.time())},
                 {"computed in", seconds_of(seconds)},
                 {"hits on the skillet", with_commas(world.total_hits())}}};
        });
}

} // namespace fathom::tool
