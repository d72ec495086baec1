// What the fuzz targets of networks share: a reader gives a sound network, which its own file keeps, or throws Error
// that says where; anything else is a finding.
#pragma once

#include <fathom/field/neural_io/network_file.h>
#include <fathom/field/neural_io/network_formats.h>

#include <cstdint>
#include <cstdlib>

namespace fathom::testing {

inline int feed_network(std::span<const std::byte> bytes, const char* name) {
    try {
        const NetworkFile file = read_network_file(bytes, name);
        const std::string again = written_fnet(file.network, file.note);
        if (file.format.empty() ||
            written_fnet(read_fnet({std::as_bytes(std::span(again)), name}).network, file.note) != again)
            std::abort();
    } catch (const Error& error) {
        if (error.reason().empty() || error.place().file.empty()) std::abort(); // an error that helps nobody
    }
    return 0;
}

inline int feed_network(const std::uint8_t* data, std::size_t size, const char* name) {
    return feed_network(std::as_bytes(std::span(data, size)), name);
}

} // namespace fathom::testing
