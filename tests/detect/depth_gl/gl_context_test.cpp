// Contexts: the caller's own context is not changed, and missing features are reported.
#include <detect/depth_gl/gl_programs.h>
#include <detect/depth_gl/gl_support.h>

#include <fathom/geometry/generate/generate.h>

#include <epoxy/egl.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

namespace fathom {

namespace gl_context_test {

using testing::shared_gl;

// A caller's context, current while it lives.
class UsersOwn {
public:
    UsersOwn() {
        display_ = eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr);
        if (display_ == EGL_NO_DISPLAY || !eglInitialize(display_, nullptr, nullptr) || !eglBindAPI(EGL_OPENGL_API))
            return;
        const EGLint wanted[] = {EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_SURFACE_TYPE, 0, EGL_NONE};
        const EGLint version[] = {EGL_CONTEXT_MAJOR_VERSION, 4, EGL_CONTEXT_MINOR_VERSION, 5, EGL_NONE};
        EGLConfig config = nullptr;
        EGLint count = 0;
        if (!eglChooseConfig(display_, wanted, &config, 1, &count) || count == 0) return;
        context_ = eglCreateContext(display_, config, EGL_NO_CONTEXT, version);
        make_current();
    }
    ~UsersOwn() {
        release();
        if (context_ != EGL_NO_CONTEXT) eglDestroyContext(display_, context_);
    }
    void make_current() const { eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, context_); }
    void release() const { eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT); }
    [[nodiscard]] EGLContext context() const { return context_; }

private:
    EGLDisplay display_ = EGL_NO_DISPLAY;
    EGLContext context_ = EGL_NO_CONTEXT;
};

// Reads every state that a drawing could have changed.
std::vector<GLint64> state() {
    std::vector<GLint64> values;
    const auto ask = [&](std::initializer_list<GLenum> names, int count) {
        for (const GLenum name : names) {
            GLint64 read[16] = {};
            glGetInteger64v(name, read);
            values.insert(values.end(), read, read + count);
        }
    };
    ask({GL_DRAW_FRAMEBUFFER_BINDING, GL_READ_FRAMEBUFFER_BINDING, GL_CURRENT_PROGRAM, GL_PROGRAM_PIPELINE_BINDING,
         GL_VERTEX_ARRAY_BINDING, GL_ARRAY_BUFFER_BINDING, GL_ACTIVE_TEXTURE, GL_TEXTURE_BINDING_2D, GL_SAMPLER_BINDING,
         GL_PIXEL_PACK_BUFFER_BINDING, GL_SHADER_STORAGE_BUFFER_BINDING, GL_UNIFORM_BUFFER_BINDING,
         GL_COPY_READ_BUFFER_BINDING},
        1);
    ask({GL_DEPTH_FUNC, GL_DEPTH_WRITEMASK, GL_CULL_FACE_MODE, GL_FRONT_FACE, GL_POLYGON_MODE, GL_CLIP_ORIGIN,
         GL_CLIP_DEPTH_MODE, GL_PATCH_VERTICES, GL_PRIMITIVE_RESTART_INDEX},
        1);
    ask({GL_PACK_ALIGNMENT, GL_PACK_ROW_LENGTH, GL_PACK_SKIP_ROWS, GL_PACK_SKIP_PIXELS, GL_PACK_SWAP_BYTES,
         GL_UNPACK_ALIGNMENT},
        1);
    ask({GL_VIEWPORT, GL_SCISSOR_BOX, GL_COLOR_WRITEMASK}, 4);
    for (const GLenum name :
         {GL_DEPTH_TEST, GL_CULL_FACE, GL_DEPTH_CLAMP, GL_SCISSOR_TEST, GL_STENCIL_TEST, GL_BLEND, GL_COLOR_LOGIC_OP,
          GL_POLYGON_OFFSET_FILL, GL_POLYGON_OFFSET_LINE, GL_PRIMITIVE_RESTART, GL_PRIMITIVE_RESTART_FIXED_INDEX,
          GL_RASTERIZER_DISCARD, GL_CLIP_DISTANCE0, GL_CLIP_DISTANCE7, GL_MULTISAMPLE, GL_DEBUG_OUTPUT,
          GL_DEBUG_OUTPUT_SYNCHRONOUS, GL_PROGRAM_POINT_SIZE})
        values.push_back(glIsEnabled(name));
    for (GLuint k = 0; k < 4; ++k) {
        GLint64 storage[3] = {};
        GLboolean mask[4] = {};
        glGetInteger64i_v(GL_SHADER_STORAGE_BUFFER_BINDING, k, &storage[0]);
        glGetInteger64i_v(GL_SHADER_STORAGE_BUFFER_START, k, &storage[1]);
        glGetInteger64i_v(GL_SHADER_STORAGE_BUFFER_SIZE, k, &storage[2]);
        glGetBooleani_v(GL_COLOR_WRITEMASK, k, mask);
        values.insert(values.end(), storage, storage + 3);
        values.insert(values.end(), mask, mask + 4);
        values.push_back(glIsEnabledi(GL_BLEND, k));
        values.push_back(glIsEnabledi(GL_SCISSOR_TEST, k));
    }
    GLint units = 0;
    glGetIntegerv(GL_MAX_COMBINED_TEXTURE_IMAGE_UNITS, &units);
    for (GLuint unit = 0; unit < static_cast<GLuint>(units); ++unit) {
        GLint texture = 0, sampler = 0;
        glGetIntegeri_v(GL_TEXTURE_BINDING_2D, unit, &texture);
        glGetIntegeri_v(GL_SAMPLER_BINDING, unit, &sampler);
        values.push_back(texture), values.push_back(sampler);
    }
    GLdouble range[2] = {};
    glGetDoublei_v(GL_DEPTH_RANGE, 0, range);
    values.push_back(static_cast<GLint64>(range[0] * 1000)), values.push_back(static_cast<GLint64>(range[1] * 1000));
    void* pointer = nullptr;
    glGetPointerv(GL_DEBUG_CALLBACK_FUNCTION, &pointer);
    values.push_back(reinterpret_cast<GLint64>(pointer));
    return values;
}

