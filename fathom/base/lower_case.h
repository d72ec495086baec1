// Names of files and formats compared whatever their case. ASCII alone, whatever the locale.
#pragma once

#include <string>

namespace fathom {

[[nodiscard]] inline std::string lower_case(std::string text) {
    for (char& c : text)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return text;
}

} // namespace fathom
