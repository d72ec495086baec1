// Some backend is always there, and says which it is.
#include <fathom/base/error.h>
#include <fathom/detect/depth/depth_backend.h>
#include <fathom/geometry/generate/generate.h>

#include <gtest/gtest.h>

namespace fathom {

namespace pick_backend_test {

TEST(PickBackend, always_gives_one_that_draws) {
    const DrawnBody body{std::make_shared<DrawnMesh>(make_box()), {}, 0};
    const DepthView view = view_of(body.mesh->bounds(), {}, Vec3::UnitZ(), {.pixels = 50, .margin = 0});
    for (const DepthPreference preference : {DepthPreference::fastest, DepthPreference::cpu, DepthPreference::gl}) {
        const auto backend = make_depth_backend(preference);
        EXPECT_FALSE(backend->name().empty());
        const auto object = backend->make_target(), environment = backend->make_target();
        backend->draw(view, {&body, 1}, {.keep = Keep::farthest, .faces = Faces::back}, *object);
        backend->draw(view, {&body, 1}, {}, *environment);
        EXPECT_EQ(backend->compare(*object, *environment).pixels, 48u * 48u) << backend->name();
    }
    EXPECT_EQ(make_depth_backend(DepthPreference::cpu)->name(), "CPU");
}

TEST(PickBackend, the_reason_is_reported_without_opengl) {
    try {
        (void)make_gl_depth_backend();
    } catch (const Error& error) {
        EXPECT_EQ(error.cause(), Cause::unsupported);
        EXPECT_EQ(make_depth_backend(DepthPreference::gl)->name(), "CPU (" + error.reason() + ")");
    }
}

} // namespace pick_backend_test

} // namespace fathom
