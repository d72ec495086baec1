// The project's own file of a grid field, .fathom: versioned, checksummed, and used where it lies. Opening
// maps the file and checks every byte once; nothing is copied, so a field of gigabytes opens in the time of a memory
// scan and is shared between processes. The layout, byte by byte: docs/field-files.md. Little-endian machines only.
#pragma once

#include <fathom/base/hash.h>
#include <fathom/field/grid/grid_field.h>
#include <fathom/geometry/mesh/triangle_mesh.h>

#include <filesystem>
#include <optional>
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

// Fields that were built before, kept in a folder: the second time a mesh is asked for, its field is
// mapped. Safe beside other threads and processes: an entry appears complete or not at all, and one that is damaged
// counts as absent. A cache never makes work fail: it finds nothing, or says why it kept nothing.

// Of the mesh's vertices and triangles, bit by bit and in order, of `options` (every choice that changes the field, as
// text), and of the version of the file format. O(mesh).
[[nodiscard]] Fingerprint field_key(const TriangleMesh& mesh, std::string_view options);

class FieldCache {
public:
    // An empty path is a cache that is off. The folder is made when the first entry is kept.
    explicit FieldCache(std::filesystem::path folder = default_folder()) : folder_(std::move(folder)) {}

    // $FATHOM_CACHE ("off" or empty: none), else $XDG_CACHE_HOME/fathom, else ~/.cache/fathom, else none.
    [[nodiscard]] static std::filesystem::path default_folder();

    [[nodiscard]] bool is_off() const { return folder_.empty(); }
    [[nodiscard]] std::filesystem::path path_of(const Fingerprint& key) const;

    [[nodiscard]] std::optional<FieldFile> find(const Fingerprint& key) const;

    // Replaces what is there. Why the entry was not kept, in a sentence; empty where it was, or the cache is off.
    std::string put(const Fingerprint& key, const GridField& field, std::string_view note = {}) const;

private:
    std::filesystem::path folder_;
};

} // namespace fathom
