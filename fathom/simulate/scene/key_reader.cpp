// Reads the keys of a table by its rules.
#include <fathom/simulate/scene/key_reader.h>

#include <fathom/base/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>

// ---- TOML, parsed by toml++. Only this file depends on it.
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
// toml++ 3.3 makes assumptions that some malformed files violate ("[" at the end of a line). As promises to the
// compiler they would be undefined behaviour, so they are tested instead, in every build.
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

// toml++ 3.3 has undefined behaviour for some non-ASCII letters where it searches for spaces, and for control
// characters where it searches for keys.
void refuse_stray_letters(std::string_view text, const std::string& name) {
    // Text that looks like a comment inside a multi-line string is not a comment.
    const bool plain = text.find("\"\"\"") == std::string_view::npos && text.find("'''") == std::string_view::npos;
    bool comment = false, quoted = false; // since the line began
    std::int64_t line = 1;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if ((byte < 0x20 && c != '\t' && c != '\n' && c != '\r') || byte == 0x7f)
            throw Error(Cause::malformed, "control character in the file", {.file = name, .line = line});
        if (byte >= 0x80 && !comment)
            throw Error(Cause::malformed,
                        "non-ASCII letter outside a comment; write it as \\u and its number in a string",
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
        throw Error(Cause::malformed, "not a TOML file", {.file = name});
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
        const auto old =
            std::find_if(into.begin(), into.end(), [&name = key](const auto& entry) { return entry.first == name; });
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

namespace {

std::optional<double> as_number(const TomlValue& value) {
    if (const auto* whole = std::get_if<std::int64_t>(&value.value)) return static_cast<double>(*whole);
    if (const auto* number = std::get_if<double>(&value.value)) return *number;
    return {};
}

std::string joined(std::span<const std::string_view> words) {
    std::string all;
    for (const std::string_view word : words) all += fmt::format("{}{}", all.empty() ? "" : ", ", word);
    return all;
}

// Whether two texts denote the same number.
bool same_literal(std::string_view a, std::string_view b) {
    double x = 0, y = 0;
    const auto of = [](std::string_view text, double& value) {
        return std::from_chars(text.data(), text.data() + text.size(), value).ptr == text.data() + text.size();
    };
    return a == b || (of(a, x) && of(b, y) && x == y);
}

} // namespace

KeyReader::KeyReader(const TomlTable& table, const SceneTable& rules, std::string file, std::string path, unsigned kind)
    : table_(table), rules_(rules), file_(std::move(file)), path_(std::move(path)), kind_(kind) {}

void KeyReader::fail(const TomlValue* value, std::string_view key, std::string_view reason) const {
    throw Error(Cause::malformed, std::string(reason), place(value, key));
}

Place KeyReader::place(const TomlValue* value, std::string_view key) const {
    if (const auto first = std::min_element(table_.begin(), table_.end(),
                                            [](const auto& a, const auto& b) { return a.second.line < b.second.line; });
        !value && first != table_.end())
        value = &first->second;
    return {.file = value ? value->file : file_,
            .line = value ? value->line : -1,
            .element = fmt::format("key {}{}", path_, key)};
}

const SceneKey& KeyReader::rule(std::string_view key) const {
    const SceneKey* found = rules_.find(key);
    if (!found)
        throw Error(Cause::invalid_argument, fmt::format("the table of keys {} has no entry '{}'", rules_.name, key));
    return *found;
}

const TomlValue* KeyReader::take(std::string_view key, KeyType type) {
    const SceneKey& known = rule(key);
    if (known.type != type)
        throw Error(Cause::invalid_argument,
                    fmt::format("the table of keys {} has '{}' with another type", rules_.name, key));
    if (!(known.kinds & kind_)) return nullptr;
    taken_.emplace(key);
    return find(table_, key);
}

// The defaults in the table of keys must match the code: a mismatch is reported by the first scene that is read.
void KeyReader::expect_default(std::string_view key, std::string_view now) const {
    const SceneKey& known = rule(key);
    if (known.states_default() && !same_literal(known.absent, now))
        throw Error(Cause::invalid_argument,
                    fmt::format("the table of keys {} states the default {} = {}, but the code uses {}", rules_.name,
                                key, known.absent, now));
}

double KeyReader::checked_number(const TomlValue& value, std::string_view key) const {
    const SceneKey& known = rule(key);
    const auto found = as_number(value);
    if (!found) fail(&value, key, "is not a number");
    if (!(*found >= known.low && *found <= known.high))
        fail(&value, key, fmt::format("{} is not between {} and {}", *found, known.low, known.high));
    return *found;
}

void KeyReader::number(std::string_view key, double& value) {
    const TomlValue* found = take(key, KeyType::number);
    if (!found) return expect_default(key, fmt::format("{}", value));
    value = checked_number(*found, key);
}

void KeyReader::number(std::string_view key, std::optional<double>& value) {
    if (const TomlValue* found = take(key, KeyType::number)) value = checked_number(*found, key);
}

std::optional<std::int64_t> KeyReader::whole_number(std::string_view key, double now) {
    const TomlValue* found = take(key, KeyType::whole);
    if (!found) {
        expect_default(key, fmt::format("{}", now));
        return {};
    }
    const auto* whole = std::get_if<std::int64_t>(&found->value);
    if (!whole) fail(found, key, "is not an integer");
    (void)checked_number(*found, key);
    return *whole;
}

void KeyReader::flag(std::string_view key, bool& value) {
    const TomlValue* found = take(key, KeyType::flag);
    if (!found) return expect_default(key, value ? "true" : "false");
    const bool* flag = std::get_if<bool>(&found->value);
    if (!flag) fail(found, key, "is not true or false");
    value = *flag;
}

void KeyReader::text(std::string_view key, std::string& value) {
    const TomlValue* found = take(key, KeyType::text);
    if (!found) return;
    const auto* text = std::get_if<std::string>(&found->value);
    if (!text) fail(found, key, "is not a quoted string");
    value = *text;
}

std::vector<double> KeyReader::row(const TomlValue& value, std::string_view key) const {
    const auto* array = std::get_if<TomlArray>(&value.value);
    if (!array) fail(&value, key, "is not a list of numbers");
    std::vector<double> numbers;
    for (const TomlValue& item : *array) numbers.push_back(checked_number(item, key));
    return numbers;
}

std::optional<std::vector<double>> KeyReader::fixed_row(std::string_view key, KeyType type, std::size_t count,
                                                        std::span<const double> now) {
    const TomlValue* found = take(key, type);
    if (!found) {
        if (!now.empty()) expect_default(key, fmt::format("[{}]", fmt::join(now, ", ")));
        return {};
    }
    std::vector<double> numbers = row(*found, key);
    if (numbers.size() != count) fail(found, key, fmt::format("is not a list of {} numbers", count));
    return numbers;
}

void KeyReader::vector(std::string_view key, Vec3& value) {
    if (const auto found = fixed_row(key, KeyType::vector, 3, {value.data(), 3}))
        value = {(*found)[0], (*found)[1], (*found)[2]};
}

void KeyReader::box(std::string_view key, Box& value) {
    const auto found = fixed_row(key, KeyType::box, 6, {});
    if (!found) return;
    const auto& e = *found;
    value = {{e[0], e[1], e[2]}, {e[3], e[4], e[5]}};
    if (value.empty()) fail(key, "has a lower corner above the upper corner");
}

std::optional<std::array<double, 4>> KeyReader::quaternion(std::string_view key) {
    const auto found = fixed_row(key, KeyType::quaternion, 4, {});
    if (!found) return {};
    return std::array<double, 4>{(*found)[0], (*found)[1], (*found)[2], (*found)[3]};
}

std::vector<std::vector<double>> KeyReader::path(std::string_view key) {
    const TomlValue* found = take(key, KeyType::path);
    if (!found) return {};
    const auto* array = std::get_if<TomlArray>(&found->value);
    if (!array || array->empty()) fail(found, key, "is not a list of key frames");
    std::vector<std::vector<double>> rows;
    for (const TomlValue& item : *array) {
        rows.push_back(row(item, key));
        if (rows.back().size() != 4 && rows.back().size() != 8)
            fail(&item, key, "a key frame is not t, x, y, z or t, x, y, z, w, x, y, z");
        if (rows.size() > 1 && !(rows.back()[0] > rows[rows.size() - 2][0]))
            fail(&item, key, "a key frame is not later than the previous one");
    }
    return rows;
}

std::optional<std::size_t> KeyReader::chosen(std::string_view key, std::size_t count, std::size_t now) {
    const TomlValue* found = take(key, KeyType::choice);
    const std::vector<std::string_view>& choices = rule(key).choices;
    if (choices.size() != count)
        throw Error(Cause::invalid_argument,
                    fmt::format("the table of keys {} has {} choices for '{}', but the code has {}", rules_.name,
                                choices.size(), key, count));
    if (!found) {
        if (now < count) expect_default(key, choices[now]);
        return {};
    }
    const auto* word = std::get_if<std::string>(&found->value);
    if (!word) fail(found, key, "is not a quoted string");
    const auto place = std::find(choices.begin(), choices.end(), *word);
    if (place == choices.end()) fail(found, key, fmt::format("'{}' is not one of {}", *word, joined(choices)));
    return static_cast<std::size_t>(place - choices.begin());
}

std::optional<KeyReader> KeyReader::table(std::string_view key, const SceneTable& rules) {
    const TomlValue* found = take(key, KeyType::table);
    if (!found) return {};
    const auto* table = std::get_if<TomlTable>(&found->value);
    if (!table) fail(found, key, "is not a table");
    return KeyReader(*table, rules, file_, fmt::format("{}{}.", path_, key));
}

std::vector<KeyReader> KeyReader::list(std::string_view key, const SceneTable& rules) {
    std::vector<KeyReader> readers;
    const TomlValue* found = take(key, KeyType::list);
    if (!found) return readers;
    const auto* array = std::get_if<TomlArray>(&found->value);
    if (!array) fail(found, key, fmt::format("is not a list of tables [[{}]]", key));
    for (std::size_t k = 0; k < array->size(); ++k) {
        const auto* table = std::get_if<TomlTable>(&(*array)[k].value);
        if (!table) fail(&(*array)[k], key, fmt::format("is not a list of tables [[{}]]", key));
        readers.emplace_back(*table, rules, file_, fmt::format("{} {}: ", key, k));
    }
    return readers;
}

std::vector<std::pair<std::string, double>> KeyReader::numbers(std::string_view key) {
    const TomlValue* found = take(key, KeyType::numbers);
    if (!found) return {};
    const auto* table = std::get_if<TomlTable>(&found->value);
    if (!table) fail(found, key, "is not a table");
    std::vector<std::pair<std::string, double>> all;
    for (const auto& [name, value] : *table) {
        const auto number = as_number(value);
        if (!number || !(std::abs(*number) <= 1e15)) fail(&value, fmt::format("{}.{}", key, name), "is not a number");
        all.emplace_back(name, *number);
    }
    return all;
}

void KeyReader::finish() const {
    for (const auto& [key, value] : table_) {
        if (taken_.contains(key)) continue;
        const SceneKey* known = rules_.find(key);
        if (!known) fail(&value, key, "is unknown");
        const auto kind = static_cast<std::size_t>(std::countr_zero(kind_));
        fail(&value, key,
             kind_ != ForKinds::all && kind < std::size(kind_names)
                 ? fmt::format("does not apply to a body of kind {}", kind_names[kind])
                 : "is not allowed here");
    }
}

} // namespace fathom
