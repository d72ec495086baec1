#include "detect/deformable/deforming_shapes.h"
#include "support/models.h"
#include "support/small_meshes.h"
#include "support/test_counts.h"
#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/detect/deformable/surface_contacts.h>
#include <fathom/geometry/io/mesh_file.h>

#include <gtest/gtest.h>

#include <chrono>
#include <iostream>

namespace fathom::deformable {
namespace surface_sweep_test {

constexpr double scales[] = {1e-3, 1.0, 1e3};

// A surface that both moves and deforms over the step.
DeformingSurface random_step(Random& random, const TriangleMesh& mesh, double scale, const Vec3& from, const Vec3& to) {
    const Pose start{random.rotation(), from}, end{start.rotation, to};
    DeformingSurface surface(mesh);
    surface.update(testing::deformed(mesh, testing::Waves(random, 0.05), start, scale),
                   testing::deformed(mesh, testing::Waves(random, 0.05), end, scale));
    return surface;
}

std::vector<SurfaceImpact> impacts_by_brute_force(const DeformingSurface& a, const DeformingSurface& b,
                                                  const ContinuousContactOptions& options) {
    const bool self = &a == &b;
    std::vector<SurfaceImpact> found;
    const auto keep = [&](const FeaturePair& pair, const TimeOfImpact& impact) {
        if (impact.hit) found.push_back({pair, impact});
    };
    const auto try_faces = [&](const DeformingSurface& of, const DeformingSurface& in, bool swapped) {
        for (Index v = 0; v < of.vertices().size(); ++v)
            for (Index t = 0; t < in.triangle_limit(); ++t) {
                const Triangle& f = in.triangle(t);
                if (self && std::find(f.begin(), f.end(), v) != f.end()) continue;
                keep({FeatureKind::vertex_face, swapped, {v, f[0], f[1], f[2]}, t},
                     time_of_impact(
                         VertexFaceStep{of.start_vertices()[v], in.start_corners(t), of.vertices()[v], in.corners(t)},
                         options));
            }
    };
    try_faces(a, b, false);
    if (!self) try_faces(b, a, true);
    const auto edges = [](const DeformingSurface& s) {
        return edge_table(s.mesh().triangles, s.vertices().size()).edges;
    };
    const auto segment = [](std::span<const Vec3> v, const Edge& e) -> Segment { return {v[e[0]], v[e[1]]}; };
    for (const Edge& e : edges(a))
        for (const Edge& f : edges(b)) {
            if (self && (!(e < f) || e[0] == f[0] || e[0] == f[1] || e[1] == f[0] || e[1] == f[1])) continue;
            keep({FeatureKind::edge_edge, false, {e[0], e[1], f[0], f[1]}, no_index},
                 time_of_impact(EdgeEdgeStep{segment(a.start_vertices(), e), segment(b.start_vertices(), f),
                                             segment(a.vertices(), e), segment(b.vertices(), f)},
                                options));
        }
    std::sort(found.begin(), found.end(), [](const SurfaceImpact& p, const SurfaceImpact& q) {
        return p.impact.time != q.impact.time ? p.impact.time < q.impact.time : p.features < q.features;
    });
    return found;
}

void expect_same(const std::vector<SurfaceImpact>& found, const std::vector<SurfaceImpact>& truth) {
    ASSERT_EQ(found.size(), truth.size());
    for (std::size_t k = 0; k < found.size(); ++k) {
        ASSERT_EQ(found[k].features, truth[k].features);
        ASSERT_EQ(found[k].impact.time, truth[k].impact.time);
    }
}

TEST(SurfaceSweep, equals_brute_force_over_all_features) {
    Random random(1);
    std::size_t hits = 0;
    const std::size_t count = testing::count_of(20, 1000);
    for (std::size_t k = 0; k < count; ++k) {
        const double scale = scales[k % 3];
        const DeformingSurface a = random_step(random, make_sphere({.radius = 0.4, .resolution = 2}), scale,
                                               Vec3::Zero(), 0.2 * random.direction());
        const DeformingSurface b = random_step(random, make_cloth({.size = {0.8, 0.8}, .cells = {5, 5}}), scale,
                                               1.2 * random.direction(), 1.2 * random.direction());
        const ContinuousContactOptions contact{.minimum_separation = k % 2 ? 0.02 * scale : 0.0};
        const auto truth = impacts_by_brute_force(a, b, contact);
        const SurfaceSweep all = surface_sweep(a, b, {.contact = contact});
        expect_same(all.impacts, truth);
        hits += !truth.empty();
        ASSERT_EQ(all.status, truth.empty() ? Status::disjoint : Status::overlapping);

        const SurfaceSweep first = surface_sweep(a, b, {.goal = ImpactGoal::first, .contact = contact});
        ASSERT_EQ(first.status, all.status);
        ASSERT_EQ(first.impacts.size(), truth.empty() ? 0u : 1u);
        ASSERT_NEAR(first.time, all.time, 1e-4);
    }
    EXPECT_GT(hits, count / 5);
    EXPECT_LT(hits, count * 9 / 10);
}

TEST(SurfaceSweep, of_a_surface_with_itself_equals_brute_force) {
    Random random(2);
    std::size_t hits = 0;
    const std::size_t count = testing::count_of(20, 1000);
    for (std::size_t k = 0; k < count; ++k) {
        const TriangleMesh flat = make_cloth({.size = {1, 1}, .cells = {5, 5}});
        DeformingSurface sheet(flat);
        sheet.update(testing::deformed(flat, testing::Waves(random, 0.1), {}, scales[k % 3]),
                     testing::deformed(flat, testing::Waves(random, random.uniform(0, 1.5)), {}, scales[k % 3]));
        const auto truth = impacts_by_brute_force(sheet, sheet, {});
        expect_same(surface_sweep(sheet).impacts, truth);
        hits += !truth.empty();
    }
    EXPECT_GT(hits, count / 5);
    EXPECT_LT(hits, count);
}

TEST(SurfaceSweep, always_finds_a_thin_sheet_thrown_through_another) {
    Random random(3);
    const TriangleMesh cloth = make_cloth({.size = {1, 1}, .cells = {8, 8}});
    for (std::size_t k = 0; k < testing::count_of(40, 5000); ++k) {
        const double scale = scales[k % 3];
        const double speed = std::pow(10.0, random.uniform(0, 4)); // sheets in a step
        DeformingSurface target(cloth), thrown(cloth);
        target.update(testing::deformed(cloth, testing::Waves(random, 0.05), {}, scale));
        const Vec3 aim = Vec3(random.uniform(-0.3, 0.3), random.uniform(-0.3, 0.3), 0);
        const Vec3 way = (random.direction() + Vec3(0, 0, 3)).normalized() * speed;
        const double part = random.uniform(0.3, 0.7);
        const testing::Waves waves(random, 0.05);
        const Quat turn = random.rotation();
        thrown.update(testing::deformed(cloth, waves, {turn, aim - part * way}, scale),
                      testing::deformed(cloth, waves, {turn, aim + (1 - part) * way}, scale));
        const SurfaceSweep first = surface_sweep(thrown, target, {.goal = ImpactGoal::first});
        ASSERT_EQ(first.status, Status::overlapping) << k;
        // They touch within the time that it takes to move by their sizes, around the time at which the centres
        // coincide.
        ASSERT_NEAR(first.time, part, 2 / speed);
    }
}

TEST(SurfaceSweep, is_the_same_for_one_thread_and_two_and_keeps_the_earliest) {
    Random random(4);
    const TriangleMesh ball = make_sphere({.radius = 0.5, .resolution = 12}),
                       cloth = make_cloth({.size = {2, 2}, .cells = {30, 30}});
    const DeformingSurface a = random_step(random, ball, 1, {0, 0, 1}, {0, 0, -1}),
                           b = random_step(random, cloth, 1, Vec3::Zero(), Vec3::Zero());
    const auto ask = [&] { return std::pair(surface_sweep(a, b), surface_sweep(a, b, {.goal = ImpactGoal::first})); };
    set_thread_count(1);
    const auto one = ask();
    set_thread_count(2);
    const auto two = ask();
    set_thread_count(0);
    ASSERT_GT(one.first.impacts.size(), 100u);
    expect_same(two.first.impacts, one.first.impacts);
    expect_same(two.second.impacts, one.second.impacts);
    EXPECT_EQ(one.second.tested, two.second.tested);
    const SurfaceSweep cut = surface_sweep(a, b, {.max_impacts = 10});
    EXPECT_TRUE(cut.more_contacts);
    ASSERT_EQ(cut.impacts.size(), 10u);
    EXPECT_EQ(cut.impacts.back().features, one.first.impacts[9].features);
}

TEST(SurfaceSweep, takes_a_surface_without_a_start_to_stand_still) {
    TriangleMesh cube = testing::cube_mesh();
    DeformingSurface still(cube), moving(cube);
    std::vector<Vec3> from = cube.vertices, to = cube.vertices;
    for (Vec3& v : from) v.x() += 4;
    for (Vec3& v : to) v.x() += 1;
    moving.update(from, to);
    EXPECT_NEAR(surface_sweep(still, moving).time, 2.0 / 3, 1e-5);
    EXPECT_EQ(surface_sweep(still, moving, {.contact = {.latest = 0.5}}).status, Status::disjoint);
    EXPECT_THROW(static_cast<void>(surface_sweep(still, moving, {.contact = {.minimum_separation = NAN}})), Error);
    EXPECT_EQ(surface_sweep(DeformingSurface(TriangleMesh{}), moving).status, Status::disjoint);
}

// Has some feature of one triangle hit one of the other? All fifteen pairs, whoever owns them.
bool has_impact(const DeformingSurface& surface, const IdPair& pair, const std::vector<FeaturePair>& impacts) {
    const auto is_in = [&](const FeaturePair& features) {
        return std::binary_search(impacts.begin(), impacts.end(), features);
    };
    const auto& [s, t] = pair;
    const Triangle &p = surface.triangle(s), &q = surface.triangle(t);
    for (std::size_t i = 0; i < 3; ++i) {
        if (is_in({FeatureKind::vertex_face, false, {p[i], q[0], q[1], q[2]}, t}) ||
            is_in({FeatureKind::vertex_face, false, {q[i], p[0], p[1], p[2]}, s}))
            return true;
        for (std::size_t j = 0; j < 3; ++j) {
            Edge e = edge_at(surface, s, i), f = edge_at(surface, t, j);
            if (f < e) std::swap(e, f);
            if (is_in({FeatureKind::edge_edge, false, {e[0], e[1], f[0], f[1]}, no_index})) return true;
        }
    }
    return false;
}

TEST(SurfaceSweep, of_a_real_cloth_misses_no_triangles_that_cross_after_the_step_but_not_before) {
    FATHOM_NEEDS_MODELS();
    const TriangleMesh before = read_triangle_mesh(testing::models() / "cloth_ball92.ply"),
                       after = read_triangle_mesh(testing::models() / "cloth_ball93.ply");
    ASSERT_EQ(before.triangles, after.triangles);
    DeformingSurface cloth(before);
    const auto timed = [](const char* what, auto&& ask) {
        const auto start = std::chrono::steady_clock::now();
        const auto answer = ask();
        std::cout << what << ": "
                  << std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count()
                  << " ms\n";
        return answer;
    };
    timed("update over the step", [&] { return cloth.update(before.vertices, after.vertices), 0; });
    const SurfaceSweep sweep = timed("continuous self-collision", [&] { return surface_sweep(cloth); });
    const SurfaceContacts contacts =
        timed("crossing triangles", [&] { return surface_contacts(cloth, {.depth = ContactDepth::none}); });
    std::cout << before.triangles.size() << " triangles, " << sweep.tested << " pairs of features tested, "
              << sweep.impacts.size() << " impacts, " << contacts.contacts.size() << " crossing pairs\n";
    std::vector<FeaturePair> impacts;
    for (const SurfaceImpact& impact : sweep.impacts) impacts.push_back(impact.features);
    std::sort(impacts.begin(), impacts.end());
    std::size_t new_pairs = 0, missed = 0;
    for (const SurfaceContact& c : contacts.contacts) {
        const Triangle &p = cloth.triangle(c.triangle_a), &q = cloth.triangle(c.triangle_b);
        const bool neighbours = std::find_first_of(p.begin(), p.end(), q.begin(), q.end()) != p.end();
        if (neighbours || triangles_cross(before, c.triangle_a, c.triangle_b)) continue;
        ++new_pairs;
        missed += !has_impact(cloth, {c.triangle_a, c.triangle_b}, impacts);
    }
    EXPECT_GT(new_pairs, 1000u);
    EXPECT_EQ(missed, 0u);
}

} // namespace surface_sweep_test
} // namespace fathom::deformable
