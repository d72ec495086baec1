// Bytes as base64, and as gzip.
#include <fathom/show/base64_text.h>

#include <fathom/base/encode/byte_writer.h>
#include <fathom/base/encode/zlib_bytes.h>

namespace fathom {

std::string as_base64(std::string_view bytes) {
    constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t k = 0; k < bytes.size(); k += 3) {
        std::uint32_t group = 0;
        for (std::size_t j = 0; j < 3; ++j)
            group = group << 8 | (k + j < bytes.size() ? static_cast<std::uint8_t>(bytes[k + j]) : 0u);
        for (std::size_t j = 0; j < 4; ++j) text += k + j <= bytes.size() ? digits[group >> (18 - 6 * j) & 63] : '=';
    }
    return text;
}

// A zlib stream holds what a gzip member does, between another head and another tail.
std::string as_gzip(std::string_view bytes) {
    constexpr std::size_t zlib_head = 2, zlib_tail = 4;
    const std::string stream = deflated(bytes);
    std::string packed("\x1f\x8b\x08\0\0\0\0\0\0\xff", 10);
    packed.append(stream, zlib_head, stream.size() - zlib_head - zlib_tail);
    append_little_endian(packed, crc32_of(std::as_bytes(std::span(bytes))));
    append_little_endian(packed, static_cast<std::uint32_t>(bytes.size()));
    return packed;
}

} // namespace fathom
