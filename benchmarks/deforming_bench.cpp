// Tables `deformable/table1` and `deformable/table1/larger` (Madera, Day & Laycock 2006, table 1 and section 7):
// deforming objects drift in a box and pass through each other; which of boxes and spheres finds more collisions? Both
// meet the same motion, frame by frame, beside exact contacts. One thread.
#include <benchmarks/report.h>
#include <fathom/base/parallel.h>
#include <fathom/baseline/scene_octree.h>
#include <fathom/detect/world/surface_pairs.h>
#include <fathom/geometry/mesh/weld.h>
#include <fathom/index/body_octree_pairs.h>
#include <fathom/simulate/scene/scene.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <optional>

namespace fathom::bench {

namespace {

constexpr int scene_levels = 2; // regions of a metre, as long as the objects
constexpr int body_level = 2;   // the paper's level-allowed: 64 leaves

enum Volume : std::size_t { boxes, spheres, volume_count };
enum Phase : std::size_t { broad, narrow, phase_count };
constexpr std::array<const char*, volume_count> volume_names = {"boxes", "spheres"};
constexpr std::array<const char*, phase_count> phase_names = {"broad", "narrow"};

using PerPhase = std::array<std::array<std::vector<double>, phase_count>, volume_count>; // of each run

struct Experiment {
    std::string id, scene;
    std::size_t objects = 0;
    std::size_t seeds = 5;
    double seconds = 20; // simulated
    double frame = 0.01; // s between two looks
    PerPhase paper{};
};

struct Sample {
    double mean = 0, spread = 0; // standard deviation

    explicit Sample(std::span<const double> values) {
        const auto n = static_cast<double>(values.size());
        for (const double v : values) mean += v / n;
        for (const double v : values) spread += (v - mean) * (v - mean) / std::max(1.0, n - 1);
        spread = std::sqrt(spread);
    }
};

double seconds_of(const std::function<void()>& work) {
    const std::function<void()> works[] = {work};
    return race(works, 1)[0];
}

// ---- Objects and their motion.

std::filesystem::path model_folder() {
    const char* folder = std::getenv("FATHOM_MODELS");
    return folder ? folder : "";
}

// The paper's number of vertices, by clusters of near ones.
TriangleMesh with_at_most(TriangleMesh mesh, std::size_t vertices) {
    double tolerance = 0.002 * bounds(mesh.vertices).size().maxCoeff();
    const TriangleMesh fine = mesh;
    while (mesh.vertices.size() > vertices) {
        mesh = weld(fine, {.tolerance = tolerance, .drop_duplicates = true, .drop_unreferenced = true}).mesh;
        tolerance *= 1.03;
    }
    return mesh;
}

std::size_t vertices_in_the_paper(const std::string& name) {
    const std::pair<const char*, std::size_t> known[] = {
        {"pawn", 154}, {"fish", 216}, {"rabbit", 453}, {"human", 1250}, {"vehicle", 9543}};
    for (const auto& [word, count] : known)
        if (name.starts_with(word)) return count;
    return std::size_t{1} << 31;
}

struct Objects {
    std::vector<DeformingBody> bodies{};
    DeformingOptions options{};
    std::string what{}; // in words
};

// Copies beyond those of the file stand nearer to each other; they pass through each other anyway. The real vehicle has
// slivers, whose springs ask for steps of 20 us: its stand-in has as many vertices and none.
Scene scene_of(const Experiment& e) {
    const std::filesystem::path models = e.id == "vehicles" ? std::filesystem::path() : model_folder();
    Scene scene =
        read_scene(std::filesystem::path(FATHOM_SOURCE_DIR) / "scenes" / (e.scene + ".toml"), {.model_folder = models});
    const std::size_t each = e.objects / scene.bodies.size();
    for (SceneBody& body : scene.bodies) {
        if (e.scene != "table1_nine" || each <= 3) continue;
        body.copies[2] = static_cast<int>(each);
        body.spacing.z() = 2.4 / static_cast<double>(each - 1);
    }
    return scene;
}

Objects objects_of(const Experiment& e) {
    const Scene scene = scene_of(e);
    const DeformingWorld as_read = make_deforming_world(scene);
    Objects objects{{as_read.bodies().begin(), as_read.bodies().end()}, scene.springs->options, {}};
    objects.options.springs = as_read.springs().options();
    objects.options.springs.step = e.frame;
    objects.options.respond = false;
    for (DeformingBody& body : objects.bodies)
        body.mesh = with_at_most(std::move(body.mesh), vertices_in_the_paper(body.name));
    for (const SceneBody& body : scene.bodies) {
        const auto same = [&](const DeformingBody& b) { return b.name.starts_with(body.name); };
        const TriangleMesh& mesh = std::find_if(objects.bodies.begin(), objects.bodies.end(), same)->mesh;
        const bool real = std::filesystem::exists(scene.model_folder / body.model);
        objects.what += fmt::format("{}{} ({}, {} vertices, {} triangles)", objects.what.empty() ? "" : ", ", body.name,
                                    real ? body.model : fmt::format("stand-in '{}'", body.shape), mesh.vertices.size(),
                                    mesh.triangles.size());
    }
    return objects;
}

// The springs of a world without its detection, which here is the detectors' work. Steps are half the largest stable
// one, which holds for shapes as they start.
struct Motion {
    std::size_t steps = 1; // of a frame
    SpringWorld springs;
    std::vector<std::size_t> first{}; // point of each body, and one past the last

