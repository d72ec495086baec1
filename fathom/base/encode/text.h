// Text helpers of readers and writers: printable words for messages, lower case, and an output buffer.
#pragma once

#include <fathom/base/encode/bytes.h>

#include <charconv>
#include <string>
#include <string_view>
#include <utility>

namespace fathom {

// The word for use in a message: at most 40 characters, others than printable ASCII replaced by '?'.
[[nodiscard]] inline std::string printable(std::string_view word) {
    constexpr std::size_t most = 40;
    std::string text(word.substr(0, most));
    for (char& c : text)
        if (static_cast<unsigned char>(c) < 32 || static_cast<unsigned char>(c) > 126) c = '?';
    return word.size() > most ? text + "..." : text;
}

// Lower case for comparing names of files and formats. ASCII only, independent of the locale.
[[nodiscard]] inline std::string lower_case(std::string text) {
    for (char& c : text)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return text;
}

// Output buffer of writers for text and binary numbers. Independent of the locale; numbers use the shortest digits that
// read back as the same value.
class OutputBuffer {
public:
    explicit OutputBuffer(std::endian order = std::endian::little) : order_(order) {}

    void text(std::string_view words) { out_.append(words); }

    // Appends the number as decimal digits.
    template <class T>
    requires std::is_arithmetic_v<T>
    void digits(T value) {
        char place[32];
        const auto [end, error] = std::to_chars(place, place + sizeof place, value);
        out_.append(place, static_cast<std::size_t>(end - place));
    }

    // Appends the number as bytes in the buffer's byte order.
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
