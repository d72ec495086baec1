// A grid field from a mesh, built once.
#include <fathom/field/mesh/cached_grid.h>

#include <fathom/base/version.h>

#include <nlohmann/json.hpp>

namespace fathom {

namespace {

using Json = nlohmann::ordered_json;

Json numbers(const Vec3& v) { return {v.x(), v.y(), v.z()}; }

// Everything that changes the field; numbers are written so that they read back the same.
Json described(const GridOptions& options) {
    Json text = {{"resolution", options.resolution},
                 {"margin", options.margin},
                 {"band", options.band},
                 {"dense", options.dense},
                 {"storage", options.storage == GridStorage::code16 ? "code16" : "float32"},
                 {"sign", name(options.sign)},
                 {"thickness", options.thickness},
                 {"wrap", options.wrap}};
    if (!options.box.empty()) text["box"] = {numbers(options.box.lower), numbers(options.box.upper)};
    return text;
}

std::string note_of(const GridOptions& options, const GridReport& report) {
    const Json note = {{"fathom", version},
                       {"from", "mesh"},
                       {"options", described(options)},
                       {"sign",
                        {{"method", name(report.sign.method)},
                         {"inside_out", report.sign.flipped},
                         {"sealed", report.sign.sealed},
                         {"confidence", report.sign.confidence},
                         {"reason", report.sign.reason}}},
                       {"sample_error", report.sample_error}};
    return note.dump();
}

} // namespace

CachedGrid cached_grid(const TriangleMesh& mesh, const GridOptions& options, const FieldCache& cache) {
    check(mesh);
    const Fingerprint key =
        field_key(mesh, Json{{"builder", grid_builder_revision}, {"options", described(options)}}.dump());
    if (std::optional<FieldFile> kept = cache.find(key)) return {std::move(*kept), true, {}};
    GridReport report;
    GridField field = build_grid(mesh, options, &report);
    std::string note = note_of(options, report);
    std::string not_kept = cache.put(key, field, note);
    return {{std::move(field), std::move(note)}, false, std::move(not_kept)};
}

} // namespace fathom
