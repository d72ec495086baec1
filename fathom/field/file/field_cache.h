// Fields that were built before, kept in a folder: the second time a mesh is asked for, its field is
// mapped. Safe beside other threads and processes: an entry appears complete or not at all, and one that is damaged
// counts as absent. A cache never makes work fail: it finds nothing, or says why it kept nothing.
#pragma once

#include <fathom/base/hash.h>
#include <fathom/field/file/field_file.h>
#include <fathom/geometry/mesh/triangle_mesh.h>

#include <optional>

namespace fathom {

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
