// OpenGL's names, each deleted once.
#pragma once

#include <fathom/detect/depth_gl/gl_context.h>

#include <epoxy/gl.h>

#include <initializer_list>
#include <string_view>
#include <utility>

namespace fathom::gl {

enum class Kind { buffer, texture, framebuffer, vertex_array, query, program };

// Must die inside a Scope of its context; where it does not (the caller's context is gone) the name is left to the
// context.
template <Kind kind>
class Object {
public:
    Object() = default;
    // `target` is needed for textures and queries.
    explicit Object(std::shared_ptr<Context> context, [[maybe_unused]] GLenum target = 0)
        : context_(std::move(context)) {
        if constexpr (kind == Kind::buffer) glCreateBuffers(1, &name_);
        if constexpr (kind == Kind::texture) glCreateTextures(target, 1, &name_);
        if constexpr (kind == Kind::framebuffer) glCreateFramebuffers(1, &name_);
        if constexpr (kind == Kind::vertex_array) glCreateVertexArrays(1, &name_);
        if constexpr (kind == Kind::query) glCreateQueries(target, 1, &name_);
        if constexpr (kind == Kind::program) name_ = glCreateProgram();
    }
    Object(Object&& other) noexcept : context_(std::move(other.context_)), name_(std::exchange(other.name_, 0)) {}
    Object& operator=(Object&& other) noexcept {
        std::swap(context_, other.context_);
        std::swap(name_, other.name_);
        return *this;
    }
    ~Object() {
        if (name_ == 0 || !context_->entered()) return;
        if constexpr (kind == Kind::buffer) glDeleteBuffers(1, &name_);
        if constexpr (kind == Kind::texture) glDeleteTextures(1, &name_);
        if constexpr (kind == Kind::framebuffer) glDeleteFramebuffers(1, &name_);
        if constexpr (kind == Kind::vertex_array) glDeleteVertexArrays(1, &name_);
        if constexpr (kind == Kind::query) glDeleteQueries(1, &name_);
        if constexpr (kind == Kind::program) glDeleteProgram(name_);
    }

    [[nodiscard]] GLuint name() const { return name_; }
    explicit operator bool() const { return name_ != 0; }

private:
    std::shared_ptr<Context> context_;
    GLuint name_ = 0;
};

using Buffer = Object<Kind::buffer>;
using Texture = Object<Kind::texture>;
using Framebuffer = Object<Kind::framebuffer>;
using VertexArray = Object<Kind::vertex_array>;
using Query = Object<Kind::query>;
using Program = Object<Kind::program>;

struct Stage {
    GLenum type;
    std::string_view source;
};

// Throws Error{unsupported} with the log of the compiler.
[[nodiscard]] Program link(const std::shared_ptr<Context>& context, std::initializer_list<Stage> stages);

} // namespace fathom::gl
