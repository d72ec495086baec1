// Writes the table of keys as JSON Schema and as Markdown.
#include <fathom/simulate/scene/scene_keys.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace fathom {

namespace {

using Json = nlohmann::ordered_json;

std::string definition(const SceneTable& table) {
    std::string name;
    for (const char c : table.title)
        name += c == ' ' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return name;
}

Json reference(const SceneTable& table) { return {{"$ref", fmt::format("#/$defs/{}", definition(table))}}; }

Json number_type(const SceneKey& key, const char* type = "number") {
    return {{"type", type}, {"minimum", key.low}, {"maximum", key.high}};
}

Json row_type(const SceneKey& key, std::size_t count) {
    return {{"type", "array"}, {"items", number_type(key)}, {"minItems", count}, {"maxItems", count}};
}

Json type_of(const SceneKey& key) {
    switch (key.type) {
    case KeyType::number:
        return number_type(key);
    case KeyType::whole: {
        Json type = {{"type", "integer"}};
        type["minimum"] = static_cast<std::int64_t>(key.low);
        type["maximum"] = static_cast<std::int64_t>(key.high);
        return type;
    }
    case KeyType::flag:
        return {{"type", "boolean"}};
    case KeyType::text:
        return {{"type", "string"}};
    case KeyType::choice:
        return {{"type", "string"}, {"enum", key.choices}};
    case KeyType::vector:
        return row_type(key, 3);
    case KeyType::box:
        return row_type(key, 6);
    case KeyType::quaternion:
        return row_type(key, 4);
    case KeyType::path:
        return {{"type", "array"},
                {"minItems", 1},
                {"items", {{"anyOf", Json::array({row_type(key, 4), row_type(key, 8)})}}}};
    case KeyType::numbers:
        return {{"type", "object"}, {"additionalProperties", number_type(key)}};
    case KeyType::list:
        return {{"type", "array"}, {"minItems", 1}, {"items", reference(*key.inner[0])}};
    case KeyType::table:
        break;
    }
    if (key.inner.size() == 1) return reference(*key.inner[0]);
    Json any = Json::array();
    for (const SceneTable* table : key.inner) any.push_back(reference(*table));
    return {{"anyOf", any}};
}

Json default_of(const SceneKey& key) {
    return key.type == KeyType::choice ? Json(key.absent) : Json::parse(key.absent);
}

std::string described(const SceneKey& key) {
    if (key.unit.empty()) return std::string(key.words);
    return key.words.empty() ? std::string(key.unit) : fmt::format("{} ({})", key.words, key.unit);
}

Json properties(const SceneTable& table) {
    Json all = Json::object();
    for (const SceneKey& key : table.keys) {
        Json type = type_of(key);
        type["description"] = described(key);
        if (key.states_default()) type["default"] = default_of(key);
        all[std::string(key.name)] = type;
    }
    return all;
}

Json object_of(const SceneTable& table) {
    return {{"type", "object"},
            {"description", table.words},
            {"properties", properties(table)},
            {"additionalProperties", false}};
}

Json required(const char* key) { return {{"required", Json::array({key})}}; }

// A body of a stated kind has only the keys of that kind; a body has one source of its shape.
void add_body_rules(Json& body) {
    Json kinds = Json::array();
    for (std::size_t k = 0; k < std::size(kind_names); ++k) {
        Json names = Json::array();
        for (const SceneKey& key : body_keys().keys)
            if (key.kinds & (1u << k)) names.push_back(key.name);
        const Json is_kind = {{"properties", {{"kind", {{"const", kind_names[k]}}}}},
                              {"required", Json::array({"kind"})}};
        kinds.push_back({{"if", is_kind}, {"then", {{"propertyNames", {{"enum", names}}}}}});
    }
    body["allOf"] = kinds;
    const Json other = {{"anyOf", Json::array({required("shape"), required("mesh"), required("field")})}};
    const Json network_alone = {{"required", Json::array({"network"})}, {"not", other}};
    body["oneOf"] = Json::array({required("shape"), required("mesh"), required("field"), network_alone});
}

std::string range_of(const SceneKey& key) {
    const auto bound = [](double value) {
        return value == static_cast<double>(static_cast<std::int64_t>(value)) && std::abs(value) < 1e6
                   ? fmt::format("{}", static_cast<std::int64_t>(value))
                   : fmt::format("{:g}", value);
    };
    switch (key.type) {
    case KeyType::number:
    case KeyType::whole:
    case KeyType::vector:
        return fmt::format("{} to {}", bound(key.low), bound(key.high));
    case KeyType::flag:
        return "true, false";
    case KeyType::choice:
        return fmt::format("`{}`", fmt::join(key.choices, "`, `"));
    default:
        return "";
    }
}

std::string absent_text(const SceneKey& key) {
    if (key.absent.empty()) return "";
    return key.states_default() ? fmt::format("`{}`", key.absent)
                                : std::string(key.absent.substr(1, key.absent.size() - 2));
}

std::string kinds_of(const SceneKey& key) {
    if (key.kinds == ForKinds::all) return "";
    std::string all;
    for (std::size_t k = 0; k < std::size(kind_names); ++k)
        if (key.kinds & (1u << k)) all += fmt::format("{}{}", all.empty() ? " *(" : ", ", kind_names[k]);
    return all + ")*";
}

} // namespace

std::string scene_schema() {
    Json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", "Fathom scene"}};
    schema.update(object_of(scene_file_keys()));
    schema["anyOf"] = Json::array({required("body"), {{"required", Json::array({"particles", "emitter"})}}});
    Json definitions = Json::object();
    for (const SceneTable* table : scene_tables().subspan(1)) definitions[definition(*table)] = object_of(*table);
    add_body_rules(definitions[definition(body_keys())]);
    schema["$defs"] = definitions;
    return schema.dump(1) + "\n";
}

std::string scene_key_chapters() {
    std::string text;
    for (const SceneTable* table : scene_tables()) {
        text += fmt::format("## {}{}\n\n{}\n\n| key | meaning | unit | range | if absent |\n|---|---|---|---|---|\n",
                            table->title, table->name.empty() ? std::string() : fmt::format(": `{}`", table->name),
                            table->words);
        for (const SceneKey& key : table->keys)
            text += fmt::format("| `{}` | {}{} | {} | {} | {} |\n", key.name, key.words, kinds_of(key), key.unit,
                                range_of(key), absent_text(key));
        text += "\n";
    }
    return text;
}

} // namespace fathom
