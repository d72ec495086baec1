// Tables `field-field/sequences` (Liu et al. 2024, figures 11 to 13, table 1) and `field-field/high-polygon`
// (section 5.4): scans that slide over shapes, frame by frame: two fields, a mesh against a field, and two meshes in
// Bullet and FCL. One thread.
#include <benchmarks/bullet_peer.h>
#include <benchmarks/fcl_peer.h>
#include <benchmarks/pair_models.h>
#include <benchmarks/passing_sequence.h>
#include <benchmarks/report.h>
#include <fathom/base/parallel.h>
#include <fathom/detect/decomposition/detection_points.h>
#include <fathom/detect/field_field/dual_gradient.h>
#include <fathom/detect/field_field/field_field.h>
#include <fathom/detect/mesh_field/mesh_contacts.h>
#include <fathom/geometry/generate/generate.h>
#include <fathom/geometry/io/mesh_file.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace fathom::bench {

namespace {

// Everything that the rivals have ready before the first frame.
struct Prepared {
    const PassingSequence& s;
    FieldSphereTree shape{s.shape};
    TriangleSphereTree mesh{s.scan.mesh};
    FclMesh fcl_scan{s.scan.mesh}, fcl_shape{s.shape_mesh};
    FclMeshDouble fcl_scan_double{s.scan.mesh}, fcl_shape_double{s.shape_mesh};
    BulletWorld bullet{};
    BulletMesh bullet_scan{s.scan.mesh}, bullet_shape{s.shape_mesh};
    Decomposition scan_box = whole(*s.scan.grid), shape_box = whole(*s.shape), parts = decompose(*s.scan.grid);

    explicit Prepared(const PassingSequence& sequence) : s(sequence) {}

