// Raw and base64 bytes on demand.
#include <fathom/base/encode/base64.h>
#include <fathom/base/encode/byte_feed.h>

#include <algorithm>
#include <cstring>

namespace fathom {

namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

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
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
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

std::size_t ByteFeed::most_left() const {
    const std::size_t left = text_.size() - at_;
    return encoding_ == Encoding::raw ? left : left / 4 * 3 + group_size_ - group_at_;
}

bool ByteFeed::at_end() {
    if (encoding_ == Encoding::base64) skip_blank();
    return at_ == text_.size() && group_at_ == group_size_;
}

} // namespace fathom
