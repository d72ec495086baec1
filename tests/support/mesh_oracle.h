// Overlap of two closed meshes without fields: triangles are tested exactly, containment by the parity of crossings.
// Also the margin of that result, if the meshes approximate their bodies to within an error each.
#pragma once

#include <fathom/base/pose.h>
#include <fathom/field/mesh/mesh_field.h>
#include <fathom/geometry/mesh/components.h>
#include <fathom/geometry/primitive/closest_point.h>
#include <fathom/geometry/primitive/triangle_triangle.h>
#include <fathom/geometry/surface_tree/surface_tree.h>

#include <queue>
#include <vector>

namespace fathom::testing {

// A closed mesh, ready.
class OracleBody {
public:
    explicit OracleBody(const TriangleMesh& mesh) : exact_(mesh) {
        for (const Component& part : components(this->mesh()).parts)
            component_samples_.push_back(this->mesh().vertices[this->mesh().triangles[part.first_triangle][0]]);
    }

    [[nodiscard]] const TriangleMesh& mesh() const { return exact_.mesh(); }
    [[nodiscard]] const SurfaceTree& tree() const { return exact_.tree(); }
    [[nodiscard]] const MeshField& exact() const { return exact_; }
    [[nodiscard]] const std::vector<Vec3>& component_samples() const {
        return component_samples_;
    } // a vertex of each part of the surface

private:
    MeshField exact_;
    std::vector<Vec3> component_samples_;
};

// visitor(triangle of a, triangle of b in a's frame) for all whose boxes come within `reach`; true stops, and is
// returned.
template <class Visitor>
bool any_pair(const OracleBody& a, const OracleBody& b, const Pose& b_in_a, double reach, const Visitor& visitor) {
    const Mat3 turn = b_in_a.rotation.toRotationMatrix();
    const auto seen = [&](const Vec3& p) -> Vec3 { return turn * p + b_in_a.translation; };
    const Box all = a.tree().tree().bounds().grown(reach);
    for (const Triangle& t : b.mesh().triangles) {
        const std::array<Vec3, 3> corners = {seen(b.mesh().vertices[t[0]]), seen(b.mesh().vertices[t[1]]),
                                             seen(b.mesh().vertices[t[2]])};
        Box box;
        for (const Vec3& corner : corners) box.extend(corner);
        box = box.grown(reach);
        if (!box.overlaps(all)) continue;
        bool stopped = false;
        a.tree().tree().visit_overlapping(box,
                                          [&](Index k) { return !(stopped = visitor(a.mesh().corners(k), corners)); });
        if (stopped) return true;
    }
    return false;
}

// Do the solids share a point? Exact but for the rounding of the pose.
[[nodiscard]] inline bool solids_meet(const OracleBody& a, const OracleBody& b, const Pose& b_in_a) {
    if (any_pair(a, b, b_in_a, 0, [](const auto& s, const auto& t) { return triangles_overlap(s, t); })) return true;
    for (const Vec3& p : b.component_samples())
        if (a.tree().contains(b_in_a * p)) return true;
    for (const Vec3& p : a.component_samples())
        if (b.tree().contains(b_in_a.to_local(p))) return true;
    return false;
}

// Do the surfaces come within `reach` of each other?
[[nodiscard]] inline bool surfaces_within(const OracleBody& a, const OracleBody& b, const Pose& b_in_a, double reach) {
    return any_pair(a, b, b_in_a, reach, [&](const auto& s, const auto& t) {
        return closest_points(s, t).squared_distance <= reach * reach;
    });
}

// Is there a point deeper than error_a in a and deeper than error_b in b? The octree of the common box, best first:
// distances are 1-Lipschitz, so a ball round a centre is cleared, or holds the answer. Cells too small to matter count
// as no.
[[nodiscard]] inline bool meet_deeper_than(const OracleBody& a, double error_a, const OracleBody& b, double error_b,
                                           const Pose& b_in_a) {
    struct Cell {
        Box box;
        double least;
        bool operator<(const Cell& other) const { return least > other.least; }
    };
    Box seen;
    for (int k = 0; k < 8; ++k) seen.extend(b_in_a * b.exact().bounds().corner(k));
    const Box common = intersection(a.exact().bounds(), seen);
    if (common.empty()) return false;
    const double smallest = std::max(0.02 * (error_a + error_b), 1e-7 * common.diagonal());
    std::priority_queue<Cell> open;
    open.push({common, -HUGE_VAL});
    for (std::size_t k = 0; k < 100'000 && !open.empty(); ++k) {
        const Cell cell = open.top();
        open.pop();
        const Vec3 c = cell.box.center();
        const double value =
            std::max(a.exact().distance(c) + error_a, b.exact().distance(b_in_a.to_local(c)) + error_b);
        const double radius = cell.box.half().norm();
        if (value <= 0) return true;
        if (value > radius || radius < smallest) continue;
        for (int corner = 0; corner < 8; ++corner) {
            Box child{c, c};
            child.extend(cell.box.corner(corner));
            open.push({child, value - radius});
        }
    }
    return false;
}

enum class Truth { apart, meeting, in_band };

// What must be said of two bodies that are known to within an error each: apart and meeting are certain, in the band
// either answer is right.
[[nodiscard]] inline Truth truth_of(const OracleBody& a, double error_a, const OracleBody& b, double error_b,
                                    const Pose& b_in_a) {
    if (solids_meet(a, b, b_in_a))
        return meet_deeper_than(a, error_a, b, error_b, b_in_a) ? Truth::meeting : Truth::in_band;
    return surfaces_within(a, b, b_in_a, error_a + error_b) ? Truth::in_band : Truth::apart;
}

} // namespace fathom::testing
