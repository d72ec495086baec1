// All keys of a scene file: one table for the reader (key_reader.h), the JSON Schema and the page of the documentation
// (scene_schema()). To add a key, add a line in scene_keys.cpp and a line where it is read.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fathom {

enum class KeyType {
    number,
    whole,
    flag,
    text,
    choice,
    vector,     // three numbers
    box,        // six: lower corner, upper corner
    quaternion, // four: w, x, y, z
    path,       // a list of [t, x, y, z] or [t, x, y, z, w, x, y, z]
    numbers,    // a table of any names with a number each
    table,
    list // of tables
};

// Kinds of bodies, as bits. The order is that of BodyKind.
struct ForKinds {
    static constexpr unsigned rigid = 1, surface = 2, solid = 4, membrane = 8, obstacle = 16, moved = 32, all = 63;
};

struct SceneTable;

struct SceneKey {
    std::string_view name;
    KeyType type = KeyType::number;
    std::string_view words;        // description
    std::string_view unit = {};    // "m/s"; empty if dimensionless
    double low = -1e9, high = 1e9; // range of numbers, and of each number of a list
    // The value of an absent key, as in a file; or a description in round brackets; empty: the key is required, or
    // absent means none.
    std::string_view absent = {};
    std::vector<std::string_view> choices = {};
    unsigned kinds = ForKinds::all;            // kinds of bodies that have the key
    std::vector<const SceneTable*> inner = {}; // of tables: the rules of its content; several: one of them

    [[nodiscard]] bool states_default() const { return !absent.empty() && absent.front() != '('; }
};

struct SceneTable {
    std::string_view name;  // as written: "[contact]"
    std::string_view title; // short
    std::string_view words;
    std::vector<SceneKey> keys;

    [[nodiscard]] const SceneKey* find(std::string_view key) const; // null if there is no such key
};

// The top level of the file first, then the others in the order of the documentation.
[[nodiscard]] std::span<const SceneTable* const> scene_tables();

// The tables by purpose.
[[nodiscard]] const SceneTable& scene_file_keys();
[[nodiscard]] const SceneTable& body_keys();
[[nodiscard]] const SceneTable& rigid_contact_keys();
[[nodiscard]] const SceneTable& spring_contact_keys();
[[nodiscard]] const SceneTable& coupling_keys();
[[nodiscard]] const SceneTable& springs_keys();
[[nodiscard]] const SceneTable& solids_keys();
[[nodiscard]] const SceneTable& particles_keys();
[[nodiscard]] const SceneTable& emitter_keys();
[[nodiscard]] const SceneTable& motion_keys();

inline constexpr std::string_view kind_names[] = {"rigid", "surface", "solid", "membrane", "obstacle", "moved"};

// ---- JSON Schema and documentation of scene files, for editors and readers. Both are generated from the table of keys
// that the reader uses (scene_keys.h), so that all three agree.

// JSON Schema, draft 2020-12, of a scene file taken as JSON. It rejects unknown keys, wrong types, values out of range,
// and keys that do not apply to a stated kind of body. Conditions on several keys are checked by the reader only.
[[nodiscard]] std::string scene_schema();

// A section of Markdown for each table: key, meaning, unit, range and default.
[[nodiscard]] std::string scene_key_chapters();

} // namespace fathom
