// Programs and vertex arrays of environments that tests draw themselves.
#pragma once

#include <fathom/detect/depth/depth_backend.h>

#include <epoxy/gl.h>

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fathom::testing {

using Stages = std::vector<std::pair<GLenum, std::string_view>>;

[[nodiscard]] inline GLuint link_program(const Stages& stages) {
    const GLuint program = glCreateProgram();
    for (const auto& [type, source] : stages) {
        const GLuint shader = glCreateShader(type);
        const GLchar* text = source.data();
        const auto length = static_cast<GLint>(source.size());
        glShaderSource(shader, 1, &text, &length);
        glCompileShader(shader);
        glAttachShader(program, shader);
        glDeleteShader(shader);
    }
    glLinkProgram(program);
    GLint linked = GL_FALSE;
    glGetProgramiv(program, GL_LINK_STATUS, &linked);
    std::string log(2000, '\0');
    glGetProgramInfoLog(program, static_cast<GLsizei>(log.size()), nullptr, log.data());
    EXPECT_TRUE(linked) << log.c_str();
    return program;
}

// With the library's fragment shader at the end.
[[nodiscard]] inline GLuint link_environment(Stages stages) {
    stages.emplace_back(GL_FRAGMENT_SHADER, environment_fragment_shader());
    return link_program(stages);
}

// Places as attribute 0.
[[nodiscard]] inline GLuint make_array(const std::vector<Vec3f>& places) {
    GLuint buffer = 0, array = 0;
    glCreateBuffers(1, &buffer);
    glNamedBufferData(buffer, static_cast<GLsizeiptr>(places.size() * sizeof(Vec3f)), places.data(), GL_STATIC_DRAW);
    glCreateVertexArrays(1, &array);
    glVertexArrayVertexBuffer(array, 0, buffer, 0, sizeof(Vec3f));
    glEnableVertexArrayAttrib(array, 0);
    glVertexArrayAttribFormat(array, 0, 3, GL_FLOAT, GL_FALSE, 0);
    glVertexArrayAttribBinding(array, 0, 0);
    return array;
}

} // namespace fathom::testing
