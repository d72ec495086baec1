// The comparison of two maps on the device.
#pragma once

#include <fathom/detect/depth_gl/gl_target.h>

namespace fathom::gl {

class Comparer {
public:
    explicit Comparer(std::shared_ptr<Context> context) : context_(std::move(context)) {}

    // Inside a Scope; maps of equal size. Changes program, textures, storage buffers 0 and 1 and, but for by_compute(),
    // framebuffer and drawing state.
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
