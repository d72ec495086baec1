// Native file format of grid fields, .fathom: versioned, checksummed, and memory-mapped.
// Opening maps the file and checks every byte once; nothing is copied, so a field of gigabytes opens in the time of a
// memory scan and is shared between processes. The byte layout is in docs/field-files.md. Little-endian machines only.
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

// `note` is any text, stored unchanged; by convention JSON that describes how the field was made. The write is atomic.
// Throws Error{cannot_write}, or the error of check_grid() for a grid that no reader would accept.
void write_field(const GridField& field, const std::filesystem::path& path, std::string_view note = {});

struct FieldFile {
    GridField field; // its arrays are in the mapped file, which stays mapped as long as any copy of the field exists
    std::string note;
};

// Throws Error with file and reason: cannot_open, unknown_format, unsupported (another version), truncated, or
// malformed and similar causes if a byte was changed or an array is invalid. The file must not be changed in place
// while in use.
[[nodiscard]] FieldFile read_field(const std::filesystem::path& path);

// The same from memory that starts at a multiple of 8 bytes and that `owner` keeps alive.
[[nodiscard]] FieldFile read_field(std::span<const std::byte> bytes, const std::string& name,
                                   std::shared_ptr<const void> owner);

[[nodiscard]] bool is_field_file(std::span<const std::byte> bytes); // decided by the first 8 bytes

// ---- Cache of built fields in a folder: the field of a mesh is built once and mapped from the cache afterwards.
// Safe for concurrent threads and processes: an entry appears complete or not at all, and a damaged entry counts as
// absent. The cache never causes an error: it finds nothing, or returns the reason why it stored nothing.

// Key of the mesh's vertices and triangles, bit by bit and in order, of `options` (every choice that changes the field,
// as text), and of the version of the file format. Cost: O(mesh).
[[nodiscard]] Fingerprint field_key(const TriangleMesh& mesh, std::string_view options);

class FieldCache {
public:
    // An empty path turns the cache off. The folder is created when the first entry is stored.
    explicit FieldCache(std::filesystem::path folder = default_folder()) : folder_(std::move(folder)) {}

    // $FATHOM_CACHE ("off" or empty: no cache), else $XDG_CACHE_HOME/fathom, else ~/.cache/fathom, else no cache.
    [[nodiscard]] static std::filesystem::path default_folder();

    [[nodiscard]] bool is_off() const { return folder_.empty(); }
    [[nodiscard]] std::filesystem::path path_of(const Fingerprint& key) const;

    [[nodiscard]] std::optional<FieldFile> find(const Fingerprint& key) const;

    // Replaces an existing entry. Returns the reason why the entry was not stored; empty if it was stored or the cache
    // is off.
    std::string put(const Fingerprint& key, const GridField& field, std::string_view note = {}) const;

private:
    std::filesystem::path folder_;
};

} // namespace fathom
