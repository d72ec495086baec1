// Programs from sources.
#include <fathom/detect/depth_gl/gl_object.h>

#include <fathom/base/error.h>

#include <fmt/format.h>

#include <string>

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
        glDeleteShader(shader); // lives on as long as it is attached
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
