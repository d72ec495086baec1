// Formatting of results for the terminal and as JSON.
// Colours and progress bars are used on terminals only; NO_COLOR (no-color.org) and TERM=dumb are respected.
#pragma once

#include <fathom/base/primitives.h>
#include <fathom/detect/result/result.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>

namespace fathom::tool {

[[nodiscard]] inline bool is_terminal(std::FILE* stream) {
    const char* kind = std::getenv("TERM");
    return isatty(fileno(stream)) != 0 && kind && std::string_view(kind) != "dumb";
}

[[nodiscard]] inline bool use_colour(std::FILE* stream) {
    const char* no_colour = std::getenv("NO_COLOR");
    return is_terminal(stream) && (!no_colour || *no_colour == '\0');
}

enum class Colour { red = 31, green = 32, yellow = 33, faint = 2 };

// The text with colour codes if `on`, otherwise unchanged.
[[nodiscard]] inline std::string coloured(std::string_view text, Colour colour, bool on) {
    if (!on) return std::string(text);
    return fmt::format("\033[{}m{}\033[0m", static_cast<int>(colour), text);
}

// 1234567 as "1,234,567".
[[nodiscard]] inline std::string with_commas(std::size_t number) {
    if (number < 1000) return fmt::format("{}", number);
    return fmt::format("{},{:03}", with_commas(number / 1000), number % 1000);
}

// Six significant digits. Adding 0 turns -0 into 0.
[[nodiscard]] inline std::string vector_text(const Vec3& v) {
    return fmt::format("({:.6g}, {:.6g}, {:.6g})", v.x() + 0.0, v.y() + 0.0, v.z() + 0.0);
}

[[nodiscard]] inline const char* status_text(Status status) {
    return status == Status::disjoint ? "disjoint" : status == Status::overlapping ? "overlapping" : "undecided";
}

// Prints one line on stderr unless `quiet`.
template <class... Arguments>
void print_status(bool quiet, fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    if (!quiet) fmt::print(stderr, "{}\n", fmt::format(format, std::forward<Arguments>(arguments)...));
}

using Json = nlohmann::ordered_json;

[[nodiscard]] inline Json as_json(const Vec3& v) { return {v.x(), v.y(), v.z()}; }
[[nodiscard]] inline Json as_json(const Box& b) { return {{"lower", as_json(b.lower)}, {"upper", as_json(b.upper)}}; }
// JSON cannot represent infinity and NaN; they are written as null.
[[nodiscard]] inline Json finite_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

} // namespace fathom::tool
