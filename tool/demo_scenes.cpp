// The demo's scenes: bodies that fall, dent and break, and fire. Each leaves a film, curves, and files to play.
#include <tool/demo_tour.h>
#include <tool/terminal.h>

#include <fathom/base/stopwatch.h>
#include <fathom/show/recording_picture.h>
#include <fathom/show/viewer_recording.h>
#include <fathom/simulate/particles.h>
#include <fathom/simulate/recording_files.h>
#include <fathom/simulate/simulation.h>

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
kind = "tissue"
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

struct Told {
    std::string words; // one line for the terminal
    std::vector<std::pair<std::string, std::string>> figures;
};

// What a scene leaves: its film NAME.png, its energy NAME_energy.svg, its frames NAME.pvd and NAME.glb, its page
// NAME.html. `tell(simulation, seconds)` says what happened.
template <class Tell>
void show_scene(Tour& tour, ReportSection section, const std::string& name, std::string_view scene, const Tell& tell) {
    Simulation simulation(parse_scene(scene, name), tour.session.progress());
    const Stopwatch start;
    simulation.run(tour.session.progress());
    const Told told = tell(simulation, start.seconds());
    const Recording& recording = simulation.recording();
    write_vtk(tour.folder / (name + ".pvd"), recording);
    write_glb(tour.folder / (name + ".glb"), recording);
    write_svg(tour.folder / (name + "_energy.svg"), energy_plot(recording));
    section.figures = told.figures;
    const bool any_contacts = std::any_of(recording.frames().begin(), recording.frames().end(),
                                          [](const RecordedFrame& frame) { return !frame.contacts.empty(); });
    section.pictures.push_back(
        tour.picture(name + ".png", film_strip(recording),
                     fmt::format("From the first to the last moment{}.", any_contacts ? "; contacts are red" : "")));
    section.pictures.push_back(picture_from(tour.folder / (name + "_energy.svg"), "Energy over time."));
    tour.add_view(section, name, "Play it", recording_document(name, recording));
    section.links.push_back({name + ".pvd for ParaView", name + ".pvd"});
    section.links.push_back({name + ".glb for Blender", name + ".glb"});
    tour.report.sections.push_back(std::move(section));
    tour.say(
        fmt::format("{:<10} {} -> {}.png, {}_energy.svg, {}.pvd, {}.glb", name, told.words, name, name, name, name));
}

std::string seconds_of(double value) { return fmt::format("{:.2f} s", value); }
std::string millimetres(double value) { return fmt::format("{:.1f} mm", 1e3 * value); }

} // namespace

// Creatures and bowls in a heap: contact found over time, forces from it, a film of it.
void show_drop(Tour& tour) {
    show_scene(tour,
               {.title = "A drop",
                .text = "Creatures and a bowl fall in a heap. Every point is followed over the whole step, so that "
                        "thin walls stop what is fast; the forces come from how deep and how long each point is "
                        "inside, and so change smoothly."},
               "drop", drop_scene, [](const Simulation& simulation, double seconds) {
                   const Recording& recording = simulation.recording();
                   const SimulatedWorld& world = simulation.world();
                   return Told{fmt::format("{:.1f} s of {} bodies in {:.2f} s, {} steps; every point is followed over "
                                           "the whole step, deepest {:.1f} mm",
                                           world.time(), recording.bodies().size(), seconds, world.steps(),
                                           1e3 * recording.worst_penetration()),
                               {{"bodies", fmt::format("{}", recording.bodies().size())},
                                {"simulated", seconds_of(world.time())},
                                {"steps", with_commas(world.steps())},
                                {"computed in", seconds_of(seconds)},
                                {"deepest penetration", millimetres(recording.worst_penetration())}}};
               });
}

// Soft shapes fall on each other: springs move them, their own trees find what touches, penalties answer.
void show_soft_heap(Tour& tour) {
    show_scene(
        tour,
        {.title = "Soft shapes meet",
         .text = "Surfaces of springs fall on each other and dent. A tree inside each body is fitted anew to its "
                 "points at every step, and walked against the others' down to exact pairs of triangles. (After Madera "
                 "et al., 2006.)"},
        "soft", soft_scene, [](const Simulation& simulation, double seconds) {
            const Recording& recording = simulation.recording();
            const double detection = 1e3 * recording.detect_seconds() / static_cast<double>(simulation.world().steps());
            return Told{
                fmt::format("{:.1f} s of {} soft shapes in {:.2f} s ({:.2f} ms of detection a step); deepest {:.1f} mm",
                            simulation.world().time(), recording.bodies().size() - 1, seconds, detection,
                            1e3 * recording.worst_penetration()),
                {{"soft shapes", fmt::format("{}", recording.bodies().size() - 1)},
                 {"simulated", seconds_of(simulation.world().time())},
                 {"computed in", seconds_of(seconds)},
                 {"detection a step", fmt::format("{:.2f} ms", detection)},
                 {"deepest penetration", millimetres(recording.worst_penetration())}}};
        });
}

// A ball of tetrahedra falls through a sheet that tears under it.
void show_breaking(Tour& tour) {
    show_scene(tour,
               {.title = "A sheet breaks",
                .text = "A ball of tetrahedra tears through a sheet. The tetrahedra themselves carry the field of "
                        "distances; where springs break, triangles part, and the indices are mended on the spot "
                        "instead of being built anew. (After Marchal et al., 2004.)"},
               "breaking", breaking_scene, [](const Simulation& simulation, double seconds) {
                   const auto& world = dynamic_cast<const TetWorld&>(simulation.world());
                   const std::size_t tetrahedra = world.body(0).topology.tetrahedra().size(),
                                     triangles = world.body(1).topology.boundary().size();
                   const double share = 100 * world.statistics().collision_share();
                   return Told{fmt::format("{:.2f} s of a ball of {} tetrahedra on a sheet of {} triangles in {:.2f} "
                                           "s: {} springs break, {} pieces of sheet; {:.0f} % of the time in collision",
                                           world.time(), tetrahedra, triangles, seconds, world.statistics().broken,
                                           world.pieces(1), share),
                               {{"tetrahedra", with_commas(tetrahedra)},
                                {"triangles of the sheet", with_commas(triangles)},
                                {"springs that break", with_commas(world.statistics().broken)},
                                {"pieces of sheet", fmt::format("{}", world.pieces(1))},
                                {"computed in", seconds_of(seconds)},
                                {"of it collision", fmt::format("{:.0f} %", share)}}};
               });
}

// Fire under a skillet that moves: all particles share one map of it.
void show_fire(Tour& tour) {
    show_scene(
        tour,
        {.title = "Fire and skillet",
         .text = "Thousands of particles and a skillet that is swayed. The skillet is drawn into depth maps once a "
                 "step, and every particle looks up its own pixel: a collision costs next to nothing."},
        "fire", fire_scene, [](const Simulation& simulation, double seconds) {
            const auto& world = dynamic_cast<const ParticleWorld&>(simulation.world());
            return Told{
                fmt::format("{:.1f} s of {} particles in {:.2f} s, {} steps: {} times one of them ran into the skillet",
                            world.time(), world.positions().size(), seconds, world.steps(), world.total_hits()),
                {{"particles at the end", with_commas(world.positions().size())},
                 {"simulated", seconds_of(world.time())},
                 {"computed in", seconds_of(seconds)},
                 {"hits on the skillet", with_commas(world.total_hits())}}};
        });
}

} // namespace fathom::tool
