// The seeded slice that every run takes of a long random test, and the whole that `./test --long` takes.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <string_view>

namespace fathom::testing {

[[nodiscard]] inline bool long_run() {
    const char* value = std::getenv("FATHOM_LONG");
    return value && std::string_view(value) == "1";
}

[[nodiscard]] inline std::size_t count_of(std::size_t slice, std::size_t whole) { return long_run() ? whole : slice; }

} // namespace fathom::testing