    Motion(const Objects& objects, std::uint64_t seed) : springs(moving(objects, seed, steps)) {
        std::size_t next = 0;
        for (const DeformingBody& body : objects.bodies) first.push_back(next), next += body.mesh.vertices.size();
        first.push_back(next);
    }
    void advance() {
        for (std::size_t k = 0; k < steps; ++k) springs.step();
    }
    [[nodiscard]] std::span<const Vec3> vertices(std::size_t body) const {
        return springs.positions().subspan(first[body], first[body + 1] - first[body]);
    }

    static SpringWorld moving(const Objects& objects, std::uint64_t seed, std::size_t& steps) {
        DeformingOptions options = objects.options;
        options.motion->seed = seed;
        const DeformingWorld whole(objects.bodies, {}, options);
        steps = static_cast<std::size_t>(std::ceil(2 * options.springs.step / whole.springs().largest_stable_step()));
        options.springs.step /= static_cast<double>(steps);
        SpringWorld world(whole.springs().network(), options.springs);
        const std::span<const Vec3> at = whole.springs().positions(), velocities = whole.springs().velocities();
        world.set_state({{at.begin(), at.end()}, {velocities.begin(), velocities.end()}});
        return world;
    }
};

// ---- Detectors. A collision is a pair that overlaps now and did not a frame ago; what overlaps at first is none.

class Beginnings {
public:
    [[nodiscard]] std::size_t take(const std::vector<IdPair>& now) { // sorted
        std::vector<IdPair> fresh;
        std::set_difference(now.begin(), now.end(), before_.begin(), before_.end(), std::back_inserter(fresh));
        before_ = now;
        return std::exchange(first_, false) ? 0 : fresh.size();
    }

private:
    std::vector<IdPair> before_;
    bool first_ = true;
};

// Equation 5.
Sphere enclosing_sphere(std::span<const Vec3> vertices) {
    const Vec3 center = bounds(vertices).center();
    double squared = 0;
    for (const Vec3& v : vertices) squared = std::max(squared, (v - center).squaredNorm());
    return {center, std::sqrt(squared)};
}

// Both phases as the paper has them.
class PaperDetector {
public:
    PaperDetector(Volume volume, const Objects& objects)
        : volume_(volume), broad_({.finder = scene_octree_finder({.level_cap = scene_levels})}) {
        for (const DeformingBody& body : objects.bodies) {
            std::vector<Index> corners;
            for (const Triangle& t : body.mesh.triangles) corners.insert(corners.end(), t.begin(), t.end());
            trees_.emplace_back(body.mesh.vertices, corners, 3,
                                BodyOctreeOptions{.volume = volume == spheres ? NodeVolume::sphere : NodeVolume::box,
                                                  .split = BodySplit::octants,
                                                  .leaf_size = 1,
                                                  .level_cap = body_level,
                                                  .rebuild_at = 0});
            (void)broad_.add(Box{});
        }
    }

