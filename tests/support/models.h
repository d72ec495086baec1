// Where real meshes lie, for the tests that use them. Without the variable FATHOM_MODELS those tests are skipped and
// say so.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

namespace fathom::testing {

[[nodiscard]] inline std::filesystem::path models() {
    const char* value = std::getenv("FATHOM_MODELS");
    return value ? value : "";
}

} // namespace fathom::testing

// At the top of a test: skips it where there are no models.
#define FATHOM_NEEDS_MODELS()                                                                                          \
    if (fathom::testing::models().empty()) GTEST_SKIP() << "FATHOM_MODELS is not set: no real meshes to test with"
