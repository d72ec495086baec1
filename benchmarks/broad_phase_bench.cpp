// Tables `deformable/broad`: all overlapping pairs of many moving boxes, a step at a time, beside FCL, Bullet and brute
// force. One thread; ours sorts its pairs and tells the events, the peers do neither.
#include <benchmarks/bullet_peer.h>
#include <benchmarks/fcl_peer.h>
#include <benchmarks/report.h>
#include <fathom/base/parallel.h>
#include <fathom/base/random.h>
#include <fathom/baseline/scene_octree.h>
#include <fathom/index/broad_phase.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace fathom::bench {

namespace {

constexpr int step_count = 10;

enum class Kind { uniform, clustered, giant, mixed };

// Boxes of side 0.5 to 1 in a cube of volume n, each on its way at 0.1 a step. Clustered: in a hundred balls that hold
// a fifth of the volume. Giant: one box is the whole cube. Mixed: in clusters too, with cubes of side 0.002 to 2, as
// many of each order of magnitude.
struct MovingBoxes {
    std::vector<Box> boxes{};
    std::vector<Vec3> ways{};
    double side = 1;

    MovingBoxes(Kind kind, std::size_t count) : side(std::cbrt(static_cast<double>(count))) {
        Random random(1);
        const Box cube{Vec3::Zero(), Vec3::Constant(side)};
        const bool clustered = kind == Kind::clustered || kind == Kind::mixed;
        std::vector<Vec3> centers;
        for (int k = 0; k < 100; ++k) centers.push_back(random.in_box(cube));
        const double radius = side * std::cbrt(0.2 / 100 / 4.18879);
        for (std::size_t k = 0; k < count; ++k) {
            const Vec3 center =
                clustered ? Vec3(centers[random.below(100)] + radius * random.in_ball()) : random.in_box(cube);
            const Vec3 half = kind == Kind::mixed ? Vec3(Vec3::Constant(0.5 * mixed_side(random)))
                                                  : random.in_box({Vec3::Constant(0.25), Vec3::Constant(0.5)});
            boxes.push_back(kind == Kind::giant && k == 0 ? cube : Box::around(center, half));
            ways.push_back((kind == Kind::giant && k == 0 ? 0.0 : 0.1) * random.direction());
        }
    }

    static double mixed_side(Random& random) { return 0.002 * std::pow(1000, random.uniform()); }

    void move() {
        for (std::size_t k = 0; k < boxes.size(); ++k) {
            const Vec3 center = boxes[k].center(), next = center + ways[k];
            for (int axis = 0; axis < 3; ++axis)
                if ((next[axis] < 0 && ways[k][axis] < 0) || (next[axis] > side && ways[k][axis] > 0))
                    ways[k][axis] *= -1;
            boxes[k] = {boxes[k].lower + ways[k], boxes[k].upper + ways[k]};
        }
    }
};

struct Times {
    std::vector<double> seconds{};
    std::size_t pairs = 0;

