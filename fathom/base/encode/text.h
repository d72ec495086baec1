// Words of a file as they may stand in a message: short, and nothing that upsets a terminal.
#pragma once

#include <fathom/base/encode/bytes.h>

#include <charconv>
#include <string>
#include <string_view>
#include <utility>

namespace fathom {

[[nodiscard]] inline std::string printable(std::string_view word) {
    constexpr std::size_t most = 40;
    std::string text(word.substr(0, most));
    for (char& c : text)
        if (static_cast<unsigned char>(c) < 32 || static_cast<unsigned char>(c) > 126) c = '?';
    return word.size() > most ? text + "..." : text;
}

// Names of files and formats compared whatever their case. ASCII alone, whatever the locale.

[[nodiscard]] inline std::string lower_case(std::string text) {
    for (char& c : text)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return text;
}

// Where writers put text and bytes: no locale, the shortest digits that read back the same.

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
