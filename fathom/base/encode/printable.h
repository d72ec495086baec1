// Words of a file as they may stand in a message: short, and nothing that upsets a terminal.
#pragma once

#include <string>
#include <string_view>

namespace fathom {

[[nodiscard]] inline std::string printable(std::string_view word) {
    constexpr std::size_t most = 40;
    std::string text(word.substr(0, most));
    for (char& c : text)
        if (static_cast<unsigned char>(c) < 32 || static_cast<unsigned char>(c) > 126) c = '?';
    return word.size() > most ? text + "..." : text;
}

} // namespace fathom
