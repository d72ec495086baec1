// Where writers put text and bytes: no locale, the shortest digits that read back the same.
#pragma once

#include <fathom/base/encode/byte_writer.h>

#include <charconv>
#include <string>
#include <string_view>
#include <utility>

namespace fathom {

class OutputBuffer {
public:
    explicit OutputBuffer(std::endian order = std::endian::little) : order_(order) {}

    void text(std::string_view words) { out_.append(words); }

    // As digits.
    template <class T>
    requires std::is_arithmetic_v<T>
    void digits(T value) {
        char place[32];
        const auto [end, error] = std::to_chars(place, place + sizeof place, value);
        out_.append(place, static_cast<std::size_t>(end - place));
    }

    // As bytes in the buffer's order.
    template <class T>
    requires std::is_arithmetic_v<T>
    void bytes(T value) { append_bytes(out_, value, order_); }

    void reserve(std::size_t count) { out_.reserve(count); }
    [[nodiscard]] std::string_view view() const { return out_; }
    [[nodiscard]] std::string take() && { return std::move(out_); }

private:
    std::string out_;
    std::endian order_;
};

} // namespace fathom
