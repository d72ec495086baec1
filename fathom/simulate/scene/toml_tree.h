// TOML as a plain tree with line numbers, so that one file alone knows the parser.
// Every byte is taken for hostile: Error{malformed} names file and line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace fathom {

struct TomlValue;
using TomlArray = std::vector<TomlValue>;
using TomlTable = std::vector<std::pair<std::string, TomlValue>>; // in no order that means anything

struct TomlValue {
    std::variant<bool, std::int64_t, double, std::string, TomlArray, TomlTable, std::monostate> value =
        std::monostate{};   // monostate: a date or a time
    std::int64_t line = -1; // counted from 1
    std::string file{};     // that the line is of
};

// Null where there is none.
[[nodiscard]] const TomlValue* find(const TomlTable& table, std::string_view key);

// Letters beyond ASCII are for comments; strings have escapes for them.
[[nodiscard]] TomlTable parse_toml(std::string_view text, const std::string& name);

// What `from` says replaces what `into` said, key by key in nested tables.
void merge(TomlTable& into, TomlTable&& from);

} // namespace fathom
