// Steps of particles against maps: what is hit, where, and that nothing slips through.
#include <fathom/detect/depth/particle_maps.h>

#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/base/random.h>
#include <fathom/geometry/generate/generate.h>
#include <fathom/geometry/primitive/segment_triangle.h>
#include <fathom/geometry/surface_tree/surface_tree.h>
#include <support/test_counts.h>

#include <gtest/gtest.h>

#include <cmath>

namespace fathom {

namespace particle_maps_test {

ParticleMaps drawn(std::span<const DepthView> views, const TriangleMesh& mesh, const ParticleMapOptions& options = {},
                   const Pose& pose = {}) {
    ParticleMaps maps(make_cpu_depth_backend(), options);
    maps.draw(views, std::array{DrawnBody{std::make_shared<DrawnMesh>(mesh), pose, 5}});
    return maps;
}

// The first crossing of a surface from its outer side, by all triangles.
double brute_force(const TriangleMesh& mesh, const Vec3& from, const Vec3& to) {
    double first = infinity;
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
        const auto corners = mesh.corners(t);
        if (area_vector(corners).dot(to - from) >= 0) continue;
        const auto hit = segment_triangle_overlap({from, to}, corners);
        if (hit.kind != OverlapKind::none) first = std::min(first, hit.first);
    }
    return first;
}

TEST(ParticleMaps, a_tilted_plate_is_hit_where_it_is_and_with_its_normal) {
    for (const double scale : {1e-3, 1.0, 1e3}) {
        Random random(1);
        const TriangleMesh plate = make_box({.size = scale * Vec3(2, 2, 0.1), .cells = {4, 4, 1}});
        const Pose pose{random.rotation(), scale * Vec3(1, 2, 3)};
        const Pose tilted = pose * Pose::from_axis_angle(0.7, Vec3::UnitX());
        const Vec3 up = pose.rotate(Vec3::UnitZ()), normal = tilted.rotate(-Vec3::UnitZ());
        Box box = Box::around(Vec3::Zero(), scale * Vec3(1.2, 1.2, 1.2));
        const DepthView view = view_of(box, pose, Vec3::UnitZ(), {.pixels = 200});
        const ParticleMaps maps = drawn(std::array{view}, plate, {}, tilted);
        for (int k = 0; k < 300; ++k) {
            const Vec3 on = tilted * (scale * Vec3(random.uniform(-0.9, 0.9), random.uniform(-0.9, 0.9), -0.05));
            const Vec3 motion = scale * (up + 0.3 * random.direction());
            const auto hit = maps.first_hit(on - 0.3 * motion, on + 0.7 * motion);
            ASSERT_TRUE(hit);
            EXPECT_FALSE(hit->inside);
            EXPECT_NEAR(hit->at, 0.3, 1e-4);
            EXPECT_LT((hit->point - on).norm(), 2e-4 * scale);
            EXPECT_GT(hit->normal.dot(normal), 1 - 1e-6);
            EXPECT_EQ(hit->id.body, 5u);
            EXPECT_FALSE(maps.first_hit(on - 1.0 * motion, on - 0.02 * motion));
        }
    }
}

TEST(ParticleMaps, no_step_however_long_passes_a_wall_that_was_drawn) {
    Random random(2);
    const TriangleMesh wall = make_box({.size = {2, 2, 0.02}, .cells = {8, 8, 1}}); // thinner than many steps are long
    const ParticleMaps maps = drawn(views_along(bounds(wall.vertices), Vec3::UnitZ(), {.pixels = 256}), wall);
    const std::size_t count = testing::count_of(5'000, 200'000);
    std::size_t missed = 0, from_behind = 0;
    for (std::size_t k = 0; k < count; ++k) {
        const Vec3 on(random.uniform(-0.95, 0.95), random.uniform(-0.95, 0.95), 0);
        Vec3 way = random.direction();
        way.z() += std::copysign(0.2, way.z());
        const double length = std::pow(10.0, random.uniform(-1, 3));
        const auto hit = maps.first_hit(on - length * way, on + length * way);
        missed += !hit || hit->normal.dot(way) >= 0;
        from_behind += way.z() < 0;
    }
    EXPECT_EQ(missed, 0u);
    EXPECT_GT(from_behind, count / 4);
}

TEST(ParticleMaps, particles_beside_and_behind_are_not_hit_unless_exits_are_omitted) {
    const TriangleMesh ball = make_sphere({.radius = 0.5, .resolution = 12});
    const auto views = views_along(Box::around(Vec3::Zero(), Vec3::Constant(2)), Vec3::UnitZ(), {.pixels = 256});
    const ParticleMaps maps = drawn(views, ball), shadow = drawn(views, ball, {.exits = false});
    const Vec3 left(-1, 0, 1), right(1, 0, 1); // behind the ball, as the map sees it
    EXPECT_FALSE(maps.first_hit(left, right));
    EXPECT_TRUE(shadow.first_hit(left, right));
    EXPECT_FALSE(maps.first_hit(Vec3(-1, 0, 0), Vec3(-0.6, 0, 0)));
    const auto down = maps.first_hit(Vec3(0.1, 0, 1.5), Vec3(0.1, 0, -0.2));
    ASSERT_TRUE(down);
    EXPECT_NEAR(down->point.z(), std::sqrt(0.25 - 0.01), 5e-3);
    EXPECT_GT(down->normal.z(), 0.9);
    const auto across = maps.first_hit(Vec3(-1, 0, 0.1), Vec3(1, 0, 0.1));
    ASSERT_TRUE(across);
    EXPECT_NEAR(across->point.x(), -std::sqrt(0.24), 0.02);
    EXPECT_LT(across->normal.x(), -0.8);
}

TEST(ParticleMaps, a_point_inside_is_reported_with_the_nearest_exit) {
    const TriangleMesh box = make_box({.size = {1, 1, 1}, .cells = {3, 3, 3}});
    const ParticleMaps maps = drawn(views_along(bounds(box.vertices), Vec3::UnitZ(), {.pixels = 64}), box);
    for (const double z : {-0.4, 0.4}) {
        const auto hit = maps.first_hit(Vec3(0.1, 0.2, z), Vec3(0.1, 0.2, z));
        ASSERT_TRUE(hit);
        EXPECT_TRUE(hit->inside);
        EXPECT_NEAR(hit->point.z(), std::copysign(0.5, z), 1e-6);
        EXPECT_NEAR(hit->normal.z(), std::copysign(1.0, z), 1e-6);
    }
    EXPECT_FALSE(maps.contains(Vec3(0.1, 0.2, 0.51)));
}

TEST(ParticleMaps, layers_find_obstacles_behind_the_first) {
    TriangleMesh two = make_sphere({.radius = 0.3, .resolution = 10});
    const std::size_t half = two.vertices.size();
    const auto triangles = two.triangles;
    for (std::size_t k = 0; k < half; ++k) two.vertices.push_back(two.vertices[k] + Vec3(0, 0, 1));
    for (const Triangle& t : triangles)
        two.triangles.push_back(
            {t[0] + static_cast<Index>(half), t[1] + static_cast<Index>(half), t[2] + static_cast<Index>(half)});
    const auto views = views_along(bounds(two.vertices), Vec3::UnitZ(), {.pixels = 128});
    const Vec3 between(0, 0, 0.5), beyond(0, 0, 1.5);
    EXPECT_FALSE(drawn(views, two).first_hit(between, beyond));
    const auto hit = drawn(views, two, {.layers = 2}).first_hit(between, beyond);
    ASSERT_TRUE(hit);
    EXPECT_NEAR(hit->point.z(), 0.7, 5e-3);
}

// A room that every wall of is seen from its middle, made of a sphere turned inside out with dents.
TriangleMesh dented_room(double scale) {
    TriangleMesh room = make_sphere({.radius = 1, .resolution = 20});
    for (Vec3& v : room.vertices)
        v *= scale * (1 + 0.12 * std::sin(3 * v.x()) * std::cos(2 * v.y() + 1) + 0.05 * std::sin(4 * v.z()));
    for (Triangle& t : room.triangles) std::swap(t[1], t[2]);
    return room;
}

TEST(ParticleMaps, six_maps_around_a_centre_agree_with_brute_force_in_a_star_shaped_room) {
    for (const double scale : {1e-3, 1.0, 1e3}) {
        Random random(7);
        const TriangleMesh room = dented_room(scale);
        const ParticleMaps maps = drawn(views_around(bounds(room.vertices), Vec3::Zero(), {.pixels = 256}), room);
        ASSERT_EQ(maps.view_count(), 6u);
        const double pixel = maps.pixel_size();
        std::size_t hits = 0, differ = 0;
        const std::size_t count = testing::count_of(1'500, 50'000);
        for (std::size_t k = 0; k < count; ++k) {
            const Vec3 from = 0.7 * scale * random.in_ball(), to = from + 0.6 * scale * random.direction();
            const double truth = brute_force(room, from, to);
            const auto hit = maps.first_hit(from, to);
            hits += hit.has_value();
            const double step = (to - from).norm();
            // Within two pixels along the way, but where it only grazes.
            if (hit.has_value() != (truth <= 1)) {
                const double end = hit ? hit->at : truth;
                differ += std::abs(1 - end) * step > 2 * pixel;
            } else if (hit && std::abs(hit->at - truth) * step > 2 * pixel) {
                ++differ;
            }
        }
        EXPECT_GT(hits, count / 5);
        EXPECT_LT(hits, 4 * count / 5);
        EXPECT_LE(differ, count / 500) << scale;
    }
}

TEST(ParticleMaps, the_main_axis_alone_finds_most_hits_and_no_false_ones) {
    Random random(8);
    const TriangleMesh room = dented_room(1);
    const auto views = views_around(bounds(room.vertices), Vec3::Zero(), {.pixels = 128});
    const ParticleMaps every = drawn(views, room), one = drawn(views, room, {.tested = TestedMaps::main_axis});
    std::size_t found = 0, all = 0;
    for (int k = 0; k < 2'000; ++k) {
        const Vec3 from = 0.6 * random.in_ball(), to = from + 0.7 * random.direction();
        const auto some = one.first_hit(from, to), any = every.first_hit(from, to);
        EXPECT_TRUE(any || !some);
        found += some.has_value();
        all += any.has_value();
    }
    EXPECT_GT(found, 7 * all / 10);
}

TEST(ParticleMaps, same_hits_for_any_number_of_threads) {
    Random random(9);
    const TriangleMesh mesh = make_torus();
    const ParticleMaps maps = drawn(views_along(bounds(mesh.vertices), Vec3(1, 2, 3), {.pixels = 200}), mesh);
    std::vector<Vec3> from, to;
    for (int k = 0; k < 20'000; ++k) {
        from.push_back(random.in_ball());
        to.push_back(from.back() + 0.3 * random.direction());
    }
    std::vector<std::vector<ParticleHit>> results(3);
    for (std::size_t threads = 1; threads <= 3; ++threads) {
        set_thread_count(threads);
        maps.first_hits(from, to, results[threads - 1]);
    }
    set_thread_count(0);
    EXPECT_GT(results[0].size(), 1'000u);
    for (const auto& result : results) {
        ASSERT_EQ(result.size(), results[0].size());
        for (std::size_t k = 0; k < result.size(); ++k) {
            EXPECT_EQ(result[k].particle, results[0][k].particle);
            EXPECT_EQ(result[k].at, results[0][k].at);
            EXPECT_EQ(result[k].normal, results[0][k].normal);
        }
    }
    for (const ParticleHit& hit : results[0])
        EXPECT_EQ(maps.first_hit(from[hit.particle], to[hit.particle])->at, hit.at);
}

TEST(ParticleMaps, hostile_input_hits_nothing_or_is_refused) {
    const TriangleMesh box = make_box();
    const auto views = views_along(bounds(box.vertices), Vec3::UnitZ(), {.pixels = 16});
    const ParticleMaps maps = drawn(views, box);
    const double nan = std::nan("");
    EXPECT_FALSE(maps.first_hit(Vec3::Constant(nan), Vec3::Zero()));
    EXPECT_FALSE(maps.first_hit(Vec3(0, 0, -infinity), Vec3(0, 0, infinity)));
    EXPECT_FALSE(maps.first_hit(Vec3(0, 0, -1), Vec3(nan, 0, 1)));
    EXPECT_TRUE(maps.first_hit(Vec3(0, 0, -1e6), Vec3(0, 0, 1e6)));
    std::vector<ParticleHit> hits;
    EXPECT_THROW(maps.first_hits(std::array{Vec3::Zero().eval()}, {}, hits), Error);
    EXPECT_THROW(ParticleMaps(nullptr), Error);
    EXPECT_THROW(ParticleMaps(make_cpu_depth_backend(), {.layers = 0}), Error);
    EXPECT_THROW(ParticleMaps(make_cpu_depth_backend(), {.layers = 2, .exits = false}), Error);
    EXPECT_THROW((void)maps.entry(1), Error);
    EXPECT_THROW((void)drawn(views, box, {.exits = false}).exit(0), Error);
    EXPECT_THROW((void)views_around(Box{}, Vec3::Zero()), Error);
    EXPECT_THROW((void)views_around(bounds(box.vertices), Vec3::Constant(nan)), Error);
    const ParticleMaps nothing(make_cpu_depth_backend());
    EXPECT_FALSE(nothing.first_hit(-Vec3::UnitZ(), Vec3::UnitZ()));
    EXPECT_FALSE(drawn(views, TriangleMesh{}).first_hit(-Vec3::UnitZ(), Vec3::UnitZ()));
}

} // namespace particle_maps_test

} // namespace fathom
