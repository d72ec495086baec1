// Base64 (RFC 4648).
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

// The whole text, with or without padding; nothing where a character does not belong to base64.
[[nodiscard]] std::optional<std::vector<std::byte>> from_base64(std::string_view text);

// Bytes on demand: as they lie in the file, or decoded from base64 (RFC 4648) piece by piece.

// The bytes must outlive the feed.
class ByteFeed {
public:
    enum class Encoding { raw, base64 };

    // `start` is the place in the file, for messages. Blanks inside base64 are passed over, and padding may stand
    // before further groups: VTK pads the header of an array on its own.
    ByteFeed(std::string_view text, Encoding encoding, const Source& source, std::size_t start);

    // Fills `out`; Error{truncated} where the text ends before, Error{malformed} where it is no base64 or ends inside a
    // group.
    void read(std::span<std::byte> out);

    [[nodiscard]] std::size_t max_left() const; // no more bytes than this can come
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

// Bytes as text that pages can hold: base64 (RFC 4648), and gzip (RFC 1952) before it where that pays.

[[nodiscard]] std::string as_base64(std::string_view bytes); // padded
[[nodiscard]] std::string as_gzip(std::string_view bytes);   // the same bytes for the same content: no name, no time

} // namespace fathom
