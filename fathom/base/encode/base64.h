// Base64 (RFC 4648).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace fathom {

constexpr std::uint8_t no_base64_digit = 255;

[[nodiscard]] std::uint8_t base64_digit(char c); // 0 to 63, or no_base64_digit

// The whole text, with or without padding; nothing where a character does not belong to base64.
[[nodiscard]] std::optional<std::vector<std::byte>> from_base64(std::string_view text);

} // namespace fathom
