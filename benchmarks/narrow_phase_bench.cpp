// Tables `deformable/refit`, `deformable/narrow` and `deformable/volumes`: the index inside bodies that deform, beside
// FCL and Bullet's GImpact, and boxes against spheres in it. One thread; all see the same two frames of a motion, in
// turn.
#include <benchmarks/bullet_peer.h>
#include <benchmarks/fcl_peer.h>
#include <benchmarks/pair_models.h>
#include <benchmarks/report.h>
#include <fathom/base/parallel.h>
#include <fathom/geometry/generate/generate.h>
#include <fathom/geometry/inspect/mesh_report.h>
#include <fathom/geometry/io/mesh_file.h>
#include <fathom/geometry/mesh/components.h>
#include <fathom/geometry/mesh/weld.h>
#include <fathom/geometry/primitive/triangle_triangle.h>
#include <fathom/index/body_octree_pairs.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace fathom::bench {

namespace {

using Pairs = std::vector<IdPair>;

std::span<const Index> corners_of(const TriangleMesh& mesh) {
    return {mesh.triangles.data()->data(), 3 * mesh.triangles.size()};
}

// A mesh at two times. Rivals see one frame after the other, so that every step moves all points.
struct Moving {
    TriangleMesh mesh;
    std::array<std::vector<Vec3>, 2> frames;

    explicit Moving(TriangleMesh start) : mesh(std::move(start)) {
        frames[0] = mesh.vertices;
        for (const Vec3& p : mesh.vertices)
            frames[1].push_back(p + 0.01 * Vec3(std::sin(9 * p.y()), std::sin(7 * p.z() + 1), std::sin(8 * p.x() + 2)));
    }
    Moving(TriangleMesh start, const TriangleMesh& end) : mesh(std::move(start)), frames{mesh.vertices, end.vertices} {}

    [[nodiscard]] BodyOctree tree(BodyOctreeOptions options = {}) const {
        options.storage = PointStorage::views;
        options.rebuild_at = 0;
        return {frames[0], corners_of(mesh), 3, options};
    }
    [[nodiscard]] TriangleMesh at(std::size_t frame) const {
        TriangleMesh result = mesh;
        result.vertices = frames[frame];
        return result;
    }
};

// Calls step(0), step(1), step(0), ... over the rounds of a race.
template <class Step>
std::function<void()> alternating(Step step) {
    return [step, frame = std::size_t{0}]() mutable { step(frame ^= 1); };
}

// Reads all vertices, reads and writes all nodes: what no refit can do without.
struct Stream {
    std::vector<BvhNode> nodes;
    double sum = 0;

