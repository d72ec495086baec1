// Makes textures and reads them.
#include <fathom/detect/depth_gl/gl_target.h>

#include <fathom/base/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

namespace fathom::gl {

namespace {

Texture make_texture(const std::shared_ptr<Context>& context, GLenum format, const DepthView& view) {
    Texture texture(context, GL_TEXTURE_2D);
    glTextureStorage2D(texture.name(), 1, format, view.width, view.height);
    glTextureParameteri(texture.name(), GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTextureParameteri(texture.name(), GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    return texture;
}

template <class T>
void read_texture(const Texture& texture, GLenum format, GLenum type, std::vector<T>& out, std::size_t count) {
    out.resize(count);
    const std::size_t limit = static_cast<std::size_t>(std::numeric_limits<GLsizei>::max());
    const std::size_t bytes = count * sizeof(T);
    if (bytes > limit)
        throw Error(Cause::too_large,
                    fmt::format("a map of {} bytes cannot be read back; the limit is {}", bytes, limit));
    glGetTextureImage(texture.name(), 0, format, type, static_cast<GLsizei>(bytes), out.data());
}

} // namespace

Maps::Maps(const std::shared_ptr<Context>& context, const DepthView& view, const DrawOptions& options)
    : width(view.width), height(view.height) {
    GLint limit = 0;
    glGetIntegerv(GL_MAX_TEXTURE_SIZE, &limit);
    if (std::max(width, height) > limit)
        throw Error(Cause::too_large, fmt::format("this renderer has at most {} pixels along a side", limit),
                    {.element = "pixels of a view"});
    depth = make_texture(context, GL_DEPTH_COMPONENT32F, view);
    if (options.ids) ids = make_texture(context, GL_RG32UI, view);
    if (options.normals) normals = make_texture(context, GL_RGBA32F, view);
    framebuffer = Framebuffer(context);
    glNamedFramebufferTexture(framebuffer.name(), GL_DEPTH_ATTACHMENT, depth.name(), 0);
    glNamedFramebufferTexture(framebuffer.name(), GL_COLOR_ATTACHMENT0, ids.name(), 0);
    glNamedFramebufferTexture(framebuffer.name(), GL_COLOR_ATTACHMENT1, normals.name(), 0);
    const std::array<GLenum, 2> outputs = {static_cast<GLenum>(ids ? GL_COLOR_ATTACHMENT0 : GL_NONE),
                                           static_cast<GLenum>(normals ? GL_COLOR_ATTACHMENT1 : GL_NONE)};
    glNamedFramebufferDrawBuffers(framebuffer.name(), 2, outputs.data());
    const GLenum status = glCheckNamedFramebufferStatus(framebuffer.name(), GL_DRAW_FRAMEBUFFER);
    if (status != GL_FRAMEBUFFER_COMPLETE)
        throw Error(Cause::too_large,
                    fmt::format("no framebuffer of {} x {} pixels (status {:#x})", width, height, status));
}

bool Maps::fits(const DepthView& view, const DrawOptions& options) const {
    return depth && width == view.width && height == view.height && static_cast<bool>(ids) == options.ids &&
           static_cast<bool>(normals) == options.normals;
}

void Maps::clear(Keep keep) const {
    const GLfloat nothing = keep == Keep::nearest ? 1.0f : 0.0f;
    const std::array<GLuint, 4> nobody = {no_index, no_index, no_index, no_index};
    const std::array<GLfloat, 4> zero{};
    glClearNamedFramebufferfv(framebuffer.name(), GL_DEPTH, 0, &nothing);
    if (ids) glClearNamedFramebufferuiv(framebuffer.name(), GL_COLOR, 0, nobody.data());
    if (normals) glClearNamedFramebufferfv(framebuffer.name(), GL_COLOR, 1, zero.data());
}

Target::~Target() {
    try {
        const Scope scope(context_);
        maps_ = {};
    } catch (const Error&) {
        // A caller's context that is not current any more: its names go when it goes.
    }
}

Maps Target::begin(const DepthView& view, const DrawOptions& options, bool fresh) {
    Maps former;
    if (fresh || !maps_.fits(view, options)) {
        Maps next(context_, view, options);
        former = std::exchange(maps_, std::move(next));
    }
    drawn_ = {view, options.keep, {}, {}, {}};
    return former;
}

const DepthMap& Target::map() const {
    if (is_drawn() && drawn_.depth.empty()) read();
    return drawn_;
}

void Target::read() const {
    Scope scope(context_);
    std::optional<SavedState> saved;
    if (context_->adopted()) saved.emplace(Units::last_two());
    set_reading();
    const std::size_t count = drawn_.view.pixel_count();
    DepthMap map = drawn_;
    read_texture(maps_.depth, GL_DEPTH_COMPONENT, GL_FLOAT, map.depth, count);
    if (maps_.ids) read_texture(maps_.ids, GL_RG_INTEGER, GL_UNSIGNED_INT, map.ids, count);
    if (maps_.normals) read_texture(maps_.normals, GL_RGB, GL_FLOAT, map.normals, count);
    scope.check();
    drawn_ = std::move(map);
}

} // namespace fathom::gl
