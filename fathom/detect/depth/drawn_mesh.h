// Room: detect. A mesh made ready to be drawn again and again, by any backend: floats about its own middle.
// Immutable but for move(), which deforms it; otherwise thread-safe. O(n) to make.
#pragma once

#include <fathom/base/pose.h>
#include <fathom/geometry/triangle_mesh.h>

#include <memory>

namespace fathom {

class DrawnMesh {
public:
    // Throws Error as check(mesh) does.
    explicit DrawnMesh(const TriangleMesh& mesh);

    // New places for the same vertices. Throws Error: count_mismatch, non_finite.
    void move(std::span<const Vec3> vertices);

    [[nodiscard]] const Vec3& origin() const { return origin_; }                  // of positions(), in the mesh's frame (m)
    [[nodiscard]] std::span<const Vec3f> positions() const { return positions_; } // relative to it (m)
    [[nodiscard]] std::span<const Triangle> triangles() const { return triangles_; }
    [[nodiscard]] const Box& bounds() const { return bounds_; } // m, in the mesh's frame
    [[nodiscard]] std::uint64_t version() const { return version_; } // another after each move(), and in each mesh: for copies on a device

private:
    void place(std::span<const Vec3> vertices);

    Vec3 origin_ = Vec3::Zero();
    std::vector<Vec3f> positions_;
    std::vector<Triangle> triangles_;
    Box bounds_;
    std::uint64_t version_ = 0;
};

struct DrawnBody {
    std::shared_ptr<const DrawnMesh> mesh;
    Pose pose{};   // in the world
    Index id = 0;  // told in DepthId::body; not no_index
};

} // namespace fathom
