#include "detect/deformable/deforming_shapes.h"
#include "support/small_meshes.h"
#include "support/test_counts.h"
#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/detect/world/surface_pairs.h>

#include <gtest/gtest.h>

#include <iostream>

namespace fathom::deformable {
namespace surface_pairs_test {

// Bodies that drift and wobble in a box.
class Crowd {
public:
    Crowd(std::uint64_t seed, std::size_t count, double box) : random_(seed) {
        for (std::size_t k = 0; k < count; ++k) {
            shapes_.push_back(testing::random_shape(random_));
            poses_.push_back({random_.rotation(), random_.in_box({Vec3::Zero(), Vec3::Constant(box)})});
            waves_.emplace_back(random_, 0.05);
        }
    }
    [[nodiscard]] const std::vector<TriangleMesh>& shapes() const { return shapes_; }
    std::vector<Vec3> next(std::size_t k) {
        poses_[k].translation += 0.1 * random_.in_ball();
        for (double& phase : waves_[k].phase) phase += 0.2;
        return testing::deformed(shapes_[k], waves_[k], poses_[k], 1);
    }

private:
    Random random_;
    std::vector<TriangleMesh> shapes_;
    std::vector<Pose> poses_;
    std::vector<testing::Waves> waves_;
};

// Surfaces, their world and their narrow phase.
struct Bodies {
    World world;
    std::vector<DeformingSurface> surfaces;
    SurfacePairs pairs;

