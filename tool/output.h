// What people read: colours and moving bars where there is a terminal, numbers and places in words.
// NO_COLOR (no-color.org) and TERM=dumb are respected.
#pragma once

#include <fathom/base/vec.h>

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <unistd.h>

namespace fathom::tool {

[[nodiscard]] inline bool is_terminal(std::FILE* stream) {
    const char* kind = std::getenv("TERM");
    return isatty(fileno(stream)) != 0 && kind && std::string_view(kind) != "dumb";
}

[[nodiscard]] inline bool wants_colour(std::FILE* stream) {
    const char* no_colour = std::getenv("NO_COLOR");
    return is_terminal(stream) && (!no_colour || *no_colour == '\0');
}

enum class Colour { red = 31, green = 32, yellow = 33, faint = 2 };

// The text in that colour, or plain.
[[nodiscard]] inline std::string coloured(std::string_view text, Colour colour, bool on) {
    if (!on) return std::string(text);
    return fmt::format("\033[{}m{}\033[0m", static_cast<int>(colour), text);
}

// 1234567 as "1,234,567".
[[nodiscard]] inline std::string with_commas(std::size_t number) {
    if (number < 1000) return fmt::format("{}", number);
    return fmt::format("{},{:03}", with_commas(number / 1000), number % 1000);
}

// Adding 0 turns -0 into 0.
[[nodiscard]] inline std::string shown(const Vec3& v) {
    return fmt::format("({:.6g}, {:.6g}, {:.6g})", v.x() + 0.0, v.y() + 0.0, v.z() + 0.0);
}

} // namespace fathom::tool
