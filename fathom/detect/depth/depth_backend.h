// What draws surfaces into depth maps: the CPU, or a graphics pipeline. One face, so that each is the
// other's oracle. Method: Fabrizio, "Easy real-time collision detection": an object's height map, drawn with inverted
// depth test and inverted culling, against the environment's, drawn normally in the same box: a collision per pixel. A
// pixel is covered where its middle is inside a triangle; corners are rounded to 1/256 of a pixel first, and of two
// triangles that share an edge through the middle one has it. A point covers the pixel that it is in; a line one pixel
// in each column (each row, where it is steep) whose middle it passes, its lower end counted and its upper end not.
// Faces are for triangles alone. What is outside the box of the view is not drawn. At equal depth the first body stays,
// and in it, on the CPU, the first in the order of DrawnMesh::numbers(); by OpenGL, the first as given. Not
// thread-safe; one backend (and its targets) to a thread. The CPU one is parallel inside, the same bits for any number
// of threads.
#pragma once

#include <fathom/detect/depth/depth_map.h>
#include <fathom/detect/depth/drawn_mesh.h>

#include <functional>
#include <memory>
#include <string>

namespace fathom {

enum class Faces { front, back, both }; // front: corners counter-clockwise as the view sees them

// Maps that stay where they are drawn (on the device, for a graphics pipeline).
class DepthTarget {
public:
    virtual ~DepthTarget() = default;
    [[nodiscard]] virtual const DepthView& view() const = 0; // of the last draw
    // What was drawn last, in main memory; read back once, and valid until the next draw into this target.
    [[nodiscard]] virtual const DepthMap& map() const = 0;
};

struct DrawOptions {
    Keep keep = Keep::nearest;
    Faces faces = Faces::front;
    bool ids = false;
    bool normals = false;
    // Draws every pixel whose closed square a primitive touches (and some that it misses by 1/256 of a pixel), with a
    // depth that is not deeper (not nearer, in a farthest map) than any that it has there, nor than its own nearest
    // (farthest): the least of its plane over the pixel. Thin parts are never lost: triangles seen edge-on are drawn,
    // whichever faces are wanted. Limits are asked about the depth that is drawn. Where a backend cannot,
    // Error{unsupported}.
    bool conservative = false;
    // Targets of the same backend with as many pixels: draws only what is deeper than `after` and not deeper than
    // `until`, pixel by pixel. So layers are peeled one by one; so an environment is drawn only where it is inside an
    // object; and where a farthest map is `until` or a nearest map `after`, nothing is drawn where they hold nothing,
    // as by a stencil.
    const DepthTarget* after = nullptr;
    const DepthTarget* until = nullptr;
};

// The comparison of the paper: where the environment is not deeper than the object.
struct DepthOverlap {
    std::size_t pixels = 0;
    float deepest = 0;             // largest difference of depths, a share of the view's depth
    std::size_t deepest_pixel = 0; // the first that has it
};

class DepthBackend {
public:
    virtual ~DepthBackend() = default;
    [[nodiscard]] virtual std::string name() const = 0; // "CPU", or what the renderer calls itself

    [[nodiscard]] virtual std::unique_ptr<DepthTarget> make_target() = 0;
    // Replaces what the target holds. Throws Error as check(view); invalid_argument for a target of another backend or
    // size.
    virtual void draw(const DepthView& view, std::span<const DrawnBody> bodies, const DrawOptions& options,
                      DepthTarget& target) = 0;
    // Would draw() draw anything within `until`, which must be set? For nearest maps without ids and normals; may stop
    // at the first pixel. `scratch` may be drawn into.
    [[nodiscard]] virtual bool meets(const DepthView& view, std::span<const DrawnBody> bodies,
                                     const DrawOptions& options, DepthTarget& scratch);
    // `object` a farthest map, `environment` a nearest one, of equal size.
    [[nodiscard]] virtual DepthOverlap compare(const DepthTarget& object, const DepthTarget& environment) = 0;
};

// `why` it was taken is told in its name: "CPU (why)".
[[nodiscard]] std::unique_ptr<DepthBackend> make_cpu_depth_backend(const std::string& why = {});

// Depth maps drawn by OpenGL 4.5 core, on a graphics card or in software; and environments that the
// caller draws himself, so that what shaders make (lines, points, patches, particles) is collided without ever being in
// main memory. Coverage is the CPU's, bit for bit, where no corner is farther outside the view than the view is wide
// (there a renderer may cut triangles, and round the cut). Depth is interpolated in float: within 1e-6 of the box where
// a triangle's slope is below 0.01 boxes per pixel. No conservative drawing. Every call makes the context current and
// then puts back what was; one backend to a thread.

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
