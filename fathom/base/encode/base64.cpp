// Base64 decoding and encoding, and byte feeds.
#include <fathom/base/encode/base64.h>

#include <fathom/base/encode/bytes.h>
#include <fathom/base/encode/gzip.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace fathom {

namespace {

constexpr std::array<std::uint8_t, 256> digits = [] {
    constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::array<std::uint8_t, 256> table{};
    table.fill(no_base64_digit);
    for (std::size_t i = 0; i < alphabet.size(); ++i)
        table[static_cast<unsigned char>(alphabet[i])] = static_cast<std::uint8_t>(i);
    return table;
}();

} // namespace

std::uint8_t base64_digit(char c) { return digits[static_cast<unsigned char>(c)]; }

std::optional<std::vector<std::byte>> from_base64(std::string_view text) {
    while (text.ends_with('=')) text.remove_suffix(1);
    std::vector<std::byte> bytes;
    bytes.reserve(text.size() * 3 / 4 + 1);
    std::uint32_t bits = 0;
    int count = 0;
    for (const char c : text) {
        const std::uint8_t digit = base64_digit(c);
        if (digit == no_base64_digit) return std::nullopt;
        bits = (bits << 6) | digit;
        count += 6;
        if (count < 8) continue;
        count -= 8;
        bytes.push_back(static_cast<std::byte>(bits >> count));
    }
    return bytes;
}

// Raw and base64 bytes on demand.

namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

} // namespace

ByteFeed::ByteFeed(std::string_view text, Encoding encoding, const Source& source, std::size_t start)
    : text_(text), encoding_(encoding), name_(source.name), start_(start) {}

void ByteFeed::fail(Cause cause, std::string_view reason, std::string_view element, std::int64_t index) const {
    throw Error(cause, std::string(reason),
                {.file = name_,
                 .element = std::string(element),
                 .index = index,
                 .offset = static_cast<std::int64_t>(start_ + at_)});
}

void ByteFeed::skip_blank() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
}

void ByteFeed::decode_group() {
    std::uint32_t bits = 0;
    std::size_t padding = 0;
    for (int k = 0; k < 4; ++k) {
        skip_blank();
        if (at_ == text_.size()) fail(k == 0 ? Cause::truncated : Cause::malformed, "the base64 data ends too early");
        const char c = text_[at_++];
        const std::uint8_t digit = base64_digit(c);
        if (c == '=' && k >= 2)
            ++padding;
        else if (digit == no_base64_digit || padding > 0)
            fail(Cause::malformed, "not base64");
        bits = bits << 6 | (c == '=' ? 0u : digit);
    }
    group_ = {static_cast<std::byte>(bits >> 16), static_cast<std::byte>(bits >> 8 & 255),
              static_cast<std::byte>(bits & 255)};
    group_at_ = 0;
    group_size_ = 3 - padding;
}

void ByteFeed::read(std::span<std::byte> out) {
    if (encoding_ == Encoding::raw) {
        if (out.size() > text_.size() - at_) fail(Cause::truncated, "the data ends too early");
        std::memcpy(out.data(), text_.data() + at_, out.size());
        at_ += out.size();
        return;
    }
    for (std::byte& byte : out) {
        while (group_at_ == group_size_) decode_group();
        byte = group_[group_at_++];
    }
}

std::size_t ByteFeed::max_left() const {
    const std::size_t left = text_.size() - at_;
    return encoding_ == Encoding::raw ? left : left / 4 * 3 + group_size_ - group_at_;
}

bool ByteFeed::at_end() {
    if (encoding_ == Encoding::base64) skip_blank();
    return at_ == text_.size() && group_at_ == group_size_;
}

// Encoding of bytes as base64 and as gzip.

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

// A zlib stream contains the same deflate data as a gzip member, with a different header and trailer.
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
