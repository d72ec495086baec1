#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/field/grid/bake.h>
#include <fathom/field/mesh/mesh_sampler.h>
#include <fathom/geometry/generate/generate.h>
#include <fathom/geometry/primitive/closest_point.h>
#include <support/small_meshes.h>
#include <support/test_counts.h>

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <mutex>

namespace fathom {
namespace mesh_sampler_test {

using testing::count_of;

// Triangles of all kinds thrown about: slivers, needles, points, large and tiny ones.
TriangleMesh thrown_triangles(std::uint64_t seed, std::size_t count, double scale) {
    Random random(seed);
    TriangleMesh mesh;
    for (std::size_t t = 0; t < count; ++t) {
        const Vec3 at = random.in_ball();
        const double size = std::pow(10.0, random.uniform(-3, 0));
        const Vec3 u = size * random.direction(), v = size * random.direction();
        std::array<Vec3, 3> corners = {at, at + u, at + v};
        if (t % 7 == 1) corners[2] = at + 0.4 * u + 1e-7 * v; // a sliver
        if (t % 7 == 2) corners[2] = at + 0.4 * u;            // without area
        if (t % 31 == 3) corners = {at, at, at};              // a point
        const auto first = static_cast<Index>(mesh.vertices.size());
        for (const Vec3& c : corners) mesh.vertices.push_back(scale * c);
        mesh.triangles.push_back({first, first + 1, first + 2});
    }
    return mesh;
}

struct Case {
    std::string name;
    TriangleMesh mesh;
    int resolution;
};

std::vector<Case> cases() {
    std::vector<Case> all;
    for (const double scale : {1e-3, 1.0, 1e3}) {
        TriangleMesh creature = make_creature({.triangles = 6000});
        for (Vec3& v : creature.vertices) v = scale * (v + Vec3(0.4, -0.1, 0.2));
        all.push_back({"creature", creature, 64});
        all.push_back({"few thrown", thrown_triangles(5, 3, scale), 96});
        all.push_back({"thrown", thrown_triangles(6, 400, scale), 48});
        TriangleMesh cube = testing::cube_mesh(Vec3::Zero(), scale);
        all.push_back({"cube", cube, 80});
    }
    return all;
}

GridLayout layout_of(const Case& c) {
    const Box box = bounds(c.mesh.vertices);
    return covering_layout(box.grown(0.2 * box.size().maxCoeff()), c.resolution);
}

std::vector<char> some_bricks(const GridLayout& layout, std::uint64_t seed, std::size_t share) {
    Random random(seed);
    std::vector<char> wanted(layout.brick_count());
    for (char& w : wanted) w = random.below(share) == 0;
    wanted[0] = 1;
    return wanted;
}

TEST(MeshSampler, finds_the_distance_that_the_tree_finds_within_its_bound) {
    for (const Case& c : cases()) {
        const SurfaceTree tree(c.mesh);
        const MeshSampler sampler(c.mesh, tree);
        const GridLayout layout = layout_of(c);
        const double bound = sampler.error_bound(layout, layout.domain().size().norm());
        EXPECT_LT(bound, 1e-5 * layout.domain().size().norm()) << c.name;
        std::atomic<double> worst = 0, worst_id = 0;
        std::atomic<std::size_t> visited = 0;
        const std::vector<char> wanted = some_bricks(layout, 1, count_of(8, 1));
        sampler.sample(layout, wanted, "test", nullptr, [&](std::size_t brick, const BrickDistances& values) {
            ++visited;
            const auto b = layout.brick_position(brick);
            for (int s = 0; s < 729; s += 5) {
                const Vec3 p = layout.sample_position({b[0] * 8 + s % 9, b[1] * 8 + s / 9 % 9, b[2] * 8 + s / 81});
                const double truth = std::sqrt(tree.closest(p).squared_distance);
                const std::size_t n = static_cast<std::size_t>(s);
                worst = std::max(worst.load(), std::abs(values.distance[n] - truth));
                const double own = std::sqrt(closest_point(p, c.mesh.corners(values.nearest[n])).squared_distance);
                worst_id = std::max(worst_id.load(), own - truth);
            }
        });
        EXPECT_EQ(visited, static_cast<std::size_t>(std::count(wanted.begin(), wanted.end(), char{1})));
        EXPECT_LE(worst, bound) << c.name;
        EXPECT_LE(worst_id, 2 * bound) << c.name;
        EXPECT_GT(worst, 0.0) << c.name; // else the oracle is the thing itself
    }
}

TEST(MeshSampler, marks_every_brick_that_the_surface_comes_near_and_few_others) {
    for (const Case& c : cases()) {
        const SurfaceTree tree(c.mesh);
        const MeshSampler sampler(c.mesh, tree);
        const GridLayout layout = layout_of(c);
        const double reach = 3.3 * layout.cell;
        const std::vector<char> near = sampler.near_bricks(layout, reach, nullptr);
        Random random(2);
        std::size_t marked = 0, wasted = 0, close = 0;
        for (std::size_t b = 0; b < near.size(); ++b) {
            const auto p = layout.brick_position(b);
            const Box box{layout.sample_position({8 * p[0], 8 * p[1], 8 * p[2]}),
                          layout.sample_position({8 * p[0] + 8, 8 * p[1] + 8, 8 * p[2] + 8})};
            double least = HUGE_VAL;
            for (int trial = 0; trial < 40; ++trial)
                least = std::min(
                    least,
                    std::sqrt(tree.closest(trial < 8 ? box.corner(trial) : random.in_box(box)).squared_distance));
            if (least <= reach) {
                ++close;
                ASSERT_TRUE(near[b]) << c.name;
            }
            marked += near[b] != 0;
            wasted += near[b] != 0 && least > 2 * reach + 4 * layout.cell;
        }
        EXPECT_GT(close, 0u) << c.name;
        EXPECT_LT(marked, near.size()) << c.name;
        EXPECT_LE(wasted, marked / 20) << c.name;
    }
}

TEST(MeshSampler, gives_the_same_bytes_for_any_number_of_threads_and_any_other_bricks) {
    const Case c = cases()[0];
    const SurfaceTree tree(c.mesh);
    const MeshSampler sampler(c.mesh, tree);
    const GridLayout layout = layout_of(c);
    const auto collect = [&](std::size_t threads, std::size_t share) {
        set_thread_count(threads);
        std::vector<std::vector<double>> all(layout.brick_count());
        sampler.sample(layout, some_bricks(layout, 9, share), "test", nullptr,
                       [&](std::size_t brick, const BrickDistances& values) {
                           all[brick].assign(values.distance.begin(), values.distance.end());
                       });
        set_thread_count(0);
        return all;
    };
    const auto everything = collect(1, 1), again = collect(2, 1), part = collect(2, 5);
    EXPECT_EQ(everything, again);
    std::size_t compared = 0;
    for (std::size_t b = 0; b < part.size(); ++b)
        if (!part[b].empty()) {
            ++compared;
            EXPECT_EQ(part[b], everything[b]);
        }
    EXPECT_GT(compared, 10u);
}

class Stopper final : public Progress {
public:
    bool update(std::string_view, double fraction) override { return fraction < 0.3; }
};

TEST(MeshSampler, can_be_cancelled) {
    const Case c = cases()[0];
    const SurfaceTree tree(c.mesh);
    const MeshSampler sampler(c.mesh, tree);
    const GridLayout layout = layout_of(c);
    Stopper stopper;
    EXPECT_THROW(sampler.sample(layout, std::vector<char>(layout.brick_count(), 1), "test", &stopper,
                                [](std::size_t, const BrickDistances&) {}),
                 Error);
}

} // namespace mesh_sampler_test
} // namespace fathom