    void look(const Motion& motion) {
        if (volume_ == boxes)
            find_pairs<Box>(motion, [](std::span<const Vec3> v) { return bounds(v); });
        else
            find_pairs<Sphere>(motion, enclosing_sphere);
        std::vector<char> wanted(trees_.size(), 0);
        for (const auto& [a, b] : broad_.pairs()) wanted[a] = wanted[b] = 1;
        for (std::size_t k = 0; k < trees_.size(); ++k)
            if (wanted[k]) trees_[k].update(motion.vertices(k));
        touching_.clear();
        for (const auto& [a, b] : broad_.pairs())
            if (!overlapping_nodes(trees_[a], trees_[b], body_level).pairs.empty()) touching_.push_back({a, b});
    }

    [[nodiscard]] std::vector<IdPair> pairs(Phase phase) const {
        return phase == narrow ? touching_ : std::vector<IdPair>(broad_.pairs().begin(), broad_.pairs().end());
    }

private:
    template <class Shape, class Round>
    void find_pairs(const Motion& motion, const Round& round) {
        std::vector<Shape> volumes;
        for (std::size_t k = 0; k < trees_.size(); ++k) volumes.push_back(round(motion.vertices(k)));
        broad_.update(std::span<const Shape>(volumes));
    }

    Volume volume_;
    BroadPhase broad_;
    std::vector<BodyOctree> trees_;
    std::vector<IdPair> touching_;
};

class ExactDetector {
public:
    explicit ExactDetector(const Objects& objects)
        : pairs_({.triangles =
                      deformable::SurfaceContactOptions{.depth = deformable::ContactDepth::none, .max_contacts = 1}}) {
        for (const DeformingBody& body : objects.bodies) surfaces_.emplace_back(body.mesh), world_.add(Box{});
    }
    [[nodiscard]] std::vector<IdPair> look(const Motion& motion) {
        for (Index k = 0; k < surfaces_.size(); ++k) surfaces_[k].place(motion.vertices(k));
        pairs_.find(world_, surfaces_);
        std::vector<IdPair> touching;
        for (const deformable::BodyContacts& pair : pairs_.contacts())
            if (pair.touching()) touching.push_back(pair.bodies);
        return touching;
    }

private:
    World world_;
    std::vector<deformable::DeformingSurface> surfaces_;
    deformable::SurfacePairs pairs_;
};

// ---- A run: what began in each frame, and what each frame cost.

struct Frame {
    std::array<std::array<std::size_t, phase_count>, volume_count> began{};
    std::array<std::array<std::size_t, phase_count>, volume_count> overlapping{};
    std::size_t touched = 0, touching = 0; // exact contacts that began, and that are
    std::array<double, volume_count> detection{};
    double motion = 0; // s of CPU, as are those of detection
};

std::vector<Frame> run_of(const Experiment& e, const Objects& objects, std::uint64_t seed) {
    Motion motion(objects, seed);
    PaperDetector detectors[] = {{boxes, objects}, {spheres, objects}};
    ExactDetector exact(objects);
    std::array<std::array<Beginnings, phase_count>, volume_count> began;
    Beginnings touched;
    std::vector<Frame> frames(static_cast<std::size_t>(e.seconds / e.frame));
    for (Frame& frame : frames) {
        for (const Volume volume : {boxes, spheres}) {
            frame.detection[volume] = seconds_of([&] { detectors[volume].look(motion); });
            for (const Phase phase : {broad, narrow}) {
                const std::vector<IdPair> pairs = detectors[volume].pairs(phase);
                frame.overlapping[volume][phase] = pairs.size();
                frame.began[volume][phase] = began[volume][phase].take(pairs);
            }
        }
        const std::vector<IdPair> touching = exact.look(motion);
        frame.touching = touching.size();
        frame.touched = touched.take(touching);
        frame.motion = seconds_of([&] { motion.advance(); });
    }
    return frames;
}

enum class Clock {
    simulated,
    whole,
    detection
}; // equal simulated time; equal computing time, motion included; of detection alone

double cost(const Frame& frame, Volume volume, Clock clock) {
    return frame.detection[volume] + (clock == Clock::whole ? frame.motion : 0);
}

// Of the frames that a volume gets through in the time in which the quicker one gets through all.
std::array<double, phase_count> counted(std::span<const Frame> frames, Volume volume, Clock clock) {
    std::array<double, volume_count> whole{};
    for (const Frame& frame : frames)
        for (const Volume v : {boxes, spheres}) whole[v] += cost(frame, v, clock);
    double left = std::min(whole[boxes], whole[spheres]);
    std::array<double, phase_count> sum{};
    for (const Frame& frame : frames) {
        if (clock != Clock::simulated && left <= 0) break;
        left -= cost(frame, volume, clock);
        for (const Phase phase : {broad, narrow}) sum[phase] += static_cast<double>(frame.began[volume][phase]);
    }
    return sum;
}

struct Result {
    std::array<PerPhase, 3> counts{}; // by Clock
    std::vector<double> exact{};
    std::array<double, volume_count> detection{}; // CPU seconds of all frames
    double motion = 0;
    std::array<std::array<double, phase_count>, volume_count> overlapping{}; // pairs in all frames
    double touching = 0;
    std::size_t frames = 0;

