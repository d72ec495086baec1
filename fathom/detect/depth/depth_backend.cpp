// Selects a backend, and provides the errors of a build without OpenGL.
#include <fathom/detect/depth/depth_backend.h>

#include <fathom/base/error.h>

#include <fmt/format.h>

namespace fathom {

std::unique_ptr<DepthBackend> make_depth_backend(DepthPreference preference) {
    if (preference == DepthPreference::cpu) return make_cpu_depth_backend();
    std::string why;
    try {
        auto backend = make_gl_depth_backend();
        if (preference == DepthPreference::gl || !backend->software()) return backend;
        why = fmt::format("faster than {}", backend->name());
    } catch (const Error& error) {
        if (error.cause() != Cause::unsupported) throw;
        why = error.reason();
    }
    return make_cpu_depth_backend(why);
}

std::array<float, 16> GlScene::clip(const Pose& frame) const {
    const ClipMatrix rows = clip_matrix(view(), frame);
    std::array<float, 16> columns{};
    for (std::size_t row = 0; row < 3; ++row)
        for (std::size_t column = 0; column < 4; ++column) columns[4 * column + row] = rows[4 * row + column];
    columns[15] = 1;
    return columns;
}

#ifndef FATHOM_WITH_GL
std::string_view environment_fragment_shader() { return {}; }

std::unique_ptr<GlDepthBackend> make_gl_depth_backend(const GlOptions&) {
    throw Error(Cause::unsupported, "this library was built without OpenGL (FATHOM_GL)");
}
#endif

} // namespace fathom
