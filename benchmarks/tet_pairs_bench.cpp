// Table `tets/pairs`: tetrahedra of deforming bodies. Overlap beside a plain test in the manner of Ganovelli et al. 2003, the
// voxel hash beside the trees, and the whole collision step of two bodies of 20,000 tetrahedra.
#include <benchmarks/report.h>
#include <fathom/base/parallel.h>
#include <fathom/base/random.h>
#include <fathom/detect/tet/tet_collision.h>
#include <fathom/geometry/generate.h>
#include <fathom/geometry/surface_tree.h>
#include <fathom/geometry/tetrahedron_tetrahedron.h>

#include <fmt/format.h>

#include <functional>

namespace fathom::bench {

namespace {

using Corners = std::array<Vec3, 4>;

// The rival: which corners of b are outside each face of a, as bits; a face that all are outside of parts the two; a corner
// outside of none is inside. Else for each edge of a the bits of its two faces are combined, and planes through that edge and a
// corner of b are tried. Both ways. In plain double, without exact signs; flat tetrahedra make it fail.
class PlainTest {
public:
    static bool overlap(const Corners& a, const Corners& b) {
        unsigned of_a[4], of_b[4];
        bool inside = false;
        if (face_parts(a, b, of_a, inside)) return false;
        if (inside) return true;
        if (edge_parts(a, b, of_a)) return false;
        if (face_parts(b, a, of_b, inside)) return false;
        return inside || !edge_parts(b, a, of_b);
    }

private:
    // The outward normal of face k: the orientation of each tetrahedron is looked at, which the published test does not.
    static Vec3 normal(const Corners& t, std::size_t k) {
        const auto& f = tetrahedron_faces[k];
        const auto at = [&](std::size_t i) -> const Vec3& { return t[static_cast<std::size_t>(f[i])]; };
        const Vec3 n = (at(1) - at(0)).cross(at(2) - at(0));
        return n.dot(t[k] - at(0)) > 0 ? Vec3(-n) : n;
    }
    static bool face_parts(const Corners& a, const Corners& b, unsigned (&outside)[4], bool& inside) {
        unsigned any = 0;
        for (std::size_t k = 0; k < 4; ++k) {
            const Vec3 n = normal(a, k);
            const Vec3& on = a[k == 0 ? 1 : 0];
            outside[k] = 0;
            for (unsigned j = 0; j < 4; ++j) outside[k] |= static_cast<unsigned>(n.dot(b[j] - on) > 0) << j;
            if (outside[k] == 15) return true;
            any |= outside[k];
        }
        inside = any != 15;
        return false;
    }
    // A plane through an edge of a that has a on one side and b on the other, if the two faces of the edge do not forbid it.
    static bool edge_parts(const Corners& a, const Corners& b, const unsigned (&outside)[4]) {
        for (std::size_t i = 0; i < 4; ++i)
            for (std::size_t j = i + 1; j < 4; ++j) {
                if ((outside[i] | outside[j]) != 15) continue; // faces i and j meet in the edge of the other two corners
                std::size_t e[2], count = 0;
                for (std::size_t k = 0; k < 4; ++k)
                    if (k != i && k != j) e[count++] = k;
                if (parted_at(a, b, e[0], e[1], i, j)) return true;
            }
        return false;
    }
    static bool parted_at(const Corners& a, const Corners& b, std::size_t p, std::size_t q, std::size_t i, std::size_t j) {
        const Vec3 edge = a[q] - a[p];
        for (const Vec3& corner : b) {
            Vec3 n = edge.cross(corner - a[p]);
            const double side_i = n.dot(a[i] - a[p]), side_j = n.dot(a[j] - a[p]);
            if (side_i * side_j < 0) continue;
            if (side_i + side_j > 0) n = -n;
            bool all = true;
            for (const Vec3& other : b) all = all && n.dot(other - a[p]) >= -1e-12 * n.norm();
            if (all) return true;
        }
        return false;
    }
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
    for (Index k = 0; k < 10000; ++k) put(soup.a, 4 * k), put(soup.b, 4 * k);
    while (soup.pairs.size() < count) {
        const auto i = static_cast<Index>(random.below(10000)), j = static_cast<Index>(random.below(10000));
        if (box_of(soup.a.corners(i)).overlaps(box_of(soup.b.corners(j)))) soup.pairs.push_back({i, j});
    }
    return soup;
}

void overlap_rows(Report& report) {
    const Soup soup = random_soup(200000);
    const std::size_t n = soup.pairs.size();
    std::vector<std::uint8_t> batch(n), single(n), plain(n);
    const std::vector<std::function<void()>> rivals = {
        [&] { tetrahedra_overlap({soup.a.vertices, soup.a.tetrahedra}, {soup.b.vertices, soup.b.tetrahedra}, soup.pairs, batch); },
        [&] {
            for (std::size_t k = 0; k < n; ++k) plain[k] = PlainTest::overlap(soup.a.corners(soup.pairs[k][0]), soup.b.corners(soup.pairs[k][1]));
        },
        [&] {
            for (std::size_t k = 0; k < n; ++k) single[k] = tetrahedra_overlap(soup.a.corners(soup.pairs[k][0]), soup.b.corners(soup.pairs[k][1]));
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
    report.add({"overlap-batch", fmt::format("pairs of tetrahedra, {:.0f} % overlap", 100.0 * static_cast<double>(hits) / static_cast<double>(n)), "ns",
                seconds[0] * scale, "plain Ganovelli", seconds[1] * scale, ratio(seconds[0], seconds[1]),
                fmt::format("{} of {} wrong (plain {})", wrong, n, plain_wrong), 0});
    report.add({"overlap-single", "the same, one by one", "ns", seconds[2] * scale, "plain Ganovelli", seconds[1] * scale, ratio(seconds[2], seconds[1]), "-", 0});
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
    const std::vector<std::function<void()>> updates = {[&] { hash.update(body.boxes); body.step(); }, [&] { tree.refit(body.boxes); body.step(); }, [&] { body.step(); }};
    const auto update = race(updates);
    hash.update(body.boxes);
    tree.refit(body.boxes);
    const auto size = static_cast<double>(hash.memory_bytes()) / 1e6;
    const double hash_update = update[0] - update[2], refit = update[1] - update[2];
    report.add({"update", "new boxes of 93,750 tetrahedra", "ms", 1e3 * hash_update, "Bvh refit", 1e3 * refit, ratio(hash_update, refit), "-", size});
    const std::vector<std::function<void()>> within = {[&] { hash.find_pairs(ours); }, [&] { packed.find_pairs(body.boxes, theirs); }};
    const auto pairs = race(within, 3);
    report.add({"pairs-within", fmt::format("{} pairs of one set", ours.size()), "ms", 1e3 * pairs[0], "PackedTree", 1e3 * pairs[1], ratio(pairs[0], pairs[1]),
                ours == theirs ? "the same pairs" : "DIFFERENT", size});
    const std::vector<Box> others(body.boxes.begin(), body.boxes.begin() + 20000);
    const Bvh other_tree(others);
    const std::vector<std::function<void()>> between = {[&] { hash.find_pairs(others, ours); }, [&] { theirs = overlapping_pairs(other_tree, tree); }};
    const auto two = race(between, 3);
    report.add({"pairs-between", fmt::format("{} pairs of two sets", ours.size()), "ms", 1e3 * two[0], "Bvh", 1e3 * two[1], ratio(two[0], two[1]),
                ours == theirs ? "the same pairs" : "DIFFERENT", size});
    std::vector<Vec3> points(50000);
    for (Vec3& p : points) p = body.random.in_box({Vec3::Constant(-0.5), Vec3::Constant(0.5)});
    std::size_t count[4] = {};
    const Vec3 step(0.03, 0.02, 0.01);
    const std::vector<std::function<void()>> queries = {
        [&] { count[0] = 0; for (const Vec3& p : points) hash.visit_containing(p, [&](Index) { return ++count[0], true; }); },
        [&] { count[1] = 0; for (const Vec3& p : points) tree.visit_overlapping({p, p}, [&](Index) { return ++count[1], true; }); },
        [&] { count[2] = 0; for (const Vec3& p : points) hash.visit_segment({p, p + step}, [&](Index) { return ++count[2], true; }); },
        [&] { count[3] = 0; for (const Vec3& p : points) tree.visit_ray({p, step}, 1.0, [&](Index) { return ++count[3], 1.0; }); }};
    const auto asked = race(queries);
    const double scale = 1e9 / static_cast<double>(points.size());
    report.add({"points", "boxes that hold a point", "ns", asked[0] * scale, "Bvh", asked[1] * scale, ratio(asked[0], asked[1]),
                count[0] == count[1] ? "the same count" : "DIFFERENT", size});
    report.add({"segments", "boxes that a segment meets", "ns", asked[2] * scale, "Bvh rays", asked[3] * scale, ratio(asked[2], asked[3]), fmt::format("{} and {} boxes", count[2], count[3]), size});
}

void step_rows(Report& report) {
    const TetMesh ball = make_tet_ball({.resolution = 10});
    const TetTopology topology(ball);
    std::vector<Vec3> at_a = ball.vertices, at_b = ball.vertices;
    for (Vec3& v : at_b) v += Vec3(0.8, 0.1, 0.05);
    const TetBody a{at_a, topology}, b{at_b, topology};
    const TriangleMesh surface{at_a, {topology.boundary().begin(), topology.boundary().end()}};
    SurfaceTree tree_a(surface), tree_b(surface);
    TetCollider collider;
    TetCollision found;
    std::size_t nodes = 0;
    Random random(7);
    const auto tremble = [&] {
        for (Vec3& v : at_a) v += 0.0002 * random.in_ball();
        for (Vec3& v : at_b) v += 0.0002 * random.in_ball();
    };
    const auto depths = [&](const TetBody& body, SurfaceTree& tree, std::span<const PointInTet> points, const SegmentsInTets& segments) {
        tree.refit(body.vertices);
        std::vector<Vec3> asked;
        for (const Index v : nodes_in_contact(body, points, segments)) asked.push_back(body.vertices[v]);
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
        report.add({fmt::format("step-{}", threads), fmt::format("two bodies of 20,000, {} threads", threads), "ms", 1e3 * best, "", 0, 0,
                    fmt::format("{} pairs, {} points, {} chains", found.pairs.size(), found.a_in_b.size() + found.b_in_a.size(),
                                found.edges_of_a.chains.size() + found.edges_of_b.chains.size()), 0});
        report.add({fmt::format("step-depth-{}", threads), "and exact depth at the nodes in contact", "ms", 1e3 * best_with_depth, "", 0, 0, fmt::format("{} nodes", nodes), 0});
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
