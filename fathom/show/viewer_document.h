// Documents for the viewer in the browser: bodies, optional layers, frames over time, and curves.
// Plain data, created by viewer_sources.h, and sent as packets (viewer_packets.h). Frames are
// requested one at a time, so that a long recording is never copied as a whole.
#pragma once

#include <fathom/base/primitives.h>
#include <fathom/detect/depth/depth_map.h>
#include <fathom/detect/result/result.h>
#include <fathom/geometry/mesh/tet_mesh.h>
#include <fathom/simulate/record/recording.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace fathom {

// Labels and values that the viewer shows for a selected object, in this order.
using ViewerInfo = std::vector<std::pair<std::string, std::variant<double, std::string>>>;

struct ViewerBody {
    std::string name;
    bool fixed = false;
    bool cloud = false;            // points without triangles
    bool glass = false;            // initially drawn translucent
    std::vector<Vec3f> vertices{}; // m, in the body's frame
    std::vector<Triangle> triangles{};
    std::vector<Tetrahedron> tetrahedra{}; // over the same vertices; visible if the body is cut open
    Pose pose{};
    ViewerInfo info{};
};

// Boxes and spheres of a hierarchy. The viewer shows one level at a time.
struct BoxesLayer {
    std::vector<Box> boxes;
    std::vector<std::uint8_t> levels; // of each box
};
struct SpheresLayer {
    std::vector<Sphere> spheres;
    std::vector<std::uint8_t> levels; // of each sphere
};
struct PathLayer {
    std::vector<Vec3> points;               // m
    std::vector<double> times;              // of each point, in [0,1]
    std::vector<ContactInterval> intervals; // contact intervals, drawn in another colour
    bool judged = true;                     // false: the contact intervals are unknown
};
struct ContactsLayer {
    std::vector<BodyContact> contacts;
};
// Signed distances (m) on a lattice, x fastest; the first and the last sample along each axis lie on the box.
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
    std::optional<Index> body{}; // body whose pose the layer follows
    bool visible = false;        // initially
    ViewerInfo info{};
};

// A curve with one value per frame; curves of one group share a plot.
struct ViewerSeries {
    std::string name, unit, group;
    std::vector<double> values;
};

// A body whose shape in a frame differs from that in the document. The spans refer to data of the frame source.
struct DeformedBody {
    Index body = 0;
    std::span<const Vec3f> vertices{};                    // m, world; the pose is not applied
    std::optional<std::span<const Triangle>> triangles{}; // unset: those of the document
    std::vector<std::uint8_t> shades{}; // one for each point of a cloud, from slow to fast; empty: all equal
};

struct ViewerFrame {
    std::vector<Pose> poses; // one for each body
    std::vector<DeformedBody> deformed{};
    std::vector<BodyContact> contacts{};
};

// Source of frames. Implementations must be thread-safe.
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
    bool y_is_up = false; // initial up axis: y, otherwise z
    Box bounds{};         // of the content at all times (m); empty: those of the bodies and layers in the document
    std::vector<ViewerBody> bodies{};
    std::vector<ViewerLayer> layers{};
    std::vector<ViewerSeries> series{};
    std::shared_ptr<const ViewerFrames> frames{}; // null: nothing moves
};

} // namespace fathom