    void add(const Frame& frame) {
        motion += frame.motion;
        touching += static_cast<double>(frame.touching);
        for (const Volume volume : {boxes, spheres}) {
            detection[volume] += frame.detection[volume];
            for (const Phase phase : {broad, narrow})
                overlapping[volume][phase] += static_cast<double>(frame.overlapping[volume][phase]);
        }
        ++frames;
    }
};

Result result_of(const Experiment& e, const Objects& objects) {
    Result result;
    for (std::uint64_t seed = 1; seed <= e.seeds; ++seed) {
        const std::vector<Frame> frames = run_of(e, objects, seed);
        for (const Clock clock : {Clock::simulated, Clock::whole, Clock::detection})
            for (const Volume volume : {boxes, spheres}) {
                const auto sum = counted(frames, volume, clock);
                for (const Phase phase : {broad, narrow})
                    result.counts[static_cast<std::size_t>(clock)][volume][phase].push_back(sum[phase]);
            }
        double touched = 0;
        for (const Frame& frame : frames) {
            touched += static_cast<double>(frame.touched);
            result.add(frame);
        }
        result.exact.push_back(touched);
    }
    return result;
}

// ---- What it says.

std::string compared(const PerPhase& counts, Phase phase) {
    const Sample a(counts[boxes][phase]), b(counts[spheres][phase]);
    return fmt::format("{} phase {:.1f} : {:.1f} = {:.2f}", phase_names[phase], a.mean, b.mean, a.mean / b.mean);
}

// How sure a difference of means is: Welch's t. Above about 2.3 (five and five runs) chance gives it in one of twenty
// cases.
double welch(std::span<const double> a, std::span<const double> b) {
    const Sample x(a), y(b);
    const double n = static_cast<double>(a.size()), m = static_cast<double>(b.size());
    return (x.mean - y.mean) / std::sqrt(x.spread * x.spread / n + y.spread * y.spread / m);
}

// The same for runs that come in pairs.
double paired(std::span<const double> a, std::span<const double> b) {
    std::vector<double> less;
    for (std::size_t k = 0; k < a.size(); ++k) less.push_back(a[k] - b[k]);
    const Sample difference(less);
    return difference.mean == 0 ? 0
                                : difference.mean / (difference.spread / std::sqrt(static_cast<double>(less.size())));
}

void add_rows(Report& report, const Experiment& e, const Result& r) {
    for (const Volume volume : {boxes, spheres})
        for (const Phase phase : {broad, narrow}) {
            const std::vector<double>& found = r.counts[0][volume][phase];
            const Sample ours(found);
            std::string beside = fmt::format("spread {:.1f} ({:g})", ours.spread, fmt::join(found, " "));
            if (const std::vector<double>& theirs = e.paper[volume][phase]; !theirs.empty())
                beside += fmt::format("; the paper in 10 minutes: {:.1f}, spread {:.1f} ({:g})", Sample(theirs).mean,
                                      Sample(theirs).spread, fmt::join(theirs, " "));
            report.add({fmt::format("table1-{}-{}-{}", e.id, volume_names[volume], phase_names[phase]),
                        fmt::format("{} objects, {}, {} phase, {:g} s, {} seeds", e.objects, volume_names[volume],
                                    phase_names[phase], e.seconds, e.seeds),
                        "collisions", ours.mean, "", 0, 0, beside, 0});
        }
    const Sample exact(r.exact);
    report.add({fmt::format("table1-{}-exact", e.id), fmt::format("{} objects, triangles that cross", e.objects),
                "collisions", exact.mean, "", 0, 0,
                fmt::format("spread {:.1f} ({:g})", exact.spread, fmt::join(r.exact, " ")), 0});
}

void add_notes(Report& report, const Experiment& e, const Objects& objects, const Result& r) {
    const auto frames = static_cast<double>(r.frames);
    report.note(fmt::format("{}: {}", e.id, objects.what));
    const PerPhase& same = r.counts[0];
    report.note(fmt::format("{}: boxes : spheres, same motion: {} (paired t = {:.1f}), {} (paired t = {:.1f})", e.id,
                            compared(same, broad), paired(same[boxes][broad], same[spheres][broad]),
                            compared(same, narrow), paired(same[boxes][narrow], same[spheres][narrow])));
    report.note(fmt::format("{}: pairs that overlap in a frame: broad phase, boxes {:.2f}, spheres {:.2f}; narrow "
                            "phase, boxes {:.2f}, spheres {:.2f}; triangles cross {:.2f}",
                            e.id, r.overlapping[boxes][broad] / frames, r.overlapping[spheres][broad] / frames,
                            r.overlapping[boxes][narrow] / frames, r.overlapping[spheres][narrow] / frames,
                            r.touching / frames));
    report.note(fmt::format("{}: equal computing time, motion included: {}, {}; of detection alone: {}, {}", e.id,
                            compared(r.counts[1], broad), compared(r.counts[1], narrow), compared(r.counts[2], broad),
                            compared(r.counts[2], narrow)));
    report.note(fmt::format("{}: CPU a frame: motion {:.0f} us, detection with boxes {:.1f} us, with spheres {:.1f} us",
                            e.id, 1e6 * r.motion / frames, 1e6 * r.detection[boxes] / frames,
                            1e6 * r.detection[spheres] / frames));
    if (e.paper[boxes][broad].empty()) return;
    report.note(fmt::format("{}: the paper's: {} (t = {:.1f}), {} (t = {:.1f})", e.id, compared(e.paper, broad),
                            welch(e.paper[boxes][broad], e.paper[spheres][broad]), compared(e.paper, narrow),
                            welch(e.paper[boxes][narrow], e.paper[spheres][narrow])));
}

std::vector<Experiment> experiments() {
    const PerPhase three = {{{{{18, 35, 32, 17, 21}, {14, 22, 18, 10, 9}}}, {{{12, 18, 10, 15, 7}, {7, 8, 7, 4, 5}}}}};
    const PerPhase six = {
        {{{{85, 69, 53, 43, 45}, {51, 45, 37, 29, 29}}}, {{{46, 53, 53, 49, 42}, {31, 29, 32, 30, 19}}}}};
    const PerPhase nine = {
        {{{{109, 78, 72, 66, 91}, {64, 42, 51, 45, 42}}}, {{{61, 84, 85, 86, 64}, {24, 37, 45, 44, 24}}}}};
    return {{.id = "3", .scene = "table1_three", .objects = 3, .paper = three},
            {.id = "6", .scene = "table1_six", .objects = 6, .paper = six},
            {.id = "9", .scene = "table1_nine", .objects = 9, .paper = nine},
            {.id = "12", .scene = "table1_nine", .objects = 12, .seconds = 6}};
}

std::vector<Experiment> larger_experiments() {
    return {{.id = "humans", .scene = "three_humans", .objects = 3, .seconds = 2},
            {.id = "21", .scene = "table1_nine", .objects = 21, .seconds = 2},
            {.id = "vehicles", .scene = "three_vehicles", .objects = 3, .seconds = 0.5}};
}

void run_all(Report& report, std::span<const Experiment> all) {
    set_thread_count(1);
    for (const Experiment& e : all) {
        const Objects objects = objects_of(e);
        const Result result = result_of(e, objects);
        add_rows(report, e, result);
        add_notes(report, e, objects, result);
    }
    report.note("the paper: boxes find more, and the difference is gone from 10 objects on (broad phase), from 20 on "
                "(narrow phase)");
    set_thread_count(0);
}

const Registration table1("deformable/table1",
                          "deforming objects drift through each other: collisions found (table 1 of the paper)",
                          [](Report& report) { run_all(report, experiments()); });
const Registration larger("deformable/table1/larger",
                          "the same with more objects, and with larger ones (section 7 of the paper)",
                          [](Report& report) { run_all(report, larger_experiments()); });

} // namespace

} // namespace fathom::bench
