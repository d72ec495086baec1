#include <fathom/geometry/surface_tree/surface_tree.h>

#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/base/random.h>

#include "index/simd_targets.h"
#include "support/test_counts.h"

#include <gtest/gtest.h>

#include <cstring>
#include <numbers>

namespace fathom {
namespace surface_tree_test {

// --- Meshes
// -------------------------------------------------------------------------------------------------------------

struct Placement {
    double scale;
    Vec3 offset;
};
const std::vector<Placement>& placements() {
    static const std::vector<Placement> all = {{1, Vec3::Zero()},
                                               {1e-3, Vec3::Zero()},
                                               {1e3, Vec3(300, -2000, 0)},
                                               {1, Vec3(1e5, -3e5, 2e5)},
                                               {1e-3, Vec3(10, 20, 30)}};
    return all;
}

TriangleMesh placed(TriangleMesh mesh, const Placement& placement) {
    return mapped(std::move(mesh), [&](const Vec3& v) { return Vec3(placement.scale * v + placement.offset); });
}

// Loose triangles in [-1, 1]^3: some thin to nothing, some without area, some copies, some long needles.
TriangleMesh soup(Random& random, std::size_t count, double size) {
    TriangleMesh mesh;
    const Box cube = Box::around(Vec3::Zero(), Vec3::Ones());
    for (std::size_t k = 0; k < count; ++k) {
        const Vec3 a = random.in_box(cube);
        Vec3 b = a + size * random.in_ball(), c = a + size * random.in_ball();
        switch (k % 12) {
        case 0:
            b = c = a;
            break; // a point
        case 1:
            c = b;
            break; // a segment
        case 2:
            c = a + 0.25 * (b - a);
            break; // about collinear
        case 3:
            c = a + random.uniform() * (b - a) + 1e-9 * random.in_ball();
            break; // a sliver
        case 4:
            c = a + random.uniform() * (b - a) + 1e-4 * size * random.in_ball();
            break; // a thin one
        case 5:
            b = a + 20 * size * random.in_ball();
            c = b + 1e-3 * size * random.in_ball();
            break; // a needle
        default:
            break;
        }
        const Index first = static_cast<Index>(mesh.vertices.size());
        mesh.vertices.insert(mesh.vertices.end(), {a, b, c});
        mesh.triangles.push_back({first, first + 1, first + 2});
        if (k % 17 == 16) mesh.triangles.push_back(mesh.triangles[random.below(mesh.triangles.size())]);
    }
    return mesh;
}

// Closed, shared vertices, wound outward: the surface point(u, v) with u, v in [0, 1) that wrap around.
TriangleMesh torus(int n, int m) {
    TriangleMesh mesh;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < m; ++j) {
            const double u = 2 * std::numbers::pi * i / n, v = 2 * std::numbers::pi * j / m;
            const double r = 1 + 0.4 * std::cos(v);
            mesh.vertices.push_back({r * std::cos(u), r * std::sin(u), 0.4 * std::sin(v)});
        }
    const auto at = [&](int i, int j) { return static_cast<Index>((i % n) * m + j % m); };
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < m; ++j) {
            mesh.triangles.push_back({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
            mesh.triangles.push_back({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
        }
    return mesh;
}

// Surface of [-1, 1]^3 with n^2 squares a side; axis-aligned, so that plain rays run along its edges.
TriangleMesh cube(int n) {
    TriangleMesh mesh;
    for (int side = 0; side < 6; ++side) {
        const int axis = side / 2;
        const bool upper = side % 2 == 1;
        const Index first = static_cast<Index>(mesh.vertices.size());
        for (int i = 0; i <= n; ++i)
            for (int j = 0; j <= n; ++j) {
                Vec3 v;
                v[axis] = upper ? 1 : -1;
                v[(axis + 1) % 3] = -1 + 2.0 * i / n;
                v[(axis + 2) % 3] = -1 + 2.0 * j / n;
                mesh.vertices.push_back(v);
            }
        const auto at = [&](int i, int j) { return first + static_cast<Index>(i * (n + 1) + j); };
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j)
                for (Triangle t : {Triangle{at(i, j), at(i + 1, j), at(i + 1, j + 1)},
                                   Triangle{at(i, j), at(i + 1, j + 1), at(i, j + 1)}}) {
                    if (!upper) std::swap(t[1], t[2]);
                    mesh.triangles.push_back(t);
                }
    }
    return mesh;
}

// --- Oracles
// ------------------------------------------------------------------------------------------------------------

// By the distance to the plane or to the edges; nothing shared with the library.
double squared_distance(const Vec3& p, const std::array<Vec3, 3>& c) {
    double best = infinity;
    for (std::size_t k = 0; k < 3; ++k) {
        const Segment edge{c[k], c[(k + 1) % 3]};
        const Vec3 d = edge.end - edge.start;
        best = std::min(best, ((p - edge.start) - edge.closest_fraction(p) * d).squaredNorm());
    }
    const Vec3 n = area_vector(c);
    const double whole = n.squaredNorm(),
                 longest = std::max({(c[1] - c[0]).norm(), (c[2] - c[1]).norm(), (c[0] - c[2]).norm()});
    if (!(std::sqrt(whole) > 1e-12 * longest * longest)) return best;
    for (std::size_t k = 0; k < 3; ++k)
        if (n.dot((c[(k + 1) % 3] - c[k]).cross(p - c[k])) < 0) return best;
    return std::min(best, std::pow(n.dot(p - c[0]), 2) / whole);
}

double nearest_by_force(const TriangleMesh& mesh, const Vec3& p) {
    double best = infinity;
    for (std::size_t k = 0; k < mesh.triangles.size(); ++k) best = std::min(best, squared_distance(p, mesh.corners(k)));
    return std::sqrt(best);
}

// Volumes in long double. `margin` is how clearly the ray passes inside (positive) or outside the edges.
struct RayTruth {
    bool hit;
    bool clear;
    double t;
};
RayTruth ray_by_force(const Ray& ray, const std::array<Vec3, 3>& c) {
    using Long3 = Eigen::Matrix<long double, 3, 1>;
    const Long3 d = ray.direction.cast<long double>(), o = ray.origin.cast<long double>();
    Long3 v[3];
    for (std::size_t k = 0; k < 3; ++k) v[k] = c[k].cast<long double>() - o;
    long double w[3], size = 0;
    for (int k = 0; k < 3; ++k) {
        w[k] = d.dot(v[(k + 1) % 3].cross(v[(k + 2) % 3]));
        size = std::max(size, d.norm() * v[(k + 1) % 3].norm() * v[(k + 2) % 3].norm());
    }
    const long double slack = 1e-13L * size;
    const bool inside = (w[0] >= 0 && w[1] >= 0 && w[2] >= 0) || (w[0] <= 0 && w[1] <= 0 && w[2] <= 0);
    const bool surely_in =
        (w[0] > slack && w[1] > slack && w[2] > slack) || (w[0] < -slack && w[1] < -slack && w[2] < -slack);
    const bool maybe_in =
        (w[0] > -slack && w[1] > -slack && w[2] > -slack) || (w[0] < slack && w[1] < slack && w[2] < slack);
    const long double whole = w[0] + w[1] + w[2];
    if (!inside || whole == 0) return {false, !maybe_in, infinity};
    const Long3 p = (w[0] * v[0] + w[1] * v[1] + w[2] * v[2]) / whole;
    const double t = static_cast<double>(p.dot(d) / d.squaredNorm());
    return {t >= 0, surely_in && std::abs(t) > 1e-9 * static_cast<double>(v[0].norm()), t};
}

void expect_consistent(const TriangleMesh& mesh, const Vec3& p, const ClosestPoint& found, double tolerance) {
    ASSERT_TRUE(found.found());
    const auto c = mesh.corners(found.triangle);
    const Vec3 q = found.barycentric[0] * c[0] + found.barycentric[1] * c[1] + found.barycentric[2] * c[2];
    EXPECT_NEAR((q - found.point).norm(), 0, tolerance);
    EXPECT_NEAR((p - found.point).norm(), std::sqrt(found.squared_distance), tolerance);
    EXPECT_NEAR(found.barycentric.sum(), 1, 1e-12);
    EXPECT_GE(found.barycentric.minCoeff(), 0);
    const auto zeros = (found.barycentric.array() == 0).count();
    if (found.feature <= TriangleFeature::corner_2) {
        EXPECT_EQ(found.barycentric, Vec3::Unit(static_cast<int>(found.feature)));
        EXPECT_EQ(found.point, c[static_cast<std::size_t>(found.feature)]);
    } else if (found.feature <= TriangleFeature::edge_2) {
        EXPECT_EQ(zeros, 1);
        EXPECT_EQ(found.barycentric[(static_cast<int>(found.feature) - 3 + 2) % 3], 0);
    } else {
        EXPECT_EQ(zeros, 0);
    }
}

// --- Nearest
// ------------------------------------------------------------------------------------------------------------

TEST(SurfaceTree, the_nearest_point_agrees_with_brute_force_on_hostile_soups_at_every_scale) {
    Random random(1);
    for (const Placement& placement : placements()) {
        std::array<int, 7> features{};
        for (const double size : {0.02, 0.3, 1.5}) {
            const TriangleMesh mesh = placed(soup(random, 400, size), placement);
            const SurfaceTree tree(mesh);
            const double reach = placement.scale + placement.offset.cwiseAbs().maxCoeff();
            const double tolerance = 1e-13 * reach + 1e-12 * placement.scale;
            for (std::size_t k = 0; k < testing::count_of(150, 20000); ++k) {
                const double far = k % 9 == 0 ? 50 : 1.3;
                const Vec3 p = placement.offset + placement.scale * far * random.in_ball();
                const ClosestPoint found = tree.closest(p);
                const double expected = nearest_by_force(mesh, p);
                ASSERT_NEAR(std::sqrt(found.squared_distance), expected, tolerance + 1e-13 * far * placement.scale);
                expect_consistent(mesh, p, found, 10 * (tolerance + 1e-13 * far * placement.scale));
                ++features[static_cast<std::size_t>(found.feature)];
            }
        }
        EXPECT_GT(features[0] + features[1] + features[2], 10);
        EXPECT_GT(features[3] + features[4] + features[5], 10);
        EXPECT_GT(features[6], 10);
    }
}

TEST(SurfaceTree, points_on_the_surface_are_at_distance_zero_up_to_rounding) {
    Random random(2);
    for (const Placement& placement : placements()) {
        const TriangleMesh mesh = placed(torus(40, 24), placement);
        const SurfaceTree tree(mesh);
        for (int k = 0; k < 300; ++k) {
            const auto c = mesh.corners(random.below(mesh.triangles.size()));
            const double u = random.uniform(), v = random.uniform(0, 1 - u);
            const Vec3 p = k % 3 == 0 ? c[0] : Vec3(c[0] + u * (c[1] - c[0]) + v * (c[2] - c[0]));
            const double reach = placement.scale + placement.offset.cwiseAbs().maxCoeff();
            EXPECT_LE(std::sqrt(tree.closest(p).squared_distance), 1e-15 * reach);
        }
    }
}

TEST(SurfaceTree, a_limit_finds_points_within_it_and_nothing_else) {
    Random random(3);
    const TriangleMesh mesh = torus(30, 20);
    const SurfaceTree tree(mesh);
    int found = 0;
    for (int k = 0; k < 1000; ++k) {
        const Vec3 p = 1.6 * random.in_ball();
        const ClosestPoint truth = tree.closest(p);
        const double limit = random.uniform(0, 0.6);
        const ClosestPoint limited = tree.closest(p, limit);
        ASSERT_EQ(limited.found(), truth.squared_distance <= limit * limit);
        found += limited.found();
        if (limited.found()) {
            EXPECT_EQ(limited.triangle, truth.triangle);
            EXPECT_EQ(limited.squared_distance, truth.squared_distance);
        } else {
            EXPECT_EQ(limited.squared_distance, infinity);
        }
    }
    EXPECT_GT(found, 200);
    EXPECT_LT(found, 900);
}

TEST(SurfaceTree, of_equally_near_triangles_the_smallest_id_is_named) {
    Random random(4);
    TriangleMesh mesh = cube(6);
    append(mesh, mesh); // every triangle twice
    const SurfaceTree tree(mesh);
    for (int k = 0; k < 500; ++k) {
        const ClosestPoint found = tree.closest(3 * random.in_ball());
        ASSERT_LT(found.triangle, mesh.triangles.size() / 2);
        // A corner belongs to several triangles at the very same distance.
        const Vec3 corner = mesh.vertices[random.below(mesh.vertices.size())];
        const Vec3 p = 1.7 * corner;
        const ClosestPoint at_corner = tree.closest(p);
        for (Index t = 0; t < at_corner.triangle; ++t)
            ASSERT_GT(SurfaceTree(TriangleMesh{mesh.vertices, {mesh.triangles[t]}}).closest(p).squared_distance,
                      at_corner.squared_distance);
        if (k > 20) break;
    }
}

TEST(SurfaceTree, the_center_of_a_sphere_where_everything_ties_is_answered) {
    TriangleMesh mesh = torus(60, 40);
    for (Vec3& v : mesh.vertices) v.normalize();
    const SurfaceTree tree(mesh);
    const double expected = nearest_by_force(mesh, Vec3::Zero());
    EXPECT_NEAR(std::sqrt(tree.closest(Vec3::Zero()).squared_distance), expected, 1e-15);
    // A thousand copies of one triangle.
    const TriangleMesh copies{{Vec3::Zero(), Vec3::UnitX(), Vec3::UnitY()},
                              std::vector<Triangle>(1000, Triangle{0, 1, 2})};
    EXPECT_EQ(SurfaceTree(copies).closest(Vec3(0.2, 0.2, 3)).triangle, 0u);
}

// --- Rays
// ---------------------------------------------------------------------------------------------------------------

TEST(SurfaceTree, hits_agree_with_brute_force_on_hostile_soups_at_every_scale) {
    Random random(5);
    for (const Placement& placement : placements()) {
        const TriangleMesh mesh = placed(soup(random, 300, 0.5), placement);
        const SurfaceTree tree(mesh);
        std::size_t hit_rays = 0, decided = 0, rays = testing::count_of(300, 30000);
        for (std::size_t k = 0; k < rays; ++k) {
            Ray ray{placement.offset + placement.scale * (k % 7 == 0 ? 30 : 1.5) * random.in_ball(),
                    random.direction()};
            if (k % 4 == 0) ray.direction = Vec3::Unit(static_cast<int>(random.below(3)));
            if (k % 5 == 0) ray.direction *= 1e6 * placement.scale;
            const auto hits = tree.all_hits(ray);
            std::vector<double> t_of(mesh.triangles.size(), infinity);
            for (const SurfaceHit& hit : hits) {
                EXPECT_EQ(t_of[hit.triangle], infinity) << "the same triangle twice";
                t_of[hit.triangle] = hit.t;
            }
            for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
                const RayTruth truth = ray_by_force(ray, mesh.corners(t));
                if (!truth.clear) continue;
                ++decided;
                ASSERT_EQ(t_of[t] < infinity, truth.hit);
                if (truth.hit) {
                    ASSERT_NEAR(t_of[t], truth.t, 1e-6 * (1 + truth.t));
                }
            }
            EXPECT_TRUE(std::is_sorted(hits.begin(), hits.end(), [](const auto& a, const auto& b) {
                return a.t != b.t ? a.t < b.t : a.triangle < b.triangle;
            }));
            const SurfaceHit first = tree.first_hit(ray);
            ASSERT_EQ(first.found(), !hits.empty());
            ASSERT_EQ(tree.any_hit(ray), !hits.empty());
            if (hits.empty()) continue;
            ++hit_rays;
            EXPECT_EQ(first.t, hits[0].t);
            EXPECT_EQ(first.triangle, hits[0].triangle);
            const double between = 0.5 * (first.t + (hits.size() > 1 ? hits[1].t : 2 * first.t));
            EXPECT_TRUE(tree.any_hit(ray, first.t));
            EXPECT_EQ(tree.all_hits(ray, between).size(),
                      static_cast<std::size_t>(
                          std::count_if(hits.begin(), hits.end(), [&](auto& h) { return h.t <= between; })));
            EXPECT_FALSE(tree.first_hit(ray, first.t * (1 - 1e-9) - 1e-300).found() && first.t > 0);
        }
        EXPECT_GT(hit_rays, rays / 8);
        EXPECT_LT(hit_rays, rays * 97 / 100);
        EXPECT_GT(decided, rays * mesh.triangles.size() * 7 / 10);
    }
}

TEST(SurfaceTree, a_hit_reports_its_point_and_its_side) {
    Random random(6);
    const TriangleMesh mesh = torus(50, 30);
    const SurfaceTree tree(mesh);
    int hits = 0;
    for (int k = 0; k < 500; ++k) {
        const Vec3 origin = 3 * random.direction();
        const Ray ray{origin, (1.2 * random.in_ball() - origin).normalized()};
        const auto all = tree.all_hits(ray);
        for (std::size_t h = 0; h < all.size(); ++h) {
            ++hits;
            const auto c = mesh.corners(all[h].triangle);
            const Vec3 q = all[h].barycentric[0] * c[0] + all[h].barycentric[1] * c[1] + all[h].barycentric[2] * c[2];
            EXPECT_LT((q - ray.at(all[h].t)).norm(), 1e-13);
            EXPECT_EQ(all[h].from_behind, h % 2 == 1) << "a closed surface is entered and left in turn";
            EXPECT_EQ(all[h].from_behind, area_vector(c).dot(ray.direction) > 0);
        }
    }
    EXPECT_GT(hits, 100);
}

// Rays from inside a closed surface must get out through it, wherever they are aimed.
void expect_no_leak(const TriangleMesh& mesh, const Vec3& inside, Random& random, std::size_t rays) {
    const SurfaceTree tree(mesh);
    for (std::size_t k = 0; k < rays; ++k) {
        const auto c = mesh.corners(random.below(mesh.triangles.size()));
        const std::size_t corner = random.below(3);
        const double u = k % 3 == 0 ? 0.0 : k % 3 == 1 ? 0.5 : random.uniform();
        const Vec3 target = c[corner] + u * (c[(corner + 1) % 3] - c[corner]); // on an edge, or a corner
        const Ray ray{inside, target - inside};
        ASSERT_TRUE(tree.first_hit(ray).found());
        ASSERT_TRUE(tree.any_hit(ray));
        ASSERT_LE(tree.first_hit(ray).t, 1 + 1e-4); // not exact: the target itself was rounded off its edge
        // Through the whole: from outside, in and out again.
        const Ray across{inside + 3 * (target - inside), inside - target};
        ASSERT_LE(tree.first_hit(across).t, 2 + 1e-4);
        ASSERT_GE(tree.all_hits(across).size(), 2u);
    }
}

TEST(SurfaceTree, no_ray_slips_between_two_triangles_of_a_closed_surface) {
    Random random(7);
    const std::size_t rays = testing::count_of(3000, 300000);
    for (const Placement& placement : placements()) {
        const auto inside = [&](const Vec3& v) { return Vec3(placement.scale * v + placement.offset); };
        expect_no_leak(placed(cube(8), placement), inside(Vec3(0.1, 0.2, -0.3)), random, rays);
        expect_no_leak(placed(cube(8), placement), inside(Vec3::Zero()), random, rays);
        TriangleMesh ball = cube(12);
        for (Vec3& v : ball.vertices) v.normalize();
        expect_no_leak(placed(ball, placement), inside(Vec3(0.3, 0.1, 0.2)), random, rays);
        // Squeezed to slivers.
        expect_no_leak(placed(mapped(ball, [](const Vec3& v) { return Vec3(v.x(), v.y(), 1e-4 * v.z()); }), placement),
                       inside(Vec3(0.3, 0.1, 1e-5)), random, rays);
    }
}

TEST(SurfaceTree, a_ray_in_the_plane_of_faces_hits_the_faces_it_crosses) {
    const TriangleMesh mesh = cube(4);
    const SurfaceTree tree(mesh);
    // Along the top face, from outside: the border edges of the sides are crossed.
    const SurfaceHit hit = tree.first_hit(Ray{Vec3(-3, 0.1, 1), Vec3::UnitX()});
    ASSERT_TRUE(hit.found());
    EXPECT_NEAR(hit.t, 2, 1e-15);
    // Along an edge of the cube.
    EXPECT_TRUE(tree.any_hit(Ray{Vec3(-3, 1, 1), Vec3::UnitX()}));
    EXPECT_FALSE(tree.any_hit(Ray{Vec3(-3, 1.0000001, 1), Vec3::UnitX()}));
}

// --- Inside
// -------------------------------------------------------------------------------------------------------------

TEST(SurfaceTree, inside_agrees_with_the_closed_form) {
    Random random(8);
    for (const Placement& placement : placements()) {
        const TriangleMesh box_mesh = placed(cube(5), placement), ring = placed(torus(60, 40), placement);
        const SurfaceTree box_tree(box_mesh), ring_tree(flipped(ring));
        std::size_t inside = 0, count = testing::count_of(2000, 200000);
        for (std::size_t k = 0; k < count; ++k) {
            const Vec3 p = 1.4 * Vec3(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
            const Vec3 world = placement.scale * p + placement.offset;
            if (std::abs(p.cwiseAbs().maxCoeff() - 1) > 1e-6) {
                ASSERT_EQ(box_tree.contains(world), p.cwiseAbs().maxCoeff() < 1);
            }
            const double ring_distance = std::hypot(std::hypot(p.x(), p.y()) - 1, p.z()) - 0.4;
            if (std::abs(ring_distance) > 0.01) {
                ASSERT_EQ(ring_tree.contains(world), ring_distance < 0);
            }
            inside += box_tree.contains(world);
        }
        EXPECT_GT(inside, count / 5);
        EXPECT_LT(inside, count * 4 / 5);
    }
}

TEST(SurfaceTree, inside_is_right_where_plain_rays_would_run_into_edges_and_corners) {
    Random random(9);
    const SurfaceTree tree(cube(4));
    // Grid points share planes with vertices and edges.
    for (int x = -6; x <= 6; ++x)
        for (int y = -6; y <= 6; ++y)
            for (int z = -6; z <= 6; ++z) {
                const Vec3 p = Vec3(x, y, z) / 4;
                const double outward = p.cwiseAbs().maxCoeff();
                EXPECT_EQ(tree.contains(p), outward <= 1) << p.transpose();
            }
    // Aimed from the inside so that the first directions tried run exactly into a vertex: many vertices around a point.
    TriangleMesh ball = cube(30);
    for (Vec3& v : ball.vertices) v.normalize();
    const SurfaceTree ball_tree(ball);
    for (int k = 0; k < 500; ++k) EXPECT_TRUE(ball_tree.contains(0.99 * random.in_ball()));
}

// --- The rest
// -----------------------------------------------------------------------------------------------------------

TEST(SurfaceTree, overlapping_boxes_are_exact) {
    Random random(10);
    for (const Placement& placement : placements()) {
        const TriangleMesh mesh = placed(soup(random, 500, 0.2), placement);
        const SurfaceTree tree(mesh);
        std::size_t hits = 0;
        for (int k = 0; k < 200; ++k) {
            Box box = Box::around(placement.offset + placement.scale * random.in_ball(),
                                  Vec3::Constant(0.1 * placement.scale));
            if (k % 3 == 0) box.lower.x() = mesh.bounds(random.below(mesh.triangles.size())).upper.x();
            if (box.empty()) continue;
            std::vector<Index> expected;
            for (Index t = 0; t < mesh.triangles.size(); ++t)
                if (mesh.bounds(t).overlaps(box)) expected.push_back(t);
            ASSERT_EQ(tree.overlapping(box), expected);
            hits += !expected.empty();
        }
        EXPECT_GT(hits, 20u);
    }
}

TEST(SurfaceTree, batches_answer_in_order_and_like_single_queries_on_one_thread_and_on_two) {
    Random random(11);
    const SurfaceTree tree(torus(100, 60));
    std::vector<Vec3> points(5000);
    std::vector<Ray> rays(5000);
    for (Vec3& p : points) p = 2 * random.in_ball();
    for (Ray& ray : rays) ray = {2 * random.in_ball(), random.direction()};
    for (const std::size_t threads : {1u, 2u}) {
        set_thread_count(threads);
        std::vector<ClosestPoint> nearest(points.size());
        std::vector<SurfaceHit> hits(rays.size());
        tree.closest(points, nearest, 0.5);
        tree.first_hits(rays, hits, 1.0);
        for (std::size_t k = 0; k < points.size(); ++k) {
            const ClosestPoint single = tree.closest(points[k], 0.5);
            ASSERT_EQ(nearest[k].triangle, single.triangle);
            ASSERT_EQ(nearest[k].squared_distance, single.squared_distance);
            ASSERT_EQ(nearest[k].point, single.point);
            const SurfaceHit hit = tree.first_hit(rays[k], 1.0);
            ASSERT_EQ(hits[k].triangle, hit.triangle);
            ASSERT_EQ(hits[k].t, hit.t);
        }
    }
    set_thread_count(0);
    std::vector<ClosestPoint> few(3);
    EXPECT_THROW(tree.closest(points, few), Error);
}

TEST(SurfaceTree, every_simd_target_gives_the_same_answers) {
    Random random(12);
    const TriangleMesh mesh = soup(random, 1000, 0.3);
    const SurfaceTree tree(mesh);
    std::vector<Vec3> points(500);
    std::vector<Ray> rays(500);
    for (Vec3& p : points) p = 1.5 * random.in_ball();
    for (Ray& ray : rays) ray = {1.5 * random.in_ball(), random.direction()};
    std::vector<ClosestPoint> nearest(points.size()), again(points.size());
    std::vector<SurfaceHit> hits(rays.size()), hits_again(rays.size());
    tree.closest(points, nearest);
    tree.first_hits(rays, hits);
    int targets = 0;
    testing::for_each_simd_target([&](const char* name) {
        ++targets;
        tree.closest(points, again);
        tree.first_hits(rays, hits_again);
        for (std::size_t k = 0; k < points.size(); ++k) {
            ASSERT_EQ(nearest[k].triangle, again[k].triangle) << name;
            ASSERT_EQ(nearest[k].squared_distance, again[k].squared_distance) << name;
            ASSERT_EQ(hits[k].triangle, hits_again[k].triangle) << name;
            ASSERT_EQ(hits[k].t, hits_again[k].t) << name;
        }
    });
    EXPECT_GE(targets, 2);
}

TEST(SurfaceTree, a_refit_surface_answers_like_a_new_one) {
    Random random(13);
    TriangleMesh mesh = torus(60, 30);
    SurfaceTree tree(mesh);
    for (Vec3& v : mesh.vertices)
        v = Vec3(5 + 2 * v.x() + 0.3 * std::sin(4 * v.y()), v.z(), -v.y()) + 0.01 * random.in_ball();
    tree.refit(mesh.vertices);
    const SurfaceTree fresh(mesh);
    EXPECT_GT(tree.tree().decay(), 0.5);
    for (int k = 0; k < 500; ++k) {
        const Vec3 p = Vec3(5, 0, 0) + 3 * random.in_ball();
        EXPECT_EQ(tree.closest(p).triangle, fresh.closest(p).triangle);
        EXPECT_EQ(tree.closest(p).squared_distance, fresh.closest(p).squared_distance);
        const Ray ray{p, random.direction()};
        EXPECT_EQ(tree.first_hit(ray).t, fresh.first_hit(ray).t);
        EXPECT_EQ(tree.contains(p), fresh.contains(p));
    }
    EXPECT_THROW(tree.refit(std::span(mesh.vertices).first(3)), Error);
    std::vector<Vec3> bad = mesh.vertices;
    bad[7].x() = infinity;
    EXPECT_THROW(tree.refit(bad), Error);
    EXPECT_EQ(tree.closest(Vec3::Zero()).triangle, fresh.closest(Vec3::Zero()).triangle)
        << "a refused refit changes nothing";
}

TEST(SurfaceTree, an_empty_tree_finds_nothing) {
    const SurfaceTree none, empty{TriangleMesh{}};
    for (const SurfaceTree* tree : {&none, &empty}) {
        EXPECT_FALSE(tree->closest(Vec3::Zero()).found());
        EXPECT_FALSE(tree->first_hit(Ray{}).found());
        EXPECT_FALSE(tree->any_hit(Ray{}));
        EXPECT_TRUE(tree->all_hits(Ray{}).empty());
        EXPECT_TRUE(tree->overlapping(Box::around(Vec3::Zero(), Vec3::Ones())).empty());
        EXPECT_FALSE(tree->contains(Vec3::Zero()));
    }
    const SurfaceTree tree(cube(2));
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (const double bad : {nan, infinity, -infinity}) {
        EXPECT_FALSE(tree.closest(Vec3(0, bad, 0)).found());
        EXPECT_FALSE(tree.first_hit(Ray{Vec3(bad, 0, 0), Vec3::UnitX()}).found());
        EXPECT_FALSE(tree.any_hit(Ray{Vec3::Zero(), Vec3(bad, 0, 0)}));
        EXPECT_FALSE(tree.contains(Vec3(bad, 0, 0)));
    }
    EXPECT_FALSE(tree.closest(Vec3::Zero(), -1).found());
    EXPECT_FALSE(tree.closest(Vec3::Zero(), nan).found());
    EXPECT_FALSE(tree.first_hit(Ray{Vec3::Zero(), Vec3::Zero()}).found());
    EXPECT_FALSE(tree.first_hit(Ray{Vec3::Zero(), Vec3::UnitX()}, -1).found());
    EXPECT_THROW(SurfaceTree(TriangleMesh{{Vec3(nan, 0, 0)}, {}}), Error);
    EXPECT_THROW(SurfaceTree(TriangleMesh{{Vec3::Zero()}, {{0, 0, 1}}}), Error);
    // Nothing but points.
    const SurfaceTree dots(TriangleMesh{{Vec3::Ones()}, {{0, 0, 0}, {0, 0, 0}}});
    EXPECT_DOUBLE_EQ(dots.closest(Vec3::Zero()).squared_distance, 3);
    EXPECT_EQ(dots.closest(Vec3::Zero()).triangle, 0u);
    EXPECT_FALSE(dots.any_hit(Ray{Vec3::Zero(), Vec3::Ones()}));
}

} // namespace surface_tree_test
} // namespace fathom
