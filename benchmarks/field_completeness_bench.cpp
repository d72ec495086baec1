// Table `field-field/completeness`: hard pairs (thin, interlocked, star-shaped, nested, touching), the paper's plain
// method with one box and in parts beside field_field::collide(), all judged by exact triangles.
#include <benchmarks/report.h>
#include <fathom/base/parallel.h>
#include <fathom/detect/decomposition/detection_points.h>
#include <fathom/detect/field_field/dual_gradient.h>
#include <fathom/detect/field_field/field_field.h>
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

    void add(testing::Truth truth, Status status) {
        missed += truth == testing::Truth::meeting && status == Status::disjoint;
        invented += truth == testing::Truth::apart && status == Status::overlapping;
        undecided += status == Status::undecided;
    }
};

using Parts = std::map<const testing::HardBody*, Decomposition>;

// What the paper cannot decide it takes for apart.
Status by_paper(const testing::HardPair& p, const Parts& parts) {
    const PlainResult r = plain_field_collision({{p.a->formula.get(), p.pose_a}, &parts.at(p.a)},
                                                {{p.b->formula.get(), p.pose_b}, &parts.at(p.b)}, {.all = false});
    return r.status == Status::overlapping ? Status::overlapping : Status::disjoint;
}

void rows(Report& report, const std::string& name, const std::vector<Judged>& judged,
          const std::map<const testing::HardBody*, FieldSphereTree>& solids, const Parts& parts,
          const std::string& peer) {
    std::vector<Status> ours(judged.size()), theirs(judged.size());
    const std::function<void()> rivals[] = {[&] {
                                                for (std::size_t k = 0; k < judged.size(); ++k) {
                                                    const testing::HardPair& p = judged[k].pair;
                                                    ours[k] = field_field::collide(
                                                                  solids.at(p.a), p.pose_a, solids.at(p.b), p.pose_b,
                                                                  {.goal = field_field::CollideGoal::any})
                                                                  .status;
                                                }
                                            },
                                            [&] {
                                                for (std::size_t k = 0; k < judged.size(); ++k)
                                                    theirs[k] = by_paper(judged[k].pair, parts);
                                            }};
    const std::vector<double> seconds = race(rivals, 2);
    Counts us, them;
    std::size_t meeting = 0;
    for (std::size_t k = 0; k < judged.size(); ++k) {
        us.add(judged[k].truth, ours[k]);
        them.add(judged[k].truth, theirs[k]);
        meeting += judged[k].truth == testing::Truth::meeting;
    }
    const double count = static_cast<double>(judged.size());
    report.add({"completeness", fmt::format("{}, {} pairs, {} meet: yes or no", name, judged.size(), meeting),
                "us/pair", 1e6 * seconds[0] / count, peer, 1e6 * seconds[1] / count, ratio(seconds[0], seconds[1]),
                fmt::format("ours {} missed, {} invented, {} undecided; the paper's {} missed, {} invented", us.missed,
                            us.invented, us.undecided, them.missed, them.invented),
                0});
}

void run_completeness(Report& report) {
    set_thread_count(1);
    testing::HardPairs pairs(1, 1);
    std::map<const testing::HardBody*, FieldSphereTree> solids;
    for (const auto& body : pairs.bodies()) solids.emplace(body.get(), FieldSphereTree(body->formula));
    Parts whole, parts;
    for (const auto& body : pairs.bodies()) {
        const Box box = body->formula->bounds();
        whole.emplace(body.get(), Decomposition{{{Pose::from_translation(box.center()), box.half()}}, true});
        parts.emplace(body.get(), decompose(*body->formula));
    }
    std::map<testing::HardKind, std::vector<Judged>> judged;
    for (std::size_t k = 0; k < pair_count; ++k) {
        const testing::HardPair p = pairs.next();
        judged[p.kind].push_back(
            {p, testing::truth_of(p.a->oracle, p.a->mesh_error, p.b->oracle, p.b->mesh_error, p.b_in_a())});
    }
    for (const auto& [kind, list] : judged)
        for (const auto& [boxes, peer] : {std::pair{&whole, "the paper's, one box"}, {&parts, "the paper's, in parts"}})
            rows(report, kind_names[static_cast<std::size_t>(kind)], list, solids, *boxes, peer);
    report.note("in the band of a pair's mesh error either answer is right");
    set_thread_count(0);
}

const Registration registration("field-field/completeness", "hard pairs: the paper's plain method beside ours",
                                run_completeness);

} // namespace

} // namespace fathom::bench
