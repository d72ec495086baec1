// Bytes on demand: as they lie in the file, or decoded from base64 (RFC 4648) piece by piece.
#pragma once

#include <fathom/base/encode/source.h>

#include <array>

namespace fathom {

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

    [[nodiscard]] std::size_t most_left() const; // no more bytes than this can come
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

} // namespace fathom
