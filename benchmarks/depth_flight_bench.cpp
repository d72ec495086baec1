// Table `depth/flight`: Fabrizio's table 1. A ship flies through a tunnel with obstacles for 800 frames; FCL on the
// same meshes and poses, depth maps on the CPU and by OpenGL. Means over all frames, over those with and without
// collision, Student's t, frames that disagree.
#include <benchmarks/fcl_peer.h>
#include <benchmarks/flight.h>
#include <benchmarks/report.h>
#include <benchmarks/student.h>
#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/detect/depth/depth_backend.h>
#include <fathom/detect/depth/depth_collide.h>

#include <fmt/format.h>

#include <algorithm>
#include <deque>

namespace fathom::bench {

namespace {

constexpr int rounds = 3;

// What a method says of every frame, and how long it takes (s, the least of some rounds).
struct Answers {
    std::vector<char> hit;
    std::vector<double> seconds;
};

template <class Ask>
Answers ask_all(std::size_t frames, const Ask& ask) {
    Answers answers{std::vector<char>(frames), std::vector<double>(frames, 1e9)};
    for (int round = 0; round < rounds; ++round)
        for (std::size_t f = 0; f < frames; ++f) {
            const std::function<void()> once = [&] { answers.hit[f] = ask(f); };
            answers.seconds[f] = std::min(answers.seconds[f], race(std::span(&once, 1), 1)[0]);
        }
    return answers;
}

std::vector<double> chosen(const Answers& of, const std::vector<char>& truth,
                           int wanted) { // wanted: 0, 1, or 2 for all
    std::vector<double> times;
    for (std::size_t f = 0; f < truth.size(); ++f)
        if (wanted == 2 || truth[f] == wanted) times.push_back(of.seconds[f]);
    return times;
}

// Runs of frames in which the two differ, as words: "12-15 (ours yes)".
std::string differences(const Answers& ours, const std::vector<char>& truth) {
    std::string text;
    for (std::size_t f = 0; f < truth.size(); ++f) {
        if (ours.hit[f] == truth[f]) continue;
        std::size_t last = f;
        while (last + 1 < truth.size() && ours.hit[last + 1] != truth[last + 1] && ours.hit[last + 1] == ours.hit[f])
            ++last;
        text += fmt::format("{}{}{} (ours {})", text.empty() ? "" : ", ", f, last > f ? fmt::format("-{}", last) : "",
                            ours.hit[f] ? "yes" : "no");
        f = last;
    }
    return text.empty() ? "none" : text;
}

struct Scene {
    Flight flight{"flight_tunnel"};
    FclMesh ship{flight.ship()};
    FclMeshDouble ship_double{flight.ship()};
    std::deque<FclMesh> meshes; // which cannot be moved
    std::deque<FclMeshDouble> doubles;
    std::vector<DrawnBody> bodies;

