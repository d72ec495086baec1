// fathom simulate: runs a scene and records it for ParaView, spreadsheets and the browser.
#include <tool/arguments.h>
#include <tool/commands.h>
#include <tool/output.h>

#include <fathom/base/error.h>
#include <fathom/base/progress.h>
#include <fathom/show/simulation_results.h>
#include <fathom/simulate/scene/scene_keys.h>
#include <fathom/simulate/scene/simulation.h>

#include <fmt/format.h>

#include <memory>
#include <optional>

namespace fathom::tool {

namespace {

struct SimulateArguments {
    std::string scene, out;
    SceneArguments options;
    bool json = false;
};

void print_summary(const Simulation& simulation, double seconds, const std::string& folder) {
    const Recording& recording = simulation.recording();
    const SimulatedWorld& world = simulation.world();
    std::size_t points = 0;
    for (const RecordedBody& body : recording.bodies()) points += body.mesh->vertices.size();
    const auto steps = static_cast<double>(std::max<std::size_t>(world.steps(), 1));
    fmt::print("{}: {} bodies, {} vertices\n", simulation.scene().name, recording.bodies().size(), with_commas(points));
    fmt::print("  simulated    {:.4g} s in {} steps, computed in {:.2f} s ({:.3g} ms per step, {:.3g} ms of it "
               "collision detection)\n",
               world.time(), with_commas(world.steps()), seconds, 1e3 * seconds / steps,
               1e3 * recording.detect_seconds() / steps);
    if (recording.highest_energy() != 0) // scenes of kinematic bodies have no energy
        fmt::print("  energy       {:.6g} J initially, {:.6g} J finally, {:.6g} J at most\n",
                   recording.frames().front().energy.total(), world.energy().total(), recording.highest_energy());
    const auto touching = std::count_if(recording.frames().begin(), recording.frames().end(),
                                        [](const RecordedFrame& frame) { return frame.contact_count > 0; });
    fmt::print("  contacts     in {} of {} frames, penetration depth at most {:.3g} m\n", touching,
               recording.frames().size(), recording.worst_penetration());
    fmt::print("  frames       {} -> {} (`fathom view {}`, or frames.pvd in ParaView; animation.glb, film.png, "
               "energy.svg, penetration.svg, *.csv)\n",
               recording.frames().size(), folder, folder);
}

void run_simulate(const SimulateArguments& arguments, Session& session) {
    Simulation simulation(open_scene(arguments.scene, arguments.options, session), session.progress());
    const ResultsFolder folder(arguments.out); // fails before a long run, not after it
    const Stopwatch start;
    std::optional<Error> stopped; // the recording up to the failure is written first
    try {
        simulation.run(session.progress());
    } catch (const Error& error) {
        stopped = error;
    }
    const double seconds = start.seconds();
    const std::string summary = write_results(simulation, folder, session.progress());
    if (stopped) throw Error(*stopped);
    if (!arguments.json) return print_summary(simulation, seconds, arguments.out);
    fmt::print("{}", summary);
}

} // namespace

void add_simulate(const Command& program, Session& session) {
    const auto o = std::make_shared<SimulateArguments>();
    const Command command = program.add_command(
        "simulate", "Run and record a scene of rigid, deformable and kinematic bodies and particles");
    command.footer(R"~(Examples:
  fathom simulate scenes/bunny_drop.toml -o drop
  fathom simulate scenes/dragon_drop.toml -o drop --models folder --seconds 0.5 --set "contact.friction = 0"
  fathom simulate scenes/hundred_balls.toml -o balls --set "springs.stepping = 'backward_euler'"
  fathom simulate scenes/figure11_bunny_cone.toml -o cone --set "motion.method = 'mesh_mesh'"
  fathom simulate --schema > scene.schema.json

The output folder receives frames.pvd (ParaView), animation.glb, recording.fathomview (`fathom view FOLDER`),
film.png, energy.svg, penetration.svg, energy.csv, states.csv, contacts.csv and summary.json. If the simulation
becomes unstable, it is stopped, the error is reported, and the recording up to that point is written.)~");
    command.add_option("SCENE", o->scene, "Scene file (TOML; examples are in scenes/)").required();
    command.add_option("-o,--output", o->out, "Output folder; created if missing").required();
    add_scene_options(command, o->options);
    command.add_flag("--json", o->json, "Print the summary as JSON");
    command.add_exit_flag(
        "--schema", [] { fmt::print("{}", scene_schema()); }, "Print the JSON Schema of scene files and exit");
    command.run([o, &session] { run_simulate(*o, session); });
}

} // namespace fathom::tool
