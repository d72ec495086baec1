// Table `convex`: pairs of convex shapes in random poses, beside Coal, FCL, Bullet and parry: do they overlap, with
// which contacts, and how far apart are they. One thread; all see the same poses, in turn.
#include <benchmarks/bullet_convex_peer.h>
#include <benchmarks/coal_module.h>
#include <benchmarks/fcl_convex_peer.h>
#include <benchmarks/parry_convex_peer.h>
#include <benchmarks/report.h>
#include <fathom/base/parallel.h>
#include <fathom/base/random.h>
#include <fathom/detect/convex/hull.h>
#include <fathom/detect/query/query.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace fathom::bench {

namespace {

constexpr std::size_t pose_count = 1000;
constexpr int rounds = 20;
constexpr double tolerable = 1e-3; // of the size: a peer that differs by more does not count as the best of a row

// ---- Fathom

Shape made(const ConvexShape& shape) {
    switch (shape.kind) {
    case ConvexKind::sphere:
        return Shape::sphere(shape.radius);
    case ConvexKind::box:
        return Shape::box(shape.size);
    case ConvexKind::capsule:
        return Shape::capsule(shape.radius, shape.length);
    case ConvexKind::cylinder:
        return Shape::cylinder(shape.radius, shape.length);
    case ConvexKind::hull:
        break;
    }
    return Shape::convex_hull(shape.hull.vertices);
}

class Ours final : public ConvexPeer {
public:
    explicit Ours(const ConvexScene& scene) : a_(made(scene.a)), b_(made(scene.b)), poses_(scene.poses) {}

    [[nodiscard]] std::string name() const override { return "Fathom"; }
    [[nodiscard]] bool takes_part(ConvexQuestion) const override { return true; }

    void collide(std::span<ConvexAnswer> out) override {
        for (std::size_t k = 0; k < out.size(); ++k)
            out[k] = {.touching = fathom::collide(a_, poses_[k].a, b_, poses_[k].b).touching()};
    }

    void contacts(std::span<ConvexAnswer> out) override {
        for (std::size_t k = 0; k < out.size(); ++k) {
            const CollideResult found =
                fathom::collide(a_, poses_[k].a, b_, poses_[k].b, {.goal = CollideGoal::contacts});
            out[k] = {.touching = found.touching(),
                      .points = static_cast<std::uint32_t>(found.contacts.size()),
                      .distance = -found.depth};
        }
    }

