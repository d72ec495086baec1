// Interface of the renderers that draw surfaces into depth maps, on the CPU or with a graphics pipeline. Both implement
// the same interface, so that each verifies the other.
// Method: Fabrizio, "Easy real-time collision detection": an object's height map, drawn with inverted depth test and
// inverted culling, is compared pixel by pixel with the environment's, drawn normally in the same box.
// A pixel is covered if its centre is inside a triangle; corners are rounded to 1/256 of a pixel first, and if two
// triangles share an edge through the centre, exactly one covers the pixel. A point covers the pixel that contains it;
// a line covers one pixel in each column (in each row, if it is steep) whose centre it passes, including its lower end
// and excluding its upper end. Face culling applies to triangles only. Geometry outside the box of the view is not
// drawn. At equal depth the first body wins, and within it, on the CPU, the first primitive in the order of
// DrawnMesh::numbers(), with OpenGL the first in the given order. Not thread-safe: one backend (with its targets) per
// thread. The CPU backend is parallel inside, with the same bits for any number of threads.
#pragma once

#include <fathom/detect/depth/depth_map.h>
#include <fathom/detect/depth/drawn_mesh.h>

#include <functional>
#include <memory>
#include <string>

namespace fathom {

enum class Faces { front, back, both }; // front: corners run counter-clockwise as seen from the view

// A depth map that stays where it was drawn (on the device, for a graphics pipeline).
class DepthTarget {
public:
    virtual ~DepthTarget() = default;
    [[nodiscard]] virtual const DepthView& view() const = 0; // view of the last draw
    // The last drawing in main memory; read back once, and valid until the next draw into this target.
    [[nodiscard]] virtual const DepthMap& map() const = 0;
    // Identifies the backends that can use the target: equal for their own targets, different for all others.
    [[nodiscard]] virtual const void* owner() const = 0;
};

struct DrawOptions {
    Keep keep = Keep::nearest;
    Faces faces = Faces::front;
    bool ids = false;
    bool normals = false;
    // Draws every pixel whose closed square a primitive touches (and some that it misses by 1/256 of a pixel), with a
    // depth that is not deeper (not nearer, in a farthest map) than any depth of the primitive there, nor than its own
    // nearest (farthest) depth: the minimum (maximum) of its plane over the pixel. Thin parts are never lost: triangles
    // seen edge-on are drawn, whichever faces are selected. Limits apply to the drawn depth. Backends without support
    // throw Error{unsupported}.
    bool conservative = false;
    // Targets of the same backend with the same number of pixels: draws only fragments that are deeper than `after` and
    // not deeper than `until`, pixel by pixel. This is used to peel layers one by one and to draw an environment only
    // where it is inside an object. Where `until` is a farthest map or `after` is a nearest map, nothing is drawn at
    // their empty pixels, as with a stencil.
    const DepthTarget* after = nullptr;
    const DepthTarget* until = nullptr;
};

// The comparison of the paper: pixels where the environment is not deeper than the object.
struct DepthOverlap {
    std::size_t pixels = 0;
    float deepest = 0;             // largest difference of depths, as a fraction of the view's depth
    std::size_t deepest_pixel = 0; // the first pixel with that difference
};

class DepthBackend {
public:
    virtual ~DepthBackend() = default;
    [[nodiscard]] virtual std::string name() const = 0; // "CPU", or the name that the renderer reports

