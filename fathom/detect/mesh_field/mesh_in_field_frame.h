// Mesh transformed into the field's frame, with clearance tests for bounding spheres and triangles, minimization of the
// field on a triangle, and the proof that a triangle stays clear.
// Private to mesh_contacts.cpp and contact_reduction.cpp. const and thread-safe.
#pragma once

#include <fathom/base/parallel.h>
#include <fathom/detect/bounds/clearance_radius.h>
#include <fathom/detect/mesh_field/mesh_contacts.h>
#include <fathom/detect/mesh_field/triangle_in_mesh.h>

namespace fathom::mesh_field {

// A triangle that its bounding sphere did not exclude.
struct TriangleInFieldFrame {
    std::size_t place = 0;      // position in the order of the mesh's tree
    Vec3 center = Vec3::Zero(); // of its bounding sphere, in the field's frame
    double value = 0;           // of the field at the centre
    bool cleared = false;       // proven to stay above the requested level
    bool touches = false;
    bool descended = false;
    TriangleMinimum least{}; // point with the smallest field value, in the field's frame
};

class MeshInFieldFrame {
public:
    using Corners = std::array<Vec3, 3>;

    // The arguments must outlive it. `tolerance`: pieces of triangles smaller than this are not subdivided (m); 0: 1e-6
    // of the mesh size.
    MeshInFieldFrame(const TriangleSphereTree& mesh, const Pose& mesh_pose, const Field& field, const Pose& field_pose,
                     double margin, double tolerance);

    [[nodiscard]] const TriangleSphereTree& mesh() const { return mesh_; }
    [[nodiscard]] const Field& field() const { return field_; }
    // The field if it is a MeshField, else null.
    [[nodiscard]] const MeshField* mesh_field() const { return mesh_field_; }
    [[nodiscard]] const Pose& field_pose() const { return field_pose_; }
    [[nodiscard]] double margin() const { return clear_.level(); }
    [[nodiscard]] double error() const { return error_; }             // of positions, by rounding (m)
    [[nodiscard]] double depth_error() const { return depth_error_; } // of the field near its surface (m)

    // Bounding spheres of nodes and triangles, and corners, in the field's frame.
    [[nodiscard]] Sphere node(std::size_t k) const {
        return {to_field_frame(mesh_.tree().sphere(mesh_.tree().nodes()[k]).center), mesh_.reach(k)};
    }
    [[nodiscard]] Sphere sphere(std::size_t place) const {
        const Sphere local = mesh_.sphere(place);
        return {to_field_frame(local.center), local.radius};
    }
    [[nodiscard]] Corners corners(std::size_t place) const {
        const Corners c = mesh_.corners(place);
        return {to_field_frame(c[0]), to_field_frame(c[1]), to_field_frame(c[2])};
    }

    // Transforms a point from the field's frame to the mesh's frame, so that it need not be done for many mesh points.
    [[nodiscard]] Vec3 to_mesh_frame(const Vec3& p) const { return rotation_.transpose() * (p - move_); }

    // Whether a sphere whose centre has this value is proven to stay above the margin; or at or below it.
    [[nodiscard]] bool is_clear(double value, double radius) const { return clear_(value) > radius + error_; }
    [[nodiscard]] bool is_inside(double value, double radius) const { return clear_.inside(value) >= radius + error_; }

    // Minimizes the field on a triangle.
    void descend(TriangleInFieldFrame& triangle) const;
    // The same for a MeshField, with the evaluations at the centre and the corners.
    void descend(TriangleInFieldFrame& triangle, const std::array<MeshEvaluation, 4>& known) const;
    // Subdivides each triangle until bounding spheres or ranges prove that every piece stays above `level` (at most the
    // margin), or a point at or below it is found, from which descent starts. The evaluation limit is divided evenly,
    // so that the result does not depend on the order. Runs in parallel if there are many triangles.
    void prove(std::span<TriangleInFieldFrame* const> open, double level, std::size_t max_evaluations) const;

    [[nodiscard]] MeshContact contact(const TriangleInFieldFrame& triangle) const;

private:
    [[nodiscard]] Vec3 to_field_frame(const Vec3& p) const { return rotation_ * p + move_; }
    [[nodiscard]] TriangleMinimum least(std::size_t place, const Vec3& start, double value) const;
    void set_minimum(TriangleInFieldFrame& triangle, const TriangleMinimum& least) const;
    void prove(TriangleInFieldFrame& triangle, const ClearanceRadius& clear, std::size_t max_evaluations) const;

    const TriangleSphereTree& mesh_;
    const Field& field_;
    const MeshField* mesh_field_; // the field if it is a MeshField, else null
    const Pose& field_pose_;
    ClearanceRadius clear_;
    Mat3 rotation_;
    Vec3 move_;
    double error_;
    double depth_error_;
    double tolerance_;
    double longest_range_; // largest size of boxes whose range is evaluated (m)
};

// Calls visit(begin, end) for chunks of `count` triangles, in parallel if there are many.
template <class Visit>
void each_triangle(std::size_t count, const Visit& visit) {
    constexpr std::size_t chunk = 64;
    if (count <= 4 * chunk) return visit(std::size_t{0}, count);
    parallel_for(count, chunk, visit);
}

} // namespace fathom::mesh_field
