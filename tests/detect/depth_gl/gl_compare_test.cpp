// Compute shader, fragment shader and read-back give one answer, and a brute-force loop over both maps gives it too.
#include <detect/depth_gl/gl_support.h>
#include <support/test_counts.h>

#include <fathom/base/random.h>
#include <fathom/geometry/generate/generate.h>

namespace fathom {

namespace gl_compare_test {

using testing::count_of;

DepthOverlap by_hand(const DepthMap& object, const DepthMap& environment) {
    DepthOverlap overlap;
    for (std::size_t k = object.depth.size(); k-- > 0;) {
        if (!object.covered(k) || !environment.covered(k)) continue;
        const float deep = object.depth[k] - environment.depth[k];
        if (deep < 0) continue;
        ++overlap.pixels;
        if (deep >= overlap.deepest) overlap.deepest = deep, overlap.deepest_pixel = k;
    }
    return overlap;
}

void expect_equal(const DepthOverlap& a, const DepthOverlap& b, const char* what) {
    EXPECT_EQ(a.pixels, b.pixels) << what;
    EXPECT_EQ(a.deepest, b.deepest) << what;
    EXPECT_EQ(a.deepest_pixel, b.deepest_pixel) << what;
}

struct Scene {
    DepthView view;
    std::vector<DrawnBody> object, environment;
};

struct Compared {
    DepthOverlap overlap, truth;
    bool touch = false;
};

Compared compare(GlDepthBackend& gl, const Scene& scene) {
    const auto object = gl.make_target(), environment = gl.make_target();
    gl.draw(scene.view, scene.object, {.keep = Keep::farthest, .faces = Faces::back}, *object);
    gl.draw(scene.view, scene.environment, {}, *environment);
    return {gl.compare(*object, *environment), by_hand(object->map(), environment->map()),
            gl.touch(*object, *environment)};
}

void expect_one_answer(const std::vector<std::unique_ptr<GlDepthBackend>>& backends, const Scene& scene,
                       std::size_t& hits) {
    const char* names[] = {"compute", "fragment", "read back", "automatic"};
    for (std::size_t k = 0; k < backends.size(); ++k) {
        const Compared compared = compare(*backends[k], scene);
        expect_equal(compared.overlap, compared.truth, names[k]);
        EXPECT_EQ(compared.touch, compared.truth.pixels > 0) << names[k];
        if (k == 0) hits += compared.touch;
    }
}

std::vector<std::unique_ptr<GlDepthBackend>> all_variants() {
    std::vector<std::unique_ptr<GlDepthBackend>> backends;
    for (const GlCompare compare :
         {GlCompare::compute, GlCompare::fragment, GlCompare::read_back, GlCompare::automatic})
        backends.push_back(make_gl_depth_backend({.compare = compare}));
    return backends;
}

TEST(GlComparison, every_variant_gives_the_answer_of_a_loop_over_the_maps) {
    FATHOM_NEEDS_GL();
    const auto backends = all_variants();
    Random random(1);
    const auto torus = std::make_shared<DrawnMesh>(make_torus()),
               heart = std::make_shared<DrawnMesh>(make_heart({.resolution = 12}));
    std::size_t hits = 0;
    const std::size_t count = count_of(30, 1000);
    for (std::size_t k = 0; k < count; ++k) {
        const Pose pose{random.rotation(), random.direction()};
        Scene scene{
            view_of(torus->bounds(), pose, random.direction(), {.pixels = 30 + static_cast<int>(random.below(200))}),
            {{torus, pose, 0}},
            {}};
        scene.environment = {
            {heart, {random.rotation(), pose.translation + random.uniform(0.2, 1.4) * random.direction()}, 1}};
        expect_one_answer(backends, scene, hits);
    }
    EXPECT_GT(hits, count / 5);
    EXPECT_LT(hits, count * 4 / 5);
}

// Two flat surfaces: all pixels have the same depth, and the first must be reported.
TEST(GlComparison, of_equally_deep_pixels_the_first_is_reported) {
    FATHOM_NEEDS_GL();
    const auto box = std::make_shared<DrawnMesh>(make_box({.size = {1, 1, 1}}));
    const DepthView view = view_of(Box::around(Vec3::Zero(), Vec3(1, 1, 1)), {}, Vec3::UnitZ(), {.pixels = 97});
    const Scene scene{view, {{box, {}, 0}}, {{box, Pose::from_translation({0.3, 0.2, 0.25}), 1}}};
    std::size_t hits = 0;
    expect_one_answer(all_variants(), scene, hits);
    EXPECT_EQ(hits, 1u);
}

TEST(GlComparison, maps_of_other_sizes_or_backends_are_refused) {
    FATHOM_NEEDS_GL();
    GlDepthBackend& gl = *testing::shared_gl().backend;
    const auto a = gl.make_target(), b = gl.make_target();
    EXPECT_EQ(gl.compare(*a, *b).pixels, 0u); // nothing drawn, nothing touches
    EXPECT_FALSE(gl.touch(*a, *b));
    DepthView view;
    gl.draw(view, std::span<const DrawnBody>{}, {}, *a);
    EXPECT_THROW((void)gl.compare(*a, *b), Error);
    view.width = 17;
    gl.draw(view, std::span<const DrawnBody>{}, {}, *b);
    EXPECT_THROW((void)gl.compare(*a, *b), Error);
    EXPECT_THROW((void)gl.touch(*a, *b), Error);
    EXPECT_THROW((void)gl.compare(*a, *make_cpu_depth_backend()->make_target()), Error);
    EXPECT_THROW((void)gl.compare(*a, *make_gl_depth_backend()->make_target()), Error);
}

} // namespace gl_compare_test

} // namespace fathom