    void distance(std::span<ConvexAnswer> out) override {
        for (std::size_t k = 0; k < out.size(); ++k) {
            const DistanceResult found = fathom::distance(a_, poses_[k].a, b_, poses_[k].b);
            out[k] = {.touching = found.touching(),
                      .distance = found.touching() ? found.lower_bound : found.upper_bound};
        }
    }

private:
    Shape a_, b_;
    std::span<const PosePair> poses_;
};

// ---- Scenes

// B is in a cube about A, and both are turned at random, not far from the origin.
std::vector<PosePair> random_pairs(double half_width) {
    Random random(777);
    const auto in_cube = [&](double half) { return random.in_box(Box::around(Vec3::Zero(), Vec3::Constant(half))); };
    std::vector<PosePair> pairs(pose_count);
    for (auto& [a, b] : pairs) {
        a = {random.rotation(), in_cube(1)};
        b = {random.rotation(), a.translation + in_cube(half_width)};
    }
    return pairs;
}

double overlapping_share(ConvexScene& scene) {
    std::vector<ConvexAnswer> answers(scene.poses.size());
    Ours(scene).collide(answers);
    return static_cast<double>(std::ranges::count(answers, true, &ConvexAnswer::touching)) /
           static_cast<double>(answers.size());
}

// Poses of which this share overlaps.
void set_poses(ConvexScene& scene, double share) {
    double narrow = 0, wide = 8;
    for (int step = 0; step < 16; ++step) {
        const double half_width = 0.5 * (narrow + wide);
        scene.poses = random_pairs(half_width);
        (overlapping_share(scene) > share ? narrow : wide) = half_width;
    }
}

// All points are vertices of the hull.
ConvexShape ellipsoidal_hull(std::size_t vertices, const Vec3& semi_axes, std::uint64_t seed) {
    Random random(seed);
    std::vector<Vec3> points(vertices);
    for (Vec3& p : points) p = semi_axes.cwiseProduct(random.direction());
    return {.kind = ConvexKind::hull, .hull = convex::triangles_of(convex::make_hull(points))};
}

std::vector<ConvexScene> scenes() {
    const ConvexShape ball{.kind = ConvexKind::sphere, .radius = 0.4},
        small_ball{.kind = ConvexKind::sphere, .radius = 0.3};
    const ConvexShape box{.kind = ConvexKind::box, .size = {1, 0.7, 0.4}},
        other_box{.kind = ConvexKind::box, .size = {0.6, 0.9, 0.5}};
    const ConvexShape capsule{.kind = ConvexKind::capsule, .radius = 0.25, .length = 0.8},
        other_capsule{.kind = ConvexKind::capsule, .radius = 0.2, .length = 1};
    const ConvexShape cylinder{.kind = ConvexKind::cylinder, .radius = 0.35, .length = 0.9},
        other_cylinder{.kind = ConvexKind::cylinder, .radius = 0.5, .length = 0.4};
    const auto hulls = [](std::size_t vertices) {
        return ConvexScene{fmt::format("hull-hull-{}", vertices), ellipsoidal_hull(vertices, {0.5, 0.4, 0.3}, 1),
                           ellipsoidal_hull(vertices, {0.35, 0.45, 0.4}, 2)};
    };
    return {{"sphere-sphere", ball, small_ball},
            {"sphere-box", ball, box},
            {"capsule-capsule", capsule, other_capsule},
            {"box-box", box, other_box},
            {"cylinder-cylinder", cylinder, other_cylinder},
            hulls(50),
            hulls(500)};
}

// ---- Rows

// Fathom first.
std::vector<TimedAnswers> measured(const ConvexScene& scene, ConvexQuestion question) {
    std::vector<std::unique_ptr<ConvexPeer>> peers = coal_convex_peers(scene);
    peers.insert(peers.begin(), std::make_unique<Ours>(scene));
    std::ranges::move(fcl_convex_peers(scene), std::back_inserter(peers));
    peers.push_back(bullet_convex_peer(scene));
    std::erase_if(peers, [&](const auto& peer) { return !peer->takes_part(question); });

    std::vector<TimedAnswers> all;
    for (const auto& peer : peers) all.push_back({peer->name(), 0, std::vector<ConvexAnswer>(scene.poses.size())});
    std::vector<std::function<void()>> rivals;
    for (std::size_t k = 0; k < peers.size(); ++k)
        rivals.push_back([&, k] { peers[k]->answer(question, all[k].answers); });
    const std::vector<double> times = race(rivals, rounds);
    for (std::size_t k = 0; k < times.size(); ++k) all[k].seconds = times[k];
    std::ranges::move(parry_answers(scene, question, rounds), std::back_inserter(all));
    return all;
}

struct Difference {
    std::size_t unlike = 0;  // poses with another status
    double off_touching = 0; // the largest of their distances or depths, as Fathom finds them (m)
    double distance = 0;     // largest difference of known distances or depths, where the status is the same (m)
    double deeper = 0;       // the same, only where ours is deeper or nearer (m)
    double points = 0;       // contacts of theirs for each pose that overlaps
};

Difference difference(std::span<const ConvexAnswer> ours, std::span<const ConvexAnswer> theirs,
                      std::span<const ConvexAnswer> distances) {
    Difference result;
    double touching = 0;
    for (std::size_t k = 0; k < ours.size(); ++k) {
        touching += theirs[k].touching;
        result.points += theirs[k].points;
        if (ours[k].touching != theirs[k].touching) {
            ++result.unlike;
            result.off_touching = std::max(result.off_touching, std::abs(distances[k].distance));
        } else if (const double d = theirs[k].distance - ours[k].distance; std::isfinite(d)) {
            result.distance = std::max(result.distance, std::abs(d));
            result.deeper = std::max(result.deeper, d);
        }
    }
    if (touching > 0) result.points /= touching;
    return result;
}

const char* work(ConvexQuestion question) {
    return question == ConvexQuestion::collide    ? "do they overlap"
           : question == ConvexQuestion::contacts ? "contacts with normals and depths"
                                                  : "distance and nearest points";
}
const char* suffix(ConvexQuestion question) {
    return question == ConvexQuestion::collide    ? "-collide"
           : question == ConvexQuestion::contacts ? "-contacts"
                                                  : "-distance";
}

// What a rival takes, and how its answers differ from ours; lengths relative to the size of the pair.
std::string described(const TimedAnswers& rival, const Difference& d, ConvexQuestion question, double microseconds,
                      double size) {
    std::string text = fmt::format("{} {:.3g} us", rival.name, microseconds);
    if (d.unlike > 0) text += fmt::format(", {} unlike up to {:.0e} off touching", d.unlike, d.off_touching / size);
    if (question != ConvexQuestion::collide) text += fmt::format(", to {:.0e}", d.distance / size);
    if (question == ConvexQuestion::contacts) text += fmt::format(", {:.1f} points", d.points);
    return text;
}

// The fastest peer whose answers are those of ours; if there is none, the fastest of all.
std::size_t best_of(std::span<const TimedAnswers> all, std::span<const Difference> differences, double size) {
    const auto place = [&](std::size_t k) {
        const Difference& d = differences[k];
        return std::pair(std::max(d.distance, d.off_touching) > tolerable * size, all[k].seconds);
    };
    std::size_t best = 1;
    for (std::size_t k = 2; k < all.size(); ++k)
        if (place(k) < place(best)) best = k;
    return best;
}

void row(Report& report, const ConvexScene& scene, ConvexQuestion question) {
    const std::vector<TimedAnswers> all = measured(scene, question);
    std::vector<ConvexAnswer> distances(scene.poses.size());
    Ours(scene).distance(distances);
    const double size = 2 * std::min(made(scene.a).radius(), made(scene.b).radius());
    const auto microseconds = [&](const TimedAnswers& rival) {
        return 1e6 * rival.seconds / static_cast<double>(scene.poses.size());
    };
    std::vector<std::string> notes;
    std::vector<Difference> differences;
    for (const TimedAnswers& rival : all) {
        differences.push_back(difference(all[0].answers, rival.answers, distances));
        notes.push_back(described(rival, differences.back(), question, microseconds(rival), size));
    }
    const std::size_t k = best_of(all, differences, size);
    std::string error = fmt::format("{} of {} overlap, {} unlike theirs",
                                    std::ranges::count(all[0].answers, true, &ConvexAnswer::touching),
                                    scene.poses.size(), differences[k].unlike);
    if (question != ConvexQuestion::collide)
        error +=
            fmt::format(", {} differ by {:.0e}, ours {} by {:.0e} at most",
                        question == ConvexQuestion::contacts ? "depths" : "distances", differences[k].distance / size,
                        question == ConvexQuestion::contacts ? "deeper" : "nearer", differences[k].deeper / size);
    report.add({scene.id + suffix(question), work(question), "us", microseconds(all[0]), all[k].name,
                microseconds(all[k]), ratio(all[0].seconds, all[k].seconds), error, 0});
    report.note(fmt::format("{}", fmt::join(notes, "; ")));
}

void explain(Report& report, const ConvexScene& scene) {
    report.note("under each row: every peer's time, the largest difference from our answers (of the size), and its "
                "contact points a pose");
    report.note("the best peer is the fastest that differs by 1e-3 at most; FCL and parry know no negative distances; "
                "Bullet's yes or no are contacts");
    if (coal_convex_peers(scene).empty()) report.note("without Coal, which ./bench installs where python3-venv is");
    if (parry_answers(scene, ConvexQuestion::collide, 1).empty())
        report.note("without parry, which ./bench builds where cargo is");
}

void run_convex(Report& report) {
    set_thread_count(1);
    bool first = true;
    for (ConvexScene& scene : scenes()) {
        set_poses(scene, 0.6);
        if (std::exchange(first, false)) explain(report, scene);
        row(report, scene, ConvexQuestion::collide);
        row(report, scene, ConvexQuestion::contacts);
        set_poses(scene, 0.4);
        row(report, scene, ConvexQuestion::distance);
    }
    set_thread_count(0);
}

const Registration convex_table("convex", "two convex shapes in random poses, one thread", run_convex);

} // namespace

} // namespace fathom::bench