    [[nodiscard]] Answer by_fields(const Pose& pose) const {
        const field_field::CollideResult r = field_field::collide(s.scan.solid, {}, shape, pose);
        return {r.status == Status::overlapping, r.depth, r.status == Status::undecided};
    }
    [[nodiscard]] Answer by_mesh(mesh_field::MeshGoal goal, const Pose& pose) const {
        const mesh_field::MeshContactResult r = mesh_field::mesh_contacts(mesh, {}, *s.shape, pose, {.goal = goal});
        return {r.status == Status::overlapping, r.contacts.empty() ? 0 : r.contacts[0].depth};
    }
    [[nodiscard]] Answer by_paper(const Decomposition& boxes, std::size_t max_points, const Pose& pose) const {
        return bench::by_paper(s, *s.scan.grid, boxes, shape_box, max_points, pose);
    }
    template <class Contacts>
    [[nodiscard]] static Answer as_answer(const Contacts& r) {
        return {r.count > 0, r.depth};
    }
};

std::vector<Rival> rivals_of(const Prepared& p) {
    const auto megabytes = [](std::size_t bytes) { return 1e-6 * static_cast<double>(bytes); };
    const double scan = p.s.scan.megabytes(), mesh = megabytes(p.mesh.memory_bytes());
    return {{"fields", [&](const Pose& pose) { return p.by_fields(pose); }, scan},
            {"mesh and field", [&](const Pose& pose) { return p.by_mesh(mesh_field::MeshGoal::contacts, pose); }, mesh,
             true},
            {"mesh and field, any", [&](const Pose& pose) { return p.by_mesh(mesh_field::MeshGoal::any, pose); }, mesh,
             true},
            {"the paper's, one box", [&](const Pose& pose) { return p.by_paper(p.scan_box, 64, pose); }, scan},
            {"same, 512 points", [&](const Pose& pose) { return p.by_paper(p.scan_box, 512, pose); }, scan},
            {"the paper's, in parts", [&](const Pose& pose) { return p.by_paper(p.parts, 64, pose); }, scan},
            {"FCL float",
             [&](const Pose& pose) { return Prepared::as_answer(contacts(p.fcl_scan, {}, p.fcl_shape, pose)); },
             megabytes(p.fcl_scan.bytes())},
            {"FCL double",
             [&](const Pose& pose) {
                 return Prepared::as_answer(contacts(p.fcl_scan_double, {}, p.fcl_shape_double, pose));
             },
             megabytes(p.fcl_scan_double.bytes())},
            {"Bullet GImpact", [&](const Pose& pose) {
                 return Prepared::as_answer(p.bullet.contacts(p.bullet_scan, {}, p.bullet_shape, pose));
             }}};
}

void sequence_rows(Report& report, const PassingSequence& s) {
    const std::vector<Pose> poses = passing_over(s.scan);
    const Prepared prepared(s);
    const std::vector<Rival> rivals = rivals_of(prepared);
    const auto [milliseconds, answers] = race_over(rivals, poses);
    const std::vector<FrameTruth> truths = truths_of(s, poses, s.scan.grid->near_error_bound());
    for (std::size_t n = 1; n < rivals.size(); ++n)
        report.add(
            {"sequence-" + s.name,
             fmt::format("{}, {} triangles, {} frames, contacts", s.name, s.scan.mesh.triangles.size(), poses.size()),
             "ms/frame", milliseconds[0], rivals[n].name, milliseconds[n], ratio(milliseconds[0], milliseconds[n]),
             fmt::format("{}: {}", rivals[n].name, judged(answers[n], truths, rivals[n].one_way)),
             rivals[n].megabytes});
    report.note(fmt::format("{}, fields: {}; {:.1f} MB; {} parts", s.name, judged(answers[0], truths, false),
                            rivals[0].megabytes, prepared.parts.boxes.size()));
}

void run_sequences(Report& report) {
    set_thread_count(1);
    const PairBody bunny("bunny", bunny_mesh(), 256);
    sequence_rows(report, bunny_cone(bunny));
    if (const auto mesh = armadillo_mesh()) {
        const PairBody armadillo("armadillo", *mesh, 256);
        sequence_rows(report, armadillo_cylinder(armadillo));
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
    return sized(mapped(ball,
                        [&](const Vec3& p) -> Vec3 {
                            double height = 1;
                            for (const Wave& w : waves) height += w.height * std::sin(w.direction.dot(p) + w.phase);
                            return height * p;
                        }),
                 size);
}

// How far our deepest point is from the nearest contact that the mesh lists.
struct Agreement {
    std::size_t touching = 0, differ = 0, undecided = 0, listed = 0;
    double sum = 0, worst = 0; // units

    void add(const field_field::CollideResult& ours, const mesh_field::MeshContactResult& mesh) {
        undecided += ours.status == Status::undecided;
        differ += ours.status != mesh.status;
        listed += mesh.contacts.size();
        if (ours.contacts.empty() || mesh.contacts.empty()) return;
        double nearest = HUGE_VAL;
        for (const mesh_field::MeshContact& m : mesh.contacts)
            nearest = std::min(nearest, (m.point - ours.contacts[0].point_a).norm());
        sum += nearest;
        worst = std::max(worst, nearest);
        ++touching;
    }
};

// The rock rolls along the dragon and dips into it.
std::vector<Pose> rolling(double size, std::size_t count) {
    std::vector<Pose> poses(count);
    for (std::size_t k = 0; k < count; ++k) {
        const double t = static_cast<double>(k) / static_cast<double>(count - 1);
        poses[k] = Pose::from_axis_angle(3 * t, Vec3(1, 2, 0.5).normalized(),
                                         size * Vec3(0.8 * t - 0.4, 0.52 + 0.1 * std::sin(12 * t), 0.2));
    }
    return poses;
}

void run_high_polygon(Report& report) {
    set_thread_count(1);
    constexpr double size = 5.56; // units, the paper's
    constexpr int resolution = 512;
    const PairBody dragon("dragon", sized(read_triangle_mesh(model("dragon.ply.gz")), size), resolution);
    const PairBody rock("rock", make_rock(0.7 * size, 176), resolution);
    const TriangleSphereTree ready(dragon.mesh);
    const Decomposition dragon_box = whole(*dragon.grid), rock_box = whole(*rock.grid);
    const ProtrusionPoints dragon_points = protrusion_points(*dragon.grid), rock_points = protrusion_points(*rock.grid);
    const std::vector<Pose> poses = rolling(size, 60);
    std::vector<field_field::CollideResult> ours(poses.size());
    std::vector<mesh_field::MeshContactResult> by_mesh(poses.size());
    std::vector<PlainResult> plain(poses.size());
    const auto by_paper = [&](const Pose& pose) {
        return plain_field_collision({{dragon.grid.get(), {}}, &dragon_box, dragon_points.points},
                                     {{rock.grid.get(), pose}, &rock_box, rock_points.points},
                                     {.descent = {.rule = field_field::StepRule::adaptive}, .octree_depth = 1});
    };
    const std::function<void()> rivals[] = {[&] {
                                                for (std::size_t k = 0; k < poses.size(); ++k)
                                                    ours[k] =
                                                        field_field::collide(dragon.solid, {}, rock.solid, poses[k]);
                                            },
                                            [&] {
                                                for (std::size_t k = 0; k < poses.size(); ++k)
                                                    by_mesh[k] =
                                                        mesh_field::mesh_contacts(ready, {}, *rock.grid, poses[k]);
                                            },
                                            [&] {
                                                for (std::size_t k = 0; k < poses.size(); ++k)
                                                    plain[k] = by_paper(poses[k]);
                                            }};
    const std::vector<double> seconds = race(rivals, 2);
    Agreement agreement;
    std::size_t missed = 0;
    for (std::size_t k = 0; k < poses.size(); ++k) {
        agreement.add(ours[k], by_mesh[k]);
        missed += ours[k].status == Status::overlapping && plain[k].status != Status::overlapping;
    }
    const double frames = static_cast<double>(poses.size()),
                 touching = static_cast<double>(std::max<std::size_t>(agreement.touching, 1));
    const auto add = [&](const std::string& work, const char* peer, std::size_t k, const std::string& error) {
        report.add({"high-polygon", work, "ms/frame", 1e3 * seconds[0] / frames, peer, 1e3 * seconds[k] / frames,
                    ratio(seconds[0], seconds[k]), error, dragon.megabytes() + rock.megabytes()});
    };
    add(fmt::format("dragon {} and rock {} triangles, grids of {}, {} frames", dragon.mesh.triangles.size(),
                    rock.mesh.triangles.size(), resolution, poses.size()),
        "mesh and field", 1,
        fmt::format("{} touch; deepest point {:.3f} units mean, {:.3f} worst from the mesh's contacts (paper: mostly < "
                    "0.05, worst 0.064); {} statuses differ, {} undecided",
                    agreement.touching, agreement.sum / touching, agreement.worst, agreement.differ,
                    agreement.undecided));
    add(fmt::format("the same, {} and {} protrusion points", dragon_points.points.size(), rock_points.points.size()),
        "the paper's search", 2, fmt::format("it misses {} of the frames that touch", missed));
    report.note(fmt::format(
        "mesh and field: {:.0f} contacts a frame, {:.0f} MB for the mesh; the paper: 0.22 ms beside 0.26 ms, on a GPU",
        static_cast<double>(agreement.listed) / frames, 1e-6 * static_cast<double>(ready.memory_bytes())));
    set_thread_count(0);
}

const Registration sequences("field-field/sequences", "scans that shapes slide over, frame by frame", run_sequences);
const Registration high_polygon("field-field/high-polygon", "the full dragon against a rock", run_high_polygon);

} // namespace

} // namespace fathom::bench
