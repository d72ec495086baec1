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

} // namespace fathom
