// The folder of fields that were built before.
#include <fathom/field/file/field_cache.h>

#include <array>
#include <cstdlib>
#include <exception>

namespace fathom {

namespace {

namespace fs = std::filesystem;

fs::path from_environment(const char* name) {
    const char* const value = std::getenv(name);
    return value ? fs::path(value) : fs::path();
}

} // namespace

Fingerprint field_key(const TriangleMesh& mesh, std::string_view options) {
    Fingerprinter printer;
    const std::array<std::uint64_t, 3> head = {field_file_version, mesh.vertices.size(), mesh.triangles.size()};
    printer.add(std::as_bytes(std::span(head)));
    printer.add(std::as_bytes(std::span(mesh.vertices)));
    printer.add(std::as_bytes(std::span(mesh.triangles)));
    printer.add(options);
    return printer.finish();
}

fs::path FieldCache::default_folder() {
    if (std::getenv("FATHOM_CACHE")) {
        const fs::path own = from_environment("FATHOM_CACHE");
        return own == "off" ? fs::path() : own;
    }
    // The XDG rules ask to ignore what is not absolute.
    if (const fs::path caches = from_environment("XDG_CACHE_HOME"); caches.is_absolute()) return caches / "fathom";
    if (const fs::path home = from_environment("HOME"); home.is_absolute()) return home / ".cache" / "fathom";
    return {};
}

fs::path FieldCache::path_of(const Fingerprint& key) const { return folder_ / key.text().append(".fathom"); }

std::optional<FieldFile> FieldCache::find(const Fingerprint& key) const {
    if (is_off()) return std::nullopt;
    try {
        return read_field(path_of(key));
    } catch (const std::exception&) {
        return std::nullopt; // absent, damaged or of another version: all the same to who asks
    }
}

std::string FieldCache::put(const Fingerprint& key, const GridField& field, std::string_view note) const {
    if (is_off()) return {};
    try {
        fs::create_directories(folder_);
        write_field(field, path_of(key), note);
        return {};
    } catch (const std::exception& error) {
        return error.what();
    }
}

} // namespace fathom
