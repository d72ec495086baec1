// An OpenGL 4.5 context, created here or provided by the caller: made current for the duration of a call, with the
// errors of that call.
#pragma once

#include <epoxy/gl.h>

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fathom::gl {

class Context {
public:
    // Both throw Error{unsupported} with the reason.
    [[nodiscard]] static std::shared_ptr<Context> create(); // through EGL, without a window
    [[nodiscard]] static std::shared_ptr<Context> adopt();  // the current one

    virtual ~Context() = default;
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;

    [[nodiscard]] virtual bool adopted() const = 0;
    [[nodiscard]] bool entered() const { return depth_ > 0; } // whether objects may be deleted now
    [[nodiscard]] const std::string& renderer() const { return renderer_; }
    [[nodiscard]] bool software() const;

protected:
    Context() = default;
    void describe(); // call while current; throws if it is not OpenGL 4.5

private:
    friend class Scope;
    virtual void enter() = 0; // throws Error
    virtual void leave() noexcept = 0;

    int depth_ = 0;
    std::string renderer_;
    std::vector<std::string> errors_; // errors of the calls since the scope began
};

// Keeps the context current during its lifetime.
class Scope {
public:
    explicit Scope(std::shared_ptr<Context> context);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

    // Throws Error if OpenGL has reported errors since the last check; `culprit` is named as the place.
    void check(const char* culprit = "OpenGL");

private:
    std::shared_ptr<Context> context_;
    void* former_callback_ = nullptr;
    void* former_user_ = nullptr;
    bool former_output_ = false, former_synchronous_ = false;
};

} // namespace fathom::gl

// ---- OpenGL objects with unique ownership.
namespace fathom::gl {

enum class Kind { buffer, texture, framebuffer, vertex_array, query, program };

// Must be destroyed inside a Scope of its context; otherwise (the caller's context is gone) the object is left to the
// context.
template <Kind ObjectKind>
class Object {
public:
    Object() = default;
    // `target` is needed for textures and queries.
    explicit Object(std::shared_ptr<Context> context, [[maybe_unused]] GLenum target = 0)
        : context_(std::move(context)) {
        if constexpr (ObjectKind == Kind::buffer) glCreateBuffers(1, &name_);
        if constexpr (ObjectKind == Kind::texture) glCreateTextures(target, 1, &name_);
        if constexpr (ObjectKind == Kind::framebuffer) glCreateFramebuffers(1, &name_);
        if constexpr (ObjectKind == Kind::vertex_array) glCreateVertexArrays(1, &name_);
        if constexpr (ObjectKind == Kind::query) glCreateQueries(target, 1, &name_);
        if constexpr (ObjectKind == Kind::program) name_ = glCreateProgram();
    }
    Object(Object&& other) noexcept : context_(std::move(other.context_)), name_(std::exchange(other.name_, 0)) {}
    Object& operator=(Object&& other) noexcept {
        std::swap(context_, other.context_);
        std::swap(name_, other.name_);
        return *this;
    }
    ~Object() {
        if (name_ == 0 || !context_->entered()) return;
        if constexpr (ObjectKind == Kind::buffer) glDeleteBuffers(1, &name_);
        if constexpr (ObjectKind == Kind::texture) glDeleteTextures(1, &name_);
        if constexpr (ObjectKind == Kind::framebuffer) glDeleteFramebuffers(1, &name_);
        if constexpr (ObjectKind == Kind::vertex_array) glDeleteVertexArrays(1, &name_);
        if constexpr (ObjectKind == Kind::query) glDeleteQueries(1, &name_);
        if constexpr (ObjectKind == Kind::program) glDeleteProgram(name_);
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
