// Compression and decompression: zlib streams (RFC 1950), raw deflate streams of zip files (RFC 1951) and gzip files
// (RFC 1952). Input is untrusted: the size after decompression is bounded before memory is allocated.
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

// Largest compression ratio of deflate (zlib's technical notes: 1032 to 1).
inline constexpr std::size_t max_inflation = 1032;

// Decompresses in steps, so that memory does not depend on the size that a stream states or has. One object per thread.
class Inflater {
public:
    enum class Wrapping { zlib, none };
    explicit Inflater(Wrapping wrapping = Wrapping::zlib);
    ~Inflater();

    struct Step {
        std::size_t taken;  // bytes read from `packed`
        std::size_t given;  // bytes written to `out`
        bool ended = false; // the stream is complete
        bool damaged = false;
    };
    void restart(); // call before each stream
    [[nodiscard]] Step step(std::span<const std::byte> packed, std::span<std::byte> out);

private:
    struct State;
    std::unique_ptr<State> state_;
};

// One complete zlib stream.
[[nodiscard]] std::string deflated(std::string_view bytes);

[[nodiscard]] std::uint32_t crc32_of(std::span<const std::byte> bytes); // as stored in zip and gzip files

[[nodiscard]] bool is_gzip(std::span<const std::byte> bytes);

// Limit (bytes) on the decompressed size of `packed` bytes. Mesh files compress 3 to 12 times, decompression bombs 1000
// times.
[[nodiscard]] constexpr std::size_t max_unpacked(std::size_t packed) { return 16 * packed + (std::size_t{8} << 20); }

// Concatenates all members of the file; zeros may follow them. Throws Error (too_large, truncated, malformed).
[[nodiscard]] Bytes unpacked_gzip(const Source& source);

} // namespace fathom
