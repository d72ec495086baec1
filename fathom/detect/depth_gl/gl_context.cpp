// OpenGL contexts: created through EGL without a display, or the context that the caller has made current.
#include <fathom/detect/depth_gl/gl_context.h>

#include <fathom/base/error.h>

#include <dlfcn.h>
#include <epoxy/egl.h>
#include <epoxy/gl.h>
#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>

namespace fathom::gl {

namespace {

[[noreturn]] void unsupported(std::string reason) { throw Error(Cause::unsupported, std::move(reason)); }

// libepoxy ends the process if it cannot load a library, so each is tried here first. They stay loaded, as libepoxy
// would keep them.
void need_library(std::initializer_list<const char*> names) {
    for (const char* name : names)
        if (dlopen(name, RTLD_LAZY | RTLD_LOCAL)) return;
    unsupported(fmt::format("{} cannot be loaded", *names.begin()));
}

// The context of this thread, whoever created it; queries only libraries that are loaded already.
void* current_context() {
    for (const auto& [library, function] : {std::array{"libEGL.so.1", "eglGetCurrentContext"},
                                            {"libGLX.so.0", "glXGetCurrentContext"},
                                            {"libGL.so.1", "glXGetCurrentContext"}})
        if (void* loaded = dlopen(library, RTLD_LAZY | RTLD_NOLOAD)) {
            const auto current = reinterpret_cast<void* (*)()>(dlsym(loaded, function));
            void* context = current ? current() : nullptr;
            dlclose(loaded);
            if (context) return context;
        }
    return nullptr;
}

std::vector<EGLDisplay> displays() {
    std::vector<EGLDisplay> found;
    if (epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_MESA_platform_surfaceless"))
        found.push_back(eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr));
    if (epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_EXT_platform_device") &&
        epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_EXT_device_enumeration")) {
        std::array<EGLDeviceEXT, 16> devices{};
        EGLint count = 0;
        eglQueryDevicesEXT(static_cast<EGLint>(devices.size()), devices.data(), &count);
        for (EGLint k = 0; k < count; ++k)
            found.push_back(
                eglGetPlatformDisplayEXT(EGL_PLATFORM_DEVICE_EXT, devices[static_cast<std::size_t>(k)], nullptr));
    }
    return found;
}

// Saves the EGL state of this thread and restores it at the end.
class FormerEgl {
public:
    FormerEgl()
        : api_(eglQueryAPI()), display_(eglGetCurrentDisplay()), context_(eglGetCurrentContext()),
          draw_(eglGetCurrentSurface(EGL_DRAW)), read_(eglGetCurrentSurface(EGL_READ)) {}
    void put_back(EGLDisplay ours) const noexcept {
        if (context_ == EGL_NO_CONTEXT)
            eglMakeCurrent(ours, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
        else
            eglMakeCurrent(display_, draw_, read_, context_);
        eglBindAPI(api_);
    }

private:
    EGLenum api_;
    EGLDisplay display_;
    EGLContext context_;
    EGLSurface draw_, read_;
};

class OwnContext final : public Context {
public:
    OwnContext() {
        need_library({"libEGL.so.1"});
        need_library({"libGL.so.1", "libOpenGL.so.0"});
        const FormerEgl former;
        std::string reason = "EGL provides no display without a window";
        for (EGLDisplay display : displays())
            if (display != EGL_NO_DISPLAY && make(display, reason)) {
                former.put_back(display);
                return;
            }
        former.put_back(EGL_NO_DISPLAY);
        unsupported(std::move(reason));
    }
    // The display stays initialised: EGL shares it with other users in the process.
    ~OwnContext() override { eglDestroyContext(display_, context_); }

    [[nodiscard]] bool adopted() const override { return false; }

private:
    [[nodiscard]] bool make(EGLDisplay display, std::string& reason) {
        EGLint major = 0, minor = 0;
        if (!eglInitialize(display, &major, &minor))
            return reason = fmt::format("EGL cannot be initialized (error {:#x})", eglGetError()), false;
        if (!eglBindAPI(EGL_OPENGL_API)) return reason = "EGL does not support OpenGL", false;
        const std::array<EGLint, 5> wanted = {EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_SURFACE_TYPE, 0, EGL_NONE};
        EGLConfig config = nullptr;
        EGLint count = 0;
        if (!eglChooseConfig(display, wanted.data(), &config, 1, &count) || count == 0)
            return reason = "EGL has no configuration for OpenGL", false;
        const std::array<EGLint, 7> version = {
            EGL_CONTEXT_MAJOR_VERSION,           4,       EGL_CONTEXT_MINOR_VERSION, 5, EGL_CONTEXT_OPENGL_PROFILE_MASK,
            EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT, EGL_NONE};
        context_ = eglCreateContext(display, config, EGL_NO_CONTEXT, version.data());
        if (context_ == EGL_NO_CONTEXT)
            return reason =
                       fmt::format("an OpenGL 4.5 core context cannot be created (EGL error {:#x})", eglGetError()),
                   false;
        display_ = display;
        try {
            if (!eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, context_))
                unsupported(
                    fmt::format("EGL does not support contexts without a surface (error {:#x})", eglGetError()));
            describe();
            return true;
        } catch (const Error& error) {
            reason = error.reason();
            eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
            eglDestroyContext(display, context_);
            return false;
        }
    }

    void enter() override {
        former_.emplace_back();
        if (eglBindAPI(EGL_OPENGL_API) && eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, context_)) return;
        const EGLint error = eglGetError();
        leave();
        unsupported(
            fmt::format("the context cannot be made current (EGL error {:#x}); is it in another thread?", error));
    }
    void leave() noexcept override {
        former_.back().put_back(display_);
        former_.pop_back();
    }

