// Table `tets/pairs`: tetrahedra of deforming bodies. Overlap beside a plain test in the manner of Ganovelli et al.
// 2003, the voxel hash beside the trees, and the whole collision step of two bodies of 20,000 tetrahedra.
#include <benchmarks/report.h>
#include <fathom/base/parallel.h>
#include <fathom/base/random.h>
#include <fathom/detect/tet/tet_collision.h>
#include <fathom/geometry/generate/generate.h>
#include <fathom/geometry/primitive/tetrahedron_tetrahedron.h>
#include <fathom/geometry/surface_tree/surface_tree.h>

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace fathom::bench {

namespace {

using Corners = std::array<Vec3, 4>;

// The rival: how far each corner of b lies outside each face of a, and on which side as bits. A face that all are
// outside of parts the two; a corner outside of none is inside. A plane through an edge of a parts them if the heights
// over the two faces there leave room for one (seen along the edge, a half-plane that holds all corners of b and not
// a). Then the faces of b. In plain double; it looks at the orientation of each tetrahedron, which the published test
// does not; flat ones make it fail.
class PlainTest {
public:
    static bool overlap(const Corners& a, const Corners& b) {
        PlainTest of_a;
        if (of_a.face_parts(a, b)) return false;
        if ((of_a.outside_[0] | of_a.outside_[1] | of_a.outside_[2] | of_a.outside_[3]) != 15) return true;
        for (std::size_t i = 0; i < 4; ++i)
            for (std::size_t j = i + 1; j < 4; ++j)
                if (of_a.edge_parts(i, j)) return false;
        return !PlainTest().face_parts(b, a);
    }

private:
    bool face_parts(const Corners& a, const Corners& b) {
        const bool inverted = (a[1] - a[0]).cross(a[2] - a[0]).dot(a[3] - a[0]) < 0;
        for (std::size_t k = 0; k < 4; ++k) {
            const auto& f = tetrahedron_faces[k];
            const auto at = [&](int i) -> const Vec3& {
                return a[static_cast<std::size_t>(f[static_cast<std::size_t>(i)])];
            };
            Vec3 n = (at(1) - at(0)).cross(at(2) - at(0));
            if (inverted) n = -n;
            outside_[k] = 0;
            for (unsigned j = 0; j < 4; ++j) {
                height_[k][j] = n.dot(b[j] - at(0));
                outside_[k] |= static_cast<unsigned>(height_[k][j] > 0) << j;
            }
            if (outside_[k] == 15) return true;
        }
        return false;
    }
    [[nodiscard]] bool edge_parts(std::size_t f, std::size_t g) const {
        if ((outside_[f] | outside_[g]) != 15) return false;
        const unsigned only_f = outside_[f] & ~outside_[g], only_g = outside_[g] & ~outside_[f];
        for (unsigned j = 0; j < 4; ++j)
            for (unsigned i = 0; i < 4; ++i)
                if (((only_f >> j) & 1u) && ((only_g >> i) & 1u) &&
                    height_[f][j] * height_[g][i] <= height_[g][j] * height_[f][i])
                    return false;
        return true;
    }

    double height_[4][4];
    unsigned outside_[4];
};

struct Soup {
    TetMesh a, b;
    std::vector<IdPair> pairs; // of boxes that overlap
};

Box box_of(const Corners& corners) {
    Box box;
    for (const Vec3& p : corners) box.extend(p);
    return box;
}

Soup random_soup(std::size_t count) {
    Random random(5);
    Soup soup;
    const auto put = [&](TetMesh& mesh, Index first) {
        const Vec3 center = 0.55 * random.in_ball();
        for (int k = 0; k < 4; ++k) mesh.vertices.push_back(center + 0.6 * random.in_ball());
        mesh.tetrahedra.push_back({first, first + 1, first + 2, first + 3});
    };
    for (Index k = 0; k < 2000; ++k) put(soup.a, 4 * k), put(soup.b, 4 * k);
    while (soup.pairs.size() < count) {
        const auto i = static_cast<Index>(random.below(2000)), j = static_cast<Index>(random.below(2000));
        if (box_of(soup.a.corners(i)).overlaps(box_of(soup.b.corners(j)))) soup.pairs.push_back({i, j});
    }
    std::sort(soup.pairs.begin(), soup.pairs.end()); // as the broad phases give them
    return soup;
}

void overlap_rows(Report& report) {
    const Soup soup = random_soup(200000);
    const std::size_t n = soup.pairs.size();
    std::vector<std::uint8_t> batch(n), single(n), plain(n);
    const std::vector<std::function<void()>> rivals = {
        [&] {
            tetrahedra_overlap({soup.a.vertices, soup.a.tetrahedra}, {soup.b.vertices, soup.b.tetrahedra}, soup.pairs,
                               batch);
        },
        [&] {
            for (std::size_t k = 0; k < n; ++k)
                plain[k] = PlainTest::overlap(soup.a.corners(soup.pairs[k][0]), soup.b.corners(soup.pairs[k][1]));
        },
        [&] {
            for (std::size_t k = 0; k < n; ++k)
                single[k] = tetrahedra_overlap(soup.a.corners(soup.pairs[k][0]), soup.b.corners(soup.pairs[k][1]));
        }};
    const auto seconds = race(rivals);
    std::size_t hits = 0, wrong = 0, plain_wrong = 0;
    for (std::size_t k = 0; k < n; ++k) {
        const bool truth = tetrahedra_overlap_exact(soup.a.corners(soup.pairs[k][0]), soup.b.corners(soup.pairs[k][1]));
        hits += truth;
        wrong += batch[k] != (truth ? 1 : 0);
        plain_wrong += plain[k] != (truth ? 1 : 0);
    }
    const double scale = 1e9 / static_cast<double>(n);
    report.add({"overlap-batch",
                fmt::format("pairs of tetrahedra, {:.0f} % overlap",
                            100.0 * static_cast<double>(hits) / static_cast<double>(n)),
                "ns", seconds[0] * scale, "plain Ganovelli", seconds[1] * scale, ratio(seconds[0], seconds[1]),
                fmt::format("{} of {} wrong (plain {})", wrong, n, plain_wrong), 0});
    report.add({"overlap-single", "the same, one by one", "ns", seconds[2] * scale, "plain Ganovelli",
                seconds[1] * scale, ratio(seconds[2], seconds[1]), "-", 0});
}

// A box of 93,750 tetrahedra that trembles.
struct Trembling {
    TetMesh mesh = make_tet_box({.cells = {25, 25, 25}});
    std::vector<Vec3> rest = mesh.vertices;
    std::vector<Box> boxes = std::vector<Box>(mesh.tetrahedra.size());
    Random random{6};

    void step() {
        for (std::size_t k = 0; k < rest.size(); ++k) mesh.vertices[k] = rest[k] + 0.006 * random.in_ball();
        for (std::size_t k = 0; k < boxes.size(); ++k) boxes[k] = box_of(mesh.corners(k));
    }
};

void index_rows(Report& report) {
    Trembling body;
    body.step();
    VoxelHash hash;
    PackedTree packed;
    Bvh tree(body.boxes);
    std::vector<IdPair> ours, theirs;
    hash.update(body.boxes);
    body.step();
    const std::vector<std::function<void()>> updates = {[&] {
                                                            hash.update(body.boxes);
                                                            body.step();
                                                        },
                                                        [&] {
                                                            tree.refit(body.boxes);
                                                            body.step();
                                                        },
                                                        [&] { body.step(); }};
    const auto update = race(updates);
    hash.update(body.boxes);
    tree.refit(body.boxes);
    const auto size = static_cast<double>(hash.memory_bytes()) / 1e6;
    const double hash_update = update[0] - update[2], refit = update[1] - update[2];
    report.add({"update", "new boxes of 93,750 tetrahedra", "ms", 1e3 * hash_update, "Bvh refit", 1e3 * refit,
                ratio(hash_update, refit), "-", size});
    const std::vector<std::function<void()>> within = {[&] { hash.find_pairs(ours); },
                                                       [&] { packed.find_pairs(body.boxes, theirs); }};
    const auto pairs = race(within, 3);
    report.add({"pairs-within", fmt::format("{} pairs of one set", ours.size()), "ms", 1e3 * pairs[0], "PackedTree",
                1e3 * pairs[1], ratio(pairs[0], pairs[1]), ours == theirs ? "the same pairs" : "DIFFERENT", size});
    const std::vector<Box> others(body.boxes.begin(), body.boxes.begin() + 20000);
    const Bvh other_tree(others);
    const std::vector<std::function<void()>> between = {[&] { hash.find_pairs(others, ours); },
                                                        [&] { theirs = overlapping_pairs(other_tree, tree); }};
    const auto two = race(between, 3);
    report.add({"pairs-between", fmt::format("{} pairs of two sets", ours.size()), "ms", 1e3 * two[0], "Bvh",
                1e3 * two[1], ratio(two[0], two[1]), ours == theirs ? "the same pairs" : "DIFFERENT", size});
    std::vector<Vec3> points(50000);
    for (Vec3& p : points) p = body.random.in_box({Vec3::Constant(-0.5), Vec3::Constant(0.5)});
    std::size_t count[4] = {};
    const Vec3 step(0.03, 0.02, 0.01);
    const std::vector<std::function<void()>> queries = {
        [&] {
            count[0] = 0;
            for (const Vec3& p : points) hash.visit_containing(p, [&](Index) { return ++count[0], true; });
        },
        [&] {
            count[1] = 0;
            for (const Vec3& p : points) tree.visit_overlapping({p, p}, [&](Index) { return ++count[1], true; });
        },
        [&] {
            count[2] = 0;
            for (const Vec3& p : points) hash.visit_segment({p, p + step}, [&](Index) { return ++count[2], true; });
        },
        [&] {
            count[3] = 0;
            for (const Vec3& p : points) tree.visit_ray({p, step}, 1.0, [&](Index) { return ++count[3], 1.0; });
        }};
    const auto asked = race(queries);
    const double scale = 1e9 / static_cast<double>(points.size());
    report.add({"points", "boxes that hold a point", "ns", asked[0] * scale, "Bvh", asked[1] * scale,
                ratio(asked[0], asked[1]), count[0] == count[1] ? "the same count" : "DIFFERENT", size});
    report.add({"segments", "boxes that a segment meets", "ns", asked[2] * scale, "Bvh rays", asked[3] * scale,
                ratio(asked[2], asked[3]), fmt::format("{} and {} boxes", count[2], count[3]), size});
}

void step_rows(Report& report) {
    const TetMesh ball = make_tet_ball({.resolution = 10});
    const tet::TetTopology topology(ball);
    std::vector<Vec3> at_a = ball.vertices, at_b = ball.vertices;
    for (Vec3& v : at_b) v += Vec3(0.8, 0.1, 0.05);
    const tet::TetBody a{at_a, topology}, b{at_b, topology};
    const TriangleMesh surface{at_a, {topology.boundary().begin(), topology.boundary().end()}};
    SurfaceTree tree_a(surface), tree_b(surface);
    tet::TetCollider collider;
    tet::TetCollision found;
    std::size_t nodes = 0;
    Random random(7);
    const auto tremble = [&] {
        for (Vec3& v : at_a) v += 0.0002 * random.in_ball();
        for (Vec3& v : at_b) v += 0.0002 * random.in_ball();
    };
    const auto depths = [&](const tet::TetBody& body, SurfaceTree& tree, std::span<const tet::PointInTet> points,
                            const tet::SegmentsInTets& segments) {
        tree.refit(body.vertices);
        std::vector<Vec3> asked;
        for (const Index v : tet::nodes_in_contact(body, points, segments)) asked.push_back(body.vertices[v]);
        std::vector<ClosestPoint> closest(asked.size());
        tree.closest(asked, closest);
        nodes += asked.size();
    };
    for (const std::size_t threads : {1, 2}) {
        set_thread_count(threads);
        double best = 1e9, best_with_depth = 1e9;
        for (int k = 0; k < 30; ++k) {
            tremble();
            const double step = wall_seconds([&] { found = collider.collide(a, b); });
            nodes = 0;
            const double depth = wall_seconds([&] {
                depths(a, tree_a, found.b_in_a, found.edges_of_b);
                depths(b, tree_b, found.a_in_b, found.edges_of_a);
            });
            best = std::min(best, step);
            best_with_depth = std::min(best_with_depth, step + depth);
        }
        report.add({fmt::format("step-{}", threads), fmt::format("two bodies of 20,000, {} threads", threads), "ms",
                    1e3 * best, "", 0, 0,
                    fmt::format("{} pairs, {} points, {} chains", found.pairs.size(),
                                found.a_in_b.size() + found.b_in_a.size(),
                                found.edges_of_a.chains.size() + found.edges_of_b.chains.size()),
                    0});
        report.add({fmt::format("step-depth-{}", threads), "and exact depth at the nodes in contact", "ms",
                    1e3 * best_with_depth, "", 0, 0, fmt::format("{} nodes", nodes), 0});
    }
}

void run(Report& report) {
    set_thread_count(1);
    overlap_rows(report);
    index_rows(report);
    step_rows(report);
    set_thread_count(0);
}

const Registration registration("tets/pairs", "tetrahedra that meet; one thread where not said", run);

} // namespace

} // namespace fathom::bench
