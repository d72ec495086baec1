// The CPU backend against the plainest drawing of the same things.
#include <detect/depth/plain_raster.h>
#include <support/test_counts.h>

#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/base/random.h>
#include <fathom/geometry/generate/generate.h>

#include <gtest/gtest.h>

#include <cstring>

namespace fathom {

namespace cpu_backend_test {

using testing::count_of;
using testing::plain_draw;
using testing::PlainMap;
using testing::PlainRaster;

DepthView box_view(double scale, int width, int height) {
    DepthView view;
    view.pose = Pose::from_translation(Vec3(0, 0, -0.5 * scale));
    view.size = Vec3::Constant(scale);
    view.width = width;
    view.height = height;
    return view;
}

TriangleMesh soup(Random& random, std::size_t count, double reach, double extent) {
    TriangleMesh mesh;
    for (std::size_t t = 0; t < count; ++t) {
        const Vec3 middle = random.in_box(Box::around(Vec3::Zero(), Vec3::Constant(reach)));
        const double size = extent * std::pow(10.0, random.uniform(-2, 0));
        for (int k = 0; k < 3; ++k) mesh.vertices.push_back(middle + size * random.in_ball());
        const auto first = static_cast<Index>(3 * t);
        mesh.triangles.push_back({first, first + 1, first + 2});
    }
    return mesh;
}

DrawnBody body_of(const TriangleMesh& mesh, const Pose& pose = {}, Index id = 3) {
    return {std::make_shared<DrawnMesh>(mesh), pose, id};
}

std::string name(const DrawOptions& options) {
    return std::string(options.keep == Keep::nearest ? "nearest " : "farthest ") +
           (options.faces == Faces::front  ? "front"
            : options.faces == Faces::back ? "back"
                                           : "both");
}

// Checks that the primitive named by the map is there, at the depth of the map.
bool is_there(const DepthView& view, std::span<const DrawnBody> bodies, const DrawOptions& options, const DepthMap& map,
              std::size_t pixel) {
    for (const DrawnBody& body : bodies) {
        if (body.id != map.ids[pixel].body) continue;
        PlainRaster alone(view, options);
        alone.paint(body, map.ids[pixel].primitive);
        const PlainMap& plain = alone.result();
        return plain.map.covered(pixel) &&
               std::abs(plain.map.depth[pixel] - map.depth[pixel]) <= plain.tolerance[pixel];
    }
    return false;
}

struct Agreement {
    std::size_t pixels = 0, covered = 0, other_ids = 0;
};

// `edge`: a pixel may be covered in one alone where its depth is this near to a side of the box.
void expect_agreement(const DepthMap& map, const PlainMap& plain, std::span<const DrawnBody> bodies,
                      const DrawOptions& options, Agreement& sum, float edge = 0) {
    ASSERT_EQ(map.depth.size(), plain.map.depth.size());
    const auto near_side = [&](float z) { return edge > 0 && (z <= edge || z >= 1 - edge); };
    std::size_t shown = 0;
    for (std::size_t k = 0; k < map.depth.size() && shown < 5; ++k) {
        const float z = map.depth[k], w = plain.map.depth[k];
        sum.covered += map.covered(k);
        if (near_side(z) || near_side(w)) continue;
        const bool same = map.covered(k) == plain.map.covered(k) && std::abs(z - w) <= plain.tolerance[k];
        EXPECT_TRUE(same) << "pixel " << k << " of " << map.view.width << " x " << map.view.height << ": " << z
                          << " for " << w << " within " << plain.tolerance[k] << ", " << name(options);
        shown += !same;
        if (map.ids[k] == plain.map.ids[k]) {
            EXPECT_LT((map.normals[k] - plain.map.normals[k]).norm(), 1e-5f);
            continue;
        }
        ++sum.other_ids; // two at one depth but for rounding
        EXPECT_TRUE(is_there(map.view, bodies, options, map, k))
            << "pixel " << k << " names " << map.ids[k].primitive << " for " << plain.map.ids[k].primitive;
    }
    sum.pixels += map.depth.size();
}

void compare_all(DepthBackend& backend, const DepthView& view, std::span<const DrawnBody> bodies, Agreement& sum,
                 float edge = 0) {
    const auto target = backend.make_target();
    for (const Keep keep : {Keep::nearest, Keep::farthest})
        for (const Faces faces : {Faces::front, Faces::back, Faces::both}) {
            const DrawOptions options{.keep = keep, .faces = faces, .ids = true, .normals = true};
            backend.draw(view, bodies, options, *target);
            const PlainMap plain = plain_draw(view, bodies, options);
            expect_agreement(target->map(), plain, bodies, options, sum, edge);
            const std::vector<float> with_ids = target->map().depth;
            backend.draw(view, bodies, {.keep = keep, .faces = faces}, *target);
            EXPECT_EQ(target->map().depth, with_ids);
            EXPECT_TRUE(target->map().ids.empty() && target->map().normals.empty());
        }
}

TEST(CpuDepth, covers_the_same_pixels_as_the_reference_rasteriser) {
    const auto backend = make_cpu_depth_backend();
    Random random(11);
    Agreement sum;
    for (const double scale : {1e-3, 1.0, 1e3})
        for (std::size_t k = 0; k < count_of(6, 400); ++k) {
            const DepthView view =
                box_view(scale, 40 + static_cast<int>(random.below(80)), 40 + static_cast<int>(random.below(80)));
            const std::array bodies{
                body_of(soup(random, 200, 0.3 * scale, 0.4 * scale), {}, 3),
                body_of(soup(random, 20, 0.3 * scale, 0.2 * scale), {random.rotation(), Vec3::Zero()}, 9)};
            compare_all(*backend, view, bodies, sum);
        }
    EXPECT_GT(sum.covered, sum.pixels / 5);
    EXPECT_LT(sum.covered, sum.pixels * 4 / 5);
    EXPECT_LE(sum.other_ids, sum.covered / 10000);
}

TEST(CpuDepth, draws_closed_meshes_in_any_pose_like_the_reference_rasteriser) {
    const auto backend = make_cpu_depth_backend();
    Random random(12);
    Agreement sum;
    const std::array meshes{make_sphere({.radius = 0.3, .resolution = 24}), make_torus({})};
    for (std::size_t k = 0; k < count_of(4, 100); ++k)
        for (const TriangleMesh& mesh : meshes) {
            const DrawnBody body = body_of(mesh, {random.rotation(), 10 * random.direction()});
            const DepthView view = view_of(bounds(mesh.vertices), body.pose, random.direction(), {.pixels = 150});
            compare_all(*backend, view, std::span(&body, 1), sum);
        }
    EXPECT_GT(sum.covered, sum.pixels / 5);
    EXPECT_LE(sum.other_ids, sum.covered / 100);
}

TEST(CpuDepth, draws_primitives_that_reach_far_out_of_the_view) {
    const auto backend = make_cpu_depth_backend();
    Random random(13);
    Agreement sum;
    for (std::size_t k = 0; k < count_of(60, 4000); ++k) {
        const double reach = std::pow(10.0, random.uniform(0, 7));
        TriangleMesh mesh = soup(random, 6, 0.5, 0.0);
        for (Vec3& v : mesh.vertices) {
            const Vec3 away = reach * random.in_ball();
            v += random.chance(0.6) ? Vec3(away.x(), away.y(), random.uniform(-0.3, 0.3)) : away;
        }
        const DrawnBody body = body_of(mesh);
        compare_all(*backend, box_view(1, 30 + static_cast<int>(random.below(100)), 50), std::span(&body, 1), sum,
                    1e-3f);
    }
    EXPECT_GT(sum.covered, sum.pixels / 5);
    EXPECT_LT(sum.covered, sum.pixels * 4 / 5);
}

TEST(CpuDepth, draws_into_maps_of_any_shape) {
    const auto backend = make_cpu_depth_backend();
    Random random(14);
    Agreement sum;
    for (const auto& [width, height] : {std::pair(1, 1),
                                        {1, 16},
                                        {3, 5},
                                        {7, 7},
                                        {8, 8},
                                        {9, 3},
                                        {15, 40},
                                        {4096, 16},
                                        {16, 4096},
                                        {16384, 2},
                                        {2, 16384}}) {
        const std::array bodies{body_of(soup(random, 60, 0.3, 0.25)), body_of(soup(random, 3, 0.2, 5.0), {}, 4)};
        compare_all(*backend, box_view(1, width, height), bodies, sum, 1e-3f);
    }
    EXPECT_GT(sum.covered, sum.pixels / 5);
}

TEST(CpuDepth, is_the_same_for_any_number_of_threads) {
    Random random(15);
    const std::array bodies{body_of(soup(random, 3000, 0.4, 0.1)), body_of(soup(random, 4, 0.3, 0.8), {}, 8)};
    const DepthView view = box_view(1, 333, 257);
    const auto backend = make_cpu_depth_backend();
    for (const bool conservative : {false, true}) {
        DepthMap first;
        for (const std::size_t threads : {1, 2, 3}) {
            set_thread_count(threads);
            const auto target = backend->make_target();
            backend->draw(view, bodies,
                          {.faces = Faces::both, .ids = true, .normals = true, .conservative = conservative}, *target);
            const DepthMap& map = target->map();
            if (threads == 1) first = map;
            EXPECT_EQ(std::memcmp(map.depth.data(), first.depth.data(), map.depth.size() * sizeof(float)), 0);
            EXPECT_EQ(map.ids, first.ids);
            EXPECT_EQ(map.normals, first.normals);
        }
        set_thread_count(0);
    }
}

TEST(CpuDepth, peels_layers_like_the_reference_rasteriser) {
    const auto backend = make_cpu_depth_backend();
    Random random(16);
    Agreement sum;
    for (std::size_t k = 0; k < count_of(4, 100); ++k) {
        const DepthView view = box_view(1, k % 2 == 0 ? 5 : 60, 60);
        const DrawnBody body = body_of(soup(random, 150, 0.3, 0.6));
        const auto target = backend->make_target(), back = backend->make_target();
        const DrawOptions far{.keep = Keep::farthest, .faces = Faces::back};
        backend->draw(view, std::span(&body, 1), far, *back);
        const PlainMap plain_back = plain_draw(view, std::span(&body, 1), far);
        PlainMap plain;
        for (int layer = 0; layer < 4; ++layer) {
            const DrawOptions options{.faces = Faces::both,
                                      .ids = true,
                                      .normals = true,
                                      .after = layer == 0 ? nullptr : target.get(),
                                      .until = back.get()};
            backend->draw(view, std::span(&body, 1), options, *target); // in place of the layer before
            const PlainMap before = plain;
            plain = plain_draw(view, std::span(&body, 1), options, layer == 0 ? nullptr : &before, &plain_back);
            expect_agreement(target->map(), plain, std::span(&body, 1), {.faces = Faces::both}, sum);
        }
    }
    EXPECT_GT(sum.covered, sum.pixels / 20);
}

TEST(CpuDepth, draws_anything_agrees_with_the_drawing) {
    const auto backend = make_cpu_depth_backend();
    Random random(17);
    std::size_t met = 0, tests = 0;
    for (const double scale : {1e-3, 1.0, 1e3})
        for (std::size_t k = 0; k < count_of(200, 5000); ++k) {
            const DepthView view =
                box_view(scale, 1 + static_cast<int>(random.below(100)), 1 + static_cast<int>(random.below(100)));
            const DrawnBody object = body_of(soup(random, 40, 0.2 * scale, 0.5 * scale)),
                            other = body_of(soup(random, 1 + random.below(60), 0.3 * scale, 0.2 * scale),
                                            Pose::from_translation(0.5 * scale * random.in_ball()));
            const auto near = backend->make_target(), far = backend->make_target(), target = backend->make_target();
            backend->draw(view, std::span(&object, 1), {.faces = Faces::both}, *near);
            backend->draw(view, std::span(&object, 1), {.keep = Keep::farthest, .faces = Faces::both}, *far);
            const DrawOptions options{.faces = random.chance(0.5) ? Faces::both : Faces::front,
                                      .after = random.chance(0.7) ? near.get() : nullptr,
                                      .until = far.get()};
            backend->draw(view, std::span(&other, 1), options, *target);
            bool drawn = false;
            for (std::size_t p = 0; p < view.pixel_count(); ++p) drawn |= target->map().covered(p);
            ASSERT_EQ(backend->draws_anything(view, std::span(&other, 1), options, *target), drawn);
            ASSERT_EQ(backend->DepthBackend::draws_anything(view, std::span(&other, 1), options, *target), drawn);
            met += drawn, ++tests;
        }
    EXPECT_GT(met, tests / 5);
    EXPECT_LT(met, 4 * tests / 5);
}

TEST(CpuDepth, keeps_the_first_of_equal_depth) {
    const auto backend = make_cpu_depth_backend();
    TriangleMesh mesh;
    mesh.vertices = {Vec3(-1, -1, 0), Vec3(1, -1, 0), Vec3(0, 1, 0)};
    for (int k = 0; k < 300; ++k) mesh.triangles.push_back({0, 2, 1});
    const auto drawn = std::make_shared<DrawnMesh>(mesh);
    const std::array bodies{DrawnBody{drawn, {}, 5}, DrawnBody{drawn, {}, 6}};
    const auto target = backend->make_target();
    for (const Keep keep : {Keep::nearest, Keep::farthest}) {
        backend->draw(box_view(4, 64, 64), bodies, {.keep = keep, .faces = Faces::both, .ids = true}, *target);
        std::size_t covered = 0;
        for (std::size_t k = 0; k < target->map().depth.size(); ++k)
            if (target->map().covered(k)) {
                ++covered;
                EXPECT_EQ(target->map().ids[k], (DepthId{5, drawn->numbers()[0]}));
            }
        EXPECT_GT(covered, 400u);
    }
}

TEST(CpuDepth, draws_lines_and_points_like_the_reference_rasteriser) {
    const auto backend = make_cpu_depth_backend();
    Random random(17);
    Agreement sum;
    for (std::size_t k = 0; k < count_of(10, 500); ++k) {
        const double reach = k % 3 == 0 ? 40 : 0.6;
        std::vector<Vec3> places;
        std::vector<Line> lines;
        for (int p = 0; p < 300; ++p)
            places.push_back(random.in_box(Box::around(Vec3::Zero(), Vec3(reach, reach, 0.45))));
        for (Index p = 0; p + 1 < 300; p += 2) lines.push_back({p, p + (k % 5 == 0 && p % 4 == 0 ? 0 : 1)});
        const std::array bodies{DrawnBody{std::make_shared<DrawnMesh>(DrawnMesh::lines(places, lines)), {}, 1},
                                DrawnBody{std::make_shared<DrawnMesh>(DrawnMesh::points(places)),
                                          Pose::from_translation(Vec3(0.1, 0, 0)), 2}};
        compare_all(*backend, box_view(1, 70, 50), bodies, sum);
    }
    EXPECT_GT(sum.covered, sum.pixels / 5);
    EXPECT_LT(sum.covered, sum.pixels * 4 / 5);
}

TEST(CpuDepth, never_contains_an_invalid_depth) {
    const auto backend = make_cpu_depth_backend();
    Random random(18);
    std::size_t covered = 0;
    for (std::size_t k = 0; k < count_of(100, 5000); ++k) {
        TriangleMesh mesh = soup(random, 10, 1.0, 0.5);
        for (Vec3& v : mesh.vertices)
            if (random.chance(0.3)) v *= std::pow(10.0, random.uniform(-300, 300));
        for (Triangle& t : mesh.triangles)
            if (random.chance(0.2)) t[1] = t[0];
        const std::array bodies{
            body_of(mesh), DrawnBody{std::make_shared<DrawnMesh>(DrawnMesh::points(mesh.vertices)), {}, 1},
            DrawnBody{std::make_shared<DrawnMesh>(DrawnMesh::lines(mesh.vertices, std::array{Line{0, 1}, Line{1, 5}})),
                      {},
                      2}};
        const auto target = backend->make_target();
        DepthView view = box_view(std::pow(10.0, random.uniform(-30, 30)), 33, 20);
        for (const bool conservative : {false, true})
            for (const Keep keep : {Keep::nearest, Keep::farthest}) {
                backend->draw(
                    view, bodies,
                    {.keep = keep, .faces = Faces::both, .ids = true, .normals = true, .conservative = conservative},
                    *target);
                for (std::size_t p = 0; p < target->map().depth.size(); ++p) {
                    ASSERT_TRUE(target->map().depth[p] >= 0 && target->map().depth[p] <= 1);
                    ASSERT_TRUE(target->map().normals[p].allFinite());
                    ASSERT_EQ(target->map().covered(p), target->map().ids[p].body != no_index);
                    covered += target->map().covered(p);
                }
            }
    }
    EXPECT_GT(covered, 0u);
}

TEST(CpuDepth, draws_nothing_from_nothing) {
    const auto backend = make_cpu_depth_backend();
    const auto target = backend->make_target();
    const std::vector<DrawnBody> bodies{body_of({}),
                                        {std::make_shared<DrawnMesh>(DrawnMesh::points({})), {}, 1},
                                        {std::make_shared<DrawnMesh>(DrawnMesh::lines({}, {})), {}, 2}};
    for (const std::size_t count : {0, 3})
        for (const Keep keep : {Keep::nearest, Keep::farthest}) {
            backend->draw(box_view(1, 20, 20), std::span(bodies).first(count),
                          {.keep = keep, .ids = true, .normals = true}, *target);
            for (std::size_t k = 0; k < 400; ++k)
                EXPECT_TRUE(!target->map().covered(k) && target->map().ids[k] == DepthId{});
        }
}

TEST(CpuDepth, rejects_bodies_it_cannot_draw) {
    const auto backend = make_cpu_depth_backend();
    const auto target = backend->make_target(), other = backend->make_target();
    const DepthView view = box_view(1, 20, 20);
    const auto mesh = std::make_shared<DrawnMesh>(make_sphere({.radius = 0.3, .resolution = 5}));
    EXPECT_THROW(backend->draw(view, std::array{DrawnBody{}}, {}, *target), Error);
    EXPECT_THROW(backend->draw(view,
                               std::array{DrawnBody{mesh, Pose::from_translation(Vec3::Constant(std::nan(""))), 0}}, {},
                               *target),
                 Error);
    EXPECT_THROW(backend->draw(view, {}, {.after = other.get()}, *target), Error); // nothing drawn there
    backend->draw(box_view(1, 10, 20), {}, {}, *other);
    EXPECT_THROW(backend->draw(view, {}, {.after = other.get()}, *target), Error);
    backend->draw(view, {}, {}, *target);
    EXPECT_THROW((void)backend->compare(*target, *other), Error);
}

TEST(CpuDepth, comparison_of_maps_equals_a_plain_loop) {
    const auto backend = make_cpu_depth_backend();
    Random random(19);
    std::size_t none = 0, some = 0;
    for (std::size_t k = 0; k < count_of(40, 2000); ++k) {
        const DepthView view =
            box_view(1, 1 + static_cast<int>(random.below(400)), 1 + static_cast<int>(random.below(300)));
        const DrawnBody body = body_of(soup(random, 3, 0.4, 0.4)), other = body_of(soup(random, 3, 0.4, 0.4));
        const auto a = backend->make_target(), b = backend->make_target();
        backend->draw(view, std::span(&body, 1), {.keep = Keep::farthest, .faces = Faces::both}, *a);
        backend->draw(view, std::span(k % 2 == 0 ? &body : &other, 1), {.faces = Faces::both}, *b);
        DepthOverlap plain;
        for (std::size_t p = 0; p < view.pixel_count(); ++p) {
            const float deep = a->map().depth[p] - b->map().depth[p];
            if (!a->map().covered(p) || !b->map().covered(p) || deep < 0) continue;
            if (plain.pixels++ == 0 || deep > plain.deepest) plain.deepest = deep, plain.deepest_pixel = p;
        }
        const DepthOverlap found = backend->compare(*a, *b);
        EXPECT_EQ(found.pixels, plain.pixels);
        EXPECT_EQ(found.deepest, plain.deepest);
        EXPECT_EQ(found.deepest_pixel, plain.deepest_pixel);
        (plain.pixels == 0 ? none : some)++;
    }
    EXPECT_GT(none, 3u);
    EXPECT_GT(some, 10u);
}

} // namespace cpu_backend_test

} // namespace fathom