    void run(std::span<const Vec3> points) {
        static_assert(sizeof(BvhNode) == 64 * sizeof(std::uint32_t));
        sum = Eigen::Map<const Eigen::ArrayXd>(points.data()->data(), 3 * std::ssize(points)).sum();
        Eigen::Map<Eigen::Array<std::uint32_t, Eigen::Dynamic, 1>> words(reinterpret_cast<std::uint32_t*>(nodes.data()),
                                                                         64 * std::ssize(nodes));
        words += 1u;
    }
};

// Primitives whose box is not inside the box of their leaf.
std::size_t left_outside(const BodyOctree& tree) {
    std::size_t count = 0;
    for (const BvhNode& node : tree.nodes())
        for (const std::uint32_t word : node.child) {
            if (word == no_index || !BvhNode::is_leaf(word)) continue;
            const Box box = tree.box_of(word);
            for (const Index id : tree.leaf(word & ~BvhNode::leaf_bit)) {
                const Box inner = tree.primitive_box(id);
                count += !(box.contains(inner.lower) && box.contains(inner.upper));
            }
        }
    return count;
}

void touch_all_memory() {
    static std::vector<char> memory(std::size_t{64} << 20);
    for (std::size_t k = 0; k < memory.size(); k += 64) ++memory[k];
}

// Each from a cold cache.
std::vector<double> cold_race(std::span<const std::function<void()>> rivals, int rounds) {
    std::vector<double> best(rivals.size(), 1e300);
    for (int round = 0; round < rounds; ++round)
        for (std::size_t k = 0; k < rivals.size(); ++k) {
            touch_all_memory();
            best[k] = std::min(best[k], race(rivals.subspan(k, 1), 1)[0]);
        }
    return best;
}

void refit_rows(Report& report, const std::string& size, std::size_t resolution) {
    const Moving body(make_sphere({.resolution = resolution}));
    BodyOctree boxes = body.tree(), spheres = body.tree({.volume = NodeVolume::sphere}),
               copies(body.frames[0], corners_of(body.mesh), 3, {.rebuild_at = 0});
    Stream stream{{boxes.nodes().begin(), boxes.nodes().end()}};
    FclMesh fcl(body.mesh);
    BulletMesh bullet(body.mesh);
    const std::function<void()> quick[] = {alternating([&](std::size_t k) { boxes.update(body.frames[k]); }),
                                           alternating([&](std::size_t k) { stream.run(body.frames[k]); }),
                                           alternating([&](std::size_t k) { copies.update(body.frames[k]); }),
                                           alternating([&](std::size_t k) { spheres.update(body.frames[k]); })};
    const std::function<void()> slow[] = {
        alternating([&](std::size_t k) { BodyOctree(body.frames[k], corners_of(body.mesh), 3); }),
        alternating([&](std::size_t k) { fcl.move(body.frames[k], true); }),
        alternating([&](std::size_t k) { fcl.move(body.frames[k], false); }),
        alternating([&](std::size_t k) { bullet.move(body.frames[k]); })};
    std::vector<double> times = race(quick, resolution < 100 ? 400 : 40);
    const std::vector<double> cold = cold_race(quick, 10), slow_times = race(slow, resolution < 100 ? 4 : 2);
    times.insert(times.end(), slow_times.begin(), slow_times.end());
    const std::string work = fmt::format("refit {} triangles, boxes", size),
                      error = fmt::format("{} boxes outside their leaf", left_outside(boxes));
    const char* const peers[] = {"",
                                 "stream vertices and nodes once",
                                 "ours with copies",
                                 "ours, spheres",
                                 "our build",
                                 "FCL refit",
                                 "FCL rebuild",
                                 "Bullet GImpact"};
    const char* const names[] = {"", "stream", "copies", "spheres", "build", "fcl-refit", "fcl-rebuild", "bullet"};
    for (std::size_t k = 1; k < times.size(); ++k)
        report.add({fmt::format("refit-{}-{}", names[k], size), work, "ms", 1e3 * times[0], peers[k], 1e3 * times[k],
                    ratio(times[0], times[k]), error, 1e-6 * static_cast<double>(boxes.memory_bytes())});
    set_thread_count(2);
    double two = 1e300;
    for (int round = 0; round < 50; ++round)
        two = std::min(two, wall_seconds([&] { boxes.update(body.frames[static_cast<std::size_t>(round % 2)]); }));
    set_thread_count(1);
    report.note(fmt::format("{} triangles: {:.2f} times the stream warm; cold {:.3g} ms, {:.2f} times the stream of "
                            "{:.3g} ms (spheres {:.3g} ms); on 2 threads, wall, warm: {:.3g} ms",
                            size, times[0] / times[1], 1e3 * cold[0], cold[0] / cold[1], 1e3 * cold[1], 1e3 * cold[3],
                            1e3 * two));
}

std::size_t differing(const Pairs& a, const Pairs& b) {
    Pairs only;
    std::ranges::set_symmetric_difference(a, b, std::back_inserter(only));
    return only.size();
}

// Two bodies that deform, in contact: ours refits both, and judges the triangles of all overlapping boxes exactly.
struct Contact {
    const Moving &a, &b;
    BodyOctree tree_a = a.tree(), tree_b = b.tree();
    FclMesh fcl_a{a.mesh}, fcl_b{b.mesh};
    BulletMesh bullet_a{a.mesh}, bullet_b{b.mesh};
    BulletWorld bullet{};
    Pairs ours{}, by_refit{}, by_rebuild{}, by_bullet{};

