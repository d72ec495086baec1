// Base64 (RFC 4648): decoding of whole texts, decoding on demand, encoding.
#pragma once

#include <fathom/base/encode/text_scanner.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fathom {

constexpr std::uint8_t no_base64_digit = 255;

[[nodiscard]] std::uint8_t base64_digit(char c); // 0 to 63, or no_base64_digit

// Decodes the whole text, with or without padding. Returns nothing if a character is not a base64 digit.
[[nodiscard]] std::optional<std::vector<std::byte>> from_base64(std::string_view text);

// Bytes on demand, either raw or decoded from base64 (RFC 4648) group by group. The text must outlive the feed.
class ByteFeed {
public:
    enum class Encoding { raw, base64 };

    // `start` is the offset of the text in the file, for messages. White space inside base64 is skipped, and padding
    // may be followed by further groups: VTK pads the header of an array separately.
    ByteFeed(std::string_view text, Encoding encoding, const Source& source, std::size_t start);

    // Fills `out`. Throws Error{truncated} if the text ends before, Error{malformed} if it is not base64 or ends inside
    // a group.
    void read(std::span<std::byte> out);

    [[nodiscard]] std::size_t max_left() const; // upper bound on the number of bytes left
    [[nodiscard]] bool at_end();

    [[noreturn]] void fail(Cause cause, std::string_view reason, std::string_view element = {},
                           std::int64_t index = -1) const;

private:
    void decode_group();
    void skip_blank();

    std::string_view text_;
    Encoding encoding_;
    const std::string& name_;
    std::size_t start_;
    std::size_t at_ = 0;
    std::array<std::byte, 3> group_{};
    std::size_t group_at_ = 0, group_size_ = 0;
};

// Encoding of bytes as text: base64 (RFC 4648), optionally after gzip compression (RFC 1952).
[[nodiscard]] std::string as_base64(std::string_view bytes); // padded
[[nodiscard]] std::string as_gzip(std::string_view bytes);   // deterministic: stores no file name and no time

} // namespace fathom
