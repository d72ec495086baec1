// Lower bound on the distance of a convex body and a solid, by branch and bound over the cells of the solid alone.
// The support function of the body bounds all of it along any direction; for each cell, that of the normal of the body
// at the point nearest to the cell's centre is used. The error is that of the plane that bounds the cell: quadratic in
// its size. Cost: about as much as a sample of the body's field for each cell, plus BoundingTree::open(). One thread;
// deterministic. Unit: metres, in the frame of the solid.
#pragma once

#include <fathom/base/pose.h>
#include <fathom/detect/convex/convex_body.h>
#include <fathom/detect/trees/dual_tree_bound.h>

#include <vector>

namespace fathom {

class ConvexBound {
public:
    struct Part {
        double gap = 0; // lower bound on the distance of the node and the body (m)
        Index node = 0;
        Vec3 normal = Vec3::Zero(); // the direction of that bound, from the body to the node; unit
    };

    // `field`: distances to the body, in its frame; they only choose directions. `cells`: of a solid, not empty.
    ConvexBound(const convex::Body& body, const Field& field, const Pose& body_in_cells, BoundingTree& cells);

    [[nodiscard]] double bound() const { return std::min(open() ? heap_.front().gap : HUGE_VAL, aside_); }
    [[nodiscard]] bool open() const { return !heap_.empty(); }
    [[nodiscard]] const Part& nearest() const { return heap_.front(); }
    // Replaces the closest node by its parts. Nodes at a distance of `sufficient` or more only contribute to the bound.
    // `direction`: tried for every part, from the body to the solid; unit, or 0.
    void open_nearest(double sufficient, const Vec3& direction);
    [[nodiscard]] std::size_t evaluations() const { return evaluations_; }

private:
    [[nodiscard]] Part part(Index node, double sufficient, const Vec3& direction);

    const convex::Body& body_;
    const Field& field_;
    Pose body_in_cells_;
    BoundingTree& cells_;
    double slack_;
    std::vector<Part> heap_{};
    double aside_ = HUGE_VAL; // smallest distance of the nodes that are not opened further
    std::size_t evaluations_ = 0;
};

} // namespace fathom
