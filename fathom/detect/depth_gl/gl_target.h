// Depth maps on the device that are read back on request, the OpenGL state that drawing needs, and the comparison of
// maps.
#pragma once

#include <fathom/detect/depth/depth_backend.h>
#include <fathom/detect/depth_gl/gl_context.h>

#include <array>
#include <vector>

// ---- The state that drawing depends on: set as needed, and restored in a caller's context.
namespace fathom::gl {

// Texture units that are unlikely to collide with those of a caller.
struct Units {
    GLuint first = 0, second = 0;
    [[nodiscard]] static Units last_two();
};

// Reads the state in the constructor and restores it in the destructor.
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

namespace fathom::gl {

struct Maps {
    int width = 0, height = 0;
    Texture depth, ids, normals; // the last two only if requested
    Framebuffer framebuffer;

    Maps() = default;
    // Throws Error: too_large.
    Maps(const std::shared_ptr<Context>& context, const DepthView& view, const DrawOptions& options);
    [[nodiscard]] bool fits(const DepthView& view, const DrawOptions& options) const;
    void clear(Keep keep) const; // write masks must be enabled
};

class Target final : public DepthTarget {
public:
    explicit Target(std::shared_ptr<Context> context) : context_(std::move(context)) {}
    ~Target() override;

    [[nodiscard]] const DepthView& view() const override { return drawn_.view; }
    [[nodiscard]] const DepthMap& map() const override;
    [[nodiscard]] const void* owner() const override { return context_.get(); }
    [[nodiscard]] const Maps& maps() const { return maps_; }
    [[nodiscard]] bool is_drawn() const { return static_cast<bool>(maps_.depth); }
    [[nodiscard]] Keep keep() const { return drawn_.keep; }
    [[nodiscard]] const std::shared_ptr<Context>& context() const { return context_; }

    // Empty maps for a new drawing. With `fresh`, new textures are used, and the previous ones are returned because
    // they may still be read from.
    [[nodiscard]] Maps begin(const DepthView& view, const DrawOptions& options, bool fresh);

private:
    void read() const;

    std::shared_ptr<Context> context_;
    Maps maps_;
    mutable DepthMap drawn_; // empty until read back
};

} // namespace fathom::gl

// ---- The comparison of two maps on the device.
namespace fathom::gl {

class Comparer {
public:
    explicit Comparer(std::shared_ptr<Context> context) : context_(std::move(context)) {}

    // Call inside a Scope with maps of equal size. Changes program, textures, storage buffers 0 and 1 and, except for
    // by_compute(), framebuffer and drawing state.
    [[nodiscard]] DepthOverlap by_compute(const Target& object, const Target& environment, const Units& units);
    [[nodiscard]] DepthOverlap by_fragments(const Target& object, const Target& environment, const Units& units);
    [[nodiscard]] bool any(const Target& object, const Target& environment, const Units& units);

private:
    struct Result {
        GLuint pixels = 0, deepest = 0, first = no_index;
    };
    void bind(const Program& program, const Target& object, const Target& environment, const Units& units) const;
    void reset();
    [[nodiscard]] Result result() const;
    void prepare_fragments(const Target& object, const Target& environment, const Units& units);
    [[nodiscard]] GLuint count_fragments(GLenum kind);

    std::shared_ptr<Context> context_;
    Program compute_, fragments_;
    Buffer result_, lanes_;
    Framebuffer no_images_;
    VertexArray no_attributes_;
};

} // namespace fathom::gl