void GLAPIENTRY users_callback(GLenum, GLenum, GLuint, GLenum, GLsizei, const GLchar*, const void*) {}

// Everything as it is not by default.
void set_unusual_state() {
    GLuint names[4] = {};
    glCreateBuffers(2, names);
    glNamedBufferData(names[0], 1024, nullptr, GL_STATIC_DRAW);
    glNamedBufferData(names[1], 1024, nullptr, GL_STATIC_DRAW);
    glBindBufferRange(GL_SHADER_STORAGE_BUFFER, 0, names[0], 256, 512);
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 1, names[1]);
    glBindBuffer(GL_PIXEL_PACK_BUFFER, names[1]);
    glCreateTextures(GL_TEXTURE_2D, 2, names);
    GLuint sampler = 0, array = 0, framebuffer = 0;
    glCreateSamplers(1, &sampler);
    glCreateVertexArrays(1, &array);
    glBindVertexArray(array);
    glCreateFramebuffers(1, &framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    GLint units = 0;
    glGetIntegerv(GL_MAX_COMBINED_TEXTURE_IMAGE_UNITS, &units);
    for (const GLuint unit : {0u, static_cast<GLuint>(units) - 2, static_cast<GLuint>(units) - 1}) {
        glBindTextureUnit(unit, names[unit % 2]);
        glBindSampler(unit, sampler);
    }
    glUseProgram(testing::link_program(
        {{GL_COMPUTE_SHADER, "#version 450 core\nlayout(local_size_x = 1) in;\nvoid main() {}\n"}}));
    for (const GLenum name :
         {GL_CULL_FACE, GL_SCISSOR_TEST, GL_STENCIL_TEST, GL_BLEND, GL_COLOR_LOGIC_OP, GL_POLYGON_OFFSET_FILL,
          GL_PRIMITIVE_RESTART, GL_RASTERIZER_DISCARD, GL_CLIP_DISTANCE0, GL_CLIP_DISTANCE7})
        glEnable(name);
    glPrimitiveRestartIndex(3);
    glPolygonOffset(1000, 1000);
    glPolygonMode(GL_FRONT_AND_BACK, GL_POINT);
    glScissor(1, 1, 2, 2);
    glColorMask(GL_FALSE, GL_TRUE, GL_FALSE, GL_TRUE);
    glDepthMask(GL_FALSE);
    glDepthFunc(GL_NEVER);
    glDepthRange(0.25, 0.75);
    glCullFace(GL_FRONT_AND_BACK);
    glClipControl(GL_UPPER_LEFT, GL_NEGATIVE_ONE_TO_ONE);
    glViewport(3, 4, 5, 6);
    glPixelStorei(GL_PACK_ALIGNMENT, 8);
    glPixelStorei(GL_PACK_ROW_LENGTH, 1000);
    glPixelStorei(GL_PACK_SKIP_ROWS, 7);
    glDebugMessageCallback(users_callback, nullptr);
}

