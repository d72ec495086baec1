// Unpacks gzip data that nobody believes: the size it grows to is bounded before memory is spent on it.
#pragma once

#include <fathom/base/encode/text_scanner.h>
#include <fathom/base/file.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace fathom {

// Packs and unpacks zlib streams (RFC 1950), and the bare ones of zip files (RFC 1951).

// Deflate cannot shrink by more than this (zlib's technical notes: 1032 to 1).
inline constexpr std::size_t max_inflation = 1032;

// Unpacks piece by piece, so that memory does not depend on what a stream claims or holds. One object a thread.
class Inflater {
public:
    enum class Wrapping { zlib, none };
    explicit Inflater(Wrapping wrapping = Wrapping::zlib);
    ~Inflater();

    struct Step {
        std::size_t taken;  // from `packed`
        std::size_t given;  // to `out`
        bool ended = false; // the stream is complete
        bool damaged = false;
    };
    void restart(); // before each stream
    [[nodiscard]] Step step(std::span<const std::byte> packed, std::span<std::byte> out);

private:
    struct State;
    std::unique_ptr<State> state_;
};

// One complete stream.
[[nodiscard]] std::string deflated(std::string_view bytes);

[[nodiscard]] std::uint32_t crc32_of(std::span<const std::byte> bytes); // as zip and gzip files state it

[[nodiscard]] bool is_gzip(std::span<const std::byte> bytes);

// The most that `packed` bytes may unpack to; mesh files shrink 3 to 12 times, bombs 1000 times.
[[nodiscard]] constexpr std::size_t max_unpacked(std::size_t packed) { return 16 * packed + (std::size_t{8} << 20); }

// All members of the file, one after the other; zeros may follow. Throws Error (too_large, truncated, malformed).
[[nodiscard]] Bytes unpacked_gzip(const Source& source);

} // namespace fathom
