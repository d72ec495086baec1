// TOML read by toml++. The only file that knows it.
#include <fathom/simulate/scene/toml_tree.h>

#include <fathom/base/error.h>

#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
// toml++ 3.3 rests on assumptions that some broken files do not keep ("[" at the end of a line); taken as promises to
// the compiler they are undefined behaviour, so they are tested instead, in every build.
namespace {
struct BrokenAssumption {};
[[noreturn]] void break_off() { throw BrokenAssumption(); }
} // namespace
#undef NDEBUG
#define TOML_ASSERT(expression) (static_cast<bool>(expression) ? static_cast<void>(0) : break_off())
#include <toml++/toml.h>

#include <algorithm>
#include <optional>

namespace fathom {

namespace {

// toml++ 3.3 runs into undefined behaviour on some letters beyond ASCII where it looks for spaces, and on control
// characters where it looks for keys.
void refuse_stray_letters(std::string_view text, const std::string& name) {
    // What looks like a comment in a string of several lines is none.
    const bool plain = text.find("\"\"\"") == text.npos && text.find("'''") == text.npos;
    bool comment = false, quoted = false; // since the line began
    std::int64_t line = 1;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if ((byte < 0x20 && c != '\t' && c != '\n' && c != '\r') || byte == 0x7f)
            throw Error(Cause::malformed, "a control character", {.file = name, .line = line});
        if (byte >= 0x80 && !comment)
            throw Error(Cause::malformed,
                        "a letter beyond ASCII outside of a comment; strings take it as \\u and its number",
                        {.file = name, .line = line});
        if (c == '\n') comment = quoted = false, ++line;
        quoted = quoted || c == '"' || c == '\'';
        comment = comment || (c == '#' && !quoted && plain);
    }
}

toml::table parsed(std::string_view text, const std::string& name) {
    std::optional<toml::parse_result> result;
    try {
        result = toml::parse(text, name);
    } catch (const BrokenAssumption&) {
        throw Error(Cause::malformed, "this is not TOML", {.file = name});
    }
    if (*result) return std::move(*result).table();
    const toml::parse_error& error = result->error();
    throw Error(Cause::malformed, std::string(error.description()),
                {.file = name, .line = static_cast<std::int64_t>(error.source().begin.line)});
}

TomlValue value_of(const toml::node& node, const std::string& file);

TomlTable table_of(const toml::table& table, const std::string& file) {
    TomlTable result;
    for (const auto& [key, node] : table) result.emplace_back(std::string(key.str()), value_of(node, file));
    return result;
}

TomlValue value_of(const toml::node& node, const std::string& file) {
    TomlValue result{{}, node.source().begin ? static_cast<std::int64_t>(node.source().begin.line) : -1, file};
    if (node.is_boolean())
        result.value = *node.value<bool>();
    else if (node.is_integer())
        result.value = *node.value<std::int64_t>();
    else if (node.is_floating_point())
        result.value = *node.value<double>();
    else if (node.is_string())
        result.value = *node.value<std::string>();
    else if (const toml::table* table = node.as_table())
        result.value = table_of(*table, file);
    else if (const toml::array* array = node.as_array()) {
        TomlArray items;
        for (const toml::node& item : *array) items.push_back(value_of(item, file));
        result.value = std::move(items);
    } else {
        result.value = std::monostate{};
    }
    return result;
}

} // namespace

const TomlValue* find(const TomlTable& table, std::string_view key) {
    const auto found = std::find_if(table.begin(), table.end(), [&](const auto& entry) { return entry.first == key; });
    return found == table.end() ? nullptr : &found->second;
}

TomlTable parse_toml(std::string_view text, const std::string& name) {
    refuse_stray_letters(text, name);
    return table_of(parsed(text, name), name);
}

void merge(TomlTable& into, TomlTable&& from) {
    for (auto& [key, value] : from) {
        const auto old = std::find_if(into.begin(), into.end(), [&](const auto& entry) { return entry.first == key; });
        if (old == into.end()) {
            into.emplace_back(key, std::move(value));
            continue;
        }
        auto *tables = std::get_if<TomlTable>(&old->second.value), *others = std::get_if<TomlTable>(&value.value);
        if (tables && others)
            merge(*tables, std::move(*others));
        else
            old->second = std::move(value);
    }
}

} // namespace fathom
