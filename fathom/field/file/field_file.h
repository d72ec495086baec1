// The project's own file of a grid field, .fathom: versioned, checksummed, and used where it lies. Opening
// maps the file and checks every byte once; nothing is copied, so a field of gigabytes opens in the time of a memory
// scan and is shared between processes. The layout, byte by byte: docs/field-files.md. Little-endian machines only.
#pragma once

#include <fathom/field/grid/grid_field.h>

#include <filesystem>
#include <string>
#include <string_view>

namespace fathom {

inline constexpr std::uint32_t field_file_version = 1;

// `note`: any text, kept as it is; by custom JSON that tells how the field was made. Appears complete or not at all.
// Throws Error{cannot_write}, or what check_grid() says of a grid that no reader would accept.
void write_field(const GridField& field, const std::filesystem::path& path, std::string_view note = {});

struct FieldFile {
    GridField field; // its arrays lie in the mapped file, which lives as long as any copy of the field
    std::string note;
};

// Throws Error with file and reason: cannot_open, unknown_format, unsupported (another version), truncated, or
// malformed and its like where a byte was changed or an array makes no sense. The file must not be changed in place
// while in use.
[[nodiscard]] FieldFile read_field(const std::filesystem::path& path);

// The same from memory that starts at a multiple of 8 bytes and is kept alive by `owner`.
[[nodiscard]] FieldFile read_field(std::span<const std::byte> bytes, const std::string& name,
                                   std::shared_ptr<const void> owner);

[[nodiscard]] bool is_field_file(std::span<const std::byte> bytes); // by its first 8 bytes

} // namespace fathom