TEST(GlContext, of_the_caller_draws_the_same_maps_and_is_left_as_it_was) {
    FATHOM_NEEDS_GL();
    const DrawnBody body{std::make_shared<DrawnMesh>(make_pawn()), {}, 9},
        other{std::make_shared<DrawnMesh>(make_torus()), Pose::from_translation({0.1, 0, 0.2}), 4};
    const DepthView view = view_of(body.mesh->bounds(), {}, Vec3(1, 2, 3), {.pixels = 123});
    const DrawOptions far{.keep = Keep::farthest, .faces = Faces::back, .ids = true, .normals = true};
    GlDepthBackend& own = *shared_gl().backend;
    const auto expected = own.make_target(), expected_other = own.make_target();
    own.draw(view, {&body, 1}, far, *expected);
    own.draw(view, {&other, 1}, {}, *expected_other);

    const UsersOwn user;
    ASSERT_NE(user.context(), EGL_NO_CONTEXT);
    set_unusual_state();
    ASSERT_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR));
    const std::vector<GLint64> before = state();
    for (const GlCompare compare : {GlCompare::compute, GlCompare::fragment, GlCompare::read_back}) {
        const auto gl = make_gl_depth_backend({.current_context = true, .compare = compare});
        EXPECT_EQ(state(), before);
        const auto object = gl->make_target(), environment = gl->make_target();
        gl->draw(view, {&body, 1}, far, *object);
        EXPECT_EQ(state(), before);
        gl->draw(view, {&other, 1}, {}, *environment);
        EXPECT_EQ(object->map().depth, expected->map().depth);
        EXPECT_EQ(object->map().ids, expected->map().ids);
        EXPECT_EQ(object->map().normals, expected->map().normals);
        EXPECT_EQ(environment->map().depth, expected_other->map().depth);
        EXPECT_EQ(state(), before);
        const DepthOverlap overlap = gl->compare(*object, *environment);
        EXPECT_EQ(overlap.pixels, own.compare(*expected, *expected_other).pixels);
        EXPECT_GT(overlap.pixels, 0u);
        EXPECT_TRUE(gl->touch(*object, *environment));
        EXPECT_EQ(state(), before);
        gl->draw(view, {.until = object.get()}, *environment, [](const GlScene&) {});
        EXPECT_THROW(gl->draw(view, {}, *environment, [](const GlScene&) { throw std::logic_error("mine"); }),
                     std::logic_error);
        EXPECT_EQ(state(), before);
    }
    EXPECT_EQ(state(), before);
    EXPECT_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR));
}

TEST(GlContext, own_leaves_the_callers_current) {
    FATHOM_NEEDS_GL();
    GlDepthBackend& gl = *shared_gl().backend;
    EXPECT_EQ(eglGetCurrentContext(), EGL_NO_CONTEXT);
    const auto target = gl.make_target();
    gl.draw({}, std::span<const DrawnBody>{}, {}, *target);
    EXPECT_EQ(eglGetCurrentContext(), EGL_NO_CONTEXT);
    const UsersOwn user;
    gl.draw({}, std::span<const DrawnBody>{}, {}, *target);
    (void)target->map();
    (void)make_gl_depth_backend();
    EXPECT_EQ(eglGetCurrentContext(), user.context());
}

TEST(GlContext, moves_to_another_thread_with_its_backend) {
    FATHOM_NEEDS_GL();
    const auto gl = make_gl_depth_backend();
    const auto target = gl->make_target();
    gl->draw({}, std::span<const DrawnBody>{}, {}, *target);
    std::size_t pixels = 0;
    std::thread([&] { pixels = target->map().depth.size(); }).join();
    EXPECT_EQ(pixels, DepthView{}.pixel_count());
}

TEST(GlContext, targets_may_outlive_their_backend_and_a_dead_context_harms_nothing) {
    FATHOM_NEEDS_GL();
    auto gl = make_gl_depth_backend();
    auto target = gl->make_target();
    gl->draw({}, std::span<const DrawnBody>{}, {}, *target);
    gl.reset();
    EXPECT_EQ(target->map().depth.size(), DepthView{}.pixel_count());
    {
        const UsersOwn user;
        gl = make_gl_depth_backend({.current_context = true});
        target = gl->make_target();
        gl->draw({}, std::span<const DrawnBody>{}, {}, *target);
        user.release();
        EXPECT_THROW(gl->draw({}, std::span<const DrawnBody>{}, {}, *target), Error);
        EXPECT_THROW((void)target->map(), Error);
    }
    EXPECT_NO_THROW(target.reset());
    EXPECT_NO_THROW(gl.reset());
}

Cause cause_of(const GlOptions& options) {
    try {
        (void)make_gl_depth_backend(options);
    } catch (const Error& error) {
        return error.cause();
    }
    return Cause::cancelled;
}

TEST(GlContext, that_is_not_there_is_unsupported) {
    FATHOM_NEEDS_GL();
    EXPECT_EQ(cause_of({.current_context = true}), Cause::unsupported);
}

