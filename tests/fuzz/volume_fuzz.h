// What the fuzz targets of volume formats share: a reader gives a sound mesh or throws Error; anything else is a
// finding.
#pragma once

#include <fathom/geometry/io/formats.h>

#include <cstdint>
#include <cstdlib>

namespace fathom::testing {

[[nodiscard]] inline Source fuzz_source(const std::uint8_t* data, std::size_t size, std::string name) {
    return {{reinterpret_cast<const std::byte*>(data), size}, std::move(name)};
}

template <class Read>
int expect_mesh_or_error(Read&& read) {
    try {
        MeshFile file = read();
        check(file.surface);
        check(file.volume);
        if (orient(file.volume) != 0) std::abort(); // it was oriented already
    } catch (const Error& error) {
        if (error.reason().empty() || error.place().file.empty()) std::abort(); // an error that helps nobody
    }
    return 0;
}

} // namespace fathom::testing
