// Names and surfaces for the viewer.
#include <tool/drawn_source.h>

#include <fathom/show/viewer_sources.h>

#include <filesystem>

namespace fathom::tool {

std::string name_of(const std::string& text) {
    std::error_code ignored;
    return std::filesystem::exists(text, ignored) ? std::filesystem::path(text).filename().string() : text;
}

ViewerBody drawn_body(const std::string& text, const FieldSource& source, int resolution, Progress* progress) {
    return source.mesh ? viewer_body(name_of(text), *source.mesh)
                       : viewer_body(name_of(text), *source.field, resolution, progress);
}

} // namespace fathom::tool
