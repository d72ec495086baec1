// Table `field-field/completeness`: hard pairs (thin, interlocked, star-shaped, nested, touching), the paper's plain method beside
// collide(), both judged by exact triangles.
#include <benchmarks/plain_method.h>
#include <benchmarks/report.h>
#include <fathom/base/parallel.h>
#include <fathom/detect/collide.h>
#include <tests/support/hard_pairs.h>

#include <fmt/format.h>

#include <map>

namespace fathom::bench {

namespace {

constexpr std::size_t pair_count = 2000;
constexpr const char* kind_names[] = {"anywhere", "thin", "interlocked", "nested", "touching"};

struct Judged {
    testing::HardPair pair;
    testing::Truth truth;
};

struct Counts {
    std::size_t missed = 0, invented = 0, undecided = 0;

    void add(testing::Truth truth, Verdict verdict) {
        missed += truth == testing::Truth::meeting && verdict == Verdict::disjoint;
        invented += truth == testing::Truth::apart && verdict == Verdict::overlapping;
        undecided += verdict == Verdict::undecided;
    }
};

void rows(Report& report, const std::string& name, const std::vector<Judged>& judged, const std::map<const testing::HardBody*, Solid>& solids, int depth) {
    std::vector<Verdict> ours(judged.size()), theirs(judged.size());
    const std::function<void()> rivals[] = {
        [&] {
            for (std::size_t k = 0; k < judged.size(); ++k) {
                const testing::HardPair& p = judged[k].pair;
                ours[k] = collide(solids.at(p.a), p.pose_a, solids.at(p.b), p.pose_b, {.goal = CollideGoal::any}).verdict;
            }
        },
        [&] {
            for (std::size_t k = 0; k < judged.size(); ++k) {
                const testing::HardPair& p = judged[k].pair;
                const OrientedBox a = whole_box(*p.a->formula), b = whole_box(*p.b->formula);
                const PlainResult r = plain_collide(*p.a->formula, std::span(&a, 1), p.pose_a, *p.b->formula, std::span(&b, 1), p.pose_b,
                                                    {.depth = depth, .step = 0.01, .all = false});
                theirs[k] = r.overlap ? Verdict::overlapping : Verdict::disjoint;
            }
        }};
    const std::vector<double> seconds = race(rivals, 1);
    Counts us, them;
    std::size_t meeting = 0;
    for (std::size_t k = 0; k < judged.size(); ++k) {
        us.add(judged[k].truth, ours[k]);
        them.add(judged[k].truth, theirs[k]);
        meeting += judged[k].truth == testing::Truth::meeting;
    }
    const double count = static_cast<double>(judged.size());
    report.add({"completeness", fmt::format("{}, {} pairs, {} meet: yes or no", name, judged.size(), meeting), "us/pair", 1e6 * seconds[0] / count,
                fmt::format("the paper's, depth {}", depth), 1e6 * seconds[1] / count, ratio(seconds[0], seconds[1]),
                fmt::format("ours {} missed, {} invented, {} undecided; the paper's {} missed, {} invented", us.missed, us.invented, us.undecided, them.missed,
                            them.invented),
                0});
}

void run_completeness(Report& report) {
    set_thread_count(1);
    testing::HardPairs pairs(1, 1);
    std::map<const testing::HardBody*, Solid> solids;
    for (const auto& body : pairs.bodies()) solids.emplace(body.get(), Solid(body->formula));
    std::map<testing::HardKind, std::vector<Judged>> judged;
    for (std::size_t k = 0; k < pair_count; ++k) {
        const testing::HardPair p = pairs.next();
        judged[p.kind].push_back({p, testing::truth_of(p.a->oracle, p.a->mesh_error, p.b->oracle, p.b->mesh_error, p.b_in_a())});
    }
    for (const auto& [kind, list] : judged)
        for (const int depth : {2, 3}) rows(report, kind_names[static_cast<std::size_t>(kind)], list, solids, depth);
    report.note("in the band of a pair's mesh error either answer is right");
    set_thread_count(0);
}

const Registration registration("field-field/completeness", "hard pairs: the paper's plain method beside ours", run_completeness);

} // namespace

} // namespace fathom::bench
