// Table `field-field/pairs`: two scans as grids of 256 in random poses, beside the same scans as meshes in FCL and
// Bullet: yes or no, contacts, distance. One thread. Answers are checked against exact triangles
// (tests/support/mesh_oracle.h).
#include <benchmarks/bullet_peer.h>
#include <benchmarks/fcl_peer.h>
#include <benchmarks/pair_models.h>
#include <benchmarks/report.h>
#include <fathom/base/parallel.h>
#include <fathom/detect/field_field/field_field.h>
#include <fathom/detect/query/query.h>
#include <fathom/field/analytic/analytic_field.h>
#include <fathom/field/analytic/primitives.h>
#include <tests/support/mesh_oracle.h>

#include <fmt/format.h>

#include <algorithm>

namespace fathom::bench {

namespace {

constexpr std::size_t pose_count = 1000;
constexpr std::size_t slow_count = 100; // poses for peers that take milliseconds
constexpr int rounds = 3;
constexpr double margin = 0.5; // of grids, in sizes of the body: distances are known as far as that

struct Peers {
    FclMesh single;
    FclMeshDouble twice;
    BulletMesh bullet;
    testing::OracleBody oracle;

    explicit Peers(const TriangleMesh& mesh) : single(mesh), twice(mesh), bullet(mesh), oracle(mesh) {}
};

struct Pairing {
    const PairBody &a, &b;
    const Peers &peers_a, &peers_b;
    std::vector<Pose> poses; // of b; a stays
    std::string name;

