// What the viewer in the browser is shown: bodies, layers that can be switched on, frames over time and
// curves beside them. Plain data, made by viewer_sources.h, viewer_recording.h and viewer_sweep.h, and sent as packets
// (viewer_packets.h). Frames are asked for piece by piece, so that a long recording is never copied as a whole.
#pragma once

#include <fathom/base/primitives.h>
#include <fathom/detect/depth/depth_map.h>
#include <fathom/detect/result/result.h>
#include <fathom/geometry/mesh/tet_mesh.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace fathom {

// Shown beside what is picked, in this order.
using ViewerInfo = std::vector<std::pair<std::string, std::variant<double, std::string>>>;

struct ViewerBody {
    std::string name;
    bool fixed = false;
    bool cloud = false;            // points without triangles
    bool glass = false;            // at first drawn so that what is within can be seen
    std::vector<Vec3f> vertices{}; // m, in the body's frame
    std::vector<Triangle> triangles{};
    std::vector<Tetrahedron> tetrahedra{}; // over the same vertices; seen when the body is cut open
    Pose pose{};
    ViewerInfo info{};
};

struct ViewerContact {
    Vec3 position = Vec3::Zero(); // m, world
    Vec3 normal = Vec3::Zero();   // unit, from the first body to the second
    double depth = 0;             // m
    std::array<Index, 2> bodies = {no_index, no_index};
};

// Boxes and spheres are nested: the viewer shows one level at a time.
struct BoxesLayer {
    std::vector<Box> boxes;
    std::vector<std::uint8_t> levels; // of each
};
struct SpheresLayer {
    std::vector<Sphere> spheres;
    std::vector<std::uint8_t> levels;
};
struct PathLayer {
    std::vector<Vec3> points;
    std::vector<double> times;              // of each, in [0,1]
    std::vector<ContactInterval> intervals; // drawn in another colour
    bool judged = true;                     // false: nothing is said of when it collides
};
struct ContactsLayer {
    std::vector<ViewerContact> contacts;
};
// Signed distances on a lattice, x fastest; the first and the last sample of each axis lie on the box.
struct VolumeLayer {
    Box box;
    std::array<std::size_t, 3> size = {0, 0, 0};
    std::vector<float> values;
};
struct DepthMapLayer {
    DepthMap map; // ids and normals are not sent
};

struct ViewerLayer {
    std::string name;
    std::variant<BoxesLayer, SpheresLayer, PathLayer, ContactsLayer, VolumeLayer, DepthMapLayer> content;
    std::optional<Index> body{}; // whose pose it follows
    bool visible = false;        // at first
    ViewerInfo info{};
};

// One value a frame; curves of one group share a plot.
struct ViewerSeries {
    std::string name, unit, group;
    std::vector<double> values;
};

// A body that is not as the document has it. What the spans show belongs to the source of the frames.
struct DeformedBody {
    Index body = 0;
    std::span<const Vec3f> vertices{};                    // m, world: the pose does not count
    std::optional<std::span<const Triangle>> triangles{}; // nothing: those of the document
    std::vector<std::uint8_t> shades{}; // of a cloud, one a vertex, from slow to fast; empty: all alike
};

struct ViewerFrame {
    std::vector<Pose> poses; // of every body
    std::vector<DeformedBody> deformed{};
    std::vector<ViewerContact> contacts{};
};

// Asked from several threads at once.
class ViewerFrames {
public:
    virtual ~ViewerFrames() = default;
    [[nodiscard]] virtual std::size_t count() const = 0;
    [[nodiscard]] virtual double time(std::size_t frame) const = 0; // s
    [[nodiscard]] virtual ViewerFrame frame(std::size_t frame) const = 0;
};

enum class ViewerKind { recording, mesh, field, sweep, depth, tetrahedra, live };

struct ViewerDocument {
    std::string title, subtitle{};
    ViewerKind kind = ViewerKind::mesh;
    bool y_is_up = false; // at first; else z
    Box bounds{};         // of all that is shown, at any time; empty: of the bodies and layers as they stand
    std::vector<ViewerBody> bodies{};
    std::vector<ViewerLayer> layers{};
    std::vector<ViewerSeries> series{};
    std::shared_ptr<const ViewerFrames> frames{}; // null: nothing moves
};

} // namespace fathom
