// The backend under test, created once; every test reports its renderer. Without EGL a test is skipped with the reason.
#pragma once

#include <fathom/base/error.h>
#include <fathom/detect/depth/depth_backend.h>

#include <gtest/gtest.h>

#include <cstdio>
#include <string>

namespace fathom::testing {

struct SharedGl {
    std::unique_ptr<GlDepthBackend> backend;
    std::string why_not;
};

[[nodiscard]] inline const SharedGl& shared_gl() {
    static const SharedGl gl = [] {
        SharedGl made;
        try {
            made.backend = make_gl_depth_backend();
            std::printf("renderer: %s\n", made.backend->name().c_str());
        } catch (const Error& error) {
            if (error.cause() != Cause::unsupported) throw;
            made.why_not = error.what();
        }
        return made;
    }();
    return gl;
}

} // namespace fathom::testing

// At the top of a test.
#define FATHOM_NEEDS_GL()                                                                                              \
    if (!fathom::testing::shared_gl().backend) GTEST_SKIP() << "no OpenGL: " << fathom::testing::shared_gl().why_not;  \
    ::testing::Test::RecordProperty("renderer", fathom::testing::shared_gl().backend->name())
