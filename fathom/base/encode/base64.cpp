// Base64.
#include <fathom/base/encode/base64.h>

#include <array>

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

} // namespace fathom