    explicit Bodies(const SurfaceQueries& queries = {}) : pairs(queries) {}
    Index add(const TriangleMesh& mesh) {
        surfaces.emplace_back(mesh);
        return world.add(Box{});
    }
    void find() { pairs.find(world, surfaces); }
    [[nodiscard]] std::span<const BodyContacts> contacts() const { return pairs.contacts(); }
};

std::vector<IdPair> pairs_of(const SurfaceContacts& result) {
    std::vector<IdPair> pairs;
    for (const SurfaceContact& c : result.contacts) pairs.push_back({c.triangle_a, c.triangle_b});
    return pairs;
}

TEST(SurfacePairs, finds_the_contacts_of_each_pair_alone_at_every_step) {
    SurfaceQueries options;
    options.vertices.emplace();
    options.proximities = SurfaceProximityOptions{.distance = 0.02};
    options.sweep = SurfaceSweepOptions{.goal = ImpactGoal::first, .contact = {.minimum_separation = 0.001}};
    Crowd crowd(1, 9, 1.9);
    Bodies scene(options);
    std::vector<DeformingSurface> alone;
    for (const TriangleMesh& mesh : crowd.shapes()) {
        scene.add(mesh);
        alone.emplace_back(mesh);
    }
    std::size_t touching = 0, apart = 0;
    for (std::size_t step = 0; step < testing::count_of(2, 100); ++step) {
        for (Index k = 0; k < alone.size(); ++k) {
            const auto next = crowd.next(k);
            scene.surfaces[k].place(alone[k].vertices(), next);
            alone[k].update(alone[k].vertices(), next);
        }
        scene.find();
        auto entry = scene.contacts().begin();
        for (Index i = 0; i < alone.size(); ++i)
            for (Index j = i + 1; j < alone.size(); ++j) {
                const bool listed = entry != scene.contacts().end() && entry->bodies == IdPair{i, j};
                const SurfaceContacts truth = surface_contacts(alone[i], alone[j]);
                const SurfaceProximities near = surface_proximities(alone[i], alone[j], *options.proximities);
                const SurfaceSweep sweep = surface_sweep(alone[i], alone[j], *options.sweep);
                if (!listed) {
                    ASSERT_TRUE(truth.contacts.empty() && near.pairs.empty() && sweep.impacts.empty());
                    ++apart;
                    continue;
                }
                ASSERT_EQ(pairs_of(entry->triangles), pairs_of(truth));
                ASSERT_EQ(entry->vertices.vertices.size(), colliding_vertices(alone[i], alone[j]).vertices.size());
                ASSERT_EQ(entry->proximities.pairs.size(), near.pairs.size());
                ASSERT_EQ(entry->sweep.time, sweep.time);
                touching += entry->touching();
                ++entry;
            }
        ASSERT_TRUE(entry == scene.contacts().end());
    }
    EXPECT_GT(touching, 10u);
    EXPECT_GT(apart, 10u);
}

TEST(SurfacePairs, gives_the_same_answers_for_one_thread_and_two) {
    const auto run = [](std::size_t threads) {
        set_thread_count(threads);
        SurfaceQueries options;
        options.self = true;
        Crowd crowd(2, 20, 2.5);
        Bodies scene(options);
        for (const TriangleMesh& mesh : crowd.shapes()) scene.add(mesh);
        std::vector<double> seen;
        for (int step = 0; step < 3; ++step) {
            for (Index k = 0; k < 20; ++k) scene.surfaces[k].place(crowd.next(k));
            scene.find();
            for (const BodyContacts& entry : scene.contacts())
                for (const SurfaceContact& c : entry.triangles.contacts)
                    seen.insert(seen.end(), {double(entry.bodies[0]), double(entry.bodies[1]), double(c.triangle_a),
                                             double(c.triangle_b), c.depth, c.separating_direction.x(),
                                             c.segment.start.x(), c.segment.end.z(), c.normal_a.y()});
        }
        set_thread_count(0);
        return seen;
    };
    const auto one = run(1);
    EXPECT_GT(one.size(), 1000u);
    EXPECT_EQ(one, run(2));
}

TEST(SurfacePairs, lists_pairs_while_their_bounds_overlap_and_forgets_removed_bodies) {
    Bodies scene;
    const TriangleMesh cube = testing::cube_mesh();
    const auto at = [&](double x) {
        std::vector<Vec3> vertices = cube.vertices;
        for (Vec3& v : vertices) v.x() += x;
        return vertices;
    };
    const Index a = scene.add(cube), b = scene.add(cube);
    scene.surfaces[b].place(at(5));
    scene.find();
    EXPECT_TRUE(scene.contacts().empty());
    EXPECT_EQ(scene.pairs.statistics().refitted, 0u);
    EXPECT_TRUE(scene.surfaces[b].stale()) << "it is in no pair";
    scene.surfaces[b].place(at(1.5));
    scene.find();
    EXPECT_EQ(scene.pairs.candidates().size(), 1u);
    ASSERT_EQ(scene.contacts().size(), 1u);
    EXPECT_TRUE(scene.contacts()[0].touching());
    EXPECT_EQ(scene.pairs.statistics().touching, 1u);
    scene.world.remove(a);
    scene.find();
    EXPECT_TRUE(scene.pairs.candidates().empty());
    EXPECT_TRUE(scene.contacts().empty());
    EXPECT_EQ(scene.world.add(Box{}), a);
    scene.find();
    EXPECT_EQ(scene.contacts().size(), 1u);
    std::vector<Vec3> bad = at(0);
    bad[3].x() = NAN;
    EXPECT_THROW(scene.surfaces[a].place(bad), Error);
    SurfaceQueries negative;
    negative.proximities = SurfaceProximityOptions{.distance = NAN};
    EXPECT_THROW(SurfacePairs{negative}, Error);
}

TEST(SurfacePairs, follows_edits_of_a_body) {
    Bodies scene;
    const Index a = scene.add(testing::cube_mesh()), b = scene.add(testing::cube_mesh({1.5, 0.1, 0.2}));
    scene.find();
    const std::size_t before = scene.contacts()[0].triangles.contacts.size();
    std::vector<Index> gone;
    for (const SurfaceContact& c : scene.contacts()[0].triangles.contacts)
        if (gone.empty() || gone.back() != c.triangle_a) gone.push_back(c.triangle_a);
    scene.surfaces[a].edit({.remove = gone});
    scene.find();
    EXPECT_GT(before, 0u);
    EXPECT_EQ(scene.contacts()[0].triangles.contacts.size(), 0u);
    EXPECT_TRUE(scene.surfaces[b].closed());
}

TEST(SurfacePairs, of_a_hundred_bodies_of_two_thousand_triangles_reports_its_time) {
    const TriangleMesh ball = make_sphere({.radius = 0.5, .resolution = 10});
    Bodies scene;
    Random random(5);
    std::vector<Vec3> at;
    for (int k = 0; k < 100; ++k) {
        scene.add(ball);
        at.push_back(random.in_box({Vec3::Zero(), Vec3::Constant(7)}));
    }
    double broad = 0, refit = 0, narrow = 0;
    std::size_t touching = 0;
    const testing::Waves waves(random, 0.03);
    for (int step = 0; step < 6; ++step) {
        for (Index k = 0; k < 100; ++k) {
            at[k] += 0.02 * random.in_ball();
            scene.surfaces[k].place(testing::deformed(ball, waves, {Quat::Identity(), at[k]}, 1));
        }
        scene.find();
        if (step == 0) continue;
        broad += scene.pairs.statistics().broad_seconds;
        refit += scene.pairs.statistics().refit_seconds;
        narrow += scene.pairs.statistics().narrow_seconds;
        touching += scene.pairs.statistics().touching;
    }
    std::cout << "a step: broad " << 200 * broad << " ms, refit " << 200 * refit << " ms, narrow " << 200 * narrow
              << " ms, " << touching / 5 << " touching pairs\n";
    EXPECT_GT(touching, 50u);
}

} // namespace surface_pairs_test
} // namespace fathom::deformable
