// Depth maps drawn by OpenGL 4.5 core, on a graphics card or in software; and environments that the
// caller draws himself, so that what shaders make (lines, points, patches, particles) is collided without ever being in
// main memory. Coverage is the CPU's, bit for bit, where no corner is farther outside the view than the view is wide
// (there a renderer may cut triangles, and round the cut). Depth is interpolated in float: within 1e-6 of the box where
// a triangle's slope is below 0.01 boxes per pixel. No conservative drawing. Every call makes the context current and
// then puts back what was; one backend to a thread.
#pragma once

#include <fathom/detect/depth/depth_backend.h>

#include <functional>

namespace fathom {

enum class GlCompare {
    automatic, // read_back where the renderer is software, else compute
    compute,   // a compute shader
    fragment,  // a fragment shader; an occlusion query counts
    read_back  // both maps to main memory
};

struct GlOptions {
    // Draws in the context that is current at the call; it must be current again at every later call. All state is put
    // back. Otherwise a context without a window is made through EGL.
    bool current_context = false;
    GlCompare compare = GlCompare::automatic;
};

// What a caller needs to draw an environment; valid inside the callback only.
class GlScene {
public:
    virtual ~GlScene() = default;
    [[nodiscard]] virtual const DepthView& view() const = 0;
    // Uses a program that was linked with environment_fragment_shader(), and sets its uniforms; where a stage declares
    // `uniform mat4 fathom_clip`, that becomes clip(frame). `body` is told in DepthId::body.
    virtual void use(unsigned program, Index body = 0, const Pose& frame = {}) const = 0;
    // Places of a frame to clip space, by columns; -1..1 in x and y, 0..1 in z. Give a frame near the view where the
    // world is large: floats then keep their precision.
    [[nodiscard]] std::array<float, 16> clip(const Pose& frame = {}) const;
};

struct GlTextures {       // names of the context; 0 where not drawn
    unsigned depth = 0;   // DEPTH_COMPONENT32F
    unsigned ids = 0;     // RG32UI: body, primitive
    unsigned normals = 0; // RGBA32F
};

class GlDepthBackend : public DepthBackend {
public:
    using DepthBackend::draw;
    // Calls `draw_environment` once, with framebuffer, depth test, culling and textures set; the caller may change all
    // but those. Triangles, lines and points of any stage are drawn; triangles alone have faces. Primitives are
    // numbered as gl_PrimitiveID is, which a geometry shader must write. A normal is that of the drawn triangle; of a
    // line or point, it faces the view. Must not draw with this backend from inside. Throws also what the callback
    // throws, and invalid_argument for errors of OpenGL in it.
    virtual void draw(const DepthView& view, const DrawOptions& options, DepthTarget& target,
                      const std::function<void(const GlScene&)>& draw_environment) = 0;

    // Does compare() find a pixel? By an occlusion query alone; nothing is read back.
    [[nodiscard]] virtual bool touch(const DepthTarget& object, const DepthTarget& environment) = 0;

    // Runs with the context current: to make programs and buffers, to move particles.
    virtual void with_context(const std::function<void()>& work) = 0;
    // Of the last draw into a target of this backend; they live until the next one.
    [[nodiscard]] virtual GlTextures textures(const DepthTarget& target) const = 0;
    [[nodiscard]] virtual bool software() const = 0; // the renderer has no graphics card
};

// GLSL 4.50: links with any vertex, geometry or tessellation stages. Its names all begin with `fathom_`.
[[nodiscard]] std::string_view environment_fragment_shader();

// Throws Error{unsupported} with the reason: built without OpenGL, no EGL or libGL, no OpenGL 4.5, or no current
// context.
[[nodiscard]] std::unique_ptr<GlDepthBackend> make_gl_depth_backend(const GlOptions& options = {});

enum class DepthPreference {
    fastest, // OpenGL on a graphics card, else the CPU (several times faster than software renderers)
    cpu,
    gl // OpenGL on anything, else the CPU
};

// Never fails; name() says what was taken and, where it was not the preferred, why: "CPU (libEGL.so.1 cannot be
// loaded)".
[[nodiscard]] std::unique_ptr<DepthBackend> make_depth_backend(DepthPreference preference = DepthPreference::fastest);

} // namespace fathom
