// The state that drawing depends on: set as it is needed, and in a caller's context put back as it was.
#pragma once

#include <fathom/detect/depth/depth_backend.h>
#include <fathom/detect/depth_gl/gl_object.h>

#include <array>
#include <vector>

namespace fathom::gl {

// Texture units out of the way of a caller's own.
struct Units {
    GLuint first = 0, second = 0;
    [[nodiscard]] static Units last_two();
};

// Reads the state when made, and puts it back when it dies.
class SavedState {
public:
    explicit SavedState(const Units& units);
    ~SavedState();
    SavedState(const SavedState&) = delete;
    SavedState& operator=(const SavedState&) = delete;

private:
    struct PerBuffer {
        bool blend;
        std::array<GLboolean, 4> mask;
    };
    struct PerUnit {
        GLuint unit;
        GLint texture, sampler;
    };
    struct Storage {
        GLint buffer;
        GLint64 start, size;
    };

    std::vector<bool> enabled_, scissors_;
    std::vector<GLint> pack_;
    std::array<PerBuffer, 2> buffers_{};
    std::array<PerUnit, 2> units_{};
    std::array<Storage, 2> storage_{};
    std::array<GLfloat, 4> viewport_{};
    std::array<GLdouble, 2> depth_range_{};
    GLfloat point_size_ = 1, line_width_ = 1;
    GLboolean depth_mask_ = GL_TRUE;
    GLint depth_function_ = 0, cull_ = 0, front_ = 0, polygon_mode_ = 0, clip_origin_ = 0, clip_depth_ = 0;
    GLint draw_framebuffer_ = 0, read_framebuffer_ = 0, program_ = 0, vertex_array_ = 0, pack_buffer_ = 0,
          storage_buffer_ = 0;
};

void set_drawing(int width, int height, Keep keep, Faces faces); // into the bound framebuffer
void set_thin();                                                 // lines and points of one pixel
void set_full_screen(int width, int height);                     // every pixel once, no depth
void set_reading();                                              // into main memory
void bind_texture(GLuint unit, GLuint texture);

} // namespace fathom::gl
