// Two convex shapes in many poses, and the interface behind which each library answers questions about them.
#pragma once

#include <fathom/base/pose.h>
#include <fathom/geometry/mesh/triangle_mesh.h>

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace fathom::bench {

enum class ConvexKind { sphere, box, capsule, cylinder, hull };

// About the origin, with the axis along z (m).
struct ConvexShape {
    ConvexKind kind = ConvexKind::sphere;
    Vec3 size = Vec3::Zero(); // box: full sizes
    double radius = 0;        // sphere, capsule, cylinder
    double length = 0;        // capsule: of the straight part; cylinder: height
    TriangleMesh hull{};      // hull: its vertices, and triangles that face outward
};

struct PosePair {
    Pose a, b;
};

struct ConvexScene {
    std::string id; // "box-box"
    ConvexShape a, b;
    std::vector<PosePair> poses{};
};

enum class ConvexQuestion {
    collide,  // whether they overlap
    contacts, // the contact points with normals and depths, if they overlap
    distance  // how far apart they are
};

struct ConvexAnswer {
    bool touching = false;
    std::uint32_t points = 0;                                   // contacts: how many
    double distance = std::numeric_limits<double>::quiet_NaN(); // negative: depth of the deepest contact; NaN: unknown
};

// A library, or one of its settings, with the shapes and poses of a scene as it wants them. A call answers for all
// poses, so that a virtual call costs nothing beside them.
class ConvexPeer {
public:
    ConvexPeer() = default;
    ConvexPeer(const ConvexPeer&) = delete;
    ConvexPeer& operator=(const ConvexPeer&) = delete;
    virtual ~ConvexPeer() = default;

    [[nodiscard]] virtual std::string name() const = 0;
    // Whether this setting is different from the others for the question.
    [[nodiscard]] virtual bool takes_part(ConvexQuestion question) const = 0;
    virtual void collide(std::span<ConvexAnswer> out) = 0;
    virtual void contacts(std::span<ConvexAnswer> out) = 0;
    virtual void distance(std::span<ConvexAnswer> out) = 0;

    void answer(ConvexQuestion question, std::span<ConvexAnswer> out) {
        if (question == ConvexQuestion::collide) return collide(out);
        if (question == ConvexQuestion::contacts) return contacts(out);
        distance(out);
    }
};

} // namespace fathom::bench
