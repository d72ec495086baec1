// The JSON part of a glTF file, treated as untrusted input: depth and memory are bounded before parsing, and every
// access is checked.
#pragma once

#include <fathom/base/encode/text_scanner.h>

#include <nlohmann/json.hpp>

#include <array>
#include <optional>

namespace fathom {

using Json = nlohmann::json;

// Throws Error{malformed} naming the byte, Error{too_large} if the nesting is too deep or the tree would take more
// memory than a few times the file size.
[[nodiscard]] Json parse_gltf_json(const Source& source, std::string_view text);

// Typed access to one JSON object. Throws only Error, which names the object. Source and value must outlive it.
class GltfTable {
public:
    GltfTable(const Source& source, const Json& value, std::string_view element, std::int64_t index = -1);
    // Element `index` of a list. Throws Error{index_out_of_range} if it does not exist.
    GltfTable(const Source& source, const Json& list, std::size_t index, std::string_view element);

    [[nodiscard]] bool has(const char* key) const { return value_.contains(key); }
    [[nodiscard]] const Json& at(const char* key) const;
    [[nodiscard]] std::size_t whole(const char* key) const;
    [[nodiscard]] std::size_t whole(const char* key, std::size_t otherwise) const;
    [[nodiscard]] const std::string& text(const char* key) const;
    [[nodiscard]] bool flag(const char* key) const;
    [[nodiscard]] const Json& list(const char* key) const; // empty where the key is absent
    // Integers below `count`; empty where the key is absent.
    [[nodiscard]] std::vector<std::size_t> indices(const char* key, std::size_t count) const;
    template <std::size_t N>
    [[nodiscard]] std::array<double, N> numbers(const char* key, std::array<double, N> otherwise) const {
        if (has(key)) read_numbers(key, otherwise);
        return otherwise;
    }
    [[noreturn]] void fail(Cause cause, std::string_view reason) const;

private:
    void read_numbers(const char* key, std::span<double> out) const;

    const Source& source_;
    const Json& value_;
    std::string_view element_;
    std::int64_t index_;
};

} // namespace fathom
