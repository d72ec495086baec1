// A mesh as a field sees it, moved into its frame: the balls and triangles that mesh_contacts.h and
// reduce_contacts.h ask about, what one look-up proves of a ball, the least point of a triangle, and the proof that a
// triangle stays clear. Private to those two. const and thread-safe.
#pragma once

#include <fathom/base/parallel.h>
#include <fathom/detect/bounds/clearance_radius.h>
#include <fathom/detect/mesh_field/mesh_contacts.h>
#include <fathom/detect/mesh_field/triangle_in_mesh.h>

namespace fathom::mesh_field {

// A triangle that its ball did not rule out.
struct TriangleInFieldFrame {
    std::size_t place = 0;      // in the order of the mesh's tree
    Vec3 center = Vec3::Zero(); // of its ball, in the field's frame
    double value = 0;           // of the field there
    bool cleared = false;       // proven to stay above the level that was asked
    bool touches = false;
    bool descended = false;
    TriangleLeast least{}; // in the field's frame
};

class MeshInFieldFrame {
public:
    using Corners = std::array<Vec3, 3>;

    // All must outlive it. `tolerance`: pieces of triangles smaller than this are not cut further (m); 0: 1e-6 of the
    // mesh.
    MeshInFieldFrame(const TriangleSphereTree& mesh, const Pose& mesh_pose, const Field& field, const Pose& field_pose,
                     double margin, double tolerance);

    [[nodiscard]] const TriangleSphereTree& mesh() const { return mesh_; }
    [[nodiscard]] const Field& field() const { return field_; }
    [[nodiscard]] const MeshField* mesh_field() const { return mesh_field_; } // the field, if it is that of a mesh
    [[nodiscard]] const Pose& field_pose() const { return field_pose_; }
    [[nodiscard]] double margin() const { return clear_.level(); }
    [[nodiscard]] double error() const { return error_; }             // of positions, by rounding (m)
    [[nodiscard]] double depth_error() const { return depth_error_; } // of the field near its surface (m)

    // In the field's frame.
    [[nodiscard]] Sphere node(std::size_t k) const {
        return {seen(mesh_.tree().sphere(mesh_.tree().nodes()[k]).center), mesh_.reach(k)};
    }
    [[nodiscard]] Sphere ball(std::size_t place) const {
        const Sphere local = mesh_.ball(place);
        return {seen(local.center), local.radius};
    }
    [[nodiscard]] Corners corners(std::size_t place) const {
        const Corners c = mesh_.corners(place);
        return {seen(c[0]), seen(c[1]), seen(c[2])};
    }

    // Back, from the field's frame to the mesh's: distances are the same in both, and one point is moved instead of
    // many.
    [[nodiscard]] Vec3 to_mesh_frame(const Vec3& p) const { return turn_.transpose() * (p - move_); }

    // A ball whose centre has this value is proven to stay above the margin; or at and below it.
    [[nodiscard]] bool is_clear(double value, double radius) const { return clear_(value) > radius + error_; }
    [[nodiscard]] bool is_inside(double value, double radius) const { return clear_.inside(value) >= radius + error_; }

    void descend(TriangleInFieldFrame& triangle) const;
    // The same, of the field of a mesh, with what was looked up at the middle and the corners.
    void descend(TriangleInFieldFrame& triangle, const std::array<MeshLook, 4>& looks) const;
    // Cuts each triangle until balls or ranges clear every piece of it of `level`, at most the margin, or a point at or
    // below it is found, from which it is descended on. The budget of look-ups is shared evenly, so that it does not
    // matter who runs first. In parallel where they are many.
    void prove(std::span<TriangleInFieldFrame* const> open, double level, std::size_t max_evaluations) const;

    [[nodiscard]] MeshContact contact(const TriangleInFieldFrame& triangle) const;

private:
    [[nodiscard]] Vec3 seen(const Vec3& p) const { return turn_ * p + move_; }
    [[nodiscard]] TriangleLeast least(std::size_t place, const Vec3& start, double value) const;
    void set_least(TriangleInFieldFrame& triangle, const TriangleLeast& least) const;
    void prove(TriangleInFieldFrame& triangle, const ClearanceRadius& clear, std::size_t max_evaluations) const;

    const TriangleSphereTree& mesh_;
    const Field& field_;
    const MeshField* mesh_field_; // the field, if it is one
    const Pose& field_pose_;
    ClearanceRadius clear_;
    Mat3 turn_;
    Vec3 move_;
    double error_;
    double depth_error_;
    double tolerance_;
    double longest_range_; // of boxes whose range is asked (m)
};

// visit(begin, end) over pieces of so many triangles, in parallel where that is worth it.
template <class Visit>
void each_triangle(std::size_t count, const Visit& visit) {
    constexpr std::size_t chunk = 64;
    if (count <= 4 * chunk) return visit(std::size_t{0}, count);
    parallel_for(count, chunk, visit);
}

} // namespace fathom::mesh_field