    EGLDisplay display_ = EGL_NO_DISPLAY;
    EGLContext context_ = EGL_NO_CONTEXT;
    std::vector<FormerEgl> former_;
};

class UsersContext final : public Context {
public:
    UsersContext() : context_(current_context()) {
        if (!context_) unsupported("no OpenGL context is current in this thread");
        need_library({"libGL.so.1", "libOpenGL.so.0"});
        describe();
    }
    [[nodiscard]] bool adopted() const override { return true; }

private:
    void enter() override {
        if (current_context() != context_)
            throw Error(Cause::invalid_argument, "the context in which the backend was created is not current");
    }
    void leave() noexcept override {}

    void* context_;
};

void GLAPIENTRY note_error(GLenum, GLenum type, GLuint, GLenum, GLsizei length, const GLchar* text,
                           const void* errors) {
    if (type != GL_DEBUG_TYPE_ERROR) return;
    const std::string_view message(text, length < 0 ? std::char_traits<char>::length(text)
                                                    : static_cast<std::size_t>(length));
    static_cast<std::vector<std::string>*>(const_cast<void*>(errors))
        ->emplace_back(message.substr(0, message.find_last_not_of("\n ") + 1));
}

} // namespace

std::shared_ptr<Context> Context::create() { return std::make_shared<OwnContext>(); }
std::shared_ptr<Context> Context::adopt() { return std::make_shared<UsersContext>(); }

void Context::describe() {
    const int version = epoxy_gl_version();
    if (!epoxy_is_desktop_gl() || version < 45)
        unsupported(fmt::format("OpenGL 4.5 is required, found {}{}.{}", epoxy_is_desktop_gl() ? "" : "ES ",
                                version / 10, version % 10));
    renderer_ = reinterpret_cast<const char*>(glGetString(GL_RENDERER));
}

bool Context::software() const {
    for (const char* name : {"llvmpipe", "softpipe", "swrast", "SwiftShader", "Software"})
        if (renderer_.find(name) != std::string::npos) return true;
    return false;
}

Scope::Scope(std::shared_ptr<Context> context) : context_(std::move(context)) {
    context_->enter();
    ++context_->depth_;
    glGetPointerv(GL_DEBUG_CALLBACK_FUNCTION, &former_callback_);
    glGetPointerv(GL_DEBUG_CALLBACK_USER_PARAM, &former_user_);
    former_output_ = glIsEnabled(GL_DEBUG_OUTPUT);
    former_synchronous_ = glIsEnabled(GL_DEBUG_OUTPUT_SYNCHRONOUS);
    glEnable(GL_DEBUG_OUTPUT);
    glEnable(GL_DEBUG_OUTPUT_SYNCHRONOUS);
    glDebugMessageCallback(note_error, &context_->errors_);
}

Scope::~Scope() {
    context_->errors_.clear();
    glDebugMessageCallback(reinterpret_cast<GLDEBUGPROC>(former_callback_), former_user_);
    (former_output_ ? glEnable : glDisable)(GL_DEBUG_OUTPUT);
    (former_synchronous_ ? glEnable : glDisable)(GL_DEBUG_OUTPUT_SYNCHRONOUS);
    --context_->depth_;
    context_->leave();
}

void Scope::check(const char* culprit) {
    // Not every driver reports errors of contexts without the debug flag; the error flag of a caller's context is left
    // to the caller.
    if (!context_->adopted())
        if (const GLenum error = glGetError(); error != GL_NO_ERROR && context_->errors_.empty())
            context_->errors_.push_back(error == GL_OUT_OF_MEMORY ? "GL_OUT_OF_MEMORY"
                                                                  : fmt::format("OpenGL error {:#x}", error));
    if (context_->errors_.empty()) return;
    const std::string reason = context_->errors_.front();
    context_->errors_.clear();
    while (glGetError() != GL_NO_ERROR) {
    }
    const bool memory = reason.find("OUT_OF_MEMORY") != std::string::npos;
    throw Error(memory ? Cause::too_large : Cause::invalid_argument, reason, {.element = culprit});
}

} // namespace fathom::gl

// ---- Programs from sources
namespace fathom::gl {

namespace {

std::string log_of(GLuint name, decltype(glGetShaderInfoLog) read) {
    std::string log(1024, '\0');
    GLsizei length = 0;
    read(name, static_cast<GLsizei>(log.size()), &length, log.data());
    log.resize(static_cast<std::size_t>(length));
    return log;
}

} // namespace

Program link(const std::shared_ptr<Context>& context, std::initializer_list<Stage> stages) {
    Program program(context);
    for (const Stage& stage : stages) {
        const GLuint shader = glCreateShader(stage.type);
        const GLchar* text = stage.source.data();
        const auto length = static_cast<GLint>(stage.source.size());
        glShaderSource(shader, 1, &text, &length);
        glCompileShader(shader);
        glAttachShader(program.name(), shader);
        glDeleteShader(shader); // it exists as long as it is attached
        GLint compiled = GL_FALSE;
        glGetShaderiv(shader, GL_COMPILE_STATUS, &compiled);
        if (!compiled)
            throw Error(Cause::unsupported,
                        fmt::format("a shader does not compile: {}", log_of(shader, glGetShaderInfoLog)));
    }
    glLinkProgram(program.name());
    GLint linked = GL_FALSE;
    glGetProgramiv(program.name(), GL_LINK_STATUS, &linked);
    if (!linked)
        throw Error(Cause::unsupported,
                    fmt::format("shaders do not link: {}", log_of(program.name(), glGetProgramInfoLog)));
    return program;
}

} // namespace fathom::gl
