// Table `deformable/crowd`: a hundred to ten thousand soft balls that bounce off each other: detection each step,
// energy, and the same state for any number of threads. Times are of the clock on the wall, over the second half of the
// steps, when many touch: the median counts, and the quickest tenth stands beside.
#include <benchmarks/report.h>
#include <fathom/base/parallel.h>
#include <fathom/show/line_plot.h>
#include <fathom/simulate/scene/scene.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>

namespace fathom::bench {

namespace {

struct Crowd {
    std::string id;
    std::array<int, 3> copies;
    int resolution; // pieces of an icosahedron's edge: 20 of its square are the triangles
    std::size_t steps;
};

// As scenes/hundred_balls.toml, in a box that is as full.
Scene scene_of(const Crowd& crowd) {
    Scene scene = read_scene(std::filesystem::path(FATHOM_SOURCE_DIR) / "scenes/hundred_balls.toml");
    SceneBody& ball = scene.bodies.front();
    ball.copies = crowd.copies;
    ball.parameters["resolution"] = crowd.resolution;
    const Vec3 last = ball.spacing.cwiseProduct(Vec3(crowd.copies[0] - 1, crowd.copies[1] - 1, crowd.copies[2] - 1));
    scene.springs->options.springs.environment = Box{Vec3::Constant(-0.6), last + Vec3::Constant(0.6)};
    return scene;
}

struct Step {
    double time;
    Energy energy;
    deformable::SurfacePairStatistics detection;
    double contact_seconds; // detection, what is handed to it, and what it finds made into pushes
};

// The detection of a world once more, on the clock of the CPU, which a busy machine troubles less.
class Replay {
public:
    explicit Replay(const DeformingWorld& world) : pairs_({.vertices = deformable::CollidingVertexOptions{}}) {
        for (const DeformingBody& body : world.bodies()) surfaces_.emplace_back(body.mesh), world_.add(Box{});
    }
    [[nodiscard]] double seconds(const DeformingWorld& world) {
        double least = 1e300;
        for (int round = 0; round < 2; ++round) { // the first makes room for answers
            for (Index k = 0; k < world.bodies().size(); ++k) surfaces_[k].place(world.vertices(k));
            const std::function<void()> find[] = {[&] { pairs_.find(world_, surfaces_); }};
            least = std::min(least, race(find, 1)[0]);
        }
        return least;
    }

private:
    World world_;
    std::vector<deformable::DeformingSurface> surfaces_;
    deformable::SurfacePairs pairs_;
};

struct Run {
    std::vector<Step> steps{}; // the start first
    std::vector<double> cpu{}; // s of detection, of every tenth of the later steps; one thread
    Fingerprint state{};
    std::size_t triangles = 0;
    double seconds = 0; // of all steps
};

Run run_of(const Crowd& crowd, std::size_t threads) {
    set_thread_count(threads);
    DeformingWorld world = make_deforming_world(scene_of(crowd));
    Run run;
    const auto note = [&] {
        run.steps.push_back(
            {world.time(), world.energy(), world.detection().statistics(),
             world.springs().report().contact_seconds / static_cast<double>(world.springs().report().parts)});
    };
    note();
    Replay replay(world);
    for (std::size_t k = 0; k < crowd.steps; ++k) {
        run.seconds += wall_seconds([&] { world.step(); });
        note();
        if (threads == 1 && k >= crowd.steps / 2 && k % 10 == 0) run.cpu.push_back(replay.seconds(world));
    }
    run.state = world.state_hash();
    for (const DeformingBody& body : world.bodies()) run.triangles += body.mesh.triangles.size();
    set_thread_count(0);
    return run;
}

// The value of a step, at a share of the later steps from the least on.
template <class Value>
double at(const Run& run, double share, const Value& value) {
    std::vector<double> all;
    for (std::size_t k = run.steps.size() / 2; k < run.steps.size(); ++k)
        all.push_back(static_cast<double>(value(run.steps[k])));
    const auto place = all.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(all.size() - 1));
    std::nth_element(all.begin(), place, all.end());
    return *place;
}

double whole(const Step& s) {
    return 1e3 * (s.detection.broad_seconds + s.detection.refit_seconds + s.detection.narrow_seconds);
}

void add_detection(Report& report, const std::string& id, const Crowd& crowd, const Run& run, std::size_t threads) {
    const auto median = [&](const auto& value) { return at(run, 0.5, value); };
    const double ms = median(whole);
    const std::string work = fmt::format("{} balls, {} triangles, detection, {} thread{}",
                                         run.steps[0].detection.bodies, run.triangles, threads, threads > 1 ? "s" : "");
    const std::string parts =
        fmt::format("broad {:.2f}, refit {:.2f}, narrow {:.2f} ms; quickest tenth {:.2f} ms; with handing over and "
                    "pushes {:.2f} ms; {:.0f} pairs, {:.0f} touching, {:.0f} contacts; a whole step {:.0f} ms",
                    median([](const Step& s) { return 1e3 * s.detection.broad_seconds; }),
                    median([](const Step& s) { return 1e3 * s.detection.refit_seconds; }),
                    median([](const Step& s) { return 1e3 * s.detection.narrow_seconds; }), at(run, 0.1, whole),
                    median([](const Step& s) { return 1e3 * s.contact_seconds; }),
                    median([](const Step& s) { return s.detection.pairs; }),
                    median([](const Step& s) { return s.detection.touching; }),
                    median([](const Step& s) { return s.detection.contacts; }),
                    1e3 * run.seconds / static_cast<double>(crowd.steps));
    const bool aimed = crowd.id == "100" && threads == 2;
    report.add({id, work, "ms/step", ms, aimed ? "aim" : "", aimed ? 4.0 : 0.0, aimed ? 4 / ms : 0.0, parts, 0});
}

void add_energy(Report& report, const Crowd& crowd, const Run& one, const Run& two) {
    const double first = two.steps.front().energy.total();
    double most = first;
    for (const Step& step : two.steps) most = std::max(most, step.energy.total());
    report.add({fmt::format("crowd-{}-energy", crowd.id),
                fmt::format("energy at most over that at first, {:g} s", two.steps.back().time), "ratio", most / first,
                "", 0, 0,
                fmt::format("{:.4f} J at first, {:.4f} at most, {:.4f} at last; state of 1 and 2 threads {}", first,
                            most, two.steps.back().energy.total(), one.state == two.state ? "equal" : "UNLIKE"),
                0});
}

void add_cpu(Report& report, const Crowd& crowd, Run run) {
    std::sort(run.cpu.begin(), run.cpu.end());
    const double contacts = at(run, 0.5, [](const Step& s) { return s.detection.contacts; });
    report.add({fmt::format("crowd-{}-cpu", crowd.id), "the same states found again, 1 thread, CPU", "ms/step",
                1e3 * run.cpu[run.cpu.size() / 2], "", 0, 0,
                fmt::format("{:.2f} to {:.2f} ms; {:.2f} us a contact", 1e3 * run.cpu.front(), 1e3 * run.cpu.back(),
                            1e6 * run.cpu[run.cpu.size() / 2] / std::max(1.0, contacts)),
                0});
}

void plot(const std::filesystem::path& folder, const Run& run) {
    LinePlot plot{.title = "A hundred soft balls that bounce: energy",
                  .x_label = "time (s)",
                  .y_label = "energy (J)",
                  .curves = {{"motion", {}}, {"springs and contacts", {}}, {"sum", {}}}};
    for (const Step& step : run.steps) {
        plot.curves[0].points.emplace_back(step.time, step.energy.kinetic);
        plot.curves[1].points.emplace_back(step.time, step.energy.stored);
        plot.curves[2].points.emplace_back(step.time, step.energy.total());
    }
    write_svg(folder / "deformable_energy.svg", plot);
}

void run_crowd(Report& report) {
    const Crowd crowds[] = {{"100", {5, 5, 4}, 10, 500}, {"1k", {10, 10, 10}, 4, 200}, {"10k", {25, 20, 20}, 2, 100}};
    for (const Crowd& crowd : crowds) {
        const Run one = run_of(crowd, 1), two = run_of(crowd, 2);
        add_detection(report, fmt::format("crowd-{}", crowd.id), crowd, two, 2);
        add_detection(report, fmt::format("crowd-{}-one", crowd.id), crowd, one, 1);
        add_cpu(report, crowd, one);
        add_energy(report, crowd, one, two);
        if (crowd.id == "100" && !report.plots.empty()) plot(report.plots, two);
    }
}

const Registration crowd("deformable/crowd", "many soft balls that bounce off each other, detected again in each step",
                         run_crowd);

} // namespace

} // namespace fathom::bench
