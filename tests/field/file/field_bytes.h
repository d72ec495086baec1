// The bytes of .fathom files: changed at will, and sealed again with checksums that fit, as an attacker would.
// Knows the layout on its own, from docs/field-files.md.
#pragma once

#include <fathom/base/hash.h>
#include <fathom/field/file/field_file.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace fathom::testing {

inline constexpr std::size_t field_header_size = 320, field_table = 120, field_sections = 7;

[[nodiscard]] inline std::uint64_t number_at(const std::string& bytes, std::size_t at) {
    std::uint64_t value = 0;
    if (at + 8 <= bytes.size()) std::memcpy(&value, bytes.data() + at, 8);
    return value;
}

template <class T>
void put_at(std::string& bytes, std::size_t at, T value) {
    if (at + sizeof(T) <= bytes.size()) std::memcpy(bytes.data() + at, &value, sizeof(T));
}

// Where section k begins: note, corners, brick positions, bases, samples, block ranges, level ranges.
[[nodiscard]] inline std::size_t section_at(const std::string& bytes, std::size_t k) {
    return number_at(bytes, field_table + 24 * k);
}

// All checksums and the size of the file, as far as the places that the header names lie in the file.
inline void seal(std::string& bytes) {
    if (bytes.size() < field_header_size) return;
    put_at<std::uint64_t>(bytes, 16, bytes.size());
    for (std::size_t k = 0; k < field_sections; ++k) {
        const std::size_t offset = section_at(bytes, k), size = number_at(bytes, field_table + 24 * k + 8);
        if (offset > bytes.size() || size > bytes.size() - offset) continue;
        std::vector<std::uint64_t> sums;
        for (std::size_t at = 0; at < size; at += 4u << 20)
            sums.push_back(checksum(
                std::as_bytes(std::span(bytes).subspan(offset + at, std::min<std::size_t>(4u << 20, size - at)))));
        put_at(bytes, field_table + 24 * k + 16, checksum(std::as_bytes(std::span(sums))));
    }
    put_at(bytes, 312, checksum(std::as_bytes(std::span(bytes).first(312))));
}

[[nodiscard]] inline FieldFile read_field_bytes(const std::string& bytes) {
    const auto memory = std::make_shared<std::vector<std::uint64_t>>(bytes.size() / 8 + 1);
    std::memcpy(memory->data(), bytes.data(), bytes.size());
    return read_field(std::as_bytes(std::span(*memory)).first(bytes.size()), "memory.fathom", memory);
}

} // namespace fathom::testing