    [[nodiscard]] virtual std::unique_ptr<DepthTarget> make_target() = 0;
    // Replaces the content of the target. Throws Error as check(view); Error{invalid_argument} for a target of another
    // backend or size.
    virtual void draw(const DepthView& view, std::span<const DrawnBody> bodies, const DrawOptions& options,
                      DepthTarget& target) = 0;
    // Whether draw() would draw anything within `until`, which must be set. For nearest maps without ids and normals;
    // may stop at the first pixel. `scratch` may be overwritten.
    [[nodiscard]] virtual bool draws_anything(const DepthView& view, std::span<const DrawnBody> bodies,
                                              const DrawOptions& options, DepthTarget& scratch);
    // `object` is a farthest map and `environment` a nearest map of equal size.
    [[nodiscard]] virtual DepthOverlap compare(const DepthTarget& object, const DepthTarget& environment) = 0;
};

// `why` is the reason for its selection and is part of its name: "CPU (why)".
[[nodiscard]] std::unique_ptr<DepthBackend> make_cpu_depth_backend(const std::string& why = {});

// ---- Depth maps drawn by OpenGL 4.5 core, on a graphics card or in software.
// The caller can also draw environments with his own shaders, so that lines, points, patches or particles that shaders
// generate are tested for collision without a copy in main memory. Coverage is identical to the CPU's, bit for bit, if
// no corner is farther outside the view than the view is wide (beyond that a renderer may clip triangles and round the
// cut). Depth is interpolated in float: within 1e-6 of the box where the slope of a triangle is below 0.01 boxes per
// pixel. Conservative drawing is not supported. Every call makes the context current and restores the previous one; one
// backend per thread.

enum class GlCompare {
    automatic, // read_back for a software renderer, else compute
    compute,   // a compute shader
    fragment,  // a fragment shader and an occlusion query
    read_back  // both maps are copied to main memory
};

struct GlOptions {
    // Draw in the context that is current at the call; it must be current again at every later call. All state is
    // restored. Otherwise a context without a window is created through EGL.
    bool current_context = false;
    GlCompare compare = GlCompare::automatic;
};

// Access for a caller that draws an environment; valid inside the callback only.
class GlScene {
public:
    virtual ~GlScene() = default;
    [[nodiscard]] virtual const DepthView& view() const = 0;
    // Uses a program that was linked with environment_fragment_shader() and sets its uniforms; if a stage declares
    // `uniform mat4 fathom_clip`, it is set to clip(frame). `body` is written to DepthId::body.
    virtual void use(unsigned program, Index body = 0, const Pose& frame = {}) const = 0;
    // Transform of positions in a frame to clip space, by columns; -1..1 in x and y, 0..1 in z. In a large world pass a
    // frame near the view, so that floats keep their precision.
    [[nodiscard]] std::array<float, 16> clip(const Pose& frame = {}) const;
};

struct GlTextures {       // OpenGL names in the context; 0 if not drawn
    unsigned depth = 0;   // DEPTH_COMPONENT32F
    unsigned ids = 0;     // RG32UI: body, primitive
    unsigned normals = 0; // RGBA32F
};

class GlDepthBackend : public DepthBackend {
public:
    using DepthBackend::draw;
    // Calls `draw_environment` once, with framebuffer, depth test, culling and textures set; the caller may change all
    // other state. Triangles, lines and points from any stage are drawn; culling applies to triangles only. Primitives
    // are numbered by gl_PrimitiveID, which a geometry shader must write. A normal is that of the drawn triangle; that
    // of a line or point faces the view. The callback must not draw with this backend. Throws also what the callback
    // throws, and Error{invalid_argument} for OpenGL errors in it.
    virtual void draw(const DepthView& view, const DrawOptions& options, DepthTarget& target,
                      const std::function<void(const GlScene&)>& draw_environment) = 0;

    // Whether compare() would find a pixel. Uses an occlusion query only; nothing is read back.
    [[nodiscard]] virtual bool touch(const DepthTarget& object, const DepthTarget& environment) = 0;

    // Runs `work` with the context current, to create programs and buffers or to move particles, for example.
    virtual void with_context(const std::function<void()>& work) = 0;
    // Textures of the last draw into a target of this backend; valid until the next one.
    [[nodiscard]] virtual GlTextures textures(const DepthTarget& target) const = 0;
    [[nodiscard]] virtual bool software() const = 0; // the renderer does not use a graphics card
};

// GLSL 4.50; links with any vertex, geometry or tessellation stages. All of its names begin with `fathom_`.
[[nodiscard]] std::string_view environment_fragment_shader();

// Throws Error{unsupported} with the reason: built without OpenGL, no EGL or libGL, no OpenGL 4.5, or no current
// context.
[[nodiscard]] std::unique_ptr<GlDepthBackend> make_gl_depth_backend(const GlOptions& options = {});

enum class DepthPreference {
    fastest, // OpenGL on a graphics card, else the CPU (several times faster than software renderers)
    cpu,
    gl // OpenGL with any renderer, else the CPU
};

// Never fails. name() says which backend was selected and, if it is not the preferred one, why: "CPU (libEGL.so.1
// cannot be loaded)".
[[nodiscard]] std::unique_ptr<DepthBackend> make_depth_backend(DepthPreference preference = DepthPreference::fastest);

} // namespace fathom
