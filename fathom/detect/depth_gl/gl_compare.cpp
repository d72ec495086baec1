// Compares by compute shader, or by fragment shader under an occlusion query.
#include <fathom/detect/depth_gl/gl_compare.h>

#include <fathom/detect/depth_gl/gl_shaders.h>

#include <bit>

namespace fathom::gl {

namespace {

enum Task : GLuint { whether, how_deep, where };
constexpr GLint task_location = 3;

std::string with_functions(std::string_view source) {
    return std::string("#version 450 core\n").append(compare_functions).append(source);
}

DepthOverlap overlap_of(GLuint pixels, GLuint deepest, GLuint first) {
    if (pixels == 0) return {};
    return {pixels, std::bit_cast<float>(deepest), first};
}

} // namespace

void Comparer::bind(const Program& program, const Target& object, const Target& environment, const Units& units) const {
    const auto nothing = [](const Target& target) { return target.keep() == Keep::nearest ? 1.0f : 0.0f; };
    glUseProgram(program.name());
    bind_texture(units.first, object.maps().depth.name());
    bind_texture(units.second, environment.maps().depth.name());
    glUniform1i(0, static_cast<GLint>(units.first));
    glUniform1i(1, static_cast<GLint>(units.second));
    glUniform2f(2, nothing(object), nothing(environment));
}

void Comparer::reset() {
    if (!result_) result_ = Buffer(context_);
    const Result empty;
    glNamedBufferData(result_.name(), sizeof(Result), &empty, GL_DYNAMIC_READ);
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, result_.name());
}

Comparer::Result Comparer::result() const {
    Result read;
    glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
    glGetNamedBufferSubData(result_.name(), 0, sizeof(Result), &read);
    return read;
}

DepthOverlap Comparer::by_compute(const Target& object, const Target& environment, const Units& units) {
    if (!compute_) compute_ = link(context_, {{GL_COMPUTE_SHADER, with_functions(compare_compute_shader)}});
    bind(compute_, object, environment, units);
    reset();
    const auto groups = [](int pixels) { return static_cast<GLuint>((pixels + 63) / 64); };
    const GLuint columns = groups(object.view().width), rows = groups(object.view().height);
    if (!lanes_) lanes_ = Buffer(context_);
    glNamedBufferData(lanes_.name(),
                      static_cast<GLsizeiptr>(sizeof(GLuint) * 2) * object.view().width * static_cast<GLsizeiptr>(rows),
                      nullptr, GL_STREAM_COPY);
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 1, lanes_.name());
    for (const Task task : {how_deep, where}) {
        glUniform1ui(task_location, task);
        glDispatchCompute(columns, rows, 1);
        glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT);
    }
    const Result found = result();
    return overlap_of(found.pixels, found.deepest, found.first);
}

void Comparer::prepare_fragments(const Target& object, const Target& environment, const Units& units) {
    if (!fragments_) {
        fragments_ = link(context_, {{GL_VERTEX_SHADER, full_screen_vertex_shader},
                                     {GL_FRAGMENT_SHADER, with_functions(compare_fragment_shader)}});
        no_images_ = Framebuffer(context_);
        no_attributes_ = VertexArray(context_);
    }
    const int width = object.view().width, height = object.view().height;
    glNamedFramebufferParameteri(no_images_.name(), GL_FRAMEBUFFER_DEFAULT_WIDTH, width);
    glNamedFramebufferParameteri(no_images_.name(), GL_FRAMEBUFFER_DEFAULT_HEIGHT, height);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, no_images_.name());
    glBindVertexArray(no_attributes_.name());
    set_full_screen(width, height);
    bind(fragments_, object, environment, units);
    reset();
}

GLuint Comparer::count_fragments(GLenum kind) {
    const Query query(context_, kind);
    glBeginQuery(kind, query.name());
    glDrawArrays(GL_TRIANGLES, 0, 3);
    glEndQuery(kind);
    GLuint count = 0;
    glGetQueryObjectuiv(query.name(), GL_QUERY_RESULT, &count);
    return count;
}

DepthOverlap Comparer::by_fragments(const Target& object, const Target& environment, const Units& units) {
    prepare_fragments(object, environment, units);
    glUniform1ui(task_location, how_deep);
    const GLuint pixels = count_fragments(GL_SAMPLES_PASSED);
    if (pixels == 0) return {};
    glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT);
    glUniform1ui(task_location, where);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    const Result found = result();
    return overlap_of(pixels, found.deepest, found.first);
}

bool Comparer::any(const Target& object, const Target& environment, const Units& units) {
    prepare_fragments(object, environment, units);
    glUniform1ui(task_location, whether);
    return count_fragments(GL_ANY_SAMPLES_PASSED) != 0;
}

} // namespace fathom::gl
