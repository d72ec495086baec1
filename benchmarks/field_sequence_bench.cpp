// Tables `field-field/sequences` (Liu et al. 2024, figures 11 to 13, table 1) and `field-field/high-polygon` (section 5.4): scans
// that slide over shapes, frame by frame: two fields, a mesh against a field, and two meshes in Bullet and FCL. One thread.
#include <benchmarks/bullet_peer.h>
#include <benchmarks/fcl_peer.h>
#include <benchmarks/pair_models.h>
#include <benchmarks/report.h>
#include <fathom/base/parallel.h>
#include <fathom/detect/collide.h>
#include <fathom/detect/decomposition.h>
#include <fathom/detect/detection_points.h>
#include <fathom/detect/dual_gradient.h>
#include <fathom/detect/mesh_contacts.h>
#include <fathom/field/analytic/analytic_field.h>
#include <fathom/field/analytic/shapes.h>
#include <fathom/geometry/generate.h>
#include <fathom/geometry/mesh_file.h>
#include <tests/support/mesh_oracle.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace fathom::bench {

namespace {

constexpr std::size_t frame_count = 150;

// A scan at rest, and a shape that comes down on it, goes across it while it turns, and leaves.
std::vector<Pose> passing_over(const PairBody& scan, double reach) {
    const Box box = bounds(scan.mesh.vertices);
    std::vector<Pose> poses(frame_count);
    for (std::size_t k = 0; k < frame_count; ++k) {
        const double t = static_cast<double>(k) / (frame_count - 1), lift = 0.6 * std::cos(6 * std::numbers::pi * t);
        const Vec3 at(box.lower.x() + t * box.size().x(), 0.2 * box.size().y() * std::sin(4 * std::numbers::pi * t), box.upper.z() + reach * (0.25 + lift));
        poses[k] = Pose::turned(2 * std::numbers::pi * t, Vec3(0.2, 0.4, 1).normalized(), at);
    }
    return poses;
}

// A body as one box.
Decomposition whole(const Field& field) {
    const Box box = field.bounds();
    return {{{Pose::at(box.center()), box.half()}}, true};
}

struct Answer {
    bool touches = false;
    double depth = 0;
};
using Method = std::function<Answer(const Pose&)>;

// Frames that a method gets wrong, and how far its depth is from the deepest of a dense sampling of the surface.
std::string judged(const std::vector<Answer>& answers, const std::vector<testing::Truth>& truths, const std::vector<double>& depths) {
    std::size_t missed = 0, invented = 0, touching = 0;
    double off = 0;
    for (std::size_t k = 0; k < answers.size(); ++k) {
        missed += truths[k] == testing::Truth::meeting && !answers[k].touches;
        invented += truths[k] == testing::Truth::apart && answers[k].touches;
        if (!(truths[k] == testing::Truth::meeting && answers[k].touches)) continue;
        ++touching;
        off += std::abs(answers[k].depth - depths[k]);
    }
    return fmt::format("{} of {} frames touch: {} missed, {} invented; depth off by {:.1e} mean", touching + missed, answers.size(), missed, invented,
                       off / static_cast<double>(std::max<std::size_t>(touching, 1)));
}

struct Sequence {
    std::string name;
    const PairBody& scan;
    std::shared_ptr<const AnalyticField> shape;
    TriangleMesh shape_mesh;
    double reach;
    double plain_step; // m: table 1 of the paper
};

void sequence_rows(Report& report, const Sequence& s) {
    const std::vector<Pose> poses = passing_over(s.scan, s.reach);
    const Solid shape(s.shape);
    const ContactMesh ready(s.scan.mesh);
    const FclMesh fcl_scan(s.scan.mesh), fcl_shape(s.shape_mesh);
    const FclMeshDouble fcl_scan_double(s.scan.mesh), fcl_shape_double(s.shape_mesh);
    const BulletWorld bullet;
    const BulletMesh bullet_scan(s.scan.mesh), bullet_shape(s.shape_mesh);
    const Decomposition scan_box = whole(*s.scan.grid), shape_box = whole(*s.shape), parts = decompose(*s.scan.grid);
    const auto by_paper = [&](const Decomposition& boxes, std::size_t most_points, const Pose& pose) {
        const PlainOptions plain{.descent = {.rule = StepRule::fixed, .step = s.plain_step}, .most_points = most_points};
        const PlainResult r = plain_field_collision({{s.scan.grid.get(), {}}, &boxes}, {{s.shape.get(), pose}, &shape_box}, plain);
        return Answer{r.verdict == Verdict::overlapping, r.contacts.empty() ? 0 : std::max(r.contacts[0].depth_a, r.contacts[0].depth_b)};
    };

    struct Rival {
        std::string name;
        Method method;
        double megabytes;
        bool one_way = false; // only points of the scan are asked how deep they are
    };
    const double mesh_megabytes = 1e-6 * static_cast<double>(ready.memory_bytes());
    const std::vector<Rival> rivals = {
        {"fields", [&](const Pose& pose) {
             const CollideResult r = collide(s.scan.solid, {}, shape, pose);
             return Answer{r.verdict == Verdict::overlapping, r.depth};
         }, s.scan.megabytes()},
        {"mesh and field", [&](const Pose& pose) {
             const MeshContactResult r = mesh_contacts(ready, {}, *s.shape, pose);
             return Answer{r.verdict == Verdict::overlapping, r.contacts.empty() ? 0 : r.contacts[0].depth};
         }, mesh_megabytes, true},
        {"mesh and field, any", [&](const Pose& pose) {
             const MeshContactResult r = mesh_contacts(ready, {}, *s.shape, pose, {.goal = MeshGoal::any});
             return Answer{r.verdict == Verdict::overlapping, r.contacts.empty() ? 0 : r.contacts[0].depth};
         }, mesh_megabytes, true},
        {"the paper's, one box", [&](const Pose& pose) { return by_paper(scan_box, 64, pose); }, s.scan.megabytes()},
        {"same, 512 points", [&](const Pose& pose) { return by_paper(scan_box, 512, pose); }, s.scan.megabytes()},
        {"the paper's, in parts", [&](const Pose& pose) { return by_paper(parts, 64, pose); }, s.scan.megabytes()},
        {"FCL float", [&](const Pose& pose) {
             const FclContacts r = contacts(fcl_scan, {}, fcl_shape, pose);
             return Answer{r.count > 0, r.depth};
         }, 1e-6 * static_cast<double>(fcl_scan.bytes())},
        {"FCL double", [&](const Pose& pose) {
             const FclContacts r = contacts(fcl_scan_double, {}, fcl_shape_double, pose);
             return Answer{r.count > 0, r.depth};
         }, 1e-6 * static_cast<double>(fcl_scan_double.bytes())},
        {"Bullet GImpact", [&](const Pose& pose) {
             const BulletContacts r = bullet.contacts(bullet_scan, {}, bullet_shape, pose);
             return Answer{r.count > 0, r.depth};
         }, 0}};
    std::vector<std::vector<Answer>> answers(rivals.size(), std::vector<Answer>(poses.size()));
    std::vector<std::function<void()>> work;
    for (std::size_t n = 0; n < rivals.size(); ++n)
        work.emplace_back([&, n] { for (std::size_t k = 0; k < poses.size(); ++k) answers[n][k] = rivals[n].method(poses[k]); });
    const std::vector<double> seconds = race(work, 2);

    const testing::OracleBody scan_oracle(s.scan.mesh), shape_oracle(s.shape_mesh);
    double shape_error = 1e-9;
    for (std::size_t k = 0; k < s.shape_mesh.triangles.size(); ++k) {
        const auto t = s.shape_mesh.corners(k);
        shape_error = std::max(shape_error, std::abs(s.shape->distance((t[0] + t[1] + t[2]) / 3)));
    }
    std::vector<testing::Truth> truths;
    std::vector<double> depths, one_way;
    for (const Pose& pose : poses) {
        truths.push_back(testing::truth_of(scan_oracle, s.scan.grid->near_error_bound(), shape_oracle, shape_error, pose));
        double deepest = 0;
        for (const Vec3& v : s.scan.mesh.vertices) deepest = std::max(deepest, -s.shape->distance(pose.to_local(v)));
        one_way.push_back(deepest);
        for (const Vec3& v : s.shape_mesh.vertices) deepest = std::max(deepest, -scan_oracle.exact().distance(pose * v));
        depths.push_back(deepest);
    }
    const auto milliseconds = [&](std::size_t n) { return 1e3 * seconds[n] / static_cast<double>(poses.size()); };
    for (std::size_t n = 1; n < rivals.size(); ++n)
        report.add({"sequence-" + s.name, fmt::format("{}, {} triangles, {} frames, contacts", s.name, s.scan.mesh.triangles.size(), poses.size()),
                    "ms/frame", milliseconds(0), rivals[n].name, milliseconds(n), ratio(seconds[0], seconds[n]),
                    fmt::format("{}: {}", rivals[n].name, judged(answers[n], truths, rivals[n].one_way ? one_way : depths)), rivals[n].megabytes});
    report.note(fmt::format("{}, fields: {}; {:.1f} MB; {} parts", s.name, judged(answers[0], truths, depths), rivals[0].megabytes, parts.boxes.size()));
}

void run_sequences(Report& report) {
    set_thread_count(1);
    const PairBody bunny("bunny", bunny_mesh(), 256);
    sequence_rows(report, {"bunny-cone", bunny, std::make_shared<AnalyticField>(shapes::cone(0.2, 0.5)), make_cone({.radius = 0.2, .height = 0.5, .segments = 96}), 0.6, 0.005});
    if (const auto mesh = armadillo_mesh()) {
        const PairBody armadillo("armadillo", *mesh, 256);
        sequence_rows(report, {"armadillo-cylinder", armadillo, std::make_shared<AnalyticField>(shapes::cylinder(0.12, 0.6)),
                               make_cylinder({.radius = 0.12, .height = 0.6, .segments = 96}), 0.6, 0.01});
    } else {
        report.note("no armadillo: set FATHOM_MODELS to a folder with armadillo.off");
    }
    set_thread_count(0);
}

// ---- Section 5.4: the full dragon for the shell, and a rock.

// A ball with bumps of many sizes.
TriangleMesh make_rock(double size, std::size_t resolution) {
    Random random(5);
    struct Wave {
        Vec3 direction;
        double phase, height;
    };
    std::vector<Wave> waves;
    for (int k = 0; k < 60; ++k) {
        const double frequency = std::pow(2.0, random.uniform(1, 5));
        waves.push_back({frequency * random.direction(), random.uniform(0, 2 * std::numbers::pi), 0.12 / frequency});
    }
    const TriangleMesh ball = make_sphere({.radius = 1, .resolution = resolution});
    return sized(mapped(ball, [&](const Vec3& p) -> Vec3 {
        double height = 1;
        for (const Wave& w : waves) height += w.height * std::sin(w.direction.dot(p) + w.phase);
        return height * p;
    }), size);
}

void run_high_polygon(Report& report) {
    set_thread_count(1);
    constexpr double size = 5.56; // units, the paper's
    constexpr int resolution = 512;
    const PairBody dragon("dragon", sized(read_triangle_mesh(model("dragon.ply.gz")), size), resolution);
    const PairBody rock("rock", make_rock(0.7 * size, 176), resolution);
    const ContactMesh ready(dragon.mesh);
    std::vector<Pose> poses(60); // of the rock: it rolls along the dragon and dips into it
    for (std::size_t k = 0; k < poses.size(); ++k) {
        const double t = static_cast<double>(k) / static_cast<double>(poses.size() - 1);
        poses[k] = Pose::turned(3 * t, Vec3(1, 2, 0.5).normalized(), size * Vec3(0.8 * t - 0.4, 0.52 + 0.1 * std::sin(12 * t), 0.2));
    }
    std::vector<CollideResult> ours(poses.size());
    std::vector<MeshContactResult> theirs(poses.size());
    std::vector<PlainResult> plain(poses.size());
    const Decomposition dragon_box = whole(*dragon.grid), rock_box = whole(*rock.grid);
    const ProtrusionPoints dragon_points = protrusion_points(*dragon.grid), rock_points = protrusion_points(*rock.grid);
    const PlainOptions plain_options{.descent = {.rule = StepRule::adaptive}, .octree_depth = 1};
    const std::function<void()> rivals[] = {
        [&] { for (std::size_t k = 0; k < poses.size(); ++k) ours[k] = collide(dragon.solid, {}, rock.solid, poses[k]); },
        [&] { for (std::size_t k = 0; k < poses.size(); ++k) theirs[k] = mesh_contacts(ready, {}, *rock.grid, poses[k]); },
        [&] {
            for (std::size_t k = 0; k < poses.size(); ++k)
                plain[k] = plain_field_collision({{dragon.grid.get(), {}}, &dragon_box, dragon_points.points},
                                                 {{rock.grid.get(), poses[k]}, &rock_box, rock_points.points}, plain_options);
        }};
    const std::vector<double> seconds = race(rivals, 2);
    double sum = 0, worst = 0;
    std::size_t both = 0, differ = 0, ours_undecided = 0, contact_count = 0, plain_missed = 0;
    for (std::size_t k = 0; k < poses.size(); ++k) {
        ours_undecided += ours[k].verdict == Verdict::undecided;
        differ += ours[k].verdict != theirs[k].verdict;
        contact_count += theirs[k].contacts.size();
        plain_missed += ours[k].verdict == Verdict::overlapping && plain[k].verdict != Verdict::overlapping;
        // Each of our points of the dragon in the rock, beside the mesh's own: how deep is the nearest that it lists?
        if (ours[k].contacts.empty() || theirs[k].contacts.empty()) continue;
        const Contact& c = ours[k].contacts[0];
        double nearest = HUGE_VAL;
        for (const MeshContact& m : theirs[k].contacts) nearest = std::min(nearest, (m.point - c.point_a).norm());
        sum += nearest;
        worst = std::max(worst, nearest);
        ++both;
    }
    const auto milliseconds = [&](double s) { return 1e3 * s / static_cast<double>(poses.size()); };
    report.add({"high-polygon", fmt::format("dragon {} and rock {} triangles, grids of {}, {} frames", dragon.mesh.triangles.size(), rock.mesh.triangles.size(), resolution, poses.size()),
                "ms/frame", milliseconds(seconds[0]), "mesh and field", milliseconds(seconds[1]), ratio(seconds[0], seconds[1]),
                fmt::format("{} touch; deepest point {:.3f} units mean, {:.3f} worst from the mesh's contacts (paper: mostly < 0.05, worst 0.064); {} verdicts differ, {} undecided",
                            both, sum / static_cast<double>(std::max<std::size_t>(both, 1)), worst, differ, ours_undecided),
                dragon.megabytes() + rock.megabytes()});
    report.add({"high-polygon", fmt::format("the same, {} and {} protrusion points", dragon_points.points.size(), rock_points.points.size()), "ms/frame",
                milliseconds(seconds[0]), "the paper's search", milliseconds(seconds[2]), ratio(seconds[0], seconds[2]),
                fmt::format("it misses {} of the frames that touch", plain_missed), dragon.megabytes() + rock.megabytes()});
    report.note(fmt::format("mesh and field: {:.0f} contacts a frame, {:.0f} MB for the mesh; the paper: 0.22 ms beside 0.26 ms, on a GPU",
                            static_cast<double>(contact_count) / static_cast<double>(poses.size()), 1e-6 * static_cast<double>(ready.memory_bytes())));
    set_thread_count(0);
}

const Registration sequences("field-field/sequences", "scans that shapes slide over, frame by frame", run_sequences);
const Registration high_polygon("field-field/high-polygon", "the full dragon against a rock", run_high_polygon);

} // namespace

} // namespace fathom::bench
