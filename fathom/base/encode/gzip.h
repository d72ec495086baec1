// Unpacks gzip data that nobody believes: the size it grows to is bounded before memory is spent on it.
#pragma once

#include <fathom/base/file.h>
#include <fathom/base/encode/source.h>

namespace fathom {

[[nodiscard]] bool is_gzip(std::span<const std::byte> bytes);

// The most that `packed` bytes may unpack to; mesh files shrink 3 to 12 times, bombs 1000 times.
[[nodiscard]] constexpr std::size_t most_unpacked(std::size_t packed) { return 16 * packed + (std::size_t{8} << 20); }

// All members of the file, one after the other; zeros may follow. Throws Error (too_large, truncated, malformed).
[[nodiscard]] Bytes unpacked_gzip(const Source& source);

} // namespace fathom