    [[nodiscard]] double megabytes() const { return &a == &b ? a.megabytes() : a.megabytes() + b.megabytes(); }
};

double milliseconds(double seconds, std::size_t count) { return 1e3 * seconds / static_cast<double>(count); }

std::string against_oracle(const Pairing& pairing, const std::vector<Status>& statuses) {
    std::size_t meeting = 0, missed = 0, invented = 0, undecided = 0, in_band = 0;
    const double error_a = pairing.a.grid->near_error_bound(), error_b = pairing.b.grid->near_error_bound();
    for (std::size_t k = 0; k < statuses.size(); ++k) {
        const testing::Truth truth =
            testing::truth_of(pairing.peers_a.oracle, error_a, pairing.peers_b.oracle, error_b, pairing.poses[k]);
        meeting += truth == testing::Truth::meeting;
        in_band += truth == testing::Truth::in_band;
        missed += truth == testing::Truth::meeting && statuses[k] == Status::disjoint;
        invented += truth == testing::Truth::apart && statuses[k] == Status::overlapping;
        undecided += statuses[k] == Status::undecided;
    }
    return fmt::format("{} meet, {} within the grids' error {:.4f}: {} missed, {} invented, {} undecided", meeting,
                       in_band, error_a + error_b, missed, invented, undecided);
}

void yes_no_rows(Report& report, const Pairing& p) {
    std::vector<Status> ours(pose_count);
    std::vector<char> theirs(pose_count), theirs_double(pose_count);
    const std::function<void()> rivals[] = {
        [&] {
            for (std::size_t k = 0; k < pose_count; ++k)
                ours[k] =
                    field_field::collide(p.a.solid, {}, p.b.solid, p.poses[k], {.goal = field_field::CollideGoal::any})
                        .status;
        },
        [&] {
            for (std::size_t k = 0; k < pose_count; ++k)
                theirs[k] = surfaces_cross(p.peers_a.single, {}, p.peers_b.single, p.poses[k]);
        },
        [&] {
            for (std::size_t k = 0; k < pose_count; ++k)
                theirs_double[k] = surfaces_cross(p.peers_a.twice, {}, p.peers_b.twice, p.poses[k]);
        }};
    const std::vector<double> seconds = race(rivals, rounds);
    std::size_t differ = 0;
    for (std::size_t k = 0; k < pose_count; ++k) differ += (ours[k] == Status::overlapping) != (theirs[k] != 0);
    const auto hits = std::count(theirs.begin(), theirs.end(), 1);
    const std::string error = fmt::format("{}; FCL: {} cross, {} differ", against_oracle(p, ours), hits, differ);
    const auto add = [&](const char* peer, std::size_t k) {
        report.add({"pair-yes-no", fmt::format("{}, {} poses", p.name, pose_count), "ms/query",
                    milliseconds(seconds[0], pose_count), peer, milliseconds(seconds[k], pose_count),
                    ratio(seconds[0], seconds[k]), error, p.megabytes()});
    };
    add("FCL float", 1);
    add("FCL double", 2);
}

// How far the depth that is claimed is from what the exact mesh says of the point.
std::string depth_error(const Pairing& p, const std::vector<field_field::CollideResult>& results) {
    double worst = 0, sum = 0;
    std::size_t count = 0, contacts = 0;
    for (std::size_t k = 0; k < results.size(); ++k) {
        contacts += results[k].contacts.size();
        if (results[k].contacts.empty()) continue;
        const Contact& c = results[k].contacts[0];
        const double in_b = -p.peers_b.oracle.exact().distance(p.poses[k].to_local(c.point_a)),
                     in_a = -p.peers_a.oracle.exact().distance(c.point_b);
        const double off = std::min(std::abs(in_b - c.depth), std::abs(in_a - c.depth));
        worst = std::max(worst, off);
        sum += off;
        ++count;
    }
    const double n = static_cast<double>(std::max<std::size_t>(count, 1));
    return fmt::format("{:.1f} contacts a hit; depth off by {:.1e} mean, {:.1e} worst",
                       static_cast<double>(contacts) / n, sum / n, worst);
}

void contact_rows(Report& report, const Pairing& p) {
    std::vector<field_field::CollideResult> ours(pose_count);
    std::vector<double> each(pose_count, 1e300);
    std::size_t fcl_contacts = 0;
    const BulletWorld bullet;
    const std::function<void()> rivals[] = {
        [&] {
            for (std::size_t k = 0; k < pose_count; ++k)
                ours[k] = field_field::collide(p.a.solid, {}, p.b.solid, p.poses[k]);
        },
        [&] {
            for (std::size_t k = 0; k < pose_count; ++k)
                fcl_contacts += contacts(p.peers_a.single, {}, p.peers_b.single, p.poses[k]).count;
        },
        [&] {
            for (std::size_t k = 0; k < pose_count; ++k)
                fcl_contacts += contacts(p.peers_a.twice, {}, p.peers_b.twice, p.poses[k]).count;
        },
        [&] {
            for (std::size_t k = 0; k < slow_count; ++k)
                fcl_contacts += bullet.contacts(p.peers_a.bullet, {}, p.peers_b.bullet, p.poses[k]).count;
        },
        [&] {
            for (std::size_t k = 0; k < slow_count; ++k)
                ours[k] = field_field::collide(p.a.solid, {}, p.b.solid, p.poses[k]);
        }};
    const std::vector<double> seconds = race(rivals, rounds);
    const std::string error = depth_error(p, ours);
    const auto add = [&](const std::string& peer, std::size_t us, std::size_t them, std::size_t count) {
        report.add({"pair-contacts", fmt::format("{}, {} poses", p.name, count), "ms/query",
                    milliseconds(seconds[us], count), peer, milliseconds(seconds[them], count),
                    ratio(seconds[us], seconds[them]), error, p.megabytes()});
    };
    add("FCL float, up to 1000", 0, 1, pose_count);
    add("FCL double, up to 1000", 0, 2, pose_count);
    add("Bullet GImpact", 4, 3, slow_count);
    std::vector<double> hits;
    for (std::size_t k = 0; k < pose_count; ++k) {
        const std::function<void()> one[] = {
            [&] { ours[k] = field_field::collide(p.a.solid, {}, p.b.solid, p.poses[k]); }};
        each[k] = 1e6 * race(one, 2)[0];
        if (ours[k].status == Status::overlapping) hits.push_back(each[k]);
    }
    std::sort(each.begin(), each.end());
    std::sort(hits.begin(), hits.end());
    report.note(
        fmt::format("{}: contacts, median {:.1f} us of all poses, {:.1f} us of those that meet, worst {:.0f} us",
                    p.name, each[pose_count / 2], hits.empty() ? 0.0 : hits[hits.size() / 2], each.back()));
}

// The global search of the deepest point: its time, what it proves, and how often descents alone are less deep.
void deepest_rows(Report& report, const Pairing& p) {
    constexpr double tolerance = 1e-3; // m
    std::vector<field_field::CollideResult> global(slow_count), local(slow_count);
    const std::function<void()> rivals[] = {
        [&] {
            for (std::size_t k = 0; k < slow_count; ++k)
                global[k] = field_field::collide(p.a.solid, {}, p.b.solid, p.poses[k], {.depth_tolerance = tolerance});
        },
        [&] {
            for (std::size_t k = 0; k < slow_count; ++k)
                local[k] = field_field::collide(p.a.solid, {}, p.b.solid, p.poses[k]);
        }};
    const std::vector<double> seconds = race(rivals, 2);
    std::size_t overlapping = 0, proven = 0, short_of_it = 0;
    double worst = 0;
    for (std::size_t k = 0; k < slow_count; ++k) {
        if (global[k].status != Status::overlapping) continue;
        ++overlapping;
        proven += global[k].depth_bound <= global[k].depth + 1.5 * tolerance + global[k].error_bound;
        short_of_it += local[k].depth < global[k].depth - tolerance;
        worst = std::max(worst, global[k].depth - local[k].depth);
    }
    const std::string error =
        fmt::format("{} of {} overlaps proven to {:.0e} m; descents alone are less deep in {}, by {:.1e} m at most",
                    proven, overlapping, tolerance, short_of_it, worst);
    report.add({"pair-deepest", fmt::format("{}, {} poses, deepest point", p.name, slow_count), "ms/query",
                milliseconds(seconds[0], slow_count), "ours, by descents", milliseconds(seconds[1], slow_count),
                ratio(seconds[0], seconds[1]), error, p.megabytes()});
}

void distance_rows(Report& report, const Pairing& p) {
    std::vector<Pose> apart;
    for (std::size_t k = 0; k < pose_count && apart.size() < slow_count; ++k)
        if (!surfaces_cross(p.peers_a.single, {}, p.peers_b.single, p.poses[k])) apart.push_back(p.poses[k]);
    const Shape a(p.a.grid), b(p.b.grid);
    a.prepare(), b.prepare();
    std::vector<DistanceResult> ours(apart.size());
    std::vector<double> theirs(apart.size()), theirs_double(apart.size());
    const std::function<void()> rivals[] = {
        [&] {
            for (std::size_t k = 0; k < apart.size(); ++k) ours[k] = distance(a, {}, b, apart[k]);
        },
        [&] {
            for (std::size_t k = 0; k < apart.size(); ++k)
                theirs[k] = surface_distance(p.peers_a.single, {}, p.peers_b.single, apart[k]);
        },
        [&] {
            for (std::size_t k = 0; k < apart.size(); ++k)
                theirs_double[k] = surface_distance(p.peers_a.twice, {}, p.peers_b.twice, apart[k]);
        }};
    const std::vector<double> seconds = race(rivals, rounds);
    double worst = 0, gap = 0;
    std::size_t truncated = 0, contained = 0;
    for (std::size_t k = 0; k < apart.size(); ++k) {
        if (ours[k].upper_bound < 0) {
            ++contained; // one in the other: surfaces that do not cross
            continue;
        }
        worst = std::max(worst, std::abs(ours[k].upper_bound - theirs_double[k]));
        gap = std::max(gap, ours[k].upper_bound - ours[k].lower_bound);
        truncated += !ours[k].converged;
    }
    const std::string error =
        fmt::format("of FCL's by {:.1e} at most (grids' error {:.1e}); bounds {:.1e} apart, {} truncated; {} overlap",
                    worst, p.a.grid->near_error_bound() + p.b.grid->near_error_bound(), gap, truncated, contained);
    const auto add = [&](const char* peer, std::size_t k) {
        report.add({"pair-distance", fmt::format("{}, {} poses apart", p.name, apart.size()), "ms/query",
                    milliseconds(seconds[0], apart.size()), peer, milliseconds(seconds[k], apart.size()),
                    ratio(seconds[0], seconds[k]), error, p.megabytes()});
    };
    add("FCL float", 1);
    add("FCL double", 2);
}

// Formulas: bodies of a few numbers, in random poses.
void formula_rows(Report& report) {
    using namespace shapes;
    const auto solid = [](const AnalyticExpression& shape) {
        return FieldSphereTree(std::make_shared<AnalyticField>(shape));
    };
    const FieldSphereTree ball = solid(sphere(0.5)), block = solid(box({1, 0.7, 0.5})), ring = solid(torus(0.4, 0.12)),
                          rod = solid(capsule({0, 0, -0.4}, {0, 0, 0.4}, 0.15));
    const std::vector<Pose> poses = random_poses(0.9, pose_count);
    const auto row = [&](const char* id, const char* name, const FieldSphereTree& a, const FieldSphereTree& b) {
        std::vector<double> each;
        std::size_t hits = 0, undecided = 0;
        for (const Pose& pose : poses) {
            field_field::CollideResult result;
            const std::function<void()> one[] = {[&] { result = field_field::collide(a, {}, b, pose); }};
            each.push_back(1e6 * race(one, 5)[0]);
            hits += result.status == Status::overlapping;
            undecided += result.status == Status::undecided;
        }
        std::sort(each.begin(), each.end());
        report.add({id, fmt::format("{}, contacts, median of {} poses", name, poses.size()), "us/query",
                    each[each.size() / 2], "5 us, the goal", 5, 5 / each[each.size() / 2],
                    fmt::format("{} meet, {} undecided; worst {:.0f} us", hits, undecided, each.back()), 0});
    };
    row("pair-formulas", "ball and box", ball, block);
    row("pair-formulas", "torus and capsule", ring, rod);
    row("pair-formulas", "torus and box", ring, block);
}

void run_pairs(Report& report) {
    set_thread_count(1);
    const PairBody bunny("bunny", bunny_mesh(), 256, margin);
    const Peers bunny_peers(bunny.mesh);
    const auto rows = [&](const Pairing& pairing) {
        yes_no_rows(report, pairing);
        contact_rows(report, pairing);
        deepest_rows(report, pairing);
        distance_rows(report, pairing);
        report.note(fmt::format("{}: memory of the peers, MB: FCL float {:.1f}, double {:.1f} (second body)",
                                pairing.name, 1e-6 * static_cast<double>(pairing.peers_b.single.bytes()),
                                1e-6 * static_cast<double>(pairing.peers_b.twice.bytes())));
    };
    rows({bunny, bunny, bunny_peers, bunny_peers, random_poses(0.82, pose_count), "bunny-bunny"});
    if (const auto mesh = armadillo_mesh()) {
        const PairBody armadillo("armadillo", *mesh, 256, margin);
        const Peers peers(armadillo.mesh);
        rows({bunny, armadillo, bunny_peers, peers, random_poses(0.78, pose_count), "bunny-armadillo"});
    } else {
        report.note("no armadillo: set FATHOM_MODELS to a folder with armadillo.off");
    }
    formula_rows(report);
    set_thread_count(0);
}

const Registration registration("field-field/pairs", "two scans as fields beside the same as meshes", run_pairs);

} // namespace

} // namespace fathom::bench
