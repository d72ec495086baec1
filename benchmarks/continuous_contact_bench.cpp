// Table `deformable/continuous`: when a vertex and a face, or two edges, first touch over a step. Real queries with
// known truth, and random ones in a cube (most miss) and in passing (half hit), beside FCL's primitive tests. One
// thread.
#include <benchmarks/fcl_continuous_peer.h>
#include <benchmarks/report.h>
#include <fathom/base/random.h>
#include <tests/support/continuous_queries.h>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <optional>

namespace fathom::bench {

namespace {

using testing::KnownStep;
using testing::KnownSteps;

std::optional<KnownSteps> real_steps() {
    for (const char* variable : {"FATHOM_BENCH_MODELS", "FATHOM_MODELS"}) {
        const char* folder = std::getenv(variable);
        if (folder && std::filesystem::exists(std::filesystem::path(folder) / "ccd"))
            return testing::read_known_steps(std::filesystem::path(folder) / "ccd");
    }
    return std::nullopt;
}

// The least of several rounds for each query (us), as a mean and as the time that one in a hundred exceeds.
struct Times {
    double mean = 0;
    double slow = 0;
};
template <class Step, class Ask>
Times times_of(const std::vector<KnownStep<Step>>& steps, const Ask& ask) {
    std::vector<double> each(steps.size(), 1e300);
    for (int round = 0; round < 5; ++round)
        for (std::size_t k = 0; k < steps.size(); ++k) {
            const auto start = std::chrono::steady_clock::now();
            const volatile bool hit = ask(steps[k].step).hit;
            (void)hit;
            each[k] = std::min(
                each[k], std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count());
        }
    Times result;
    for (const double x : each) result.mean += x / static_cast<double>(each.size());
    const auto slow = each.begin() + static_cast<std::ptrdiff_t>(each.size() * 99 / 100);
    std::nth_element(each.begin(), slow, each.end());
    result.slow = *slow;
    return result;
}

struct Errors {
    std::size_t hits = 0, missed = 0, extra = 0;
};
template <class Step, class Ask>
Errors errors_of(const std::vector<KnownStep<Step>>& steps, const Ask& ask) {
    Errors errors;
    for (const auto& [step, truth] : steps) {
        const bool hit = ask(step).hit;
        errors.hits += hit;
        errors.missed += truth && !hit;
        errors.extra += !truth && hit;
    }
    return errors;
}

template <class Step>
void row(Report& report, const std::string& id, const std::string& work, std::vector<KnownStep<Step>> steps,
         bool truth_known) {
    const auto ours = [](const Step& step) { return time_of_impact(step); };
    const auto theirs = [](const Step& step) { return fcl_time_of_impact(step); };
    if (!truth_known) // a tolerance near rounding stands in for the truth
        for (auto& known : steps) known.truth = time_of_impact(known.step, {.tolerance = 1e-13}).hit;
    const Times mine = times_of(steps, ours);
    const Times peer = times_of(steps, theirs);
    const Errors mistakes = errors_of(steps, ours);
    const Errors others = errors_of(steps, theirs);
    report.add({id,
                fmt::format("{} {}, {} hits; p99 {:.2f} us (FCL {:.2f})", steps.size(), work, mistakes.hits, mine.slow,
                            peer.slow),
                "us/query", mine.mean, "FCL Intersect, filtered", peer.mean, ratio(mine.mean, peer.mean),
                fmt::format("{} missed, {} extra; FCL {} missed, {} extra", mistakes.missed, mistakes.extra,
                            others.missed, others.extra),
                0});
}

// Eight points in a cube; `passing` sends the first from above the others to below.
template <class Step>
std::vector<KnownStep<Step>> random_steps(Step (*make)(const std::array<Vec3, 8>&), bool passing) {
    Random random(99);
    const Box box{Vec3::Constant(-1), Vec3::Constant(1)};
    std::vector<KnownStep<Step>> steps;
    for (int i = 0; i < 100000; ++i) {
        std::array<Vec3, 8> p;
        for (Vec3& x : p) x = random.in_box(box);
        if (passing) {
            const bool face = std::is_same_v<Step, VertexFaceStep>;
            for (const std::size_t k : {0u, 1u}) {
                if (k == 1 && face) break;
                p[k] = 0.3 * p[k] + Vec3(k == 0 ? -0.2 : 0.2, 0, 1.5);
                p[k + 4] = 0.3 * p[k + 4] + Vec3(k == 0 ? -0.2 : 0.2, 0, -1.5);
            }
        }
        steps.push_back({make(p), false});
    }
    return steps;
}

void run(Report& report) {
    if (const auto real = real_steps()) {
        row(report, "continuous-vf-real", "real vertex-face steps", real->vertex_face, true);
        row(report, "continuous-ee-real", "real edge-edge steps", real->edge_edge, true);
    } else {
        report.note(
            "no real queries: set FATHOM_MODELS to a folder with ccd/ (Continuous-Collision-Detection/Sample-Queries)");
    }
    row(report, "continuous-vf-cube", "random vertex-face steps", random_steps(testing::vertex_face, false), false);
    row(report, "continuous-ee-cube", "random edge-edge steps", random_steps(testing::edge_edge, false), false);
    row(report, "continuous-vf-pass", "vertices that pass a face or not", random_steps(testing::vertex_face, true),
        false);
    row(report, "continuous-ee-pass", "edges that pass an edge or not", random_steps(testing::edge_edge, true), false);
    report.note("tolerance 1e-6 of the step's size; each time holds one reading of the clock; truth of random steps: "
                "tolerance 1e-13");
}

const Registration registration("deformable/continuous", "first contact of moving features, one thread", run);

} // namespace

} // namespace fathom::bench