    Scene() {
        for (std::size_t o = 0; o + 1 < flight.bodies.size(); ++o) {
            const TriangleMesh& mesh = flight.mesh(o + 1);
            meshes.emplace_back(mesh);
            doubles.emplace_back(mesh);
            bodies.push_back({std::make_shared<DrawnMesh>(mesh), flight.pose(o + 1, 0), static_cast<Index>(o)});
        }
    }
    template <class Mesh>
    bool crosses(const Mesh& own, const std::deque<Mesh>& others, std::size_t frame) const {
        for (std::size_t o = 0; o < others.size(); ++o)
            if (surfaces_cross(own, flight.ship_pose(frame), others[o], flight.pose(o + 1, frame))) return true;
        return false;
    }
};

Answers by_maps(Scene& scene, DepthBackend& backend, const DepthObjectOptions& options,
                std::span<const Projection> projections, bool enclosed = false) {
    DepthObject object(backend, scene.flight.ship(), projections, options);
    return ask_all(scene.flight.frames, [&](std::size_t f) {
        for (std::size_t o = 0; o < scene.bodies.size(); ++o) scene.bodies[o].pose = scene.flight.pose(o + 1, f);
        return collide(object, scene.flight.ship_pose(f), scene.bodies,
                       {.goal = DepthGoal::status, .separate_bodies = false, .enclosed = enclosed})
                   .status == Status::overlapping;
    });
}

void rows(Report& report, const std::string& id, const std::string& words, const Answers& ours, const Answers& fcl,
          const std::vector<char>& truth, double megabytes) {
    const char* names[] = {"without collision", "with collision", "all frames"};
    for (const int wanted : {2, 1, 0}) {
        const std::vector<double> a = chosen(ours, truth, wanted), b = chosen(fcl, truth, wanted);
        if (a.empty()) continue;
        const Moments m = moments(a), p = moments(b);
        const WelchTest t = welch(a, b);
        report.add({wanted == 2 ? id : id + (wanted == 1 ? "-with" : "-without"),
                    fmt::format("{}, {} {}", words, a.size(), names[wanted]), "ms", 1e3 * m.mean, "FCL float",
                    1e3 * p.mean, ratio(m.mean, p.mean),
                    fmt::format("deviation {:.3f} (FCL {:.3f}) ms, t {:.1f}, p {:.2g}", 1e3 * m.deviation,
                                1e3 * p.deviation, t.t, t.p),
                    wanted == 2 ? megabytes : 0});
    }
    report.note(fmt::format("{}: frames that differ from FCL: {}", id, differences(ours, truth)));
}

void run(Report& report) {
    Scene scene;
    set_thread_count(1);
    report.note(
        fmt::format("ship {} triangles, surroundings {} (paper 9,716 and 69,842); {} frames; one thread, CPU time",
                    scene.flight.ship().triangles.size(), scene.flight.obstacle_triangles(), scene.flight.frames));
    const Answers fcl =
        ask_all(scene.flight.frames, [&](std::size_t f) { return scene.crosses(scene.ship, scene.meshes, f); });
    const Answers precise =
        ask_all(scene.flight.frames, [&](std::size_t f) { return scene.crosses(scene.ship_double, scene.doubles, f); });
    const std::vector<char>& truth = precise.hit;
    double fcl_bytes = static_cast<double>(scene.ship.bytes());
    for (const FclMesh& mesh : scene.meshes) fcl_bytes += static_cast<double>(mesh.bytes());
    const Moments library = moments(precise.seconds);
    report.note(fmt::format("FCL as Debian builds it, in double: {:.4f} ms a frame, deviation {:.4f}; the rows below "
                            "have its templates in float, for this CPU",
                            1e3 * library.mean, 1e3 * library.deviation));
    report.note(fmt::format("FCL float {:.1f} MB; collides in {} frames (double); float differs in: {}",
                            fcl_bytes / 1e6, std::count(truth.begin(), truth.end(), 1), differences(fcl, truth)));

    const auto megabytes = [](int pixels, int maps) { return 4e-6 * pixels * pixels * maps; };
    const Projection one{Vec3::UnitX(), DepthSides::far_side}, two{Vec3::UnitX(), DepthSides::both_sides};
    const auto cpu = make_cpu_depth_backend();
    for (const int pixels : {256, 512})
        for (const Projection& p : {one, two}) {
            const bool sides = p.sides == DepthSides::both_sides;
            rows(report, fmt::format("depth-flight{}{}", pixels == 256 ? "" : "-512", sides ? "" : "-paper"),
                 fmt::format("CPU, {}, {} pixels", sides ? "both sides" : "the paper's one side", pixels),
                 by_maps(scene, *cpu, {.pixels = pixels}, std::span(&p, 1)), fcl, truth,
                 megabytes(pixels, sides ? 3 : 2));
        }
    rows(report, "depth-flight-enclosed", "CPU, both sides, 256 pixels, enclosed too",
         by_maps(scene, *cpu, {.pixels = 256}, std::span(&two, 1), true), fcl, truth, megabytes(256, 5));
    try {
        const auto gl = make_gl_depth_backend();
        report.note("OpenGL: " + gl->name() +
                    " (a software renderer works in threads of its own: CPU time of this thread alone)");
        rows(report, "depth-flight-gl", "OpenGL, both sides, 256 pixels",
             by_maps(scene, *gl, {.pixels = 256}, std::span(&two, 1)), fcl, truth, megabytes(256, 3));
    } catch (const Error& error) {
        report.note(std::string("OpenGL left out: ") + error.what());
    }
    set_thread_count(0);
}

const Registration registration("depth/flight", "a ship through a tunnel, 800 frames (Fabrizio, table 1)", run);

} // namespace

} // namespace fathom::bench
