// Reader of a TOML table by the rules of a SceneTable: keys are read one by one, and keys that were not read are
// rejected at the end. Types, ranges and choices come from the SceneTable. Defaults are in the code; for an absent key
// the reader checks that the SceneTable states the same default. Errors name file, line and key. Used by the files that
// read scenes.
#pragma once

#include <fathom/base/error.h>
#include <fathom/base/primitives.h>
#include <fathom/simulate/scene/scene.h>
#include <fathom/simulate/scene/scene_keys.h>

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace fathom {

// ---- TOML as a plain tree with line numbers, so that only one file depends on the parser. Input is untrusted:
// Error{malformed} names file and line.

struct TomlValue;
using TomlArray = std::vector<TomlValue>;
using TomlTable = std::vector<std::pair<std::string, TomlValue>>; // the order has no meaning

struct TomlValue {
    // monostate: a date or a time.
    std::variant<bool, std::int64_t, double, std::string, TomlArray, TomlTable, std::monostate> value =
        std::monostate{};
    std::int64_t line = -1; // counted from 1
    std::string file{};     // file that contains the line
};

// Null if the key is absent.
[[nodiscard]] const TomlValue* find(const TomlTable& table, std::string_view key);

// Non-ASCII letters are allowed in comments only; in strings use escapes.
[[nodiscard]] TomlTable parse_toml(std::string_view text, const std::string& name);

// Values of `from` replace those of `into`, key by key in nested tables.
void merge(TomlTable& into, TomlTable&& from);

class KeyReader {
public:
    // `path` precedes keys in messages. `kind`: kind of a body, one of ForKinds.
    KeyReader(const TomlTable& table, const SceneTable& rules, std::string file, std::string path,
              unsigned kind = ForKinds::all);

    [[noreturn]] void fail(std::string_view key, std::string_view reason) const {
        fail(find(table_, key), key, reason);
    }
    // For an absent key: the beginning of its table.
    [[nodiscard]] Place place(std::string_view key) const { return place(find(table_, key), key); }
    [[nodiscard]] bool has(std::string_view key) const { return find(table_, key) != nullptr; }
    [[nodiscard]] const std::string& file() const { return file_; }
    void set_kind(unsigned kind) { kind_ = kind; }

    // An absent key leaves the value unchanged.
    void number(std::string_view key, double& value);
    void number(std::string_view key, std::optional<double>& value);
    template <class T>
    void whole(std::string_view key, T& value) {
        if (const auto found = whole_number(key, static_cast<double>(value))) value = static_cast<T>(*found);
    }
    void flag(std::string_view key, bool& value);
    void text(std::string_view key, std::string& value);
    void vector(std::string_view key, Vec3& value);
    void box(std::string_view key, Box& value); // Error if a lower corner is above the upper one
    [[nodiscard]] std::optional<std::array<double, 4>> quaternion(std::string_view key);
    [[nodiscard]] std::vector<std::vector<double>> path(std::string_view key); // rows of 4 or 8
    // `values` in the order of the choices of the rule.
    template <class Enum, class List = std::initializer_list<Enum>>
    void choice(std::string_view key, Enum& value, const List& values) {
        const auto now = static_cast<std::size_t>(std::find(values.begin(), values.end(), value) - values.begin());
        if (const auto found = chosen(key, values.size(), now))
            value = *(values.begin() + static_cast<std::ptrdiff_t>(*found));
    }
    [[nodiscard]] std::optional<KeyReader> table(std::string_view key, const SceneTable& rules);
    // The entries of a list of tables; empty if the key is absent.
    [[nodiscard]] std::vector<KeyReader> list(std::string_view key, const SceneTable& rules);
    [[nodiscard]] std::vector<std::pair<std::string, double>> numbers(std::string_view key);

    void finish() const; // rejects keys that were not read

private:
    [[noreturn]] void fail(const TomlValue* value, std::string_view key, std::string_view reason) const;
    [[nodiscard]] Place place(const TomlValue* value, std::string_view key) const;
    [[nodiscard]] const TomlValue* take(std::string_view key, KeyType type);
    [[nodiscard]] const SceneKey& rule(std::string_view key) const;
    [[nodiscard]] std::optional<std::int64_t> whole_number(std::string_view key, double now);
    [[nodiscard]] std::optional<std::size_t> chosen(std::string_view key, std::size_t count, std::size_t now);
    [[nodiscard]] double checked_number(const TomlValue& value, std::string_view key) const;
    [[nodiscard]] std::vector<double> row(const TomlValue& value, std::string_view key) const;
    [[nodiscard]] std::optional<std::vector<double>> fixed_row(std::string_view key, KeyType type, std::size_t count,
                                                               std::span<const double> now);
    void expect_default(std::string_view key, std::string_view now) const;

    const TomlTable& table_;
    const SceneTable& rules_;
    std::string file_, path_;
    unsigned kind_;
    std::set<std::string, std::less<>> taken_;
};

// ---- Readers of the parts of a scene file, for scene_file.cpp only.

// Tables of the kinds.
void read_springs(KeyReader keys, SceneSprings& springs);
void read_solids(KeyReader keys, SceneSolids& solids);
void read_particles(KeyReader keys, SceneParticles& particles);
[[nodiscard]] ParticleEmitter read_emitter(KeyReader keys);
void read_motion(KeyReader keys, ScriptedOptions& motion);
void read_spring_contact(KeyReader keys, WeightedContactLaw& law);
void read_rigid_contact(KeyReader keys, Scene& scene);
void read_coupling(KeyReader keys, CouplingOptions& coupling);

// One `[[body]]`. Settings of its kind that are absent from the scene are added.
[[nodiscard]] SceneBody read_body(KeyReader keys, std::size_t number, Scene& scene);

} // namespace fathom
