// OpenGL's state, read, set and put back.
#include <fathom/detect/depth_gl/gl_state.h>

namespace fathom::gl {

namespace {

// What must be off; the rest is set apart.
constexpr std::array<GLenum, 17> unwanted = {
    GL_COLOR_LOGIC_OP,       GL_POLYGON_OFFSET_FILL, GL_POLYGON_OFFSET_LINE,
    GL_POLYGON_OFFSET_POINT, GL_PRIMITIVE_RESTART,   GL_PRIMITIVE_RESTART_FIXED_INDEX,
    GL_RASTERIZER_DISCARD,   GL_STENCIL_TEST,        GL_POLYGON_SMOOTH,
    GL_CLIP_DISTANCE0,       GL_CLIP_DISTANCE1,      GL_CLIP_DISTANCE2,
    GL_CLIP_DISTANCE3,       GL_CLIP_DISTANCE4,      GL_CLIP_DISTANCE5,
    GL_CLIP_DISTANCE6,       GL_CLIP_DISTANCE7};
constexpr std::array<GLenum, 5> switched = {GL_DEPTH_TEST, GL_CULL_FACE, GL_DEPTH_CLAMP, GL_PROGRAM_POINT_SIZE,
                                            GL_LINE_SMOOTH};

struct Pack {
    GLenum name;
    GLint value;
};
constexpr std::array<Pack, 6> packing = {{{GL_PACK_ALIGNMENT, 4},
                                          {GL_PACK_ROW_LENGTH, 0},
                                          {GL_PACK_SKIP_ROWS, 0},
                                          {GL_PACK_SKIP_PIXELS, 0},
                                          {GL_PACK_SWAP_BYTES, GL_FALSE},
                                          {GL_PACK_LSB_FIRST, GL_FALSE}}};

void set(GLenum capability, bool on) { (on ? glEnable : glDisable)(capability); }
void set(GLenum capability, GLuint index, bool on) { (on ? glEnablei : glDisablei)(capability, index); }

GLint integer(GLenum name) {
    GLint value = 0;
    glGetIntegerv(name, &value);
    return value;
}

void set_common(int width, int height) {
    for (const GLenum capability : unwanted) glDisable(capability);
    for (const GLuint buffer : {0u, 1u}) {
        set(GL_BLEND, buffer, false);
        glColorMaski(buffer, GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
    }
    glDisable(GL_SCISSOR_TEST); // of all viewports: where another has one, Mesa still cuts the first
    glViewportIndexedf(0, 0, 0, static_cast<GLfloat>(width), static_cast<GLfloat>(height));
    glDepthRangeIndexed(0, 0, 1);
    glClipControl(GL_LOWER_LEFT, GL_ZERO_TO_ONE);
    glPolygonMode(GL_FRONT_AND_BACK, GL_FILL);
}

} // namespace

Units Units::last_two() {
    const auto count = static_cast<GLuint>(integer(GL_MAX_COMBINED_TEXTURE_IMAGE_UNITS));
    return {count - 2, count - 1};
}

SavedState::SavedState(const Units& units) {
    for (const GLenum capability : unwanted) enabled_.push_back(glIsEnabled(capability));
    for (const GLenum capability : switched) enabled_.push_back(glIsEnabled(capability));
    for (const Pack& pack : packing) pack_.push_back(integer(pack.name));
    for (GLuint buffer = 0; buffer < 2; ++buffer) {
        buffers_[buffer].blend = glIsEnabledi(GL_BLEND, buffer);
        glGetBooleani_v(GL_COLOR_WRITEMASK, buffer, buffers_[buffer].mask.data());
        glGetIntegeri_v(GL_SHADER_STORAGE_BUFFER_BINDING, buffer, &storage_[buffer].buffer);
        glGetInteger64i_v(GL_SHADER_STORAGE_BUFFER_START, buffer, &storage_[buffer].start);
        glGetInteger64i_v(GL_SHADER_STORAGE_BUFFER_SIZE, buffer, &storage_[buffer].size);
    }
    units_[0].unit = units.first, units_[1].unit = units.second;
    for (PerUnit& unit : units_) {
        glGetIntegeri_v(GL_TEXTURE_BINDING_2D, unit.unit, &unit.texture);
        glGetIntegeri_v(GL_SAMPLER_BINDING, unit.unit, &unit.sampler);
    }
    const GLint viewports = integer(GL_MAX_VIEWPORTS);
    for (GLint v = 0; v < viewports; ++v) scissors_.push_back(glIsEnabledi(GL_SCISSOR_TEST, static_cast<GLuint>(v)));
    glGetFloati_v(GL_VIEWPORT, 0, viewport_.data());
    glGetDoublei_v(GL_DEPTH_RANGE, 0, depth_range_.data());
    glGetBooleanv(GL_DEPTH_WRITEMASK, &depth_mask_);
    glGetFloatv(GL_POINT_SIZE, &point_size_);
    glGetFloatv(GL_LINE_WIDTH, &line_width_);
    depth_function_ = integer(GL_DEPTH_FUNC), cull_ = integer(GL_CULL_FACE_MODE), front_ = integer(GL_FRONT_FACE);
    polygon_mode_ = integer(GL_POLYGON_MODE), clip_origin_ = integer(GL_CLIP_ORIGIN),
    clip_depth_ = integer(GL_CLIP_DEPTH_MODE);
    draw_framebuffer_ = integer(GL_DRAW_FRAMEBUFFER_BINDING), read_framebuffer_ = integer(GL_READ_FRAMEBUFFER_BINDING);
    program_ = integer(GL_CURRENT_PROGRAM), vertex_array_ = integer(GL_VERTEX_ARRAY_BINDING);
    pack_buffer_ = integer(GL_PIXEL_PACK_BUFFER_BINDING), storage_buffer_ = integer(GL_SHADER_STORAGE_BUFFER_BINDING);
}

SavedState::~SavedState() {
    std::size_t k = 0;
    for (const GLenum capability : unwanted) set(capability, enabled_[k++]);
    for (const GLenum capability : switched) set(capability, enabled_[k++]);
    for (std::size_t p = 0; p < packing.size(); ++p) glPixelStorei(packing[p].name, pack_[p]);
    for (GLuint buffer = 0; buffer < 2; ++buffer) {
        const auto& mask = buffers_[buffer].mask;
        set(GL_BLEND, buffer, buffers_[buffer].blend);
        glColorMaski(buffer, mask[0], mask[1], mask[2], mask[3]);
        const Storage& storage = storage_[buffer];
        const auto name = static_cast<GLuint>(storage.buffer);
        if (storage.size > 0)
            glBindBufferRange(GL_SHADER_STORAGE_BUFFER, buffer, name, storage.start, storage.size);
        else
            glBindBufferBase(GL_SHADER_STORAGE_BUFFER, buffer, name);
    }
    for (const PerUnit& unit : units_) {
        glBindTextureUnit(unit.unit, static_cast<GLuint>(unit.texture));
        glBindSampler(unit.unit, static_cast<GLuint>(unit.sampler));
    }
    for (std::size_t v = 0; v < scissors_.size(); ++v) set(GL_SCISSOR_TEST, static_cast<GLuint>(v), scissors_[v]);
    glViewportIndexedfv(0, viewport_.data());
    glDepthRangeIndexed(0, depth_range_[0], depth_range_[1]);
    glDepthMask(depth_mask_);
    glPointSize(point_size_);
    glLineWidth(line_width_);
    glDepthFunc(static_cast<GLenum>(depth_function_));
    glCullFace(static_cast<GLenum>(cull_));
    glFrontFace(static_cast<GLenum>(front_));
    glPolygonMode(GL_FRONT_AND_BACK, static_cast<GLenum>(polygon_mode_));
    glClipControl(static_cast<GLenum>(clip_origin_), static_cast<GLenum>(clip_depth_));
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, static_cast<GLuint>(draw_framebuffer_));
    glBindFramebuffer(GL_READ_FRAMEBUFFER, static_cast<GLuint>(read_framebuffer_));
    glUseProgram(static_cast<GLuint>(program_));
    glBindVertexArray(static_cast<GLuint>(vertex_array_));
    glBindBuffer(GL_PIXEL_PACK_BUFFER, static_cast<GLuint>(pack_buffer_));
    glBindBuffer(GL_SHADER_STORAGE_BUFFER, static_cast<GLuint>(storage_buffer_));
}

void set_drawing(int width, int height, Keep keep, Faces faces) {
    set_common(width, height);
    glEnable(GL_DEPTH_TEST);
    glDepthMask(GL_TRUE);
    glDepthFunc(keep == Keep::nearest ? GL_LESS : GL_GREATER);
    set(GL_CULL_FACE, faces != Faces::both);
    glCullFace(faces == Faces::front ? GL_BACK : GL_FRONT);
    glFrontFace(GL_CW);       // rows count upward here and downward in a picture
    glEnable(GL_DEPTH_CLAMP); // the fragment shader cuts, pixel by pixel: no new corners
}

void set_thin() {
    glDisable(GL_PROGRAM_POINT_SIZE);
    glDisable(GL_LINE_SMOOTH);
    glPointSize(1);
    glLineWidth(1);
}

void set_full_screen(int width, int height) {
    set_common(width, height);
    for (const GLenum capability : switched) glDisable(capability);
}

void set_reading() {
    glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
    for (const Pack& pack : packing) glPixelStorei(pack.name, pack.value);
}

void bind_texture(GLuint unit, GLuint texture) {
    glBindTextureUnit(unit, texture);
    glBindSampler(unit, 0);
}

} // namespace fathom::gl