// Libraries and drivers are loaded when a process starts or first uses them, so each of these runs in its own process
// with a variable set.
[[noreturn]] void try_to_make_one() {
    try {
        std::fprintf(stderr, "there is one: %s\n", make_gl_depth_backend()->name().c_str());
        std::exit(1);
    } catch (const Error& error) {
        std::fprintf(stderr, "%s: %s; taken: %s\n", std::string(name(error.cause())).c_str(), error.what(),
                     make_depth_backend(DepthPreference::gl)->name().c_str());
        std::exit(0);
    }
}

class Variable {
public:
    Variable(const char* name, const std::string& value) : name_(name) { setenv(name, value.c_str(), 1); }
    ~Variable() { unsetenv(name_); }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;

private:
    const char* name_;
};

TEST(GlContextDeathTest, a_machine_without_egl_drivers_or_version_reports_it_and_falls_back) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    {
        const Variable no_drivers("__EGL_VENDOR_LIBRARY_FILENAMES", "/nowhere");
        EXPECT_EXIT(try_to_make_one(), ::testing::ExitedWithCode(0), "unsupported: .*; taken: CPU \\(");
    }
    {
        const Variable old("MESA_GL_VERSION_OVERRIDE", "3.3");
        EXPECT_EXIT(try_to_make_one(), ::testing::ExitedWithCode(0), "unsupported: .*; taken: CPU \\(");
    }
    const std::filesystem::path broken = std::filesystem::temp_directory_path() / "fathom_no_egl";
    std::filesystem::create_directories(broken);
    std::ofstream(broken / "libEGL.so.1") << "not a library";
    const Variable no_library("LD_LIBRARY_PATH", broken.string());
    EXPECT_EXIT(try_to_make_one(), ::testing::ExitedWithCode(0),
                "unsupported: libEGL.so.1 cannot be loaded; taken: CPU \\(libEGL.so.1 cannot be loaded\\)");
}

TEST(GlErrors, bad_arguments_are_refused_before_anything_is_drawn) {
    FATHOM_NEEDS_GL();
    GlDepthBackend& gl = *shared_gl().backend;
    const auto target = gl.make_target(), fresh = gl.make_target();
    const auto cause = [&](const DepthView& view, const DrawOptions& options, DepthTarget& to,
                           std::span<const DrawnBody> bodies = {}) {
        try {
            gl.draw(view, bodies, options, to);
        } catch (const Error& error) {
            return error.cause();
        }
        return Cause::cancelled;
    };
    DepthView wrong;
    wrong.size.z() = -1;
    EXPECT_EQ(cause(wrong, {}, *target), Cause::invalid_argument);
    EXPECT_EQ(cause({}, {.conservative = true}, *target), Cause::unsupported);
    EXPECT_EQ(cause({}, {}, *make_cpu_depth_backend()->make_target()), Cause::invalid_argument);
    EXPECT_EQ(cause({}, {}, *make_gl_depth_backend()->make_target()), Cause::invalid_argument);
    EXPECT_EQ(cause({}, {.after = fresh.get()}, *target), Cause::invalid_argument);
    DepthView small;
    small.width = 8;
    gl.draw(small, std::span<const DrawnBody>{}, {}, *fresh);
    EXPECT_EQ(cause({}, {.until = fresh.get()}, *target), Cause::invalid_argument);
    EXPECT_EQ(cause({}, {}, *target, std::array{DrawnBody{}}), Cause::empty);
    const auto box = std::make_shared<DrawnMesh>(make_box());
    EXPECT_EQ(
        cause({}, {}, *target, std::array{DrawnBody{box, Pose::from_translation(Vec3::Constant(std::nan(""))), 0}}),
        Cause::non_finite);
    EXPECT_TRUE(target->map().depth.empty());
    EXPECT_EQ(cause({}, {}, *target, std::array{DrawnBody{box, {}, 0}}), Cause::cancelled);
    EXPECT_FALSE(target->map().depth.empty());
}

TEST(GlErrors, the_chosen_context_describes_itself) {
    FATHOM_NEEDS_GL();
    EXPECT_EQ(make_depth_backend(DepthPreference::cpu)->name(), "CPU");
    EXPECT_EQ(make_depth_backend(DepthPreference::gl)->name(), shared_gl().backend->name());
    const std::string fastest = make_depth_backend()->name();
    if (shared_gl().backend->software())
        EXPECT_EQ(fastest, "CPU (faster than " + shared_gl().backend->name() + ")");
    else
        EXPECT_EQ(fastest, shared_gl().backend->name());
}

} // namespace gl_context_test

} // namespace fathom