    void run_ours(std::size_t k) {
        tree_a.update(a.frames[k]);
        tree_b.update(b.frames[k]);
        ours.clear();
        const auto triangle = [&](const Moving& body, Index id) -> std::array<Vec3, 3> {
            const Triangle& t = body.mesh.triangles[id];
            return {body.frames[k][t[0]], body.frames[k][t[1]], body.frames[k][t[2]]};
        };
        visit_overlapping_primitives(tree_a, tree_b, [&](Index i, Index j) {
            if (triangles_overlap(triangle(a, i), triangle(b, j))) ours.push_back({i, j});
            return true;
        });
        std::sort(ours.begin(), ours.end());
    }
    void run_fcl(std::size_t k, bool refit, Pairs& found) {
        fcl_a.move(a.frames[k], refit);
        fcl_b.move(b.frames[k], refit);
        found = crossing_triangles(fcl_a, fcl_b);
    }
    void run_bullet(std::size_t k) {
        bullet_a.move(a.frames[k]);
        bullet_b.move(b.frames[k]);
        by_bullet = bullet.crossing_triangles(bullet_a, bullet_b);
    }
};

void contact_rows(Report& report, const std::string& id, const std::string& work, const Moving& a, const Moving& b,
                  int rounds) {
    Contact contact{a, b};
    const std::function<void()> ours[] = {alternating([&](std::size_t k) { contact.run_ours(k); })};
    const std::function<void()> peers[] = {
        alternating([&](std::size_t k) { contact.run_fcl(k, true, contact.by_refit); }),
        alternating([&](std::size_t k) { contact.run_fcl(k, false, contact.by_rebuild); }),
        alternating([&](std::size_t k) { contact.run_bullet(k); })};
    const double time = race(ours, 10 * rounds)[0]; // both end with the frame they began with
    const std::vector<double> theirs = race(peers, rounds);
    const auto add = [&](const char* name, const char* peer, double seconds, const Pairs& found) {
        report.add({fmt::format("narrow-{}-{}", name, id), work, "ms/step", 1e3 * time, peer, 1e3 * seconds,
                    ratio(time, seconds),
                    fmt::format("{} pairs, {} of theirs differ", contact.ours.size(), differing(contact.ours, found)),
                    0});
    };
    add("fcl-refit", "FCL refit", theirs[0], contact.by_refit);
    add("fcl-rebuild", "FCL rebuild", theirs[1], contact.by_rebuild);
    add("bullet", "Bullet GImpact", theirs[2], contact.by_bullet);
}

TriangleMesh part_of(const TriangleMesh& mesh, std::span<const Index> triangles) {
    TriangleMesh part{mesh.vertices, {}};
    for (const Index t : triangles) part.triangles.push_back(mesh.triangles[t]);
    return without_unreferenced_vertices(part);
}

// All pairs of triangles of one mesh that cross, after a refit, beside those of a tree built for the frame.
void self_row(Report& report, const Moving& cloth) {
    BodyOctree tree = cloth.tree();
    const std::array<TriangleMesh, 2> meshes{cloth.at(0), cloth.at(1)};
    Pairs ours;
    std::size_t boxes = 0;
    SelfIntersections fresh;
    const std::function<void()> rivals[] = {alternating([&](std::size_t k) {
                                                tree.update(cloth.frames[k]);
                                                ours.clear();
                                                boxes = 0;
                                                visit_overlapping_primitives(tree, [&](Index i, Index j) {
                                                    ++boxes;
                                                    if (triangles_cross(meshes[k], i, j)) ours.push_back({i, j});
                                                    return true;
                                                });
                                            }),
                                            alternating([&](std::size_t k) { fresh = self_intersections(meshes[k]); })};
    const std::vector<double> times = race(rivals, 4);
    std::sort(ours.begin(), ours.end());
    std::erase_if(fresh.pairs, [&](const IdPair& pair) { // neighbours are not among ours
        return std::ranges::find_first_of(cloth.mesh.triangles[pair[0]], cloth.mesh.triangles[pair[1]]) !=
               cloth.mesh.triangles[pair[0]].end();
    });
    report.add({"narrow-cloth-self", "cloth on ball, 92,230 triangles: refit + self pairs", "ms/step", 1e3 * times[0],
                "our wide tree, rebuilt", 1e3 * times[1], ratio(times[0], times[1]),
                fmt::format("{} box pairs, {} cross, {} differ", boxes, ours.size(), differing(ours, fresh.pairs)), 0});
}

void cloth_rows(Report& report) {
    const auto first = test_model("cloth_ball92.ply"), second = test_model("cloth_ball93.ply");
    if (!first || !second)
        return report.note("cloth on ball: not measured, its two frames are not there (FATHOM_MODELS)");
    const TriangleMesh start = read_triangle_mesh(*first), end = read_triangle_mesh(*second);
    self_row(report, {start, end});
    const Components parts = components(start);
    std::vector<std::size_t> order(parts.parts.size());
    for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
    std::ranges::sort(order, std::greater{}, [&](std::size_t k) { return parts.parts[k].triangle_count; });
    if (order.size() < 2) return report.note("cloth on ball: one part, where two were expected");
    const auto moving = [&](std::size_t k) {
        const auto triangles = parts.triangles_of_part[order[k]];
        return Moving(part_of(start, triangles), part_of(end, triangles));
    };
    const Moving cloth = moving(0), ball = moving(1);
    contact_rows(report, "cloth",
                 fmt::format("cloth ({}) against ball ({}), refit + pairs", cloth.mesh.triangles.size(),
                             ball.mesh.triangles.size()),
                 cloth, ball, 4);
}

void run_refit(Report& report) {
    set_thread_count(1);
    const std::pair<std::size_t, std::string> sizes[] = {{22, "10k"}, {71, "100k"}, {224, "1M"}};
    for (const auto& [resolution, size] : sizes) refit_rows(report, size, resolution);
    set_thread_count(0);
}

void run_narrow(Report& report) {
    set_thread_count(1);
    const std::pair<std::size_t, std::string> sizes[] = {{16, "10k"}, {50, "100k"}, {158, "1M"}};
    for (const auto& [resolution, size] : sizes) {
        const TriangleMesh ball = make_sphere({.resolution = resolution});
        const Moving a(ball), b(mapped(ball, [](const Vec3&p) -> Vec3 { return p + Vec3(0.9, 0.05, 0.02); }));
        contact_rows(report, size, fmt::format("two deforming balls, {} triangles in all, refit + pairs", size), a, b,
                     resolution < 100 ? 4 : 2);
    }
    cloth_rows(report);
    set_thread_count(0);
}

// What a kind of volume needs for all relative poses.
struct VolumeCost {
    std::size_t tests = 0, leaf_pairs = 0, meeting = 0;
    double milliseconds = 0;
    double leaf_volume = 0; // of all leaves, at rest (m^3)
};

double leaf_volume(const BodyOctree& tree) {
    double sum = 0;
    for (const BvhNode& node : tree.nodes())
        for (const std::uint32_t word : node.child) {
            if (word == no_index || !BvhNode::is_leaf(word)) continue;
            sum += tree.options().volume == NodeVolume::box ? tree.box_of(word).size().prod()
                                                            : 4.18879 * std::pow(tree.sphere_of(word).radius, 3);
        }
    return sum;
}

VolumeCost measure_volumes(const TriangleMesh& mesh, const BodyOctreeOptions& options, std::span<const Pose> poses) {
    BodyOctreeOptions fixed = options;
    fixed.rebuild_at = 0;
    const BodyOctree a(mesh.vertices, corners_of(mesh), 3, fixed);
    BodyOctree b = a;
    VolumeCost cost;
    cost.leaf_volume = leaf_volume(a);
    std::vector<Vec3> moved(mesh.vertices.size());
    for (const Pose& pose : poses) {
        std::ranges::transform(mesh.vertices, moved.begin(),
                               [&](const Vec3& p) -> Vec3 { return pose.rotation * p + pose.translation; });
        b.update(moved);
        NodeOverlap found;
        const std::function<void()> work[] = {[&] { found = overlapping_nodes(a, b); }};
        cost.milliseconds += 1e3 * race(work, 5)[0];
        cost.tests += found.volume_tests;
        cost.leaf_pairs += found.pairs.size();
        cost.meeting += !found.pairs.empty();
    }
    return cost;
}

// Any turn, at any distance from deep inside to clear of each other.
std::vector<Pose> relative_poses(std::size_t count) {
    Random random(5);
    std::vector<Pose> poses(count);
    for (Pose& pose : poses) {
        pose.rotation = random.rotation();
        pose.translation = random.uniform(0.3, 1.3) * random.direction();
    }
    return poses;
}

void volume_rows(Report& report, const std::string& shape, const TriangleMesh& mesh) {
    const std::vector<Pose> poses = relative_poses(200);
    const std::pair<BodySplit, const char*> splits[] = {
        {BodySplit::median, "median"}, {BodySplit::octants, "octants"}, {BodySplit::surface_area, "surface area"}};
    const std::pair<SphereRule, const char*> rules[] = {{SphereRule::points, "equation 5"},
                                                        {SphereRule::cube, "equations 3, 4"}};
    for (const auto& [split, split_name] : splits) {
        const VolumeCost boxes = measure_volumes(mesh, {.split = split}, poses);
        for (const auto& [rule, rule_name] : rules) {
            const VolumeCost spheres =
                measure_volumes(mesh, {.volume = NodeVolume::sphere, .split = split, .sphere_rule = rule}, poses);
            report.add({fmt::format("volumes-{}-{}-{}", shape, split == BodySplit::surface_area ? "area" : split_name,
                                    rule == SphereRule::points ? "points" : "cube"),
                        fmt::format("{}, {} triangles, split by {}: boxes", shape, mesh.triangles.size(), split_name),
                        "ms/200 poses", boxes.milliseconds, fmt::format("spheres, {}", rule_name), spheres.milliseconds,
                        ratio(boxes.milliseconds, spheres.milliseconds),
                        fmt::format("tests {} : {}, leaf pairs {} : {}, poses {} : {}, volume 1 : {:.2f}", boxes.tests,
                                    spheres.tests, boxes.leaf_pairs, spheres.leaf_pairs, boxes.meeting, spheres.meeting,
                                    spheres.leaf_volume / boxes.leaf_volume),
                        0});
        }
    }
}

void run_volumes(Report& report) {
    set_thread_count(1);
    volume_rows(report, "ball", make_sphere({.resolution = 10}));
    volume_rows(report, "torus", make_torus({.segments = 44, .tube_segments = 23}));
    volume_rows(report, "creature", make_creature({.triangles = 2000}));
    set_thread_count(0);
}

const Registration refit("deformable/refit", "volumes of one deforming body fitted to its moved points", run_refit);
const Registration narrow("deformable/narrow", "all crossing triangles of two deforming bodies, a step at a time",
                          run_narrow);
const Registration volumes("deformable/volumes", "boxes against spheres: tests, time, tightness", run_volumes);

} // namespace

} // namespace fathom::bench
