// Options that take a number above 0, or 0 as well: CLI11's own checks print the largest double in full.
#pragma once

#include <CLI/CLI.hpp>

#include <cmath>
#include <string>

namespace fathom::tool {

[[nodiscard]] inline CLI::Validator number_check(bool (*fits)(double), const std::string& wanted) {
    return {[=](std::string& text) {
                double value = 0;
                const bool taken = CLI::detail::lexical_cast(text, value) && std::isfinite(value) && fits(value);
                return taken ? std::string() : "'" + text + "' is no number " + wanted;
            },
            wanted};
}

[[nodiscard]] inline CLI::Validator at_least_zero() {
    return number_check([](double value) { return value >= 0; }, "from 0 on");
}
[[nodiscard]] inline CLI::Validator above_zero() {
    return number_check([](double value) { return value > 0; }, "above 0");
}

} // namespace fathom::tool
