// What a reader is given: a whole file in memory, and its name for messages.
#pragma once

#include <fathom/base/error.h>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace fathom {

struct Source {
    std::span<const std::byte> bytes; // unpacked; outlives the reading
    std::string name;                 // of the file, for messages

    [[nodiscard]] std::string_view text() const { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }
};

// `count` as stated by a file, believed only where the `available` bytes can hold that many elements of at least
// `least_bytes` each; else Error{count_mismatch}. What is allocated for it is thus bounded by the size of the file.
[[nodiscard]] std::size_t believable(std::uint64_t count, std::size_t least_bytes, std::size_t available,
                                     std::string_view element, const Place& place);

} // namespace fathom
