// What every fuzz target of a reader does: gives it the bytes, lets Errors pass, and checks the mesh that comes out.
#pragma once

#include <fathom/geometry/io/formats.h>

#include <cstdint>
#include <cstdlib>

namespace fathom::testing {

template <class Read>
int feed(const std::uint8_t* data, std::size_t size, Read read) {
    const Source source{std::as_bytes(std::span(data, size)), "fuzz"};
    try {
        const MeshFile file = read(source);
        check(file.surface); // a mesh that the reader accepts must be valid
        if (file.report.format.empty()) std::abort();
    } catch (const Error& error) {
        if (error.place().file.empty()) std::abort(); // an error that does not say where, or an invalid mesh
    }
    return 0;
}

} // namespace fathom::testing