    void take(const std::function<void()>& work) {
        const std::function<void()> works[] = {work};
        seconds.push_back(race(works, 1)[0]);
    }
    [[nodiscard]] double least() const { return 1e3 * *std::min_element(seconds.begin(), seconds.end()); }
    [[nodiscard]] double median() const {
        std::vector<double> sorted = seconds;
        std::sort(sorted.begin(), sorted.end());
        return 1e3 * sorted[sorted.size() / 2];
    }
};

BroadPhase phase_of(std::span<const Box> boxes, const BroadPhaseOptions& options) {
    BroadPhase phase(options);
    for (const Box& box : boxes) (void)phase.add(box);
    phase.find_pairs();
    return phase;
}

struct Rivals {
    Times ours, two_threads, octree, force, refit, fcl, bullet;
};

// All see the same boxes, in turn, step by step. The wide tree is refitted, and built again when it has decayed.
Rivals measure(Kind kind, std::size_t count) {
    Rivals r;
    MovingBoxes scene(kind, count);
    BroadPhase ours = phase_of(scene.boxes, {}), octree = phase_of(scene.boxes, {.finder = scene_octree_finder()});
    FclBroadPhase fcl(scene.boxes);
    BulletBroadPhase bullet(scene.boxes);
    bullet.step(scene.boxes);
    Bvh tree(scene.boxes);
    std::vector<IdPair> forced;
    for (int step = 0; step < step_count; ++step) {
        scene.move();
        fcl.place(scene.boxes);
        r.ours.take([&] { ours.update(scene.boxes); });
        r.fcl.take([&] { r.fcl.pairs = fcl.step(); });
        r.bullet.take([&] { r.bullet.pairs = bullet.step(scene.boxes); });
        r.octree.take([&] { octree.update(scene.boxes); });
        r.refit.take([&] {
            tree.refit(scene.boxes);
            if (tree.decay() > 1.5) tree = Bvh(scene.boxes);
            r.refit.pairs = overlapping_pairs(tree).size();
        });
        if (count <= 1000) r.force.take([&] { pairs_by_force({scene.boxes}, forced); });
    }
    r.ours.pairs = ours.pairs().size();
    r.octree.pairs = octree.pairs().size();
    set_thread_count(2);
    for (int step = 0; step < step_count; ++step) {
        scene.move();
        r.two_threads.seconds.push_back(wall_seconds([&] { ours.update(scene.boxes); }));
    }
    set_thread_count(1);
    return r;
}

void rows(Report& report, Kind kind, const std::string& name, std::size_t count, const std::string& size) {
    const Rivals r = measure(kind, count);
    const std::string work = fmt::format("{}, {} boxes, update + pairs", name, size);
    const bool agree = r.ours.pairs == r.octree.pairs && r.ours.pairs == r.refit.pairs;
    const auto add = [&](const std::string& id, const std::string& peer, const Times& theirs) {
        const std::string pairs = theirs.pairs ? fmt::format("{} pairs, theirs {}", r.ours.pairs, theirs.pairs)
                                               : fmt::format("{} pairs", r.ours.pairs);
        report.add({id, work, "ms/step", r.ours.least(), peer, theirs.least(), ratio(r.ours.least(), theirs.least()),
                    agree ? pairs : "OURS DISAGREE", 0});
    };
    const std::string tail = kind == Kind::uniform ? size : name + "-" + size;
    if (kind == Kind::mixed) {
        const bool fcl_best = r.fcl.least() < r.bullet.least();
        add("broad-" + tail, fcl_best ? "FCL (best peer)" : "Bullet (best peer)", fcl_best ? r.fcl : r.bullet);
    } else {
        add("broad-" + tail, "FCL dynamic tree, fresh", r.fcl);
    }
    add("broad-bullet-" + tail, "Bullet Dbvt, deferred", r.bullet);
    add("broad-octree-" + tail, "our scene octree", r.octree);
    add("broad-bvh-" + tail, "our wide tree, refitted", r.refit);
    if (!r.force.seconds.empty()) add("broad-force-" + tail, "brute force", r.force);
    report.note(fmt::format("{}, medians of {} steps: ours {:.3g}, FCL {:.3g}, Bullet {:.3g}, octree {:.3g}, wide tree "
                            "{:.3g} ms; ours on 2 threads, wall: {:.3g} ms",
                            work, step_count, r.ours.median(), r.fcl.median(), r.bullet.median(), r.octree.median(),
                            r.refit.median(), r.two_threads.least()));
}

void run(Report& report, Kind kind, const std::string& name) {
    set_thread_count(1);
    const std::pair<std::size_t, std::string> sizes[] = {{1000, "1k"}, {10000, "10k"}, {100000, "100k"}};
    for (const auto& [count, size] : sizes) rows(report, kind, name, count, size);
    set_thread_count(0);
}

const Registration uniform("deformable/broad/uniform", "all overlapping pairs of many moving boxes of like sizes",
                           [](Report& report) { run(report, Kind::uniform, "uniform"); });
const Registration clustered("deformable/broad/clustered", "the same in dense clusters",
                             [](Report& report) { run(report, Kind::clustered, "clustered"); });
const Registration giant("deformable/broad/giant", "the same, and one box as large as the scene",
                         [](Report& report) { run(report, Kind::giant, "giant"); });
const Registration mixed("deformable/broad/mixed", "sizes 1:1000, clustered",
                         [](Report& report) { run(report, Kind::mixed, "mixed"); });

} // namespace

} // namespace fathom::bench
